import type { Account } from "../core/account.ts";
import { add, compare, multiply, subtract, ZERO } from "../core/decimal.ts";
import { averagePrice } from "../core/market.ts";
import { type Filled, isClosed, isSaidOver, type Leg, type Order, type OrderStatus } from "../core/order.ts";
import type { Deps } from "../deps.ts";
import { completes, readFillsSince, sumFills } from "../settle/fill-pages.ts";
import { shownListed } from "../settle/shown.ts";
import { nameUnnamed } from "../settle/unnamed.ts";
import { findLegByOid } from "../store/legs.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import type { FrontendOrder } from "../wire/answer/order-status.ts";
import { couldNotAsk } from "./not-asked.ts";
import { describeOutside, legShown } from "./outside-order.ts";
import { type OpenList, openRows, unlistedOrders } from "./unlisted-orders.ts";

export type OpenOrder = Order & { exchangeOrderId: string };

export type OpenOrdersWanted = {
  /** Null for all dexes, `""` for the native one and spot. */
  dex: string | null;
  /** Only those with a smaller native id; null for all. */
  below: bigint | null;
  count: number;
};

export type OpenOrders = {
  orders: OpenOrder[];
  /** Of the oldest among them that are shown as last known, unix milliseconds; null where the exchange showed them all. */
  asOfMs: number | null;
};

/**
 * Resting and untriggered orders of an account as the exchange shows them now, by native id descending, those placed
 * elsewhere included. A list that lacks an order of ours may only be late: it is there as well, as last known, unless
 * something says that it is over. Throws `exchange_unreachable` when the exchange cannot be asked.
 */
export async function listOpenOrders(deps: Deps, account: Account, wanted: OpenOrdersWanted): Promise<OpenOrders> {
  const { dex, below, count } = wanted;
  const dexes = dex === null ? ["", ...deps.settings.dexes] : [dex];
  const read = await Promise.all(dexes.map((each) => readOpen(deps, account, each)));
  const lists = read.map((list) => ({ ...list, rows: openRows(deps, account, list.dex) }));
  const open = new Map(lists.flatMap(({ rows }) => rows.map((stored) => [stored.exchangeOrderId, stored] as const)));
  const unlisted = await unlistedOrders(deps, account, lists);
  const rows = [...lists.flatMap(({ listed }) => listed.map((order) => ({ oid: order.oid, order }))), ...unlisted]
    .map((row) => ({ ...row, id: BigInt(row.oid) }))
    .filter(({ id }) => below === null || id < below)
    .sort((a, b) => (b.id > a.id ? 1 : -1));
  const owns = new Map<string, Own | null>();
  const shown = firstOf(rows, count, (row) => {
    if (!("order" in row)) return true;
    const stored = open.get(row.oid);
    const own = stored === undefined ? ownOf(deps, account, row.oid) : { leg: null, stored };
    owns.set(row.oid, own);
    return own === null ? !isUnnamedOver(deps, account, row.order) : !isKnownToBeOver(own, row.oid);
  });
  const listed = shown.flatMap((row) => ("order" in row ? [row.order] : []));
  const begun = listed.filter((order) => order.size !== order.originalSize);
  const filled = await readFilledOf(deps, account, begun);
  const orders = shown.map((row) =>
    "order" in row
      ? describe(deps, account, { ...row, own: owns.get(row.oid) ?? null, filled: filled.get(row.oid) ?? NOTHING })
      : row.stored,
  );
  const times = shown.flatMap((row) => ("asOfMs" in row && row.asOfMs !== null ? [row.asOfMs] : []));
  return { orders, asOfMs: times.length === 0 ? null : Math.min(...times) };
}

/** The first that pass; no more are looked at: the exchange may show thousands. */
function firstOf<T>(rows: readonly T[], count: number, passes: (row: T) => boolean): T[] {
  const found: T[] = [];
  for (const row of rows) {
    if (found.length >= count) break;
    if (passes(row)) found.push(row);
  }
  return found;
}

/** What we have of an order that the list shows; no leg of one that is open by its row, under this very id. */
type Own = { leg: Leg | null; stored: StoredOrder };

