/**
 * Trades, held against the exchange's own log: one entry, its stop before it or right after what it fills, as much protection as is
 * held when all is at rest, and nothing left when nothing is held.
 */
import type { Audited } from "./auditor.ts";
import { type Dialogue, fieldOf } from "./clients.ts";
import { hasForeignFill } from "./kept-fills.ts";
import { isElsewhere } from "./misplaced.ts";
import type { ToldEvent } from "./tellings.ts";
import { START_MS } from "./template.ts";
import { decimalText, type TrueOrder, units } from "./truth.ts";
import type { Wish } from "./wishes.ts";

/**
 * So long at most may more be held than is protected, milliseconds, beside all time in which the gateway was dead, could not
 * reach the exchange or had no word of what it had sent: an entry is asked after every five seconds where no feed tells of it, for
 * each trade that lives, and a stop is sent and confirmed after that.
 */
const UNPROTECTED_WITHIN_MS = 20_000;

/** From then on, until then, in virtual milliseconds: nobody can protect anything meanwhile. */
export type Span = { fromMs: number; toMs: number };

/** `netOf`: what the bot of a key holds by its own fills, in 10^-8, below zero for short; null for a key of no bot. */
type TradesRun = Audited & { excused: readonly Span[]; netOf(by: Wish["by"]): bigint | null };

/** What was found, and the longest that more was held than was protected. */
type TradesAudit = { findings: string[]; worstMs: number };

export function auditTrades(run: TradesRun): TradesAudit {
  const audits = run.dialogues.filter(({ wish }) => wish.kind === "trade").map((each) => auditTrade(run, each));
  return {
    findings: audits.flatMap(({ findings }) => findings),
    worstMs: Math.max(0, ...audits.map((a) => a.worstMs)),
  };
}

/** Everything of a trade at the exchange. Times are the exchange's. */
type Books = {
  wish: Wish;
  user: string;
  isLong: boolean;
  entry: TrueOrder | null;
  stops: readonly TrueOrder[];
  profits: readonly TrueOrder[];
};

function auditTrade(run: TradesRun, dialogue: Dialogue): TradesAudit {
  const { wish, ask } = dialogue;
  // What stands in another market, or is another's under the same id, has rules of its own.
  if (ask?.kind !== "trade" || isElsewhere(run, dialogue) || run.moves !== null) return { findings: [], worstMs: 0 };
  const parts = wish.parts ?? [];
  const entryWish = parts.find(({ part }) => part?.as === "entry");
  const own = run.truth.guards.filter(({ wish: { part } }) => part?.of === wish.number);
  const books: Books = {
    wish,
    user: wish.party.account.tradingAddress,
    isLong: ask.side === "buy",
    entry: run.truth.orders.get(entryWish?.number ?? -1) ?? null,
    stops: own.filter(({ wish: { part } }) => part?.as === "stop"),
    profits: own.filter(({ wish: { part } }) => part?.as === "profit"),
  };
  const entries = run.truth.made.get(entryWish?.number ?? -1)?.length ?? 0;
  const { findings, worstMs } = auditProtection(run, books);
  return {
    findings: [
      ...(entries > 1 ? [`${wish.key} entered ${entries} times`] : []),
      ...(isWithdrawn(run, wish) ? [] : [...findings, ...auditRest(run, books)]),
      ...auditOrder(run, books),
      ...auditTold(run, books),
    ],
    worstMs: isWithdrawn(run, wish) ? 0 : worstMs,
  };
}

/** A stop of the account may take protection away as well. */
function isWithdrawn({ stop }: Audited, { party }: Wish): boolean {
  return stop !== null && stop.party === party && !stop.keepsProtection;
}

/** A stop that the exchange has answered to wait may be met while the entry is being signed and is on its way, milliseconds. */
const MET_WITHIN_MS = 3_000;

