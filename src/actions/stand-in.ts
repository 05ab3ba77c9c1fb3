/**
 * Stops of the gateway's own that stand in for those of an order from elsewhere which is to be canceled: its children go with it, and what it
 * has filled by then, as no list may show yet, would be left without protection. Each is placed and proven before its order goes. Once it is
 * known what was filled it goes itself, where that is nothing, or gives way to one of just that: a larger one closes what others hold. It
 * goes as well once others have closed that.
 */
import type { Account } from "../core/account.ts";
import { compare, decimal, isZero } from "../core/decimal.ts";
import { isJustNow } from "../core/kept-moment.ts";
import { findMarket } from "../core/market.ts";
import { isLive, type OrderTerms } from "../core/order.ts";
import type { Slot, With } from "../deps.ts";
import { newOrder } from "../settle/place/new-order.ts";
import { placeOwn, storeOwnOrder, type ToPlaceOwn } from "../settle/place/place-own.ts";
import { signingAgent } from "../settle/pre-trade/obstacles.ts";
import { cancelCovered } from "../settle/stop/cancel-covered.ts";
import { listAccounts } from "../store/accounts.ts";
import { inTransaction } from "../store/commit.ts";
import { findKeyRecord } from "../store/idempotency.ts";
import { findLegByOid } from "../store/legs.ts";
import { findOrder, listOpenOrders, type Placing, type StoredOrder } from "../store/orders.ts";
import { awaitsTakeUp } from "../store/restores.ts";
import { type FrontendOrder, parseOrderStatusOf } from "../wire/answer/order-status.ts";
import { termsOf } from "../wire/answer/order-terms.ts";
import { jsonInteger } from "../wire/json.ts";
import { adoptOutsideOrder } from "./adopt-order.ts";
import { openClosedByOthers } from "./closed-by-others.ts";
import { outsideOrder } from "./outside-order.ts";

export type ToStandIn = ToPlaceOwn & With<"settling">;

/** `none`: it cannot be had, and the order has to stay. `pending`: nobody knows yet. */
export type StandIn = "stands" | "none" | "pending";

const NAME = "stand-in";

/** What it stands in for: native ids of an order, and of a stop among its children. */
type StandInKey = { oid: string; childOid: string };

/** With spaces, so that it is no client's Idempotency-Key. From the second on the name tells which it is. */
function nameOf({ oid, childOid }: StandInKey, number: number): string {
  const name = `${NAME} ${oid} ${childOid}`;
  return number === 1 ? name : `${name} ${number}`;
}

/** So many are placed for one stop at most, those that were refused among them. */
const MAX_PLACED = 6;
/** One that was refused is tried again after so long, milliseconds. */
const RETRY_MS = 10_000;
/** Refusals one after the other after which it is not tried again. */
const MAX_REFUSED = 3;

/** All that were placed for it, in the order of their placing. */
function placedFor(deps: With<"store">, account: Account, place: StandInKey): StoredOrder[] {
  const numbers = Array.from({ length: MAX_PLACED }, (_, index) => index + 1);
  return numbers.flatMap((number) => findByName(deps, account, nameOf(place, number)) ?? []);
}

/** True where the next one may be placed now; `later` where it has to wait for that, or for what became of the last. */
function mayPlace({ clock }: With<"clock">, placed: readonly StoredOrder[]): boolean | "later" {
  const last = placed.at(-1);
  if (last === undefined) return true;
  if (last.status === "processing" || last.status === "unknown") return "later";
  const refused = placed.length - 1 - placed.findLastIndex(({ status }) => status !== "rejected");
  if (refused >= MAX_REFUSED || placed.length >= MAX_PLACED) return false;
  return refused > 0 && isJustNow(last.createdAtMs, clock.nowMs(), RETRY_MS) ? "later" : true;
}

/** One for each stop-loss among the children of an order; `stands` where it has none. */
export async function standIn(deps: ToStandIn, account: Account, parent: FrontendOrder): Promise<StandIn> {
  const stops = parent.children.filter((child) => termsOf(child).trigger?.kind === "stop_loss");
  const all = await Promise.all(stops.map((child) => standInFor(deps, account, { parent, child })));
  return all.find((each) => each === "none") ?? all.find((each) => each === "pending") ?? "stands";
}

/** True while one that was placed for a stop among its children may stand. */
export function hasStandIn(deps: With<"store">, account: Account, parent: FrontendOrder): boolean {
  return parent.children.some((child) =>
    placedFor(deps, account, placeOf({ parent, child })).some(({ status }) => isLive(status)),
  );
}

