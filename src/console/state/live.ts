/**
 * What keeps the page true: the gateway's own events, by which everything is told that it wrote down, and a slow turn
 * of readings for what moves without an event (marks, margin, budget).
 */
import { readEvents, type StreamEvent } from "../api/event-stream.ts";
import { member } from "../api/request.ts";
import { shortId } from "../figures/format.ts";
import type { App } from "./app.ts";
import { remove, takeFill, takeOperation, takeOrder, takeTrade } from "./apply.ts";
import { waitingProposals } from "./attention.ts";
import { beginCandles } from "./candles.ts";
import { readDescription } from "./description.ts";
import { readEquity } from "./equity.ts";
import { watchMarket } from "./market-live.ts";
import { notify } from "./notices.ts";
import { readPerformance, readToday } from "./performance.ts";
import * as reads from "./read.ts";
import { beginRenewal } from "./renewal.ts";
import type { State } from "./state.ts";

/** Milliseconds between two turns of readings while somebody looks, and while nobody does. */
const TURN_MS = 5_000;
const HIDDEN_TURN_MS = 60_000;
/** Every so many turns lists that events keep are read all the same. */
const LISTS_EVERY = 6;
/** Milliseconds of silence after which a stream is taken for dead; the gateway sends something at least every 15 s. */
const SILENCE_MS = 35_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
/** A stream that lived this long was a good one, milliseconds. */
const LASTING_MS = 20_000;
/** Milliseconds by which readings follow an event, so that fifty events ask once. */
const AFTER_EVENT_MS = 1_000;

export type Live = {
  stop: AbortController;
  isReadingSoon: boolean;
  isNewFill: boolean;
  isNewFillUnclear: boolean;
  lastEventId: string | null;
};

export function startLive(app: App): void {
  stopLive(app);
  const read = { isReadingSoon: false, isNewFill: false, isNewFillUnclear: false };
  const mine: Live = { stop: new AbortController(), ...read, lastEventId: null };
  app.state.live = mine;
  void readEverything(app);
  void turn(app, mine);
  void follow(app, mine);
}

export function stopLive(app: App): void {
  app.state.live?.stop.abort();
  app.state.live = null;
  app.state.connection = { kind: "idle" };
}

async function readEverything(app: App): Promise<void> {
  await Promise.all([readFigures(app), reads.readMarkets(app), readDescription(app)]);
  watchMarket(app);
  await readLists(app);
  await reads.readFills(app);
}

/** What moves without an event. */
async function readFigures(app: App): Promise<void> {
  await Promise.all([
    ...(isStopping(app) ? [reads.readStops(app)] : []),
    // What a bot has used of its limits.
    ...(["bots", "now"].includes(app.state.route.screen) ? [reads.readKeys(app), reads.readProposals(app)] : []),
    reads.readAccount(app),
    reads.readPositions(app),
    reads.readOpenOrders(app),
    readHealth(app),
    reads.readPrices(app),
  ]);
  beginCandles(app);
}

/** How far a stop has come moves with every order that goes. */
function isStopping({ state: { stops } }: App): boolean {
  return stops.value?.some(({ status, flatten }) => status === "stopping" || flatten?.status === "flattening") === true;
}

async function readHealth(app: App): Promise<void> {
  await reads.readStatus(app);
  beginRenewal(app);
}

async function readLists(app: App): Promise<void> {
  await Promise.all([
    reads.readHistory(app),
    reads.readOperations(app),
    reads.readTrades(app),
    reads.readTwaps(app),
    reads.readKeys(app),
    reads.readStops(app),
    reads.readProposals(app),
    readPerformance(app),
    readEquity(app),
  ]);
}

async function turn(app: App, mine: Live): Promise<void> {
  for (let turns = 1; app.state.live === mine; turns += 1) {
    await app.sleep(document.hidden ? HIDDEN_TURN_MS : TURN_MS);
    if (app.state.live !== mine || reads.isRefused(app)) return;
    await readFigures(app);
    if (app.state.twaps.value?.some(({ ended_at }) => ended_at === null) === true) await reads.readTwaps(app);
    // The first reading may have been shared with one that was a second old.
    if (turns === 1 || turns % LISTS_EVERY === 0 || isBehind(app)) await readLists(app);
    if (app.state.description.failure !== null) await readDescription(app);
  }
}

/** A list that could not be read is read again with the next turn. */
function isBehind({ state }: App): boolean {
  const { openOrders, history, operations, trades, twaps, keys, stops } = state;
  return [openOrders, history, operations, trades, twaps, keys, stops].some(({ failure }) => failure !== null);
}

/** Connects again and again, going on behind the last event that was seen. */
async function follow(app: App, mine: Live): Promise<void> {
  let failures = 0;
  let isFirst = true;
  while (app.state.live === mine && !reads.isRefused(app)) {
    app.state.connection = isFirst ? { kind: "connecting" } : broken(app);
    const startedMs = app.nowMs();
    const why = await listen(app, mine);
    if (app.state.live !== mine) return;
    isFirst = false;
    // One that is opened and cut at once is no better than none: each costs a reading of everything.
    if (app.nowMs() - startedMs >= LASTING_MS) failures = 0;
    app.state.connection = { kind: "broken", why, sinceMs: app.nowMs() };
    app.changed();
    await app.sleep(Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS));
    failures += 1;
  }
}

function broken(app: App): App["state"]["connection"] {
  const { connection } = app.state;
  return connection.kind === "broken" ? connection : { kind: "broken", why: "", sinceMs: app.nowMs() };
}

