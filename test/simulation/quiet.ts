/**
 * An account in which nobody does anything but through the gateway, so that nothing newer ever tells of what was lost: orders, triggers,
 * spot, modifies, TWAPs and settings whose answers are lost, and then a stop; and stores that are behind, each answer by itself. Held
 * against it: what `stopped` and `flat` claim, and that a stop ends within a bound once answers are lost no more.
 */
import { mkdirSync } from "node:fs";
import { resumeTrading } from "../../src/ops/stop-trading.ts";
import { makeBot } from "./bots.ts";
import { type Chance, openChance } from "./chance.ts";
import type { Ask } from "./front.ts";
import { MAKER } from "./plain-venue.ts";
import { drawQuietFates, drawQuietLags, hasLags } from "./quiet-fates.ts";
import { openQuietWatch } from "./quiet-watch.ts";
import type { RunOptions } from "./run-seed.ts";
import { limit, openScene, type Scene, trade } from "./scene.ts";
import { PARTIES, type Party } from "./template.ts";

/** Bits by which the seed of quiet accounts differs from the seed of everything else. */
const QUIET_STREAM = 0x09e1_e700;
/** Those of how prices move, which came later: what else a seed draws has stayed. */
const PRICE_STREAM = 0x09e1_e701;
/** Of all runs. */
const SHARE = 0.07;

/** What is in such a run is in no other: none of its worlds is drawn. */
export function isQuiet(seed: number): boolean {
  return openChance(seed ^ QUIET_STREAM).isLucky(SHARE);
}

export type QuietPlan = {
  faultsEndMs: number;
  /** Whose key asks for everything, and for the stop. */
  by: Party;
  hasBot: boolean;
  stop: Extract<Ask, { kind: "stop" }>;
  stopAtMs: number;
  /** After the stop was asked for, milliseconds; null where nobody does. */
  flattenAfterMs: number | null;
  /** After it was stopped, milliseconds; null where nobody does. */
  resumeAfterMs: number | null;
  /** Minutes of the longest TWAP that is asked for; 0 without. */
  twapMinutes: number;
  steps: readonly Step[];
};

type Step = {
  atMs: number;
  what:
    | { kind: "ask"; key: string | null; ask: Ask | "modify" | "cancel" }
    | { kind: "die"; downMs: number }
    | { kind: "price"; price: bigint };
};

/** A bot whose rails refuse nothing. */
export const UNBOUND = {
  markets: "any",
  touches: "own",
  sources: "any",
  may: "increase,reduce,modify,cancel,leverage,margin,twap,stop",
  maxOrder: "any",
  maxPosition: "any",
  maxExposure: "any",
  maxTurnoverPerDay: "any",
  maxLossPerDay: "any",
  maxLeverage: "any",
  maxStopDistance: "any",
  maxActionsPerDay: "any",
  maxDistance: "any",
  maxOpenOrders: "any",
};

const MAX_ASKS = 7;

export function drawQuiet(seed: number): { plan: QuietPlan; chance: Chance; bots: ReturnType<typeof makeBot>[] } {
  const chance = openChance(seed ^ QUIET_STREAM);
  chance.isLucky(SHARE);
  const [party] = PARTIES;
  if (party === undefined) throw new Error("bug: a run without parties");
  const hasBot = chance.isLucky(0.4);
  const bot = makeBot({ party, nth: 0, rails: { bot: "grid", ...UNBOUND } });
  const by = hasBot ? (bot.holders[0]?.by ?? party) : party;
  const faultsEndMs = chance.between(15_000, 50_000);
  const steps: Step[] = [];
  let twapMinutes = 0;
  const most = chance.pick([1, 2, 3, MAX_ASKS]);
  for (let nth = 1; nth <= most; nth += 1) {
    const ask = drawAsk(chance, nth, nth === 1 ? FIRST : ALL);
    if (typeof ask === "object" && ask.kind === "twap") twapMinutes = Math.max(twapMinutes, ask.minutes);
    const key = `quiet-key-${nth}`;
    const atMs = chance.between(nth === 1 ? 0 : 2_000, nth === 1 ? 3_000 : Math.floor(faultsEndMs / 2));
    for (const times of chance.pick([[0], [0, 900], [0, 4_000, 9_000]]))
      steps.push({ atMs: atMs + times, what: { kind: "ask", key, ask } });
  }
  if (chance.isLucky(0.3)) {
    const beat: Ask = { kind: "beat", withinS: chance.pick([10, 20]) };
    steps.push({ atMs: chance.between(0, faultsEndMs), what: { kind: "ask", key: null, ask: beat } });
  }
  for (let deaths = chance.pick([0, 0, 0, 1, 2]); deaths > 0; deaths -= 1)
    steps.push({
      atMs: chance.between(0, faultsEndMs),
      what: { kind: "die", downMs: chance.pick([50, 3_000, 20_000]) },
    });
  const scope = hasBot ? ("bot" as const) : chance.pick(["account", "account", "bot"] as const);
  const plan: QuietPlan = {
    faultsEndMs,
    by,
    hasBot,
    stop: { kind: "stop", scope, keepsProtection: chance.isLucky(0.6) },
    stopAtMs: chance.between(Math.floor(faultsEndMs * 0.3), faultsEndMs + 10_000),
    flattenAfterMs: chance.isLucky(0.5) ? chance.pick([300, 5_000, 30_000]) : null,
    resumeAfterMs: chance.isLucky(0.25) ? chance.between(0, 10_000) : null,
    twapMinutes,
    steps: [...steps, ...drawPrices(seed, faultsEndMs)].toSorted((a, b) => a.atMs - b.atMs),
  };
  return { plan, chance, bots: hasBot ? [bot] : [] };
}

