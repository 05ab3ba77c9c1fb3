import type { Touches } from "../core/cancel-all.ts";
import { cloidOf } from "../core/cloid.ts";
import { sizeToClose } from "../core/closing.ts";
import { type Decimal, decimal, isNegative, isZero, ZERO } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { closableOf, unprovenPart } from "../core/flatten.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import type { Market } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { isOutstanding } from "../settle/close/closer.ts";
import { leftByFills } from "../settle/evidence/position-check.ts";
import { NOT_TAKEN_UP } from "../settle/pre-trade/obstacles.ts";
import { mayStillExecute } from "../settle/unsettled.ts";
import { findAttemptByCloid, listAttemptsOf } from "../store/attempts.ts";
import { botOf, listBotNets } from "../store/bots.ts";
import { insertClose, listRunningClosesOf } from "../store/closes.ts";
import { railsOfKey } from "../store/narrowings.ts";
import { listOpenLegs } from "../store/open-legs.ts";
import { findOrder, type StoredOrder } from "../store/orders.ts";
import { awaitsTakeUp } from "../store/restores.ts";
import { listUnprovenTwaps } from "../store/unproven-twaps.ts";
import type { Caller } from "../write/caller.ts";
import { requestOf, type WriteKey } from "../write/key.ts";
import { requireOwnAccount } from "../write/own-account.ts";
import { lookAtOpened } from "../write/rails-facts.ts";
import { runWrite } from "../write/run.ts";
import type { Plan, Write } from "../write/verb.ts";
import { waitForAttempt } from "../write/wait-for-attempt.ts";
import { clearForClose, type ToClear } from "./clear-for-close.ts";
import { positionToClose } from "./close-facts.ts";
import type { ToShowPositions } from "./current.ts";
import { requireMarket } from "./market-rules.ts";
import { howPriced, requireWorstPrice } from "./place-market-order.ts";
import { planPlacing } from "./place-order.ts";
import { requirePrices } from "./prices-now.ts";

export type ClosePosition = WriteKey & {
  accountId: string;
  market: string;
  /** Above 0, at most 1. */
  fraction: Decimal;
  maxSlippageBps: number;
  touches: Touches;
  keepsTriggers: boolean;
};

type ToClose = ToClear & ToShowPositions & With<"builderApproval" | "closer">;

/**
 * `POST /v1/positions/close`: one order that only reduces and executes at once or not at all, sized by the position as it is now.
 * `closer` sees to what is left behind: triggers without a position. Once it is stored a repeat of its key closes nothing more.
 */
export async function closePosition(deps: ToClose, caller: Caller, wanted: ClosePosition): Promise<WriteAnswer> {
  requireOwnAccount(caller, wanted.accountId);
  const answer = await runWrite(deps, {
    ...requestOf(deps, caller, wanted),
    route: "POST /v1/positions/close",
    bucket: "orders",
    isCancel: false,
    asked: { market: wanted.market },
    placedTerms: { market: wanted.market, time_in_force: "ioc", reduce_only: true, trigger: null },
    isCreating: true,
    plan: (write) => planClose(deps, caller, { wanted, write }),
  });
  deps.closer.heed();
  return answer;
}

type PlanningClose = { wanted: ClosePosition; write: Write };

