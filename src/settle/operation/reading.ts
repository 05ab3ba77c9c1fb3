import { type Attempt, endsAtMs, WITNESS_SPACING_MS } from "../../core/attempt.ts";
import { WITNESSES_NEEDED } from "../../core/evidence.ts";
import type { InfoRequest } from "../../exchange/exchange.ts";
import { burnWhenDue } from "../evidence/absence.ts";
import { countRefusalReading, type Pursuit, type Tools } from "../pursuit.ts";

/** A reading of what an action without an order id changes, made when something was known of its number. */
export type EffectReading = { json: unknown; attempt: Attempt };

/**
 * Asks for the number of an operation, then reads what the operation changes. Null when it could not be read. Nothing of
 * it says when the server that answered was last up to date, but what stands in the answer itself.
 */
export async function readEffect(
  tools: Tools,
  attempt: Attempt,
  about: { pursuit: Pursuit; request: InfoRequest },
): Promise<EffectReading | null> {
  const { pursuit, request } = about;
  const burnt = await burnWhenDue(tools, attempt, pursuit);
  const onNewConnection = pursuit.looks % 2 === 1;
  const outcome = await tools.world.exchange.info(request, { purpose: "settle", onNewConnection });
  return outcome.kind === "failed" ? null : { json: outcome.json, attempt: burnt };
}

/**
 * Counts an answer that shows no effect and itself holds something from after the end of the action; true when there were
 * enough of them.
 *
 * @param newestAtMs exchange time of the newest thing in the answer, unix milliseconds; null when it tells none
 */
export function isEffectWitnessedAbsent(
  tools: Tools,
  { attempt, pursuit, newestAtMs }: { attempt: Attempt; pursuit: Pursuit; newestAtMs: number | null },
): boolean {
  const nowMs = tools.world.clock.elapsedMs();
  if (newestAtMs === null || newestAtMs <= endsAtMs(attempt)) return false;
  const last = pursuit.lastWitnessElapsedMs;
  if (last !== null && nowMs - last < WITNESS_SPACING_MS) return false;
  pursuit.lastWitnessElapsedMs = nowMs;
  pursuit.witnesses += 1;
  return pursuit.witnesses >= WITNESSES_NEEDED;
}

/**
 * The exchange's own words, where it refused an operation in some that are not listed, something of ours took its number, and two
 * readings, apart, show nothing of it, and none before them did: what was refused may be a copy beside one that was carried out,
 * and a server that is behind shows none of that. Else null.
 */
export function heardRefusal(
  { world }: Tools,
  { hasLanded }: Attempt,
  { pursuit, isShown }: { pursuit: Pursuit; isShown: boolean },
): string | null {
  pursuit.isRefusalDoubted ||= isShown;
  if (pursuit.refusal === null || !hasLanded || pursuit.isRefusalDoubted) return null;
  countRefusalReading(pursuit, world.clock.elapsedMs());
  return pursuit.refusalReadings >= WITNESSES_NEEDED ? pursuit.refusal : null;
}

/** After this long without proof nobody looks any more, elapsed milliseconds. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

/** True when an operation can have run no more for so long that it will not be proven any more. */
export function isGivenUp({ world }: Tools, attempt: Attempt, pursuit: Pursuit): boolean {
  if (attempt.seal === null && world.exchange.nowMs() <= endsAtMs(attempt)) return false;
  pursuit.endedElapsedMs ??= world.clock.elapsedMs();
  return world.clock.elapsedMs() - pursuit.endedElapsedMs >= GIVE_UP_AFTER_MS;
}
