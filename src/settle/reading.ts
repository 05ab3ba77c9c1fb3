import type { Attempt } from "../core/attempt.ts";
import type { InfoOptions, InfoRequest } from "../exchange/exchange.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { burnNonce, isNoopDue, sealIfExpired, shownAfterMs } from "./seal.ts";

/** A reading of the exchange's state, and whether the action can still change it. */
export type SealedReading = {
  json: unknown;
  /** True when the exchange's own time had reached the signing before the reading. */
  isAfterSigning: boolean;
  /** True when the exchange's own time had passed the seal before the reading: what it shows is final. */
  isFinal: boolean;
  attempt: Attempt;
};

/**
 * Reads something that an action without an order id changes, after doing what there is to do about its seal. Null
 * when it could not be read.
 */
export async function readSealed(
  tools: Tools,
  attempt: Attempt,
  about: { pursuit: Pursuit; user: string; request: InfoRequest },
): Promise<SealedReading | null> {
  const { world } = tools;
  const { pursuit, user, request } = about;
  const options: InfoOptions = { purpose: "settle", onNewConnection: pursuit.looks % 2 === 1 };
  const timed = await tools.chainTime.readWith(user, [request], options);
  if (timed === null) return null;
  const sealed = sealIfExpired(world, attempt, timed.chainTimeMs);
  const isFinal = sealed.seal !== null && timed.chainTimeMs > shownAfterMs(sealed, pursuit);
  const isAfterSigning = timed.chainTimeMs >= attempt.nonce;
  return { json: timed.json[0], isAfterSigning, isFinal, attempt: sealed };
}

/** Burns the nonce of an operation whose effect has not been seen, once every few seconds while it can still land. */
export async function sealOperation(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<void> {
  const { world } = tools;
  if (attempt.seal !== null || !isNoopDue(pursuit.lastNoopElapsedMs, world.clock.elapsedMs())) return;
  pursuit.lastNoopElapsedMs = world.clock.elapsedMs();
  const burnt = await burnNonce(world, attempt);
  if (burnt.seal !== null) pursuit.sealedAtMs = world.exchange.nowMs();
}

/** After this long without proof nobody looks any more, elapsed milliseconds. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

/** Equal final readings that it takes to say that an action had no effect. */
const FINAL_READINGS = 2;

/** Counts a final reading; true when there were enough of them. */
export function isConfirmed(tools: Tools, pursuit: Pursuit): boolean {
  pursuit.finalReadings += 1;
  pursuit.sealedElapsedMs ??= tools.world.clock.elapsedMs();
  return pursuit.finalReadings >= FINAL_READINGS;
}

/** True when an operation has been sealed for so long that it will not be proven any more. */
export function isGivenUp(tools: Tools, pursuit: Pursuit): boolean {
  pursuit.sealedElapsedMs ??= tools.world.clock.elapsedMs();
  return tools.world.clock.elapsedMs() - pursuit.sealedElapsedMs >= GIVE_UP_AFTER_MS;
}
