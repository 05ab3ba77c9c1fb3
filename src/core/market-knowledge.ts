/**
 * What is known of the markets, each figure with its times, and how old it is when it is shown. Figures come from two sources: a
 * connection, whose figures are current for as long as it goes on telling, and reads, whose figures grow old from then on.
 */
import type { Moment } from "./clock.ts";
import type { BestPrices, Book, MarkFigures, MidPrices } from "./market-figures.ts";

/** By kind: what is told of a market, or of a dex where it is `mids`. */
type FigureOf = { best: BestPrices; mark: MarkFigures; book: Book; mids: MidPrices };

export type FigureKind = keyof FigureOf;

/** Which figures: `of` is the name of a market, or of a dex. */
export type FigureKey = { kind: FigureKind; of: string };

/** `timeMs`: the exchange's own, unix milliseconds; null where it gave none. */
export type Told = {
  [Kind in FigureKind]: { kind: Kind; of: string; value: FigureOf[Kind]; timeMs: number | null };
}[FigureKind];

/** `atMs`: exchange time of the figure, unix milliseconds. `ageMs`: how long ago it was last known to hold. */
export type Seen<Kind extends FigureKind> = { value: FigureOf[Kind]; atMs: number; ageMs: number };

/** After so long without anything new from a feed, what it told is stale, milliseconds. */
export const STALE_AFTER_MS = 10_000;
/** What is older than this is shown with its age, milliseconds: the exchange tells most figures every few seconds. */
export const TOLD_WITH_AGE_MS = 6_000;

type KnownFigure<Value> = {
  value: Value;
  atMs: number;
  /** Elapsed time at which it was so, as far as this figure itself says. */
  asOfMs: number;
};

/** `heardMs`: elapsed time of its arrival, for a figure without a time of its own; later frames may show how late it was. */
type Hearing = { line: number; heardMs: number | null };

type Figure<Value> = { told: (KnownFigure<Value> & Hearing) | null; read: KnownFigure<Value> | null };

type MarketLine = {
  id: number;
  /** Elapsed time at which the newest thing that it told was so: its arrival less its delay. */
  asOfMs: number;
  /** How late the last frame with a time was. */
  lateByMs: number;
};

export type MarketKnowledge = {
  figures: { readonly [Kind in FigureKind]: Map<string, Figure<FigureOf[Kind]>> };
  /** The connection that is subscribed; null while there is none. */
  line: MarketLine | null;
  lines: number;
};

export function newKnowledge(): MarketKnowledge {
  const figures = { best: new Map(), mark: new Map(), book: new Map(), mids: new Map() };
  return { figures, line: null, lines: 0 };
}

/** A connection begins. `lateByMs`: the greatest delay that its first frames may have. */
export function connected(knowledge: MarketKnowledge, { elapsedMs }: Moment, lateByMs: number): void {
  knowledge.lines += 1;
  knowledge.line = { id: knowledge.lines, asOfMs: elapsedMs - lateByMs, lateByMs };
}

export function disconnected(knowledge: MarketKnowledge): void {
  knowledge.line = null;
}

/** The figure is not told any more. */
export function forget({ figures }: MarketKnowledge, { kind, of }: FigureKey): void {
  figures[kind].delete(of);
}

/** How old the newest thing is that the connection told, milliseconds; null while there is none. */
export function newestAgeMs({ line }: MarketKnowledge, { elapsedMs }: Moment): number | null {
  return line === null ? null : elapsedMs - line.asOfMs;
}

/** From the connection. True where what is known has changed by it. */
export function tell(knowledge: MarketKnowledge, message: Told, now: Moment): boolean {
  const { line } = knowledge;
  if (line === null) return false;
  const { told = null, read = null } = figureOf(knowledge, message) ?? {};
  const newest = told === null || (read !== null && read.atMs > told.atMs) ? read : told;
  const isFirst = told?.line !== line.id;
  const isSame = newest !== null && isSameFigure(newest.value, message.value);
  const { timeMs } = message;
  // It comes from a server that is behind, and is dropped. But a new connection begins with the last best price, however old that is.
  const isBehind = timeMs !== null && newest !== null && timeMs < newest.atMs;
  if (isBehind && !(isFirst && isSame && message.kind === "best")) return false;
  // The same frame twice does not show that the server is up to date.
  const isNews = isFirst || timeMs === null || timeMs > told.atMs;
  // The first best price of a connection may be as old as its last change.
  if (isNews && timeMs !== null && !(isFirst && message.kind === "best"))
    line.lateByMs = Math.max(0, now.exchangeMs - timeMs);
  const sentMs = now.elapsedMs - line.lateByMs;
  // A frame with a time says how late the connection is, and corrects what was only estimated before.
  if (isNews) line.asOfMs = timeMs === null ? Math.max(line.asOfMs, sentMs) : sentMs;
  const asOfMs = isNews ? sentMs : told.asOfMs;
  const atMs = isBehind ? newest.atMs : (timeMs ?? now.exchangeMs - line.lateByMs);
  put(
    knowledge,
    message,
    { atMs, asOfMs },
    {
      by: "line",
      hearing: { line: line.id, heardMs: timeMs === null ? now.elapsedMs : null },
    },
  );
  return isFirst || !isSame;
}

