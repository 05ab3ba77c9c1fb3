/** Orders at market, closes, batches and cancel-alls, held against the exchange's own log. */

import { CLOSED, heardIn } from "./answers.ts";
import type { Audited } from "./auditor.ts";
import type { Dialogue } from "./clients.ts";
import { sendsOf } from "./sent-when.ts";
import { canOnlyReduce } from "./stops.ts";
import { stateAt } from "./tellings.ts";
import { START_MS } from "./template.ts";
import { topsWithin } from "./tops.ts";
import { allOrders, decimalText, isMisplaced, type TrueOrder, units } from "./truth.ts";
import type { Execution } from "./venue.ts";
import type { Wish } from "./wishes.ts";

/** One sentence for each promise of these verbs that was broken, beside those of the orders that they have placed. */
export function auditWhole(run: Audited, dialogue: Dialogue): string[] {
  switch (dialogue.wish.kind) {
    case "market":
      return auditPrice(run, dialogue);
    case "close":
      return [...auditPrice(run, dialogue), ...auditClose(run, dialogue)];
    case "batch":
      return auditBatch(run, dialogue);
    case "cancel_all":
      return auditCancelAll(run, dialogue);
    default:
      return [];
  }
}

/** A book this old may be priced by, and the order signed after it, milliseconds. */
const BOOK_WITHIN_MS = 4_000;
/** The same of mark and oracle. */
const MARK_WITHIN_MS = 8_000;
/** The same of the mark that stands in for a book where something only reduces. */
const LAST_MARK_WITHIN_MS = 5 * 60_000 + MARK_WITHIN_MS;
/** A close has no slippage of its own here. */
const CLOSE_BPS = 50;
const BASIS_POINTS = 10_000n;
/** From mark and oracle, percent. */
const MAX_DISTANCE = 5n;

/** No worse than the best price of a book of that time and the slippage allow, and never far from mark and oracle. */
function auditPrice(run: Audited, { wish, ask }: Dialogue): string[] {
  if (run.mostWrongMs > 0 || !run.areReadsWhole) return [];
  return (run.truth.made.get(wish.number) ?? []).flatMap((execution) => {
    const [request] = execution.input.action.type === "order" ? execution.input.action.orders : [];
    const sentAtMs = sentAt(run, execution);
    if (request === undefined || request.a !== 0 || sentAtMs === null) return [];
    const bps = BigInt(ask?.kind === "market" ? ask.bps : CLOSE_BPS);
    const atMs = START_MS + sentAtMs;
    const books = topsWithin(run.tops, atMs - BOOK_WITHIN_MS, atMs);
    // What only reduces is priced by the last mark where no book can be had.
    const marks = topsWithin(run.tops, atMs - (request.r ? LAST_MARK_WITHIN_MS : MARK_WITHIN_MS), atMs);
    const price = units(request.p);
    const given = run.wrongly
      .topsGiven()
      .filter((top) => sentAtMs >= top.atMs && top.atMs >= sentAtMs - BOOK_WITHIN_MS);
    const tops = [...books, ...given].flatMap(({ bid, ask: offer }) => (request.b ? offer : bid) ?? []);
    const best = request.r ? [...tops, ...marks.map(({ mark }) => mark)] : tops;
    const far = marks.flatMap(({ mark, oracle }) => [mark, oracle]);
    const isBad = request.b
      ? price * BASIS_POINTS > largest(best) * (BASIS_POINTS + bps) ||
        price * 100n > largest(far) * (100n + MAX_DISTANCE)
      : price * BASIS_POINTS < smallest(best) * (BASIS_POINTS - bps) ||
        price * 100n < smallest(far) * (100n - MAX_DISTANCE);
    const shown = `${best.map(decimalText)} with ${bps} basis points, by ${far.map(decimalText)}`;
    return isBad ? [`${wish.key} was priced at ${request.p} where the best were ${shown}`] : [];
  });
}

function sentAt(run: Audited, execution: Execution): number | null {
  return sendsOf(run, execution)[0]?.atMs ?? null;
}

