/**
 * The whole state of a running paper exchange: the venue, the market maker, the tape of trades. It changes only by journal entries:
 * the same entries applied to the same start give the same bytes.
 */
import type { ActionInput, VenueReply } from "./engine/action.ts";
import { endOrder } from "./engine/ending.ts";
import type { VenueEvent } from "./engine/event.ts";
import { defaultConfig } from "./engine/markets.ts";
import type { EngineOptions } from "./engine/options.ts";
import type { Address, Venue, VenueOrderStatus } from "./engine/state.ts";
import { newTurn } from "./engine/turn.ts";
import { advance, applyAction, createVenue, dropAgent, fund, setMarkPrice, setPostOnlyUntil } from "./engine/venue.ts";
import { type MakerState, movePrice, openHouse, requote, tickHouse } from "./market-maker.ts";
import type { PriceSource } from "./prices.ts";
import { recordEvents, type Tape } from "./tape.ts";

export type PaperWorld = {
  readonly venue: Venue;
  readonly tape: Tape;
  /** Null where no market maker quotes. */
  readonly maker: MakerState | null;
  nextTickMs: number;
};

export type JournalEntry =
  | { readonly kind: "action"; readonly input: ActionInput }
  | { readonly kind: "tick"; readonly atMs: number }
  /** Leaves out the ticks up to then: the program did not run. */
  | { readonly kind: "skip"; readonly toMs: number }
  | { readonly kind: "fund"; readonly user: Address; readonly atMs: number }
  | { readonly kind: "price"; readonly coin: string; readonly price: bigint; readonly atMs: number }
  | { readonly kind: "market"; readonly coin: string; readonly rule: MarketRule; readonly atMs: number }
  | { readonly kind: "dropAgent"; readonly agent: Address; readonly atMs: number }
  | { readonly kind: "postOnly"; readonly untilMs: number }
  /** Ends all orders of the signer's account as the exchange does by itself. */
  | {
      readonly kind: "systemCancel";
      readonly signer: Address;
      readonly status: VenueOrderStatus;
      readonly atMs: number;
    };

/** A rule of a perpetual that can change while it is traded. */
export type MarketRule = { readonly sizeDecimals: number } | { readonly isDelisted: boolean };

export type WorldOptions = {
  readonly seed: number;
  readonly startMs: number;
  readonly tickMs: number;
  readonly marketMaker: boolean;
  readonly engine: Partial<EngineOptions>;
};

/** 100,000 USDC in every perp dex and in spot, 1,000 of every other token. */
const USDC_GRANT = 100_000n * 100_000_000n;
const TOKEN_GRANT = 1_000n * 100_000_000n;

export function createWorld({ seed, startMs, tickMs, marketMaker, engine }: WorldOptions): PaperWorld {
  const config = defaultConfig(seed, startMs);
  const venue = createVenue({ ...config, options: { ...config.options, ...engine } });
  const world: PaperWorld = {
    venue,
    tape: new Map(),
    maker: marketMaker ? openHouse(venue, seed, startMs) : null,
    nextTickMs: startMs + tickMs,
  };
  if (world.maker !== null) recordEvents(world.tape, requote(venue, world.maker, startMs));
  return world;
}

export type EntryContext = { readonly source: PriceSource; readonly tickMs: number };
export type Applied = { readonly reply: VenueReply | null; readonly events: VenueEvent[]; readonly admitted: boolean };

export function applyEntry(world: PaperWorld, entry: JournalEntry, context: EntryContext): Applied {
  const applied = route(world, entry, context);
  recordEvents(world.tape, applied.events);
  return applied;
}

function route(world: PaperWorld, entry: JournalEntry, { source, tickMs }: EntryContext): Applied {
  const { venue, maker } = world;
  switch (entry.kind) {
    case "action":
      return applyAction(venue, entry.input);
    case "tick":
      world.nextTickMs = entry.atMs + tickMs;
      return done(maker === null ? advance(venue, entry.atMs) : tickHouse(venue, maker, source, entry.atMs));
    case "skip":
      world.nextTickMs = entry.toMs;
      return done([]);
    case "fund":
      return done([...advance(venue, entry.atMs), ...fund(venue, entry.user, grant(venue))]);
    case "price":
      return done(scriptPrice(world, entry));
    case "market":
      return done(changeMarket(venue, entry));
    case "dropAgent":
      dropAgent(venue, entry.agent, entry.atMs);
      return done([]);
    case "postOnly":
      setPostOnlyUntil(venue, entry.untilMs);
      return done([]);
    case "systemCancel":
      return done(cancelBySystem(venue, entry));
  }
}

function done(events: VenueEvent[]): Applied {
  return { reply: null, events, admitted: true };
}

/** Oracle and mark at once; the house quotes around the new price first. */
function scriptPrice({ venue, maker }: PaperWorld, entry: Extract<JournalEntry, { kind: "price" }>): VenueEvent[] {
  const { coin, price, atMs } = entry;
  const events = movePrice(venue, coin, price, atMs);
  if (maker !== null) events.push(...requote(venue, maker, atMs));
  events.push(...setMarkPrice(venue, coin, price, atMs));
  return events;
}

function cancelBySystem(
  venue: Venue,
  { signer, status, atMs }: Extract<JournalEntry, { kind: "systemCancel" }>,
): VenueEvent[] {
  const events = advance(venue, atMs);
  const account = venue.accounts.get(venue.agents.get(signer)?.master ?? signer);
  const turn = newTurn(venue, atMs);
  for (const oid of [...(account?.openOids ?? [])]) {
    const order = venue.orders.get(oid);
    if (order !== undefined) endOrder(turn, order, status);
  }
  return [...events, ...turn.events];
}

/** Changes a rule of a market. A delisting ends all its orders; positions stay, although the exchange would settle them. */
function changeMarket(venue: Venue, { coin, rule, atMs }: Extract<JournalEntry, { kind: "market" }>): VenueEvent[] {
  const events = advance(venue, atMs);
  const market = venue.markets.get(venue.assetOfCoin.get(coin) ?? -1);
  if (market?.kind !== "perp") throw new Error(`bug: no perpetual ${coin}`);
  if ("sizeDecimals" in rule) market.szDecimals = rule.sizeDecimals;
  else market.isDelisted = rule.isDelisted;
  const turn = newTurn(venue, atMs);
  const ended = market.isDelisted ? [...venue.orders.values()].filter(({ asset }) => asset === market.asset) : [];
  for (const order of ended) if (venue.orders.has(order.oid)) endOrder(turn, order, "delistedCanceled");
  return [...events, ...turn.events];
}

function grant(venue: Venue): Parameters<typeof fund>[2] {
  const dexes: Record<string, bigint> = {};
  for (const dex of venue.dexes) if (dex.index > 0) dexes[dex.name] = USDC_GRANT;
  const spot: Record<string, bigint> = {};
  for (const token of venue.tokens.values()) spot[token.name] = token.index === 0 ? USDC_GRANT : TOKEN_GRANT;
  return { perp: USDC_GRANT, dexes, spot };
}
