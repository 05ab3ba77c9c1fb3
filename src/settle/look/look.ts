import { compare, isZero } from "../../core/decimal.ts";
import { BEHIND_MS, CLOCK_DOUBT_MS, lacks } from "../../core/evidence.ts";
import { type Filled, hasFilled, isPerhapsOver, isSaidOver, type Leg, type LegEvent } from "../../core/order.ts";
import type { ToLook, With } from "../../deps.ts";
import type { InfoOptions, InfoRequest } from "../../exchange/exchange.ts";
import { useOf } from "../../exchange/shares.ts";
import { sumFillsOf } from "../../store/fills.ts";
import { type FrontendOrder, type OrderStatusAnswer, parseOrderStatus } from "../../wire/answer/order-status.ts";
import { endingOf, saysOver, statusMeaning, statusWords } from "../../wire/answer/status-words.ts";
import { jsonInteger } from "../../wire/json.ts";
import { isCarriedOut } from "../cancel/cancel.ts";
import { neverRests, weighEnd, weighRefusal } from "../evidence/borne-out.ts";
import { type AskedOrder, type Difference, differenceFrom, mayBecome } from "../evidence/difference.ts";
import type { FillEvidence } from "../evidence/fill-evidence.ts";
import { shownEnd, shownParts } from "../feed/shown.ts";
import { completes, filledOrder, fillsOfOrder, NOTHING_FILLED, readFillsSince, sumFills } from "../fills/fill-pages.ts";
import { sinceUnread } from "../fills/new-fills.ts";
import { closed, FILLS_UNREAD, refused, unread } from "./ended.ts";
import { readListed } from "./listed.ts";

/** What one look at the exchange shows of a leg. */
export type Sight = SeenSight & {
  /** Another's order under its client order id, that was met on the way. */
  beside?: Difference;
  /** Its record tells an end that nothing else bears out yet; and what speaks against it, null where nothing does. */
  doubt?: string | null;
};

type SeenSight =
  | { kind: "seen"; events: LegEvent[]; isClosed: boolean }
  /**
   * The exchange has it and it is closing, but the evidence is not complete: ask again. `untouched` is its end where
   * nothing was filled, as far as can be seen yet. `asBeforeMs`: for so long, milliseconds, it may be shown as it was.
   */
  | { kind: "unfinished"; events: LegEvent[]; untouched: LegEvent | null; isUnclear?: true; asBeforeMs?: number }
  | { kind: "not_found" }
  /** Under its id the exchange shows something else than was asked for. */
  | { kind: "foreign"; difference: Difference }
  /** `events`: what it has shown all the same, which may be shown no more when it is asked again. */
  | { kind: "failed"; reason: string; events?: LegEvent[] };

/** Another's order under its client order id, while nothing has named ours, tells no more of it than that it is missed. */
export function isMissedBy(seen: Sight, { oid }: Pick<Leg, "oid">): boolean {
  return seen.kind === "not_found" || (seen.kind === "foreign" && oid === null && !seen.difference.mayBeOurs);
}

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
  const heard = toldEnd(world, sought);
  if (heard !== null && isSaidTwice(world, sought.leg, heard))
    return readAnswer(world, evidence, sought, { answer: heard, options });
  const outcome = await world.exchange.info(statusRequest(sought), options);
  if (outcome.kind === "failed") return outcome;
  const answer = parseOrderStatus(outcome.json);
  return readAnswer(world, evidence, sought, { answer: laterOf(answer, toldEnd(world, sought)), options });
}

/** Its feed has told that it was canceled, and the exchange that a cancel of ours was carried out: its record says no more. */
function isSaidTwice(world: With<"store">, leg: Leg, { status }: RecordAnswer): boolean {
  return statusMeaning(status) === "canceled" && isCarriedOut(world, leg);
}

/** A record that is behind, or is kept no longer, is outweighed by the end that the order's feed has told. */
function laterOf(answer: OrderStatusAnswer, told: RecordAnswer | null): OrderStatusAnswer {
  if (told === null || answer.kind === "unreadable") return answer;
  const isOpen = answer.kind === "order" && LIVES.has(statusMeaning(answer.status));
  return answer.kind === "not_found" || (isOpen && answer.order.oid === told.order.oid) ? told : answer;
}

const LIVES: ReadonlySet<ReturnType<typeof statusMeaning>> = new Set(["open", "triggered"]);

type RecordAnswer = Extract<OrderStatusAnswer, { kind: "order" }>;

/** The end of an order as its feed tells it: the exchange's word like its record. What only a record has is left out. */
export function toldEnd({ picture }: With<"picture">, { user, leg }: Sought): RecordAnswer | null {
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
  /** It is the history that shows it so. */
  isOfHistory?: true;
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
  // A trigger of a whole position names no size.
  if (saysOver(status) || (isZero(order.size) && !order.isTrigger)) evidence.noteSaidOver(sought.leg.cloid);
  switch (statusMeaning(status)) {
    case "rejected":
      return (await doubted(world, evidence, sought, seen)) ?? refused(sought, seen);
    case "open":
      return (await saidOverBefore(world, evidence, sought, seen)) ?? open(world, evidence, sought, seen);
    case "triggered":
      return triggered(world, evidence, sought, seen);
    case "canceled":
      return (await doubted(world, evidence, sought, seen)) ?? ended(world, evidence, sought, seen);
    case "filled":
      return saidFilled(world, evidence, sought, seen);
    case "unknown":
      return unlistedWord(world, evidence, sought, seen);
  }
}

