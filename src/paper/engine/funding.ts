/** Hourly funding between longs and shorts, from the premium of the book over the oracle. */
import { addCash, addTo, collateralOf } from "./accounts.ts";
import { bookOf, impactPrice } from "./book.ts";
import type { PerpMarket, Venue, VenueAccount, VenuePosition } from "./state.ts";
import type { Turn } from "./turn.ts";
import { markChanged } from "./turn.ts";
import { cut, dollars, most, ONE_E12, times } from "./units.ts";

/** Per 8 hours, in 10^-12: 0.01 % interest, and how far the premium moves it. */
const INTEREST_E12 = 100_000_000n;
const CLAMP_E12 = 500_000_000n;
const HOURS_PER_RATE = 8n;
/** Highest rate of one hour: 4 %. */
const CAP_E12 = 40_000_000_000n;
const MAX_FUNDING_ROWS = 5_000;
const MAX_FUNDING_PAYMENTS = 10_000;
const USD_DECIMALS = 6;
const MAJOR_IMPACT_USD = 20_000;
const OTHER_IMPACT_USD = 6_000;
const MAJORS: ReadonlySet<string> = new Set(["BTC", "ETH"]);

export type ImpactPrices = { bid: bigint; ask: bigint };

/** Average prices at which the impact notional would trade, or null when a side is too thin. */
export function impactPrices(venue: Venue, market: PerpMarket): ImpactPrices | null {
  const book = bookOf(venue, market.asset);
  const notional = dollars(MAJORS.has(market.coin) ? MAJOR_IMPACT_USD : OTHER_IMPACT_USD);
  const bid = impactPrice(venue, book.bids, notional);
  const ask = impactPrice(venue, book.asks, notional);
  return bid === null || ask === null ? null : { bid, ask };
}

/** (max(impact bid - oracle, 0) - max(oracle - impact ask, 0)) / oracle; on HIP-3 the middle over the oracle. */
export function premiumE12(venue: Venue, market: PerpMarket): bigint {
  const impact = impactPrices(venue, market);
  const oracle = market.oraclePrice;
  if (impact === null || oracle === 0n) return 0n;
  if (market.dex !== 0) return (((impact.bid + impact.ask) / 2n - oracle) * ONE_E12) / oracle;
  return ((most(impact.bid - oracle, 0n) - most(oracle - impact.ask, 0n)) * ONE_E12) / oracle;
}

/** Adds `count` samples at the book as it stands: nothing can move it between two steps of the venue. */
export function samplePremiums(venue: Venue, count: number): void {
  for (const market of venue.markets.values()) {
    if (market.kind !== "perp") continue;
    market.premiumSumE12 += premiumE12(venue, market) * BigInt(count);
    market.premiumSamples += count;
  }
}

export function averagePremiumE12(market: PerpMarket): bigint {
  return market.premiumSamples === 0 ? 0n : market.premiumSumE12 / BigInt(market.premiumSamples);
}

/** One hour's rate: an eighth of (premium + clamp(interest - premium)). */
export function hourlyRateE12(averagePremium: bigint): bigint {
  const pull = clamp(INTEREST_E12 - averagePremium, CLAMP_E12);
  return clamp((averagePremium + pull) / HOURS_PER_RATE, CAP_E12);
}

function clamp(value: bigint, bound: bigint): bigint {
  if (value > bound) return bound;
  return value < -bound ? -bound : value;
}

export function payFunding(turn: Turn): void {
  const { venue } = turn;
  for (const market of venue.markets.values()) {
    if (market.kind !== "perp") continue;
    const premium = averagePremiumE12(market);
    const rate = hourlyRateE12(premium);
    market.premiumSumE12 = 0n;
    market.premiumSamples = 0;
    market.fundingHistory.push({ fundingRateE12: rate, premiumE12: premium, timeMs: turn.nowMs });
    if (market.fundingHistory.length > MAX_FUNDING_ROWS) market.fundingHistory.shift();
    for (const account of venue.accounts.values()) {
      const position = account.positions.get(market.asset);
      if (position !== undefined) payOne(turn, account, market, { position, rate });
    }
  }
}

/** Longs pay a positive rate. What does not balance to zero for the cut to micro-dollars stays in the pool. */
function payOne(
  turn: Turn,
  account: VenueAccount,
  market: PerpMarket,
  due: { position: VenuePosition; rate: bigint },
): void {
  const { position, rate } = due;
  const paid = cut((times(position.size, market.oraclePrice) * rate) / ONE_E12, USD_DECIMALS);
  if (position.isCross) addCash(turn.venue, account, market.dex, -paid);
  else position.isolatedMargin -= paid;
  addTo(turn.venue.pools.fundingResidue, collateralOf(turn.venue, market.dex), paid);
  addTo(account.fundingPaid, market.asset, paid);
  position.funding.allTime += paid;
  position.funding.sinceOpen += paid;
  position.funding.sinceChange += paid;
  const payment = {
    timeMs: turn.nowMs,
    hash: turn.hash,
    coin: market.coin,
    usdc: -paid,
    size: position.size,
    fundingRateE12: rate,
  };
  account.fundings.push(payment);
  if (account.fundings.length > MAX_FUNDING_PAYMENTS) account.fundings.shift();
  turn.events.push({ kind: "funding", user: account.address, payment });
  markChanged(turn, account.address, market.asset);
}
