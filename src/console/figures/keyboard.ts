/** What a key means while nobody is typing: one letter, or `g` and where to go. */
export type Meaning =
  | { kind: "screen"; hash: string; focus: string | null }
  | { kind: "side"; side: "buy" | "sell" }
  | { kind: "search" }
  | { kind: "help" }
  | { kind: "wait" };

const PLACES: ReadonlyMap<string, readonly [hash: string, focus: string | null, words: string]> = new Map([
  ["n", ["#/now", null, "Now"]],
  ["t", ["#/trade", null, "Trade"]],
  ["o", ["#/trade", "#section-open-orders", "open orders"]],
  ["b", ["#/bots", null, "Bots"]],
  ["h", ["#/history", null, "History"]],
  ["f", ["#/fills", null, "Fills"]],
]);

/** @param isAfterG whether `g` was pressed just before */
export function meaningOf(key: string, isAfterG: boolean): Meaning | null {
  if (isAfterG) {
    const place = PLACES.get(key);
    return place === undefined ? null : { kind: "screen", hash: place[0], focus: place[1] };
  }
  if (key === "g") return { kind: "wait" };
  if (key === "/") return { kind: "search" };
  if (key === "?") return { kind: "help" };
  if (key === "b") return { kind: "side", side: "buy" };
  return key === "s" ? { kind: "side", side: "sell" } : null;
}

/** For the dialog that tells them. */
export const KEYS: readonly (readonly [keys: string, words: string])[] = [
  ["/", "search: the market on Trade, the text on History"],
  ["?", "these keys"],
  ["b", "buy: the order form"],
  ["s", "sell: the order form"],
  ...[...PLACES].map(([key, [, , words]]) => [`g ${key}`, `go to ${words}`] as const),
];
