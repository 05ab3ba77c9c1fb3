/**
 * What flattening has done, held against the exchange's own log: it begins when nothing can increase any more, only ever reduces, takes no
 * more than is the stop's own, leaves what protects, and says how it ended as it was.
 */
import { keyDigitsOf, keyDigitsOfCloid } from "../../src/wire/order-id.ts";
import { fieldOf } from "./clients.ts";
import type { FlattenEnd, Flattening, FlattenWish } from "./flattens.ts";
import { fillsWithOwn, magnitude } from "./own-net.ts";
import { INSTANCE } from "./process.ts";
import { auditStop, isIncrease, type Stopping } from "./stops.ts";
import { START_MS } from "./template.ts";
import { onlyReduces, placedBy, units, type WishOf } from "./truth.ts";
import { namedIn, SWEEPING, type Unasked } from "./unasked-cancels.ts";
import type { Execution } from "./venue.ts";
import type { Wish } from "./wishes.ts";
import { auditOver, increasesOf, type Taken, takenOf } from "./withdrawn.ts";
import type { Moves } from "./worlds/markets.ts";
import type { Wrongly } from "./worlds/wrong.ts";

/** Orders of one stop in all its markets and for all that was asked, at most. */
const MAX_STEPS = 60;
/** Numbers of the wishes that they are; beyond those of all others. */
const FIRST_STEP = 20_000;

/** Known by the digits of their names, in which their client order ids end: by nothing else of what they say. */
export function withSteps({ wish, stopIds }: Flattening, wishOf: WishOf): WishOf {
  if (wish === null) return wishOf;
  const steps = new Map<string, Wish>();
  const known = new Set<string>();
  return (request) => {
    for (const id of stopIds) {
      if (known.has(id)) continue;
      known.add(id);
      for (let nth = 1; nth <= MAX_STEPS; nth += 1) steps.set(digitsOf(wish, id, nth), stepOf(wish, nth));
    }
    const step = request.c === null ? undefined : steps.get(keyDigitsOfCloid(request.c));
    if (step === undefined) return wishOf(request);
    step.asset = request.a;
    return step;
  };
}

function digitsOf({ stop }: FlattenWish, id: string, nth: number): string {
  const accountId = stop.party.account.id;
  return keyDigitsOf(INSTANCE.secret, { accountId, idempotencyKey: `flatten ${id} ${nth}` });
}

function stepOf({ stop: { party, atMs }, by }: FlattenWish, nth: number): Wish {
  const named = { number: FIRST_STEP + nth, key: `step-${nth}`, party, by, atMs };
  return { ...named, kind: "close", price: null, target: null, ask: () => null };
}

function isStep(wish: Wish | undefined): boolean {
  return wish !== undefined && wish.number >= FIRST_STEP;
}

export type Flat = Unasked &
  Omit<Stopping, "resumedAtMs"> & { moves: Moves | null; wrongly: Pick<Wrongly, "fillsGivenTo"> };

/** One sentence for each of these that did not hold. */
export function auditFlattening(run: Flat, flattening: Flattening): string[] {
  const { wish } = flattening;
  if (wish === null || flattening.stopIds.size === 0) return [];
  const words = wordsOf(run, flattening);
  const about = { run, wish, flattening, words, moments: momentsOf(run, wish) };
  // Whom the operator resumes before that is not told to be stopped.
  const untilMs = flattening.resumedAtMs() ?? Number.POSITIVE_INFINITY;
  const isAwaited = untilMs === Number.POSITIVE_INFINITY || (words.stoppedAtMs ?? untilMs) < untilMs;
  const ofAccount = () => auditStop({ ...run, resumedAtMs: flattening.resumedAtMs() }, wish.stop);
  return [
    ...(isAwaited ? (wish.bot === null ? ofAccount() : auditBotsStop(about)) : []),
    ...auditSteps(about),
    ...auditProtection(about),
    ...flattening.ends.flatMap((end) => auditEnd(about, end)),
    ...(isEndOwed(run, wish, flattening) ? ["a flattening never ended"] : []),
  ];
}

type Shown = Pick<Flattening, "isRunning" | "waitsFor">;

/** What a fill that is another's, and that no answer tells from its own, leaves against the positions is waited for longer than a run lasts. */
export function isEndOwed(
  { hasUnsettled, wrongly }: Pick<Flat, "hasUnsettled" | "wrongly">,
  { stop }: Pick<FlattenWish, "stop">,
  shown: Shown,
): boolean {
  const wasGivenOthers = wrongly.fillsGivenTo(stop.party.account.tradingAddress).size > 0;
  const isForThose = wasGivenOthers && shown.waitsFor().includes("fills_not_known");
  return shown.isRunning() && !hasUnsettled() && !isForThose;
}