/** One connection, until it ends; returns why it did. */
async function listen(app: App, mine: Live): Promise<string> {
  const { session } = app.state;
  if (session === null) return "signed out";
  const silence = new AbortController();
  let alarm = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await fetch("/v1/events", {
      headers: {
        Authorization: `Bearer ${session.apiKey}`,
        Accept: "text/event-stream",
        ...(mine.lastEventId === null ? {} : { "Last-Event-ID": mine.lastEventId }),
      },
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.any([mine.stop.signal, silence.signal]),
    });
    return await readEvents(response, (events) => {
      clearTimeout(alarm);
      alarm = setTimeout(() => silence.abort(), SILENCE_MS);
      for (const event of events) take(app, mine, event);
    });
  } catch {
    return silence.signal.aborted ? "nothing was heard for too long" : "the gateway cannot be reached";
  } finally {
    clearTimeout(alarm);
  }
}

function take(app: App, mine: Live, event: StreamEvent): void {
  if (event.id !== null) mine.lastEventId = event.id;
  const told = parsed(event.data);
  const data = member(told, "data");
  const [area, what] = event.type.split(".");
  if (area === "ready" || area === "reset") void greet(app, area === "ready" && member(data, "resumed") === true);
  if (what === "removed") remove(app, member(data, "id"));
  else if (event.type === "order.created" || event.type === "order.updated") {
    noteWhose(app, told, data);
    takeOrder(app, data);
  } else if (area === "operation") takeOperation(app, data);
  if (area === "trade") takeTrade(app, data);
  if (area === "fill") {
    mine.isNewFill = true;
    takeFill(app, data);
  }
  if (area === "fill" && member(data, "order_id") === null) mine.isNewFillUnclear = true;
  // A trip is what a key is held to as well.
  if (area === "key" || event.type === "rail.tripped") void reads.readKeys(app);
  if (area === "stop") void reads.readStops(app);
  if (area === "proposal") void reads.readProposals(app);
  const words = warningOf(event.type, data);
  if (words !== null) notify(app, "bad", words, event.type === "proposal.created" ? decided(member(data, "id")) : null);
  if (MOVING.has(area ?? "")) readSoon(app, mine);
}

/** Events say whose an order is, and lists do not. */
function noteWhose(app: App, told: unknown, order: unknown): void {
  const [id, hash] = [member(order, "id"), member(told, "key_hash")];
  if (typeof id === "string" && typeof hash === "string") app.state.timeline.placedBy.set(id, hash);
}

/** What a person has to hear of, however it came about. */
function warningOf(type: string, data: unknown): string | null {
  const said = (name: string) => String(member(data, name));
  switch (type) {
    case "agent.expiring":
      return `The agent's approval ends in ${said("days_left")} days. Approve the next one.`;
    case "key.expiring":
      return `The key ${shortId(said("key_hash"))} ends within ${said("days_left")} days.`;
    case "heartbeat.missed":
      return `${nameOf(data)} has fallen silent: what it had placed and could make a position larger is being canceled.`;
    case "order.self_trade":
      return `${nameOf(data)} has placed an order in ${said("market")} that meets another's: the exchange cancels that one, ${shortId(said("resting_order"))}.`;
    case "rail.tripped":
      return member(data, "cleared_at") === null
        ? `${nameOf(data)} increases nothing before ${said("until")}: ${said("cause") === "loss" ? "it has lost its limit of the day" : "what it had used is not known since a restore"}.`
        : null;
    case "proposal.created":
      return `${nameOf(data)} asks to ${said("in_words")}: it waits for your approval.`;
    case "rail.refused":
      return `${nameOf(data)} was refused by ${said("rail")}: ${said("limit")} allowed, ${said("use")} asked for.`;
    default:
      return null;
  }
}

/** A proposal waits for nobody once somebody has decided it, or its time is over. */
function decided(id: unknown) {
  return ({ proposals, nowMs }: State): boolean => {
    const found = (proposals.value ?? []).filter((one) => one.id === id);
    return found.length > 0 && waitingProposals(found, nowMs).length === 0;
  };
}

function nameOf(data: unknown): string {
  const bot = member(data, "bot");
  return typeof bot === "string" ? `The bot ${bot}` : `The key ${shortId(String(member(data, "key_hash")))}`;
}

/** What moves the figures. */
const MOVING: ReadonlySet<string> = new Set(["order", "fill", "operation", "position", "balance", "stop"]);

/** A stream that goes on where it stopped has missed nothing; any other has. */
async function greet(app: App, isResumed: boolean): Promise<void> {
  const wasBroken = app.state.connection.kind === "broken";
  app.state.connection = { kind: "live" };
  app.changed();
  if (!isResumed && wasBroken) await readEverything(app);
  else if (wasBroken) await readFigures(app);
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

/** Figures that follow from what just happened: asked for once, however many events came. */
function readSoon(app: App, mine: Live): void {
  if (mine.isReadingSoon) return;
  mine.isReadingSoon = true;
  void app.sleep(AFTER_EVENT_MS).then(async () => {
    mine.isReadingSoon = false;
    if (app.state.live !== mine) return;
    await readFigures(app);
    if (mine.isNewFillUnclear) await reads.readNewFills(app);
    mine.isNewFillUnclear = false;
    // Beside what a bot has used it must not say that there was no fill.
    if (mine.isNewFill) await readToday(app);
    mine.isNewFill = false;
  });
}
