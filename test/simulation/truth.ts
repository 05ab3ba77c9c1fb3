/** What really happened, read from the exchange's own log, records and fills by a model that knows nothing of ours. */
import type { OrderRequest } from "../../src/paper/engine/action.ts";
import type { VenueFill } from "../../src/paper/engine/state.ts";
import type { Party } from "./template.ts";
import type { Execution, Venue } from "./venue.ts";
import type { Wish } from "./wishes.ts";

/** One exchange order. Sizes in 10^-8. */
export type TrueLeg = { oid: number; cloid: string | null; size: bigint; price: string; asset: number };

/** One order as a client understands it: what was placed, and what modifies put in its place. */
export type TrueOrder = {
  /** The wish that made it: a placing, a part of what places several, or a modify whose replacement became an order of its own. */
  wish: Wish;
  legs: TrueLeg[];
  /** True when the last modify cancelled it and its replacement was refused. */
  isKilled: boolean;
  /** The order that this one may be shown as a part of: it was placed by a modify just after another cancel. */
  mayBelongTo: TrueOrder | null;
};

export type Truth = {
  /** By number of the placing wish; absent when nothing was ever placed. */
  orders: ReadonlyMap<number, TrueOrder>;
  /** Orders that modifies made beside an original that they did not cancel, by number of the modify. */
  splits: ReadonlyMap<number, TrueOrder>;
  /** Orders that protect trades, in order: nobody asks for each of them, and there may be many. */
  guards: readonly TrueOrder[];
  /** Orders made, by number of wish, in order. */
  made: ReadonlyMap<number, readonly Execution[]>;
};

/** Everything that stands, or has stood, at the exchange. */
export function allOrders({ orders, splits, guards }: Pick<Truth, "orders" | "splits" | "guards">): TrueOrder[] {
  return [...orders.values(), ...splits.values(), ...guards];
}

export function readTruth(venue: Venue, wishOf: WishOf, parties: readonly Party[]): Truth {
  const ownerOf = new Map(parties.map(({ agent, account }) => [agent, account.tradingAddress]));
  const orders = new Map<number, TrueOrder>();
  const splits = new Map<number, TrueOrder>();
  const guards: TrueOrder[] = [];
  const made = new Map<number, Execution[]>();
  const orderOfOid = new Map<number, TrueOrder>();

  for (const execution of venue.log) {
    for (const placed of placedBy(execution)) {
      const wish = wishOf(placed.request);
      const owner = ownerOf.get(execution.signer);
      if (wish === undefined || owner === undefined)
        throw new Error(`bug: an order that nobody wished for: ${placed.request.c}`);
      const original = placed.replaces === null ? undefined : orderOfOid.get(placed.replaces);
      const isReplaced = placed.replaces !== null && wasCanceledBy(venue, owner, placed.replaces, execution);
      if (placed.leg === null) {
        if (isReplaced && original !== undefined) original.isKilled = true;
        continue;
      }
      made.set(wish.number, [...(made.get(wish.number) ?? []), execution]);
      if (original !== undefined && isReplaced) {
        original.legs.push(placed.leg);
        orderOfOid.set(placed.leg.oid, original);
        continue;
      }
      const isDoubtful =
        placed.replaces !== null && wasCanceledJustBefore(venue, owner, placed.replaces, execution) && !isReplaced;
      const mayBelongTo = isDoubtful ? (original ?? null) : null;
      const order: TrueOrder = { wish, legs: [placed.leg], isKilled: false, mayBelongTo };
      if (isGuard(wish)) guards.push(order);
      else (placed.replaces === null ? orders : splits).set(wish.number, order);
      orderOfOid.set(placed.leg.oid, order);
    }
  }
  return { orders, splits, guards, made };
}

function isGuard({ part }: Wish): boolean {
  return part?.as === "stop" || part?.as === "profit";
}

/** Whose an order at the exchange is, by what it says. */
export type WishOf = (request: Asked) => Wish | undefined;
type Asked = Pick<OrderRequest, "a" | "p" | "r" | "t" | "c">;

type Placed = { request: OrderRequest; replaces: number | null; leg: TrueLeg | null };

/** What an action has placed, one for each of its orders. */
export function placedBy({ input, reply, isAdmitted, namedOids }: Execution): Placed[] {
  const { action } = input;
  if (!isAdmitted || (action.type !== "order" && action.type !== "batchModify")) return [];
  const asked =
    action.type === "order"
      ? action.orders.map((request) => ({ request, replaces: null }))
      : action.modifies.map(({ oid, order: request }) => ({ request, replaces: Number(oid) }));
  return asked.map(({ request, replaces }, index) => {
    const oid = oidIn(reply, { index, namedOid: namedOids[index] ?? null });
    const { c: cloid, s, p: price, a: asset } = request;
    return { request, replaces, leg: oid === null ? null : { oid, cloid, size: units(s), price, asset } };
  });
}

