import { add, compare, multiply, ZERO } from "../../core/decimal.ts";
import type { Filled } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { shownFills } from "../../exchange/told-fill.ts";
import type { FilledOrder } from "../../store/fills.ts";
import { type Fill, parseFills } from "../../wire/answer/fills.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";

export const NOTHING_FILLED: Filled = { size: ZERO, notional: ZERO };

export function sumFills(fills: readonly Pick<Fill, "size" | "price">[]): Filled {
  return fills.reduce<Filled>(
    (sum, fill) => ({ size: add(sum.size, fill.size), notional: add(sum.notional, multiply(fill.price, fill.size)) }),
    NOTHING_FILLED,
  );
}

/** An order as the exchange shows it, for what is kept of its fills. */
export function filledOrder({ oid, coin, side }: Pick<FrontendOrder, "oid" | "coin" | "side">): FilledOrder {
  return { oid, market: coin, side: side === "B" ? "buy" : "sell" };
}

/** Those of fills that are an order's own: what carries its native id in another market or on the other side is none. */
export function fillsOfOrder(fills: readonly Fill[], order: Pick<FrontendOrder, "oid" | "coin" | "side">): Fill[] {
  return fills.filter(({ oid, coin, side }) => oid === order.oid && coin === order.coin && side === order.side);
}

/** Pages read for one question; the exchange keeps about 10,000 fills. */
const MAX_PAGES = 8;

/**
 * Fills of whole milliseconds, oldest first, and whether they are the last; `failed` ends the reading. `reachesToMs`: the server
 * that gave it had the fills up to one of this time; null when it holds none.
 */
export type ShownFillPage =
  | {
      fills: readonly Fill[];
      isLast: boolean;
      reachesToMs: number | null;
      /** All of it is of this millisecond, and more of that may be there than both its ends show. */
      holeMs?: number;
    }
  | "failed";

/**
 * How far a reading has come. Where it is broken off, for want of weight mostly, the next goes on there: from the start again it would use up
 * the same weight for the same pages, and come no further.
 */
export type PagesProgress = {
  /** What is older has been read, exchange time, unix milliseconds. */
  fromMs: number;
  /** A full page from then on, of which nobody knows yet that nothing lies before it; null where there is none. */
  first: FirstPage | null;
};

/** `known`: all of it so far, oldest first. `newest`: the page that was read last, whose first millisecond says what may lie before. */
type FirstPage = { known: readonly Fill[]; newest: readonly Fill[] };

export function pagesFrom(sinceMs: number): PagesProgress {
  return { fromMs: sinceMs, first: null };
}

/**
 * Fills of a user, a page at a time. A page may end within a millisecond, which
 * is left to the next one: what an order was filled by half of its fills it never was. Ends without a last page when there are
 * more than `maxPages`.
 *
 * @param asked `progress`: from when on; it is moved on with each page that was taken
 */
export async function* fillPages(
  world: With<"exchange" | "feeds" | "settings">,
  asked: { user: string; progress: PagesProgress; maxPages: number },
  options: InfoOptions,
): AsyncGenerator<ShownFillPage, void, void> {
  const { user, progress } = asked;
  for (let page = 0; page < asked.maxPages; page += 1) {
    // The last page too has to be told from one that lacks what is older: that takes one question more.
    const maxPages = asked.maxPages - page + 1;
    const fills = await readOldest(world, { user, progress, maxPages }, options);
    if (fills === null) return yield "failed";
    const last = fills.at(-1);
    if (fills.length < world.settings.fillsPageRows || last === undefined)
      return yield { fills, isLast: true, reachesToMs: last?.timeMs ?? null };
    const reachesToMs = last.timeMs;
    const whole = fills.filter(({ timeMs }) => timeMs < last.timeMs);
    if (whole.length > 0) {
      yield { fills: whole, isLast: false, reachesToMs };
      progress.fromMs = last.timeMs;
      continue;
    }
    // A page of one millisecond would be read for ever: what it lacks is read from the other end.
    const others = await readFromItsEnd(world, { user, timeMs: last.timeMs }, options);
    if (others === null) return yield "failed";
    const both = { fills: [...fills, ...others], isLast: false, reachesToMs };
    const isHole = others.length >= world.settings.fillsPageRows && !doMeet(fills, others);
    yield isHole ? { ...both, holeMs: last.timeMs } : both;
    progress.fromMs = last.timeMs + 1;
  }
}

