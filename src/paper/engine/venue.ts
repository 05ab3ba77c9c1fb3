/** The door of the engine: it routes an action to its subject and keeps the order of checks; it decides nothing else. */
import type { ActionInput, Reply } from "./action.ts";
import type { VenueEvent } from "./event.ts";
import type { Address, Venue, VenueConfig } from "./state.ts";

/** `admitted` false: refused before the nonce was used; apart from the passage of time the state is as it was. */
export type ActionResult = { reply: Reply; events: VenueEvent[]; admitted: boolean };

/** A fresh venue with empty books and no accounts; `defaultConfig` in markets.ts is the usual config. */
export function createVenue(_config: VenueConfig): Venue {
  throw new Error("bug: not built yet");
}

/** First lets time pass up to `nowMs` (as `advance` does), then executes one action in a block of its own. */
export function applyAction(_venue: Venue, _input: ActionInput): ActionResult {
  throw new Error("bug: not built yet");
}

/**
 * Lets time pass: TWAP slices, hourly funding, scheduled cancels, liquidation cool-downs. In one step or in many
 * gives the same state, because everything happens at its own due time.
 */
export function advance(_venue: Venue, _nowMs: number): VenueEvent[] {
  throw new Error("bug: not built yet");
}

/** Moves the mark price, then fires triggers and liquidations. Lets time pass first. */
export function setMarkPrice(_venue: Venue, _coin: string, _price: bigint, _nowMs: number): VenueEvent[] {
  throw new Error("bug: not built yet");
}

/** Moves the oracle price (funding, price bands). Lets time pass first. */
export function setOraclePrice(_venue: Venue, _coin: string, _price: bigint, _nowMs: number): VenueEvent[] {
  throw new Error("bug: not built yet");
}

/** Amounts in 10^-8. `perp`: collateral on the validator dex; `dexes` and `spot` by dex and token name. */
export type Funding = { perp?: bigint; dexes?: Record<string, bigint>; spot?: Record<string, bigint> };

/** Pays money in from outside, opening the account when needed. */
export function fund(_venue: Venue, _user: Address, _amounts: Funding): VenueEvent[] {
  throw new Error("bug: not built yet");
}

/** Opens or ends the window in which only post-only orders are taken. */
export function setPostOnlyUntil(venue: Venue, untilMs: number): void {
  venue.postOnlyUntilMs = untilMs;
}

/** Removes an agent as its owner could at any moment: a fault to inject. */
export function dropAgent(venue: Venue, agent: Address, nowMs: number): void {
  const known = venue.agents.get(agent);
  if (known !== undefined && known.removedAtMs === null) known.removedAtMs = nowMs;
}