/** Where the stop goes first, all of it waits at the exchange when the entry is taken. */
function auditOrder(run: Audited, books: Books): string[] {
  const { entry, wish } = books;
  const [leg] = entry?.legs ?? [];
  if (leg === undefined || lastShown(run, wish)?.path !== "stop_first") return [];
  const takenAtMs = run.venue.record(books.user, leg.oid)?.order.timestampMs ?? 0;
  const before = books.stops.filter(({ legs }) =>
    legs.some(({ oid }) => (run.venue.record(books.user, oid)?.order.timestampMs ?? Infinity) < takenAtMs),
  );
  // A network may keep the entry for as long as it is good; its number says when it was signed.
  const [made] = run.truth.made.get(entry?.wish.number ?? -1) ?? [];
  const sinceMs = Math.min(takenAtMs, made?.nonce ?? Infinity) - MET_WITHIN_MS;
  const met = before.filter(({ legs }) =>
    legs.some(({ oid }) => (run.venue.record(books.user, oid)?.statusTimestampMs ?? 0) >= sinceMs),
  );
  const stood = met.reduce(
    (most, order) => most + (order.legs[0]?.size ?? 0n),
    protectedAt(run, before, books.user, takenAtMs),
  );
  return stood >= leg.size
    ? []
    : [`${wish.key} entered ${decimalText(leg.size)} while ${decimalText(stood)} was protected`];
}

type Shown = { path: string; status: string; filled_size: string; held_size: string; protected: boolean };

function lastShown({ trades }: Audited, { key }: Wish): Shown | null {
  const outcome = trades.get(key)?.outcome;
  // Our own JSON, read without its types.
  return outcome?.kind === "answer" && outcome.status === 200 ? (JSON.parse(outcome.body) as Shown) : null;
}

function filledBy({ venue }: Audited, user: string, orders: readonly TrueOrder[], atMs: number): bigint {
  const oids = oidsOf(orders);
  return venue
    .fillsOf(user)
    .filter(({ oid, timeMs }) => oids.has(oid) && timeMs <= atMs)
    .reduce((sum, { size }) => sum + size, 0n);
}

/** What of these orders still stands at a time. */
function protectedAt(run: Audited, orders: readonly TrueOrder[], user: string, atMs: number): bigint {
  return orders.reduce((sum, order) => sum + standingAt(run, order, user, atMs), 0n);
}

function standingAt(run: Audited, { legs }: TrueOrder, user: string, atMs: number): bigint {
  return legs.reduce((sum, { oid, size }) => {
    const record = run.venue.record(user, oid);
    if (record === null || record.order.timestampMs > atMs) return sum;
    if (!run.venue.isLive(oid) && record.statusTimestampMs <= atMs) return sum;
    const filled = run.venue.fillsOf(user).filter((fill) => fill.oid === oid && fill.timeMs <= atMs);
    return sum + size - filled.reduce((all, fill) => all + fill.size, 0n);
  }, 0n);
}

/**
 * What the trade holds by its own fills, and no more than the account has had on its side since: what others have closed of it comes
 * not back with what somebody else opens later.
 */
function heldAt(run: Audited, { entry, stops, profits, user, isLong }: Books, atMs: number): bigint {
  const entries = oidsOf(entry === null ? [] : [entry]);
  const guards = oidsOf([...stops, ...profits]);
  let held = 0n;
  for (const { coin, oid, timeMs, size, isBuy, startPosition } of run.venue.fillsOf(user)) {
    if (coin !== "BTC" || timeMs > atMs) continue;
    if (entries.has(oid)) held += size;
    if (guards.has(oid)) held -= size;
    const position = startPosition + (isBuy ? size : -size);
    held = smaller(held, isLong ? position : -position);
    held = held > 0n ? held : 0n;
  }
  return held;
}

