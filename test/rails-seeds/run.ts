/**
 * One short run: a few requests of two bots and a plain key, what the exchange makes of them, and what comes between. Everything in
 * it follows from its seed. The auditor says what has gone wrong.
 */
import type { RailsText } from "../../src/core/rails/rails.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import type { Store } from "../../src/store/open.ts";
import { type Chance, openChance } from "../simulation/chance.ts";
import { type Auditor, newBook, openAuditor, sideIn } from "./auditor.ts";
import { byNobody, darken, movePrice, narrow, pass, restart, stepTrades, stopOrResume, trip } from "./between.ts";
import { drawRails, limitsOf } from "./draw.ts";
import { emptyStore, type Holder, MARKETS, newHolder, type Outside, openGateway, quickClock } from "./gateway.ts";
import { type Run, refresh, showPositions, showPrices } from "./one-run.ts";
import { type Asking, type By, drawQuick, drawSlow, type Mix } from "./requests.ts";
import { settle, settleAll, tellLeg } from "./telling.ts";
import { type Asker, isLive, openVenue, type Sent, type Venue } from "./venue.ts";

export type Outcome = {
  findings: readonly string[];
  /** Actions that were signed, and of them those that increase. */
  signed: number;
  increases: number;
  steps: number;
  used: ReadonlyMap<string, number>;
};

/** Steps of a run. */
const STEPS = { least: 5, most: 9 } as const;

/** Dollars. */
const MIDDLES = [60_000, 30_000, 40_000] as const;

export async function runSeed(store: Store, seed: number, mix: Mix): Promise<Outcome> {
  emptyStore(store);
  const run = openRun(store, openChance(seed), mix);
  const steps = run.chance.between(STEPS.least, STEPS.most);
  for (let step = 0; step < steps && run.auditor.findings.length === 0; step += 1) {
    await takeStep(run);
    run.auditor.look();
  }
  const { venue, auditor } = run;
  const increases = venue.legs.filter(({ reduceOnly }) => !reduceOnly).length;
  return { findings: auditor.findings, signed: venue.sent.length, increases, steps, used: auditor.used };
}

function openRun(store: Store, chance: Chance, mix: Mix): Run {
  const clock = quickClock();
  const lowest = [...MIDDLES];
  const auditor: Auditor = openAuditor(() => venue, clock.nowMs);
  const venue: Venue = openVenue(chance, auditor.onFill, (asset) => lowest[asset] ?? 0);
  const claims = new Map<string, Asker>();
  let numbers = 0;
  const plain: By = { asker: "plain", holder: "plain", key: newHolder(store, "1", null) };
  const outside: Outside = {
    ...outsideOf(() => run),
    sign: (signed) => signedIn(run, claims, signed),
  };
  const gateway = openGateway(store, clock, outside);
  const asking: Asking = {
    mix,
    approving: (isApproving) => {
      run.auditor.isApproved = isApproving;
    },
    gateway,
    chance,
    at: (asset) => run.middles[asset] ?? 0,
    claim: (price, by) => void claims.set(price, by),
    reserve(holder, { asset, isBuy, size }) {
      const reserved = auditor.books.find(({ name }) => name === holder)?.reserved;
      const side = sideIn(asset, isBuy);
      reserved?.set(side, (reserved.get(side) ?? 0) + Math.round(Number(size) * 1_000));
    },
    number() {
      numbers += 1;
      return numbers;
    },
    orders: [],
    twaps: [],
  };
  const run: Run = {
    chance,
    store,
    clock,
    venue,
    auditor,
    gateway,
    outside,
    asking,
    bots: inTransaction(store, () => drawBots(store, { chance, mix, auditor })),
    plain,
    middles: [...MIDDLES],
    isDark: false,
    current: plain,
    hung: Promise.withResolvers(),
    isAlone: false,
  };
  showPrices(run, lowest);
  showPositions(run);
  return run;
}

/** Two bots; the first may have a second key, whose newer grant says what both are held to. */
type Drawing = { chance: Chance; mix: Mix; auditor: Auditor };

