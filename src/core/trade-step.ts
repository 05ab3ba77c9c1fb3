/**
 * What a trade needs next, by the facts of its orders. Pure: what has to be done is worked out anew each time from what is, so
 * that a death between two steps leaves nothing to remember.
 */
import { add, compare, type Decimal, decimal, isZero, larger, smaller, subtract, sum, ZERO } from "./decimal.ts";
import { isLostAwaited, MAX_GUARDS, MAX_WISHED_GUARDS, retryAfterMs } from "./guard-tries.ts";
import { isJustNow } from "./kept-moment.ts";
import { isTooLittle } from "./minimum-value.ts";
import { type Guard, type GuardKind, isProfitMet, isStopMet, type Trade } from "./trade.ts";

/** One order of a trade. */
export type Part = {
  orderId: string;
  /**
   * `unsettled`: what became of it is not known. `waiting`: a guard that the exchange has taken, and that waits for the mark.
   * `working`: it rests on the book, or is executing. `over`: nothing of it can fill any more.
   */
  state: "unsettled" | "waiting" | "working" | "over";
  /** What of it may still fill. */
  remaining: Decimal;
  filled: Decimal;
  /** The trade itself has told it to go, and the exchange has not refused that. */
  isLeaving: boolean;
  /** When the exchange last refused that, by this machine's clock, unix milliseconds; null where it has not. */
  cancelRefusedAtMs: number | null;
  /** It may have been replaced by a machine of before a restore. */
  mayBeReplaced: boolean;
  /** What it was placed for. */
  size: Decimal;
  triggerPrice: string | null;
  price: string;
  /** The exchange has had it, whatever became of it. */
  wasTaken: boolean;
  /** Its words where it refused it; null too where it is proven that nothing has reached it. */
  refusal: string | null;
  /** It was refused with its number unused: another copy of it may still be taken. */
  isNumberUnused: boolean;
  /** Why it is over, in plain words. */
  error: string | null;
  createdAtMs: number;
  /** When the exchange last had a word about it, by this machine's clock, unix milliseconds; null before the first. */
  shownAtMs: number | null;
  /** So long it has been `unsettled`, as far as this process has seen, milliseconds; 0 where it is not. */
  unsettledForMs: number;
  /** Its record says that it is over, and a list of open orders holds it. */
  isListed: boolean;
};

export type TradeFacts = {
  entry: Part | null;
  /** In the order of their placing. */
  stops: readonly Part[];
  profits: readonly Part[];
  /** What these have closed while the trade held less (`closedOfOthers`). */
  closedOfOthers: Decimal;
  /** They have filled something, and not all fills of the entry are known: whether that was its own nobody can say yet. */
  isClosingUnclear: boolean;
  /** What the account holds on the trade's side, read after the last of its fills was known; null while it has not been. */
  position: Decimal | null;
  /** Of its market; read only where `wantsMark` says so, null where it has not been or could not be. */
  mark: Decimal | null;
  /** A stop of the gateway takes protection away as well. */
  isWithdrawn: boolean;
  nowMs: number;
};

export type TradeStep =
  | { kind: "place_entry" }
  | { kind: "place_guard"; as: "stop" | "profit"; size: Decimal }
  /** What the guard would have become: the exchange does not take one that the mark has come to already. */
  | { kind: "close_now"; as: "stop" | "profit"; size: Decimal }
  | { kind: "cancel"; orderId: string }
  /** So that no copy of what was refused can come after the end. */
  | { kind: "take_number"; orderId: string }
  /** The exchange takes no stop without a position. */
  | { kind: "follow_fills" }
  | { kind: "end"; status: "closed" | "canceled" | "rejected" | "closed_outside" | "withdrawn"; error: string | null };