/** Its order stays, with children of its own. */
export async function takeBack(deps: ToStandIn, account: Account, parent: FrontendOrder): Promise<void> {
  const placed = parent.children.flatMap((child) => placedFor(deps, account, placeOf({ parent, child })));
  await Promise.all(placed.filter(({ status }) => isLive(status)).map((order) => cancel(deps, account, order)));
}

type Bracket = { parent: FrontendOrder; child: FrontendOrder };

function placeOf({ parent, child }: Bracket): StandInKey {
  return { oid: parent.oid, childOid: child.oid };
}

/** Of the whole size of its order: what is filled of that is not known. One that was refused is tried again: its order waits for it. */
async function standInFor(deps: ToStandIn, account: Account, bracket: Bracket): Promise<StandIn> {
  const { parent, child } = bracket;
  const place = placeOf(bracket);
  const before = placedFor(deps, account, place);
  const isRefused = before.at(-1)?.status === "rejected";
  if (before.length === 0 || (isRefused && mayPlace(deps, before) === true)) {
    const terms = { ...guardTerms(termsOf(child)), size: parent.size };
    await placeNext(deps, account, { place, coin: parent.coin, terms, number: before.length + 1 });
  }
  const placed = placedFor(deps, account, place);
  const last = placed.at(-1);
  if (last === undefined || last.status === "processing" || last.status === "unknown") return "pending";
  if (last.status === "rejected") return mayPlace(deps, placed) === false ? "none" : "pending";
  return last.status === "canceled" ? "none" : "stands";
}

type GuardTerms = Pick<OrderTerms, "price" | "side" | "trigger">;

function guardTerms({ side, price, trigger }: GuardTerms): GuardTerms {
  return { side, price, trigger };
}

type NextStandIn = { place: StandInKey; coin: string; terms: GuardTerms & { size: string }; number: number };

function placeNext(deps: ToStandIn, account: Account, next: NextStandIn): Promise<void> {
  return placeOwn(deps, deps.settling, { account, store: (slot) => store(deps, account, { ...next, slot }) });
}

function findByName({ store: open }: With<"store">, account: Account, name: string): StoredOrder | null {
  const id = findKeyRecord(open, account.id, name)?.resource.id;
  return id === undefined ? null : findOrder(open, id);
}

/** Null where nothing can be signed now, or it was placed meanwhile. */
function store(deps: ToStandIn, account: Account, about: NextStandIn & { slot: Slot }): Placing | null {
  const { place, coin, number, slot } = about;
  return inTransaction(deps.store, (open) => {
    const universe = deps.markets.current();
    const market = universe === null ? null : findMarket(universe, coin);
    const agent = signingAgent(deps, account);
    const idempotencyKey = nameOf(place, number);
    if (market === null || agent.kind === "obstacle" || awaitsTakeUp(open, account.id)) return null;
    if (findKeyRecord(open, account.id, idempotencyKey) !== null) return null;
    const terms = { ...about.terms, timeInForce: "gtc", reduceOnly: true } as const;
    const order = newOrder(deps, { accountId: account.id, market, terms, idempotencyKey, keyHash: null });
    return storeOwnOrder(deps, account, order, { route: NAME, signer: agent.address, slot });
  });
}

/** Between two looks, milliseconds. */
export const STAND_IN_INTERVAL_MS = 5_000;

/** Between two questions for an order of elsewhere that has no row here, milliseconds. */
const ASK_EVERY_MS = 30_000;

/**
 * Those whose order is over and has filled nothing protect nothing, and are canceled. One that is larger than what was filled gives way to
 * one of just that.
 */
