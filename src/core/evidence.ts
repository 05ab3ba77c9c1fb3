/**
 * What the exchange's answers prove. Its stores (orders by id, open orders, history, fills, positions, stream) are served
 * by different machines behind a balancer, and each lags by itself: nothing may be concluded from a store that is silent,
 * nor from one store about another. Here stands every conclusion, as a pure function of the facts known so far; the table
 * of them is in ARCHITECTURE.
 */
import type { Attempt } from "./attempt.ts";
import { add, compare, type Decimal, ZERO } from "./decimal.ts";

/** What every store together shows of an action of which no answer told. */
export type Trace = {
  /** The exchange named the order that it placed: its record, a list, the stream or a fill did. */
  isNamed: boolean;
  /** Any store showed a fill of it. */
  hasFills: boolean;
  /** How often open orders, history and fills, read a second apart or more, lacked it since its number was taken. */
  sweeps: number;
  /** How often all of them lacked it, at least 20 seconds apart, when the history no longer reached back to it. */
  outlived: number;
  /** Every fill up to its last possible moment is known, or the position stands where the known fills have left it. */
  areFillsKnown: boolean;
  /** Another order of the same batch is at the exchange: their action ran. */
  hasRun: boolean;
  /**
   * How often a history that reached back to the signing held another order of the batch, while history, open orders
   * and fills lacked this one; at least a second apart.
   */
  leftOut: number;
  /** It is a modify that places only where it cancels its original, and the original had ended otherwise. */
  hadNothingToReplace: boolean;
  /** By the exchange's own answers to cancels of it nothing of it is there (`isUnfound`), and by then all fills are known. */
  isUnfound: boolean;
};

/** How a search for what an action placed may end without finding it. */
export type Absence =
  /** An empty action of ours took its number: it never ran, and no longer can. */
  | "never_ran"
  /** The exchange answered with a refusal in words that are not listed, and something of ours took the number. */
  | "refused"
  /** The exchange's history has gone on past its end without it: it was refused when it arrived, or never arrived. */
  | "left_nothing"
  /** Its batch ran, by the exchange's own record of others of it, and left no order of this one: it was refused. */
  | "left_out"
  /** Its original had an end of its own, by the exchange's listed word: a modify places nothing then. */
  | "replaced_nothing"
  /** It is not open, and of its time all fills are known, but no record is kept any more: it had no fills. */
  | "outlived"
  /** Cancels of it find nothing, for as long as any list is behind, and all fills are known: it is not open and had none. */
  | "unfound";

/** How many answers, of separate requests, it takes to conclude that an action left nothing. */
export const WITNESSES_NEEDED = 2;

/**
 * What may be said of an action of which no trace was found; null while it stays unknown. Positive proof comes first: the
 * exchange's own word on the number. Without it the absence has to be witnessed.
 *
 * @param refusal the exchange's own words in its answer to this action, null where none were heard
 */
export function concludeAbsence(
  attempt: Pick<Attempt, "seal" | "hasLanded" | "negatives">,
  trace: Trace,
  refusal: string | null,
): Absence | null {
  // One store that shows something of it outweighs all that show nothing.
  if (trace.isNamed || trace.hasFills) return null;
  if (attempt.seal === "noop" && !trace.hasRun) return "never_ran";
  if (trace.hadNothingToReplace) return "replaced_nothing";
  // The request may have been doubled and the copy refused: then readings would show what the other one placed.
  const isRefusal = refusal !== null && attempt.seal === "nonce_taken" && attempt.hasLanded;
  if (isRefusal && trace.sweeps >= WITNESSES_NEEDED) return "refused";
  if (trace.leftOut >= WITNESSES_NEEDED) return "left_out";
  if (attempt.negatives >= WITNESSES_NEEDED) return "left_nothing";
  if (trace.outlived >= WITNESSES_NEEDED && trace.areFillsKnown) return "outlived";
  return trace.isUnfound ? "unfound" : null;
}

/** One answer of the order history that lacks what is looked for. Times of the exchange, unix milliseconds. */
export type HistoryAnswer = {
  /** Time of the newest record in it; null when it holds none. */
  newestAtMs: number | null;
  /** When the newest order was placed in the list of open orders that was read with it; null when it holds none. */
  listedAtMs: number | null;
  /**
   * False when it may have dropped records from before the action was signed: then it proves nothing that a record is
   * missing.
   */
  reachesBack: boolean;
};

