/**
 * The paper exchange in this process, on a port of its own, so that what is true there is known without asking: every
 * change of the account is noted with its time, every request with its weight. Its feed can be made to misbehave.
 */

import { systemInterval } from "../../src/cli/system.ts";
import { weightOf, weightOfAnswer } from "../../src/exchange/weights.ts";
import type { Venue, VenueAccount } from "../../src/paper/engine/state.ts";
import { clearinghouseOf } from "../../src/paper/info/clearinghouse-state.ts";
import { numberText } from "../../src/paper/info/number-format.ts";
import { createPaperExchange, PAPER_DEFAULTS, type PaperExchange } from "../../src/paper/paper-exchange.ts";
import { servePaper } from "../../src/paper/server.ts";
import { addressOfKey, openSigners } from "../../src/vault/signers.ts";
import { normaliseDecimal } from "../../src/wire/action/fields.ts";
import type { Action } from "../../src/wire/action/index.ts";
import { faultySockets, type WebSocketFault } from "./sockets.ts";
import { openTimeline, type Timeline } from "./timeline.ts";

export type Spent = { atMs: number; type: string; weight: number };

/** When an order was filled to its end, and whether it had rested. */
export type Filled = { atMs: number; isMaker: boolean };

export type KnownExchange = {
  url: string;
  truth: Timeline;
  /** By our own weights, oldest first. */
  spent: Spent[];
  /** By native id. */
  filled: Map<string, Filled>;
  venue: Venue;
  fund(address: string): void;
  /** From now on everything of this address is noted. */
  watch(address: string): void;
  /** Signs and sends; throws when it is refused. */
  act(privateKey: Uint8Array, action: Action): Promise<string>;
  /** The feed is well until then. */
  strike(): void;
  stop(): Promise<void>;
};

export type ExchangeOptions = {
  /** How often states come, and whether on change as well. */
  states: { onChange: boolean; everyTicks: number };
  feed: WebSocketFault;
};

/** An action of somebody outside is taken for so long, milliseconds. */
const ACTION_LIFE_MS = 60_000;

export function openKnownExchange({ states, feed }: ExchangeOptions): KnownExchange {
  const paper = createPaperExchange({
    ...PAPER_DEFAULTS,
    faults: { rules: [], states },
    nowMs: Date.now,
    sleep: (ms) => Bun.sleep(ms),
  });
  const truth = openTimeline();
  const spent: Spent[] = [];
  const filled = new Map<string, Filled>();
  const sockets = faultySockets(paper, feed);
  let watched: string | null = null;
  let block = -1;
  let fillsSeen = 0;

  /** Before anybody can be answered: the same turn of the event loop that changed it, or the next microtask. */
  function look(): void {
    const account = watched === null ? undefined : paper.venue.accounts.get(watched);
    if (account === undefined || paper.venue.block === block) return;
    block = paper.venue.block;
    truth.note(factsOf(paper.venue, account), Date.now());
    for (const { oid, timeMs, crossed } of account.fills.slice(fillsSeen)) {
      if (account.openOids.has(oid) || account.records.get(oid)?.status !== "filled") continue;
      filled.set(String(oid), { atMs: timeMs, isMaker: !crossed });
    }
    fillsSeen = account.fills.length;
  }

  async function handle(request: Request, address?: string): Promise<Response> {
    const body = await request.clone().text();
    const response = await paper.handle(request, address);
    look();
    if (address !== OUTSIDE) spent.push(await weigh(body, response));
    return response;
  }

  const known: PaperExchange = {
    ...paper,
    handle,
    // Where ticks were late, several come in one turn, each with frames of its own.
    connect: ({ send, close }) =>
      sockets.connect({
        close,
        send(text) {
          look();
          send(text);
        },
      }),
    step(toMs) {
      paper.step(toMs);
      look();
    },
  };
  const server = servePaper(known, { hostname: "127.0.0.1", port: 0, every: systemInterval });
  return {
    url: server.url,
    truth,
    spent,
    filled,
    venue: paper.venue,
    fund: (address) => paper.fund(address),
    watch(address) {
      watched = address.toLowerCase();
      look();
    },
    act: openHand(handle),
    strike: sockets.strike,
    async stop() {
      sockets.stop();
      await server.stop();
      paper.stop();
    },
  };
}

/** The address of requests that are not the gateway's. */
const OUTSIDE = "outside";

function openHand(handle: PaperExchange["handle"]): KnownExchange["act"] {
  let lastNonce = 0;
  return async (privateKey, action) => {
    const agentAddress = addressOfKey(privateKey);
    const signers = openSigners({
      network: "paper",
      keys: [{ address: agentAddress, privateKey: privateKey.slice() }],
    });
    lastNonce = Math.max(lastNonce + 1, Date.now());
    const times = { nonce: lastNonce, expiresAfter: lastNonce + ACTION_LIFE_MS };
    const body = signers.sign({ agentAddress, action, vaultAddress: null, ...times });
    const headers = { "content-type": "application/json" };
    const request = new Request("http://paper/exchange", { method: "POST", headers, body });
    const answer = await (await handle(request, OUTSIDE)).text();
    if (answer.includes('"error"') || !answer.includes('"ok"')) throw new Error(`refused outside: ${answer}`);
    return answer;
  };
}

async function weigh(body: string, response: Response): Promise<Spent> {
  // What our own gateway has sent.
  const asked = JSON.parse(body) as { type?: string; action?: { type: string } };
  const atMs = Date.now();
  if (asked.type === undefined) return { atMs, type: asked.action?.type ?? "", weight: 1 };
  const weight = weightOf({ type: asked.type });
  const json: unknown = weight.maxRows === 0 ? null : await response.clone().json();
  return { atMs, type: asked.type, weight: weightOfAnswer(weight, json) };
}

/** The members of the exchange's own answer that are compared. */
type State = {
  marginSummary: { accountValue: string; totalMarginUsed: string };
  assetPositions: { position: { coin: string; szi: string; positionValue: string } }[];
};

/** What our answers may say of the account, in their words. */
function factsOf(venue: Venue, account: VenueAccount): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  const put = (name: string, figure: string) => facts.set(name, normaliseDecimal(figure) ?? figure);
  for (const { name, index } of venue.dexes) {
    // The paper exchange's own shape.
    const state = clearinghouseOf(venue, { user: account.address, dex: index, nowMs: 0 }) as State;
    put(`equity ${name}`, state.marginSummary.accountValue);
    put(`used ${name}`, state.marginSummary.totalMarginUsed);
    for (const { position } of state.assetPositions) {
      put(`position ${position.coin}`, position.szi);
      put(`value ${position.coin}`, position.positionValue);
    }
  }
  for (const [token, { total }] of account.spot) put(`spot ${venue.tokens.get(token)?.name}`, numberText(total));
  for (const oid of account.openOids) put(`order ${oid}`, numberText(venue.orders.get(oid)?.size ?? 0n));
  for (const { tid } of account.fills) facts.set(`fill ${tid}`, "told");
  for (const { state, status } of account.twapHistory)
    facts.set(`twap ${state.twapId}`, STATUSES[status.status] ?? status.status);
  return facts;
}

const STATUSES: Readonly<Record<string, string>> = {
  activated: "running",
  terminated: "canceled",
  waitingForTrigger: "waiting_for_trigger",
};