/** The same by what the account has just now: its position may have been nothing for less than a gateway looks. */
function heldByPosition(run: Audited, { entry, stops, profits, user, isLong }: Books, atMs: number): bigint {
  const own =
    filledBy(run, user, entry === null ? [] : [entry], atMs) - filledBy(run, user, [...stops, ...profits], atMs);
  const last = run.venue.fillsOf(user).findLast(({ coin, timeMs }) => coin === "BTC" && timeMs <= atMs);
  const position = last === undefined ? 0n : last.startPosition + (last.isBuy ? last.size : -last.size);
  const most = smaller(own, isLong ? position : -position);
  return most > 0n ? most : 0n;
}

function oidsOf(orders: readonly TrueOrder[]): ReadonlySet<number> {
  return new Set(orders.flatMap(({ legs }) => legs.map(({ oid }) => oid)));
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** What is worth less at its stop the exchange takes no stop for, in 10^-16 dollars. */
const MINIMUM_VALUE = 10n * 100_000_000n * 100_000_000n;
const LOWEST_STOP = 80_000n * 100_000_000n;

function isTooLittle(held: bigint): boolean {
  return held * LOWEST_STOP < MINIMUM_VALUE;
}

/** Every time at which something of the trade, or of its account in the market, has changed. */
function timesOf(run: Audited, { entry, stops, profits, user }: Books): number[] {
  const orders = [...(entry === null ? [] : [entry]), ...stops, ...profits];
  const ends = orders.flatMap(({ legs }) =>
    legs.flatMap(({ oid }) => {
      const record = run.venue.record(user, oid);
      return record === null ? [] : [record.order.timestampMs, record.statusTimestampMs];
    }),
  );
  const fills = run.venue.fillsOf(user).flatMap(({ coin, timeMs }) => (coin === "BTC" ? [timeMs] : []));
  return [...new Set([...ends, ...fills])].sort((a, b) => a - b);
}

/** More is never held for long than is protected. */
function auditProtection(run: TradesRun, books: Books): TradesAudit {
  if (books.entry === null) return { findings: [], worstMs: 0 };
  const times = timesOf(run, books);
  const endMs = run.venue.nowMs();
  const spans: Span[] = [];
  for (const [nth, atMs] of times.entries()) {
    const held = heldAt(run, books, atMs);
    if (isTooLittle(held) || protectedAt(run, books.stops, books.user, atMs) >= held) continue;
    const toMs = times[nth + 1] ?? endMs;
    const before = spans.at(-1);
    if (before?.toMs === atMs) spans[spans.length - 1] = { fromMs: before.fromMs, toMs };
    else spans.push({ fromMs: atMs, toMs });
  }
  const counted = spans.map((span) => ({ span, ms: unexcusedMs(run, span) }));
  const late = counted.filter(({ ms }) => ms > UNPROTECTED_WITHIN_MS);
  const name = books.wish.key;
  return {
    findings: late.map(
      ({ span, ms }) =>
        `${name} held ${decimalText(heldAt(run, books, span.fromMs))} from ${span.fromMs - START_MS} for ${ms} ms without its stop`,
    ),
    worstMs: Math.max(0, ...counted.map(({ ms }) => ms)),
  };
}

function unexcusedMs({ excused }: TradesRun, { fromMs, toMs }: Span): number {
  let at = fromMs - START_MS;
  const end = toMs - START_MS;
  let sum = 0;
  for (const span of excused.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (span.toMs <= at || span.fromMs >= end) continue;
    sum += Math.max(0, span.fromMs - at);
    at = Math.max(at, span.toMs);
  }
  return sum + Math.max(0, end - at);
}

/** At the end as much is protected as is held; more only while the entry lives, and nothing where nothing is held. */
function auditRest(run: TradesRun, books: Books): string[] {
  const nowMs = run.venue.nowMs();
  const byPosition = heldByPosition(run, books, nowMs);
  const found = auditRestOf(run, books, heldAt(run, books, nowMs));
  const later = found.length === 0 ? [] : auditRestOf(run, books, byPosition);
  const net = run.netOf(books.wish.by);
  if (later.length === 0 || net === null) return later;
  // What its bot was short of when the trade entered is no part of what it has to protect.
  const left = larger(books.isLong ? net : -net, 0n);
  return auditRestOf(run, books, smaller(byPosition, left));
}

function auditRestOf(run: Audited, books: Books, held: bigint): string[] {
  const { wish, entry, stops, profits, user } = books;
  const nowMs = run.venue.nowMs();
  const stop = protectedAt(run, stops, user, nowMs);
  const profit = protectedAt(run, profits, user, nowMs);
  const isEntering = entry?.legs.some(({ oid }) => run.venue.isLive(oid)) ?? false;
  const shown = lastShown(run, wish);
  const name = `${wish.key} rests with ${decimalText(held)} held, stops of ${decimalText(stop)} and profits of ${decimalText(profit)}`;
  if (shown !== null && ENDED.has(shown.status) && (stop > 0n || profit > 0n || isEntering))
    return [`${name}, ${shown.status}`];
  // By a fill of another's, which nothing told from its own, more is held: what shows less is believed after ten minutes.
  if (stop > held && hasForeignFill(run.database, run, wish.party.account)) return [];
  if (isTooLittle(held)) return isEntering || (stop === 0n && profit === 0n) || held > 0n ? [] : [name];
  if (stop < held || (!isEntering && stop > held) || profit > held) return [name];
  return shown !== null && units(shown.held_size) !== held ? [`${name}, and ${shown.held_size} is shown`] : [];
}

const ENDED: ReadonlySet<string> = new Set(["closed", "canceled", "rejected", "closed_outside", "withdrawn"]);

/** Every word of it, answers and events alike: no more filled than was, and an end after which nothing of it lives or fills. */
function auditTold(run: Audited, books: Books): string[] {
  const { wish } = books;
  return toldOf(run, wish).flatMap(({ body, atMs }) => {
    const name = `at ${atMs} ${wish.key} was told ${fieldOf(body, "status")} with ${fieldOf(body, "filled_size")} filled`;
    const at = START_MS + atMs;
    const filled = filledBy(run, books.user, books.entry === null ? [] : [books.entry], at);
    if (units(fieldOf(body, "filled_size") ?? "0") > filled)
      return [`${name}, and ${decimalText(filled)} were by then`];
    if (!ENDED.has(fieldOf(body, "status") ?? "")) return [];
    const all = [...(books.entry === null ? [] : [books.entry]), ...books.stops, ...books.profits];
    const living = protectedAt(run, all, books.user, at);
    const later = filledBy(run, books.user, all, run.venue.nowMs()) - filledBy(run, books.user, all, at);
    return [
      ...(living > 0n ? [`${name}, and ${decimalText(living)} of it lived`] : []),
      ...(later > 0n ? [`${name}, and ${decimalText(later)} of it were filled after that`] : []),
    ];
  });
}

function toldOf({ dialogues, told }: Audited, { number }: Wish): { body: string; atMs: number }[] {
  const turns = dialogues
    .filter(({ wish }) => wish.number === number || wish.target === number)
    .flatMap((d) => d.turns);
  const answers = turns.flatMap(({ outcome, endedAtMs }) =>
    outcome?.kind === "answer" &&
    outcome.status < 300 &&
    endedAtMs !== null &&
    fieldOf(outcome.body, "object") === "trade"
      ? [{ body: outcome.body, atMs: endedAtMs }]
      : [],
  );
  const id = answers[0] === undefined ? null : fieldOf(answers[0].body, "id");
  const isOf = ({ type, payload }: ToldEvent) => type.startsWith("trade.") && fieldOf(payload, "id") === id;
  const events = id === null ? [] : told.filter((event) => !event.isTakenBack && isOf(event));
  return [...answers, ...events.map(({ payload, atMs }) => ({ body: payload, atMs }))];
}