export function openStandIns(deps: ToStandIn) {
  /** By native id of the order: when it was asked for, elapsed milliseconds. */
  let askedAtMs = new Map<string, number>();
  const closedByOthers = openClosedByOthers(deps);

  /** It may have ended while nobody knew whether its stop stands, or this process may have died then: so it has no row. */
  async function learn(account: Account, oid: string): Promise<void> {
    const nowMs = deps.clock.elapsedMs();
    if (nowMs - (askedAtMs.get(oid) ?? Number.NEGATIVE_INFINITY) < ASK_EVERY_MS) return;
    askedAtMs.set(oid, nowMs);
    await adoptEnded(deps, account, oid);
  }

  async function giveWayOrGo(standing: StandingIn): Promise<void> {
    const { account, order, oid } = standing;
    const parent = parentOf(deps, account, oid);
    const isOver = parent !== null && !isLive(parent.status) && order.status === "waiting_for_trigger";
    if (isOver && (await closedByOthers.isClosed({ account, order, parent }))) return cancel(deps, account, order);
    return giveWay(deps, standing);
  }

  return {
    async look(): Promise<void> {
      if (deps.state.phase !== "ready") return;
      const standing = listAccounts(deps.store).flatMap((account) => standingFor(deps, account));
      const unknown = standing.filter(({ account, oid }) => findLegByOid(deps.store, account.id, oid) === null);
      askedAtMs = new Map([...askedAtMs].filter(([oid]) => unknown.some((each) => each.oid === oid)));
      await Promise.all(unknown.map(({ account, oid }) => learn(account, oid)));
      const needless = standing.filter(({ account, oid }) => isNeedless(deps, account, oid));
      await Promise.all(needless.map(({ account, order }) => cancel(deps, account, order)));
      const needed = standing.filter((each) => !needless.includes(each));
      await Promise.all(needed.map((each) => giveWayOrGo(each)));
    },
  };
}

type StandingIn = { account: Account; order: StoredOrder } & StandInKey;

/** The new one before the old one goes, by the terms that the old one has now. One whose size somebody has changed stays as it is. */
async function giveWay(deps: ToStandIn, { account, order, ...place }: StandingIn): Promise<void> {
  const parent = parentOf(deps, account, place.oid);
  const filled = parent === null || isLive(parent.status) ? null : parent.filledSize;
  if (parent === null || filled === null || isZero(filled)) return;
  const size = decimal(order.size);
  const isWhole = compare(size, decimal(parent.size)) === 0 && compare(size, filled) > 0;
  if (!isWhole || order.status !== "waiting_for_trigger") return;
  const placed = placedFor(deps, account, place);
  const isFitting = (each: StoredOrder) => compare(decimal(each.size), filled) === 0;
  if (placed.some((each) => isFitting(each) && each.status === "waiting_for_trigger"))
    return cancel(deps, account, order);
  const fitting = placed.filter(isFitting);
  // It was there, and has fired or was taken away: what it was for is no more, or somebody does not want it.
  if (fitting.some(({ status }) => status === "filled" || status === "canceled" || status === "open")) return;
  if (mayPlace(deps, placed) !== true) return;
  const terms = { ...guardTerms(order), size: filled };
  await placeNext(deps, account, { place, coin: order.market, terms, number: placed.length + 1 });
}

/** Stops that stand in, and for the stop of which order of elsewhere. */
function standingFor({ store: open }: With<"store">, account: Account): StandingIn[] {
  if (awaitsTakeUp(open, account.id)) return [];
  return listOpenOrders(open, account.id).flatMap((order) => {
    const [name, oid, childOid] = order.idempotencyKey?.split(" ") ?? [];
    return name === NAME && oid !== undefined && childOid !== undefined ? { account, order, oid, childOid } : [];
  });
}

/** Gives an order of elsewhere a row once it is known to be over, and with how much filled. */
async function adoptEnded(deps: ToStandIn, account: Account, oid: string): Promise<void> {
  const asked = { type: "orderStatus", user: account.tradingAddress, oid: jsonInteger(oid) } as const;
  const outcome = await deps.exchange.info(asked, { purpose: "settle" });
  const answer = outcome.kind === "ok" ? parseOrderStatusOf(oid, outcome.json) : null;
  const universe = deps.markets.current();
  if (answer?.kind !== "order" || universe === null || findMarket(universe, answer.order.coin) === null) return;
  const shown = await outsideOrder(deps, account, answer, "settle");
  if (!isLive(shown.status)) adoptOutsideOrder(deps, shown);
}

function cancel(deps: ToStandIn, account: Account, { id: orderId }: StoredOrder): Promise<void> {
  return cancelCovered(deps, deps.settling, { name: `${NAME} ${orderId}`, account, orderId });
}

function parentOf({ store: open }: With<"store">, account: Account, oid: string): StoredOrder | null {
  const leg = findLegByOid(open, account.id, oid);
  return leg === null ? null : findOrder(open, leg.orderId);
}

function isNeedless(deps: With<"store">, account: Account, oid: string): boolean {
  const parent = parentOf(deps, account, oid);
  if (parent === null || isLive(parent.status)) return false;
  return parent.filledSize === null ? parent.status === "rejected" : isZero(parent.filledSize);
}
