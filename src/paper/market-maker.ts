/**
 * Two accounts of the house: one quotes a moving book in every market, so that a marketable order fills; the
 * other takes a little of it now and then, so that there are trades. Both act through the engine like anybody.
 */
import type { Decimal } from "../core/decimal.ts";
import { fromUnits } from "../core/decimal.ts";
import { type ChanceState, nextChance, startChance } from "./chance.ts";
import type { L1Action, OrderRequest } from "./engine/action.ts";
import type { VenueEvent } from "./engine/event.ts";
import type { Address, Venue, VenueMarket } from "./engine/state.ts";
import { applyAction, fund, setMarkPrice, setOraclePrice } from "./engine/venue.ts";
import { type PriceSource, tickAt, tickedPrice, walked } from "./prices.ts";

export const MAKER: Address = `0x${"a11ce".padStart(40, "0")}`;
export const TAKER: Address = `0x${"b0b".padStart(40, "0")}`;

/** Levels a side. */
const LEVELS = 6;
/** Dollars at the best level; each further level has this much more. */
const LEVEL_NOTIONAL = 25_000n;
/** Half of the spread, and the distance between levels, in millionths of the price; at least a tick. */
const LEVEL_GAP_PPM = 100n;
const PPM = 1_000_000n;
const ONE = 100_000_000n;
/** Dollars that the house has in every pocket. */
const HOUSE_FUNDS = 1_000_000_000_000n * ONE;
/** Dollars of one taken trade. */
const TAKE_NOTIONAL = 200n;
/** Far above what two accounts of the house can send. */
const HOUSE_REQUESTS = 1_000_000_000_000;

/** What a snapshot keeps of the house beside the venue. */
export type MakerState = {
  chance: ChanceState;
  lastNonce: number;
  startMs: number;
  /** Prices of the listing, to which the walk is pulled back. By coin. */
  anchors: Record<string, bigint>;
  /** Rows of the price file that have been read. */
  rowsRead: number;
};

export function openHouse(venue: Venue, seed: number, nowMs: number): MakerState {
  const anchors: Record<string, bigint> = {};
  for (const market of venue.markets.values()) anchors[market.coin] = market.markPrice;
  const dexes: Record<string, bigint> = {};
  for (const dex of venue.dexes) if (dex.index > 0) dexes[dex.name] = HOUSE_FUNDS;
  const spot: Record<string, bigint> = {};
  for (const token of venue.tokens.values()) spot[token.name] = HOUSE_FUNDS;
  for (const address of [MAKER, TAKER]) {
    fund(venue, address, { perp: HOUSE_FUNDS, dexes, spot });
    const account = venue.accounts.get(address);
    if (account !== undefined) account.requests.reserved = HOUSE_REQUESTS;
  }
  const maker: MakerState = { chance: startChance(seed), lastNonce: 0, startMs: nowMs, anchors, rowsRead: 0 };
  setHouseLeverage(venue, maker, nowMs);
  return maker;
}

/** Leverage 1 everywhere: the house cannot be liquidated by its own prices. */
function setHouseLeverage(venue: Venue, maker: MakerState, nowMs: number): void {
  for (const signer of [MAKER, TAKER]) {
    for (const market of venue.markets.values()) {
      if (market.kind !== "perp" || market.isDelisted) continue;
      const isCross = !market.onlyIsolated && market.marginMode === null;
      act(venue, maker, { type: "updateLeverage", asset: market.asset, isCross, leverage: 1 }, { signer, nowMs });
    }
  }
}

/** One tick: prices move, old quotes go, new ones come, and sometimes somebody takes. */
export function tickHouse(venue: Venue, maker: MakerState, source: PriceSource, nowMs: number): VenueEvent[] {
  const events: VenueEvent[] = [];
  // Theirs only ever grow, so what was used before need not be remembered.
  for (const address of [MAKER, TAKER]) venue.nonces.delete(address);
  for (const [coin, price] of nextPrices(venue, maker, source, nowMs)) {
    events.push(...movePrice(venue, coin, price, nowMs));
  }
  events.push(...requote(venue, maker, nowMs), ...takeSomething(venue, maker, nowMs));
  return events;
}

function nextPrices(venue: Venue, maker: MakerState, source: PriceSource, nowMs: number): Map<string, bigint> {
  const prices = new Map<string, bigint>();
  if (source.kind === "file") {
    const age = nowMs - maker.startMs;
    for (let row = source.rows[maker.rowsRead]; row !== undefined; row = source.rows[maker.rowsRead]) {
      if (row.atMs > age) break;
      if (venue.assetOfCoin.has(row.coin)) prices.set(row.coin, row.price);
      maker.rowsRead += 1;
    }
  }
  if (source.kind === "walk") {
    for (const market of venue.markets.values()) {
      maker.chance = nextChance(maker.chance);
      const at = referencePrice(market);
      prices.set(market.coin, walked(at, maker.anchors[market.coin] ?? at, maker.chance));
    }
  }
  return prices;
}