async function planClose(deps: ToClose, caller: Caller, { wanted, write }: PlanningClose): Promise<Plan> {
  const market = await requireMarket(deps, wanted.market, false);
  if (market.kind === "spot") {
    throw new ApiError("perpetual_market_required", `${market.name} is spot: sell what you hold. Nothing was sent.`);
  }
  requireMayTouch(deps, caller, wanted);
  // The books lack what was traded since the backup, so they cannot say that a bot holds nothing.
  if (awaitsTakeUp(deps.store, caller.account.id)) throw new ApiError("not_ready", NOT_TAKEN_UP);
  await waitForEarlier(deps, caller, { wanted, market, write });
  const hasOwnNet = ownNetOf(deps, caller, { wanted, market }) !== null;
  const { size: position, timeMs } = await positionToClose(deps, caller.account, { market: market.name, hasOwnNet });
  requireNoneOutstanding(deps, caller, { wanted, market, exchangeMs: timeMs });
  const net = ownNetOf(deps, caller, { wanted, market });
  const closable = position === null ? (net ?? ZERO) : closableOf(position, net);
  if (isZero(closable)) {
    const unshown = await lookAtOwn(deps, caller, { market, net });
    if (ownNetOf(deps, caller, { wanted, market }) !== net) return planClose(deps, caller, { wanted, write });
    requireProven(deps, caller, { wanted, market, position });
    requireHeard(deps, caller, { wanted, market, position, unshown });
    throw nothingToClose(market, position, timeMs);
  }
  if (wanted.fraction === ALL && (await hasCleared(deps, caller, { wanted, market, write })))
    return planClose(deps, caller, { wanted, write });
  const side: Side = isNegative(closable) ? "buy" : "sell";
  const part = { wanted, market, side, closable, position, asOfMs: timeMs };
  const { size, price, note } = await orderThatCloses(deps, caller, part);
  const order = { ...wanted, market: market.name, side, size, price, note, timeInForce: "ioc", trigger: null } as const;
  const plan = await planPlacing(deps, caller, { ...order, reduceOnly: true });
  return {
    ...plan,
    store(keyRecord, slot) {
      // Another may have been stored, and fills may have been booked, since it was looked at: then it is planned anew.
      const isAlone = outstandingCloses(deps, caller, { wanted, market, exchangeMs: timeMs }).length === 0;
      const stillClosable = closableOf(closable, ownNetOf(deps, caller, { wanted, market }));
      if (!isAlone || stillClosable !== closable) throw overtaken();
      const stored = plan.store(keyRecord, slot);
      if (stored.kind === "outgoing") {
        const { accountId, touches, keepsTriggers } = wanted;
        const about = { accountId, market: market.name, keyHash: caller.key.keyHash, touches, keepsTriggers };
        // Its own action is the newest of this transaction.
        const upTo = findAttemptByCloid(deps.store, cloidOf(plan.resource.id))?.id ?? 0;
        insertClose(deps.store, { orderId: plan.resource.id, ...about, upTo, endedAtMs: null });
      }
      return stored;
    },
  };
}

const ALL = decimal("1");

/** Cancels the bot's resting orders that stand in the way of closing all that it holds; true where there were any and they are gone. */
async function hasCleared(
  deps: ToClose,
  caller: Caller,
  { wanted, market, write }: PlanningClose & { market: Market },
): Promise<boolean> {
  const net = ownNetOf(deps, caller, { wanted, market });
  if (net === null) return false;
  const untilElapsedMs = write.startedElapsedMs + deps.settings.timings.answerDeadlineMs / 2;
  return clearForClose(deps, caller, { market: market.name, net, untilElapsedMs });
}

/** Looks at the bot's resting orders, of whose fills nothing may have told yet; returns the ids of those that nothing has shown. */
async function lookAtOwn(
  deps: ToClose,
  caller: Caller,
  { market, net }: { market: Market; net: Decimal | null },
): Promise<ReadonlySet<string>> {
  return net === null ? new Set() : lookAtOpened(deps, { ...caller, market: market.name });
}

function requireMayTouch({ store }: With<"store">, { key }: Caller, { touches }: ClosePosition): void {
  const rails = railsOfKey(store, key.keyHash);
  if (rails === null || touches === "own" || rails.touches === "all") return;
  throw new ApiError("rail_refused", "Rail touches: this key closes its own position alone. Nothing was sent.");
}

/** What the bot holds by its own fills; null where the account's position is closed: a plain key has no fills of its own. */
function ownNetOf(
  { store }: With<"store">,
  { account, key }: Caller,
  { wanted, market }: { wanted: ClosePosition; market: Market },
): Decimal | null {
  const bot = wanted.touches === "own" ? botOf(store, key.keyHash) : null;
  return bot === null ? null : (listBotNets(store, account.id, bot).get(market.name) ?? decimal("0"));
}

