import { cashOf } from "../engine/accounts.ts";
import {
  entryPrice,
  liquidationPriceE10,
  maintenanceMargin,
  marginUsed,
  positionValue,
  unrealizedPnl,
  withdrawable,
} from "../engine/margin.ts";
import type { PerpMarket, Venue, VenueAccount, VenuePosition } from "../engine/state.ts";
import { address, optional, required, text } from "../exchange/decode.ts";
import { numberText, ratioText, usdText } from "./number-format.ts";
import { dexIndex, infoRequest, SERVER_FAULT } from "./request.ts";

const E10 = 10_000_000_000n;
const RATIO_DECIMALS = 10;

export const clearinghouseState = infoRequest(
  { user: required(address), dex: optional(text) },
  ({ venue, nowMs }, { user, dex }) => {
    const index = dexIndex(venue, dex);
    return index === null ? SERVER_FAULT : clearinghouseOf(venue, { user, dex: index, nowMs });
  },
);

export type ClearinghouseQuestion = { readonly user: string; readonly dex: number; readonly nowMs: number };

/** An unknown user has the same shape, all zero. */
export function clearinghouseOf(venue: Venue, { user, dex, nowMs }: ClearinghouseQuestion): unknown {
  const account = venue.accounts.get(user);
  const positions = account === undefined ? [] : positionsOf(venue, account, dex);
  const cash = account === undefined ? 0n : cashOf(venue, account, dex);
  const cross = summaryOf(
    cash,
    positions.filter(([, position]) => position.isCross),
  );
  const isolated = summaryOf(
    0n,
    positions.filter(([, position]) => !position.isCross),
  );
  return {
    marginSummary: summaryText(addSummaries(cross, isolated)),
    crossMarginSummary: summaryText(cross),
    crossMaintenanceMarginUsed: usdText(crossMaintenance(venue, positions)),
    withdrawable: usdText(account === undefined ? 0n : withdrawable(venue, account, dex)),
    assetPositions: positions.map(([market, position]) => ({
      type: "oneWay",
      // Positions were found in the account, so there is one.
      position: positionRow(venue, account as VenueAccount, market, position),
    })),
    time: nowMs,
  };
}

type Positions = readonly (readonly [PerpMarket, VenuePosition])[];
type Summary = { accountValue: bigint; notional: bigint; rawUsd: bigint; marginUsed: bigint };

function positionsOf(venue: Venue, account: VenueAccount, dex: number): Positions {
  return [...account.positions.values()].flatMap((position) => {
    const market = venue.markets.get(position.asset);
    return market?.kind === "perp" && market.dex === dex && position.size !== 0n ? [[market, position] as const] : [];
  });
}

/** Raw dollars are cash less the entry legs; with the positions at mark they are the account's value. */
function summaryOf(cash: bigint, positions: Positions): Summary {
  const summary: Summary = { accountValue: cash, notional: 0n, rawUsd: cash, marginUsed: 0n };
  for (const [market, position] of positions) {
    summary.accountValue += position.isolatedMargin + unrealizedPnl(market, position);
    summary.notional += positionValue(market, position);
    summary.rawUsd += rawUsd(position);
    summary.marginUsed += marginUsed(market, position);
  }
  return summary;
}

function rawUsd(position: VenuePosition): bigint {
  return position.isolatedMargin - position.signedEntry;
}

function addSummaries(a: Summary, b: Summary): Summary {
  return {
    accountValue: a.accountValue + b.accountValue,
    notional: a.notional + b.notional,
    rawUsd: a.rawUsd + b.rawUsd,
    marginUsed: a.marginUsed + b.marginUsed,
  };
}

function summaryText(summary: Summary): unknown {
  return {
    accountValue: usdText(summary.accountValue),
    totalNtlPos: usdText(summary.notional),
    totalRawUsd: usdText(summary.rawUsd),
    totalMarginUsed: usdText(summary.marginUsed),
  };
}

function crossMaintenance(venue: Venue, positions: Positions): bigint {
  let sum = 0n;
  for (const [market, position] of positions) {
    if (position.isCross) sum += maintenanceMargin(venue, market, positionValue(market, position));
  }
  return sum;
}

function positionRow(venue: Venue, account: VenueAccount, market: PerpMarket, position: VenuePosition): unknown {
  const pnl = unrealizedPnl(market, position);
  const liquidation = liquidationPriceE10(venue, account, position);
  return {
    coin: market.coin,
    szi: numberText(position.size),
    leverage: leverageText(position),
    entryPx: numberText(entryPrice(market, position)),
    positionValue: usdText(positionValue(market, position)),
    unrealizedPnl: usdText(pnl),
    returnOnEquity: ratioText(returnOnEquityE10(position, pnl) * 100n, RATIO_DECIMALS),
    liquidationPx: liquidation === null ? null : ratioText(liquidation * 100n, RATIO_DECIMALS),
    marginUsed: usdText(marginUsed(market, position)),
    maxLeverage: market.maxLeverage,
    cumFunding: {
      allTime: usdText(position.funding.allTime),
      sinceOpen: usdText(position.funding.sinceOpen),
      sinceChange: usdText(position.funding.sinceChange),
    },
  };
}

function leverageText(position: VenuePosition): unknown {
  const { isCross, leverage } = position;
  return isCross
    ? { type: "cross", value: leverage }
    : { type: "isolated", value: leverage, rawUsd: usdText(rawUsd(position)) };
}

/** Gain over the initial margin of the entry notional; rounded to the nearest, as a recorded row shows. */
function returnOnEquityE10(position: VenuePosition, pnl: bigint): bigint {
  const entry = position.signedEntry < 0n ? -position.signedEntry : position.signedEntry;
  if (entry === 0n) return 0n;
  const gain = pnl * E10 * BigInt(position.leverage);
  return (gain + (gain < 0n ? -entry : entry) / 2n) / entry;
}
