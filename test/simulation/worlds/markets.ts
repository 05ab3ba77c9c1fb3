/** Lists of markets that move: two change places, a size rule changes, one is delisted, and servers that still show the old list. */
import type { Chance } from "../chance.ts";
import type { Venue } from "../venue.ts";
import type { Lens } from "./lens.ts";

export type Moves = {
  atMs: number;
  /** Native markets that change places in the list. */
  swap: readonly [string, string] | null;
  /** Size decimals of BTC before and after. */
  rule: { before: number; after: number } | null;
  delisted: string | null;
  /** A server's list may be this much behind, milliseconds, for a share of the answers. */
  behindMs: number;
  behindRate: number;
};

/** Places in the list by the engine's own count. */
const PLACES: Readonly<Record<string, number>> = { BTC: 0, ETH: 1, ATOM: 2, SOL: 5 };

export function drawMoves(chance: Chance, untilMs: number): Moves {
  const kind = chance.pick(["swap", "swap", "rule", "delisted"] as const);
  return {
    atMs: chance.between(0, untilMs),
    swap:
      kind === "swap"
        ? chance.pick([["BTC", "ETH"] as const, ["BTC", "SOL"] as const, ["ETH", "ATOM"] as const])
        : null,
    rule:
      kind === "rule"
        ? chance.pick([
            { before: 5, after: 4 },
            { before: 4, after: 5 },
          ])
        : null,
    delisted: kind === "delisted" ? chance.pick(["BTC", "SOL"]) : null,
    behindMs: chance.pick([0, 5_000, 60_000]),
    behindRate: chance.pick([0.3, 0.7]),
  };
}

export type Market = { kind: string; coin: string; szDecimals: number; isDelisted?: boolean };

/** The engine's own books: what changes there changes for everybody at once. */
function marketOf(venue: Venue, coin: string): Market {
  const market = [...venue.runtime.world.venue.markets.values()].find((each) => each.coin === coin);
  if (market === undefined) throw new Error("bug: a market that the exchange does not have");
  return market;
}

/** Makes what is so at the beginning so, and says what is to be done when the list moves. */
export function beginMoves({ rule, delisted }: Moves, venue: Venue): () => void {
  if (rule !== null) marketOf(venue, "BTC").szDecimals = rule.before;
  return () => {
    if (rule !== null) marketOf(venue, "BTC").szDecimals = rule.after;
    if (delisted !== null) marketOf(venue, delisted).isDelisted = true;
  };
}

type Row = { name: string; szDecimals: number; isDelisted?: true };

/** The list as it is, or as it was before it moved. */
export function movedLists(moves: Moves, chance: Chance, nowMs: () => number): Lens {
  return (request, answer) => {
    if (request.type !== "meta" || (request["dex"] ?? "") !== "") return answer;
    const behindMs = chance.isLucky(moves.behindRate) ? moves.behindMs : 0;
    const hasMoved = nowMs() - behindMs >= moves.atMs;
    // Shape of the paper exchange's own reader.
    const meta = answer as { universe: Row[] };
    return {
      ...meta,
      universe: hasMoved ? swapped(meta.universe, moves) : meta.universe.map((row) => before(row, moves)),
    };
  };
}

function swapped(rows: readonly Row[], { swap }: Moves): Row[] {
  if (swap === null) return [...rows];
  const [a, b] = swap;
  const of = (name: string) => rows.find((row) => row.name === name);
  return rows.map((row) => (row.name === a ? (of(b) ?? row) : row.name === b ? (of(a) ?? row) : row));
}

function before(row: Row, { rule, delisted }: Moves): Row {
  if (rule !== null && row.name === "BTC") return { ...row, szDecimals: rule.before };
  if (delisted !== row.name) return row;
  const { isDelisted: _isDelisted, ...rest } = row;
  return rest;
}

/** A body with the engine's asset ids in place of those of the list as it stands now. */
export function inEngineIds(moves: Moves, body: string, nowMs: number): string {
  if (moves.swap === null || nowMs < moves.atMs) return body;
  const [a, b] = moves.swap.map((name) => PLACES[name]);
  const moved = (asset: unknown) => (asset === a ? b : asset === b ? a : asset);
  return JSON.stringify(JSON.parse(body), (key, value: unknown) =>
    (key === "a" || key === "asset") && typeof value === "number" ? moved(value) : value,
  );
}
