import { add, compare, type Decimal, multiply } from "../core/decimal.ts";
import type { Filled, Leg, LegEvent, OrderTerms } from "../core/order.ts";
import type { World } from "../deps.ts";
import type { InfoOptions, InfoRequest } from "../exchange/exchange.ts";
import { sumFillsOf } from "../store/fills.ts";
import { type Fill, parseFills } from "../wire/answer/fills.ts";
import { parseFrontendOpenOrders } from "../wire/answer/open-orders.ts";
import { type FrontendOrder, parseOrderStatus } from "../wire/answer/order-status.ts";
import { statusMeaning, statusWords } from "../wire/answer/status-words.ts";
import { jsonInteger } from "../wire/json.ts";
import type { FillEvidence } from "./fill-evidence.ts";

/** What one look at the exchange shows of a leg. */
export type Sight =
  | { kind: "seen"; events: LegEvent[]; isClosed: boolean }
  /** The exchange has it and it is closing, but the evidence is not complete: ask again. */
  | { kind: "unfinished"; events: LegEvent[] }
  | { kind: "not_found" }
  | { kind: "failed"; reason: string };

/** The leg to look for, with what is needed to read the exchange's words about it. */
export type Sought = {
  /** Whose order it is: the trading address. */
  user: string;
  accountId: string;
  /** By its own terms: its order may have those of a later leg by now. */
  leg: Leg;
  /** No modify changes that. */
  reduceOnly: boolean;
};

/** The question: by native id where it is known, else by client order id. */
export function statusRequest({ user, leg }: Sought): InfoRequest {
  return { type: "orderStatus", user, oid: leg.oid === null ? leg.cloid : jsonInteger(leg.oid) };
}

/** Asks the exchange what has become of one leg. */
export async function lookAtLeg(
  world: World,
  evidence: FillEvidence,
  sought: Sought,
  options: InfoOptions,
): Promise<Sight> {
  const outcome = await world.exchange.info(statusRequest(sought), options);
  if (outcome.kind === "failed") return outcome;
  return readStatus(world, evidence, sought, { json: outcome.json, options });
}

/** What an answer to `statusRequest` shows. */
export async function readStatus(
  world: World,
  evidence: FillEvidence,
  sought: Sought,
  answered: { json: unknown; options: InfoOptions },
): Promise<Sight> {
  const { leg } = sought;
  const answer = parseOrderStatus(answered.json);
  if (answer.kind === "not_found") return answer;
  if (answer.kind === "unreadable") return { kind: "failed", reason: "the exchange's answer could not be read" };
  // Asked by client order id the exchange may know a stranger's reuse of it; asked by native id only that order.
  const isAnother = leg.oid === null ? answer.order.cloid !== leg.cloid : answer.order.oid !== leg.oid;
  if (isAnother) return { kind: "failed", reason: "the exchange answered for another order" };
  return interpretOrder(world, evidence, sought, { ...answer, options: answered.options });
}

/** An order as the exchange shows it, and how it was asked. */
export type Answered = {
  order: FrontendOrder;
  status: string;
  statusTimestampMs: number;
  options: InfoOptions;
};

/** What an order that the exchange shows means for our leg; reads its fills where its status calls for them. */
export async function interpretOrder(
  world: World,
  evidence: FillEvidence,
  sought: Sought,
  seen: Answered,
): Promise<Sight> {
  const { order, status } = seen;
  const meaning = statusMeaning(status);
  if (meaning === "unknown") return { kind: "failed", reason: `the exchange reports a status that is new: ${status}` };
  if (meaning === "rejected") {
    const reason = statusWords(status) ?? status;
    const oid = hadBeenTaken(sought, seen) ? order.oid : null;
    return { kind: "seen", events: [{ type: "rejected", reason, oid }], isClosed: true };
  }
  const filled = await readFilled(world, sought, seen);
  if (filled === "failed") return { kind: "failed", reason: "the fills of the order could not be read" };
  switch (meaning) {
    case "open":
      return open(order, filled, order.isTrigger);
    case "triggered":
      return open(order, filled, !(await isResting(world, sought, seen)));
    case "canceled":
      return {
        kind: "seen",
        events: [{ type: "canceled", oid: order.oid, reason: statusWords(status), filled }],
        isClosed: true,
      };
    case "filled":
      return closedAsFilled(world, evidence, sought, { ...seen, filled });
  }
}