/**
 * Refuses where a TWAP that was begun after the restored backup may have bought what is held for this bot: nobody can say so, and then the
 * bot must not be told that it holds nothing.
 */
function requireProven(
  { store }: With<"store">,
  { account, key }: Caller,
  { wanted, market, position }: { wanted: ClosePosition; market: Market; position: Decimal | null },
): void {
  const bot = wanted.touches === "own" ? botOf(store, key.keyHash) : null;
  const sums = bot === null ? undefined : listUnprovenTwaps(store, { accountId: account.id, bot }).get(market.name);
  if (sums === undefined || (position !== null && isZero(unprovenPart(position, ZERO, sums)))) return;
  const words = `A TWAP in ${market.name} that was begun after the restored backup may have been this key's bot's, and nobody can say so. Look at GET /v1/twaps and GET /v1/positions, and close it by a key that may close for the whole account (\`touches\` all). Nothing was sent.`;
  throw new ApiError("position_unproven", words);
}

/**
 * Refuses where an order of the bot's own may have been filled without the gateway's knowing: what it has bought stands in the position before it
 * stands in the bot's books. What rests is not among these where it was just looked at and shown.
 */
function requireHeard(
  deps: ToClose,
  { account, key }: Caller,
  { wanted, market, position, unshown }: ClosingBeside,
): void {
  const { store } = deps;
  const bot = wanted.touches === "own" ? botOf(store, key.keyHash) : null;
  if (bot === null || (position !== null && isZero(position))) return;
  const side = position === null ? null : isNegative(position) ? "sell" : "buy";
  const opening = listOpenLegs(store, account.id).filter(
    (leg) =>
      leg.bot === bot && leg.market === market.name && !leg.canOnlyReduce && (side === null || leg.side === side),
  );
  const isExplained = position !== null && leftByFills(store, account.id, market.name) === position;
  const unheard = opening.filter(
    // Fills of a TWAP are told by its own, and where no feed is live only now and then.
    ({ orderId, isUnheard, isInFlight, price }) =>
      isUnheard || isInFlight || (!isExplained && (price === null || unshown.has(orderId))),
  );
  if (unheard.length === 0) return;
  deps.fillIndex.readSoon(account);
  const ids = [...new Set(unheard.map(({ orderId }) => orderId))].join(", ");
  const words = `What of ${market.name} is held for this key's bot cannot be said before more is known of what it has sent: ${ids}. Nothing was sent, and the Idempotency-Key is not used.`;
  throw new ApiError("position_unproven", words, UNHEARD_RETRY_S);
}

/** `unshown`: ids of the bot's resting orders that a look has just not shown. */
type ClosingBeside = {
  wanted: ClosePosition;
  market: Market;
  position: Decimal | null;
  unshown: ReadonlySet<string>;
};

/** What may have been filled is looked for every few seconds. */
const UNHEARD_RETRY_S = 1;

/** `asOfMs`: of when the position is, exchange time, unix milliseconds. */
type PartToClose = Pick<PlanningClose, "wanted"> & {
  market: Market;
  side: Side;
  closable: Decimal;
  position: Decimal | null;
  asOfMs: number;
};

async function orderThatCloses(
  deps: ToClose,
  { account, key }: Caller,
  { wanted, market, side, closable, position, asOfMs }: PartToClose,
) {
  const { fraction, maxSlippageBps } = wanted;
  const now = await requirePrices(deps, market, { side, account, isReduction: true });
  const size = sizeToClose(market, { closable, fraction, best: now.prices.best });
  if (size === null) throw tooLittle(market, closable);
  const maxDistance = railsOfKey(deps.store, key.keyHash)?.maxDistance ?? null;
  const price = requireWorstPrice(market, side, { prices: now.prices, maxSlippageBps, maxDistance, first: null });
  const { what, detail } = howPriced({ side, price, maxSlippageBps, now });
  const held =
    position === null
      ? "what the account holds could not be read"
      : `of ${position} that the account held at ${isoTime(asOfMs)}`;
  const note = { what, detail: `closes ${size} of ${closable}, ${held}; ${detail}` };
  return { size, price, note };
}

