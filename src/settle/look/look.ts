import { compare, type Decimal } from "../../core/decimal.ts";
import { BEHIND_MS, CLOCK_DOUBT_MS, lacks } from "../../core/evidence.ts";
import { type Filled, hasFilled, isSaidOver, type LegEvent, type OrderTerms } from "../../core/order.ts";
import type { ToLook, With } from "../../deps.ts";
import type { InfoOptions, InfoRequest } from "../../exchange/exchange.ts";
import { useOf } from "../../exchange/shares.ts";
import { sumFillsOf } from "../../store/fills.ts";
import { type FrontendOrder, type OrderStatusAnswer, parseOrderStatus } from "../../wire/answer/order-status.ts";
import { endingOf, statusMeaning, statusWords } from "../../wire/answer/status-words.ts";
import { jsonInteger } from "../../wire/json.ts";
import { type ClosedOrder, mayFallShort, readClosedSize } from "../evidence/closed-size.ts";
import { type AskedOrder, type Difference, differenceFrom, isSuccessor } from "../evidence/difference.ts";
import type { FillEvidence } from "../evidence/fill-evidence.ts";
import { shownEnd, shownParts } from "../feed/shown.ts";
import { completes, filledOrder, fillsOfOrder, NOTHING_FILLED, readFillsSince, sumFills } from "../fills/fill-pages.ts";
import { readListed } from "./listed.ts";

/** What one look at the exchange shows of a leg. */
export type Sight = SeenSight & {
  /** Another's order under its client order id, that was met on the way. */
  beside?: Difference;
};

type SeenSight =
  | { kind: "seen"; events: LegEvent[]; isClosed: boolean }
  /**
   * The exchange has it and it is closing, but the evidence is not complete: ask again. `untouched` is its end where
   * nothing was filled, as far as can be seen yet.
   */
  | { kind: "unfinished"; events: LegEvent[]; untouched: LegEvent | null; isUnclear?: true }
  | { kind: "not_found" }
  /** Under its id the exchange shows something else than was asked for. */
  | { kind: "foreign"; difference: Difference }
  /** `events`: what it has shown all the same, which may be shown no more when it is asked again. */
  | { kind: "failed"; reason: string; events?: LegEvent[] };

/** The leg to look for, by its own terms (its order may have those of a later leg by now), and whose it is. */
export type Sought = AskedOrder & {
  /** The trading address. */
  user: string;
  accountId: string;
  /** A modify has put another in its place. */
  isReplaced?: boolean;
};

/** The question: by native id where it is known, else by client order id. */
export function statusRequest({ user, leg }: Sought): InfoRequest {
  return { type: "orderStatus", user, oid: leg.oid === null ? leg.cloid : jsonInteger(leg.oid) };
}

/** Asks the exchange what has become of one leg. */
export async function lookAtLeg(
  world: ToLook,
  evidence: FillEvidence,
  sought: Sought,
  options: InfoOptions,
): Promise<Sight> {
  const outcome = await world.exchange.info(statusRequest(sought), options);
  if (outcome.kind === "failed") return outcome;
  const answer = parseOrderStatus(outcome.json);
  return readAnswer(world, evidence, sought, { answer: laterOf(answer, toldEnd(world, sought)), options });
}

/** A record that is behind, or is kept no longer, is outweighed by the end that the order's feed has told. */
function laterOf(answer: OrderStatusAnswer, told: OrderRecordAnswer | null): OrderStatusAnswer {
  if (told === null || answer.kind === "unreadable") return answer;
  const isOpen = answer.kind === "order" && LIVES.has(statusMeaning(answer.status));
  return answer.kind === "not_found" || (isOpen && answer.order.oid === told.order.oid) ? told : answer;
}

const LIVES: ReadonlySet<ReturnType<typeof statusMeaning>> = new Set(["open", "triggered"]);

type OrderRecordAnswer = Extract<OrderStatusAnswer, { kind: "order" }>;

