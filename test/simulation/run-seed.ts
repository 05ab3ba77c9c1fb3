/** One run: a seed in, what went wrong out. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { askAgain, endTwaps, hasOpenOperations, lookAtTheEnd } from "./at-the-end.ts";
import { type Audited, audit } from "./auditor.ts";
import { drawLife, openBotLife } from "./bot-life.ts";
import { drawBots, templateWith } from "./bots.ts";
import { type BotsWatch, watchBots } from "./bots-audit.ts";
import { howMany } from "./busy.ts";
import { tradeByHand } from "./by-hand.ts";
import { openChance } from "./chance.ts";
import { countReads, openClients } from "./clients.ts";
import { copiesOf } from "./copied.ts";
import { Crashed, openDisk } from "./disk.ts";
import { drawDoom } from "./dooms.ts";
import { drawnFor, isSpotIn, possible, WORLD_STREAM, worldsOf } from "./drawn.ts";
import { excusedOf } from "./excused.ts";
import { openFeedLine } from "./feed-line.ts";
import { askDirectly, askOverHttp } from "./front.ts";
import { openHistory } from "./history.ts";
import { type Measured, measure, NOTHING_MEASURED } from "./measured.ts";
import { directly, openNetwork } from "./network.ts";
import { withParts } from "./parts.ts";
import { type GatewayProcess, type Host, startProcess } from "./process.ts";
import { fakeSigners, noteSigners, trueSigners } from "./signers.ts";
import { hasPlainRecords, isWrongForLong, readsOf, WITNESSED_WITHIN_MS, witnessedWithinMs } from "./soundness.ts";
import { SPOT_BEFORE_MS, SPOT_DOOMS_FROM_MS, tradeSpot } from "./spot.ts";
import { askForStop, auditStop, drawStop, resumeLater } from "./stops.ts";
import type { ToldEvent } from "./tellings.ts";
import { makeTemplate, ownerOf, PARTIES, START_MS } from "./template.ts";
import { fromItsBeginning, openTimeline, settleHttp, settleOnce } from "./timeline.ts";
import { type Top, topOf } from "./tops.ts";
import { auditTrades, type Span } from "./trades-audit.ts";
import { STRANGERS, takePositions, trade, tradeMore } from "./trading.ts";
import { readTruth } from "./truth.ts";
import { auditTwapsIn } from "./twap-stops-audit.ts";
import { openVenue, PLENTY_OF_ACTIONS } from "./venue.ts";
import { drawWeather, fatesOf, longestLatencyMs, type Weather } from "./weather.ts";
import { drawWhole } from "./whole-wishes.ts";
import { whoseBy } from "./whose.ts";
import { drawWishes } from "./wishes.ts";
import { MOST_WRONG_MS } from "./worlds/clocks.ts";
import { SHORT_PAGE_ROWS } from "./worlds/pages.ts";
import { openWorlds, type Worlds } from "./worlds/worlds.ts";

export type RunOptions = {
  seed: number;
  /** Where databases lie; memory-backed storage. */
  directory: string;
  isLogged: boolean;
};

export type RunResult = {
  seed: number;
  /** Broken promises; none when all is well. */
  findings: string[];
  history: readonly string[];
  hash: string;
  events: number;
  sends: number;
  deaths: number;
  /** Answered, of lists of open orders and of positions. */
  readsAfterWrites: number;
  measured: Measured;
};