function drawBots(store: Store, { chance, mix, auditor }: Drawing): By[] {
  const first = [drawRails(chance, "one", mix), ...(chance.isLucky(0.2) ? [drawRails(chance, "one", mix)] : [])];
  const held = [
    ...first.map((rails, nth) => holderOf(store, rails, "23".charAt(nth))),
    holderOf(store, drawRails(chance, "two", mix), "4"),
  ];
  for (const { rails } of held) {
    const others = auditor.books.filter(({ name }) => name !== rails.bot);
    auditor.books = [...others, newBook(rails.bot, limitsOf(rails))];
  }
  return held.map(({ key, rails: { bot } }) => ({ asker: bot, holder: bot, key }));
}

function holderOf(store: Store, rails: RailsText, letter: string): { key: Holder; rails: RailsText } {
  return { key: newHolder(store, letter, rails), rails };
}

function outsideOf(run: () => Run): Omit<Outside, "sign"> {
  return {
    price(market) {
      const { auditor, isDark } = run();
      const known = auditor.prices[placeNamed(market)];
      if (known === undefined) return null;
      if (!isDark) refresh(run());
      return auditor.prices[placeNamed(market)] ?? null;
    },
    positions() {
      const { auditor, venue } = run();
      auditor.shown = [...venue.positions];
      return new Map(MARKETS.slice(0, 2).map(({ name }, at) => [name, venue.positions[at] ?? 0]));
    },
    leverageOf: (market) => run().venue.leverages[placeNamed(market)] ?? 1,
    send: (number) => send(run(), number),
    pursue: (attemptId) => {
      const { gateway, venue, chance } = run();
      if (chance.isLucky(0.8)) settle(gateway, venue, attemptId);
    },
  };
}

function placeNamed(market: string): number {
  return MARKETS.findIndex(({ name }) => name === market);
}

function signedIn(run: Run, claims: ReadonlyMap<string, Asker>, signed: Parameters<Outside["sign"]>[0]): number {
  forgetGivenBack(run);
  const sent = run.venue.sign(signed, (order) => askerOf(run, (order === null ? null : claims.get(order.p)) ?? null));
  run.auditor.onSigned(sent);
  return run.venue.sent.indexOf(sent);
}

/** What one asks for alone is its own, though it may come to a price that was another's before: an order at market has the book's. */
function askerOf({ isAlone, current }: Run, claimed: Asker | null): Asker {
  return claimed === null || (isAlone && claimed.asker !== "gateway") ? current : claimed;
}

/** Signed, and too late to be sent: the gateway has taken it back, and no byte of it has left. */
function forgetGivenBack({ venue, store }: Run): void {
  const unsent = venue.sent.filter(({ isSent, standing }) => !isSent && standing === "air");
  if (unsent.length === 0) return;
  const open = new Set(listOpenAttempts(store).map(({ nonce }) => nonce));
  for (const sent of unsent) if (!open.has(sent.nonce)) venue.kill(sent);
}

const NO_ANSWER = { kind: "unknown", reason: "the connection was reset" } as const;

/** What becomes of a request, and of its answer. */
function send(run: Run, number: number): ReturnType<Outside["send"]> {
  const { venue, chance, isAlone } = run;
  const sent = venue.sent[number];
  if (sent === undefined) throw new Error("bug: sent and never signed");
  sent.isSent = true;
  const draw = chance.fraction();
  if (draw < 0.62) return answered(run, sent);
  if (draw < 0.72) {
    venue.land(sent);
    return NO_ANSWER;
  }
  if (draw < 0.84) return NO_ANSWER;
  if (draw < 0.9) {
    venue.kill(sent);
    return { kind: "not_sent", reason: "connection refused" };
  }
  if (draw < 0.94 || !isAlone) {
    venue.kill(sent);
    const text = draw < 0.92 ? "Insufficient margin to place order. asset=0" : "a word that nobody knows";
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "err", response: text }) };
  }
  run.hung.resolve();
  return new Promise(() => undefined);
}

function answered({ venue }: Run, sent: Sent): Awaited<ReturnType<Outside["send"]>> {
  const body = JSON.stringify(venue.land(sent));
  for (const leg of sent.legs) {
    // Of a part that may have left the rest open the answer does not say how it stands.
    const isPart = leg.filled > 0 && leg.standing === "rests";
    if (!isPart) leg.told = { filled: leg.filled, notional: leg.notional, standing: leg.standing };
  }
  return { kind: "answered", httpStatus: 200, body };
}