/** What the exchange refuses at once has a record as well, of one moment; a trigger's refusal comes after its placing. */
function hadBeenTaken({ leg }: Sought, { order, statusTimestampMs }: Answered): boolean {
  return leg.trigger !== null && statusTimestampMs > order.timestampMs;
}

function open(order: FrontendOrder, filled: Filled, isArmed: boolean): Sight {
  const event: LegEvent = isArmed ? { type: "armed", oid: order.oid } : { type: "rested", oid: order.oid };
  return { kind: "seen", events: [event, { type: "fills_seen", filled }], isClosed: false };
}

/** A trigger that has fired stays `triggered`; the limit order that it became rests where it is listed as open. */
async function isResting(world: World, sought: Sought, { order, options }: Answered): Promise<boolean> {
  if (sought.leg.trigger?.market !== false) return false;
  const dex = order.coin.includes(":") ? (order.coin.split(":")[0] ?? "") : "";
  const request = { type: "frontendOpenOrders", user: sought.user, dex };
  const read = await readBehindStatus(world, sought, { request, options });
  const listed = read?.status === "triggered" ? parseFrontendOpenOrders(read.json) : null;
  return listed?.some(({ oid }) => oid === order.oid) === true;
}

/**
 * A reading over a connection on which the node has just shown the order's status: one that is behind would answer from
 * before it. Null when there was none.
 */
async function readBehindStatus(
  world: World,
  sought: Sought,
  { request, options }: { request: InfoRequest; options: InfoOptions },
): Promise<{ status: string; json: unknown } | null> {
  const outcome = await world.exchange.infoInTurn([statusRequest(sought), request], options);
  if (outcome.kind === "failed") return null;
  const [statusJson, json] = outcome.json;
  const answer = parseOrderStatus(statusJson);
  return answer.kind === "order" ? { status: answer.status, json } : null;
}

/** These may close as filled with less than they asked for; every other order is filled whole. */
function mayFallShort({ leg, reduceOnly }: Sought, order: FrontendOrder): boolean {
  return leg.timeInForce === "ioc" || reduceOnly || leg.trigger?.market === true || order.tif === "Ioc";
}

async function closedAsFilled(
  world: World,
  evidence: FillEvidence,
  sought: Sought,
  seen: Answered & { filled: Filled },
): Promise<Sight> {
  const { leg } = sought;
  const { order } = seen;
  const isWhole = (filled: Filled) => compare(filled.size, leg.size) >= 0;
  if (isWhole(seen.filled) || !mayFallShort(sought, order)) {
    evidence.forget(leg.cloid);
    if (!isWhole(seen.filled)) evidence.onShort(leg.cloid);
    return { kind: "seen", events: [{ type: "filled", oid: order.oid, filled: seen.filled }], isClosed: true };
  }
  const filled = await readFilledBehindStatus(world, sought, seen);
  if (filled === null) return { kind: "unfinished", events: [{ type: "fills_seen", filled: seen.filled }] };
  if (isWhole(filled)) return { kind: "seen", events: [{ type: "filled", oid: order.oid, filled }], isClosed: true };
  const isShort = evidence.isComplete({
    cloid: leg.cloid,
    sum: filled.size,
    closedAtMs: seen.statusTimestampMs,
    exchangeNowMs: world.exchange.nowMs(),
  });
  if (!isShort) return { kind: "unfinished", events: [{ type: "fills_seen", filled }] };
  evidence.forget(leg.cloid);
  const { timeInForce } = leg;
  const reason = shortReason({ timeInForce, reduceOnly: sought.reduceOnly }, filled.size, leg.size);
  return { kind: "seen", events: [{ type: "canceled", oid: order.oid, reason, filled }], isClosed: true };
}