/**
 * The fills from a time on, oldest first. That a full page holds the oldest of what was asked for is not written anywhere: where its
 * first is later than the start, what lies before it is asked for as well, and most often there is nothing. Null where it could not be read.
 */
async function readOldest(
  world: With<"exchange" | "feeds" | "settings">,
  { user, progress, maxPages }: { user: string; progress: PagesProgress; maxPages: number },
  options: InfoOptions,
): Promise<readonly Fill[] | null> {
  const { fromMs: startTime, first } = progress;
  progress.first = null;
  let read = first?.newest ?? (await readPage(world, { user, startTime }, options));
  let known = first?.known ?? read ?? [];
  for (let page = 1; read !== null && read.length >= world.settings.fillsPageRows; page += 1) {
    const firstMs = known[0]?.timeMs ?? startTime;
    if (firstMs <= startTime) break;
    // Too many to be read at once: nothing of it is told to be the oldest.
    if (page >= maxPages) return null;
    // A page of one millisecond has nothing more to say of it: that is read from its other end, and each full page weighs 120.
    const endTime = read.at(-1)?.timeMs === firstMs ? firstMs - 1 : firstMs;
    const older = await readPage(world, { user, startTime, endTime }, options);
    if (older === null) {
      progress.first = { known, newest: read };
      return null;
    }
    read = older;
    // What the page was cut off from, within its first millisecond, comes before it as well.
    const names = new Set(known.map(nameOf));
    const before = read.filter((fill) => !names.has(nameOf(fill)));
    if (before.length === 0) break;
    known = [...before, ...known];
  }
  return read === null ? null : known;
}

async function readPage(
  world: With<"exchange" | "feeds">,
  asked: { user: string; startTime: number; endTime?: number },
  options: InfoOptions,
): Promise<readonly Fill[] | null> {
  const outcome = await world.exchange.info({ type: "userFillsByTime", ...asked }, options);
  const fills = outcome.kind === "ok" ? parseFills(outcome.json) : null;
  if (fills !== null) world.feeds.showed(asked.user, shownFills(fills));
  return fills;
}

/**
 * Whether two full pages of one millisecond, from its two ends, are all of it: some of it is in both, and not just the same from the same
 * end. A server that does not know the other end gives the first page again.
 */
function doMeet(first: readonly Fill[], last: readonly Fill[]): boolean {
  const names = new Set(first.map(nameOf));
  const both = last.filter((fill) => names.has(nameOf(fill)));
  // As they came, newest first: what is the same from the front was not asked from the other end.
  const came = last.toReversed();
  const isFirstAgain = first.every((fill, nth) => came[nth] !== undefined && nameOf(fill) === nameOf(came[nth]));
  return both.length > 0 && !isFirstAgain;
}

/** The last page of one millisecond, oldest first; null when it could not be read. */
async function readFromItsEnd(
  world: With<"exchange" | "feeds">,
  { user, timeMs }: { user: string; timeMs: number },
  options: InfoOptions,
): Promise<readonly Fill[] | null> {
  const request = { type: "userFillsByTime", user, startTime: timeMs, endTime: timeMs, reversed: true };
  const outcome = await world.exchange.info(request, options);
  const fills = outcome.kind === "ok" ? parseFills(outcome.json) : null;
  if (fills !== null) world.feeds.showed(user, shownFills(fills));
  return fills?.toReversed() ?? null;
}

/** True when fills, of which some may be missing, tell what was asked: the rest need not be read. */
export type IsEnough = (fills: readonly Fill[]) => boolean;

/**
 * Of orders, as their records show them: enough when each has begun to fill, and what was filled and what is left make up
 * just the whole. A record that shows nothing filled, or leaves no room for what was, is behind: then every page is read.
 */
export function completes(orders: readonly Pick<FrontendOrder, "oid" | "size" | "originalSize">[]): IsEnough {
  return (fills) => {
    const byOid = Map.groupBy(fills, ({ oid }) => oid);
    return orders.every(({ oid, size, originalSize }) => {
      const filled = sumFills(byOid.get(oid) ?? []).size;
      if (originalSize === null) return false;
      return compare(size, originalSize) < 0 && compare(add(filled, size), originalSize) === 0;
    });
  };
}

/** Fills of several answers, each once. */
export type FillsRead = {
  fills: Fill[];
  /**
   * Every fill from the asked time up to before this time is there, as far as servers that were in it know: of the answers that
   * join one another without a gap the newest fill, exchange time, milliseconds, and no later than a millisecond of which some may
   * lack. Null when there is none.
   */
  wholeToMs: number | null;
  /** Nothing more is shown. False where there are more pages than one question reads. */
  isWhole: boolean;
  /** The same, or what there is was enough. */
  isToEnd: boolean;
};

