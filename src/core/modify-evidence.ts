/** What the facts known so far prove of an order that a modify was to replace. Pure. */
import { BEHIND_MS, SHOWN_WITHIN_MS } from "./evidence.ts";

/** What the words of a refused modify prove of its original: `wire/answer/refusal` reads them. */
export type ModifyRefusal = "left" | "canceled" | "at_placing" | null;

/** What is known of a modify beside what the records of its original show. */
export type ModifyFacts = {
  isAlwaysPlace: boolean;
  /** The exchange accepted the replacement, whatever became of it since. */
  isTaken: boolean;
  /** The exchange accepted the replacement, or keeps a record of having refused it: the modify came as far as placing. */
  hasPlaced: boolean;
  refusal: ModifyRefusal;
};

/**
 * True when the original is over, whatever a record shows of it: the exchange places only after it has canceled, unless
 * the modify says that it shall in any case.
 */
export function isOriginalOver({ isAlwaysPlace, hasPlaced, refusal }: Omit<ModifyFacts, "isTaken">): boolean {
  return refusal === "canceled" || (hasPlaced && !isAlwaysPlace);
}

/** What a record of an original tells of its end. Times are the exchange's, unix milliseconds. */
export type RecordedEnd = {
  /** `own`: it was filled, or closed in a listed word that is no plain cancel. `any`: in a word that may be a modify's. */
  kind: "own" | "any";
  /** Null where it is known to be over although this look, at a server that is behind, still shows it open. */
  endedAtMs: number | null;
  /** When the replacement was placed, by its own record; null where none is shown. */
  placedAtMs: number | null;
  /** When the modify was signed, by a clock of ours. */
  signedAtMs: number;
};

/**
 * Whether an original ended otherwise than by its modify: before that could cancel it, or after that had left it open. `unclear`:
 * what would tell is not shown yet.
 */
export type GoneBefore = "yes" | "no" | "unclear";

/** Clocks of ours and of the exchange differ by no more than this where nothing is wrong, milliseconds. */
const SIGNED_WITHIN_MS = 2_000;
/** A clock of ours that is wrong by more than this signs nothing, milliseconds. */
const SIGNED_WRONGLY_BY_MS = 60_000;

/** @param end null where no record shows that it ended */
export function goneBefore(facts: ModifyFacts, end: RecordedEnd | null): GoneBefore {
  // A plain modify places only where it has canceled: no word and no time of a record outweighs that.
  if (!facts.isAlwaysPlace && (facts.isTaken || facts.refusal === "canceled")) return "no";
  if (end === null) return "no";
  if (end.kind === "own") return "yes";
  const { endedAtMs, placedAtMs, signedAtMs } = end;
  // What was placed in any case is in its place only by the times in both records: something else may have canceled it on the way.
  if (endedAtMs === null) return facts.isTaken ? "unclear" : "no";
  // All changes of one block carry its time, as records of the exchange show: another time is of another block.
  if (placedAtMs !== null) return isOfAnotherBlock(facts, { endedAtMs, placedAtMs }) ? "yes" : "no";
  if (endedAtMs < signedAtMs - SIGNED_WRONGLY_BY_MS) return "yes";
  return facts.isTaken || endedAtMs < signedAtMs - SIGNED_WITHIN_MS ? "unclear" : "no";
}

/** A plain modify that came to its placing had found its original, whatever ended that later. */
function isOfAnotherBlock(
  { isAlwaysPlace }: ModifyFacts,
  { endedAtMs, placedAtMs }: { endedAtMs: number; placedAtMs: number },
): boolean {
  return isAlwaysPlace ? endedAtMs !== placedAtMs : endedAtMs < placedAtMs;
}

/**
 * What the stores that tell an end of an original come to, of which one says that it was its own: a server may mix up two orders, and what is
 * told of an order that lives is wrong for good. Two of them say so; or no other tells anything of it by when no server would lack it. That
 * it ended in the block of the placing no server makes up.
 *
 * @param words what each of the record, the feed and the history says that tells an end
 */
export function judgeGone(words: readonly GoneBefore[], sinceSignedMs: number): GoneBefore {
  if (words.includes("no")) return "no";
  const own = words.filter((word) => word === "yes").length;
  if (own > 1) return "yes";
  return own === words.length && sinceSignedMs >= SHOWN_WITHIN_MS ? "yes" : "unclear";
}

/** Looks at which an original has to be shown open after its modify was refused whole, and for how long, milliseconds. */
const LOOKS_LEFT_OPEN = 3;
const LEFT_OPEN_FOR_MS = 2_000;

/** An original that is shown open, and of which nothing that its modify placed is known to be there. */
export type ShownOpen = {
  /** An empty action of ours took the modify's number. */
  hasNeverRun: boolean;
  refusal: ModifyRefusal;
  /** Looks that showed it open, and the time since the first, milliseconds. */
  looks: number;
  openForMs: number;
  /** One answer showed it open that itself holds something from after the modify. */
  isShownSince: boolean;
  /** A fill of it is of after the modify could run: it lived then, and what is canceled lives no more. */
  isFilledSince: boolean;
  /** Since the modify was signed, by the exchange's time, milliseconds. */
  sinceSignedMs: number;
};

/**
 * True when the modify has left its original open. A record that shows it so may be from before the modify; none is once every
 * server is up to date again.
 */
export function isLeftOpen(shown: ShownOpen): boolean {
  const { hasNeverRun, refusal, looks, openForMs, isShownSince, isFilledSince, sinceSignedMs } = shown;
  if (hasNeverRun || isShownSince || isFilledSince) return true;
  if (looks < LOOKS_LEFT_OPEN || openForMs < LEFT_OPEN_FOR_MS) return false;
  return refusal === "left" || sinceSignedMs > BEHIND_MS;
}

/** How an original ended whose modify was refused. */
export type OriginalsEnd = {
  goneBefore: GoneBefore;
  /** The exchange said that it carried out a cancel of it. */
  isCanceledOtherwise: boolean;
};

/** True when it may be said that the modify canceled its original although what it placed was refused. */
export function hasCanceledOriginal(facts: ModifyFacts, end: OriginalsEnd): boolean {
  if (end.goneBefore !== "no" || end.isCanceledOtherwise) return false;
  return facts.hasPlaced || facts.refusal === "canceled" || facts.refusal === "at_placing";
}