/** The end of an order as its feed tells it: the exchange's word like its record. What only a record has is left out. */
export function toldEnd({ picture }: With<"picture">, { user, leg }: Sought): OrderRecordAnswer | null {
  const end = leg.oid === null ? null : (picture.toldOf(user, leg.oid)?.end ?? null);
  if (end === null) return null;
  const plain = { isTrigger: false, triggerPrice: null, triggerCondition: null, orderType: null, tif: null };
  return { kind: "order", ...end, order: { ...end.order, ...plain, isPositionTpsl: false, children: [] } };
}

/** What an answer to `statusRequest` shows. */
export async function readAnswer(
  world: ToLook,
  evidence: FillEvidence,
  sought: Sought,
  { answer, options }: { answer: OrderStatusAnswer; options: InfoOptions },
): Promise<Sight> {
  if (answer.kind === "not_found") return answer;
  if (answer.kind === "unreadable") return { kind: "failed", reason: "the exchange's answer could not be read" };
  return interpretOrder(world, evidence, sought, { ...answer, options });
}

/** An order as the exchange shows it, and how it was asked. */
export type LookAnswer = {
  order: FrontendOrder;
  status: string;
  statusTimestampMs: number;
  options: InfoOptions;
  /** Its record may be from before its end: `statusTimestampMs` is by when it was over. */
  isEndUnsaid?: true;
};

/** What an order that the exchange shows means for our leg; reads its fills where its status calls for them. */
export async function interpretOrder(
  world: ToLook,
  evidence: FillEvidence,
  sought: Sought,
  seen: LookAnswer,
): Promise<Sight> {
  const { order, status } = seen;
  const difference = differenceFrom(sought, order);
  if (difference !== null) return { kind: "foreign", difference };
  world.feeds.showed(sought.user, shownEnd(order, status, seen.statusTimestampMs));
  switch (statusMeaning(status)) {
    case "rejected": {
      const reason = statusWords(status) ?? status;
      const oid = hadBeenTaken(sought, seen) ? order.oid : null;
      return { kind: "seen", events: [{ type: "rejected", reason, oid }], isClosed: true };
    }
    case "open":
      return open(world, sought, seen, order.isTrigger);
    case "triggered":
      return triggered(world, evidence, sought, seen);
    case "canceled":
      return (await doubted(world, sought, seen)) ?? closed(world, evidence, sought, seen);
    case "filled":
      return closed(world, evidence, sought, seen);
    case "unknown":
      return unlistedWord(world, evidence, sought, seen);
  }
}

/** A trigger stays `triggered` when it has fired; what it placed goes on under its id, or under one of its own. */
async function triggered(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const request = statusRequest({ ...sought, leg: { ...sought.leg, oid: null } });
  const outcome = await world.exchange.info(request, seen.options);
  const answer = outcome.kind === "ok" ? parseOrderStatus(outcome.json) : null;
  const placed = answer?.kind === "order" && isSuccessor({ ...sought.leg, oid: seen.order.oid }, answer.order);
  const own = placed ? { ...sought, leg: { ...sought.leg, oid: answer.order.oid } } : null;
  const beside = own === null || !placed ? null : differenceFrom(own, answer.order);
  // Another's order under our client order id hides nothing of ours.
  if (!placed || own === null || beside !== null) {
    const sight = await firedUnderItsId(world, sought, seen);
    return beside === null ? sight : { ...sight, beside };
  }
  return interpretOrder(world, evidence, own, { ...answer, options: seen.options });
}

/** That it has fired is the exchange's word; a list that lacks it may be behind, or it is over, and it waits no more. */
async function firedUnderItsId(world: ToLook, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const rests = await isResting(world, sought, seen);
  if (rests === "not_read") return unread(seen, LIST_UNREAD);
  return rests === "no" ? unplaced(seen) : open(world, sought, seen, rests === "market");
}