function oidIn(
  reply: Execution["reply"],
  { index, namedOid }: { index: number; namedOid: number | null },
): number | null {
  if (reply.status !== "ok" || reply.response.type !== "order") return null;
  const { statuses } = reply.response.data;
  // One error may stand for all.
  const status = statuses.length === 1 ? statuses[0] : statuses[index];
  if (status === undefined) throw new Error("bug: an answer without a status");
  // Some answers to triggers name no id.
  if (typeof status === "string") return namedOid;
  if ("resting" in status) return status.resting.oid;
  return "filled" in status ? status.filled.oid : null;
}

/** The exchange wrote the cancel at the very moment of this action, on an order that had been live before it. */
function wasCanceledBy(venue: Venue, owner: string, oid: number, execution: Execution): boolean {
  if (!execution.liveBefore.includes(oid)) return false;
  const record = venue.record(owner, oid);
  return record !== null && record.status === "canceled" && record.statusTimestampMs === execution.atMs;
}

/** Plain, and so shortly before that nobody who only sees the exchange's answers can tell it from the modify's own. */
function wasCanceledJustBefore(venue: Venue, owner: string, oid: number, execution: Execution): boolean {
  const record = venue.record(owner, oid);
  return record?.status === "canceled" && record.statusTimestampMs >= execution.nonce - CLOCK_ERROR_MS;
}

const CLOCK_ERROR_MS = 2_000;

/** The market of every order of which its wish says no other, by the engine's own count. */
const ASSET = 0;

/** A part of it stands in another market: it was signed for a place in the list where that is now. */
export function isMisplaced({ wish, legs }: TrueOrder): boolean {
  return legs.some(({ asset }) => asset !== (wish.asset ?? ASSET));
}

/** Numbers of spot markets, as they are signed. */
const SPOT = { from: 10_000, until: 100_000 };

export function isSpotAsset(asset: number): boolean {
  return asset >= SPOT.from && asset < SPOT.until;
}

/** What cannot make a position larger: below zero there is nothing on spot, and what is sold there brings cash. */
export function onlyReduces({ a: asset, b: isBuy, r: reduceOnly }: Pick<OrderRequest, "a" | "b" | "r">): boolean {
  return reduceOnly || (isSpotAsset(asset) && !isBuy);
}

const SCALE = 8;

/** Decimal text in 10^-8. */
export function units(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole) * 10n ** BigInt(SCALE) + BigInt(fraction.padEnd(SCALE, "0").slice(0, SCALE));
}

/** 10^-8 as decimal text without trailing zeros. */
export function decimalText(value: bigint): string {
  const digits = value.toString().padStart(SCALE + 1, "0");
  const fraction = digits.slice(-SCALE).replace(/0+$/, "");
  return fraction === "" ? digits.slice(0, -SCALE) : `${digits.slice(0, -SCALE)}.${fraction}`;
}

/** An order as a `GET` has to show it. */
export type Expected = {
  status: string;
  exchange_order_id: string | null;
  filled_size: string | null;
  average_price: string | null;
  size: string | null;
  /** The exchange refused the newest of several legs after it had taken it. */
  isLastRefused: boolean;
};

export const NEVER_PLACED: Expected = {
  status: "rejected",
  exchange_order_id: null,
  filled_size: null,
  average_price: null,
  size: null,
  isLastRefused: false,
};

export function expectedOf(venue: Venue, owner: string, order: TrueOrder): Expected {
  const last = order.legs.at(-1);
  if (last === undefined) throw new Error("bug: an order without an exchange order");
  const fills = new Map(order.legs.map(({ oid }) => [oid, venue.fillsOf(owner).filter((fill) => fill.oid === oid)]));
  const all = [...fills.values()].flat();
  const size = sizeOf(all);
  const notional = all.reduce((sum, fill) => sum + fill.price * fill.size, 0n);
  const before = order.legs.slice(0, -1).flatMap(({ oid }) => fills.get(oid) ?? []);
  return {
    status: statusOf(venue, owner, { order, last, filled: sizeOf(fills.get(last.oid) ?? []) }),
    exchange_order_id: String(last.oid),
    filled_size: decimalText(size),
    // Both are in 10^-8, so the quotient is as well; whole division cuts.
    average_price: size === 0n ? null : decimalText(notional / size),
    size: decimalText(sizeOf(before) + last.size),
    isLastRefused: order.legs.length > 1 && venue.record(owner, last.oid)?.status.endsWith("Rejected") === true,
  };
}

function sizeOf(fills: readonly VenueFill[]): bigint {
  return fills.reduce((sum, fill) => sum + fill.size, 0n);
}

type Closing = { order: TrueOrder; last: TrueLeg; filled: bigint };

function statusOf(venue: Venue, owner: string, { order, last, filled }: Closing): string {
  if (venue.isLive(last.oid)) {
    const record = venue.record(owner, last.oid);
    return record?.order.trigger === null || record?.order.isTriggered === true ? "open" : "waiting_for_trigger";
  }
  if (filled >= last.size) return "filled";
  const status = venue.record(owner, last.oid)?.status ?? "";
  return status.endsWith("Rejected") && order.legs.length === 1 ? "rejected" : "canceled";
}
