import { type Attempt, endsAtMs, WITNESS_SPACING_MS } from "../../core/attempt.ts";
import { BEHIND_MS, WITNESSES_NEEDED } from "../../core/evidence.ts";
import type { With } from "../../deps.ts";
import type { InfoRequest } from "../../exchange/exchange.ts";
import { burnWhenDue } from "../evidence/absence.ts";
import { countRefusalReading, type Pursuit, type Tools } from "../pursuit.ts";
import { tellPending } from "./operation.ts";

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
 * Up to when an answer of now has everything, exchange time, unix milliseconds: by the newest thing in it, and because no server is
 * further behind. The latter not while nothing is known of the number: by a clock that is wrong it may be called over and still run.
 */
export function completeToMs({ world }: Tools, { seal }: Attempt, newestAtMs: number | null): number | null {
  return seal === "nonce_taken" ? Math.max(newestAtMs ?? 0, world.exchange.nowMs() - BEHIND_MS) : newestAtMs;
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

const NUMBER_UNKNOWN =
  "whether its number was used is being asked for; before that is known, what the exchange shows proves nothing.";

/** Says what is waited for, once it can run no more: until then nearly all are settled. */
export function tellWaiting(world: With<"clock" | "exchange" | "store">, attempt: Attempt, words: string): void {
  if (world.exchange.nowMs() <= endsAtMs(attempt)) return;
  tellPending(world, attempt, attempt.seal === null ? NUMBER_UNKNOWN : words);
}

/** After this long without proof nobody looks any more, elapsed milliseconds. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

/** True when an operation can have run no more for so long that it will not be proven any more. */
export function isGivenUp({ world }: Tools, attempt: Attempt, pursuit: Pursuit): boolean {
  if (attempt.seal === null && world.exchange.nowMs() <= endsAtMs(attempt)) return false;
  pursuit.endedElapsedMs ??= world.clock.elapsedMs();
  return world.clock.elapsedMs() - pursuit.endedElapsedMs >= GIVE_UP_AFTER_MS;
}
