/** userFills, userFillsByTime and the slice fills of TWAPs. */
import type { VenueFill } from "../engine/state.ts";
import { address, boolean, optional, required, u64 } from "../exchange/decode.ts";
import { fillRow } from "./fill-shapes.ts";
import { accountOf, infoRequest, type ReadContext } from "./request.ts";

/** Rows of one answer. */
const MAX_ROWS = 2_000;
/** Newest fills of an account that can be reached at all. */
const MAX_REACHABLE = 10_000;

export const userFills = infoRequest(
  { user: required(address), aggregateByTime: optional(boolean) },
  (context, { user, aggregateByTime }) => newestFills(context, user, aggregateByTime ?? false),
);

export function newestFills(context: ReadContext, user: string, aggregate: boolean): unknown[] {
  const fills = reachable(context, user);
  return (aggregate ? aggregated(fills) : fills).slice(-MAX_ROWS).reverse().map(fillRow);
}

/** Oldest first and cut at its end, so that a client pages forward from the last time that it saw. */
export const userFillsByTime = infoRequest(
  {
    user: required(address),
    startTime: required(u64),
    endTime: optional(u64),
    aggregateByTime: optional(boolean),
    reversed: optional(boolean),
  },
  (context, { user, startTime, endTime, aggregateByTime, reversed }) => {
    const fills = within(reachable(context, user), startTime, endTime);
    const rows = aggregateByTime ? aggregated(fills) : fills;
    return (reversed ? [...rows].reverse() : rows).slice(0, MAX_ROWS).map(fillRow);
  },
);

export const userTwapSliceFills = infoRequest({ user: required(address) }, (context, { user }) =>
  newestSlices(context, user),
);

export function newestSlices(context: ReadContext, user: string): unknown[] {
  return sliceRows(reachable(context, user)).slice(-MAX_ROWS).reverse();
}

export const userTwapSliceFillsByTime = infoRequest(
  { user: required(address), startTime: required(u64), endTime: optional(u64), aggregateByTime: optional(boolean) },
  (context, { user, startTime, endTime }) =>
    sliceRows(within(reachable(context, user), startTime, endTime)).slice(0, MAX_ROWS),
);

export function sliceRows(fills: readonly VenueFill[]): unknown[] {
  return fills.filter((fill) => fill.twapId !== null).map((fill) => ({ fill: fillRow(fill), twapId: fill.twapId }));
}

function reachable(context: ReadContext, user: string): VenueFill[] {
  return accountOf(context, user)?.fills.slice(-MAX_REACHABLE) ?? [];
}

function within(fills: readonly VenueFill[], startMs: bigint, endMs: bigint | undefined): VenueFill[] {
  return fills.filter(({ timeMs }) => timeMs >= startMs && (endMs === undefined || timeMs <= endMs));
}

/** Joins the partial fills of one crossing order, which have the same time and hash, into one row. */
export function aggregated(fills: readonly VenueFill[]): VenueFill[] {
  const joined: VenueFill[] = [];
  for (const fill of fills) {
    const last = joined.at(-1);
    if (last === undefined || !fill.crossed || !isSameCrossing(last, fill)) joined.push(fill);
    else joined[joined.length - 1] = joinFills(last, fill);
  }
  return joined;
}

function isSameCrossing(a: VenueFill, b: VenueFill): boolean {
  return a.crossed && a.oid === b.oid && a.timeMs === b.timeMs && a.hash === b.hash;
}

/** Price is the average, cut to the 8 decimals of the state. */
function joinFills(a: VenueFill, b: VenueFill): VenueFill {
  const size = a.size + b.size;
  return {
    ...a,
    size,
    price: size === 0n ? a.price : (a.price * a.size + b.price * b.size) / size,
    closedPnl: a.closedPnl + b.closedPnl,
    fee: a.fee + b.fee,
    builderFee: a.builderFee === null ? b.builderFee : a.builderFee + (b.builderFee ?? 0n),
  };
}