/**
 * True when the answer itself holds something newer than the last moment at which the action could run: what this server
 * had indexed by then would have to be in it.
 */
export function isWitness(answer: HistoryAnswer, endsAtMs: number): boolean {
  return answer.reachesBack && answer.newestAtMs !== null && answer.newestAtMs > endsAtMs;
}

/** How long, at least, past an action's end a history that has forgotten its time must go on, milliseconds. */
const OUTLIVED_BY_MS = 60_000;

/**
 * True when the exchange keeps nothing from the time of the action any more, and went on long after it. What has rested since
 * then is in no such history: the list of open orders has to be newer as well.
 */
export function isOutlived({ reachesBack, newestAtMs, listedAtMs }: HistoryAnswer, endsAtMs: number): boolean {
  const isHistoryPast = !reachesBack && newestAtMs !== null && newestAtMs > endsAtMs + OUTLIVED_BY_MS;
  return isHistoryPast && listedAtMs !== null && listedAtMs > endsAtMs;
}

/**
 * True when a list of open orders proves that an order is open no longer: it lacks it, and itself holds one that was placed
 * later than when the order was last known to be open, or missed for the first time. An empty list proves nothing.
 */
export function lacks(
  list: readonly { oid: string; timestampMs: number }[],
  { oid, sinceMs }: { oid: string; sinceMs: number },
): boolean {
  return list.every((each) => each.oid !== oid) && goesPast(list, sinceMs);
}

/** True when a list of open orders holds one that was placed later than `sinceMs`. */
export function goesPast(list: readonly { timestampMs: number }[], sinceMs: number): boolean {
  return list.some(({ timestampMs }) => timestampMs > sinceMs);
}

/** How far behind a server may be, milliseconds: what was there so long before, every server shows. */
export const BEHIND_MS = 150_000;

/** How long answers and silence about an order have to agree: a list of markets is behind for no longer, milliseconds. */
const GONE_FOR_MS = 5 * 60_000;

/** What cancels that name an order have said, each under the number that the newest list has for its market. */
export type CancelsWord = {
  /** Readings of the list of markets under whose number a cancel has found nothing. */
  readings: number;
  /** Time since the first of these readings, milliseconds. */
  forMs: number;
  /** The number that the newest list has is the one under which the order was confirmed, or, where it never was, signed. */
  isConfirmedNumber: boolean;
};

/**
 * True when the exchange's own answers to cancels that name an order prove that it is open no longer, in an account in which
 * nothing newer can be had: "never placed, already canceled, or filled", for longer than any list of markets is behind, while
 * nothing at all shows it. What a trigger places when it fires may have a native id of its own, which no such cancel names.
 *
 * @param mayHaveFired it is a trigger, and something that may have come of it is shown
 * @param unseenForMs since the first look, list or record that lacked it, with none since then that showed it, milliseconds
 */
export function isGoneByCancels(word: CancelsWord | null, mayHaveFired: boolean, unseenForMs: number): boolean {
  if (word === null || mayHaveFired || !word.isConfirmedNumber || word.readings < WITNESSES_NEEDED) return false;
  return Math.min(word.forMs, unseenForMs) >= GONE_FOR_MS;
}

/**
 * The same of an order of which no answer came and that nothing shows, by cancels that carry its client order id: an account in which
 * nothing else happens has no other word. They count from when nothing of it can newly come: it may have arrived after an earlier one.
 *
 * @param unseenForMs since the first look that lacked it, and whatever may have come of it, with none since then that did not
 */
export function isUnfound(
  word: CancelsWord | null,
  { canCome, unseenForMs }: { canCome: boolean; unseenForMs: number },
): boolean {
  return !canCome && isGoneByCancels(word, false, unseenForMs);
}

/**
 * Cancels of a TWAP that must have found nothing, each by a newer list of markets, before there is nothing to cancel.
 */
const MISSES_NEEDED = 3;

