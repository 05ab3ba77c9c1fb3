/**
 * An alert arrives: stored before it is answered, and carried out after. Whoever sends it waits for three seconds and sends it
 * again; the same is one, however often it comes.
 */
import { timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../../core/canonical-json.ts";
import { ApiError } from "../../core/errors.ts";
import { type Alert, parseAlert } from "../../core/hook/alert.ts";
import type { Delivery, Hook } from "../../core/hook/hook.ts";
import { judgeAlert } from "../../core/hook/judged-alert.ts";
import { isSameAgain } from "../../core/hook/same-again.ts";
import { canonicalName } from "../../core/market.ts";
import { isWithin } from "../../core/rails/networks.ts";
import type { With } from "../../deps.ts";
import { inTransaction } from "../../store/commit.ts";
import {
  countRepeat,
  findDelivery,
  findSame,
  forgetDeliveries,
  heardMsOf,
  insertDelivery,
  newestAlertMs,
  noteHeard,
  supersede,
} from "../../store/hook-deliveries.ts";
import { findHookBySecret } from "../../store/hooks.ts";
import { sha256Hex } from "../../wire/sha256.ts";
import { hookKey } from "./hook-key.ts";

/** Less than a gateway has: an alert is stored also before the passphrase has been checked and the exchange has been read. */
export type ToReceive = With<"clock" | "store"> & {
  markets: Pick<With<"markets">["markets"], "current">;
  state: Pick<With<"state">["state"], "phase" | "writesStoppedBecause">;
};

/**
 * The hook that this address opens. Throws `route_not_found`, the same for one that never was and one that is no more, and in
 * words of its own for one on hold; and `source_not_allowed`.
 *
 * @param address whence the request comes
 */
export function openHook({ store }: With<"store">, secret: string, address: string): Hook {
  const hash = sha256Hex(secret);
  const hook = findHookBySecret(store, hash);
  const isSame = hook !== null && timingSafeEqual(Buffer.from(hook.secretHash), Buffer.from(hash));
  if (isSame && hook.state === "held") throw new ApiError("route_not_found", HELD);
  if (hook === null || !isSame || hook.state !== "active")
    throw new ApiError("route_not_found", "There is nothing here.");
  if (!isFromThere(hook.sources, address) || !isFromThere(hookKey(store, hook)?.sources ?? null, address))
    throw new ApiError("source_not_allowed", "This hook takes nothing from this address.");
  return hook;
}

/** To whoever has the address. It may have been revoked after the backup, so it takes nothing until the operator says that it was not. */
const HELD = "This hook is on hold since the gateway was restored from a backup. Nothing was done.";

function isFromThere(sources: string | readonly string[] | null, address: string): boolean {
  return sources === null || isWithin(address, typeof sources === "string" ? sources.split(",") : sources);
}

/** What came; `value` null where it is no usable JSON, with the reason. */
export type Arrived = { text: string; json: { kind: "value"; value: unknown } | { kind: "fault"; reason: string } };

export type Received = { delivery: Delivery; isRepeat: boolean };

/** On the disk when it returns. Throws `not_ready` during the trial of an upgrade, which may be taken back with all it stored. */
export function receiveAlert(deps: ToReceive, hook: Hook, { text, json }: Arrived): Received {
  const { store, clock, state } = deps;
  if (state.phase === "trial") throw new ApiError("not_ready", "An upgrade of the gateway is being checked.");
  if (state.writesStoppedBecause !== null) throw new ApiError("storage_unavailable", "Nothing can be stored now.");
  const nowMs = clock.nowMs();
  const parsed = json.kind === "value" ? parseAlert(hook, json.value) : json;
  const said = parsed.kind === "alert" ? parsed.alert : null;
  // As it was said: what is the same must not hang on whether the list of markets has been read.
  const identity = sha256Hex(said === null ? text : canonicalJson(said));
  const alert = said === null ? null : { ...said, market: marketOf(deps, said) };
  return inTransaction(store, () => {
    const same = findSame(store, hook.id, identity);
    if (same !== null && (alert?.atMs != null || isSameNow(deps, hook, same))) {
      countRepeat(store, same.id);
      return { delivery: same, isRepeat: true };
    }
    const judged =
      alert === null ? refused("reason" in parsed ? parsed.reason : "") : judge(store, hook, { alert, nowMs });
    const delivery = insertDelivery(store, {
      hookId: hook.id,
      receivedAtMs: nowMs,
      // What is refused here has no say in which is the newest.
      alertAtMs: judged.status === "refused" ? null : (alert?.atMs ?? null),
      market: judged.status === "refused" ? null : (alert?.market ?? null),
      body: text.slice(0, MAX_KEPT),
      identity,
      ...judged,
      endedAtMs: judged.status === "accepted" ? null : nowMs,
    });
    noteHeard(store, delivery.id, clock.elapsedMs());
    if (alert?.kind === "target" && judged.status === "accepted") supersede(store, delivery, nowMs);
    forgetDeliveries(store, hook.id, KEPT_DELIVERIES);
    return { delivery: findDelivery(store, delivery.id) ?? delivery, isRepeat: false };
  });
}

function isSameNow({ store, clock }: With<"clock" | "store">, hook: Hook, earlier: Delivery): boolean {
  const heardMs = heardMsOf(store, earlier.id);
  return isSameAgain(hook, { ...earlier, heardMs }, { wallMs: clock.nowMs(), elapsedMs: clock.elapsedMs() });
}

/** By its canonical name, as what is held there is kept; as it was said while the exchange's list has not been read. */
function marketOf({ markets }: Pick<ToReceive, "markets">, { market }: Alert): string {
  const universe = markets.current();
  return universe === null ? market : canonicalName(universe, market);
}

/** Characters of a body that are kept. */
const MAX_KEPT = 4_096;
/** Of one hook: more than come in the longest time for which an alert may be carried out. */
const KEPT_DELIVERIES = 20_000;
type AsDelivered = Pick<Delivery, "status" | "reason">;

function refused(reason: string): AsDelivered {
  return { status: "refused", reason };
}

/** What an alert comes to that can be read, as far as it can be said at once. */
function judge(
  store: With<"store">["store"],
  hook: Hook,
  { alert, nowMs }: { alert: Alert; nowMs: number },
): AsDelivered {
  const newestMs = alert.kind === "target" ? newestAlertMs(store, hook.id, alert.market) : null;
  const judged = judgeAlert(hook, alert, { nowMs, newestMs });
  return judged.status === "in_time" ? { status: hook.isRehearsal ? "rehearsed" : "accepted", reason: null } : judged;
}
