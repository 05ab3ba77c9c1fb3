/**
 * Orders of which no answer came and that nothing shows, once their time is over. That they left nothing is proven by what the account does
 * later alone, and under a stop it may do nothing more; but nothing of them can newly come, so that they hold no closing back.
 */
import type { Account } from "../../core/account.ts";
import { type Attempt, endsAtMs, WITNESS_SPACING_MS } from "../../core/attempt.ts";
import { WITNESSES_NEEDED } from "../../core/evidence.ts";
import { hasFilled, isClosed, isSaidOver, type Leg } from "../../core/order.ts";
import type { Stop } from "../../core/stop.ts";
import type { WaitReason } from "../../core/wait.ts";
import type { StopProgress, With } from "../../deps.ts";
import { findAttemptByCloid } from "../../store/attempts.ts";
import { listLegs } from "../../store/legs.ts";
import { findOperation } from "../../store/operations.ts";
import type { StoredOrder } from "../../store/orders.ts";
import { isCarriedOut, unsettledPlacings } from "../cancel/cancel.ts";
import { lookForCopy } from "../copies/late-copies.ts";

/** By attempt: looks at it that showed nothing, after its end and apart, and when the last one was. Losing it costs looks. */
export type TracelessLooks = Map<number, { silent: number; lastElapsedMs: number }>;

export type WithoutTrace = { progress: StopProgress; looks: TracelessLooks };

/**
 * True when nothing that was signed before a stop can newly increase: it is stopped, or what keeps it from that are orders alone of which
 * nothing can come any more, and that look-ups after that moment do not show.
 *
 * @param exchangeMs exchange time, unix milliseconds
 */
export function isNothingToCome(
  world: With<"store">,
  { stoppedAtMs }: Stop,
  { progress, looks }: WithoutTrace,
  exchangeMs: number,
): boolean {
  if (stoppedAtMs !== null) return true;
  const out = listWithoutTrace(world, progress);
  if (out === null) return false;
  return out.every(({ attempt, isOver }) => {
    return exchangeMs > endsAtMs(attempt) && (isOver || (looks.get(attempt.id)?.silent ?? 0) >= WITNESSES_NEEDED);
  });
}

/** The same of one market alone: what can come elsewhere grows nothing that is held here. */
export function isNothingToComeIn(
  world: With<"store">,
  stop: Stop,
  { progress, exchangeMs, ...of }: WithoutTrace & { exchangeMs: number },
  market: string,
): boolean {
  return isNothingToCome(world, stop, { ...of, progress: progressIn(world, progress, market) }, exchangeMs);
}

/** What is left of a stop in one market. What has none stands in the way of all. */
function progressIn({ store }: With<"store">, progress: StopProgress, market: string): StopProgress {
  const { orders, openTwaps, runningTwaps, unusedNumbers } = progress.remaining;
  const isHere = (each: { market: string }) => each.market === market;
  return {
    ...progress,
    remaining: {
      orders: orders.filter(isHere),
      openTwaps: openTwaps.filter(({ resource }) => (findOperation(store, resource.id)?.market ?? market) === market),
      runningTwaps: runningTwaps.filter(isHere),
      unusedNumbers: unusedNumbers.filter(({ order, twap }) => isHere(order ?? twap)),
    },
    waits: progress.waits.filter((wait) => wait.market === null || wait.market === market),
  };
}

type ToLookForCopy = Parameters<typeof lookForCopy>[0];

/** Asks for each that has ended, and writes down what it is shown. */
export async function lookForTraces(
  world: ToLookForCopy,
  account: Account,
  { progress, looks }: WithoutTrace,
): Promise<void> {
  const nowMs = world.clock.elapsedMs();
  const markets = [...new Set(progress.remaining.orders.map(({ market }) => market))];
  const sought = markets.flatMap((market) => listWithoutTrace(world, progressIn(world, progress, market)) ?? []);
  const due = sought.filter(({ attempt, isOver }) => {
    const { silent, lastElapsedMs } = looks.get(attempt.id) ?? { silent: 0, lastElapsedMs: Number.NEGATIVE_INFINITY };
    const isEnough = isOver || silent >= WITNESSES_NEEDED || nowMs - lastElapsedMs < WITNESS_SPACING_MS;
    return world.exchange.nowMs() > endsAtMs(attempt) && !isEnough;
  });
  await Promise.all(due.slice(0, MAX_AT_ONCE).map((each) => lookForTrace(world, account, each, looks)));
}

/** Looks at once: each weighs something at the exchange. */
const MAX_AT_ONCE = 20;

/** `isOver`: by the exchange's own word on what it placed, which is written down of the attempt a moment later. */
type SignedOrder = { attempt: Attempt; order: StoredOrder; isOver: boolean };

async function lookForTrace(
  world: ToLookForCopy,
  account: Account,
  { attempt, order }: SignedOrder,
  looks: TracelessLooks,
) {
  const lastElapsedMs = world.clock.elapsedMs();
  const sight = await lookForCopy(world, account, { attempt, order, twap: null }, "cancel");
  if (sight === "failed") return;
  looks.set(attempt.id, { silent: sight === "silent" ? (looks.get(attempt.id)?.silent ?? 0) + 1 : 0, lastElapsedMs });
}

/** Reasons that an order may have whatever is known of it, and that of a stop of which nothing is left. */
const OF_ORDERS: ReadonlySet<WaitReason> = new Set(["outcome_unknown", "size_unknown", "next_look"]);

/** What was signed for orders of which nothing is shown; null where anything else is left that may increase. */
function listWithoutTrace(world: With<"store">, { remaining, waits }: StopProgress): SignedOrder[] | null {
  // What rests, what runs, and what was not read yet has a reason of its own.
  const isOther = waits.some(({ reason }) => !OF_ORDERS.has(reason));
  const { orders, openTwaps, runningTwaps, unusedNumbers } = remaining;
  if (isOther || openTwaps.length + runningTwaps.length + unusedNumbers.length > 0) return null;
  const all = orders.map((order) => signedFor(world, order));
  return all.every((each) => each !== null) ? all.flat() : null;
}

/** Null where some of it has a trace and is not over. */
function signedFor(world: With<"store">, order: StoredOrder): SignedOrder[] | null {
  const legs = listLegs(world.store, order.id).filter((leg) => !isClosed(leg) && !isSaidOver(leg));
  if (!legs.every((leg) => isTraceless(world, leg))) return null;
  const sought = legs.flatMap(({ cloid }) => findAttemptByCloid(world.store, cloid) ?? []);
  if (sought.length < legs.length) return null;
  const ids = new Set(sought.map(({ id }) => id));
  const others = unsettledPlacings(world, order.id).filter(({ id }) => !ids.has(id));
  return [
    ...sought.map((attempt) => ({ attempt, order, isOver: false })),
    ...others.map((attempt) => ({ attempt, order, isOver: true })),
  ];
}

function isTraceless(world: With<"store">, leg: Leg): boolean {
  const isLost = leg.state === "sent" || leg.state === "lost";
  return isLost && leg.oid === null && !hasFilled(leg) && !isCarriedOut(world, leg);
}