/**
 * What keeps an end from being told. Of an order whose answer was lost it would be the first that is told, by one record alone: a list that is read after that and holds
 * it says otherwise, and both are asked again. Where its feed has told the end as well that is enough; and a cancel of ours that was carried
 * out has written the end down.
 */
async function doubted(world: ToLook, sought: Sought, seen: LookAnswer): Promise<Sight | null> {
  const { user, leg } = sought;
  const { oid } = seen.order;
  const isFirstNews = (leg.state === "sent" || leg.state === "lost") && !neverRests(leg) && sought.isReplaced !== true;
  if (!isFirstNews || world.picture.toldOf(user, oid)?.end != null) return null;
  const listed = await readListed(world, sought, seen);
  if (listed === null) return unread(seen, LIST_UNREAD);
  return listed.some((order) => order.oid === oid) ? unplaced(seen) : null;
}

/** It is known by its id, and where it has gone to is looked for again. */
function unplaced({ order: { oid } }: LookAnswer): Sight {
  return { kind: "unfinished", events: [{ type: "reported", oid }], untouched: null, isUnclear: true };
}

/** What else it takes could not be read: it is known by its id, and nothing of it is told as of now. */
function unread({ order: { oid } }: Pick<LookAnswer, "order">, reason: string): Sight {
  return { kind: "failed", reason, events: [{ type: "reported", oid }] };
}

const LIST_UNREAD = "the open orders could not be read";
const FILLS_UNREAD = "the fills of the order could not be read";

/** A word that is new says neither that it lives nor that it is over. */
async function unlistedWord(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const { order } = seen;
  // The exchange has said otherwise that it is over, to a cancel for one.
  if (isSaidOver(sought.leg)) return closedUnsaid(world, evidence, sought, seen);
  if (neverRests(sought.leg) && !isRefusedInNewWord(sought, seen)) return closed(world, evidence, sought, seen);
  if (isToldOpen(world, sought, seen)) return open(world, sought, seen, order.isTrigger);
  const listed = await readListed(world, sought, seen);
  if (listed?.some(({ oid }) => oid === order.oid)) return open(world, sought, seen, order.isTrigger);
  // Of after its placing: what is not listed then is over, whatever its record goes on to say.
  if (listed !== null && lacks(listed, { oid: order.oid, sinceMs: order.timestampMs }))
    return closedUnsaid(world, evidence, sought, seen);
  if (listed !== null && saysItsEnd(world, seen)) return endedInNewWord(world, evidence, sought, seen);
  const events: LegEvent[] = [{ type: "reported", oid: order.oid }];
  if (listed !== null && !isRefusedInNewWord(sought, seen)) events.push({ type: "perhaps_over", because: "new_word" });
  return { kind: "unfinished", events, untouched: null, isUnclear: true };
}

/**
 * What is matched at once and never waits is over as soon as there is a record of it, whatever word that has: it may be kept no
 * longer by the next look.
 */
function neverRests({ timeInForce, trigger }: Sought["leg"]): boolean {
  return timeInForce === "ioc" && trigger === null;
}

/** A new word that ends like the word for an end, of an order that any list would hold by now. */
function saysItsEnd({ exchange }: With<"exchange">, { order, status }: LookAnswer): boolean {
  return endingOf(status) !== null && exchange.nowMs() - order.timestampMs > BEHIND_MS;
}

/** Refused, where nothing has shown that it was ever there; else over, with what was filled of it. */
async function endedInNewWord(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const { status } = seen;
  if (!isRefusedInNewWord(sought, seen)) return closedUnsaid(world, evidence, sought, seen);
  return {
    kind: "seen",
    events: [{ type: "rejected", reason: statusWords(status) ?? status, oid: null }],
    isClosed: true,
  };
}

