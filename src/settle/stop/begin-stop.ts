import type { Stop, StopCause, StopScope } from "../../core/stop.ts";
import { STOPPED_WORDS } from "../../core/trade.ts";
import { newUuid } from "../../core/uuid.ts";
import type { With } from "../../deps.ts";
import { newestAttemptId } from "../../store/attempts.ts";
import type { Store } from "../../store/open.ts";
import { covers, findStop, insertStop, listStandingStops, listStopsInForce } from "../../store/stops.ts";
import { withholdEntries } from "../../store/trades.ts";

export type WantedStop = {
  accountId: string;
  scope: StopScope;
  /** Of `bot`; null for `account`. */
  keyHash: string | null;
  cause: StopCause;
  keepsProtection: boolean;
  /** Key hash, `operator`, `owner` or `gateway`. */
  actor: string;
  idempotencyKey: string | null;
};

/**
 * Inside the caller's transaction: from its commit on it stands, whatever becomes of this process. Trades that it covers enter nothing
 * any more, which is written down here: by their times a clock that was set between would tell it wrong.
 */
export function beginStop(
  store: Store,
  { clock, randomBytes }: With<"clock" | "randomBytes">,
  wanted: WantedStop,
): Stop {
  const { actor, idempotencyKey, ...asked } = wanted;
  const stop: Stop = {
    id: newUuid(randomBytes(16)),
    ...asked,
    upTo: newestAttemptId(store),
    createdAtMs: clock.nowMs(),
    outsideAtMs: null,
    stoppedAtMs: null,
    resumedAtMs: null,
  };
  insertStop(store, stop, { actor, idempotencyKey });
  const { accountId, createdAtMs: atMs } = stop;
  withholdEntries(store, {
    accountId,
    isOf: ({ keyHash }) => covers(store, stop, keyHash),
    error: STOPPED_WORDS,
    atMs,
  });
  return stop;
}

/**
 * For a key that has ended: what it has placed and could still increase is withdrawn, once. Nothing of it comes after that,
 * because the key opens nothing any more. One that is still under way is gone on with.
 */
export function withdrawKey(
  store: Store,
  tools: With<"clock" | "randomBytes">,
  ended: Pick<WantedStop, "accountId" | "actor"> & { keyHash: string; cause: "key_blocked" | "key_revoked" },
): Stop {
  const wanted = { ...ended, scope: "bot", keepsProtection: true, idempotencyKey: null } as const;
  return withdrawalOf(store, ended) ?? beginStop(store, tools, wanted);
}

/** The stop that withdraws what a key has placed that has ended so; null where none is under way. */
export function withdrawalOf(store: Store, ended: Pick<Stop, "keyHash" | "cause">): Stop | null {
  const isIt = ({ keyHash, cause }: Stop) => keyHash === ended.keyHash && cause === ended.cause;
  return listStopsInForce(store).find(isIt) ?? null;
}

export type Alike = Pick<Stop, "accountId" | "scope" | "keyHash" | "keepsProtection">;

/** Those that stand and are for the same. */
export function listAlike(store: Store, wanted: Alike): Stop[] {
  const own = listStandingStops(store, wanted.accountId).flatMap(({ id }) => findStop(store, id) ?? []);
  return own.filter((stop) => isLike(stop, wanted));
}

/** So many that are for the same stand at most, each with a key of its own: whoever asks for more is shown the newest. */
const MAX_ALIKE = 4;

/** The newest of as many as can stand for the same; null while another may. */
export function newestOfMany(store: Store, wanted: Alike): Stop | null {
  const alike = listAlike(store, wanted).toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  return alike.length < MAX_ALIKE ? null : (alike[0] ?? null);
}

export function isLike(stop: Stop, wanted: Pick<Stop, "scope" | "keyHash" | "keepsProtection">): boolean {
  const { scope, keyHash, keepsProtection } = wanted;
  return stop.scope === scope && stop.keyHash === keyHash && stop.keepsProtection === keepsProtection;
}