/** Waits until earlier closes in the market are settled or can do nothing more: the size to close is not known before. */
async function waitForEarlier(
  deps: ToClose,
  caller: Caller,
  { wanted, market, write }: PlanningClose & { market: Market },
): Promise<void> {
  const untilMs = write.startedElapsedMs + deps.settings.timings.answerDeadlineMs / 2;
  for (;;) {
    const [earlier] = outstandingCloses(deps, caller, { wanted, market, exchangeMs: deps.exchange.nowMs() });
    if (earlier === undefined) return;
    const leftMs = untilMs - deps.clock.elapsedMs();
    const [ahead] = listAttemptsOf(deps.store, earlier.id).filter(({ state }) => state !== "done");
    if (leftMs <= 0) throw inProgress(market, earlier);
    if (ahead === undefined) await deps.clock.sleep(Math.min(leftMs, GLANCE_MS));
    else await waitForAttempt(deps, ahead, leftMs);
  }
}

/** Between two glances at an order that nothing is under way for, milliseconds. */
const GLANCE_MS = 200;

type ClosingAt = { wanted: ClosePosition; market: Market; exchangeMs: number };

/** Refuses where the position was read as of a time at which an earlier close may still have been running. */
function requireNoneOutstanding(deps: ToClose, caller: Caller, closing: ClosingAt): void {
  const [earlier] = outstandingCloses(deps, caller, closing);
  if (earlier !== undefined) throw inProgress(closing.market, earlier);
}

/**
 * Closing orders in this market, of the same bot or of keys without rails, whose end is not known. Where the account's position is closed,
 * one that could do nothing more by `exchangeMs` does not count: the position of that time shows what it did.
 */
function outstandingCloses(deps: ToClose, caller: Caller, { wanted, market, exchangeMs }: ClosingAt): StoredOrder[] {
  const { store } = deps;
  const bot = botOf(store, caller.key.keyHash);
  const isByPosition = ownNetOf(deps, caller, { wanted, market }) === null;
  return listRunningClosesOf(store, caller.account.id, market.name).flatMap(({ orderId, keyHash }) => {
    const order = botOf(store, keyHash) === bot ? findOrder(store, orderId) : null;
    if (order === null || !isOutstanding({ store }, order)) return [];
    return isByPosition && !mayStillExecute(deps, order, exchangeMs) ? [] : [order];
  });
}

function overtaken(): ApiError {
  return new ApiError("idempotency_in_progress", "What is held has just changed. Nothing was sent.");
}

function inProgress({ name }: Market, { id }: StoredOrder): ApiError {
  const words = `An earlier close in ${name}, order ${id}, is not settled yet. Nothing was sent, and the Idempotency-Key is not used.`;
  return new ApiError("close_in_progress", words);
}

/** `asOfMs`: of when the position is, exchange time, unix milliseconds. It is told each time: what has happened since is known to nobody. */
function nothingToClose({ name }: Market, position: Decimal | null, asOfMs: number): ApiError {
  const of = position === null ? "By its own fills this key's bot holds" : heldBy(position, asOfMs);
  return new ApiError("nothing_to_close", `${of} nothing of ${name} that could be closed. Nothing was sent.`);
}

function heldBy(position: Decimal, asOfMs: number): string {
  const held = `At ${isoTime(asOfMs)} the account held`;
  return isZero(position) ? held : `${held} ${position}, and this key's bot holds`;
}

function tooLittle({ name, sizeDecimals }: Market, closable: Decimal): ApiError {
  const words = `That fraction of ${closable} is less than one step of ${name} (${sizeDecimals} decimals). Nothing was sent.`;
  return new ApiError("nothing_to_close", words);
}