/** The new word ends like that for a refusal, and nothing has shown that it was ever there. */
function isRefusedInNewWord({ leg }: Sought, { order, status, statusTimestampMs }: LookAnswer): boolean {
  const wasThere = leg.state !== "sent" && leg.state !== "lost";
  const isOfOneMoment = statusTimestampMs === order.timestampMs && order.size === order.originalSize;
  return endingOf(status) === "rejected" && !wasThere && isOfOneMoment && !hasFilled(leg);
}

/**
 * That it is over another store says. Its record may be from before that, with the new word for an order that is open: of when it
 * ended, and of how much of it was left then, it tells nothing.
 */
function closedUnsaid(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const overByMs = evidence.overByMs(sought.leg.cloid, world.exchange.nowMs() + CLOCK_DOUBT_MS);
  return closed(world, evidence, sought, { ...seen, statusTimestampMs: overByMs, isEndUnsaid: true });
}

/** The feed's last word of it is that it is open, and from no earlier than the record's: the new word is one for that. */
function isToldOpen({ picture }: With<"picture">, { user }: Sought, { order, statusTimestampMs }: LookAnswer): boolean {
  const told = picture.toldOf(user, order.oid);
  return told?.isOpen === true && !told.hasFired && told.timeMs >= statusTimestampMs;
}

/** The word of a trigger that fired and found nothing on offer: no placing of one ends in it, also where it fires at once. */
const ONLY_WHEN_FIRED = "marketOrderNoLiquidityRejected";

/** What the exchange refuses at once has a record as well, of one moment; a trigger's refusal comes after its placing. */
function hadBeenTaken({ leg }: Sought, { order, status, statusTimestampMs }: LookAnswer): boolean {
  return leg.trigger !== null && (statusTimestampMs > order.timestampMs || status === ONLY_WHEN_FIRED);
}

async function open(
  world: With<"exchange" | "feeds" | "settings" | "store">,
  sought: Sought,
  seen: LookAnswer,
  isArmed: boolean,
): Promise<Sight> {
  const { oid } = seen.order;
  const event: LegEvent = isArmed ? { type: "armed", oid } : { type: "rested", oid };
  const filled = isArmed && seen.order.isTrigger ? NOTHING_FILLED : await readFilledOfOpen(world, sought, seen);
  if (filled === "failed") return openUnread(world, sought, seen, event);
  return { kind: "seen", events: [event, { type: "fills_seen", filled }], isClosed: false };
}

/**
 * Its record may be kept no longer by the next look: that it is there is known from this one. How much of it was filled the
 * record tells where that is nothing; else, and for who reads it, it is asked again.
 */
function openUnread(world: With<"store">, { accountId }: Sought, seen: LookAnswer, event: LegEvent): Sight {
  const { order, options } = seen;
  const isUntouched = order.originalSize !== null && compare(order.size, order.originalSize) === 0;
  if (!isUntouched || useOf(options.purpose) === "read") return unread(seen, FILLS_UNREAD);
  const filled = sumFillsOf(world.store, accountId, filledOrder(order));
  return { kind: "seen", events: [event, { type: "fills_seen", filled }], isClosed: false };
}

/** A live stream tells an open order's fills as they happen, unless the order's own record tells of more. */
async function readFilledOfOpen(
  world: With<"exchange" | "feeds" | "settings" | "store">,
  sought: Sought,
  { order, options }: LookAnswer,
): Promise<Filled | "failed"> {
  const { user, accountId } = sought;
  const parts = shownParts(world, accountId, [order]);
  world.feeds.showed(user, parts);
  if (parts.length === 0 && world.feeds.isLive(user)) return sumFillsOf(world.store, accountId, filledOrder(order));
  const asked = { user, sinceMs: order.timestampMs, isEnough: completes([order]) };
  const fills = await readFillsSince(world, asked, options);
  if (fills === "failed") return "failed";
  const [read, known] = [sumFills(fillsOfOrder(fills, order)), sumFillsOf(world.store, accountId, filledOrder(order))];
  // The server that was asked may be behind what was told already.
  return compare(read.size, known.size) < 0 ? known : read;
}