const PRICE = 95_000;
/** Hundred-millionths. */
const SCALE = 100_000_000n;

/** In some runs the price goes where triggers fire, for a while, and comes back: what fires meanwhile nobody has asked for anew. */
function drawPrices(seed: number, faultsEndMs: number): Step[] {
  const chance = openChance(seed ^ PRICE_STREAM);
  if (!chance.isLucky(0.4)) return [];
  const atMs = chance.between(2_000, faultsEndMs + 60_000);
  const away = { atMs, what: { kind: "price" as const, price: BigInt(chance.pick([99_600, 84_900])) * SCALE } };
  const backMs = atMs + chance.pick([500, 5_000, 30_000]);
  return [away, { atMs: backMs, what: { kind: "price", price: BigInt(PRICE) * SCALE } }];
}

const FIRST = [
  "rest",
  "take",
  "spot",
  "spot",
  "trigger",
  "trigger",
  "guard",
  "twap",
  "market",
  "batch",
  "trade",
] as const;
const ALL = [...FIRST, "modify", "modify", "cancel", "leverage", "close"] as const;
type Kind = (typeof ALL)[number];

/** Of every verb; a modify and a cancel go to what was placed first. Nothing is sold on spot: of what came by transfers nothing tells that. */
function drawAsk(chance: Chance, nth: number, kinds: readonly Kind[]): Ask | "modify" | "cancel" {
  const kind = chance.pick(kinds);
  const size = `0.0${chance.between(1, 4)}`;
  switch (kind) {
    case "rest":
      return limit(chance.pick(["buy", "buy", "sell"]), chance.pick([90_000, 91_000, 99_000]) + nth, size);
    case "take":
      return { ...limit("buy", 95_200 + nth, size), timeInForce: chance.pick(["ioc", "gtc"]) };
    case "spot":
      return {
        ...limit("buy", chance.pick([0.17, 0.21]), String(100 + nth)),
        market: "PURR/USDC",
        timeInForce: chance.pick(["gtc", "ioc"]),
      };
    case "trigger":
      return {
        ...limit("buy", 101_000 + nth, size),
        trigger: { price: "99500", kind: "stop_loss", market: chance.isLucky(0.5) },
      };
    case "guard":
      return {
        ...limit("sell", 80_000 + nth, size),
        reduceOnly: true,
        trigger: { price: "85000", kind: "stop_loss", market: true },
      };
    case "twap":
      return { kind: "twap", market: "BTC", side: "buy", size: "0.1", minutes: chance.pick([5, 8]) };
    case "leverage":
      return { kind: "leverage", market: "BTC", leverage: 5 + nth, marginType: "cross" };
    case "market":
      return { kind: "market", market: "BTC", side: "buy", size, reduceOnly: false, bps: 50 };
    case "close":
      return { kind: "close", market: "BTC", fraction: "1", keepsTriggers: chance.isLucky(0.5) };
    case "batch":
      return { kind: "batch", orders: [batched(90_500 + nth, size), batched(90_600 + nth, size)] };
    case "trade":
      return {
        kind: "trade",
        market: "BTC",
        side: "buy",
        size,
        price: String(95_300 + nth),
        timeInForce: "ioc",
        stop: "90000",
        profit: null,
      };
    default:
      return kind;
  }
}

