/** One scene: an exchange and an account of its own, a bot that is started once, and what the log shows of it. */
import { fromUnits } from "../../core/decimal.ts";
import { nextChance } from "../chance.ts";
import { magnitude } from "../engine/units.ts";
import type { FaultRule } from "../faults.ts";
import { createPaperExchange, PAPER_DEFAULTS, type PaperExchange } from "../paper-exchange.ts";
import { unmet } from "./met.ts";
import type { Pick, Scene } from "./scene.ts";
import { busiestSecond, isResting, liveOrders, look, openSceneLog, position, type SceneLog } from "./scene-log.ts";
import { environmentOf, LISTED_PRICE, MARKET, type TaskTerms, termsOf } from "./task.ts";
import { type BotEnd, judge, type Verdict, type VerdictFacts } from "./verdict.ts";
import { watchedDoor } from "./watched-door.ts";

/** What a scene needs of the world around it. */
export type Surroundings = {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly account: { readonly address: string; readonly privateKey: string };
  /** Puts the exchange on a port; the URL has no path. */
  readonly serve: (paper: PaperExchange) => { readonly url: string; stop(): Promise<void> };
  /** Starts the bot with these variables beside its own, and ends it after so long. */
  readonly runBot: (variables: Record<string, string>, limitMs: number) => Promise<BotEnd>;
};

export type Played = Verdict & {
  readonly scene: string;
  readonly tookMs: number;
  readonly orders: number;
  readonly requests: number;
  readonly busiestSecond: number;
  /** What the bot printed. */
  readonly output: string;
};

export type PlayOptions = { readonly seed: number; readonly seconds: number };

export async function playScene(scene: Scene, { seed, seconds }: PlayOptions, around: Surroundings): Promise<Played> {
  const startedMs = around.nowMs();
  const terms = termsOf(scene.task, scene.name, seed);
  const rules = scene.rules(pickBy(terms));
  const log = openSceneLog(around.account.address);
  const paper = openStage(scene, { seed, terms, rules, log }, around);
  const door = watchedDoor(paper, scene, log);
  const tradedBefore = paper.venue.accounts.get(log.account)?.records.size ?? 0;
  const server = around.serve(door.paper);
  try {
    const place = { scene: scene.name, url: server.url, account: around.account.address };
    const variables = environmentOf(terms, { ...place, privateKey: around.account.privateKey, seconds });
    const end = await around.runBot(variables, seconds * 1_000);
    await door.quiet(around.sleep, longestMs(rules));
    const needs = { rules, hasList: scene.afterList !== null, needsTrigger: scene.before === "through the stop" };
    const facts = factsOf(paper, { terms, log, tradedBefore, unmet: unmet(log, needs) });
    return {
      ...judge(terms, facts, end),
      scene: scene.name,
      tookMs: around.nowMs() - startedMs,
      orders: facts.taken,
      requests: log.asked.length,
      busiestSecond: busiestSecond(log),
      output: end.output,
    };
  } finally {
    await server.stop();
    paper.stop();
  }
}

function pickBy({ chance }: TaskTerms): Pick {
  return (choices) => choices[nextChance(chance) % choices.length] ?? choices[0];
}

type ScenePlay = {
  readonly seed: number;
  readonly terms: TaskTerms;
  readonly rules: readonly FaultRule[];
  readonly log: SceneLog;
};

/** The market stands still but for what the scene does: what comes of it is the bot's doing. */
function openStage(
  scene: Scene,
  { seed, terms, rules, log }: ScenePlay,
  { nowMs, sleep }: Surroundings,
): PaperExchange {
  const paper = createPaperExchange({
    ...PAPER_DEFAULTS,
    seed,
    prices: { kind: "scripted" },
    nowMs,
    sleep,
    engine: { ...PAPER_DEFAULTS.engine, ...scene.engine },
    observer: {
      changed: () => look(log, paper.venue, paper.nowMs()),
      struck: (rule) => void log.strikes.push({ rule, atMs: paper.nowMs(), changes: log.changesMs.length }),
    },
  });
  paper.fund(log.account);
  // An order that strays finds a market that takes it: quotes so far from the mark are refused until that has followed.
  if (scene.afterList !== null) for (const coin of ["ETH", "ETH"]) paper.setPrice(coin, LISTED_PRICE);
  if (terms.startPosition !== 0n) trade(paper, log.account, terms.startPosition);
  paper.setFaults({ rules: [...rules] });
  if (scene.before === "half is closed") trade(paper, log.account, -terms.startPosition / 2n);
  if (scene.before === "through the stop") paper.setPrice(MARKET, beyond(terms));
  return paper;
}