/**
 * What keeps a record that shows it open from being believed: another has said that it is over, or that nothing is left of it, and this one may
 * be of before that. Null where none has, or where a list or its feed shows it open too.
 */
async function saidOverBefore(
  world: ToLook,
  evidence: FillEvidence,
  sought: Sought,
  seen: LookAnswer,
): Promise<Sight | null> {
  const wasSaid = evidence.wasSaidOver(sought.leg.cloid) || isPerhapsOver(sought.leg);
  if (!wasSaid || isToldOpen(world, sought, seen)) return null;
  const listed = await readListed(world, sought, seen);
  if (listed === null) return unread(seen, LIST_UNREAD);
  return listed.some(({ oid }) => oid === seen.order.oid) ? null : aloneTold(sought, seen, false);
}

/** A trigger stays `triggered` when it has fired; what it placed goes on under its id, or under one of its own. */
async function triggered(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const request = statusRequest({ ...sought, leg: { ...sought.leg, oid: null } });
  const outcome = await world.exchange.info(request, seen.options);
  const answer = outcome.kind === "ok" ? parseOrderStatus(outcome.json) : null;
  const placed = answer?.kind === "order" && mayBecome({ ...sought.leg, oid: seen.order.oid }, answer.order);
  const own = placed ? { ...sought, leg: { ...sought.leg, oid: answer.order.oid } } : null;
  const beside = own === null || !placed ? null : differenceFrom(own, answer.order);
  // Another's order under our client order id hides nothing of ours.
  if (!placed || own === null || beside !== null) {
    const sight = await firedUnderItsId(world, evidence, sought, seen);
    return beside === null ? sight : { ...sight, beside };
  }
  return interpretOrder(world, evidence, own, { ...answer, options: seen.options });
}

/** That it has fired is the exchange's word; a list that lacks it may be behind, or it is over, and it waits no more. */
async function firedUnderItsId(
  world: ToLook,
  evidence: FillEvidence,
  sought: Sought,
  seen: LookAnswer,
): Promise<Sight> {
  const rests = await isResting(world, sought, seen);
  if (rests === "not_read") return unread(seen, LIST_UNREAD);
  return rests === "no" ? unplaced(seen) : open(world, evidence, sought, { ...seen, isArmed: rests === "market" });
}

