/** What it takes to tell the end of an order of which one record says that it is over. Pure. */
import { goesPast, SHOWN_WITHIN_MS } from "./evidence.ts";

/** Times of the exchange, unix milliseconds. `endedAtMs`: by the record that tells the end. */
export type RecordedOrder = { oid: string; placedAtMs: number; endedAtMs: number };

/** One whole list of open orders of its dex. `askedAtMs`: the exchange's time when it was asked for, unix milliseconds. */
export type WholeList = { orders: readonly { oid: string; timestampMs: number }[]; askedAtMs: number };

/**
 * What a list of open orders says of such an end. `lacks`: it is of after the placing by what it holds, or by when it was asked for: what it
 * lacks then is over, and does not come back. `may_be_before`: it lacks the order, and may be of before its placing. `holds`: it may be of
 * before the end. `holds_since`: it is of after the end that the record names, in the same two ways, and holds the order: the record is wrong.
 */
export type ListWord = "lacks" | "may_be_before" | "holds" | "holds_since";

export function listWord({ orders, askedAtMs }: WholeList, { oid, placedAtMs, endedAtMs }: RecordedOrder): ListWord {
  const isOfAfter = (sinceMs: number) => goesPast(orders, sinceMs) || askedAtMs - sinceMs >= SHOWN_WITHIN_MS;
  if (orders.some((order) => order.oid === oid)) return isOfAfter(endedAtMs) ? "holds_since" : "holds";
  return isOfAfter(placedAtMs) ? "lacks" : "may_be_before";
}

/** What other stores say of an end that a record tells. */
export type EndWords = {
  /** The order's feed has told its end, a cancel or a modify of ours was carried out, or an answer had refused it. */
  isToldOtherwise: boolean;
  /** Null where no list was read. */
  list: ListWord | null;
  /** The newest row of the history of the order tells an end too. */
  isInHistory: boolean;
};

/** `told`: two stores say so. `refuted`: it lives. `open`: neither is known yet, and all of them are asked again. */
export type EndVerdict = "told" | "refuted" | "open";

/**
 * No end is told by one record alone: a server may mix up two orders, and an end that was told is for good. The history is a store of its own,
 * and what it says of an end is no silence: it decides where a list lacks the order, and the account is too quiet for that to tell when.
 */
export function judgeEnd({ isToldOtherwise, list, isInHistory }: EndWords): EndVerdict {
  if (isToldOtherwise || list === "lacks") return "told";
  if (list === "holds_since") return "refuted";
  return list === "may_be_before" && isInHistory ? "told" : "open";
}

/** What a store beside its record says of an order that was refused by its record: `silent`, nothing at all. */
export type RefusalWord = "refused" | "another_end" | "silent";

/**
 * That an order is over is no word of its having been refused: what a list lacks may have rested and been filled. Another store says so too, or
 * tells nothing by when no server would lack another end.
 */
export function isRefusalBorneOut(word: RefusalWord, sincePlacingMs: number): boolean {
  return word === "refused" || (word === "silent" && sincePlacingMs >= SHOWN_WITHIN_MS);
}
