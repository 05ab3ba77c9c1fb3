/** Channels about one user. None of them says more than the user's own reads would. */
import type { VenueEvent } from "../engine/event.ts";
import type { VenueFill, VenueFundingPayment } from "../engine/state.ts";
import { address, boolean, optional, required, text } from "../exchange/decode.ts";
import { activeAssetOf } from "../info/active-asset-data.ts";
import { clearinghouseOf } from "../info/clearinghouse-state.ts";
import { fillRow } from "../info/fill-shapes.ts";
import { aggregated, newestFills, newestSlices, sliceRows } from "../info/fills.ts";
import { fundingDelta, ledgerRow } from "../info/ledger.ts";
import { numberText } from "../info/number-format.ts";
import { basicOrder } from "../info/order-shapes.ts";
import { frontendOrders, historyRows, recordRow } from "../info/orders.ts";
import { accountOf, dexIndex, type ReadContext } from "../info/request.ts";
import { spotStateOf } from "../info/spot-state.ts";
import { runningTwaps, twapHistoryRow, twapHistoryRows } from "../info/twaps.ts";
import { webData2Of, webData3Of } from "../info/web-data.ts";
import { channel, isDex, type OfDex, periodic } from "./channel.ts";
import { userEvents } from "./user-events.ts";

/** Rows of the snapshots of ledger and funding. */
const MAX_SNAPSHOT_ROWS = 500;

const User = { user: required(address) };
const UserOfDex = { user: required(address), dex: optional(text) };
type OfUser = { readonly user: string };
type Events = readonly VenueEvent[];

/** Rows picked from the events; null, so that nothing is sent, when there are none. */
function rowsFrom<T>(events: Events, pick: (event: VenueEvent) => T | null): T[] | null {
  const rows = events.flatMap((event) => pick(event) ?? []);
  // `flatMap` opens arrays, and no row is one.
  return rows.length === 0 ? null : (rows as T[]);
}

function orderUpdates(_context: ReadContext, { user }: OfUser, events: Events): unknown[] {
  const updates = rowsFrom(events, (event) =>
    event.kind === "order" && event.user === user
      ? { order: basicOrder(event.order), status: event.status, statusTimestamp: event.statusTimestampMs }
      : null,
  );
  return updates === null ? [] : [updates];
}

function fillsOf(events: Events, user: string): VenueFill[] {
  return rowsFrom(events, (event) => (event.kind === "fill" && event.user === user ? event.fill : null)) ?? [];
}

/** What the exchange's page pops up. */
function notifications(_context: ReadContext, { user }: OfUser, events: Events): unknown[] {
  return fillsOf(events, user)
    .filter((fill) => !fill.crossed)
    .map(({ isBuy, size, coin, price }) => {
      const deed = `${isBuy ? "Bought" : "Sold"} ${wholeOrDecimal(size)} ${coin} at $${wholeOrDecimal(price)}`;
      return { notification: `Resting order filled: ${deed}` };
    });
}

function wholeOrDecimal(value: bigint): string {
  return numberText(value).replace(/\.0$/, "");
}

function orderHistory(_context: ReadContext, { user }: OfUser, events: Events): unknown[] {
  const rows = rowsFrom(events, (event) =>
    event.kind === "order" && event.user === user
      ? recordRow({ order: event.order, status: event.status, statusTimestampMs: event.statusTimestampMs })
      : null,
  );
  return rows === null ? [] : [{ user, orderHistory: rows }];
}

/** Flat, unlike the rows of `userFunding`. */
function streamFunding(payment: VenueFundingPayment): Record<string, unknown> {
  return { time: payment.timeMs, ...fundingDelta(payment), nSamples: null };
}

function fundings(_context: ReadContext, { user }: OfUser, events: Events): unknown[] {
  const rows = rowsFrom(events, (event) =>
    event.kind === "funding" && event.user === user ? streamFunding(event.payment) : null,
  );
  return rows === null ? [] : [{ user, fundings: rows }];
}

function ledger(_context: ReadContext, { user }: OfUser, events: Events): unknown[] {
  const rows = rowsFrom(events, (event) =>
    event.kind === "ledger" && event.user === user ? ledgerRow(event.row) : null,
  );
  return rows === null ? [] : [{ user, nonFundingLedgerUpdates: rows }];
}

function twapRows(_context: ReadContext, { user }: OfUser, events: Events): unknown[] {
  const rows = rowsFrom(events, (event) =>
    event.kind === "twap" && event.user === user ? twapHistoryRow(event.row) : null,
  );
  return rows === null ? [] : [{ user, history: rows }];
}

function clearinghouse({ venue, nowMs }: ReadContext, { user, dex }: OfUser & OfDex): unknown {
  const state = clearinghouseOf(venue, { user, dex: dexIndex(venue, dex) ?? 0, nowMs });
  return { dex: dex ?? "", user, clearinghouseState: state };
}

