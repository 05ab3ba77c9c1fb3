/** What others do to an account at the worst moment, where a rule asks for it. */
import { type Decimal, fromUnits, toUnits } from "../core/decimal.ts";
import type { ActionInput, EngineOrderAction, OrderRequest, ParsedAction, VenueReply } from "./engine/action.ts";
import { bookOf, sideOf } from "./engine/book.ts";
import type { Venue, VenueOrder } from "./engine/state.ts";
import { TAKER } from "./market-maker.ts";
import { cancelLeg } from "./replies.ts";
import { commit, nowMs, type Runtime } from "./runtime.ts";

export function execute(runtime: Runtime, input: ActionInput): VenueReply {
  const { reply } = commit(runtime, { kind: "action", input });
  if (reply === null) throw new Error("bug: an action without a reply");
  return reply;
}

/** How long before now the numbers are that others use. Milliseconds. */
const OTHERS_NONCE_MS = 3_600_000;
const MAX_DECIMALS = 8;
/** Blocks after which their numbers begin again, far below the time between them and now. */
const NONCE_BLOCKS = 1_000_000;

/** Somebody else who trades for the account uses the client order id of each order for one of twice its size. */
export function placeNamesake(runtime: Runtime, input: ActionInput): void {
  const { action, signer, nonce } = input;
  if (action.type !== "order") return;
  const owner = runtime.world.venue.agents.get(signer)?.master ?? signer;
  const orders = action.orders.map((order) => ({ ...order, s: doubled(order.s) }));
  const other = { ...input, signer: owner, nonce: nonce - OTHERS_NONCE_MS, action: { ...action, orders } };
  execute(runtime, { ...other, expiresAfter: null });
}

function doubled(size: Decimal): Decimal {
  return fromUnits(2n * toUnits(size, MAX_DECIMALS), MAX_DECIMALS);
}

/** Fills what a cancel or modify names, the moment before it is carried out. */
export function fillNamed(runtime: Runtime, { action }: ActionInput): void {
  for (const order of namedOrders(runtime.world.venue, action)) if (order !== null) fillBy(runtime, order, 100);
}

/** Fills that are due at some time, in the order in which they were planned. */
export type PlannedFills = { readonly dueMs: number; readonly oid: number; readonly percent: number }[];

/** Fills of each order that an action has left on the book. */
export function planFills(
  fills: PlannedFills,
  reply: VenueReply,
  {
    percent,
    afterMs = 0,
    nowMs: atMs,
  }: { readonly percent: number; readonly afterMs?: number; readonly nowMs: number },
): void {
  if (reply.status === "err" || reply.response.type !== "order") return;
  for (const status of reply.response.data.statuses) {
    if (typeof status !== "object" || !("resting" in status)) continue;
    fills.push({ dueMs: atMs + afterMs, oid: status.resting.oid, percent });
  }
}

export function fillDue(runtime: Runtime, fills: PlannedFills): void {
  const atMs = nowMs(runtime);
  for (const fill of fills.splice(0)) {
    if (fill.dueMs > atMs) fills.push(fill);
    else {
      const order = runtime.world.venue.orders.get(fill.oid);
      if (order !== undefined) fillBy(runtime, order, fill.percent);
    }
  }
}

/** The live orders that a cancel or modify is about; null for one that is not there. */
export function namedOrders({ orders }: Venue, action: ParsedAction): (VenueOrder | null)[] {
  const cancel = action.type === "cancel" || action.type === "cancelByCloid" ? action : cancelLeg(action);
  if (cancel === null) return [];
  if (cancel.type === "cancel") return cancel.cancels.map(({ o }) => orders.get(o) ?? null);
  return cancel.cancels.map(({ cloid }) => [...orders.values()].find((one) => one.cloid === cloid) ?? null);
}

/** A house account trades down to the order, and then so much with it; the house quotes again as before. */
function fillBy(runtime: Runtime, order: VenueOrder, percent: number): void {
  const { venue } = runtime.world;
  const market = venue.markets.get(order.asset);
  if (market === undefined || order.phase !== "resting") return;
  const lot = 10n ** BigInt(MAX_DECIMALS - market.szDecimals);
  const part = (order.size * BigInt(percent)) / 100n;
  const size = sizeBefore(venue, order) + part - (part % lot);
  const taking: OrderRequest = {
    a: order.asset,
    b: !order.isBuy,
    r: false,
    c: null,
    t: { limit: { tif: "Ioc" } },
    p: fromUnits(order.limitPrice, MAX_DECIMALS),
    s: fromUnits(size, MAX_DECIMALS),
  };
  const atMs = nowMs(runtime);
  const nonce = atMs - OTHERS_NONCE_MS + (venue.block % NONCE_BLOCKS);
  const action: EngineOrderAction = { type: "order", orders: [taking], grouping: "na", builder: null };
  execute(runtime, { action, signer: TAKER, vaultAddress: null, nonce, expiresAfter: null, nowMs: atMs });
  const price = market.kind === "perp" ? market.oraclePrice : market.markPrice;
  commit(runtime, { kind: "price", coin: market.coin, price, atMs });
}

/** What stands before the order on its side of the book. */
function sizeBefore(venue: Venue, order: VenueOrder): bigint {
  let size = 0n;
  for (const { oids } of sideOf(bookOf(venue, order.asset), order.isBuy)) {
    for (const oid of oids) {
      if (oid === order.oid) return size;
      size += venue.orders.get(oid)?.size ?? 0n;
    }
  }
  return size;
}
