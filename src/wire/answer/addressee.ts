import { dexOf } from "../../core/market.ts";

/** A question to /info, in the exchange's own words. */
type Question = { readonly type: string; readonly [member: string]: unknown };

/** What was asked for, and what the answer names in its place. */
type Named = { asked: unknown; named: unknown };

/**
 * The account, market, dex or interval that an answer names instead of the one that was asked for; null where it names no other. It
 * says so of what it names alone: lists of orders, fills and balances name no account, and nothing in them can be held against that.
 */
export function addresseeInstead(request: Question, json: unknown): string | null {
  const named = NAMED[request.type]?.(request, json) ?? [];
  const other = named.find((each) => typeof each.named === "string" && !isSame(each));
  return other === undefined ? null : String(other.named);
}

function isSame({ asked, named }: Named): boolean {
  return String(asked).toLowerCase() === String(named).toLowerCase();
}

const NAMED: Readonly<Record<string, (request: Question, json: unknown) => Named[]>> = {
  activeAssetData: ({ user, coin }, json) => [
    { asked: user, named: member(json, "user") },
    { asked: coin, named: member(json, "coin") },
  ],
  l2Book: ({ coin }, json) => [{ asked: coin, named: member(json, "coin") }],
  recentTrades: ({ coin }, json) => ends(json).map((row) => ({ asked: coin, named: member(row, "coin") })),
  candleSnapshot: ({ req }, json) =>
    ends(json).flatMap((row) => [
      { asked: member(req, "coin"), named: member(row, "s") },
      { asked: member(req, "interval"), named: member(row, "i") },
    ]),
  twapHistory: ({ user }, json) =>
    rowsOf(json).map((row) => ({ asked: user, named: member(member(row, "state"), "user") })),
  clearinghouseState: ({ dex }, json) =>
    rowsOf(member(json, "assetPositions")).map((row) => ofDex(dex, member(member(row, "position"), "coin"))),
  meta: ({ dex }, json) => ofMeta(dex, json),
  metaAndAssetCtxs: ({ dex }, json) => ofMeta(dex, rowsOf(json)[0]),
  allMids: ({ dex }, json) => Object.keys(isObject(json) ? json : {}).map((name) => ofDex(dex, name)),
};

function ofMeta(dex: unknown, meta: unknown): Named[] {
  return rowsOf(member(meta, "universe")).map((row) => ofDex(dex, member(row, "name")));
}

/** A market of a dex of its own has that in its name. */
function ofDex(dex: unknown, market: unknown): Named {
  return { asked: dex ?? "", named: typeof market === "string" ? dexOf(market) : undefined };
}

/** Rows that are all of one question: the first tells as much as the others, and the last that nothing was added to them. */
function ends(json: unknown): unknown[] {
  const rows = rowsOf(json);
  return rows.length < 2 ? [...rows] : [rows[0], rows.at(-1)];
}

function rowsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