/** What closes is tried again after so long, and so is a cancel that was refused, milliseconds; of a guard see `guard-tries`. */
export const RETRY_GUARD_MS = 10_000;
/** So long a stop that was shown to wait is believed to wait still before an entry is sent behind it, milliseconds. */
export const TRUST_STOP_MS = 2_000;
/** So many guards that close nothing are placed anew at once; then each after `RETRY_GUARD_MS`, while there are so many at most. */
const FIRED_AT_ONCE = 3;

/** Where a stop needs a position: the exchange's answer, and the status word of its record. */
const NEEDS_POSITION = ["would increase position", "reduceOnlyRejected"];
/** Where the mark has come to a trigger already: its answer, and the status word of its record. */
const ALREADY_MET = ["TP/SL price", "badTriggerPxRejected"];

function isMet(words: string): boolean {
  return ALREADY_MET.some((each) => words.includes(each));
}

/** What the trade holds, by its own fills, and no more than the account does. */
export function heldOf(facts: TradeFacts): Decimal {
  const { entry, position } = facts;
  const own = larger(subtract(entry?.filled ?? ZERO, closedBy(facts)), ZERO);
  return position === null ? own : smaller(own, position);
}

/**
 * What it holds at most, as it is told: while it is not clear what its guards have closed, all that the entry has filled may still be held. What is
 * placed goes by `heldOf`, since beyond it a guard might close what others hold.
 */
export function heldAtMostOf(facts: TradeFacts): Decimal {
  const { entry, position, isClosingUnclear } = facts;
  if (!isClosingUnclear) return heldOf(facts);
  const filled = entry?.filled ?? ZERO;
  return position === null ? filled : smaller(filled, position);
}

function closedBy({ stops, profits, closedOfOthers }: TradeFacts): Decimal {
  return subtract(sum([...stops, ...profits].map(({ filled }) => filled)), closedOfOthers);
}

/** Everything that can be done now; none of it waits for another. Empty: nothing, before something becomes known. */
export function nextSteps(trade: Trade, facts: TradeFacts): TradeStep[] {
  const { entry, stops, profits } = facts;
  const steps = stepsWhileSure(trade, facts);
  const isEnd = steps.some(({ kind }) => kind === "end");
  // Nothing is at its end while something that was refused may still come; of its entry it is asked at once.
  const asked = isEnd ? [entry, ...stops, ...profits] : [entry];
  const taking = asked.flatMap((part): TradeStep[] =>
    part?.isNumberUnused === true ? [{ kind: "take_number", orderId: part.orderId }] : [],
  );
  return isEnd && taking.length > 0 ? taking : [...steps, ...taking];
}

function stepsWhileSure(trade: Trade, facts: TradeFacts): TradeStep[] {
  if (facts.entry === null) return stepsBeforeEntry(trade, facts);
  const held = heldOf(facts);
  const isEntryOver = facts.entry.state === "over";
  if (isEntryOver && isZero(heldAtMostOf(facts))) return stepsAtEnd(trade, facts);
  // The stop cancels them; until they are gone one of them may still close what is held.
  const areGuardsOver = [...facts.stops, ...facts.profits].every(({ state }) => state === "over");
  if (isEntryOver && facts.isWithdrawn)
    return areGuardsOver ? [end("withdrawn", "a stop took its protection away")] : [];
  const entrySteps = isEntryUnwanted(trade, facts) ? cancelOf([facts.entry], facts) : [];
  if (facts.isWithdrawn) return cancelOf([facts.entry], facts);
  const overdue = overdueGuard(trade, facts);
  if (overdue === null) return [...entrySteps, ...guardSteps(trade, facts, held)];
  return [...cancelOf([facts.entry], facts), ...closeSteps(overdue, facts, held)];
}

/** More is held than is guarded, and the exchange has refused the guard of that as one whose trigger is met. */
export function wantsMark(trade: Trade, facts: TradeFacts): boolean {
  return refusedAsMet("stop", trade, facts) || refusedAsMet("profit", trade, facts);
}