/** When the stop was told to stand, to be over and to be resumed, milliseconds of the run. */
type Words = { createdAtMs: number | null; stoppedAtMs: number | null; resumedAtMs: number; last: string };

function wordsOf({ told }: Flat, { stopIds }: Flattening): Words {
  const words = told.filter(({ type, resourceId }) => type.startsWith("stop.") && stopIds.has(resourceId));
  const first = (status: string) => words.find(({ payload }) => fieldOf(payload, "status") === status)?.atMs ?? null;
  return {
    createdAtMs: words[0]?.atMs ?? null,
    stoppedAtMs: first("stopped"),
    resumedAtMs: first("resumed") ?? Number.POSITIVE_INFINITY,
    last: words.at(-1)?.payload ?? "",
  };
}

type About = { run: Flat; wish: FlattenWish; flattening: Flattening; words: Words; moments: readonly Moment[] };

/** The same of a bot's stop as of an account's: nothing of it lands, lives or fills once it is told to be stopped. */
function auditBotsStop({ run, wish: { bot }, words }: About): string[] {
  if (bot === null) return [];
  const isOver = words.stoppedAtMs !== null;
  if (!isOver && !run.hasUnsettled() && words.resumedAtMs === Number.POSITIVE_INFINITY)
    return [`the stop of bot ${bot.rails.bot} never ended: it is ${words.last}`];
  if (words.stoppedAtMs === null) return [];
  const [begunAtMs, overAtMs] = [Math.min(words.resumedAtMs, run.venue.nowMs()), words.stoppedAtMs];
  return auditOver(run, { bot, cause: "asked", id: "", begunAtMs, overAtMs, last: words.last }, overAtMs);
}

/** After a fill of the account: what it holds in a market, and what is the stop's to close there. Signed, 10^-8. */
type Moment = { atMs: number; coin: string; oid: number; closable: bigint; wasClosable: bigint; isStep: boolean };

function momentsOf(run: Flat, { stop, bot }: FlattenWish): Moment[] {
  const steps = stepsOf(run, stop);
  return fillsWithOwn(run, stop.party, bot).map(({ fill, own, was }): Moment => {
    const { coin, timeMs, startPosition, size, isBuy, oid } = fill;
    const end = startPosition + (isBuy ? size : -size);
    const closableOf = (held: bigint, position: bigint) => (bot === null ? position : nearer(held, position));
    const [wasClosable, closable] = [closableOf(was, startPosition), closableOf(own, end)];
    return { atMs: timeMs - START_MS, coin, oid, closable, wasClosable, isStep: steps.has(oid) };
  });
}

function stepsOf({ venue, wishOf }: Flat, { party }: FlattenWish["stop"]): ReadonlySet<number> {
  const own = venue.log.filter(({ signer }) => signer === party.agent).flatMap(placedBy);
  return new Set(own.flatMap(({ request, leg }) => (leg !== null && isStep(wishOf(request)) ? [leg.oid] : [])));
}

/** The smaller of two on one side; nothing where they are on different ones. */
function nearer(own: bigint, position: bigint): bigint {
  if (own > 0n !== position > 0n) return 0n;
  return magnitude(own) < magnitude(position) ? own : position;
}