/**
 * All fills of a user since a time (exchange time, milliseconds), each once; `readFills` says how. What does not reach the end says nothing
 * of what it lacks, and is no answer.
 */
export async function readFillsSince(
  world: With<"exchange" | "feeds" | "settings">,
  asked: { user: string; sinceMs: number; isEnough?: IsEnough },
  options: InfoOptions,
): Promise<Fill[] | "failed"> {
  const read = await readFills(world, asked, options);
  return read === "failed" || !read.isToEnd ? "failed" : read.fills;
}

/**
 * All fills of a user since a time, each once, and up to when they are whole. Where they are more than a page, the
 * newest ones come before those in between: what was asked of may stand there, and a page costs a tenth of a minute's
 * weight.
 */
export async function readFills(
  world: With<"exchange" | "feeds" | "settings">,
  asked: { user: string; sinceMs: number; isEnough?: IsEnough },
  options: InfoOptions,
): Promise<FillsRead | "failed"> {
  const { user, sinceMs, isEnough } = asked;
  const byKey = new Map<string, Fill>();
  const keep = (fills: readonly Fill[]) => {
    for (const fill of fills) byKey.set(nameOf(fill), fill);
  };
  const keepNewest = async () => {
    newest = (await readNewestFills(world, user, options)).filter(({ timeMs }) => timeMs >= sinceMs);
    keep(newest);
  };
  let [isEnd, isAnswered] = [false, false];
  let wholeToMs: number | null = null;
  let newest: readonly Fill[] = [];
  let holeMs = Number.POSITIVE_INFINITY;
  for await (const page of fillPages(world, { user, progress: pagesFrom(sinceMs), maxPages: MAX_PAGES }, options)) {
    if (page === "failed") return page;
    const isFirst = byKey.size === 0;
    keep(page.fills);
    wholeToMs = laterOf(wholeToMs, page.reachesToMs);
    holeMs = Math.min(holeMs, page.holeMs ?? holeMs);
    isEnd = page.isLast;
    if (page.isLast || !isFirst || isEnough === undefined) continue;
    await keepNewest();
    isAnswered = isEnough([...byKey.values()]);
    if (isAnswered) break;
  }
  if (!isEnd && !isAnswered && newest.length === 0) await keepNewest();
  const isWhole = isEnd || isJoined(wholeToMs, newest);
  const joinedToMs = joined(wholeToMs, newest);
  const upToMs = joinedToMs === null ? null : Math.min(joinedToMs, holeMs);
  return { fills: [...byKey.values()], wholeToMs: upToMs, isWhole, isToEnd: isWhole || isAnswered };
}

function nameOf({ timeMs, coin, tid, oid }: Fill): string {
  return `${timeMs}-${coin}-${tid}-${oid}`;
}

function laterOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** What one server shows says nothing of what another lacks: the newest fills count where the pages reach up to them. */
function joined(wholeToMs: number | null, newest: readonly Fill[]): number | null {
  if (!isJoined(wholeToMs, newest)) return wholeToMs;
  return laterOf(wholeToMs, Math.max(...newest.map(({ timeMs }) => timeMs)));
}

/** Without a gap between them. */
function isJoined(wholeToMs: number | null, newest: readonly Fill[]): boolean {
  const times = newest.map(({ timeMs }) => timeMs);
  const isGap = wholeToMs === null || times.length === 0 || Math.min(...times) > wholeToMs;
  return !isGap;
}

/** The newest page; none where it could not be read. */
async function readNewestFills(
  world: With<"exchange" | "feeds" | "settings">,
  user: string,
  options: InfoOptions,
): Promise<readonly Fill[]> {
  const outcome = await world.exchange.info({ type: "userFills", user }, options);
  const fills = outcome.kind === "ok" ? (parseFills(outcome.json) ?? []) : [];
  world.feeds.showed(user, shownFills(fills));
  return withoutCut(fills, world.settings.fillsPageRows);
}

/** Of the newest fills those of whole milliseconds: a full page may have been cut within its oldest one. */
export function withoutCut(newest: readonly Fill[], pageRows: number): readonly Fill[] {
  if (newest.length < pageRows) return newest;
  const oldestMs = newest.reduce((oldest, { timeMs }) => Math.min(oldest, timeMs), Number.POSITIVE_INFINITY);
  return newest.filter(({ timeMs }) => timeMs > oldestMs);
}