/**
 * A trigger that has fired stays `triggered`; the limit order that it became rests where it is listed as open. One that executes
 * at market never rests.
 */
async function isResting(
  world: With<"exchange">,
  sought: Sought,
  seen: LookAnswer,
): Promise<"yes" | "no" | "market" | "not_read"> {
  if (sought.leg.trigger?.market !== false) return "market";
  const listed = await readListed(world, sought, seen);
  if (listed === null) return "not_read";
  return listed.some(({ oid }) => oid === seen.order.oid) ? "yes" : "no";
}

/** Its end is told when the size is known that was filled by then: until that it keeps the status that it had. */
async function closed(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const { order } = seen;
  const size = await readClosedSize(world, evidence, closedOf(sought, order), seen);
  if (size === "failed") return endedUnread(world, seen);
  const { filled, isAll } = size;
  if (isAll === "not_yet" || isAll === "untouched" || isAll === "missing") {
    const isTold = isAll !== "untouched" || world.exchange.nowMs() - seen.statusTimestampMs >= TOLD_AFTER_MS;
    const events: LegEvent[] = [
      isTold ? closing(order, isAll === "missing") : { type: "reported", oid: order.oid },
      { type: "fills_seen", filled },
    ];
    const untouched = isAll === "untouched" ? endOf(sought, seen, { filled, isAll: "yes" }) : null;
    return { kind: "unfinished", events, untouched };
  }
  return { kind: "seen", events: [endOf(sought, seen, { filled, isAll })], isClosed: true };
}

/** That it is over is the exchange's word whether or not its fills can be read: nobody is told any more that it is open. */
function endedUnread({ exchange }: With<"exchange">, { order, statusTimestampMs, isEndUnsaid }: LookAnswer): Sight {
  const isTold = isEndUnsaid !== true && exchange.nowMs() - statusTimestampMs >= TOLD_AFTER_MS;
  if (!isTold) return unread({ order }, FILLS_UNREAD);
  return { kind: "unfinished", events: [closing(order, false)], untouched: null, isUnclear: true };
}

function closing({ oid }: FrontendOrder, areFillsMissing: boolean): LegEvent {
  return areFillsMissing ? { type: "closing", oid, areFillsMissing } : { type: "closing", oid };
}

function closedOf(sought: Sought, order: FrontendOrder): ClosedOrder {
  const { user, accountId, leg, reduceOnly } = sought;
  return {
    user,
    accountId,
    name: leg.cloid,
    asked: leg.size,
    isReduceOnly: reduceOnly,
    mayFallShort: mayFallShort({ ...leg, reduceOnly }, order),
    isReplaced: sought.isReplaced === true,
  };
}

/** So long an order that has just ended untouched may be shown as it was: the second look comes a second later. */
const TOLD_AFTER_MS = 900;

type KnownSize = { filled: Filled; isAll: "yes" | "disputed" };

function endOf(sought: Sought, { order, status }: LookAnswer, { filled, isAll }: KnownSize): LegEvent {
  const { leg, reduceOnly } = sought;
  const { oid } = order;
  // Whatever word it ended with.
  const isWhole = compare(filled.size, leg.size) >= 0;
  if (isWhole || (statusMeaning(status) === "filled" && !mayFallShort({ ...leg, reduceOnly }, order)))
    return { type: "filled", oid, filled };
  const { timeInForce } = leg;
  const words =
    statusMeaning(status) === "filled"
      ? shortReason({ timeInForce, reduceOnly }, filled.size, leg.size)
      : statusWords(status);
  const reason = isAll === "yes" ? words : `${words === null ? "" : `${words}; `}${DISPUTED}`;
  return { type: "canceled", oid, reason, filled };
}

const DISPUTED =
  "the exchange's record of the order and the fills that it shows do not agree: more may have been filled";

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
