/** The exchange of a run: the paper exchange's own engine and readers, without HTTP, with a log of what it executed. */
import { answerOfStatus, type HttpAnswer, jsonAnswer } from "../../src/paper/answers.ts";
import type { ActionInput, VenueReply } from "../../src/paper/engine/action.ts";
import type { EngineOptions } from "../../src/paper/engine/options.ts";
import type { Address, VenueAccount, VenueFill, VenueOrderRecord } from "../../src/paper/engine/state.ts";
import { MISMATCH } from "../../src/paper/exchange/decode.ts";
import { type Envelope, readEnvelope } from "../../src/paper/exchange/envelope.ts";
import { executeEnvelope } from "../../src/paper/exchange/execute.ts";
import { parseJsonText } from "../../src/paper/exchange/json-text.ts";
import { type FaultFile, NO_FAULTS, startFaults } from "../../src/paper/faults.ts";
import { type ReadContext, SERVER_FAULT } from "../../src/paper/info/request.ts";
import { readInfo } from "../../src/paper/info/types.ts";
import { commit, type Runtime, UNOBSERVED, nowMs as venueTimeMs } from "../../src/paper/runtime.ts";
import { type Applied, createWorld, type JournalEntry } from "../../src/paper/world.ts";
import { type Hub, publish } from "../../src/paper/ws.ts";
import { copyOf } from "./copy.ts";
import { MAX_LAG_MS } from "./lags.ts";
import type { Lens, Request } from "./worlds/lens.ts";

/** One action that reached the engine, with what the exchange itself saw before and after it. */
export type Execution = {
  atMs: number;
  signer: Address;
  nonce: number;
  input: ActionInput;
  reply: VenueReply;
  /** False when it was refused before its nonce was used. */
  isAdmitted: boolean;
  /** Live orders of the account that the action names by native id, before it. */
  liveBefore: readonly number[];
  /** For each order of the action: native id of the newest order with its client order id. */
  namedOids: readonly (number | null)[];
};

export type Venue = {
  /** Executes a body as it came from the wire; what HTTP would answer. */
  execute(body: string): HttpAnswer;
  /** Answers a read from the present, or from an earlier moment. */
  read(body: string, past: Snapshot | null, seen?: Seen): HttpAnswer;
  /** The present, kept for a node that goes no further. */
  snapshot(): Snapshot;
  /** The state of that long ago; only of a venue that remembers. */
  past(agoMs: number): Snapshot;
  /** An action of somebody else, straight into the engine. */
  act(signer: Address, action: ActionInput["action"]): VenueReply;
  setPrice(coin: string, price: bigint): void;
  nowMs(): number;
  account(address: Address): VenueAccount;
  record(address: Address, oid: number): VenueOrderRecord | null;
  fillsOf(address: Address): readonly VenueFill[];
  isLive(oid: number): boolean;
  readonly log: readonly Execution[];
  readonly runtime: Runtime;
  /** Where websockets connect. */
  readonly hub: Hub;
};

/** Through which lenses, and at which server, an answer is read. */
export type Seen = { lenses: readonly Lens[]; node: number };

export type Snapshot = { context: ReadContext };

export type VenueOptions = {
  seed: number;
  nowMs: () => number;
  /** False lets `fakeSigners`' bodies through: the signer stands in the signature. */
  checksSignatures: boolean;
  owners: readonly { owner: Address; agent: Address }[];
  plainTriggerReply: "resting" | "waitingForTrigger";
  /** Where two answers of the exchange are plausible: another than the seed's. */
  engine?: Partial<EngineOptions>;
  /** Actions that an account may send before it has traded. */
  actionAllowance?: number;
  /** Others who trade. */
  strangers: readonly Address[];
  /** Keeps what was up to then, unix milliseconds, for stores that are behind; null = never. */
  remembersUntilMs?: number | null;
  /** Called when an action was executed, or a price has moved. */
  onChange?: () => void;
};

/** Far more actions than any run sends. */
export const PLENTY_OF_ACTIONS = 1_000_000;
/** Nothing is left to ticks: every read and every action lets time pass. */
const TICK_MS = 5_000;