function ownOf({ store }: Deps, account: Account, oid: string): Own | null {
  const leg = findLegByOid(store, account.id, oid);
  const stored = leg === null ? null : findOrder(store, leg.orderId);
  return leg === null || stored === null ? null : { leg, stored };
}

/** A list that is behind shows what our own evidence says has ended, or was replaced. */
function isKnownToBeOver({ leg, stored }: Own, oid: string): boolean {
  if (leg === null) return false;
  if (isClosed(leg) || isSaidOver(leg)) return true;
  return stored.exchangeOrderId !== null && stored.exchangeOrderId !== oid;
}

/** A cancel by client order id closes what the exchange has never named: the list shows it with a native id. */
function isUnnamedOver(deps: Deps, account: Account, shown: FrontendOrder): boolean {
  const leg = legShown(deps, account, shown)?.leg ?? null;
  return leg?.oid === null && leg.state === "closing";
}

const NOTHING = sumFills([]);

async function readOpen(deps: Deps, { id, tradingAddress }: Account, dex: string): Promise<OpenList> {
  const read = await deps.reads.openOrders(tradingAddress, dex, "read");
  if (read.kind === "failed") throw couldNotAsk(deps, "for the open orders", read);
  deps.feeds.showed(tradingAddress, shownListed(read.value));
  nameUnnamed(deps, id, read.value);
  return { dex, listed: read.value };
}

/** Fills of the orders that have begun to fill, by native id: sizes left are never taken for sizes filled. */
async function readFilledOf(
  deps: Deps,
  account: Account,
  begun: readonly FrontendOrder[],
): Promise<ReadonlyMap<string, Filled>> {
  if (begun.length === 0) return new Map();
  const sinceMs = Math.min(...begun.map((order) => order.timestampMs));
  const asked = { user: account.tradingAddress, sinceMs, isEnough: completes(begun) };
  const fills = await readFillsSince(deps, asked, { purpose: "read" });
  if (fills === "failed") throw couldNotAsk(deps, "for the open orders", { isOurBudget: false });
  const byOid = Map.groupBy(fills, ({ oid }) => oid);
  return new Map(begun.map(({ oid }) => [oid, sumFills(byOid.get(oid) ?? [])]));
}

function describe(
  deps: Deps,
  account: Account,
  { order, own, filled }: { order: FrontendOrder; own: Own | null; filled: Filled },
): OpenOrder {
  if (own !== null) return refreshed(deps, own, { order, filled });
  return describeOutside(deps, account, { order, status: "open", statusTimestampMs: order.timestampMs, filled });
}

/** Our own row with what the exchange shows of it now: listing writes nothing, and no fill is taken back. */
function refreshed(
  { store }: Deps,
  { leg, stored }: Own,
  { order, filled }: { order: FrontendOrder; filled: Filled },
): OpenOrder {
  // A trigger fires once.
  const hasFired = stored.status === "open" || leg?.state === "resting";
  const isWaiting = order.isTrigger && !hasFired;
  const status: OrderStatus = isWaiting ? "waiting_for_trigger" : "open";
  // Of an order that is open only an alarm has words.
  const error = stored.status === "open" || stored.status === "waiting_for_trigger" ? stored.error : null;
  const isBegun = compare(filled.size, ZERO) > 0;
  const filledLeg = isBegun ? (leg ?? findLegByOid(store, stored.accountId, order.oid)) : null;
  return { ...stored, ...withNewFills(stored, filledLeg, filled), status, exchangeOrderId: order.oid, error };
}

/** The row's sum is over all its legs; only the last is listed, and may have fills that the row does not know yet. */
function withNewFills(
  stored: StoredOrder,
  leg: Leg | null,
  filled: Filled,
): Pick<Order, "filledSize" | "averagePrice"> {
  const filledSize = stored.filledSize ?? ZERO;
  const newSize = subtract(filled.size, leg?.filledSize ?? ZERO);
  if (compare(newSize, ZERO) <= 0) return { filledSize, averagePrice: stored.averagePrice };
  const newNotional = subtract(filled.notional, leg?.filledNotional ?? ZERO);
  const size = add(filledSize, newSize);
  const notional = add(multiply(stored.averagePrice ?? ZERO, filledSize), newNotional);
  return { filledSize: size, averagePrice: averagePrice(notional, size) };
}
