/** What was measured, as lines and a table, and whether it is as promised. */
import type { KnownExchange, Spent } from "./exchange.ts";
import { type Aged, AS_NOW_MS, type Notes, type Part } from "./notes.ts";
import type { Told } from "./trading.ts";

export type Say = (what: string, isTrue: boolean) => void;

type Judging = { isLive: boolean; say: Say };

/** Nothing older than this is shown at all, milliseconds. */
const OLDEST_MS = 10_000;
/** What a time that we are told may be off by, milliseconds. */
const CLOCK_SLACK_MS = 250;
/** From the exchange's fill to the event, p99, milliseconds. */
const TOLD_WITHIN_MS = 100;
/** Weight of a minute that reads may use by default, and all together. */
const WEIGHT_A_MINUTE = 1_200;
const MINUTE_MS = 60_000;

export function judgeReads(notes: Notes, { isLive, say }: Judging): void {
  for (const [word, count] of [...notes.statuses].toSorted((a, b) => b[1] - a[1])) console.log(`${word}: ${count}`);
  for (const [path, list] of Map.groupBy(notes.refused, ({ path }) => path)) {
    const [first] = list;
    if (first !== undefined) console.log(`  ${list.length} x ${path}, from ${timeOf(first.atMs)} on: ${first.text}`);
  }
  const refused = [...notes.statuses].filter(([word]) => !word.startsWith("2"));
  if (isLive) say("no refusal", refused.length === 0);
  say(`every 429 and 503 says when to come again (${notes.silent} do not)`, notes.silent === 0);
  say(`nothing is open with nothing left (${notes.spent.length}) ${notes.spent[0] ?? ""}`, notes.spent.length === 0);
  // The names of AS_NOW_MS.
  for (const part of Object.keys(AS_NOW_MS) as Part[]) {
    const aged = notes.aged.filter((one) => one.part === part);
    if (aged.length > 0) judgePart(part, aged, { isLive, say });
  }
}

function judgePart(part: Part, aged: readonly Aged[], { isLive, say }: Judging): void {
  const bound = AS_NOW_MS[part];
  const ages = aged.map(({ ageMs }) => ageMs ?? Number.POSITIVE_INFINITY);
  const marked = aged.filter(({ asOfMs }) => asOfMs !== null).length;
  console.log(`${part}: ${aged.length} answers, age ms ${spread(ages)}, ${marked} with X-Data-As-Of`);
  const most = Math.max(...ages);
  const old = aged.filter(({ ageMs }) => (ageMs ?? Number.POSITIVE_INFINITY) > bound);
  if (isLive) say(`${part}: none older than ${bound} ms (${old.length} are) ${toldOf(old)}`, old.length === 0);
  const never = aged.find(({ ageMs }) => ageMs === null);
  say(`${part}: each was true once ${never === undefined ? "" : never.fact}`, never === undefined);
  say(`${part}: none older than ${OLDEST_MS} ms`, most <= OLDEST_MS);
  const unmarked = aged.filter(({ ageMs, asOfMs }) => (ageMs ?? 0) > bound && asOfMs === null);
  say(
    `${part}: what is older than ${bound} ms says so (${unmarked.length} do not) ${toldOf(unmarked)}`,
    unmarked.length === 0,
  );
  const wrong = aged.filter(
    ({ ageMs, asOfMs, fromMs }) => asOfMs !== null && fromMs - (ageMs ?? 0) + CLOCK_SLACK_MS < asOfMs && ageMs !== 0,
  );
  say(`${part}: none says that it is newer than it is (${wrong.length}) ${toldOf(wrong)}`, wrong.length === 0);
}

function toldOf([first]: readonly Aged[]): string {
  if (first === undefined) return "";
  const asOf = first.asOfMs === null ? "" : `, told as of ${first.fromMs - first.asOfMs} ms before`;
  return `first: ${first.fact}, ${first.ageMs} ms old, at ${timeOf(first.fromMs)}${asOf}`;
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(11);
}

export function judgeTold({ byEvent, byAnswer }: Told, { filled }: KnownExchange, { isLive, say }: Judging): void {
  const made = [...filled].filter(([, { isMaker }]) => isMaker);
  const delays = (at: ReadonlyMap<string, number>) =>
    made.flatMap(([oid, { atMs }]) => (at.has(oid) ? [(at.get(oid) ?? 0) - atMs] : []));
  const [told, shown] = [delays(byEvent), delays(byAnswer)];
  console.log(`maker fills: ${made.length}; to the event, ms: ${told.length} ${spread(told)}`);
  console.log(`maker fills, to an answer that says filled, ms: ${shown.length} ${spread(shown)}`);
  if (isLive) say(`99 of 100 fills are told within ${TOLD_WITHIN_MS} ms`, quantile(told, 0.99) <= TOLD_WITHIN_MS);
}

export function judgeWeight(spent: readonly Spent[], sinceMs: number, say: Say): void {
  const own = spent.filter(({ atMs }) => atMs >= sinceMs);
  const byType = [...Map.groupBy(own, ({ type }) => type)]
    .map(([type, list]) => ({ type, count: list.length, weight: sumOf(list) }))
    .toSorted((a, b) => b.weight - a.weight);
  for (const { type, count, weight } of byType) console.log(`  ${type}: ${count} times, weight ${weight}`);
  const minutes = own.map((first) =>
    sumOf(own.filter(({ atMs }) => atMs >= first.atMs && atMs < first.atMs + MINUTE_MS)),
  );
  const most = Math.max(0, ...minutes);
  const mean = (sumOf(own) * MINUTE_MS) / Math.max(MINUTE_MS, (own.at(-1)?.atMs ?? sinceMs) - sinceMs);
  say(`weight a minute: most ${most}, mean ${mean.toFixed(0)}`, most <= WEIGHT_A_MINUTE);
}

function sumOf(spent: readonly Spent[]): number {
  return spent.reduce((sum, { weight }) => sum + weight, 0);
}

function spread(values: readonly number[]): string {
  const of = (share: number) => quantile(values, share);
  return `p50 ${of(0.5)}, p99 ${of(0.99)}, most ${of(1)}`;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