type Step = (run: Run) => Promise<void> | void;

/** How often each comes, out of the sum. */
const STEP_WEIGHTS: readonly (readonly [number, Step])[] = [
  [26, askOne],
  [10, askTogether],
  [10, askSlow],
  [8, fillSome],
  [5, fireOrCancel],
  [8, land],
  [9, tellSome],
  [4, movePrice],
  [2, darken],
  [4, pass],
  [3, restart],
  [3, stopOrResume],
  [4, narrow],
  [2, trip],
  [2, byNobody],
  [3, stepTrades],
];
const ALL_WEIGHTS = STEP_WEIGHTS.reduce((sum, [weight]) => sum + weight, 0);

async function takeStep(run: Run): Promise<void> {
  let draw = run.chance.between(1, ALL_WEIGHTS);
  for (const [weight, step] of STEP_WEIGHTS) {
    draw -= weight;
    if (draw > 0) continue;
    await step(run);
    break;
  }
  // Signed too late to be sent: no byte of it has left.
  for (const sent of run.venue.sent) if (!sent.isSent && sent.standing === "air") run.venue.kill(sent);
  run.clock.pass(run.chance.between(1, 400));
  if (run.chance.isLucky(0.8)) showPositions(run);
}

function anyone({ chance, bots, plain }: Run): By {
  return chance.isLucky(0.12) ? plain : chance.pick(bots);
}

async function askOne(run: Run): Promise<void> {
  const by = anyone(run);
  await alone(run, by, drawQuick(run.asking, by));
}

async function askSlow(run: Run): Promise<void> {
  const by = anyone(run);
  await alone(run, by, drawSlow(run.asking, by));
}

/** Its answer may never come; the gateway dies meanwhile. */
async function alone(run: Run, by: By, ask: () => Promise<void>): Promise<void> {
  run.current = by;
  run.isAlone = true;
  run.hung = Promise.withResolvers();
  const isHung = run.hung.promise.then(() => true);
  const hasHung = await Promise.race([ask().then(() => false), isHung]);
  run.isAlone = false;
  run.auditor.isApproved = false;
  if (hasHung) restart(run);
}

async function askTogether(run: Run): Promise<void> {
  // A plain key may make a bot's order larger, which nobody is held to.
  const by = run.chance.pick(run.bots);
  const asks = Array.from({ length: run.chance.between(2, 4) }, () => {
    const one = run.chance.isLucky(0.7) ? by : run.chance.pick(run.bots);
    return drawQuick(run.asking, one);
  });
  run.auditor.isCrowded = true;
  await Promise.all(asks.map((ask) => ask()));
  run.auditor.isCrowded = false;
}

function fillSome({ chance, venue }: Run): void {
  const live = venue.legs.filter((leg) => leg.standing === "rests");
  if (live.length === 0) return;
  const leg = chance.pick(live);
  venue.fill(leg, chance.isLucky(0.5) ? leg.size : chance.between(1, leg.size));
}

function fireOrCancel({ chance, venue }: Run): void {
  const live = venue.legs.filter(isLive);
  if (live.length === 0) return;
  const leg = chance.pick(live);
  if (leg.standing === "waits" && chance.isLucky(0.6)) leg.standing = "rests";
  else if (leg.cloid !== null) venue.close(leg, "canceled");
}

/** What is on its way arrives, or can no longer. */
function land({ chance, venue }: Run): void {
  const air = venue.sent.filter(({ standing }) => standing === "air");
  if (air.length === 0) return;
  const sent = chance.pick(air);
  if (chance.isLucky(0.6)) venue.land(sent);
  else venue.kill(sent);
}

function tellSome({ chance, venue, gateway }: Run): void {
  const isAll = chance.isLucky(0.4);
  for (const leg of venue.legs) if (leg.standing !== "air" && (isAll || chance.isLucky(0.4))) tellLeg(gateway, leg);
  if (isAll || chance.isLucky(0.5)) settleAll(gateway, venue);
}
