import type { Clock } from "../core/clock.ts";
import { buildUniverse, type Market, type Universe } from "../core/market.ts";
import { parsePerpDexs, perpMarkets, spotMarkets } from "../wire/answer/markets.ts";
import type { Exchange, InfoOutcome, InfoRequest, Markets, Purpose } from "./exchange.ts";
import { openMarketDoubts } from "./market-doubts.ts";

export type MarketsOptions = {
  exchange: Pick<Exchange, "info" | "budgetWaitS">;
  /** Perpetuals dexes besides the exchange's own. */
  dexes: readonly string[];
  clock: Clock;
};

/** Least time between two readings, milliseconds. Each costs 20 weight for the list of dexes, spot, and every dex. */
const REFRESH_SPACING_MS = 30_000;
/** The same between two that are urgent: something contradicts the list, or a rule of it would refuse an order. Milliseconds. */
const URGENT_SPACING_MS = 5_000;
/**
 * The universe is replaced as a whole or not at all: a reading of which a part is missing would have names point at
 * nothing, and an asset id may only come from the newest reading.
 */
export function openMarkets({ exchange, dexes, clock }: MarketsOptions): Markets {
  let universe: Universe | null = null;
  let readElapsedMs: number | null = null;
  let triedAtMs: number | null = null;
  let urgentAtMs: number | null = null;
  let running: Promise<Universe | null> | null = null;
  let wasRefused = false;
  const doubts = openMarketDoubts(clock);

  async function read(): Promise<Universe | null> {
    const before = universe;
    const weighDoubts = doubts.whenReadingBegins();
    const answer = await readMarkets(exchange, dexes, purposeOf(exchange, dexes, doubts.areAny()));
    wasRefused = answer === "refused";
    const markets = typeof answer === "string" ? null : answer;
    // The first reading is tried again at once; later ones have the last good one to go on with.
    if (markets === null && universe === null) triedAtMs = null;
    if (markets === null) return universe;
    const shown = buildUniverse(markets, clock.nowMs());
    if (doubts.isRefuted(shown)) return universe;
    universe = shown;
    readElapsedMs = clock.elapsedMs();
    weighDoubts(before, universe);
    return universe;
  }

  function spacingLeftMs(isUrgent: boolean): number {
    const [lastMs, spacingMs] = isUrgent ? [urgentAtMs, URGENT_SPACING_MS] : [triedAtMs, REFRESH_SPACING_MS];
    return lastMs === null ? 0 : Math.max(0, lastMs + spacingMs - clock.elapsedMs());
  }

  function refresh(how?: "urgently"): Promise<Universe | null> {
    if (running !== null) return running;
    const nowMs = clock.elapsedMs();
    // A doubt may be newer than the last reading, so it does not wait as long.
    const isUrgent = how === "urgently" || doubts.areAny();
    if (spacingLeftMs(isUrgent) > 0) return Promise.resolve(universe);
    triedAtMs = nowMs;
    if (isUrgent) urgentAtMs = nowMs;
    running = read().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    current: () => universe,
    nextReading: () => {
      const spacingS = Math.ceil(spacingLeftMs(doubts.areAny()) / 1_000);
      const budgetS = exchange.budgetWaitS(purposeOf(exchange, dexes, doubts.areAny()), requestsFor(["", ...dexes]));
      return { isOurBudget: wasRefused, waitS: Math.max(1, spacingS, budgetS) };
    },
    ageMs: () => (readElapsedMs === null ? null : clock.elapsedMs() - readElapsedMs),
    refresh,
    doubt(name, doubt) {
      doubts.doubt(name, doubt);
      void refresh();
    },
    suspect(name) {
      doubts.suspect(name);
      void refresh();
    },
    doubtOf: doubts.doubtOf,
    isSuspected: doubts.isSuspected,
    confirm: doubts.confirm,
    heedSilence: doubts.confirm,
    isWordDue: doubts.isWordDue,
  };
}

/** While something contradicts the list, orders wait for it: then it may use the weight that is kept for them where its own share is used up. */
function purposeOf(exchange: Pick<Exchange, "budgetWaitS">, dexes: readonly string[], isDoubted: boolean): Purpose {
  const isKeptFor = isDoubted && exchange.budgetWaitS("settle", requestsFor(["", ...dexes])) > 0;
  return isKeptFor ? "reduce" : "settle";
}

/** `refused`: our own weight had no room for all of it. */
async function readMarkets(
  exchange: Pick<Exchange, "info">,
  dexes: readonly string[],
  purpose: Purpose,
): Promise<Market[] | "failed" | "refused"> {
  let isRefused = false;
  const ask = async (request: InfoRequest) => {
    const outcome = await exchange.info(request, { purpose });
    isRefused ||= outcome.kind === "failed" && outcome.waitS !== undefined;
    return jsonOf(outcome);
  };
  const dexList = parsePerpDexs(await ask(DEXES));
  if (dexList === null) return isRefused ? "refused" : "failed";
  // A configured dex that the exchange does not list (any more) has no markets.
  const wanted = dexList.filter(({ index, name }) => index === 0 || dexes.includes(name));
  const lists = await Promise.all([
    ask(SPOT).then(spotMarkets),
    ...wanted.map(({ index, name }) => ask(metaOf(name)).then((json) => perpMarkets(index, name, json))),
  ]);
  const [spot = null, ...perpetuals] = lists;
  const all = [...perpetuals, spot];
  const known = all.filter((list) => list !== null);
  if (known.length === all.length) return known.flat();
  return isRefused ? "refused" : "failed";
}

const DEXES: InfoRequest = { type: "perpDexs" };
const SPOT: InfoRequest = { type: "spotMeta" };

function metaOf(dex: string): InfoRequest {
  return { type: "meta", dex };
}

function requestsFor(dexes: readonly string[]): InfoRequest[] {
  return [DEXES, SPOT, ...dexes.map(metaOf)];
}

/** The answer, or null where there was none: no parser takes that for an answer. */
function jsonOf(outcome: InfoOutcome): unknown {
  return outcome.kind === "ok" ? outcome.json : null;
}