export function openVenue(options: VenueOptions): Venue {
  // Half of the exchanges send states on change as well.
  const states = { onChange: options.seed % 2 === 0, everyTicks: 1 + (options.seed % 10) };
  // A third of them greets whoever connects.
  const rules: FaultFile["rules"] = options.seed % 3 === 0 ? [{ on: "ws", fault: { kind: "hello" } }] : [];
  const faults = startFaults({ ...NO_FAULTS, rules, states });
  const world = createWorld({
    seed: options.seed,
    startMs: options.nowMs(),
    tickMs: TICK_MS,
    marketMaker: false,
    engine: {
      requestAllowance: options.actionAllowance ?? PLENTY_OF_ACTIONS,
      plainTriggerReply: options.plainTriggerReply,
      // Where answers to triggers name no id, those to modifies may not either.
      modifyTriggerReply: options.seed % 2 === 0 ? "resting" : "asPlaced",
      // Nobody knows which of the two it is: what is told has to be true under both.
      fullCloseBelowMinimum: options.seed % 3 === 0 ? "refused" : "taken",
      metTrigger: options.seed % 4 === 0 ? "reject" : "fire",
      ...options.engine,
    },
  });
  const runtime: Runtime = {
    world,
    entryContext: { source: { kind: "scripted" }, tickMs: TICK_MS },
    journal: null,
    clockMs: options.nowMs,
    listen: (events) => publish(hub, events, { isTimeAlone: isTick && events.length === 0 }),
    onTick: () => undefined,
    observer: UNOBSERVED,
    failure: null,
  };
  const hub: Hub = {
    connections: new Set(),
    context: () => ({ venue: world.venue, tape: world.tape, nowMs: venueTimeMs(runtime) }),
    faults: () => faults,
    post: () => Promise.reject(new Error("bug: the gateway posts over HTTP")),
    ticks: 0,
    opened: new Map(),
  };
  const log: Execution[] = [];
  let strangersNonce = 0;
  let isTick = false;
  const memory: { atMs: number; context: ReadContext }[] = [];
  const remembersUntilMs = options.remembersUntilMs ?? Number.NEGATIVE_INFINITY;

  function remember(): void {
    const atMs = venueTimeMs(runtime);
    if (atMs >= remembersUntilMs) return;
    const context = copyOf({ venue: world.venue, tape: world.tape, nowMs: atMs });
    if (memory.at(-1)?.atMs === atMs) memory.pop();
    memory.push({ atMs, context });
    const [, second] = memory;
    if (second !== undefined && second.atMs < atMs - MAX_LAG_MS) memory.shift();
  }

  function apply(entry: JournalEntry): Applied {
    isTick = entry.kind === "tick";
    const applied = commit(runtime, entry);
    // Time alone changes nothing that anybody reads: a tick without an event leaves what was.
    if (entry.kind !== "tick" || applied.events.length > 0) remember();
    return applied;
  }

  function engine(input: ActionInput): VenueReply {
    const liveBefore = oidsChanged(input).filter((oid) => world.venue.orders.has(oid));
    const { reply, admitted } = apply({ kind: "action", input });
    if (reply === null) throw new Error("bug: an action without a reply");
    const { signer, nonce, nowMs } = input;
    const namedOids = oidsOf(world.venue.accounts.get(world.venue.agents.get(signer)?.master ?? signer), input);
    log.push({ atMs: nowMs, signer, nonce, input, reply, isAdmitted: admitted, liveBefore, namedOids });
    options.onChange?.();
    return reply;
  }

  function act(signer: Address, action: ActionInput["action"]): VenueReply {
    const nowMs = venueTimeMs(runtime);
    strangersNonce = Math.max(strangersNonce + 1, nowMs);
    const input = { action, signer, vaultAddress: null, nonce: strangersNonce, expiresAfter: null, nowMs };
    const { reply } = apply({ kind: "action", input });
    if (reply === null) throw new Error("bug: an action without a reply");
    options.onChange?.();
    return reply;
  }

  /** What is due by now happens now: nobody may read of it later than it was. */
  function passTime(): void {
    const { events } = apply({ kind: "tick", atMs: venueTimeMs(runtime) });
    // A slice of a TWAP, say.
    if (events.length > 0) options.onChange?.();
  }

  function present(): ReadContext {
    passTime();
    return { venue: world.venue, tape: world.tape, nowMs: venueTimeMs(runtime) };
  }

  const venue: Venue = {
    execute(body) {
      const json = parseJsonText(body);
      const envelope = json === undefined ? MISMATCH : readEnvelope(json);
      if (envelope === MISMATCH) return answerOfStatus(422);
      passTime();
      const nowMs = venueTimeMs(runtime);
      const reply = options.checksSignatures
        ? executeEnvelope({ venue: world.venue, engine, network: "testnet", nowMs }, envelope)
        : engine(inputOf(envelope, nowMs));
      return jsonAnswer(reply);
    },
    read(body, past, seen) {
      const json = parseJsonText(body);
      const reader = json === undefined ? MISMATCH : readInfo(json);
      if (reader === MISMATCH) return answerOfStatus(422);
      const value = reader(past === null ? present() : past.context);
      return value === SERVER_FAULT
        ? answerOfStatus(500)
        : jsonAnswer(seen === undefined ? value : seenThrough(seen, body, value));
    },
    snapshot: () => ({ context: copyOf(present()) }),
    past(agoMs) {
      const nowMs = venueTimeMs(runtime) - agoMs;
      // What is remembered may be older than what was then.
      if (nowMs >= remembersUntilMs && memory.length > 0) throw new Error("bug: nobody remembers so late a past");
      const then = memory.findLast(({ atMs }) => atMs <= nowMs) ?? memory[0];
      return then === undefined ? { context: present() } : { context: { ...then.context, nowMs } };
    },
    act,
    setPrice(coin, price) {
      apply({ kind: "price", coin, price, atMs: venueTimeMs(runtime) });
      options.onChange?.();
    },
    nowMs: () => venueTimeMs(runtime),
    account(address) {
      const account = world.venue.accounts.get(address);
      if (account === undefined) throw new Error("bug: an account that the exchange does not know");
      return account;
    },
    record: (address, oid) => world.venue.accounts.get(address)?.records.get(oid) ?? null,
    fillsOf: (address) => world.venue.accounts.get(address)?.fills ?? [],
    isLive: (oid) => world.venue.orders.has(oid),
    log,
    runtime,
    hub,
  };
  for (const { owner, agent } of options.owners) {
    apply({ kind: "fund", user: owner, atMs: options.nowMs() });
    act(owner, { type: "approveAgent", agentAddress: agent, agentName: "postern-1" });
  }
  for (const user of options.strangers) apply({ kind: "fund", user, atMs: options.nowMs() });
  return venue;
}