/** What is known of a TWAP that the exchange did not find when it was to be canceled. */
export type MissingTwap = {
  /**
   * What its history shows: `ended` is final, `running` may be from before, `nothing` may be a lag. A TWAP that we made
   * counts as running while nothing is shown, and one that is ours by an answer's word alone as `named` while that is looked into.
   */
  shown: "ended" | "running" | "named" | "nothing";
  /** How many cancels did not find it. */
  misses: number;
};

/**
 * True when there is nothing to cancel. One cancel that finds nothing is no proof: a TWAP that is new, or whose market
 * has moved in the list, is not found either.
 */
export function isNothingToCancel({ shown, misses }: MissingTwap): boolean {
  return shown === "ended" || (shown === "nothing" && misses >= MISSES_NEEDED);
}

/** What is known of the size of a closed order that was filled. */
export type CloseReading = {
  asked: Decimal;
  /** What its record says was left when it closed; null where the record may be from before that. */
  rest: Decimal | null;
  /** Sum of the fills that were seen. */
  filled: Decimal;
  /** The record says `filled`: then something was, and its rest may be anything. */
  isFilled: boolean;
  /** The order only reduces: what is left of it shrinks with the position as well. */
  isReduceOnly: boolean;
  /** It may close as filled with less than it asked for; every other order that is filled is filled whole. */
  mayFallShort: boolean;
};

/**
 * What record and fills say together. `agreed`: they complete one another. `untouched`: both say that nothing was filled,
 * of which each may be silent by a lag of its own. `short`: less than asked, by a record whose rest tells nothing. `over`:
 * more than a record leaves room for, which is wrong then. `missing`: the record tells of fills that are not shown.
 * `silent`: filled by its record, and no fill of it is shown.
 */
export type Agreement = "agreed" | "untouched" | "short" | "over" | "missing" | "silent";

export function agreementOf(close: CloseReading): Agreement {
  const { asked, rest, filled, isFilled, isReduceOnly, mayFallShort } = close;
  if (compare(filled, asked) >= 0) return "agreed";
  const isNothing = compare(filled, ZERO) === 0;
  if (isFilled && isNothing) return "silent";
  if (isFilled) return mayFallShort ? "short" : "missing";
  if (rest === null) return "short";
  const sum = compare(add(filled, rest), asked);
  if (sum === 0) return isNothing ? "untouched" : "agreed";
  if (sum > 0) return "over";
  return isReduceOnly ? "short" : "missing";
}

/**
 * What the position says, which is a store of its own. `unmoved`: it is stamped later than the close, and stands where
 * the known fills have left it. `behind`: it stands so too, but is not newer than the close, so it says nothing.
 * `moved`: it stands elsewhere. `unknown`: there is none to compare (spot), or it could not be read.
 */
export type PositionWord = "unmoved" | "behind" | "moved" | "unknown";

/** One reading of a closed order. */
export type SizeReading = {
  agreement: Agreement;
  filled: Decimal;
  /** Our monotonic time of the reading, milliseconds. */
  elapsedMs: number;
  /** Time since the close by our idea of the exchange's time, milliseconds: it may be wrong by seconds. */
  sinceCloseMs: number;
  /** Answers without a gap between them gave the fills from before its placing up to one from after the close. */
  isWitnessed: boolean;
  position: PositionWord;
};

/** Least time between two readings that count as two, where each holds something newer than the close, milliseconds. */
export const READING_SPACING_MS = 1_000;

/**
 * On a quiet account, milliseconds: the first of two readings is so long after the close, the second so long after it.
 */
export const QUIET_AFTER_MS = 3_000;
export const QUIET_SPACING_MS = 2_000;

/** Our idea of the exchange's time may be wrong by so much, milliseconds: what has to be later is later by more. */
export const CLOCK_DOUBT_MS = 10_000;

/** What happened so long before an answer was asked for is in it: no server is further behind, by a clock that may be wrong, milliseconds. */
export const SHOWN_WITHIN_MS = BEHIND_MS + CLOCK_DOUBT_MS;

/** How long record and fills that contradict one another are waited for, milliseconds. */
export const DISPUTED_AFTER_MS = 60_000;

/**
 * `final`: the size will not change. `disputed`: it may not be the whole, and nothing that could tell has come for a minute.
 * `open`: ask again, for as long as it takes.
 */
