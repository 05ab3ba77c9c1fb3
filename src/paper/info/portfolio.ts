import { cashOf } from "../engine/accounts.ts";
import { marginUsed, unrealizedPnl } from "../engine/margin.ts";
import type { Venue, VenueAccount } from "../engine/state.ts";
import { address, required } from "../exchange/decode.ts";
import { usdText } from "./number-format.ts";
import { accountOf, infoRequest } from "./request.ts";

const PERIODS = ["day", "week", "month", "allTime", "perpDay", "perpWeek", "perpMonth", "perpAllTime"] as const;
const E8 = 100_000_000n;

/**
 * The exchange samples value and gain over each period. Nothing is sampled here: a period begins with the
 * money paid in and ends now.
 */
export const portfolio = infoRequest({ user: required(address) }, (context, { user }) => {
  const account = accountOf(context, user);
  return PERIODS.map((period) => [period, periodOf(context.venue, account, { period, nowMs: context.nowMs })]);
});

type Period = { readonly period: (typeof PERIODS)[number]; readonly nowMs: number };

function periodOf(venue: Venue, account: VenueAccount | null, { period, nowMs }: Period): unknown {
  if (account === null) return { accountValueHistory: [], pnlHistory: [], vlm: "0.0" };
  const perps = perpValue(venue, account);
  const value = period.startsWith("perp") ? perps : perps + spotValue(venue, account);
  return {
    accountValueHistory: [[nowMs, usdText(value)]],
    pnlHistory: [[nowMs, usdText(gainOf(venue, account))]],
    vlm: usdText(account.volume),
  };
}

function perpValue(venue: Venue, account: VenueAccount): bigint {
  let value = 0n;
  for (const dex of venue.dexes) {
    if (account.mode === "default" || account.mode === "disabled") value += cashOf(venue, account, dex.index);
  }
  for (const position of account.positions.values()) {
    const market = venue.markets.get(position.asset);
    if (market?.kind !== "perp") continue;
    value += position.isCross ? unrealizedPnl(market, position) : marginUsed(market, position);
  }
  return value;
}

/** Tokens at the mark price of their USDC pair. */
function spotValue(venue: Venue, account: VenueAccount): bigint {
  let value = account.spot.get(0)?.total ?? 0n;
  for (const market of venue.markets.values()) {
    if (market.kind !== "spot") continue;
    value += ((account.spot.get(market.baseToken)?.total ?? 0n) * market.markPrice) / E8;
  }
  return value;
}

/** Closed and open gains less fees, plus funding. */
function gainOf(venue: Venue, account: VenueAccount): bigint {
  let gain = 0n;
  for (const fill of account.fills) gain += fill.closedPnl - (fill.feeToken === "USDC" ? fill.fee : 0n);
  for (const payment of account.fundings) gain += payment.usdc;
  for (const position of account.positions.values()) {
    const market = venue.markets.get(position.asset);
    if (market?.kind === "perp") gain += unrealizedPnl(market, position);
  }
  return gain;
}