/** The order's fills as a node has them that shows the order as filled; null when there was no such reading. */
async function readFilledBehindStatus(
  world: World,
  sought: Sought,
  { order, options, filled }: Answered & { filled: Filled },
): Promise<Filled | null> {
  const request = { type: "userFillsByTime", user: sought.user, startTime: order.timestampMs };
  const read = await readBehindStatus(world, sought, { request, options });
  const fills = read !== null && statusMeaning(read.status) === "filled" ? parseFills(read.json) : null;
  if (fills === null) return null;
  const sum = sumFills(fills.filter((fill) => fill.oid === order.oid));
  // This was the first page only: the reading before had them all, from wherever.
  return compare(filled.size, sum.size) > 0 ? filled : sum;
}

/** Why an order ended with less than it asked for, in plain words. */
export function shortReason(
  terms: Pick<OrderTerms, "timeInForce" | "reduceOnly">,
  filled: Decimal,
  asked: Decimal,
): string {
  const part = `${filled} of ${asked} was filled; the rest was canceled`;
  if (terms.timeInForce === "ioc") return `${part}: nothing more could be matched at once within the price.`;
  if (terms.reduceOnly) return `${part}: a reduce-only order cannot be larger than the position.`;
  return `${part}: nothing more could be matched within the worst price.`;
}

const NOTHING: Filled = { size: "0" as Decimal, notional: "0" as Decimal };

async function readFilled(world: World, sought: Sought, seen: Answered): Promise<Filled | "failed"> {
  const { order, status } = seen;
  // The size shown is the one at the last change of status; untouched at a cancel means that nothing was filled.
  const isUntouched = statusMeaning(status) === "canceled" && order.size === order.originalSize && !order.reduceOnly;
  const isWaiting = statusMeaning(status) === "open" && order.isTrigger;
  if (isUntouched || isWaiting) return NOTHING;
  const indexed = indexedFilled(world, sought, seen);
  if (indexed !== null) return indexed;
  const fills = await readFillsSince(world, sought.user, order.timestampMs, seen.options);
  return fills === "failed" ? "failed" : sumFills(fills.filter((fill) => fill.oid === order.oid));
}

/** What the local index knows, where that is enough: a live feed tells an open order's fills, a whole sum is whole. */
function indexedFilled(world: World, sought: Sought, { order, status }: Answered): Filled | null {
  const indexed = sumFillsOf(world.store, sought.accountId, order.oid);
  if (statusMeaning(status) === "open") return world.feeds.isLive(sought.user) ? indexed : null;
  return compare(indexed.size, sought.leg.size) >= 0 ? indexed : null;
}

export function sumFills(fills: readonly Fill[]): Filled {
  return fills.reduce<Filled>(
    (sum, fill) => ({ size: add(sum.size, fill.size), notional: add(sum.notional, multiply(fill.price, fill.size)) }),
    NOTHING,
  );
}

/** Rows a page of fills holds at most; fewer means that it was the last. */
export const FILLS_PAGE_ROWS = 2_000;
/** Pages read for one question; the exchange keeps about five. */
const MAX_PAGES = 6;

/** All fills of a user since a time (exchange time, milliseconds), each once. */
export async function readFillsSince(
  world: World,
  user: string,
  sinceMs: number,
  options: InfoOptions,
): Promise<Fill[] | "failed"> {
  const byKey = new Map<string, Fill>();
  let startTime = sinceMs;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const outcome = await world.exchange.info({ type: "userFillsByTime", user, startTime }, options);
    const fills = outcome.kind === "ok" ? parseFills(outcome.json) : null;
    if (fills === null) return "failed";
    for (const fill of fills) byKey.set(`${fill.timeMs}-${fill.coin}-${fill.tid}-${fill.oid}`, fill);
    const last = fills.at(-1);
    if (fills.length < FILLS_PAGE_ROWS || last === undefined) break;
    startTime = last.timeMs;
  }
  return [...byKey.values()];
}
