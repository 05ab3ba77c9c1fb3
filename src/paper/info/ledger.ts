/** userNonFundingLedgerUpdates, userFunding, fundingHistory, predictedFundings. */
import type { LedgerDelta, LedgerRow, VenueFundingPayment } from "../engine/state.ts";
import { address, optional, required, text, u64 } from "../exchange/decode.ts";
import { perpContext } from "./asset-contexts.ts";
import { marketOf } from "./books.ts";
import { perps } from "./markets.ts";
import { numberText, ratioText, usdText } from "./number-format.ts";
import { accountOf, infoRequest } from "./request.ts";

/** Rows of one answer. */
const MAX_ROWS = 500;
const RATE_DECIMALS = 10;

const Range = { user: required(address), startTime: optional(u64), endTime: optional(u64) };

export const userNonFundingLedgerUpdates = infoRequest(Range, (context, { user, startTime, endTime }) =>
  within(accountOf(context, user)?.ledger ?? [], startTime, endTime).map(ledgerRow),
);

export const userFunding = infoRequest(Range, (context, { user, startTime, endTime }) =>
  within(accountOf(context, user)?.fundings ?? [], startTime, endTime).map(fundingRow),
);

export const fundingHistory = infoRequest(
  { coin: required(text), startTime: required(u64), endTime: optional(u64) },
  ({ venue }, { coin, startTime, endTime }) => {
    const market = marketOf(venue, coin);
    if (market === null || market.kind !== "perp") return null;
    return within(market.fundingHistory, startTime, endTime).map((row) => ({
      coin,
      fundingRate: ratioText(row.fundingRateE12, RATE_DECIMALS),
      premium: ratioText(row.premiumE12, RATE_DECIMALS),
      time: row.timeMs,
    }));
  },
);

/** Other exchanges, which the real answer compares with, are not known here. */
export const predictedFundings = infoRequest({}, ({ venue }) =>
  perps(venue)
    .filter((perp) => perp.dex === 0)
    .map((perp) => {
      const fundingRate = perpContext(venue, perp)["funding"];
      return [perp.coin, [["HlPerp", { fundingRate, nextFundingTime: venue.nextFundingMs, fundingIntervalHours: 1 }]]];
    }),
);

/** Oldest first, the oldest of the range when there are too many. */
function within<T extends { readonly timeMs: number }>(
  rows: readonly T[],
  startMs: bigint | undefined,
  endMs: bigint | undefined,
): T[] {
  return rows
    .filter(({ timeMs }) => timeMs >= (startMs ?? 0n) && (endMs === undefined || timeMs <= endMs))
    .slice(0, MAX_ROWS);
}

export function fundingRow(payment: VenueFundingPayment): unknown {
  return {
    time: payment.timeMs,
    hash: payment.hash,
    delta: { type: "funding", ...fundingDelta(payment), nSamples: null },
  };
}

/** `usdc` negative: paid. */
export function fundingDelta(payment: VenueFundingPayment): Record<string, string> {
  return {
    coin: payment.coin,
    usdc: usdText(payment.usdc),
    szi: numberText(payment.size),
    fundingRate: ratioText(payment.fundingRateE12, RATE_DECIMALS),
  };
}

export function ledgerRow({ timeMs, hash, delta }: LedgerRow): unknown {
  return { time: timeMs, hash, delta: deltaRow(delta, timeMs) };
}

function deltaRow(delta: LedgerDelta, timeMs: number): unknown {
  switch (delta.type) {
    case "deposit":
      return { type: delta.type, usdc: usdText(delta.usdc) };
    case "withdraw":
      return { type: delta.type, usdc: usdText(delta.usdc), nonce: delta.nonce, fee: usdText(delta.fee) };
    case "accountClassTransfer":
      return { type: delta.type, usdc: usdText(delta.usdc), toPerp: delta.toPerp };
    case "internalTransfer":
    case "subAccountTransfer":
      return {
        type: delta.type,
        usdc: usdText(delta.usdc),
        user: delta.user,
        destination: delta.destination,
        ...(delta.type === "internalTransfer" ? { fee: usdText(delta.fee) } : {}),
      };
    case "liquidation":
      return {
        type: delta.type,
        liquidatedNtlPos: usdText(delta.liquidatedNotional),
        accountValue: usdText(delta.accountValue),
        leverageType: delta.leverageType,
        liquidatedPositions: delta.liquidatedPositions.map(({ coin, size }) => ({ coin, szi: numberText(size) })),
      };
    case "spotTransfer":
    case "send":
      return tokenTransfer(delta, timeMs);
  }
}

function tokenTransfer(delta: Extract<LedgerDelta, { type: "spotTransfer" | "send" }>, timeMs: number): unknown {
  return {
    type: delta.type,
    user: delta.user,
    destination: delta.destination,
    ...(delta.type === "send" ? { sourceDex: delta.sourceDex, destinationDex: delta.destinationDex } : {}),
    token: delta.token,
    amount: numberText(delta.amount),
    usdcValue: usdText(delta.usdcValue),
    fee: usdText(delta.fee),
    nativeTokenFee: "0.0",
    nonce: timeMs,
    feeToken: "",
  };
}