function seenThrough({ lenses, node }: Seen, body: string, value: unknown): unknown {
  if (lenses.length === 0) return value;
  // A body that a reader has taken is an object with its type.
  const request = JSON.parse(body) as Request;
  return lenses.reduce((answer, lens) => lens(request, answer, node), value);
}

function oidsChanged({ action }: ActionInput): number[] {
  if (action.type === "batchModify")
    return action.modifies.flatMap(({ oid }) => (typeof oid === "number" ? [oid] : []));
  if (action.type === "cancel") return action.cancels.map(({ o }) => o);
  return [];
}

function oidsOf(account: VenueAccount | undefined, { action }: ActionInput): (number | null)[] {
  const orders =
    action.type === "order"
      ? action.orders
      : action.type === "batchModify"
        ? action.modifies.map((each) => each.order)
        : [];
  return orders.map(({ c: cloid }) => (cloid === null ? null : (account?.cloids.get(cloid) ?? null)));
}

/** What the exchange would have recovered from a true signature. */
function inputOf(envelope: Envelope, nowMs: number): ActionInput {
  const { action } = envelope.signed.reading;
  if ("refusal" in action) throw new Error("bug: an action that the gateway does not sign");
  return {
    action,
    signer: `0x${envelope.signature.r.slice(-40)}`,
    vaultAddress: envelope.vaultAddress,
    nonce: Number(envelope.nonce),
    expiresAfter: envelope.expiresAfter === null ? null : Number(envelope.expiresAfter),
    nowMs,
  };
}
