/** Servers whose clock is wrong: for one answer, or for a stretch. */
import type { Chance } from "../chance.ts";
import { NODES } from "../network.ts";
import type { Lens } from "./lens.ts";

export type Clocks = {
  /** Chance that one answer tells a wrong time. */
  answerRate: number;
  /** One server that is wrong for a while, by always the same. */
  stretch: { node: number; fromMs: number; toMs: number; wrongByMs: number } | null;
};

const WRONG_BY_MS = [60_000, 600_000, 3_600_000, 86_400_000] as const;

export function drawClocks(chance: Chance, untilMs: number): Clocks {
  if (chance.isLucky(0.6)) return { answerRate: 0.05, stretch: null };
  const fromMs = chance.between(0, untilMs);
  const toMs = Math.min(untilMs, fromMs + chance.pick([5_000, 20_000, 60_000]));
  const node = chance.between(0, NODES - 1);
  return { answerRate: 0, stretch: { node, fromMs, toMs, wrongByMs: drawWrong(chance) } };
}

/** By how much a clock may be wrong, milliseconds. */
export const MOST_WRONG_MS = 86_400_000;

function drawWrong(chance: Chance): number {
  return chance.pick(WRONG_BY_MS) * chance.pick([-1, 1]);
}

/** @param nowMs virtual time of the run, which ends being wrong at `untilMs` */
export function wrongClocks(
  { answerRate, stretch }: Clocks,
  chance: Chance,
  times: { nowMs: () => number; untilMs: number },
): Lens {
  return (request, answer, node) => {
    const nowMs = times.nowMs();
    if (request.type !== "exchangeStatus" || nowMs >= times.untilMs) return answer;
    // Shape of the paper exchange's own reader.
    const { time, ...rest } = answer as { time: number };
    if (stretch !== null && stretch.node === node && nowMs >= stretch.fromMs && nowMs < stretch.toMs)
      return { time: time + stretch.wrongByMs, ...rest };
    return chance.isLucky(answerRate) ? { time: time + drawWrong(chance), ...rest } : answer;
  };
}