/** Moves the price around which the house quotes; mark follows with the next quotes. */
export function movePrice(venue: Venue, coin: string, price: bigint, nowMs: number): VenueEvent[] {
  const asset = venue.assetOfCoin.get(coin);
  const isPerp = asset !== undefined && venue.markets.get(asset)?.kind === "perp";
  return isPerp ? setOraclePrice(venue, coin, price, nowMs) : setMarkPrice(venue, coin, price, nowMs);
}

/** Oracle of a perpetual; spot pairs have none, so their mark stands for it. */
export function referencePrice(market: VenueMarket): bigint {
  return market.kind === "perp" ? market.oraclePrice : market.markPrice;
}

/**
 * Takes all quotes away, quotes anew around the oracle and only then moves mark to the middle, so that a
 * trigger that fires finds a book.
 */
export function requote(venue: Venue, maker: MakerState, nowMs: number): VenueEvent[] {
  const by = { signer: MAKER, nowMs };
  const events: VenueEvent[] = [];
  const cancels = openCancels(venue);
  if (cancels.length > 0) events.push(...act(venue, maker, { type: "cancel", cancels, f: false }, by));
  for (const market of venue.markets.values()) {
    if (market.kind === "perp" && market.isDelisted) continue;
    const center = tickedPrice(market, referencePrice(market));
    const orders = quotes(market, center);
    events.push(...act(venue, maker, { type: "order", orders, grouping: "na", builder: null }, by));
    events.push(...setMarkPrice(venue, market.coin, center, nowMs));
  }
  return events;
}

function openCancels(venue: Venue): { a: number; o: number }[] {
  return [...(venue.accounts.get(MAKER)?.openOids ?? [])].flatMap((oid) => {
    const order = venue.orders.get(oid);
    return order === undefined ? [] : [{ a: order.asset, o: oid }];
  });
}

/** Gtc, so that a resting order through which the price has moved is filled. */
function quotes(market: VenueMarket, center: bigint): OrderRequest[] {
  const tick = tickAt(market, center);
  const byPrice = (center * LEVEL_GAP_PPM) / PPM;
  const gap = byPrice > tick ? byPrice - (byPrice % tick) : tick;
  const orders: OrderRequest[] = [];
  for (let level = 1n; level <= LEVELS; level += 1n) {
    const size = lots(market, (LEVEL_NOTIONAL * level * ONE * ONE) / center);
    orders.push(quote(market, { isBuy: true, price: tickedPrice(market, center - gap * level), size }));
    orders.push(quote(market, { isBuy: false, price: tickedPrice(market, center + gap * level), size }));
  }
  return orders.filter(({ s, p }) => s !== "0" && p !== "0");
}

type Quote = { readonly isBuy: boolean; readonly price: bigint; readonly size: bigint };

function quote(market: VenueMarket, { isBuy, price, size }: Quote): OrderRequest {
  return {
    a: market.asset,
    b: isBuy,
    p: plain(price),
    s: plain(size),
    r: false,
    t: { limit: { tif: "Gtc" } },
    c: null,
  };
}

function plain(value: bigint): Decimal {
  return fromUnits(value, 8);
}

function lots(market: VenueMarket, size: bigint): bigint {
  const lot = 10n ** BigInt(8 - market.szDecimals);
  return size - (size % lot);
}

/** One market a tick, either side, a few hundred dollars. */
function takeSomething(venue: Venue, maker: MakerState, nowMs: number): VenueEvent[] {
  maker.chance = nextChance(maker.chance);
  const markets = [...venue.markets.values()].filter((market) => market.kind === "spot" || !market.isDelisted);
  const market = markets[maker.chance % markets.length];
  if (market === undefined) return [];
  maker.chance = nextChance(maker.chance);
  const isBuy = maker.chance % 2 === 0;
  const book = venue.books.get(market.asset);
  const best = (isBuy ? book?.asks[0] : book?.bids[0])?.price;
  if (best === undefined) return [];
  const notional = TAKE_NOTIONAL * BigInt(1 + (maker.chance % 8)) * ONE * ONE;
  const taken = quote(market, { isBuy, price: best, size: lots(market, notional / best) });
  const orders: OrderRequest[] = [{ ...taken, t: { limit: { tif: "Ioc" } } }];
  if (taken.s === "0") return [];
  return act(venue, maker, { type: "order", orders, grouping: "na", builder: null }, { signer: TAKER, nowMs });
}

type By = { readonly signer: Address; readonly nowMs: number };

function act(venue: Venue, maker: MakerState, action: L1Action, { signer, nowMs }: By): VenueEvent[] {
  maker.lastNonce = Math.max(maker.lastNonce + 1, nowMs);
  const input = { action, signer, vaultAddress: null, nonce: maker.lastNonce, expiresAfter: null, nowMs };
  return applyAction(venue, input).events;
}
