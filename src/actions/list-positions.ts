import type { Account } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { madeOnce } from "../core/made-once.ts";
import { pageOf } from "../core/page.ts";
import { listOfTexts } from "../core/resource.ts";
import type { With } from "../deps.ts";
import type { Known } from "../exchange/picture.ts";
import { positionResource } from "../settle/account/account-resources.ts";
import type { ClearinghouseState, Position } from "../wire/answer/account.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { AGE_MS, currentState, datedAge, MARGIN_AGE_MS, type ToShowPositions } from "./current.ts";
import { requireDex } from "./list-orders.ts";

export type ListPositions = { dex: string | null; cursor: string | null; limit: number };

/** `GET /v1/positions`: as they are now, and not before the account's last change; native dex first, then by market. */
export async function listPositions(deps: ToShowPositions, caller: Caller, wanted: ListPositions): Promise<ReadAnswer> {
  const { dex, cursor, limit } = wanted;
  requireDex(deps, dex);
  const after = cursor === null ? null : requireCursor(deps, cursor);
  const dexes = dex === null ? ["", ...deps.settings.dexes] : [dex];
  const { account } = caller;
  const states = await Promise.all(dexes.map((each) => currentState(deps, caller, each)));
  const shown = states.flatMap(({ value }, nth) => rowsOf(value)(account, dexes[nth] ?? ""));
  const sorted = shown.sort((a, b) => compareKeys(a.key, b.key));
  const rest = after === null ? sorted : sorted.filter(({ key }) => compareKeys(key, after) > 0);
  const page = pageOf(rest, limit, ({ key: [ofDex, market] }) => `${ofDex}:${market}`);
  const body = listOfTexts(
    page.rows.map(({ text }) => text),
    page.nextCursor,
  );
  return { body, asOfMs: oldestTold(deps, states) };
}

type PositionRow = { key: Key; text: string };

/** A state is told anew every few seconds, and read many times in between; two accounts may trade one address. */
const rowsOf = madeOnce((state: ClearinghouseState) => {
  const known = new Map<string, readonly PositionRow[]>();
  return (account: Account, dex: string): readonly PositionRow[] => {
    const place = `${account.id} ${dex}`;
    const rows = known.get(place) ?? state.positions.map((position) => rowOf(account, dex, position));
    known.set(place, rows);
    return rows;
  };
});

function rowOf(account: Account, dex: string, position: Position): PositionRow {
  return { key: [dex, position.coin], text: JSON.stringify(positionResource(account, dex, position)) };
}

/** Sizes are of now for a second, and what prices move for longer; what says of when it is says it of the whole. */
function oldestTold(
  deps: With<"exchange">,
  states: readonly Pick<Known<unknown>, "asOfMs" | "toldToMs">[],
): number | null {
  const asOfMs = Math.min(...states.map((state) => state.asOfMs));
  const toldToMs = Math.min(...states.map((state) => state.toldToMs));
  const isNow = datedAge(deps, toldToMs, AGE_MS) === null && datedAge(deps, asOfMs, MARGIN_AGE_MS) === null;
  return isNow ? null : asOfMs;
}

/** Dex, then market. */
type Key = readonly [dex: string, market: string];

function compareKeys(a: Key, b: Key): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  if (a[1] === b[1]) return 0;
  return a[1] < b[1] ? -1 : 1;
}

/** `dex:market`; the market's own name may hold a colon. */
function requireCursor(deps: With<"settings">, cursor: string): Key {
  const colon = cursor.indexOf(":");
  const dex = cursor.slice(0, colon);
  const market = cursor.slice(colon + 1);
  const isKnown = dex === "" || deps.settings.dexes.includes(dex);
  if (colon !== -1 && isKnown && /^[A-Za-z0-9@][A-Za-z0-9@:_./-]{0,99}$/.test(market)) return [dex, market];
  throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
}