function largest(of: readonly bigint[]): bigint {
  return of.toSorted(byValue).at(-1) ?? 0n;
}

function smallest(of: readonly bigint[]): bigint {
  return of.toSorted(byValue)[0] ?? 0n;
}

function byValue(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** What was read of the position may be of so long before the order was signed, milliseconds. */
const POSITION_WITHIN_MS = 3_000;

/** Never more than the part that was asked for of what was held since the close before it. */
function auditClose(run: Audited, { wish, ask }: Dialogue): string[] {
  if (ask?.kind !== "close" || !run.areReadsSound || !run.areReadsWhole) return [];
  return (run.truth.made.get(wish.number) ?? []).flatMap((execution) => {
    const [request] = execution.input.action.type === "order" ? execution.input.action.orders : [];
    const sentAtMs = sentAt(run, execution);
    if (request === undefined || sentAtMs === null) return [];
    const before = closesBefore(run, wish, execution.atMs);
    const fromMs = Math.max(START_MS + sentAtMs - POSITION_WITHIN_MS, ...before);
    const held = largest(heldWithin(run, wish, { fromMs, toMs: execution.atMs, isLong: !request.b }));
    const most = units(ask.fraction) * held;
    const isAll = units(request.s) <= held && held * units(request.p) < MINIMUM_VALUE * 2n;
    const isMore = units(request.s) * ONE > most && !isAll;
    const name = `${wish.key} closed ${request.s}, ${ask.fraction} of`;
    return [
      ...(request.r ? [] : [`${wish.key} closes by an order that may increase`]),
      ...(isMore ? [`${name} ${decimalText(held)} that were held`] : []),
    ];
  });
}

const ONE = 100_000_000n;
/** In 10^-16 dollars: what is worth less is closed whole. */
const MINIMUM_VALUE = 10n * ONE * ONE;

/** When closes of the same client were executed before this one. */
function closesBefore({ truth, dialogues }: Audited, { number, by }: Wish, atMs: number): number[] {
  const others = dialogues.filter(({ wish }) => wish.kind === "close" && wish.by === by && wish.number !== number);
  const times = others.flatMap(({ wish }) => (truth.made.get(wish.number) ?? []).map((each) => each.atMs));
  return times.filter((each) => each < atMs);
}

type Within = { fromMs: number; toMs: number; isLong: boolean };

/** Every size that the account held on that side in that time, before what was executed at its end. */
function heldWithin({ venue }: Audited, { party }: Wish, { fromMs, toMs, isLong }: Within): bigint[] {
  const fills = venue.fillsOf(party.account.tradingAddress).filter(({ coin }) => coin === "BTC");
  const side = (size: bigint) => (isLong ? size : -size);
  const until = fills.filter(({ timeMs }) => timeMs <= toMs);
  const first = until.findIndex(({ timeMs }) => timeMs >= fromMs);
  const last = until.at(-1);
  const now = last === undefined ? 0n : last.startPosition + (last.isBuy ? last.size : -last.size);
  const within = first < 0 ? [] : until.slice(first).map(({ startPosition }) => startPosition);
  return [...within, now].map(side);
}

/** One action with all that was asked for, in its order, or none. */
function auditBatch(run: Audited, { wish, ask }: Dialogue): string[] {
  const placed = ask?.kind === "batch" ? ask.orders.map(({ size, price }) => `${units(size)} at ${price}`) : [];
  const wanted = placed.join(", ");
  const actions = run.venue.log.flatMap(({ signer, input, isAdmitted }) => {
    if (signer !== wish.party.agent || !isAdmitted || input.action.type !== "order") return [];
    // The worst price of an order at market may be one of them by chance, but not with its size.
    const asked = input.action.orders.map(({ p, s }) => `${units(s)} at ${p}`);
    return placed.some((each) => asked.includes(each)) ? [asked.join(", ")] : [];
  });
  const wrong = actions.filter((asked) => asked !== wanted);
  return [
    ...(ask !== null && actions.length > 1 ? [`${wish.key} left as ${actions.length} actions`] : []),
    ...wrong.map((asked) => `${wish.key} asked for ${wanted}, and one action had ${asked}`),
  ];
}

type Result = { order_id: string; status: string; filled_size: string | null };

function resultsIn(body: string): { status: string; results: Result[] } {
  // Our own JSON, read without its types.
  return JSON.parse(body) as { status: string; results: Result[] };
}

/** Done is told when nothing of it can fill any more, and of each order what became of it. */
function auditCancelAll(run: Audited, dialogue: Dialogue): string[] {
  const { key } = dialogue.wish;
  const accepted = heardIn(dialogue).filter(({ status }) => status < 300);
  const done = accepted.filter(({ status }) => status === 200);
  const last = accepted.at(-1);
  const [first] = done;
  const findings = accepted.flatMap(({ status, body }) =>
    (status === 200) === (resultsIn(body).status === "done") ? [] : [`${key} was answered ${status} ${body}`],
  );
  if (first === undefined) return last === undefined ? [] : [...findings, `${key} was never done: ${last.body}`];
  // What was refused at one door and done by a copy is told as it is once that is known.
  const isCopied = resultsIn(first.body).results.some(({ order_id: id }) => run.copies.isOf(id, null));
  const isSame = isCopied || done.every(({ body, turn }) => body === first.body || turn.deaths !== first.turn.deaths);
  if (!isSame) findings.push(`${key} was answered in two ways: ${done.map(({ body }) => body).join(" and ")}`);
  const judged = isCopied ? (done.at(-1) ?? first) : first;
  const atMs = START_MS + (judged.turn.endedAtMs ?? 0);
  const { results } = resultsIn(judged.body);
  return [
    ...findings,
    ...results.flatMap((result) => auditResult(run, { result, atMs, key })),
    ...auditSpared(run, dialogue, atMs),
  ];
}

type OneResult = { result: Result; atMs: number; key: string };

function auditResult(run: Audited, { result, atMs, key }: OneResult): string[] {
  const { order_id: id, status, filled_size: filled } = result;
  const name = `${key} was done, with order ${id} ${status} and ${filled} filled`;
  if (!CLOSED.includes(status)) return [name];
  const order = allOrders(run.truth).find(({ legs }) => legs[0]?.cloid?.slice(2) === id.replaceAll("-", ""));
  if (order === undefined || order.mayBelongTo !== null || isMisplaced(order)) return [];
  const state = stateAt(run.venue, { order, legs: order.legs }, atMs);
  if (state.isLive) return [`${name}, and it lives`];
  return units(filled ?? "0") === state.filledAtLast ? [] : [`${name}, and ${decimalText(state.filledAtLast)} were`];
}

/** Nothing of its client that could increase, and was told before it was asked for, lives when it is done. */
function auditSpared(run: Audited, { wish, ask, turns }: Dialogue, atMs: number): string[] {
  const askedAtMs = Math.min(...turns.map((turn) => turn.askedAtMs));
  const isTouched = ({ by, party }: Wish) =>
    ask?.kind === "cancel_all" && ask.touches === "all" ? party === wish.party : by === wish.by;
  const known = run.dialogues.filter(({ wish: each, turns: all }) => {
    const isTold = all.some(
      ({ outcome, endedAtMs }) =>
        outcome?.kind === "answer" && outcome.status < 300 && (endedAtMs ?? Infinity) < askedAtMs,
    );
    return isTouched(each) && isTold;
  });
  return known.flatMap(({ wish: { number, key } }) => {
    const order = run.truth.orders.get(number);
    if (order === undefined || order.mayBelongTo !== null || isMisplaced(order) || isReduction(run, order)) return [];
    return stateAt(run.venue, { order, legs: order.legs }, atMs).isLive
      ? [`${wish.key} was done at ${atMs - START_MS}, and the order of ${key}, told before it, lives`]
      : [];
  });
}

function isReduction({ venue }: Audited, { legs, wish }: TrueOrder): boolean {
  return legs.every((leg) => canOnlyReduce(venue, wish.party.account.tradingAddress, leg));
}
