/** What moves the account while it is read: a client of the gateway, a stranger, and the owner by hand. */
import { decimal } from "../../src/core/decimal.ts";
import { cancelAction } from "../../src/wire/action/cancel.ts";
import type { Action } from "../../src/wire/action/index.ts";
import type { Client } from "./client.ts";
import type { KnownExchange } from "./exchange.ts";
import type { Notes } from "./notes.ts";

export type Hands = { exchange: KnownExchange; stranger: Uint8Array; owner: Uint8Array };

const BTC = 0;
const ETH = 1;
const PURR = 10_000;
const ONE = 100_000_000n;

/** Best prices of a market now, whole dollars towards the middle where that is a dollar. */
function best({ exchange }: Hands, asset: number): { bid: bigint; ask: bigint } {
  const book = exchange.venue.books.get(asset);
  return { bid: book?.bids[0]?.price ?? 0n, ask: book?.asks[0]?.price ?? 0n };
}

type Side = "buy" | "sell";
type Limit = { asset: number; side: Side; size: string; price: string; tif: "Gtc" | "Ioc" };

function limit({ asset, side, size, price, tif }: Limit): Action {
  const order = { a: asset, b: side === "buy", p: decimal(price), s: decimal(size), r: false };
  return { type: "order", orders: [{ ...order, t: { limit: { tif } } }], grouping: "na" };
}

/** A few of each, so that a position stays open and the account never runs out. */
export async function trade(client: Client, hands: Hands, told: Told, isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    const startedMs = performance.now();
    await STEPS[turn % STEPS.length]?.(client, hands, told);
    if (turn % TWAP_TURNS === TWAP_AT) await startTwap(client, told);
    if (turn % TWAP_TURNS === TWAP_AT + TWAP_RUNS) await cancelTwap(client, told);
    await Bun.sleep(Math.max(0, TURN_MS - (performance.now() - startedMs)));
  }
}

const TURN_MS = 1_000;
const TWAP_TURNS = 60;
const TWAP_AT = 10;
const TWAP_RUNS = 25;
const SIZE = "0.001";

type Step = (client: Client, hands: Hands, told: Told) => Promise<unknown>;

const STEPS: readonly Step[] = [
  async (client, hands, told) => {
    told.resting = await place(client, { side: "buy", size: SIZE, price: far(hands, 90n), time_in_force: "gtc" });
  },
  (client, hands, told) => makeAndBeTaken(client, hands, { told, side: "buy", taken: SIZE }),
  async (client, hands, told) => {
    if (told.resting !== null) await client.post(`/v1/orders/${told.resting}/modify`, { price: far(hands, 91n) });
  },
  async (client, hands) => {
    await place(client, { side: "buy", size: "0.002", price: far(hands, 102n), time_in_force: "ioc" });
  },
  async (client, _hands, told) => {
    if (told.resting !== null) await client.post(`/v1/orders/${told.resting}/cancel`, {});
    told.resting = null;
  },
  (client, hands, told) => makeAndBeTaken(client, hands, { told, side: "sell", taken: SIZE }),
  async (client, hands) => {
    await place(client, { side: "sell", size: "0.002", price: far(hands, 98n), time_in_force: "ioc" });
  },
  async (client, hands, told) => {
    const id = await makeAndBeTaken(client, hands, { told, side: "buy", taken: "0.0004" });
    if (id !== null) await client.post(`/v1/orders/${id}/cancel`, {});
  },
];

/** So many hundredths of the price, whole dollars. */
function far(hands: Hands, percent: bigint): string {
  return String((best(hands, BTC).bid * percent) / 100n / ONE);
}

async function place(client: Client, order: object): Promise<string | null> {
  const { status, body } = await client.post("/v1/orders", { account: accountOf(client), market: "BTC", ...order });
  return status === 201 ? String(body["id"]) : null;
}

const accounts = new WeakMap<Client, string>();

/** The account that the client's orders name. */
export function tradeFor(client: Client, account: string): void {
  accounts.set(client, account);
}

function accountOf(client: Client): string {
  return accounts.get(client) ?? "";
}

