import { type Attempt, mayNoop, NOOP_SPACING_MS, sealByNoop, sealByTime } from "../core/attempt.ts";
import type { World } from "../deps.ts";
import { updateAttempt } from "../store/attempts.ts";
import { inTransaction } from "../store/commit.ts";
import { noopAnswer } from "../wire/answer/reply.ts";
import { note } from "./note.ts";
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
 * Burns the attempt's nonce with a `noop`, counted on disk before it is sent, and notes what its answer proves.
 * Does nothing where a noop could prove nothing.
 */
export async function burnNonce(world: World, attempt: Attempt): Promise<Attempt> {
  if (!mayNoop(attempt, world.exchange.nowMs())) return attempt;
  await world.point("settle_before_noop");
  const counted = { ...attempt, noops: attempt.noops + 1 };
  inTransaction(world.store, () => {
    updateAttempt(world.store, attempt.id, { noops: counted.noops });
    note(world, attempt, "noop sent", `on nonce ${attempt.nonce}, number ${counted.noops}`);
  });
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

/** True when enough time has passed since the last noop of this attempt. */
export function isNoopDue(lastNoopElapsedMs: number | null, elapsedMs: number): boolean {
  return lastNoopElapsedMs === null || elapsedMs - lastNoopElapsedMs >= NOOP_SPACING_MS;
}
