/**
 * A list of markets that moves. A rule or a delisting is a change of the venue; two markets that change places are still the same
 * two there, and the ids of the list are translated at the door.
 */
import type { Desk } from "./desk.ts";
import type { ParsedAction } from "./engine/action.ts";
import type { Venue } from "./engine/state.ts";
import type { FaultFile, MarketChange } from "./faults.ts";
import { commit, nowMs } from "./runtime.ts";

type Swap = {
  readonly atMs: number;
  readonly coins: readonly [string, string];
  readonly assets: readonly [number, number];
};

export type Moves = { readonly sinceMs: number; pending: readonly MarketChange[]; readonly swaps: Swap[] };

export function startMoves(file: FaultFile, sinceMs: number): Moves {
  return { sinceMs, pending: file.marketChanges ?? [], swaps: [] };
}

/** A market that the file names and the venue does not have, or two that stand in different lists; null where all is well. */
export function wrongMove(file: FaultFile, venue: Venue): string | null {
  for (const change of file.marketChanges ?? []) {
    const coins = "swap" in change ? change.swap : [change.coin];
    const dexes = coins.map((coin) => dexOf(venue, coin));
    const unknown = coins[dexes.indexOf(null)];
    if (unknown !== undefined) return `faults: no perpetual ${unknown}`;
    if (new Set(dexes).size > 1) return `faults: ${coins.join(" and ")} stand in different lists`;
  }
  return null;
}

function dexOf(venue: Venue, coin: string): number | null {
  const market = venue.markets.get(venue.assetOfCoin.get(coin) ?? -1);
  return market?.kind === "perp" ? market.dex : null;
}

/** Does what is due by now. */
export function moveMarkets({ moves, runtime }: Pick<Desk, "moves" | "runtime">): void {
  if (moves.pending.length === 0) return;
  const atMs = nowMs(runtime);
  const isDue = ({ afterMs }: MarketChange) => moves.sinceMs + afterMs <= atMs;
  const due = moves.pending.filter(isDue);
  moves.pending = moves.pending.filter((change) => !isDue(change));
  const { assetOfCoin } = runtime.world.venue;
  for (const change of due) {
    if (!("swap" in change)) {
      const { coin } = change;
      const rule = "sizeDecimals" in change ? { sizeDecimals: change.sizeDecimals } : { isDelisted: change.isDelisted };
      commit(runtime, { kind: "market", coin, rule, atMs });
      continue;
    }
    const [one = -1, other = -1] = change.swap.map((coin) => assetOfCoin.get(coin) ?? -1);
    moves.swaps.push({ atMs, coins: change.swap, assets: [one, other] });
  }
}

/** The venue's own id for an id of the list, and the other way round. */
function translated({ swaps }: Moves, asset: number): number {
  return swaps.reduce((id, { assets: [one, other] }) => (id === one ? other : id === other ? one : id), asset);
}

/** An action with the venue's ids in place of those of the list as it stands. */
export function inVenueIds<Action extends ParsedAction>(moves: Moves, action: Action): Action {
  if (moves.swaps.length === 0) return action;
  // Members keep their types: only numbers under the two names of an asset change.
  return mapped(action) as Action;

  function mapped(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(mapped);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => {
      const isAsset = (name === "a" || name === "asset") && typeof member === "number";
      return [name, isAsset ? translated(moves, member) : mapped(member)] as const;
    });
    return Object.fromEntries(members);
  }
}

/** A body with the list's ids in its texts. */
export function inListIds(moves: Moves, body: string): string {
  if (moves.swaps.length === 0) return body;
  const back: Moves = { ...moves, swaps: moves.swaps.toReversed() };
  return body.replace(/asset=(\d{1,10})/g, (_whole, asset: string) => `asset=${translated(back, Number(asset))}`);
}

type Meta = { readonly universe: readonly { readonly name: string }[] };

/** The list as it stood at that moment, in the answers that show it by position. */
export function movedList({ swaps }: Moves, type: string, value: unknown, asOfMs: number): unknown {
  const moved = swaps.filter(({ atMs }) => atMs <= asOfMs);
  if (moved.length === 0) return value;
  // Shapes of our own readers; a dex that there is not has no list.
  if (type === "meta" && hasUniverse(value)) return swappedMeta(moved, value);
  if (type === "allPerpMetas" && Array.isArray(value)) return value.map((meta: Meta) => swappedMeta(moved, meta));
  if (type !== "metaAndAssetCtxs" || !Array.isArray(value)) return value;
  // Shape of our own reader: the list, and a row for each market in the list's order.
  const [meta, contexts] = value as [Meta, unknown[]];
  const rows = inOrder(
    moved,
    meta.universe.map(({ name }, at) => ({ name, context: contexts[at] })),
  );
  return [swappedMeta(moved, meta), rows.map(({ context }) => context)];
}

function hasUniverse(value: unknown): value is Meta {
  return typeof value === "object" && value !== null && "universe" in value;
}

function swappedMeta(moved: readonly Swap[], meta: Meta): Meta {
  return { ...meta, universe: inOrder(moved, meta.universe) };
}

function inOrder<Row extends { readonly name: string }>(moved: readonly Swap[], list: readonly Row[]): readonly Row[] {
  return moved.reduce((rows, { coins: [one, other] }) => {
    const [first, second] = [one, other].map((coin) => rows.find(({ name }) => name === coin));
    if (first === undefined || second === undefined) return rows;
    return rows.map((row) => (row === first ? second : row === second ? first : row));
  }, list);
}
