import type { Clock } from "../core/clock.ts";
import { trimTail } from "../core/trim.ts";
import { parseExchangeTime } from "../wire/answer/account.ts";
import { addresseeInstead } from "../wire/answer/addressee.ts";
import { parseJson, writeJson } from "../wire/json.ts";
import type { Budget } from "./budget.ts";
import { createExchangeTime, type DatedSample, type ExchangeTime } from "./clock.ts";
import { openDeadlines } from "./deadline.ts";
import type {
  Exchange,
  InfoOptions,
  InfoOutcome,
  InfoRequest,
  InTurnOutcome,
  Purpose,
  SendOutcome,
} from "./exchange.ts";
import { type ExpectedWeights, rememberWeights } from "./expected-weight.ts";
import { dateOf, type FeedEvent } from "./feed-event.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import { type Poster, post } from "./post.ts";
import { type AskedWeight, useOf } from "./shares.ts";
import type { ConnectionChoice, Transport } from "./transport.ts";
import { ACTION_WEIGHT, weightOf, weightOfAnswer } from "./weights.ts";

export type ExchangeOptions = {
  /** `https://api.hyperliquid.xyz`, the testnet's, or any other that speaks the same. */
  baseUrl: string;
  transport: Transport;
  clock: Clock;
  budget: Budget;
  timings: { /** From the first byte to the end of the answer. */ deadlineMs: number };
  /** What is known of orders tells that an answer is another account's. */
  isOfOtherAccount?: IsOfOtherAccount;
};

type IsOfOtherAccount = (request: InfoRequest, json: unknown) => boolean;

export type ConnectedExchange = Exchange & {
  /**
   * Compares clocks once. To be called every `CLOCK_INTERVAL_MS`: it goes where orders go, and so keeps a connection
   * for them open and young: an order after a pause does not wait for a handshake. False when the exchange did not answer.
   */
  measureClock(): Promise<boolean>;
  /** Exchange time minus our wall clock, milliseconds; null before the first measurement. */
  clockOffsetMs(): number | null;
  /** A feed has told of something that happened there: it is no earlier there now than what that carries. */
  heardDate(event: FeedEvent): void;
};

/** Milliseconds between two measurements of the clock: less than idle connections live. Weight 24 a minute. */
export const CLOCK_INTERVAL_MS = 5_000;

/** Without a request for this long, connections are taken for dead, whatever the runtime thinks of them. */
const MAX_IDLE_MS = 15_000;

const MAX_SEND_ANSWER_BYTES = 1024 * 1024;
/** 2,000 orders with their ids and children are more than 1 MiB. */
const MAX_INFO_ANSWER_BYTES = 16 * 1024 * 1024;

/** Connections on which reads are made in turn. */
const MAX_LANES = 8;

type Link = {
  poster: Poster;
  clock: Clock;
  budget: Budget;
  expected: ExpectedWeights;
  time: ExchangeTime;
  lanes: Lanes;
  /** When a connection of that kind was last used; null before the first. */
  lastUseMs: Record<"shared" | "own", number | null>;
  /** Elapsed time of the last answer; null before the first. */
  answeredAtMs: number | null;
  isOfOtherAccount: IsOfOtherAccount;
};

