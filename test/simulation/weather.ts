/** What goes wrong on the network in a run: rates drawn once for the run, and a fate for each request drawn from them. */
import type { Chance } from "./chance.ts";
import { drawLags, type Lags, lagOf } from "./lags.ts";
import { type AnswerFate, directly, type Fate, type FateOf, NODES, type Sent } from "./network.ts";

export type Outage = {
  fromMs: number;
  toMs: number;
  /** Chance that an action sent meanwhile is relayed all the same, at once or up to this much later. */
  relayRate: number;
  relayWithinMs: number;
  areReadsDown: boolean;
};

export type Weather = {
  latencyMs: number;
  lossRate: number;
  unsentRate: number;
  lostAnswerRate: number;
  pageRate: number;
  doubleRate: number;
  slowRate: number;
  lateRelayRate: number;
  readFaultRate: number;
  /** Chance that a look-up by id misses what is there. */
  blindRate: number;
  outages: readonly Outage[];
  /** Nodes that stand still for a while. */
  freezes: readonly { node: number; fromMs: number; toMs: number }[];
  lags: Lags;
};

/** Longest that an action is held back before it is relayed, milliseconds. */
const MAX_RELAY_MS = 400_000;

export function drawWeather(chance: Chance, faultsEndMs: number): Weather {
  const rate = (probability: number, most: number) => (chance.isLucky(probability) ? chance.fraction() * most : 0);
  return {
    latencyMs: chance.pick([2, 20, 80, 300]),
    lossRate: rate(0.5, 0.2),
    unsentRate: rate(0.3, 0.2),
    lostAnswerRate: rate(0.6, 0.3),
    pageRate: rate(0.5, 0.3),
    doubleRate: rate(0.4, 0.3),
    slowRate: rate(0.4, 0.2),
    lateRelayRate: rate(0.3, 0.2),
    readFaultRate: rate(0.5, 0.3),
    blindRate: rate(0.3, 0.2),
    outages: chance.isLucky(0.35) ? [drawOutage(chance, faultsEndMs)] : [],
    freezes: chance.isLucky(0.3) ? drawFreezes(chance, faultsEndMs) : [],
    lags: drawLags(chance),
  };
}

function drawOutage(chance: Chance, faultsEndMs: number): Outage {
  const fromMs = chance.between(0, faultsEndMs);
  return {
    fromMs,
    toMs: Math.min(faultsEndMs, fromMs + chance.between(2_000, faultsEndMs)),
    relayRate: chance.fraction(),
    relayWithinMs: chance.pick([100, 5_000, 60_000, MAX_RELAY_MS]),
    areReadsDown: chance.isLucky(0.5),
  };
}

function drawFreezes(chance: Chance, faultsEndMs: number): Weather["freezes"] {
  return Array.from({ length: chance.between(1, NODES) }, () => {
    const fromMs = chance.between(0, faultsEndMs);
    const toMs = Math.min(faultsEndMs, fromMs + chance.pick([1_000, 5_000, 30_000, 90_000]));
    return { node: chance.between(0, NODES - 1), fromMs, toMs };
  });
}

/** Of a question, or of its answer, milliseconds. */
export function longestLatencyMs(latencyMs: number): number {
  return 1 + 2 * latencyMs;
}

export function fatesOf(weather: Weather, chance: Chance, faultsEndMs: number): FateOf {
  const latency = () =>
    1 + Math.floor(chance.fraction() * chance.fraction() * (longestLatencyMs(weather.latencyMs) - 1));
  return (sent) => {
    if (sent.atMs >= faultsEndMs) return directly(chance.between(1, 40));
    const outage = weather.outages.find(({ fromMs, toMs }) => sent.atMs >= fromMs && sent.atMs < toMs);
    const draw = { weather, chance, latency };
    if (sent.path === "/info") return readFate(draw, sent, outage?.areReadsDown === true);
    return outage === undefined ? actionFate(draw) : outageFate(draw, outage);
  };
}

type Draw = { weather: Weather; chance: Chance; latency: () => number };

const UNSENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"] as const;
const BROKEN = ["ECONNRESET", "EPROTO", "ETIMEDOUT"] as const;
const PAGES = [502, 503, 504, 500, 429, 400] as const;

/** An answer that says nothing about what happened. */
function noWord({ chance, latency }: Draw): AnswerFate {
  const afterMs = latency();
  return chance.pick<AnswerFate>([
    { kind: "silence" },
    { kind: "error", code: chance.pick(BROKEN), afterMs },
    { kind: "page", status: chance.pick(PAGES), afterMs },
  ]);
}

function actionFate(draw: Draw): Fate {
  const { weather, chance, latency } = draw;
  const whole: AnswerFate = { kind: "true", ofCopy: 0, afterMs: latency() };
  if (chance.isLucky(weather.unsentRate)) {
    return { arrivesAfterMs: [], answer: { kind: "error", code: chance.pick(UNSENT), afterMs: latency() } };
  }
  if (chance.isLucky(weather.lossRate)) return { arrivesAfterMs: [], answer: noWord(draw) };
  if (chance.isLucky(weather.lateRelayRate)) {
    const answer = chance.isLucky(0.3) ? whole : noWord(draw);
    return { arrivesAfterMs: [chance.between(1, chance.pick([3_000, 15_000, MAX_RELAY_MS]))], answer };
  }
  if (chance.isLucky(weather.lostAnswerRate)) {
    const answer = chance.isLucky(0.3) ? { ...whole, kind: "cut" as const } : noWord(draw);
    return { arrivesAfterMs: [latency()], answer };
  }
  if (chance.isLucky(weather.pageRate)) {
    return { arrivesAfterMs: chance.isLucky(0.5) ? [latency()] : [], answer: noWord(draw) };
  }
  const arrivesAfterMs = [chance.isLucky(weather.slowRate) ? chance.between(1, 9_000) : latency()];
  if (chance.isLucky(weather.doubleRate)) {
    arrivesAfterMs.push(chance.isLucky(0.5) ? latency() : chance.between(1, 20_000));
    return { arrivesAfterMs, answer: { ...whole, ofCopy: chance.between(0, 1) } };
  }
  return { arrivesAfterMs, answer: whole };
}

/** Errors for actions that land all the same, now or minutes later, as on 29 July 2025. */
function outageFate(draw: Draw, outage: Outage): Fate {
  const { chance } = draw;
  const arrivesAfterMs = chance.isLucky(outage.relayRate) ? [chance.between(1, outage.relayWithinMs)] : [];
  return { arrivesAfterMs, answer: noWord(draw) };
}

function readFate(draw: Draw, sent: Sent, isDown: boolean): Fate {
  const { weather, chance, latency } = draw;
  if (isDown || chance.isLucky(weather.readFaultRate)) return { arrivesAfterMs: [], answer: noWord(draw) };
  const fate = { ...directly(latency()), lagMs: lagOf(weather.lags, chance, sent.body) };
  return sent.body.includes('"orderStatus"') && chance.isLucky(weather.blindRate) ? { ...fate, isBlind: true } : fate;
}