function refusedAsMet(as: GuardKind, trade: Trade, facts: TradeFacts): boolean {
  const parts = partsOf(as, facts);
  const wanted = as === "stop" ? trade.stopLoss : trade.takeProfit;
  const refused = parts.findLast(({ triggerPrice }) => triggerPrice !== null);
  if (refused === undefined || wanted === null || !hasTerms(refused, wanted)) return false;
  return refused.refusal !== null && isMet(refused.refusal) && isLess(standingOf(parts), heldOf(facts));
}

/** Where the mark has come to where it was to be out; the stop's side of it first. */
function overdueGuard(trade: Trade, facts: TradeFacts): GuardKind | null {
  const { mark } = facts;
  const { side, stopLoss, takeProfit } = trade;
  if (mark === null) return null;
  if (refusedAsMet("stop", trade, facts) && isStopMet(side, stopLoss.triggerPrice, mark)) return "stop";
  const isProtected = !isLess(protectedOf(facts), heldOf(facts));
  if (takeProfit === null || !isProtected || !refusedAsMet("profit", trade, facts)) return null;
  return isProfitMet(side, takeProfit.triggerPrice, mark) ? "profit" : null;
}

function partsOf(as: GuardKind, { stops, profits }: Pick<TradeFacts, "stops" | "profits">): readonly Part[] {
  return as === "stop" ? stops : profits;
}

function closeSteps(as: GuardKind, facts: TradeFacts, held: Decimal): TradeStep[] {
  const parts = partsOf(as, facts);
  const newest = parts.at(-1);
  const isTried = newest?.triggerPrice === null && isJustNow(newest.createdAtMs, facts.nowMs, RETRY_GUARD_MS);
  if (isTried || isAwaited(parts, held) || parts.length >= MAX_GUARDS) return [];
  const open = subtract(held, standingOf(parts));
  // What may close its part as well is left that, as long as it is waited for.
  return [{ kind: "close_now", as, size: isAwaited(parts, ZERO) ? subtract(open, unknownOf(parts)) : open }];
}

/** Somebody has asked for it to go, or the trade is on its way out: what was to protect it is gone, or has closed some of it. */
function isEntryUnwanted(trade: Trade, { stops, profits, position, entry }: TradeFacts): boolean {
  if (trade.isEntryUnwanted || stops.length > MAX_WISHED_GUARDS) return true;
  if (position !== null && isZero(position) && entry !== null && !isZero(entry.filled)) return true;
  return stops.some(isGone) || profits.some(({ filled }) => !isZero(filled));
}

/** It was there, and neither was it replaced by the trade nor is it any more: it has fired, or somebody took it away. */
function isGone({ state, filled, wasTaken, isLeaving, mayBeReplaced, triggerPrice }: Part): boolean {
  if (!isZero(filled) || (state === "working" && triggerPrice !== null)) return true;
  return state === "over" && wasTaken && !isLeaving && !mayBeReplaced;
}

function stepsBeforeEntry(trade: Trade, facts: TradeFacts): TradeStep[] {
  const { stops } = facts;
  const newest = stops.at(-1);
  if (trade.isEntryUnwanted || facts.isWithdrawn || stops.some(isGone)) {
    if (stops.some(isLive)) return cancelOf(stops, facts);
    const [lost] = stops.filter(isGone);
    const because = lost === undefined ? trade.error : "its stop was gone before the entry was sent";
    return [end(because === null ? "canceled" : "rejected", because)];
  }
  if (trade.path === "after_fills") return [{ kind: "place_entry" }];
  const refusal = newest?.state === "over" ? newest.refusal : null;
  if (needsPosition(refusal)) return [{ kind: "follow_fills" }];
  if (refusal !== null && !stops.some(isLive)) return [end("rejected", `the stop was refused: ${refusal}`)];
  const wanted = { size: decimal(trade.size), guard: trade.stopLoss };
  const ready = stops.filter((stop) => stop.state === "waiting" && isFor(stop, wanted));
  if (ready.length === 0) return guard("stop", stops, wanted, facts);
  // It may have fired while this process was dead, or heard nothing.
  const isShown = ready.some((stop) => isTrusted(stop, facts.nowMs));
  return [...replaced(stops, wanted, facts), ...(isShown ? [{ kind: "place_entry" } as const] : [])];
}