function everyClearinghouse({ venue, nowMs }: ReadContext, { user }: OfUser): unknown {
  const states = venue.dexes.map((dex) => [dex.name, clearinghouseOf(venue, { user, dex: dex.index, nowMs })]);
  return { user, clearinghouseStates: states };
}

/** `orderUpdates`, `userEvents` and `notification` have no snapshot: who reconnects must read what was missed. */
export const userChannels = {
  orderUpdates: channel(User, { channel: "orderUpdates", onEvents: orderUpdates }),
  userEvents: channel(User, {
    channel: "user",
    onEvents: (_context, { user }, events) => userEvents(events, user),
  }),
  notification: channel(User, { channel: "notification", onEvents: notifications }),
  userFills: channel(
    { user: required(address), aggregateByTime: optional(boolean) },
    {
      channel: "userFills",
      snapshot: (context, { user, aggregateByTime }) => [
        { user, fills: newestFills(context, user, aggregateByTime ?? false), isSnapshot: true },
      ],
      onEvents: (_context, { user, aggregateByTime }, events) => {
        const fills = fillsOf(events, user);
        if (fills.length === 0) return [];
        return [{ user, fills: (aggregateByTime ? aggregated(fills) : fills).map(fillRow) }];
      },
    },
  ),
  userFundings: channel(User, {
    channel: "userFundings",
    snapshot: (context, { user }) => {
      const rows = accountOf(context, user)?.fundings.slice(-MAX_SNAPSHOT_ROWS) ?? [];
      return [{ user, fundings: rows.map(streamFunding), isSnapshot: true }];
    },
    onEvents: fundings,
  }),
  userNonFundingLedgerUpdates: channel(User, {
    channel: "userNonFundingLedgerUpdates",
    snapshot: (context, { user }) => {
      const rows = accountOf(context, user)?.ledger.slice(-MAX_SNAPSHOT_ROWS) ?? [];
      return [{ user, nonFundingLedgerUpdates: rows.map(ledgerRow), isSnapshot: true }];
    },
    onEvents: ledger,
  }),
  userHistoricalOrders: channel(User, {
    channel: "userHistoricalOrders",
    snapshot: (context, { user }) => [{ user, orderHistory: historyRows(accountOf(context, user)), isSnapshot: true }],
    onEvents: orderHistory,
  }),
  userTwapSliceFills: channel(User, {
    channel: "userTwapSliceFills",
    snapshot: (context, { user }) => [{ user, twapSliceFills: newestSlices(context, user), isSnapshot: true }],
    onEvents: (_context, { user }, events) => {
      const slices = sliceRows(fillsOf(events, user));
      return slices.length === 0 ? [] : [{ user, twapSliceFills: slices }];
    },
  }),
  userTwapHistory: channel(User, {
    channel: "userTwapHistory",
    snapshot: (context, { user }) => [{ user, history: twapHistoryRows(context, user), isSnapshot: true }],
    onEvents: twapRows,
  }),
  twapStates: channel(UserOfDex, {
    ...periodic("twapStates", ({ venue }: ReadContext, { user, dex }: OfUser & OfDex) => ({
      dex: dex ?? "",
      user,
      states: runningTwaps(venue, user, dex),
    })),
    isValid: isDex,
  }),
  clearinghouseState: channel(UserOfDex, { ...periodic("clearinghouseState", clearinghouse), isValid: isDex }),
  allDexsClearinghouseState: channel(User, periodic("allDexsClearinghouseState", everyClearinghouse)),
  openOrders: channel(UserOfDex, {
    ...periodic("openOrders", (context: ReadContext, { user, dex }: OfUser & OfDex) => ({
      dex: dex ?? "",
      user,
      orders: frontendOrders(context, user, dex),
    })),
    isValid: isDex,
  }),
  spotState: channel(
    { user: required(address), ignorePortfolioMargin: optional(boolean) },
    periodic("spotState", (context: ReadContext, { user }: OfUser) => ({
      user,
      spotState: spotStateOf(context.venue, accountOf(context, user)),
    })),
  ),
  activeAssetData: channel(
    { user: required(address), coin: required(text) },
    {
      ...periodic("activeAssetData", ({ venue }: ReadContext, { user, coin }: OfUser & { readonly coin: string }) =>
        activeAssetOf(venue, user, coin),
      ),
      isValid: ({ venue }, { user, coin }) => activeAssetOf(venue, user, coin) !== null,
    },
  ),
  webData2: channel(
    User,
    periodic("webData2", (context: ReadContext, { user }: OfUser) => webData2Of(context, user)),
  ),
  webData3: channel(
    User,
    periodic("webData3", (context: ReadContext, { user }: OfUser) => webData3Of(context, user)),
  ),
};