export type SizeVerdict = "final" | "disputed" | "open";

/** @param readings all of one closed order, oldest first, the newest included */
export function judgeSize(readings: readonly SizeReading[]): SizeVerdict {
  const last = readings.at(-1);
  if (last === undefined) return "open";
  if (last.agreement === "agreed") return "final";
  // The record proves more fills than are shown: they will be.
  if (last.agreement === "silent" || last.agreement === "missing") return "open";
  const same = readings.filter(({ filled }) => compare(filled, last.filled) === 0);
  if (isFinal(same, readings[0] ?? last, last)) return "final";
  if (last.agreement === "untouched" || last.position === "moved") return "open";
  const since = same[0] ?? last;
  return last.elapsedMs - since.elapsedMs >= DISPUTED_AFTER_MS ? "disputed" : "open";
}

/** More readings than these are of an order that has been in doubt for longer than any of them asks for. */
const FIRST_READINGS = 8;

/**
 * In how long another reading that says what the newest does makes the size final, milliseconds: what is read before that can say no more. Null
 * where the size is final, or another like it would not do.
 *
 * @param readings as for `judgeSize`
 */
export function finalInMs(readings: readonly SizeReading[]): number | null {
  const last = readings.at(-1);
  if (last === undefined || judgeSize(readings) === "final") return null;
  const isFinalIn = (waitMs: number) => {
    const again = { ...last, elapsedMs: last.elapsedMs + waitMs, sinceCloseMs: last.sinceCloseMs + waitMs };
    return judgeSize([...readings, again]) === "final";
  };
  const waits = readings
    .slice(0, FIRST_READINGS)
    .map(({ elapsedMs }) => elapsedMs + READING_SPACING_MS - last.elapsedMs);
  return waits.filter((waitMs) => waitMs > 0).find(isFinalIn) ?? null;
}

/**
 * Whether a reading is so late that it counts on a quiet account; the close is no later than the first that showed it.
 */
function isLate({ elapsedMs, sinceCloseMs }: SizeReading, first: SizeReading): boolean {
  return Math.max(elapsedMs - first.elapsedMs, sinceCloseMs - CLOCK_DOUBT_MS) >= QUIET_AFTER_MS;
}

/**
 * Whether a size that no record completes is final. Two readings have to say so: by answers or positions newer than the
 * close, or late ones where there is no position to compare. One that shows the position elsewhere takes back what positions had said: a server
 * of before all that may bear a later time.
 */
function isFinal(same: readonly SizeReading[], first: SizeReading, last: SizeReading): boolean {
  if (areTwo(same.filter(({ isWitnessed }) => isWitnessed))) return true;
  const standing = same.slice(same.findLastIndex(({ position }) => position === "moved") + 1);
  const late = standing.filter((reading) => isLate(reading, first));
  const isAgreeing = ({ agreement }: SizeReading) => agreement === last.agreement;
  const isUnmoved = ({ position }: SizeReading) => position === "unmoved";
  // An order that may end with a part needs late readings: the position may show just that part while the rest is under
  // way.
  if (last.agreement === "short") return areTwo(late.filter(isAgreeing).filter(isUnmoved), QUIET_SPACING_MS);
  if (areTwo(standing.filter(isAgreeing).filter(isUnmoved))) return true;
  // A position that is behind says nothing: it may come from where the fills come from.
  if (last.position !== "unknown") return false;
  return areTwo(
    late.filter(isAgreeing).filter(({ position }) => position === "unknown"),
    QUIET_SPACING_MS,
  );
}

function areTwo(readings: readonly SizeReading[], spacingMs: number = READING_SPACING_MS): boolean {
  const first = readings[0];
  const last = readings.at(-1);
  return first !== undefined && last !== undefined && last.elapsedMs - first.elapsedMs >= spacingMs;
}

/**
 * True when the fills that are known of an order which is over, and of which the exchange shows no record of its own, are all
 * of them.
 *
 * @param completeToMs up to when the fills of the account are known to be whole; null before they were ever read
 * @param overByMs the exchange's time by which it was over, unix milliseconds
 */
export function areFillsAll(completeToMs: number | null, overByMs: number): boolean {
  return completeToMs !== null && completeToMs >= overByMs;
}
