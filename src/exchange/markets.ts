import type { Clock } from "../core/clock.ts";
import { buildUniverse, dexOf, isSpot, type Market, type Universe } from "../core/market.ts";
import { parsePerpDexs, perpMarkets, spotMarkets } from "../wire/answer/markets.ts";
import type { Exchange, InfoOutcome, InfoRequest, MarketDoubt, Markets } from "./exchange.ts";

export type MarketsOptions = {
  exchange: Pick<Exchange, "info" | "budgetWaitS">;
  /** Perpetuals dexes besides the exchange's own. */
  dexes: readonly string[];
  clock: Clock;
};

/** Least time between two readings, milliseconds. Each costs 20 weight for the list of dexes, spot, and every dex. */
const REFRESH_SPACING_MS = 30_000;
/** Between two that something which contradicts the list, or a rule that would refuse an order, asks for, milliseconds. */
const URGENT_SPACING_MS = 5_000;
/** A server of the exchange may show a list that is behind: so many readings end a doubt which none of them explains. */
const READINGS_NEEDED = 2;
/** Where it is certain that the list has moved: at one reading a minute, longer than any server is behind. */
const READINGS_NEEDED_WHEN_CERTAIN = 20;

/** So long a list that has a market where an order was shown not to stand is one that is behind, milliseconds. */
const REFUTED_FOR_MS = 5 * 60_000;

/** So long an order that was shown in its market speaks for the number that it was signed for, milliseconds. */
const CONFIRMED_FOR_MS = 60_000;

type Doubt = MarketDoubt & { readings: number };

/** The place of a market that an order has refuted and a reading has then left, and our monotonic time of that, milliseconds. */
type Refuted = { assetId: number | undefined; atMs: number };

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
  const doubts = new Map<string, Doubt>();
  const refuted = new Map<string, Refuted>();
  const { forgetBeside, ...confirmations } = openConfirmations(clock);

  /** Of the doubts that there were when the reading began: what came while it ran may be in an older part of it. */
  function weigh(doubted: readonly [string, Doubt][], before: Universe | null, now: Universe): void {
    for (const [name, doubt] of doubted) {
      doubt.readings += 1;
      const assetId = before?.byName.get(name)?.assetId;
      const isExplained = assetId !== now.byName.get(name)?.assetId;
      const needed = doubt.isCertain ? READINGS_NEEDED_WHEN_CERTAIN : READINGS_NEEDED;
      if (isExplained && doubt.isCertain) refuted.set(name, { assetId, atMs: clock.elapsedMs() });
      if ((isExplained || doubt.readings >= needed) && doubts.get(name) === doubt) doubts.delete(name);
    }
  }

  /** The list that an order has refuted a moment ago, from a server that still has it. */
  function isRefuted({ byName }: Universe): boolean {
    for (const [name, { atMs }] of refuted) if (clock.elapsedMs() - atMs > REFUTED_FOR_MS) refuted.delete(name);
    return [...refuted].some(([name, { assetId }]) => byName.get(name)?.assetId === assetId);
  }

  /** Where an order stands in another market than it was placed in, its neighbours in the list have moved as well. */
  function doubtBeside(name: string): string | null {
    const beside = [...doubts].find(([other, doubt]) => {
      return doubt.isCertain && doubt.readings < READINGS_NEEDED && listOf(other) === listOf(name);
    });
    return beside?.[1].because ?? null;
  }

  async function read(): Promise<Universe | null> {
    const doubted = [...doubts];
    const before = universe;
    const answer = await readMarkets(exchange, dexes);
    wasRefused = answer === "refused";
    const markets = typeof answer === "string" ? null : answer;
    // The first reading is tried again at once; later ones have the last good one to go on with.
    if (markets === null && universe === null) triedAtMs = null;
    if (markets === null) return universe;
    const shown = buildUniverse(markets, clock.nowMs());
    if (isRefuted(shown)) return universe;
    universe = shown;
    readElapsedMs = clock.elapsedMs();
    weigh(doubted, before, universe);
    return universe;
  }

  /** What is new does not wait for what was read before it. */
  function isUrgentNow(how?: "urgently"): boolean {
    return how === "urgently" || doubts.size > 0;
  }

  function spacingLeftMs(isUrgent: boolean): number {
    const [lastMs, spacingMs] = isUrgent ? [urgentAtMs, URGENT_SPACING_MS] : [triedAtMs, REFRESH_SPACING_MS];
    return lastMs === null ? 0 : Math.max(0, lastMs + spacingMs - clock.elapsedMs());
  }

  function refresh(how?: "urgently"): Promise<Universe | null> {
    if (running !== null) return running;
    const nowMs = clock.elapsedMs();
    const isUrgent = isUrgentNow(how);
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
      const spacingS = Math.ceil(spacingLeftMs(isUrgentNow()) / 1_000);
      const budgetS = exchange.budgetWaitS(PURPOSE, requestsFor(["", ...dexes]));
      return { isOurBudget: wasRefused, waitS: Math.max(1, spacingS, budgetS) };
    },
    ageMs: () => (readElapsedMs === null ? null : clock.elapsedMs() - readElapsedMs),
    refresh,
    doubt(name, doubt) {
      // What is certain is not made less so.
      const isCertain = doubt.isCertain || doubts.get(name)?.isCertain === true;
      doubts.set(name, { ...doubt, isCertain, readings: 0 });
      forgetBeside(name);
      void refresh();
    },
    doubtOf: (name) => doubts.get(name)?.because ?? doubtBeside(name),
    ...confirmations,
  };
}

/** Which markets were lately shown to stand in their places. */
function openConfirmations(
  clock: Clock,
): Pick<Markets, "confirm" | "heedSilence" | "isWordDue"> & { forgetBeside(name: string): void } {
  const asked = new Map<string, { assetId: number; atMs: number }>();
  const note = (name: string, assetId: number) => void asked.set(name, { assetId, atMs: clock.elapsedMs() });
  return {
    confirm: note,
    heedSilence: note,
    isWordDue(name, assetId) {
      const last = asked.get(name);
      return last?.assetId !== assetId || clock.elapsedMs() - last.atMs >= CONFIRMED_FOR_MS;
    },
    forgetBeside(name) {
      for (const other of asked.keys()) if (listOf(other) === listOf(name)) asked.delete(other);
    },
  };
}

/** Markets that have their places in one list. */
function listOf(market: string): string {
  return isSpot(market) ? "@" : dexOf(market);
}

/** `refused`: our own weight had no room for all of it. */
async function readMarkets(
  exchange: Pick<Exchange, "info">,
  dexes: readonly string[],
): Promise<Market[] | "failed" | "refused"> {
  let isRefused = false;
  const ask = async (request: InfoRequest) => {
    const outcome = await exchange.info(request, { purpose: PURPOSE });
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

/** Orders wait for it, so it comes before them. */
const PURPOSE = "settle";

const DEXES: InfoRequest = { type: "perpDexs" };
const SPOT: InfoRequest = { type: "spotMeta" };

function metaOf(dex: string): InfoRequest {
  return { type: "meta", dex };
}

function requestsFor(dexes: readonly string[]): InfoRequest[] {
  return [DEXES, SPOT, ...dexes.map(metaOf)];
}

/** What no parser takes for an answer where there was none. */
function jsonOf(outcome: InfoOutcome): unknown {
  return outcome.kind === "ok" ? outcome.json : null;
}