export function openExchange({
  baseUrl,
  transport,
  clock,
  budget,
  timings,
  isOfOtherAccount = never,
}: ExchangeOptions): ConnectedExchange {
  const link: Link = {
    poster: {
      transport,
      baseUrl: trimTail(baseUrl, "/"),
      deadlines: openDeadlines(clock, timings.deadlineMs),
    },
    clock,
    budget,
    expected: rememberWeights(),
    time: createExchangeTime(),
    lanes: createLanes(MAX_LANES),
    lastUseMs: { shared: null, own: null },
    answeredAtMs: null,
    isOfOtherAccount,
  };
  return {
    send: (body, purpose, mayLeave) => send(link, body, purpose, mayLeave),
    info: (request, { purpose, onNewConnection = false }) =>
      ask(link, request, purpose, onNewConnection ? { kind: "single" } : keptAlive(link, "shared")),
    infoInTurn: (requests, options) => askInTurn(link, requests, options),
    measureClock: () => measureClock(link),
    clockOffsetMs: () => {
      const exchangeMs = link.time.atMs(clock.elapsedMs());
      return exchangeMs === null ? null : exchangeMs - clock.nowMs();
    },
    heardDate(event) {
      const exchangeMs = dateOf(event);
      if (exchangeMs !== null) link.time.prove(datedAt(clock, exchangeMs));
    },
    nowMs: () => link.time.atMs(clock.elapsedMs()) ?? clock.nowMs(),
    mayBeAheadMs: () => link.time.mayBeAheadMs(clock.elapsedMs()),
    sinceAnswerMs: () => (link.answeredAtMs === null ? null : clock.elapsedMs() - link.answeredAtMs),
    hasBudgetFor: (purpose) => budget.fits(purpose, ACTION_WEIGHT, clock.elapsedMs()),
    budgetWaitS: (purpose, requests) =>
      requests === undefined ? actionWaitS(link, purpose) : readWaitS(link, purpose, requests),
    budgetLeft: (purpose) => budget.left(purpose, clock.elapsedMs()),
    isReaderWaiting: () => budget.isReaderWaiting(clock.elapsedMs()),
    slowDown: (because) => budget.slowDown(clock.elapsedMs(), because),
    slowedDown: (purpose) => budget.slowedDown(purpose, clock.elapsedMs()),
  };
}

function always(): boolean {
  return true;
}

function never(): boolean {
  return false;
}

/** What is read for an action before it may take this much: a list of open orders. */
const BEFORE_ACTION_WEIGHT = 20;

function actionWaitS({ budget, clock }: Link, purpose: Purpose): number {
  const nowMs = clock.elapsedMs();
  if (budget.fits(purpose, ACTION_WEIGHT, nowMs)) return 0;
  return Math.ceil(budget.waitMs(purpose, ACTION_WEIGHT + BEFORE_ACTION_WEIGHT, nowMs) / 1_000);
}

function readWaitS(link: Link, purpose: Purpose, requests: readonly InfoRequest[], rest = 0): number {
  const { budget, clock } = link;
  const { most, likely, least } = weightsOf(link, requests);
  const asked = { most: most + rest, likely: likely + rest, least: least + rest };
  return Math.ceil(budget.waitMs(purpose, asked, clock.elapsedMs()) / 1_000);
}

/** What was refused is asked again together with the rest of its request: what came of that before it, and the action. */
function againS(link: Link, purpose: Purpose, requests: readonly InfoRequest[]): number {
  const action = useOf(purpose) === "read" ? 0 : ACTION_WEIGHT;
  const rest = link.budget.justTaken(purpose, link.clock.elapsedMs()) + action;
  return Math.max(1, readWaitS(link, purpose, requests, rest));
}

function weightsOf({ expected, clock }: Link, requests: readonly InfoRequest[]): AskedWeight {
  const nowMs = clock.elapsedMs();
  const sum = (figures: readonly number[]) => figures.reduce((total, figure) => total + figure, 0);
  return {
    most: sum(requests.map((request) => expected.most(request, nowMs))),
    likely: sum(requests.map((request) => expected.likely(request))),
    least: sum(requests.map((request) => weightOf(request).base)),
  };
}

async function send(link: Link, body: string, purpose: Purpose, mayLeave = always): Promise<SendOutcome> {
  // `hasBudgetFor` let it through, by the share of its purpose, before its intent was stored. Now it may use whatever
  // weight the minute still has, as a cancel may.
  const charge = link.budget.take("cancel", ACTION_WEIGHT, link.clock.elapsedMs());
  if (charge === null) {
    const reason = "our weight towards the exchange is used up";
    return { kind: "not_sent", reason, waitS: Math.max(1, actionWaitS(link, purpose)) };
  }
  const connection = keptAlive(link, "own");
  const options = { connection, maxAnswerBytes: MAX_SEND_ANSWER_BYTES, mayLeave };
  const posted = await post(link.poster, "/exchange", body, options);
  heed(link, posted);
  if (posted.kind === "not_sent") link.budget.settle(charge, 0);
  return posted;
}

