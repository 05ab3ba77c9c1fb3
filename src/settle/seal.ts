import { type Attempt, EXPIRY_MARGIN_MS, mayNoop, NOOP_SPACING_MS, sealByNoop, sealByTime } from "../core/attempt.ts";
import type { World } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { updateAttempt } from "../store/attempts.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import { noopAnswer } from "../wire/answer/reply.ts";
import { note } from "./note.ts";
import type { Pursuit } from "./pursuit.ts";
import { openAttempt } from "./record.ts";
import { sendNoop } from "./send.ts";

/** Notes the seal that chain time alone gives. */
export function sealIfExpired(world: World, attempt: Attempt, chainTimeMs: number): Attempt {
  const seal = sealByTime(attempt, chainTimeMs);
  if (seal === attempt.seal) return attempt;
  inTransaction(world.store, () => {
    updateAttempt(world.store, attempt.id, { seal });
    note(world, attempt, "sealed", `exchange time ${chainTimeMs} is past the action's expiry ${attempt.expiresAtMs}`);
  });
  return { ...attempt, seal };
}

/**
 * Exchange time that a state has to have passed to show all that the action did, unix milliseconds. Our noop took the
 * nonce: at once. Something else took it, perhaps the action itself: when, we could only tell by our idea of the
 * exchange's time, which is behind while all that was read came from nodes that stand still. The expiry is certain.
 */
export function shownAfterMs(attempt: Attempt, pursuit: Pursuit): number {
  const expiredAtMs = attempt.expiresAtMs + EXPIRY_MARGIN_MS;
  return attempt.seal === "noop" ? Math.min(pursuit.sealedAtMs ?? expiredAtMs, expiredAtMs) : expiredAtMs;
}

/**
 * Burns the attempt's nonce with a `noop`, counted on disk before it is sent, and notes what its answer proves.
 * Does nothing where a noop could prove nothing, and none while the account's actions are used up: it would only be
 * refused, or take the one in 10 seconds that an order could have. The expiry seals some seconds later.
 */
export async function burnNonce(world: World, attempt: Attempt): Promise<Attempt> {
  if (!mayNoop(attempt, world.exchange.nowMs()) || !hasActionsLeft(world, attempt)) return attempt;
  await world.point("settle_before_noop");
  const counted = countNoop(world, attempt);
  if (counted === null) return attempt;
  const reply = await sendNoop(world, counted);
  const answer = reply.kind === "ambiguous" && reply.reason === "no_answer" ? "no_information" : noopAnswer(reply);
  // The action's own answer, or a look-up, may have settled it meanwhile.
  const now = openAttempt(world.store, attempt.id);
  if (now === null) return counted;
  const proven = sealByNoop(now, answer, world.exchange.nowMs());
  const change = { seal: proven.seal, hasLanded: proven.hasLanded };
  inTransaction(world.store, () => {
    updateAttempt(world.store, attempt.id, change);
    note(world, attempt, "noop answered", answer);
  });
  return { ...now, ...change };
}

function hasActionsLeft({ store, allowance }: World, { accountId }: Attempt): boolean {
  const trader = findAccount(store, accountId)?.tradingAddress ?? null;
  return trader === null || allowance.fits(trader, "settle");
}

/** The count of the row as it stands now, with its audit row, on disk before the noop is signed; null when it is settled. */
function countNoop(world: World, attempt: Attempt): Attempt | null {
  return inTransaction(world.store, () => {
    const now = openAttempt(world.store, attempt.id);
    if (now === null) return null;
    const noops = now.noops + 1;
    updateAttempt(world.store, now.id, { noops });
    note(world, now, "noop sent", `on nonce ${now.nonce}, number ${noops}`);
    appendAudit(world.store, {
      atMs: world.clock.nowMs(),
      actor: "gateway",
      event: "sign_noop",
      reference: now.resource.id,
      detail: { signer: now.signer, nonce: now.nonce, number: noops },
    });
    return { ...now, noops };
  });
}

/** True when enough time has passed since the last noop of this attempt. */
export function isNoopDue(lastNoopElapsedMs: number | null, elapsedMs: number): boolean {
  return lastNoopElapsedMs === null || elapsedMs - lastNoopElapsedMs >= NOOP_SPACING_MS;
}