/** Takes a figure from a read that was answered `ageMs` ago, unless a newer one is known. */
export function fill(knowledge: MarketKnowledge, message: Told, { ageMs, now }: { ageMs: number; now: Moment }): void {
  const { told = null, read = null } = figureOf(knowledge, message) ?? {};
  const { timeMs } = message;
  const lateByMs = timeMs === null ? 0 : Math.max(0, now.exchangeMs - ageMs - timeMs);
  const atMs = timeMs ?? now.exchangeMs - ageMs;
  const asOfMs = now.elapsedMs - ageMs - lateByMs;
  if (atMs < (told?.atMs ?? 0) || asOfMs < (read?.asOfMs ?? Number.NEGATIVE_INFINITY)) return;
  // The connection has missed this change: its figure is dropped until it tells a newer one.
  const isMissed = message.kind === "best" && told !== null && !isSameFigure(told.value, message.value);
  put(knowledge, message, { atMs, asOfMs }, { by: "read", isMissed });
}

/** The newest that is known, however old; null where nothing is. */
export function seen<Kind extends FigureKind>(
  knowledge: MarketKnowledge,
  kind: Kind,
  of: string,
  { elapsedMs }: Moment,
): Seen<Kind> | null {
  const figure: Figure<FigureOf[Kind]> | undefined = knowledge.figures[kind].get(of);
  if (figure === undefined) return null;
  const { told, read } = figure;
  const toldMs = told === null ? Number.NEGATIVE_INFINITY : asOfTold(knowledge, kind, told);
  const newest = read !== null && read.asOfMs > toldMs ? read : told;
  if (newest === null) return null;
  const asOfMs = newest === told ? toldMs : newest.asOfMs;
  return { value: newest.value, atMs: newest.atMs, ageMs: Math.max(0, elapsedMs - asOfMs) };
}

/** True while a connection tells it, and has told something lately. */
export function isLive(knowledge: MarketKnowledge, { kind, of }: FigureKey, { elapsedMs }: Moment): boolean {
  const told = knowledge.figures[kind].get(of)?.told ?? null;
  if (told === null || told.line !== knowledge.line?.id) return false;
  return elapsedMs - asOfTold(knowledge, kind, told) <= STALE_AFTER_MS;
}

/** As of when a told figure is. A best price is told only when it changes, so it holds for as long as its connection tells anything. */
function asOfTold({ line }: MarketKnowledge, kind: FigureKind, told: KnownFigure<unknown> & Hearing): number {
  if (line === null || told.line !== line.id) return told.asOfMs;
  if (kind === "best") return Math.max(told.asOfMs, line.asOfMs);
  return told.heardMs === null ? told.asOfMs : Math.min(told.asOfMs, told.heardMs - line.lateByMs);
}

function figureOf({ figures }: MarketKnowledge, { kind, of }: FigureKey): Figure<FigureOf[FigureKind]> | undefined {
  return figures[kind].get(of);
}

type FigureTimes = { atMs: number; asOfMs: number };

/** Who told a figure: the connection, or a read. `isMissed`: the read shows a change that the connection has missed. */
type FigureOrigin = { by: "line"; hearing: Hearing } | { by: "read"; isMissed: boolean };

function put({ figures }: MarketKnowledge, message: Told, times: FigureTimes, from: FigureOrigin): void {
  switch (message.kind) {
    case "best":
      putIn(figures.best, { ...message, ...times }, from);
      break;
    case "mark":
      putIn(figures.mark, { ...message, ...times }, from);
      break;
    case "book":
      putIn(figures.book, { ...message, ...times }, from);
      break;
    case "mids":
      putIn(figures.mids, { ...message, ...times }, from);
      break;
  }
}

type Put<Value> = { of: string; value: Value } & FigureTimes;

function putIn<Value>(
  figures: Map<string, Figure<Value>>,
  { of, value, atMs, asOfMs }: Put<Value>,
  from: FigureOrigin,
): void {
  const { told = null } = figures.get(of) ?? {};
  const known = { value, atMs, asOfMs };
  if (from.by === "line") figures.set(of, { told: { ...known, ...from.hearing }, read: null });
  else figures.set(of, { told: from.isMissed ? null : told, read: known });
}

/** A list of middle prices is not compared: it is told again and again, and nobody follows it. */
function isSameFigure(one: FigureOf[FigureKind], other: FigureOf[FigureKind]): boolean {
  return !(one instanceof Map) && JSON.stringify(one) === JSON.stringify(other);
}
