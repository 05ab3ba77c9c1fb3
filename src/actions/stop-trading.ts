import { ApiError } from "../core/errors.ts";
import { isoTime, listText, stopResource, waitResource } from "../core/resource.ts";
import { MAX_NAMED, type Stop, type StopScope, stopStatus } from "../core/stop.ts";
import { isUuid } from "../core/uuid.ts";
import { type Wait, waitsSince } from "../core/wait.ts";
import type { StopProgress, With } from "../deps.ts";
import { type Alike, beginStop, isLike, listAlike, newestOfMany } from "../settle/stop/begin-stop.ts";
import { findApiKey } from "../store/api-keys.ts";
import { inTransaction } from "../store/commit.ts";
import { findFlatten, listSteps } from "../store/flattens.ts";
import { railsOf } from "../store/narrowings.ts";
import type { Store } from "../store/open.ts";
import { findStop, findStopByKey, listOutside, listStopsInForce } from "../store/stops.ts";
import type { Caller } from "../write/caller.ts";

export type StopTrading = { scope: StopScope; keepsProtection: boolean; idempotencyKey: string | null };

type ToStop = With<"clock" | "flattener" | "randomBytes" | "stopper" | "store">;

export type StopAnswer = { status: 200 | 202; body: string; isReplay: boolean };

/**
 * `POST /v1/stop`: from the answer on nothing that could make a position larger is signed for the key, or for the account. It
 * asks the exchange for nothing and waits for nothing but the disk, so that it is taken in every state but a trial.
 */
export function stopTrading(deps: ToStop, { account, key }: Caller, wanted: StopTrading): StopAnswer {
  const { scope, keepsProtection, idempotencyKey } = wanted;
  const placedBy = scope === "bot" ? key.keyHash : null;
  const found = inTransaction(deps.store, (store): { stop: Stop; isReplay: boolean } => {
    requireActive(store, key.keyHash, scope);
    const asked = { accountId: account.id, scope, keyHash: placedBy, keepsProtection };
    const earlier = idempotencyKey === null ? null : findStopByKey(store, account.id, idempotencyKey);
    if (earlier !== null) return { stop: requireSame(earlier, asked), isReplay: true };
    const standing = idempotencyKey === null ? (listAlike(store, asked)[0] ?? null) : newestOfMany(store, asked);
    const wanted = { ...asked, cause: "asked", actor: key.keyHash, idempotencyKey } as const;
    return { stop: standing ?? beginStop(store, deps, wanted), isReplay: false };
  });
  deps.stopper.heed();
  return { ...answerOf(deps, found.stop), isReplay: found.isReplay };
}

/** It may have been revoked or blocked since it was let in. */
function requireActive(store: Store, keyHash: string, scope: StopScope): void {
  const key = findApiKey(store, keyHash);
  const rails = key === null || key.limited === null ? null : railsOf(store, key, key.limited);
  // Itself a bot may always stop. The orders of others are its business where the owner has said so.
  if (rails !== null && scope === "account" && !(rails.touches === "all" && rails.may.includes("stop")))
    throw new ApiError("rail_refused", OTHERS_ORDERS);
  if (key?.state === "active" && key.fault === null) return;
  throw new ApiError("revoked_api_key", "This API key has been revoked. Nothing was stopped.");
}

const OTHERS_ORDERS =
  "A key with rails stops its own bot: scope `bot`. The account it stops only with `may` stop and `touches` all. Nothing was stopped by this request.";

function requireSame(earlier: Stop, asked: Alike): Stop {
  if (isLike(earlier, asked)) return earlier;
  throw new ApiError(
    "idempotency_key_reused",
    `This Idempotency-Key has been used for stop ${earlier.id}, which covers something else. Nothing was stopped by this request: leave the key out, or use a new one.`,
  );
}

/** `GET /v1/stops/{id}`, by our rows: nothing is asked of the exchange. */
export function getStop(deps: ToStop, { account }: Caller, givenId: string): string {
  return JSON.stringify(stopShown(deps, requireStop(deps, account.id, givenId)));
}

