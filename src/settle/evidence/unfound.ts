/**
 * An order of which no answer came, that nothing shows, and of which nothing can newly come, in an account that does nothing else: its
 * history never goes on past it. A cancel by its client order id asks the exchange itself; the one that is armed for it goes on asking
 * (`settle/cancel/misses`). That tells that it is not open, and nothing of its size: that the fills tell, which have to be known up to then.
 */
import type { Attempt } from "../../core/attempt.ts";
import { areFillsAll, CLOCK_DOUBT_MS, isUnfound, WITNESSES_NEEDED } from "../../core/evidence.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { findProvenWholeTo } from "../../store/short-of-fills.ts";
import { canCome, wordOfLost } from "../cancel/misses.ts";
import { mayHaveFills } from "../look/unnamed.ts";
import type { Pursuit, Tools } from "../pursuit.ts";
import { compareHolding } from "./position-check.ts";

/** Shortest time between two positions that count, milliseconds: fills and positions may come from one place that is on its way. */
const SPACING_MS = 20_000;

/** Counts a sweep that shows nothing of it. One that may show it without its name begins anew: what was unseen before may have been it. */
export async function countUnfound(
  tools: Tools,
  attempt: Attempt,
  pursuit: Pursuit,
  hasLacked: boolean,
): Promise<void> {
  const { world, soughtOf } = tools;
  const nowMs = world.clock.elapsedMs();
  if (!hasLacked || canCome(world, attempt)) {
    pursuit.unseenSinceElapsedMs = null;
    pursuit.unfound = null;
    return;
  }
  pursuit.unseenSinceElapsedMs ??= nowMs;
  if (!isNotThere(tools, attempt, pursuit)) {
    pursuit.unfound = null;
    return;
  }
  const byNowMs = world.exchange.nowMs() + CLOCK_DOUBT_MS;
  pursuit.unfound ??= { byMs: byNowMs, unmoved: 0, lastElapsedMs: nowMs - SPACING_MS };
  const { unfound } = pursuit;
  unfound.byMs = keptMoment(unfound.byMs, byNowMs);
  if (nowMs - unfound.lastElapsedMs < SPACING_MS) return;
  unfound.lastElapsedMs = nowMs;
  const about = { ...soughtOf(attempt), read: [], sinceMs: unfound.byMs };
  const position = await compareHolding(world, about, { purpose: "settle" });
  unfound.unmoved = position === "unmoved" ? unfound.unmoved + 1 : 0;
}

/** Asked anew where it is concluded: the list of markets may be doubted, or a fill have come, meanwhile. */
export function isProvenUnfound(tools: Tools, attempt: Attempt, pursuit: Pursuit): boolean {
  const { world, soughtOf } = tools;
  const { unfound } = pursuit;
  if (unfound === null || !isNotThere(tools, attempt, pursuit)) return false;
  // A fill may come without a client order id, and its position stands where it has left it.
  if (mayHaveFills(world, soughtOf(attempt), [])) return false;
  return (
    unfound.unmoved >= WITNESSES_NEEDED ||
    areFillsAll(findProvenWholeTo(world.store, attempt.accountId, attempt.nonce - CLOCK_DOUBT_MS), unfound.byMs)
  );
}

function isNotThere({ world, misses }: Tools, attempt: Attempt, { unseenSinceElapsedMs }: Pursuit): boolean {
  const leg = attempt.cloid === null ? null : findLegByCloid(world.store, attempt.cloid);
  if (leg === null || unseenSinceElapsedMs === null) return false;
  const unseenForMs = world.clock.elapsedMs() - unseenSinceElapsedMs;
  const word = wordOfLost(world, misses, leg)?.word ?? null;
  return isUnfound(word, { canCome: canCome(world, attempt), unseenForMs });
}