function batched(price: number, size: string) {
  const { kind: _kind, ...terms } = limit("buy", price, size);
  return terms;
}

/** Between two looks, milliseconds; of what goes on for long, and has no faults any more, the later one. */
const LOOK = { everyMs: 250, laterMs: 5_000 };
/**
 * A stop ends within this from when the exchange answers well, and all minutes of its TWAPs, milliseconds: five minutes of cancels that find
 * nothing, begun when the last copy can have come; on spot the time by which no server is behind; and looks apart.
 */
export const STOPPED_WITHIN_MS = 14 * 60_000;
/** What is stopped is looked at for so much longer, milliseconds. */
const WATCHED_AFTER_MS = 40_000;
const MINUTE_MS = 60_000;

export type QuietRun = { findings: string[]; scene: Scene; deaths: number };

export async function runQuiet({ seed, directory, isLogged }: RunOptions): Promise<QuietRun> {
  mkdirSync(directory, { recursive: true });
  const { plan, chance, bots } = drawQuiet(seed);
  const behind = drawQuietLags(seed);
  const scene = await openScene({
    seed,
    bots,
    directory,
    isLogged,
    hasPast: hasLags(behind),
    hasFeed: chance.isLucky(0.4),
    areTriggersUnnamed: seed % 3 === 0,
  });
  const { timeline } = scene;
  for (const [isBuy, price] of [
    [false, 95_100],
    [true, 94_900],
  ] as const)
    trade(scene, MAKER, { isBuy, price, size: "3" });
  scene.setFate(drawQuietFates(chance, timeline.nowMs() + plan.faultsEndMs, behind));
  const watch = openQuietWatch(scene, plan);
  const startMs = timeline.nowMs();
  const sinceMs = () => timeline.nowMs() - startMs;
  const endMs = Math.max(plan.faultsEndMs, plan.stopAtMs) + STOPPED_WITHIN_MS + plan.twapMinutes * MINUTE_MS;
  const steps = [...plan.steps];
  let deaths = 0;
  let isResumed = false;
  while (sinceMs() < endMs && !watch.isOver(WATCHED_AFTER_MS)) {
    while (steps[0] !== undefined && steps[0].atMs <= sinceMs()) {
      const what = steps.shift()?.what;
      if (what?.kind === "ask") await askFor(scene, plan, what);
      else if (what?.kind === "price") scene.venue.setPrice("BTC", what.price);
      else if (what !== undefined) {
        deaths += 1;
        scene.kill(chance.pick(["kill", "power_cut"]), chance.fraction());
        await scene.pass(what.downMs);
        await scene.start();
      }
    }
    if (sinceMs() >= plan.stopAtMs) watch.askStop();
    watch.look();
    const stoppedForMs = watch.stoppedForMs();
    if (!isResumed && plan.resumeAfterMs !== null && stoppedForMs !== null && stoppedForMs >= plan.resumeAfterMs) {
      isResumed = true;
      watch.end();
      resumeTrading(
        { ...scene.process().gateway.deps, network: "testnet" },
        { accountId: scene.party.account.id, stopId: null },
      );
    }
    await scene.pass(sinceMs() > plan.faultsEndMs + 30_000 && stoppedForMs === null ? LOOK.laterMs : LOOK.everyMs);
  }
  return { findings: watch.findings(), scene, deaths };
}

/** A modify and a cancel go to the first order there is. */
async function askFor(
  scene: Scene,
  plan: QuietPlan,
  { key, ask }: { key: string | null; ask: Ask | "modify" | "cancel" },
): Promise<void> {
  if (typeof ask === "object") return void scene.ask(key, ask, plan.by);
  const [first] = scene.rows("select id from orders order by number limit 1");
  if (first === undefined) return;
  const id = String(first["id"]);
  if (ask === "cancel") scene.ask(key, { kind: "cancel", id }, plan.by);
  else scene.ask(key, { kind: "modify", id, price: "90300", size: null, alwaysPlace: false }, plan.by);
}
