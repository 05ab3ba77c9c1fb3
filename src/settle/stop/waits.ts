/** What keeps a stop from being stopped, each thing by its own fact: by our rows, as everything of a stop. */
import type { Account } from "../../core/account.ts";
import type { Attempt } from "../../core/attempt.ts";
import { isClosed, isSaidOver } from "../../core/order.ts";
import { isUnfinished, type Stop } from "../../core/stop.ts";
import { isToTell, type NewWait, namesOf, type ToldWaits, type Wait, waitsSince } from "../../core/wait.ts";
import type { With } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { listLegs } from "../../store/legs.ts";
import { findOperation } from "../../store/operations.ts";
import type { StoredOrder } from "../../store/orders.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findStop, tellWaiting } from "../../store/stops.ts";
import { unsettledPlacings, wasRefused } from "../cancel/cancel.ts";
import { signingAgent } from "../pre-trade/obstacles.ts";
import type { Remaining } from "./remaining.ts";

type ToTellWaits = With<"clock" | "exchange" | "markets" | "signers" | "state" | "store">;

/** Empty once it is stopped or ended, and only then. */
export function waitsOf(world: ToTellWaits, stop: Stop, remaining: Remaining): Wait[] {
  if (!isUnfinished(stop)) return [];
  const account = findAccount(world.store, stop.accountId);
  const { orders, openTwaps, runningTwaps, unusedNumbers } = remaining;
  const waits: NewWait[] = [
    ...wholeWaits(world, stop),
    ...orders.map((order) => orderWait(world, { stop, account, order })),
    ...openTwaps.map(({ resource, createdAtMs }): NewWait => {
      const market = findOperation(world.store, resource.id)?.market ?? null;
      return { reason: "outcome_unknown", operationId: resource.id, market, sinceMs: createdAtMs };
    }),
    ...runningTwaps.map(({ id, market, createdAtMs }): NewWait => {
      return { reason: "twap_not_ended", operationId: id, market, sinceMs: Math.max(createdAtMs, stop.createdAtMs) };
    }),
    ...unusedNumbers.map(({ attempt, order, twap }): NewWait => {
      const of = { orderId: order?.id ?? null, operationId: twap?.id ?? null };
      return { reason: "copy_may_come", ...of, market: (order ?? twap).market, sinceMs: attempt.createdAtMs };
    }),
  ];
  const nowMs = world.clock.nowMs();
  // That nothing is left is told by what is written down alone.
  return waitsSince([], waits.length > 0 ? waits : [{ reason: "next_look", sinceMs: nowMs }], nowMs);
}

/** What stands in the way of all of it. */
function wholeWaits({ state, markets, store }: ToTellWaits, stop: Stop): NewWait[] {
  const { createdAtMs: sinceMs, accountId, scope, outsideAtMs } = stop;
  const waits: NewWait[] = [];
  if (state.phase === "trial" || state.phase === "opening") waits.push({ reason: "gateway_opening", sinceMs });
  if (markets.current() === null) waits.push({ reason: "markets_not_read", sinceMs });
  if (awaitsTakeUp(store, accountId)) waits.push({ reason: "restore_not_taken_up", sinceMs });
  if (scope === "account" && outsideAtMs === null) waits.push({ reason: "elsewhere_not_read", sinceMs });
  return waits;
}

type Waiting = { stop: Stop; account: Account | null; order: StoredOrder };

function orderWait(world: ToTellWaits, { stop, account, order }: Waiting): NewWait {
  const { id: orderId, market } = order;
  const of = { orderId, market };
  const [placing] = unsettledPlacings(world, orderId);
  if (placing !== undefined) return { reason: "outcome_unknown", ...of, sinceMs: placing.createdAtMs };
  const cancels = listAttemptsOf(world.store, orderId).filter(({ kind }) => kind === "cancel");
  const last = cancels.at(-1) ?? null;
  // A cancel that is sent again is the same wait.
  const firstMs = cancels.find(({ createdAtMs }) => createdAtMs >= stop.createdAtMs)?.createdAtMs;
  const sinceMs = firstMs ?? last?.createdAtMs ?? Math.max(stop.createdAtMs, order.createdAtMs);
  const isOverThere = listLegs(world.store, orderId).every((leg) => isClosed(leg) || isSaidOver(leg));
  if (isOverThere) return { reason: "size_unknown", ...of, sinceMs };
  return { ...of, ...cancelWait(world, account, last), sinceMs };
}

function cancelWait(world: ToTellWaits, account: Account | null, last: Attempt | null): Pick<Wait, "reason"> {
  if (last !== null && last.state !== "done") return { reason: "cancel_unanswered" };
  if (account !== null && signingAgent(world, account).kind === "obstacle") return { reason: "no_agent" };
  return { reason: last !== null && wasRefused(last) ? "cancel_refused" : "not_canceled_yet" };
}

/** Appends an event where something else than was told last has been waited for long enough. */
export function tellWaits(
  { store, clock }: With<"clock" | "store">,
  { stopId, told, waits }: { stopId: string; told: ToldWaits; waits: readonly Wait[] },
): void {
  const nowMs = clock.nowMs();
  if (!isToTell(told, waits, nowMs)) return;
  inTransactionNotWaiting(store, () => {
    const stop = findStop(store, stopId);
    if (stop !== null) tellWaiting(store, stop, waits, nowMs);
  });
  Object.assign(told, { names: namesOf(waits), atMs: nowMs });
}