/** A clock that was set back tells nothing. */
export function isTrusted({ shownAtMs }: Pick<Part, "shownAtMs">, nowMs: number): boolean {
  return shownAtMs !== null && nowMs >= shownAtMs && nowMs - shownAtMs <= TRUST_STOP_MS;
}

function guardSteps(trade: Trade, facts: TradeFacts, held: Decimal): TradeStep[] {
  const { entry, stops, profits } = facts;
  const isClosed = isZero(held) && !facts.isClosingUnclear;
  if (isClosed && facts.position !== null && !isZero(entry?.filled ?? ZERO))
    return cancelOf([...stops, ...profits], facts);
  const coming = entry !== null && entry.state !== "over" && trade.path === "stop_first" ? entry.remaining : ZERO;
  const size = add(held, coming);
  const forStop = isZero(size) ? [] : guard("stop", stops, { size, guard: trade.stopLoss }, facts);
  // Protection first: nothing else is placed while it is not there.
  if (trade.takeProfit === null || isZero(held) || isLess(protectedOf(facts), held)) return forStop;
  return [...forStop, ...guard("profit", profits, { size: held, guard: trade.takeProfit }, facts)];
}

/** How much the stops that are known to stand would close. */
export function protectedOf({ stops }: Pick<TradeFacts, "stops">): Decimal {
  return standingOf(stops);
}

export function standingOf(parts: readonly Part[]): Decimal {
  return sum(parts.filter((part) => isStanding(part) && !part.isLeaving).map(({ remaining }) => remaining));
}

type GuardWanted = { size: Decimal; guard: Guard };

/** A stop: the new one before the old ones go. What cannot be placed just now leaves the old ones where they are. */
function guard(as: GuardKind, parts: readonly Part[], wanted: GuardWanted, facts: TradeFacts): TradeStep[] {
  const { nowMs } = facts;
  if (isAwaited(parts, wanted.size)) return [];
  const fitting = parts.findLast((part) => isStanding(part) && !part.isLeaving && isFor(part, wanted));
  if (fitting !== undefined) return replaced(parts, wanted, facts);
  const outgrown = as === "profit" && parts.length < MAX_GUARDS ? outgrownOf(parts, wanted) : [];
  if (outgrown.length > 0) return cancelOf(outgrown, facts);
  const newest = parts.at(-1);
  if (newest !== undefined && newest.refusal !== null && isAlike(newest, wanted) && !isOfBeforeEntry(newest, facts)) {
    if (isTooLittle(newest.refusal) || isJustNow(newest.createdAtMs, nowMs, retryAfterMs(parts))) return [];
  }
  if (
    newest !== undefined &&
    firedInVain(parts) >= FIRED_AT_ONCE &&
    isJustNow(newest.createdAtMs, nowMs, RETRY_GUARD_MS)
  )
    return [];
  return parts.length >= MAX_GUARDS ? [] : [{ kind: "place_guard", as, size: wanted.size }];
}

/**
 * Take-profits on the same terms of another size, which are to be gone first: both would close what others hold as well, and without one
 * nothing is less protected. One that was moved stays until the exchange has taken the new one.
 */
function outgrownOf(parts: readonly Part[], { guard: terms }: GuardWanted): readonly Part[] {
  return parts.filter((part) => (isStanding(part) || (isLive(part) && part.isLeaving)) && hasTerms(part, terms));
}

