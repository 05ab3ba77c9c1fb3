/** One step of the venue: the state, the time of its block, and what it has produced so far. */
import { hashOf } from "./chance.ts";
import type { VenueEvent } from "./event.ts";
import type { Address, PerpMarket, Venue, VenueAccount, VenueMarket } from "./state.ts";

export type Turn = {
  venue: Venue;
  nowMs: number;
  /** Hash of the action or of the engine's own step; every fill in it carries it. */
  hash: string;
  events: VenueEvent[];
  /** Positions to look at again when matching is over: `user` and `asset`. */
  changed: Map<string, { user: Address; asset: number }>;
  /** Markets with triggers that may already be satisfied. */
  armed: Set<number>;
  /** Books to announce. */
  booksTouched: Set<string>;
};

export function newTurn(venue: Venue, nowMs: number): Turn {
  venue.block += 1;
  return {
    venue,
    nowMs,
    hash: hashOf(venue.seed, venue.block),
    events: [],
    changed: new Map(),
    armed: new Set(),
    booksTouched: new Set(),
  };
}

export function markChanged(turn: Turn, user: Address, asset: number): void {
  turn.changed.set(`${user} ${asset}`, { user, asset });
}

export function accountOf(venue: Venue, address: Address): VenueAccount {
  const account = venue.accounts.get(address);
  if (account === undefined) throw new Error(`bug: no account ${address}`);
  return account;
}

export function marketOf(venue: Venue, asset: number): VenueMarket {
  const market = venue.markets.get(asset);
  if (market === undefined) throw new Error(`bug: no market ${asset}`);
  return market;
}

export function perpOf(venue: Venue, asset: number): PerpMarket {
  const market = marketOf(venue, asset);
  if (market.kind !== "perp") throw new Error(`bug: not a perpetual: ${asset}`);
  return market;
}

/** The market of a coin as the exchange spells it, or null. */
export function marketOfCoin(venue: Venue, coin: string): VenueMarket | null {
  const asset = venue.assetOfCoin.get(coin);
  return asset === undefined ? null : marketOf(venue, asset);
}
