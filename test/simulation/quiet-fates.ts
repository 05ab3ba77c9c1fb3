/** What becomes of requests of a quiet account while its faults last: most of what places is lost, and so are the empty actions that ask for it. */
import { type Chance, openChance } from "./chance.ts";
import { drawLags, type Lags, LONG_LAG, lagOf } from "./lags.ts";
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

/** Bits by which the seed of how far stores are behind differs from that of everything else: whatever else a seed draws has stayed. */
const LAG_STREAM = 0x09e1_e702;
/** Stores may be behind for so much longer than answers are lost, milliseconds: a server that lags is no fault that somebody mends. */
const BEHIND_FOR_MS = [0, 180_000, Number.POSITIVE_INFINITY] as const;

/** How far the stores of a quiet account are behind, and how long after its faults. */
export type QuietLags = { lags: Lags; chance: Chance; forMs: number };

export function drawQuietLags(seed: number): QuietLags {
  const chance = openChance(seed ^ LAG_STREAM);
  const lags = drawLags(chance, LONG_LAG);
  return { lags, chance, forMs: chance.pick(BEHIND_FOR_MS) };
}

export function hasLags({ lags }: QuietLags): boolean {
  return Object.keys(lags).length > 0;
}

export function drawQuietFates(chance: Chance, untilMs: number, behind: QuietLags): FateOf {
  const rates = chance.pick(RATES);
  const ofNoops = chance.pick([...RATES, { never: 0, unheard: 1, late: 0 }, { never: 0, unheard: 1, late: 0 }]);
  const blindRate = chance.pick([0, 0, 0.3]);
  const lagMsOf = (body: string) => lagOf(behind.lags, behind.chance, body);
  return ({ path, body, atMs }) => {
    if (atMs >= untilMs + behind.forMs) return directly(chance.between(1, 40));
    if (atMs >= untilMs) return { ...directly(chance.between(1, 40)), lagMs: lagMsOf(body) };
    if (path === "/info") {
      if (chance.isLucky(0.08)) return { arrivesAfterMs: [], answer: RESET };
      return {
        ...directly(chance.between(1, 60)),
        lagMs: lagMsOf(body),
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