/** Throws `invalid_id` or `stop_not_found`. */
export function requireStop({ store }: With<"store">, accountId: string, givenId: string): Stop {
  const id = givenId.toLowerCase();
  if (!isUuid(id)) throw new ApiError("invalid_id", "`id` is the UUID of a stop.");
  const stop = findStop(store, id);
  if (stop === null || stop.accountId !== accountId)
    throw new ApiError("stop_not_found", "There is no such stop on this account.");
  return stop;
}

/** `GET /v1/stops`: those that stand, and those of which something is left to do. Newest first. */
export function listStops(deps: ToStop, { account }: Caller): string {
  const found = listStopsInForce(deps.store).filter(({ accountId }) => accountId === account.id);
  const newestFirst = found.toSorted((one, other) => other.createdAtMs - one.createdAtMs);
  return listText(
    newestFirst.map((stop) => stopShown(deps, stop)),
    null,
  );
}

function answerOf(deps: ToStop, stop: Stop): Pick<StopAnswer, "status" | "body"> {
  return { status: stopStatus(stop) === "stopping" ? 202 : 200, body: JSON.stringify(stopShown(deps, stop)) };
}

/** A stop with how far it has come. */
export function stopShown(deps: With<"flattener" | "stopper" | "store">, stop: Stop) {
  const outside = listOutside(deps.store, stop.id);
  const of = (outcome: "canceled" | "kept") =>
    outside
      .filter((row) => row.outcome === outcome)
      .slice(0, MAX_NAMED)
      .map(({ kind, nativeId, market }) => ({ kind, exchange_id: nativeId, market }));
  return {
    ...stopResource(stop),
    ...progressOf(deps.stopper.progressOf(stop)),
    outside: { is_done: stop.outsideAtMs !== null, canceled: of("canceled"), kept: of("kept") },
    flatten: flattenShown(deps, stop),
  };
}

/** How far what was held is closed; null where nobody asked for that. */
function flattenShown({ store, flattener }: With<"flattener" | "store">, { id }: Stop) {
  const flatten = findFlatten(store, id);
  if (flatten === null) return null;
  const { askedAtMs, endedAtMs, maxSlippageBps, left } = flatten;
  const end = left.length === 0 ? ("flat" as const) : ("left" as const);
  return {
    status: endedAtMs === null ? ("flattening" as const) : end,
    asked_at: isoTime(askedAtMs),
    ended_at: endedAtMs === null ? null : isoTime(endedAtMs),
    max_slippage_bps: maxSlippageBps,
    order_ids: listSteps(store, flatten)
      .slice(-MAX_NAMED)
      .map((order) => order.id),
    waits_for: endedAtMs === null ? waitsShown(flattener.waitsOf(id) ?? notBegun(askedAtMs)) : [],
    left: left.map(({ market, size, reason }) => ({ market, size, reason })),
  };
}

/** Its first round is to come. */
function notBegun(sinceMs: number): Wait[] {
  return waitsSince([], [{ reason: "position_not_read", sinceMs }], sinceMs);
}

function waitsShown(waits: readonly Wait[]) {
  return waits.slice(0, MAX_NAMED).map(waitResource);
}

function progressOf({ remaining, waits, kept }: StopProgress) {
  const { openTwaps, runningTwaps, unusedNumbers } = remaining;
  const ordersUnsure = unusedNumbers.flatMap(({ order }) => order ?? []);
  const twapsUnsure = unusedNumbers.flatMap(({ twap }) => twap ?? []);
  const orders = [...new Map([...remaining.orders, ...ordersUnsure].map((order) => [order.id, order])).values()];
  const operations = [...runningTwaps, ...twapsUnsure];
  const twaps = new Set([...openTwaps.map(({ resource }) => resource.id), ...operations.map(({ id }) => id)]);
  return {
    remaining: {
      orders: orders.length,
      order_ids: orders.slice(0, MAX_NAMED).map(({ id }) => id),
      twaps: twaps.size,
      twap_operation_ids: [...twaps].slice(0, MAX_NAMED),
    },
    waits_for: waitsShown(waits),
    kept: { orders: kept.length, order_ids: kept.slice(0, MAX_NAMED).map(({ id }) => id) },
  };
}