/** What keeps an end from being told that its record tells: nothing else bears it out. Null where it may be told. */
async function doubted(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight | null> {
  const weighed = await weighEnd(world, evidence.lists, sought, seen);
  switch (weighed.kind) {
    case "told":
      return null;
    case "unread":
      return { ...unread(seen, LIST_UNREAD), ...nothingOfRefusal(sought, seen), doubt: null };
    case "refuted": {
      const { shown, doubt } = weighed;
      return { ...(await open(world, evidence, sought, { ...seen, order: shown })), doubt };
    }
    case "open":
      return { ...aloneTold(sought, seen, weighed.isListed), doubt: weighed.doubt };
  }
}

/**
 * Nobody says any more that it is open. One whose answer was lost was there by that, which is kept: its record may be forgotten when it is looked
 * for again.
 */
function aloneTold({ leg }: Sought, seen: LookAnswer, isListed: boolean): Sight {
  const sight = { ...unplaced(seen), ...nothingOfRefusal({ leg }, seen) };
  if (leg.state === "sent" || sight.events.length === 0) return sight;
  const because = isListed ? "contradicted" : "record_alone";
  return { ...sight, events: [...sight.events, { type: "perhaps_over", because }] };
}

/** A record that says it was refused shows no order that was there: another look may have borne that out meanwhile. */
function nothingOfRefusal({ leg }: Pick<Sought, "leg">, { status }: LookAnswer): { events?: [] } {
  const isUnknown = leg.state === "sent" || leg.state === "lost";
  return isUnknown && statusMeaning(status) === "rejected" ? { events: [] } : {};
}

/** It is known by its id, and where it has gone to is looked for again. */
function unplaced({ order: { oid } }: LookAnswer): SeenSight & { kind: "unfinished" } {
  return { kind: "unfinished", events: [{ type: "reported", oid }], untouched: null, isUnclear: true };
}

const LIST_UNREAD = "the open orders could not be read";

/** A word that is new says neither that it lives nor that it is over. */
async function unlistedWord(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const { order } = seen;
  // The exchange has said otherwise that it is over, to a cancel for one.
  if (isSaidOver(sought.leg)) return closedUnsaid(world, evidence, sought, seen);
  if (neverRests(sought.leg) && !isRefusedInNewWord(sought, seen)) return closed(world, evidence, sought, seen);
  if (isToldOpen(world, sought, seen)) return open(world, evidence, sought, seen);
  const hasLeft = world.picture.hasLeftList(sought.user, order.oid);
  const { listed, isHeld, isLackedTwice } = await listsAfter(world, sought, seen, hasLeft);
  if (isHeld) return open(world, evidence, sought, seen);
  // Of after its placing, or of after a list of its feed that has held it: what is not listed then is over, whatever its record goes on to say.
  if (listed !== null && (isLackedTwice || hasLeft)) return closedUnsaid(world, evidence, sought, seen);
  if (listed !== null && saysItsEnd(world, seen)) return endedInNewWord(world, evidence, sought, seen);
  const events: LegEvent[] = [{ type: "reported", oid: order.oid }];
  if (listed !== null && !isRefusedInNewWord(sought, seen)) events.push({ type: "perhaps_over", because: "new_word" });
  return { kind: "unfinished", events, untouched: null, isUnclear: true };
}

/** A list that is newer than its placing and lacks it may be another account's: it is read once more. @param isEnough where one will do */
async function listsAfter(world: With<"exchange">, sought: Sought, seen: LookAnswer, isEnough: boolean) {
  const since = { oid: seen.order.oid, sinceMs: seen.order.timestampMs };
  const listed = await readListed(world, sought, seen);
  const isLacked = listed !== null && lacks(listed, since);
  const again = isLacked && !isEnough ? await readListed(world, sought, seen) : null;
  const isHeld = [listed, again].some((list) => list?.some(({ oid }) => oid === since.oid));
  return { listed, isHeld, isLackedTwice: again !== null && lacks(again, since) };
}

/** A new word that ends like the word for an end, of an order that any list would hold by now. */
function saysItsEnd({ exchange }: With<"exchange">, { order, status }: LookAnswer): boolean {
  return endingOf(status) !== null && exchange.nowMs() - order.timestampMs > BEHIND_MS;
}

/** Refused, where nothing has shown that it was ever there; else over, with what was filled of it. */
async function endedInNewWord(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const { status } = seen;
  if (!isRefusedInNewWord(sought, seen)) return closedUnsaid(world, evidence, sought, seen);
  const weighed = await weighRefusal(world, evidence.lists, sought, seen);
  if (weighed.kind !== "told") return { kind: "unfinished", events: [], untouched: null, isUnclear: true };
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

/** The feed's last word of it is that it is open, and from no earlier than the record's. */
function isToldOpen({ picture }: With<"picture">, { user }: Sought, { order, statusTimestampMs }: LookAnswer): boolean {
  const told = picture.toldOf(user, order.oid);
  return told?.isOpen === true && told.timeMs >= statusTimestampMs;
}

/** An order that is shown open. `isArmed`: it waits for its trigger; left out, as what shows it says. */
type SeenOpen = LookAnswer & { isArmed?: boolean };

async function open(
  world: With<"exchange" | "feeds" | "settings" | "store">,
  evidence: FillEvidence,
  sought: Sought,
  seen: SeenOpen,
): Promise<Sight> {
  const { oid, isTrigger } = seen.order;
  const { isArmed = isTrigger } = seen;
  const event: LegEvent = isArmed ? { type: "armed", oid } : { type: "rested", oid };
  const filled = isArmed && isTrigger ? NOTHING_FILLED : await readFilledOfOpen(world, evidence, sought, seen);
  if (filled === "failed") return openUnread(world, sought, seen, event);
  // Its record is of before that: nobody is told that it is open.
  if (compare(filled.size, sought.leg.size) >= 0)
    return { kind: "seen", events: [{ type: "filled", oid, filled }], isClosed: true };
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
  evidence: FillEvidence,
  sought: Sought,
  { order, options }: LookAnswer,
): Promise<Filled | "failed"> {
  const { user, accountId } = sought;
  const parts = shownParts(world, accountId, [order]);
  world.feeds.showed(user, parts);
  if (parts.length === 0 && world.feeds.isLive(user)) return sumFillsOf(world.store, accountId, filledOrder(order));
  const sinceMs = sinceUnread(world.store, accountId, order.timestampMs);
  const fills = await readFillsSince(world, { user, sinceMs, isEnough: completes([order]) }, options);
  if (fills === "failed") return "failed";
  evidence.heedFills(accountId, fills);
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

/** Its fills, where they are whole, bear that out; else it takes what any end takes. */
async function saidFilled(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  const sight = await closed(world, evidence, sought, seen);
  const isWhole = sight.kind === "seen" && sight.events.some(({ type }) => type === "filled");
  const doubt = isWhole ? null : await doubted(world, evidence, sought, seen);
  if (doubt === null) tellFeed(world, sought, seen);
  return doubt ?? sight;
}

function ended(world: ToLook, evidence: FillEvidence, sought: Sought, seen: LookAnswer): Promise<Sight> {
  tellFeed(world, sought, seen);
  return closed(world, evidence, sought, seen);
}

/** An end that is borne out is one that its feed has to have told. */
function tellFeed({ feeds }: With<"feeds">, { user }: Sought, { order, status, statusTimestampMs }: LookAnswer): void {
  feeds.showed(user, shownEnd(order, status, statusTimestampMs));
}
