/** What becomes of requests of a quiet account while its faults last: most of what places is lost, and so are the empty actions that ask for it. */
import type { Chance } from "./chance.ts";
import { type AnswerFate, directly, type Fate, type FateOf } from "./network.ts";

type Rates = { never: number; unheard: number; late: number };

/** By what an action does; of one run all of them alike, or only some. */
const RATES: readonly Rates[] = [
  { never: 0.45, unheard: 0.3, late: 0.1 },
  { never: 0.2, unheard: 0.5, late: 0.1 },
  { never: 0.8, unheard: 0.1, late: 0 },
  { never: 0.1, unheard: 0.1, late: 0.3 },
];

const RESET: AnswerFate = { kind: "error", code: "ECONNRESET", afterMs: 50 };
/** Longest that one is held back, milliseconds. */
const LATE_MS = 9_000;

export function drawQuietFates(chance: Chance, untilMs: number): FateOf {
  const rates = chance.pick(RATES);
  const ofNoops = chance.pick([...RATES, { never: 0, unheard: 1, late: 0 }, { never: 0, unheard: 1, late: 0 }]);
  const blindRate = chance.pick([0, 0, 0.3]);
  return ({ path, body, atMs }) => {
    if (atMs >= untilMs) return directly(chance.between(1, 40));
    if (path === "/info") {
      if (chance.isLucky(0.08)) return { arrivesAfterMs: [], answer: RESET };
      return {
        ...directly(chance.between(1, 60)),
        isBlind: body.includes('"orderStatus"') && chance.isLucky(blindRate),
      };
    }
    return fateOf(chance, body.includes('"type":"noop"') ? ofNoops : rates);
  };
}

function fateOf(chance: Chance, { never, unheard, late }: Rates): Fate {
  const answer: AnswerFate = chance.isLucky(0.5) ? RESET : { kind: "silence" };
  if (chance.isLucky(never)) return { arrivesAfterMs: [], answer };
  if (chance.isLucky(unheard)) return { arrivesAfterMs: [chance.between(1, 60)], answer };
  if (chance.isLucky(late)) return { arrivesAfterMs: [chance.between(1, LATE_MS)], answer };
  return directly(chance.between(1, 60));
}