async function ask(
  link: Link,
  request: InfoRequest,
  purpose: Purpose,
  connection: ConnectionChoice,
): Promise<InfoOutcome> {
  const charge = link.budget.take(purpose, weightsOf(link, [request]), link.clock.elapsedMs());
  if (charge === null) return usedUp(link, purpose, [request]);
  const { outcome, weight } = await askNow(link, request, connection);
  link.budget.settle(charge, weight);
  return outcome;
}

function usedUp(
  link: Link,
  purpose: Purpose,
  requests: readonly InfoRequest[],
): Extract<InfoOutcome, { kind: "failed" }> {
  const isTold = link.budget.slowedDown(purpose, link.clock.elapsedMs()) !== null;
  const reason = isTold ? "the exchange has told us to slow down" : "our weight towards the exchange is used up";
  return failed(reason, { isOurBudget: true, waitS: againS(link, purpose, requests) });
}

/** Asks without a look at the budget; `weight` is what it came to. */
async function askNow(
  link: Link,
  request: InfoRequest,
  connection: ConnectionChoice,
): Promise<{ outcome: InfoOutcome; weight: number }> {
  const weight = weightOf(request);
  const body = writeJson(request);
  const posted = await post(link.poster, "/info", body, {
    connection,
    maxAnswerBytes: MAX_INFO_ANSWER_BYTES,
    mayLeave: always,
  });
  heed(link, posted);
  const outcome = forUs(link, request, readInfo(link, posted));
  if (outcome.kind === "ok" && DATED.has(request.type)) heedDate(link, outcome.json);
  if (posted.kind === "not_sent") return { outcome, weight: 0 };
  const nowMs = link.clock.elapsedMs();
  if (outcome.kind === "failed")
    return { outcome, weight: posted.kind === "answered" ? weight.base : link.expected.most(request, nowMs) };
  link.expected.answered(request, outcome.json, nowMs);
  return { outcome, weight: weightOfAnswer(weight, outcome.json) };
}

/** The state of an account and a book are dated, as the clock's own readings are, and come as often as somebody looks at one. */
const DATED: ReadonlySet<string> = new Set(["clearinghouseState", "l2Book"]);

function heedDate({ time, clock }: Link, json: unknown): void {
  const exchangeMs = parseExchangeTime(json);
  if (exchangeMs !== null) time.prove(datedAt(clock, exchangeMs));
}

function datedAt(clock: Clock, exchangeMs: number): DatedSample {
  return { exchangeMs, receivedAtMs: clock.elapsedMs(), wallMs: clock.nowMs() };
}

/**
 * All of it or nothing is set aside before the first question: a turn that ends half way proves nothing, and its weight
 * would be missing to the next.
 */
async function askInTurn(
  link: Link,
  requests: readonly InfoRequest[],
  { purpose, onNewConnection = false }: InfoOptions,
): Promise<InTurnOutcome> {
  const lane = await link.lanes.acquire();
  if (lane === null) return failed("too many reads are waiting for a connection", { isOurBudget: true, waitS: 1 });
  const charge = link.budget.take(purpose, weightsOf(link, requests), link.clock.elapsedMs());
  let spent = 0;
  try {
    if (charge === null) return usedUp(link, purpose, requests);
    const json: unknown[] = [];
    for (const [index, request] of requests.entries()) {
      const isFresh = onNewConnection && index === 0;
      const { outcome, weight } = await askNow(link, request, { kind: "lane", lane, isFresh });
      spent += weight;
      // What an answer did not come to is there at once for whoever asks beside it.
      link.budget.settle(charge, spent + weightsOf(link, requests.slice(index + 1)).most);
      if (outcome.kind === "failed") return outcome;
      json.push(outcome.json);
    }
    return { kind: "ok", json };
  } finally {
    if (charge !== null) link.budget.settle(charge, spent);
    link.lanes.release(lane);
  }
}