/** It was refused because nothing was held then: what the entry has filled since is protected at once. */
function isOfBeforeEntry({ refusal, createdAtMs }: Part, { entry }: TradeFacts): boolean {
  return entry !== null && createdAtMs <= entry.createdAtMs && needsPosition(refusal);
}

function needsPosition(refusal: string | null): boolean {
  return NEEDS_POSITION.some((words) => refusal?.includes(words) === true);
}

/** So many of the last ones fired, or were taken away, and closed nothing: nobody was there to take it. */
function firedInVain(parts: readonly Part[]): number {
  const isInVain = ({ state, wasTaken, isLeaving, filled }: Part) =>
    state === "over" && wasTaken && !isLeaving && isZero(filled);
  return parts.length - 1 - parts.findLastIndex((part) => !isInVain(part));
}

/** Less long where what nobody knows of would not be enough. */
function isAwaited(parts: readonly Part[], size: Decimal): boolean {
  const isEnough = !isLess(add(standingOf(parts), unknownOf(parts)), size);
  return isLostAwaited(parts.filter(isUnknown), isEnough);
}

function unknownOf(parts: readonly Part[]): Decimal {
  return sum(parts.filter(isUnknown).map(({ remaining }) => remaining));
}

function isUnknown({ state, isLeaving }: Part): boolean {
  return state === "unsettled" && !isLeaving;
}

/** All but the newest that fits go. */
function replaced(parts: readonly Part[], wanted: GuardWanted, facts: TradeFacts): TradeStep[] {
  const fitting = parts.findLast((part) => isStanding(part) && !part.isLeaving && isFor(part, wanted));
  return cancelOf(
    parts.filter((part) => part !== fitting),
    facts,
  );
}

function stepsAtEnd(trade: Trade, facts: TradeFacts): TradeStep[] {
  const { entry, stops, profits, position, isWithdrawn } = facts;
  const guards = [...stops, ...profits];
  if (guards.some(isLive)) return cancelOf(guards, facts);
  const filled = entry?.filled ?? ZERO;
  if (isZero(filled)) {
    const wasTaken = entry === null || entry.wasTaken;
    return [wasTaken ? end("canceled", trade.error) : end("rejected", entry.error)];
  }
  const isByOthers = position !== null && isLess(closedBy(facts), filled) && !isWithdrawn;
  return [end(isByOthers ? "closed_outside" : "closed", null)];
}

function end(status: Extract<TradeStep, { kind: "end" }>["status"], error: string | null): TradeStep {
  return { kind: "end", status, error };
}

function cancelOf(parts: readonly Part[], { nowMs }: Pick<TradeFacts, "nowMs">): TradeStep[] {
  return parts
    .filter((part) => isLive(part) && !part.isLeaving && !isJustNow(part.cancelRefusedAtMs, nowMs, RETRY_GUARD_MS))
    .map(({ orderId }) => ({ kind: "cancel", orderId }));
}

function isLive({ state }: Part): boolean {
  return state !== "over";
}

export function isStanding({ state }: Part): boolean {
  return state === "waiting" || state === "working";
}

/** It closes just this, on these terms. */
function isFor(part: Part, wanted: GuardWanted): boolean {
  return compare(part.remaining, wanted.size) === 0 && hasTerms(part, wanted.guard);
}

/** It was placed to. */
function isAlike(part: Part, wanted: GuardWanted): boolean {
  return compare(part.size, wanted.size) === 0 && hasTerms(part, wanted.guard);
}

function hasTerms({ triggerPrice, price }: Part, { triggerPrice: wantedTrigger, price: wantedPrice }: Guard): boolean {
  // Without a trigger it is what a met one has become.
  return (triggerPrice === null || isEqual(triggerPrice, wantedTrigger)) && isEqual(price, wantedPrice);
}

function isEqual(a: string, b: string): boolean {
  return compare(decimal(a), decimal(b)) === 0;
}

export function isLess(a: Decimal, b: Decimal): boolean {
  return compare(a, b) < 0;
}
