/** Whether balances hold back what open orders of ours on spot do, one of which was placed a moment ago. */
import type { Account } from "../../core/account.ts";
import { absolute, compare, type Decimal, decimal, multiply, subtract, sum, ZERO } from "../../core/decimal.ts";
import type { ShownState } from "../../core/mark.ts";
import { dexOf, isSpot, type Universe } from "../../core/market.ts";
import type { Side } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf, listOpenAttempts } from "../../store/attempts.ts";
import { type HeldChange, type HeldPart, type HoldingOrder, listHeldChanges } from "../../store/held-changes.ts";
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

type HeldBack<Order> = { token: string; amount: Decimal; order: Order };

/** What holds back is worked out by the exchange with less decimals than ours. */
const NEARLY_ALL = decimal("0.999999");
/** By so much two amounts may differ that the exchange has rounded. */
const ROUNDED = decimal("0.00001");
/** Prices move between two readings, and what they move by is held back for positions. */
const NEARLY_ALL_OF_MARGIN = decimal("0.98");
/** Open orders of an account that are added up. */
const MAX_LIVE = 200;

/**
 * Orders whose money is told not to be held back, if it is; null where what was read may be of now. It has to hold back that of every open one, beside the
 * margin of positions where one balance stands behind all: older ones that lack have been traded or canceled, which a look at them tells. Orders that were
 * placed elsewhere hold back as well, and would make up for one of ours that is missing: where what these were told to hold fits what ours came to before
 * one of the last changes of them, and not what they come to now, it is of before that change. What a feed tells is doubted only where its total stood
 * there before the new ones. What is not doubted is remembered, but for what was read while something of ours was on its way.
 */
export function ordersNotHeld(world: ToHold, account: Account, shown: HoldsShown): string[] | null {
  const { clock, store } = world;
  const now = { elapsedMs: clock.elapsedMs(), wallMs: clock.nowMs() };
  const { universe, withinMs } = shown;
  const news = heldBy(listNewOrders(store, account.id, withinMs, now), universe);
  const isRead = shown.heard === null;
  if (news.length === 0 && !isRead) return null;
  const all = isRead ? heldBy<HoldingOrder>(listLiveOrders(store, account.id, MAX_LIVE), universe) : news;
  const changes = isRead ? heldChanges(listHeldChanges(store, account.id), universe) : [];
  const missing = missingOf(world, account, { shown, news, all, changes, sinceElapsedMs: now.elapsedMs - withinMs });
  // While something is on its way nobody knows what of what is held is ours.
  if (isRead && missing === null && !isAnythingUnsettled(store, account.id))
    noteHolds(world, account.id, { shown, all });
  return missing;
}

function isAnythingUnsettled(store: Store, accountId: string): boolean {
  return listOpenAttempts(store).some((attempt) => attempt.accountId === accountId);
}

type HeldOrders = {
  shown: HoldsShown;
  news: readonly HeldBack<NewOrder>[];
  all: readonly HeldBack<HoldingOrder>[];
  changes: readonly ChangedHold[];
  /** What has changed before that every server holds, elapsed milliseconds. */
  sinceElapsedMs: number;
};

function missingOf(world: ToHold, account: Account, held: HeldOrders): string[] | null {
  const { shown, news, all, changes } = held;
  const isRead = shown.heard === null;
  const isNew = ({ token }: { token: string }) => news.some((each) => each.token === token);
  const tokens = [...new Set([...news, ...changes].map(({ token }) => token))];
  const lacking = tokens.filter((token) => {
    const { hold, total } = shown.balances.find(({ coin }) => coin === token) ?? { hold: ZERO, total: ZERO };
    const own = ownIn(all, token);
    const margin = isRead && shown.mode === "unified" ? marginIn(world, account, token) : ZERO;
    const least = multiply(own, NEARLY_ALL);
    const isLess = compare(subtract(hold, multiply(margin, NEARLY_ALL_OF_MARGIN)), least) < 0;
    if (isLess && isNew({ token }))
      return isRead || stoodBefore(world, account, { token, total, news: news.filter((each) => each.token === token) });
    return isRead && isOfBeforeChange(world.store, account.id, { token, hold, own }, held);
  });
  if (lacking.length === 0) return null;
  return all.filter(({ token }) => lacking.includes(token)).map(({ order }) => order.id);
}

function ownIn(held: readonly HeldBack<HoldingOrder>[], token: string): Decimal {
  return sum(held.filter((each) => each.token === token).map(({ amount }) => amount));
}

/** By how much one change has changed what is held back of a token. */
type ChangedHold = HeldChange & { token: string; by: Decimal };