/** What is known of fills, told and shown: by native id, unix milliseconds. */
export type Told = {
  notes: Notes;
  resting: string | null;
  twapId: string | null;
  byEvent: Map<string, number>;
  byAnswer: Map<string, number>;
};

type Making = { told: Told; side: Side; taken: string };

const LOOKED_FOR_MS = 10_000;
const LOOK_PAUSE_MS = 60;

/** An order inside the spread, which the stranger takes at once; then it is asked for until it is told as filled. */
async function makeAndBeTaken(client: Client, hands: Hands, { told, side, taken }: Making): Promise<string | null> {
  const { bid, ask } = best(hands, BTC);
  const price = String(side === "buy" ? bid / ONE + 1n : ask / ONE - 1n);
  const order = { account: accountOf(client), market: "BTC", side, size: SIZE, price, time_in_force: "gtc" };
  const { status, body } = await client.post("/v1/orders", order);
  if (status !== 201 || body["status"] !== "open") return null;
  const id = String(body["id"]);
  const taking = limit({ asset: BTC, side: side === "buy" ? "sell" : "buy", size: taken, price, tif: "Ioc" });
  // The market may have moved: then there is nothing left to take.
  await hands.exchange.act(hands.stranger, taking).catch(() => "");
  if (taken !== SIZE) return id;
  const untilMs = performance.now() + LOOKED_FOR_MS;
  while (performance.now() < untilMs) {
    const looked = await client.get(`/v1/orders/${id}`);
    told.notes.shown(looked.body, `/v1/orders/${id}`);
    if (looked.body["status"] === "filled") {
      told.byAnswer.set(String(looked.body["exchange_order_id"]), looked.toMs);
      return id;
    }
    if (!hands.exchange.filled.has(String(body["exchange_order_id"]))) return id;
    await Bun.sleep(LOOK_PAUSE_MS);
  }
  return id;
}

async function startTwap(client: Client, told: Told): Promise<void> {
  const asked = { market: "ETH", side: "buy", size: "0.2", duration_minutes: 5 };
  const { body } = await client.post("/v1/twaps", asked);
  told.twapId = body["exchange_id"] === undefined ? null : String(body["exchange_id"]);
}

async function cancelTwap(client: Client, told: Told): Promise<void> {
  if (told.twapId !== null) await client.post("/v1/twaps/cancel", { market: "ETH", twap_id: Number(told.twapId) });
  told.twapId = null;
}

const HAND_MS = 10_000;
const HAND_PAUSE_MS = 3_000;

/** Every ten seconds an order that rests, a trade of a perpetual, a trade of a token, and the end of the order. */
export async function beByHand(hands: Hands, isOver: () => boolean): Promise<void> {
  const act = (action: Action) => hands.exchange.act(hands.owner, action).catch(() => "");
  for (let turn = 0; !isOver(); turn += 1) {
    const startedMs = performance.now();
    const price = String((best(hands, BTC).bid * 80n) / 100n / ONE);
    const answer = await act(limit({ asset: BTC, side: "buy", size: "0.002", price, tif: "Gtc" }));
    await Bun.sleep(HAND_PAUSE_MS);
    const side = turn % 2 === 0 ? "buy" : "sell";
    await act(limit({ asset: ETH, side, size: "0.05", price: through(hands, ETH, side), tif: "Ioc" }));
    await Bun.sleep(HAND_PAUSE_MS);
    await act(limit({ asset: PURR, side, size: "100", price: through(hands, PURR, side), tif: "Ioc" }));
    const oid = /"oid":([0-9]+)/.exec(answer)?.[1];
    if (oid !== undefined) await act(cancelAction(BTC, oid, false));
    await Bun.sleep(Math.max(0, HAND_MS - (performance.now() - startedMs)));
  }
}

/** The price of the other side's best, which always has more than is taken here. */
function through(hands: Hands, asset: number, side: Side): string {
  const { bid, ask } = best(hands, asset);
  const price = side === "buy" ? ask : bid;
  return `${price / ONE}.${String(price % ONE).padStart(8, "0")}`.replace(/0+$/, "").replace(/\.$/, "");
}