/**
 * The first reading, where the wall clock contradicts it, is asked for again at once, over connections of their own: other
 * servers have other clocks. Later ones have the time that is counted on from earlier ones.
 */
async function measureClock(link: Link): Promise<boolean> {
  let connection = keptAlive(link, "own");
  for (let word = 0; word < MAX_WORDS; word += 1) {
    const sentAtMs = link.clock.elapsedMs();
    const outcome = await ask(link, { type: "exchangeStatus" }, "settle", connection);
    const receivedAtMs = link.clock.elapsedMs();
    const exchangeMs = outcome.kind === "ok" ? parseExchangeTime(outcome.json) : null;
    if (exchangeMs === null) return false;
    const wallMs = link.clock.nowMs();
    if (link.time.add({ sentAtMs, receivedAtMs, exchangeMs, wallMs }) === "taken") return true;
    if (link.time.atMs(receivedAtMs) !== null) return false;
    connection = { kind: "single" };
  }
  return false;
}

/** Readings of the clock in one measurement: the first, and the second and third word that a doubted one needs. */
const MAX_WORDS = 3;

/** Counted from the start of the last request: what was in flight while the machine slept proves nothing. */
function keptAlive(link: Link, kind: "shared" | "own"): ConnectionChoice {
  const nowMs = link.clock.elapsedMs();
  const lastMs = link.lastUseMs[kind];
  link.lastUseMs[kind] = nowMs;
  return { kind, isFresh: lastMs !== null && nowMs - lastMs >= MAX_IDLE_MS };
}

/** From here on it is somebody before the exchange who answers, or the exchange that cannot. */
const SERVER_FAULT = 500;

function heed(link: Link, posted: SendOutcome): void {
  if (posted.kind !== "answered") return;
  if (posted.httpStatus < SERVER_FAULT) link.answeredAtMs = link.clock.elapsedMs();
  if (posted.httpStatus === 429) link.budget.slowDown(link.clock.elapsedMs(), "too_fast");
}

function readInfo(link: Link, posted: SendOutcome): InfoOutcome {
  if (posted.kind !== "answered") return failed(posted.reason, {});
  const { httpStatus, body } = posted;
  if (httpStatus === 429)
    return failed("the exchange answered HTTP 429", { httpStatus, waitS: Math.max(1, actionWaitS(link, "read")) });
  if (httpStatus !== 200) return failed(`the exchange answered HTTP ${httpStatus}`, { httpStatus });
  const json = parseJson(body);
  return json === undefined ? failed("the answer is not JSON", { httpStatus }) : { kind: "ok", json };
}

/** An answer to another question is none to ours: nothing of it is read, and it is asked again like one that was lost. */
function forUs({ isOfOtherAccount }: Link, request: InfoRequest, outcome: InfoOutcome): InfoOutcome {
  if (outcome.kind === "failed") return outcome;
  const instead = addresseeInstead(request, outcome.json);
  if (instead !== null) return failed(`the answer to ${request.type} is of ${shorten(instead)}`, ANSWERED);
  if (isOfOtherAccount(request, outcome.json))
    return failed(`the answer to ${request.type} is another account's`, ANSWERED);
  return outcome;
}

const ANSWERED: FailureCause = { httpStatus: 200 };

/** Characters of another's name that are quoted. */
const MAX_NAME = 60;

function shorten(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME));
}

type FailureCause = { httpStatus?: number | null; isOurBudget?: boolean; waitS?: number };

function failed(
  reason: string,
  { httpStatus = null, isOurBudget = false, waitS }: FailureCause,
): Extract<InfoOutcome, { kind: "failed" }> {
  return { kind: "failed", reason, httpStatus, isOurBudget, ...(waitS === undefined ? {} : { waitS }) };
}
