import { finalInMs, judgeSize, type SizeReading, type SizeVerdict } from "../../core/evidence.ts";
import { keptMoment } from "../../core/kept-moment.ts";
import type { Fill } from "../../wire/answer/fills.ts";
import { type EndLists, keepEndLists } from "./end-lists.ts";
import { type FillsUnderWay, shareFillReadings } from "./fill-readings.ts";
import { type PositionsUnderWay, sharePositionReadings } from "./position-readings.ts";

/** What was read of closed orders. Losing it in a crash only makes the next ones more. */
export type FillEvidence = {
  /** Notes a reading, and says what all of the same order come to. */
  judge(name: string, reading: SizeReading): SizeVerdict;
  /**
   * In how long another reading like the newest would make its size final, milliseconds; null where it would not, or is final.
   *
   * @param sinceElapsedMs our monotonic time, milliseconds: a reading of before that says nothing of what is to be asked next
   */
  finalInMs(name: string, sinceElapsedMs: number): number | null;
  /** By when it was over, by the exchange's time: as it was said at first. @param nowMs by then it is, unix milliseconds */
  overByMs(name: string, nowMs: number): number;
  /** A record has said that it is over, or that nothing is left of it: one that shows it open may be of before that. */
  noteSaidOver(name: string): void;
  wasSaidOver(name: string): boolean;
  /**
   * Fills of an account that were read for one of its orders: what the others were filled is in them too, and what a bot holds is never
   * told by a part of an answer.
   */
  heedFills(accountId: string, fills: readonly Fill[]): void;
  /** What bears out that they are over. */
  lists: EndLists;
  /** The fills by which they are judged. */
  fills: FillsUnderWay;
  /** What positions were when they were over. */
  positions: PositionsUnderWay;
};

/** Orders whose evidence is being gathered at once; past it the oldest starts over. */
const MAX_ORDERS = 10_000;
/** Readings kept of one order: the oldest and the newest ones. */
const MAX_READINGS = 100;

/** @param onFills who is told of fills that were read for one order */
export function gatherFillEvidence(onFills: FillEvidence["heedFills"] = () => undefined): FillEvidence {
  const readings = new Map<string, SizeReading[]>();
  const overBy = new Map<string, number>();
  const saidOver = new Set<string>();
  return {
    lists: keepEndLists(),
    fills: shareFillReadings(),
    positions: sharePositionReadings(),
    heedFills: onFills,
    overByMs(name, nowMs) {
      const known = overBy.get(name);
      const overByMs = keptMoment(known ?? null, nowMs);
      if (known === overByMs) return known;
      const oldest = overBy.keys().next().value;
      if (known === undefined && overBy.size >= MAX_ORDERS && oldest !== undefined) overBy.delete(oldest);
      overBy.set(name, overByMs);
      return overByMs;
    },
    noteSaidOver(name) {
      const [oldest] = saidOver;
      if (saidOver.size >= MAX_ORDERS && oldest !== undefined) saidOver.delete(oldest);
      saidOver.add(name);
    },
    wasSaidOver: (name) => saidOver.has(name),
    judge(name, reading) {
      const known = readings.get(name) ?? [];
      const kept = known.length < MAX_READINGS ? known : [...known.slice(0, 1), ...known.slice(2)];
      const all = [...kept, reading];
      const oldest = readings.keys().next().value;
      if (readings.size >= MAX_ORDERS && oldest !== undefined) readings.delete(oldest);
      readings.delete(name);
      // A closed order may be looked at again: what was proven once stays so.
      readings.set(name, all);
      return judgeSize(all);
    },
    finalInMs(name, sinceElapsedMs) {
      const known = readings.get(name) ?? [];
      return (known.at(-1)?.elapsedMs ?? -1) < sinceElapsedMs ? null : finalInMs(known);
    },
  };
}