function heldChanges(changes: readonly HeldChange[], universe: Universe): ChangedHold[] {
  return changes.flatMap((change) => {
    const { side, before, after } = change;
    const token = tokenHeld(universe, change);
    const amountOf = (part: HeldPart): Decimal => (part === null ? ZERO : amountHeld(side, part));
    return token === undefined ? [] : [{ ...change, token, by: subtract(amountOf(after), amountOf(before)) }];
  });
}

/**
 * Not by a fill, nor by another hand, which is known later than it has happened: what others hold was worked out wrongly until then.
 */
function isOwnChange(store: Store, { orderId, after, isByFill }: HeldChange): boolean {
  return !isByFill && (after !== null || listAttemptsOf(store, orderId).some(({ kind }) => kind === "cancel"));
}

type HoldNow = Omit<ToldHold, "atElapsedMs">;

function isOfBeforeChange(
  store: Store,
  accountId: string,
  { token, hold, own }: HoldNow,
  { changes, sinceElapsedMs }: Pick<HeldOrders, "changes" | "sinceElapsedMs">,
): boolean {
  const ofToken = changes.filter((each) => each.token === token);
  const lastOther = ofToken.find((change) => !isOwnChange(store, change));
  const fromMs = lastOther?.atElapsedMs ?? Number.NEGATIVE_INFINITY;
  // What others held, as it was told, without what of theirs is ours by now; the newest first.
  const others = listToldHolds(store, accountId)
    .filter((each) => each.token === token && each.atElapsedMs > fromMs)
    .map((each) => subtract(subtract(each.hold, each.own), takenOverSince(ofToken, each)));
  const [now] = others;
  const fits = (ours: Decimal, theirs: Decimal) => isNear(subtract(hold, ours), theirs);
  if (now === undefined || fits(own, now)) return false;
  let before = own;
  for (const change of ofToken) {
    if (change === lastOther || change.atElapsedMs < sinceElapsedMs) return false;
    if (change.isTakenOver) continue;
    before = subtract(before, change.by);
    if (!isNear(before, own) && others.some((theirs) => fits(before, theirs))) return true;
  }
  return false;
}

/** Held all along, as another's until it was given a row. */
function takenOverSince(changes: readonly ChangedHold[], { atElapsedMs }: ToldHold): Decimal {
  return sum(changes.filter((each) => each.isTakenOver && each.atElapsedMs > atElapsedMs).map(({ by }) => by));
}

function isNear(one: Decimal, other: Decimal): boolean {
  return compare(absolute(subtract(one, other)), ROUNDED) <= 0;
}

function noteHolds(
  { clock, store }: With<"clock" | "store">,
  accountId: string,
  { shown, all }: Pick<HeldOrders, "shown" | "all">,
): void {
  const atElapsedMs = clock.elapsedMs();
  for (const { coin: token, hold } of shown.balances)
    noteToldHold(store, accountId, { token, hold, own: ownIn(all, token), atElapsedMs });
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

function heldBy<Order extends HoldingOrder>(orders: readonly Order[], universe: Universe): HeldBack<Order>[] {
  return orders.flatMap((order) => {
    const { side, status, size, price, filledSize } = order;
    if (status !== "open") return [];
    const token = tokenHeld(universe, order);
    const left = subtract(decimal(size), filledSize ?? ZERO);
    return token === undefined ? [] : [{ token, amount: amountHeld(side, { left, price }), order }];
  });
}

/** Undefined for a perpetual, and for a market that is not listed. */
function tokenHeld(universe: Universe, { market, side }: Pick<HoldingOrder, "market" | "side">): string | undefined {
  if (!isSpot(market)) return undefined;
  const [base, quote] = tokensOf(universe, market);
  return side === "buy" ? quote : base;
}

/** Of a purchase what it would pay, of a sale what it sells. */
function amountHeld(side: Side, { left, price }: Pick<NonNullable<HeldPart>, "left" | "price">): Decimal {
  return side === "buy" ? multiply(left, decimal(price)) : left;
}

/** Margin of cross positions of which it is known that it is held out of this token. */
function marginIn({ picture, settings, store }: ToHold, { id, tradingAddress }: Account, token: string): Decimal {
  const positions = ["", ...settings.dexes].flatMap((dex) => picture.state(tradingAddress, dex)?.value.positions ?? []);
  const cross = positions.filter(
    ({ coin, leverage }) => leverage.type === "cross" && tokenOfDex(store, id, dexOf(coin)) === token,
  );
  return sum(cross.map(({ marginUsed }) => marginUsed));
}