const DOLLAR = 100_000_000n;
/** From the stop to where the price stands by then. */
const THROUGH = 500n * DOLLAR;

function beyond({ isBuy, stopPrice }: TaskTerms): bigint {
  const stop = BigInt(stopPrice ?? 0) * DOLLAR;
  return isBuy ? stop + THROUGH : stop - THROUGH;
}

/** How long ago the numbers are under which the account itself has traded: out of the bot's way. Milliseconds. */
const BEFORE_MS = 3_600_000;

function trade(paper: PaperExchange, signer: string, signedSize: bigint): void {
  const isBuy = signedSize > 0n;
  const order = {
    a: paper.venue.assetOfCoin.get(MARKET) ?? -1,
    b: isBuy,
    r: false,
    c: null,
    p: textOf(isBuy ? LISTED_PRICE + THROUGH : LISTED_PRICE - THROUGH),
    s: textOf(isBuy ? signedSize : -signedSize),
    t: { limit: { tif: "Ioc" as const } },
  };
  const atMs = paper.nowMs();
  const action = { type: "order" as const, orders: [order], grouping: "na" as const, builder: null };
  const nonce = atMs - BEFORE_MS + (paper.venue.block % BEFORE_MS);
  const input = { action, signer, vaultAddress: null, nonce, expiresAfter: null, nowMs: atMs };
  paper.happen({ kind: "action", input });
}

const MARGIN_MS = 100;

/** What is still on its way when the bot has ended may yet be taken. */
function longestMs(rules: readonly FaultRule[]): number {
  const delays = rules.map(({ fault }) => (fault.kind === "delay" ? fault.ms : 0));
  return Math.max(...delays, 0) + MARGIN_MS;
}

type SeenSoFar = {
  readonly terms: TaskTerms;
  readonly log: SceneLog;
  readonly tradedBefore: number;
  readonly unmet: string | null;
};

function factsOf({ venue }: PaperExchange, { terms, log, tradedBefore, unmet: missed }: SeenSoFar): VerdictFacts {
  const account = venue.accounts.get(log.account);
  if (account === undefined) throw new Error("bug: the account of the scene is gone");
  const asset = venue.assetOfCoin.get(MARKET) ?? -1;
  const orders = liveOrders(venue, account).filter((order) => order.asset === asset);
  const resting = orders.filter(isResting);
  const held = position(account, asset);
  const stops = orders.filter(
    ({ trigger, phase, isBuy }) => trigger?.tpsl === "sl" && phase === "waitingForTrigger" && isBuy === held < 0n,
  );
  const covers = stops.some(({ tracksPosition }) => tracksPosition);
  const atNewPrice = resting.filter(({ limitPrice }) => limitPrice === BigInt(terms.newPrice ?? 0) * DOLLAR);
  const taken = [...account.records.values()].filter(
    ({ order, status }) => order.trigger === null && !isRefused(status),
  );
  return {
    unmet: missed,
    position: held,
    open: sum(resting),
    openAtNewPrice: sum(atNewPrice),
    covered: covers ? magnitude(held) : sum(stops),
    lowest: log.lowest,
    highest: log.highest,
    astray: [...log.astray],
    taken: taken.length - tradedBefore,
  };
}

function isRefused(status: string): boolean {
  return status.toLowerCase().endsWith("rejected");
}

function sum(orders: readonly { readonly size: bigint }[]): bigint {
  return orders.reduce((all, { size }) => all + size, 0n);
}

function textOf(units: bigint) {
  return fromUnits(units, 8);
}
