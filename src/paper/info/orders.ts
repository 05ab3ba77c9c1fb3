/** openOrders, frontendOpenOrders, orderStatus, historicalOrders. */
import type { OrderSnapshot, Venue, VenueAccount, VenueOrder, VenueOrderRecord } from "../engine/state.ts";
import { address, cloid, either, optional, required, text, u64 } from "../exchange/decode.ts";
import { engineId } from "../exchange/reader.ts";
import { basicOrder, frontendOrder } from "./order-shapes.ts";
import { accountOf, dexIndex, infoRequest, type ReadContext } from "./request.ts";

/** Rows of one answer of `historicalOrders`. */
const MAX_HISTORY_ROWS = 2_000;

export const openOrders = infoRequest({ user: required(address), dex: optional(text) }, (context, { user, dex }) =>
  liveOrders(context, user, dex).map((order) => basicOrder({ ...order, children: [] })),
);

export const frontendOpenOrders = infoRequest(
  { user: required(address), dex: optional(text) },
  (context, { user, dex }) => frontendOrders(context, user, dex),
);

/** Children of an unfilled parent sit in its `children`, not in the list. */
export function frontendOrders(context: ReadContext, user: string, dex: string | undefined): unknown[] {
  return liveOrders(context, user, dex)
    .filter((order) => order.phase !== "waitingForFill")
    .map((order) => frontendOrder(withChildren(context.venue, order)));
}

export const orderStatus = infoRequest(
  { user: required(address), oid: required(either(u64, cloid)) },
  (context, { user, oid }) => {
    const account = accountOf(context, user);
    const record = account === null ? undefined : recordOf(account, oid);
    if (record === undefined) return { status: "unknownOid" };
    return { status: "order", order: recordRow(record) };
  },
);

export const historicalOrders = infoRequest({ user: required(address) }, (context, { user }) =>
  historyRows(accountOf(context, user)),
);

/** Newest first. */
export function historyRows(account: VenueAccount | null): unknown[] {
  const rows = account?.history.slice(-MAX_HISTORY_ROWS) ?? [];
  return rows.reverse().map(recordRow);
}

export function recordRow(record: VenueOrderRecord): unknown {
  return {
    order: frontendOrder(record.order),
    status: record.status,
    statusTimestamp: record.statusTimestampMs,
  };
}

function recordOf(account: VenueAccount, id: bigint | string): VenueOrderRecord | undefined {
  const oid = typeof id === "bigint" ? engineId(id) : account.cloids.get(id);
  return oid === undefined ? undefined : account.records.get(oid);
}

/** Newest first. Spot orders come with the validator dex. */
function liveOrders(context: ReadContext, user: string, dex: string | undefined): VenueOrder[] {
  const { venue } = context;
  const index = dexIndex(venue, dex);
  const oids = [...(venue.accounts.get(user)?.openOids ?? [])].reverse();
  return oids.flatMap((oid) => {
    const order = venue.orders.get(oid);
    const market = order === undefined ? undefined : venue.markets.get(order.asset);
    if (order === undefined || market === undefined) return [];
    return (market.kind === "spot" ? 0 : market.dex) === index ? [order] : [];
  });
}

function withChildren(venue: Venue, order: VenueOrder): OrderSnapshot {
  const children = order.childOids.flatMap((oid) => {
    const child = venue.orders.get(oid);
    return child?.phase === "waitingForFill" ? [withChildren(venue, child)] : [];
  });
  return { ...order, children };
}
