/** Whether balances hold back what open orders of ours on spot do, one of which was placed a moment ago. */
import type { Account } from "../../core/account.ts";
import { compare, type Decimal, decimal, multiply, subtract, sum, ZERO } from "../../core/decimal.ts";
import type { ShownState } from "../../core/mark.ts";
import { dexOf, isSpot, type Universe } from "../../core/market.ts";
import type { Side } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { listNewOrders, type NewOrder } from "../../store/new-orders.ts";
import type { Store } from "../../store/open.ts";
import { listLiveOrders } from "../../store/orders.ts";
import { listShownBalances } from "../../store/shown-balances.ts";
import { listToldHolds, noteToldHold, type ToldHold } from "../../store/told-holds.ts";
import type { AccountMode, SpotBalance } from "../../wire/answer/account.ts";
import { tokensOf } from "./balance-check.ts";
import { tokenOfDex } from "./dex-token.ts";
import { momentsNow } from "./moments-now.ts";

type ToHold = With<"clock" | "exchange" | "picture" | "settings" | "store">;
type HoldsShown = Pick<ShownState, "heard"> & {
  universe: Universe;
  mode: AccountMode;
  balances: readonly SpotBalance[];
  /** Orders that were placed longer ago every server has, milliseconds. */
  withinMs: number;
};

type HoldingOrder = {
  id: string;
  market: string;
  side: Side;
  status: string;
  size: string;
  price: string;
  filledSize: Decimal | null;
};
type HeldBack<Order> = { token: string; amount: Decimal; order: Order };

/** What holds back is worked out by the exchange with less decimals than ours. */
const NEARLY_ALL = decimal("0.999999");
/** Prices move between two readings, and what they move by is held back for positions. */
const NEARLY_ALL_OF_MARGIN = decimal("0.98");
/** Open orders of an account that are added up. */
const MAX_LIVE = 200;

/**
 * Orders whose money is told not to be held back. What was read has to hold back that of every open one, beside the margin of positions where
 * one balance stands behind all: older ones that lack have been traded or canceled, which a look at them tells. Orders that were placed elsewhere hold
 * back as well, and would make up for one of ours that is missing: what was told when ours came to less is of before. What a feed tells is doubted only
 * where its total stood there before the new ones. What is not doubted is remembered.
 */
export function ordersNotHeld(world: ToHold, account: Account, shown: HoldsShown): string[] {
  const { clock, store } = world;
  const now = { elapsedMs: clock.elapsedMs(), wallMs: clock.nowMs() };
  const news = heldBy(listNewOrders(store, account.id, shown.withinMs, now), shown.universe);
  const isRead = shown.heard === null;
  if (news.length === 0 && !isRead) return [];
  const all = isRead ? heldBy<HoldingOrder>(listLiveOrders(store, account.id, MAX_LIVE), shown.universe) : news;
  const missing = missingOf(world, account, { shown, news, all });
  if (isRead && missing.length === 0) noteHolds(store, account.id, { shown, all });
  return missing;
}

type HeldOrders = { shown: HoldsShown; news: readonly HeldBack<NewOrder>[]; all: readonly HeldBack<HoldingOrder>[] };

function missingOf(world: ToHold, account: Account, { shown, news, all }: HeldOrders): string[] {
  const isRead = shown.heard === null;
  return [...Map.groupBy(news, ({ token }) => token)].flatMap(([token, ofToken]) => {
    const balance = shown.balances.find(({ coin }) => coin === token) ?? { hold: ZERO, total: ZERO };
    const holding = all.filter((held) => held.token === token);
    const own = sum(holding.map(({ amount }) => amount));
    const least = multiply(own, NEARLY_ALL);
    const margin = isRead && shown.mode === "unified" ? marginIn(world, account, token) : ZERO;
    const isWhole = compare(subtract(balance.hold, multiply(margin, NEARLY_ALL_OF_MARGIN)), least) >= 0;
    if (isWhole && !(isRead && wasToldBefore(world.store, account.id, { token, hold: balance.hold, own }))) return [];
    if (!isRead && !stoodBefore(world, account, { token, total: balance.total, news: ofToken })) return [];
    return holding.map(({ order }) => order.id);
  });
}

/** Whether just that was held back when our own orders came to less. */
function wasToldBefore(store: Store, accountId: string, { token, hold, own }: ToldHold): boolean {
  return listToldHolds(store, accountId).some(
    (told) => told.token === token && told.hold === hold && compare(told.own, own) < 0,
  );
}

function noteHolds(store: Store, accountId: string, { shown, all }: Pick<HeldOrders, "shown" | "all">): void {
  for (const { coin: token, hold } of shown.balances) {
    const own = sum(all.filter((held) => held.token === token).map(({ amount }) => amount));
    noteToldHold(store, accountId, { token, hold, own });
  }
}

/** Whether the total stood there before the newest of them was placed: one that is another may be of after they were traded. */
function stoodBefore(
  world: ToHold,
  { id }: Account,
  { token, total, news }: { token: string; total: Decimal; news: readonly HeldBack<NewOrder>[] },
): boolean {
  const placedMs = momentsNow(world).ofMonotonic(Math.max(...news.map(({ order }) => order.takenElapsedMs)));
  return listShownBalances(world.store, id).some(
    ({ totals, firstMs }) => firstMs < placedMs && (totals.get(token) ?? ZERO) === total,
  );
}

/** Of a purchase what it would pay, of a sale what it sells. */
function heldBy<Order extends HoldingOrder>(orders: readonly Order[], universe: Universe): HeldBack<Order>[] {
  return orders.flatMap((order) => {
    const { market, side, status, size, price, filledSize } = order;
    if (!isSpot(market) || status !== "open") return [];
    const [base, quote] = tokensOf(universe, market);
    const left = subtract(decimal(size), filledSize ?? ZERO);
    const token = side === "buy" ? quote : base;
    return token === undefined
      ? []
      : [{ token, amount: side === "buy" ? multiply(left, decimal(price)) : left, order }];
  });
}

/** Margin of cross positions of which it is known that it is held out of this token. */
function marginIn({ picture, settings, store }: ToHold, { id, tradingAddress }: Account, token: string): Decimal {
  const positions = ["", ...settings.dexes].flatMap((dex) => picture.state(tradingAddress, dex)?.value.positions ?? []);
  const cross = positions.filter(
    ({ coin, leverage }) => leverage.type === "cross" && tokenOfDex(store, id, dexOf(coin)) === token,
  );
  return sum(cross.map(({ marginUsed }) => marginUsed));
}