/** Everything that was accepted is settled within this time after the faults have ended, milliseconds. */
const SETTLED_WITHIN_MS = 120_000;
/** And an operation that cannot be proven is given up within this time, milliseconds. */
const GIVEN_UP_WITHIN_MS = 11 * 60_000;
/** Times that everything is asked again at the end. */
const MAX_ROUNDS = 8;
/** What is asked is signed and sent within this, milliseconds. */
const SENT_WITHIN_MS = 1_000;
/** What is asked again at the end, and only then is sent, is known within this time, milliseconds. */
const ANSWERED_WITHIN_MS = 40_000;
/** After the faults the owners trade by hand now and then, so that histories move on. */
const BY_HAND_EVERY_MS = 20_000;
const BY_HAND_FOR_MS = SETTLED_WITHIN_MS + (MAX_ROUNDS - 1) * WITNESSED_WITHIN_MS.forgotten + 20_000;
/** And that of what clients read after a write. */
const READ_STREAM = 0x0ead_0000;
/** And that of what others trade where clients ask for whole trades. */
const MORE_STREAM = 0x30de_0000;
/** A start takes so long at most where nothing answers, milliseconds. */
const START_UP_MS = 16_000;
/** Deaths of one run. */
const MAX_DEATHS = 4;
const WEIGHT_PER_MINUTE = 1_200;
/** A fill costs much more in a page of a few than in one of 2,000: with the exchange's own weight no list would ever be read. */
const SHORT_PAGES_COST = 4;

let template: string | null = null;
/** Names are never used twice: a dead connection that is collected late removes the log of its name. */
let runs = 0;

function templateIn(directory: string): string {
  if (template === null) {
    mkdirSync(directory, { recursive: true });
    template = join(directory, `template-${process.pid}.db`);
    makeTemplate(template);
  }
  return template;
}