/** All that it has been between two moments, that of the first among it; the markets in which anything was ever held. */
function between(moments: readonly Moment[], { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const byCoin = Map.groupBy(moments, ({ coin }) => coin);
  return new Map(
    [...byCoin].map(([coin, all]) => {
      const before = all.findLast(({ atMs }) => atMs <= fromMs)?.closable ?? 0n;
      const within = all.filter(({ atMs }) => atMs > fromMs && atMs <= toMs).map(({ closable }) => closable);
      return [coin, [before, ...within]] as const;
    }),
  );
}

/** What is read may be so old, and is told so much later; milliseconds. */
const READ_WITHIN_MS = 15_000;

function auditEnd({ moments, words }: About, { fromMs, toMs, status, left }: FlattenEnd): string[] {
  const name = `flattening ended ${status} between ${fromMs} and ${toMs}`;
  // Who was resumed meanwhile trades on.
  if (words.resumedAtMs < toMs) return [];
  const held = between(moments, { fromMs: status === "flat" ? fromMs : fromMs - READ_WITHIN_MS, toMs });
  const kept = [...held].filter(([, sizes]) => sizes.every((size) => size !== 0n));
  if (status === "flat") return kept.map(([coin, sizes]) => `${name}, and ${sizes} of ${coin} were held`);
  const unsaid = kept.filter(([coin]) => !left.some(({ market }) => market === coin));
  const wrong = left.filter(({ market, size }) => {
    const is = size.startsWith("-") ? -units(size.slice(1)) : units(size);
    return !held.get(market)?.includes(is);
  });
  return [
    ...unsaid.map(([coin, sizes]) => `${name}, and said nothing of ${sizes} of ${coin}`),
    ...wrong.map(({ market, size }) => `${name}, and said ${size} of ${market}, and it was ${held.get(market)}`),
  ];
}

/** A reduction that fills beside a step may be known to nobody for so long, milliseconds. */
const KNOWN_WITHIN_MS = 30_000;

function auditSteps(about: About): string[] {
  const { run, wish } = about;
  return run.venue.log
    .filter(({ signer }) => signer === wish.stop.party.agent)
    .flatMap((execution) =>
      placedBy(execution)
        .filter(({ request }) => isStep(run.wishOf(request)))
        .flatMap(({ request, leg }) => [
          ...auditWhen(about, { execution, request }),
          ...auditTerms(request),
          ...(leg === null ? [] : auditTaken(about, { execution, leg })),
        ]),
    );
}

function auditWhen(about: About, { execution, request }: { execution: Execution; request: Request }): string[] {
  const { run, words } = about;
  const sentAtMs = run.sentWhen(execution);
  const name = `a step of flattening (${request.c}) was sent at ${sentAtMs}`;
  const isBefore = words.createdAtMs === null || sentAtMs < words.createdAtMs;
  const isUnproven = words.stoppedAtMs === null || sentAtMs < words.stoppedAtMs;
  return [
    ...(isBefore ? [`${name}, and its stop stood from ${words.createdAtMs} on`] : []),
    ...(isUnproven ? auditUnproven(about, { sentAtMs, asset: request.a }).map((what) => `${name}, and ${what}`) : []),
    ...(sentAtMs > words.resumedAtMs + SIGNED_WITHIN_MS
      ? [`${name}, and the stop was ended at ${words.resumedAtMs}`]
      : []),
  ];
}

/**
 * Before it is told to be stopped a step may be sent, once nothing that was signed before the stop can newly come in its market, and
 * nothing that was told to be open there lives: markets are closed apart.
 */
function auditUnproven(
  { run, wish, words }: About,
  { sentAtMs, asset }: { sentAtMs: number; asset: number },
): string[] {
  const { venue } = run;
  const user = wish.stop.party.account.tradingAddress;
  const signed = increasesUnder(run, wish).filter(
    (each) => each.sentAtMs < (words.createdAtMs ?? 0) && (each.asset === null || each.asset === asset),
  );
  return signed.flatMap(({ oid, takenAtMs }) => {
    if (takenAtMs - START_MS > sentAtMs) return [`the exchange took ${oid ?? "a TWAP"} at ${takenAtMs - START_MS}`];
    const record = oid === null ? null : venue.record(user, oid);
    // Where two markets have changed places the step was for another than the exchange took it for.
    const isSwapped = run.moves !== null && run.moves.swap !== null;
    if (oid === null || record === null || isSwapped || !wasToldOpen(run, oid, sentAtMs)) return [];
    const isLive = venue.isLive(oid) || record.statusTimestampMs - START_MS > sentAtMs;
    return isLive ? [`${oid} was told to be open, and lived`] : [];
  });
}

/** Of a bot, or of the whole account. */
function increasesUnder(run: Flat, { bot, stop: { party } }: FlattenWish): Taken[] {
  if (bot !== null) return increasesOf(run, bot);
  const taken = run.venue.log.filter((execution) => execution.signer === party.agent && isIncrease(execution));
  return taken.flatMap((execution): Taken[] => {
    const times = { sentAtMs: run.sentWhen(execution), takenAtMs: execution.atMs };
    const when = { ...times, twapId: null, isReduction: false };
    const placed = placedBy(execution).flatMap(({ request, leg }) =>
      leg === null || onlyReduces(request) ? [] : [{ ...when, oid: leg.oid, asset: request.a }],
    );
    return execution.input.action.type === "twapOrder" ? [{ ...when, oid: null, asset: null }] : placed;
  });
}

function wasToldOpen({ told }: Flat, oid: number, atMs: number): boolean {
  return told.some(({ type, payload, atMs: toldAtMs }) => {
    const isOf = type.startsWith("order.") && fieldOf(payload, "exchange_order_id") === String(oid);
    const status = isOf ? fieldOf(payload, "status") : null;
    return toldAtMs < atMs && (status === "open" || status === "waiting_for_trigger");
  });
}

/** Between the row of an intent and its sending, milliseconds. */
const SIGNED_WITHIN_MS = 10_000;

type Request = Parameters<WishOf>[0];

function auditTerms({ c: cloid, r: isReduction, t: terms }: Request): string[] {
  const isImmediate = "limit" in terms && terms.limit.tif === "Ioc";
  return isReduction && isImmediate ? [] : [`a step of flattening (${cloid}) could rest or increase`];
}

type TakenStep = { execution: Execution; leg: { oid: number; size: bigint } };

/** It closes what is the stop's own and no more, and never comes out on the other side. */
function auditTaken({ run, wish, moments }: About, { execution, leg }: TakenStep): string[] {
  const user = wish.stop.party.account.tradingAddress;
  const fills = run.venue.fillsOf(user).filter(({ oid }) => oid === leg.oid);
  const crossing = fills.filter(({ startPosition, size, isBuy }) => {
    return startPosition > 0n === isBuy || size > magnitude(startPosition);
  });
  const [first] = fills;
  const beyond = crossing.map(({ size, startPosition }) => `step ${leg.oid} filled ${size} against ${startPosition}`);
  if (wish.bot === null || first === undefined) return beyond;
  const atMs = first.timeMs - START_MS;
  const fromMs = run.sentWhen(execution) - KNOWN_WITHIN_MS;
  const ofMarket = moments.filter((each) => each.coin === first.coin && each.atMs <= atMs && each.oid !== leg.oid);
  const own = ofMarket.at(-1)?.closable ?? 0n;
  // Another step is settled before the next one: what that has closed is known.
  const meanwhile = ofMarket.reduce((sum, { atMs: filledAtMs, closable, wasClosable, isStep: isKnown }) => {
    const less = magnitude(wasClosable) - magnitude(closable);
    return filledAtMs < fromMs || isKnown || less <= 0n ? sum : sum + less;
  }, 0n);
  const most = magnitude(own) + meanwhile;
  return leg.size <= most ? beyond : [...beyond, `step ${leg.oid} of ${leg.size}, and ${most} was the bot's own`];
}

/** What waits to protect what is held, of whose stop it is, stays, unless the stop was to take it along, or somebody asked for it. */
function auditProtection({ run, wish, words, moments }: About): string[] {
  const { party, keepsProtection } = wish.stop;
  const isSwept = run.wishes.some((each) => each.party === party && SWEEPING.has(each.kind));
  if (!keepsProtection || isSwept || words.createdAtMs === null) return [];
  const asked = new Set(run.wishes.flatMap(({ target }) => target ?? []));
  const user = party.account.tradingAddress;
  const own = wish.bot === null ? null : new Set(takenOf(run, wish.bot).map(({ oid }) => oid));
  return run.venue.log.flatMap((execution) => {
    const sentAtMs = execution.signer === party.agent ? run.sentWhen(execution) : 0;
    const isUnderIt = sentAtMs >= (words.createdAtMs ?? 0) && sentAtMs < words.resumedAtMs;
    if (execution.signer !== party.agent || !isUnderIt) return [];
    return namedIn(run, party, execution).flatMap((oid) => {
      const record = run.venue.record(user, oid);
      if (record === null || !record.order.reduceOnly || record.order.trigger === null) return [];
      // Another bot's protects nothing of this one's.
      if (own !== null && !own.has(oid)) return [];
      // What had ended by then, however late that is told, protected nothing any more.
      if (record.status !== "open" && record.statusTimestampMs - START_MS < sentAtMs) return [];
      const isMet = record.order.isTriggered;
      const isAsked = run.wishes.some(({ number }) => asked.has(number) && numberOf(run, oid) === number);
      const held =
        moments.findLast(({ atMs, coin }) => coin === "BTC" && atMs <= execution.atMs - START_MS)?.closable ?? 0n;
      // Of one that is not known to wait any more a flattening waits for a while, and then cancels what may rest.
      if (!isToldToWait(run, oid, sentAtMs) || isMet || isAsked || held === 0n) return [];
      return [
        `order ${oid} waited to protect ${held}, and under a stop that keeps it was to be canceled at ${sentAtMs}`,
      ];
    });
  });
}

/** By the last that was told of it until then. */
function isToldToWait({ told }: Flat, oid: number, atMs: number): boolean {
  const word = told.findLast(({ type, payload, atMs: toldAtMs }) => {
    return toldAtMs < atMs && type.startsWith("order.") && fieldOf(payload, "exchange_order_id") === String(oid);
  });
  return word !== undefined && fieldOf(word.payload, "status") === "waiting_for_trigger";
}

function numberOf({ venue, wishOf }: Flat, oid: number): number | undefined {
  for (const execution of venue.log)
    for (const { request, leg } of placedBy(execution)) if (leg?.oid === oid) return wishOf(request)?.number;
  return undefined;
}