export async function runSeed({ seed, directory, isLogged }: RunOptions): Promise<RunResult> {
  const chance = openChance(seed);
  // A stream of its own: what is added to the worlds leaves the runs without it as they were.
  const worldChance = openChance(seed ^ WORLD_STREAM);
  const signerOf = new Map<string, string>();
  const isHttp = chance.isLucky(0.05);
  const isTruly = chance.isLucky(0.05);
  const hasBudget = chance.isLucky(0.15);
  const faultsEndMs = chance.between(10_000, 60_000);
  const timeline = openTimeline(isHttp ? settleHttp : settleOnce, isSpotIn(seed) ? -SPOT_BEFORE_MS : 0);
  const history = openHistory(isLogged, timeline.nowMs);
  runs += 1;
  const runName = `run-${process.pid}-${runs}`;
  const weather = drawWeather(chance.split(), faultsEndMs);
  // A refusal for too many actions leaves the number unused: a doubled copy may be taken later, and nobody can know.
  const isPoor = weather.doubleRate === 0 && chance.isLucky(0.15);
  let watch: BotsWatch | null = null;
  const tops: Top[] = [];
  let isWhole = false;
  const venue = openVenue({
    onChange: () => {
      watch?.look();
      if (watch !== null) life.look(venue, wishOf);
      if (isWhole) tops.push(topOf(venue));
    },
    seed,
    nowMs: () => START_MS + timeline.nowMs(),
    checksSignatures: isTruly,
    actionAllowance: isPoor ? chance.between(8, 30) : PLENTY_OF_ACTIONS,
    plainTriggerReply: seed % 3 === 0 ? "waitingForTrigger" : "resting",
    owners: PARTIES.map(({ account, agent }) => ({ owner: account.ownerAddress, agent })),
    strangers: STRANGERS,
    remembersUntilMs: remembersUntilMs(seed, weather, faultsEndMs),
  });
  const worlds = possible(seed, drawnFor(seed, worldChance, faultsEndMs), isTruly);
  const opened = openWorlds(worlds, { venue, timeline: fromItsBeginning(timeline), chance: worldChance, faultsEndMs });
  const onSent = (body: string) => opened.onSent(ownerOf(signerOf.get(body)), body);
  const network = openNetwork({ timeline, venue, chance: chance.split(), history, worlds: opened, onSent });
  const fates = fatesOf(weather, chance.split(), faultsEndMs);
  network.setFate((sent) => (sent.atMs < 0 ? directly(5) : fates(sent)));
  const whole = drawWhole(seed, drawWishes(chance.split(), faultsEndMs, howMany(seed)), faultsEndMs);
  const drawnLife = drawLife(seed, drawBots(seed, whole.wishes, faultsEndMs), faultsEndMs);
  const { bots, wishes } = drawnLife;
  const life = openBotLife(drawnLife, { timeline, sent: network.sent, signerOf });
  const wishOf = life.withSteps(whoseBy(wishes, bots));
  isWhole = whole.hasWhole;
  const plain = templateIn(directory);
  const withBots = join(directory, `${runName}-bots.db`);
  const firstDisk = bots.length === 0 ? plain : templateWith(bots, { template: plain, path: withBots });
  const disk = openDisk({ directory, name: runName, template: firstDisk, isAlone: true });
  if (bots.length > 0)
    watch = watchBots({
      bots,
      wishOf,
      operationOf: life.operationOf,
      venue,
      railsOf: life.railsOf,
      isClockRight: () => !wasClockWrong,
    });
  const stop = drawStop(seed, { faultsEndMs, hasBots: bots.length > 0 });
  let resumedAtMs: () => number | null = () => null;
  const findings: string[] = [];
  const told: ToldEvent[] = [];
  let clockErrorMs = 0;
  let wasClockWrong = false;
  const deathsAtMs: number[] = [];
  const downs: Span[] = [];
  let measured = NOTHING_MEASURED;
  let deaths = 0;
  let current: GatewayProcess | null = null;
  const fate = chance.split();
  const feedChance = chance.split();
  const hasFeed = feedChance.isLucky(0.35);
  const feedWeather = {
    latencyMs: feedChance.pick([5, 100, 1_000]),
    doubleRate: feedChance.pick([0, 0.2]),
    cutRate: feedChance.pick([0, 0.4]),
    silentRate: feedChance.pick([0, 0.3]),
    endMs: faultsEndMs,
    odd: worlds.odd,
  };
  const bytes = chance.split();
  history.note(
    () =>
      `plan      seed ${seed} http ${isHttp} signed ${isTruly} faults end ${faultsEndMs} weather ${JSON.stringify(weather)} worlds ${JSON.stringify(worlds)}`,
  );

  const host: Host = {
    timeline,
    network,
    disk,
    history,
    signers: () => noteSigners(isTruly ? trueSigners() : fakeSigners(), signerOf),
    clockErrorMs: () => clockErrorMs,
    randomBytes: (count) => Uint8Array.from({ length: count }, () => bytes.between(0, 255)),
    onError: (text) => {
      if (!isExpectedAlarm(worlds, text)) findings.push(text);
    },
    onReady: life.noteReady,
    onTold: () => {
      for (const event of disk.eventsAfter(told.at(-1)?.id ?? 0))
        told.push({ ...event, atMs: timeline.nowMs(), isTakenBack: false });
    },
    onDeath: () => {
      current = null;
      // A process that is killed takes what waits for its commit along, as a power cut does.
      deaths += 1;
      deathsAtMs.push(timeline.nowMs());
      const isOver = timeline.nowMs() >= faultsEndMs;
      const downMs = isOver ? 1 : Math.min(fate.pick([50, 1_000, 10_000, 40_000]), faultsEndMs - timeline.nowMs() + 1);
      downs.push({ fromMs: timeline.nowMs(), toMs: timeline.nowMs() + downMs + START_UP_MS });
      timeline.after(downMs, start);
    },
    doomsBeginMs: drawnLife.hasSpot ? SPOT_DOOMS_FROM_MS : 0,
    doomsEndMs: faultsEndMs,
    exchangeWeightPerMinute: hasBudget ? WEIGHT_PER_MINUTE * (worlds.arePagesShort ? SHORT_PAGES_COST : 1) : 0,
    fillsPageRows: worlds.arePagesShort ? SHORT_PAGE_ROWS : null,
    socketOf: hasFeed
      ? (onDeath) =>
          openFeedLine(
            { timeline, hub: venue.hub, chance: feedChance, history, weather: feedWeather, onHeard: opened.onTold },
            onDeath,
          )
      : null,
  };

  function start(): void {
    const isDoomed = timeline.nowMs() < faultsEndMs && deaths < MAX_DEATHS && fate.isLucky(0.6);
    const doom = isDoomed ? drawDoom(fate) : null;
    history.note(() => `process   ${deaths} doom ${JSON.stringify(doom)}`);
    const started = startProcess(host, deaths, doom);
    if (started?.isAlive() !== true) return;
    current = started;
    const kept = new Set(disk.eventsAfter(0).map(({ id }) => id));
    for (const event of told) event.isTakenBack ||= !kept.has(event.id);
    // What a process wrote and had no time to tell, whoever reads from now on is told.
    host.onTold?.();
  }

  function planDeaths(): void {
    if (!fate.isLucky(0.4)) return;
    timeline.after(fate.between(0, faultsEndMs), () => {
      const kind = fate.isLucky(0.3) ? "power_cut" : "kill";
      current?.die(kind, fate.fraction());
    });
  }

  function planClock(): void {
    if (!fate.isLucky(0.4)) return;
    clockErrorMs = fate.between(-5_000, 5_000);
    wasClockWrong = true;
    for (let jump = fate.between(0, 3); jump > 0; jump -= 1) {
      timeline.after(fate.between(0, faultsEndMs), () => {
        const size = fate.pick([1_000, 60_000, 600_000, 3_600_000, 86_400_000]);
        clockErrorMs += life.setClock(fate.between(-size, size));
        history.note(() => `clock     wrong by ${clockErrorMs} ms`);
      });
    }
  }

  const clients = openClients({
    timeline,
    history,
    chance: chance.split(),
    readChance: openChance(seed ^ READ_STREAM),
    front: isHttp ? askOverHttp : askDirectly,
    wishes,
    process: () => current,
    deaths: () => deaths,
    untilMs: faultsEndMs,
    onFault: (text) => void findings.push(text),
  });
  const unhandled = (error: unknown) => {
    if (!(error instanceof Crashed)) findings.push(`a promise was rejected and nobody listened: ${String(error)}`);
  };
  process.on("unhandledRejection", unhandled);
  try {
    start();
    if (timeline.nowMs() < 0) await timeline.runUntil(0);
    planDeaths();
    planClock();
    for (const { node, fromMs, toMs } of weather.freezes) {
      timeline.after(fromMs, () => network.freeze(node));
      timeline.after(toMs, () => network.thaw(node));
    }
    takePositions(venue);
    trade(venue, { timeline, chance: chance.split(), untilMs: faultsEndMs });
    if (whole.hasWhole || drawnLife.isBusy)
      tradeMore(venue, { timeline, chance: openChance(seed ^ MORE_STREAM), untilMs: faultsEndMs });
    if (drawnLife.hasSpot) tradeSpot(seed, venue, { timeline, untilMs: faultsEndMs });
    clients.begin();
    life.begin(clients, venue, () => current);
    if (stop !== null) {
      const whenStopped = () => {
        resumedAtMs = resumeLater(() => current, timeline, stop);
      };
      askForStop(clients, timeline, { wish: stop, whenStopped });
    }
    for (let atMs = BY_HAND_EVERY_MS; atMs <= BY_HAND_FOR_MS; atMs += BY_HAND_EVERY_MS)
      timeline.after(faultsEndMs + atMs, () => tradeByHand(venue, PARTIES, drawnLife.hasSpot));
    await timeline.runUntil(faultsEndMs + SETTLED_WITHIN_MS);
    if (hasOpenOperations(disk.openCopy())) await timeline.runUntil(timeline.nowMs() + GIVEN_UP_WITHIN_MS);
    await timeline.runUntil(Math.max(timeline.nowMs(), network.quietAtMs() + 1_000));
    const knownWithinMs = hasPlainRecords(worlds) ? ANSWERED_WITHIN_MS : witnessedWithinMs(worlds);
    for (let round = 0, sentBefore = -1; round < MAX_ROUNDS; round += 1) {
      askAgain(clients);
      await timeline.runUntil(timeline.nowMs() + SENT_WITHIN_MS);
      // What is only sent when it is asked again, and what was sent since it was asked, has its time as well.
      if (network.sent.length === sentBefore) break;
      sentBefore = network.sent.length;
      await timeline.runUntil(timeline.nowMs() + knownWithinMs);
    }
    // A trade goes on by itself: what it has sent since has its time too.
    await timeline.runUntil((network.sent.at(-1)?.atMs ?? 0) + knownWithinMs);
    const runningTwaps = endTwaps(venue);
    const isEachListed = worlds.odd?.kind !== "short_lists";
    const { looks, trades } = await lookAtTheEnd(
      { clients, told, timeline },
      { hasOwn: drawnLife.flatten !== null, isEachListed },
    );
    const database = disk.openCopy();
    const truth = readTruth(venue, wishOf, PARTIES);
    const audited: Audited = {
      venue,
      truth,
      dialogues: withParts(clients.dialogues),
      reads: clients.reads,
      sent: network.sent,
      signerOf,
      looks,
      trades,
      told,
      heardOfOthers: opened.heardOfOthers(),
      takenByOthers: opened.takenByOthers(),
      wrongly: opened.wrongly,
      heard: worlds.forgetting === null ? null : opened.heardOrders,
      runningTwaps,
      tops,
      moves: worlds.moves,
      stop: stop ?? drawnLife.flatten?.stop ?? null,
      faultsEndMs,
      copies: copiesOf(venue, { ...opened, faultsEndMs, areRecordsKept: worlds.forgetting === null }),
      areIdsShared: worlds.others !== null && worlds.others.foreignRate > 0,
      mostWrongMs: isWrongForLong(worlds) || (worlds.clocks !== null && wasClockWrong) ? MOST_WRONG_MS : 0,
      ...readsOf(weather, worlds),
      isEachListed,
      database,
    };
    const ofTrades = auditTrades({
      ...audited,
      excused: excusedOf({ weather, faultsEndMs, downs, sent: network.sent }),
      netOf: (by) => watch?.netOf(by) ?? null,
    });
    findings.push(...audit(audited), ...ofTrades.findings);
    if (watch !== null) findings.push(...watch.findings());
    findings.push(...life.findings({ ...audited, wishOf, deathsAtMs, isClockRight: !wasClockWrong }));
    if (stop !== null)
      findings.push(...auditStop({ venue, truth, told, runningTwaps, database, resumedAtMs: resumedAtMs() }, stop));
    findings.push(...auditTwapsIn({ ...audited, aways: [...downs, ...weather.outages], bots }));
    const { refusedNonces } = opened;
    const about = { database, sent: network.sent, deathsAtMs, faultsEndMs, worlds, weather, refusedNonces };
    // Of another clock the times in the database would tell nothing.
    if (!wasClockWrong) measured = measure(about, timeline.nowMs());
    measured = { ...measured, unprotectedMs: ofTrades.worstMs };
  } catch (error) {
    findings.push(`the run itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  } finally {
    await settleOnce();
    process.off("unhandledRejection", unhandled);
    disk.remove();
    if (bots.length > 0) rmSync(withBots, { force: true });
  }
  const { length: sends } = network.sent;
  const hash = history.hash();
  const readsAfterWrites = countReads(clients);
  const events = timeline.eventCount();
  return { seed, findings, history: history.lines(), hash, events, sends, deaths, readsAfterWrites, measured };
}

/** Stores are behind while the faults last, for whatever was asked until then. */
function remembersUntilMs(seed: number, { lags, latencyMs }: Weather, faultsEndMs: number): number | null {
  if (Object.keys(lags).length === 0 && !worldsOf(seed).has("market_behind")) return null;
  return START_MS + faultsEndMs + longestLatencyMs(latencyMs);
}

/** Where others use our ids, the alarm that says so is the truth. */
function isExpectedAlarm({ others, moves, wrong }: Worlds, text: string): boolean {
  // A list of agents, and a role, name no account: of both another's, one after the other.
  if (wrong !== null && wrong.of !== "actions" && text.includes("does not list this agent any more")) return true;
  const isPossible = others !== null || wrong !== null || (moves !== null && moves.swap !== null);
  return isPossible && OTHER_THAN_ASKED.test(text);
}

const OTHER_THAN_ASKED = /shows something else than was asked for|has named another TWAP than it has made/;
