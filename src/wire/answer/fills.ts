import { compare, type Decimal, ZERO } from "../../core/decimal.ts";
import {
  flag,
  money,
  moneyOrNull,
  nativeId,
  nativeIdOrNull,
  oneOf,
  orNull,
  rowsOf,
  type Source,
  source,
  sourceOf,
  sourceOrNull,
  text,
  textOrNull,
  timeMs,
} from "./read.ts";

export type Fill = {
  coin: string;
  price: Decimal;
  size: Decimal;
  /** "B" bought, "A" sold. */
  side: "B" | "A";
  timeMs: number;
  /** Signed position before this fill. */
  startPosition: Decimal;
  /** `Open Long`, `Close Short`, `Buy`, `Liquidated …`; the exchange's own words. */
  direction: string;
  /** Without fees. */
  closedPnl: Decimal;
  hash: string;
  /** Native order id, decimal digits. */
  oid: string;
  /** True for the taker. */
  crossed: boolean;
  /** Negative is a rebate; includes the builder's part. */
  fee: Decimal;
  feeToken: string;
  /** Null when there was none. */
  builderFee: Decimal | null;
  /** Trade id, decimal digits. "0" for dust conversions; otherwise time, coin and tid together are unique. */
  tid: string;
  cloid: string | null;
  twapId: string | null;
  liquidation: { liquidatedUser: string | null; markPrice: Decimal; method: string } | null;
};

/** Answer of `userFills` (newest first) or `userFillsByTime` (oldest first), at most 2,000 rows; null when unreadable. */
export function parseFills(json: unknown): Fill[] | null {
  return orNull(() => rowsOf(json, (row) => fill(sourceOf(row))));
}

/** Answer of `userTwapSliceFills`: fills, each with the TWAP it belongs to; null when unreadable. */
export function parseTwapSliceFills(json: unknown): Fill[] | null {
  return orNull(() => rowsOf(json, (row) => twapSliceFill(sourceOf(row))));
}

/** Throws where a member has another shape: only to be called by parsers of this folder. */
export function twapSliceFill(from: Source): Fill {
  return { ...fill(source(from, "fill")), twapId: nativeId(from, "twapId") };
}

/** Throws where a member has another shape: only to be called by parsers of this folder. */
export function fill(from: Source): Fill {
  const { feeToken, tid } = tokenAndTrade(from);
  return {
    coin: text(from, "coin"),
    price: money(from, "px"),
    size: notNegative(money(from, "sz")),
    side: oneOf(from, "side", ["B", "A"]),
    timeMs: timeMs(from, "time"),
    startPosition: money(from, "startPosition"),
    direction: text(from, "dir"),
    closedPnl: money(from, "closedPnl"),
    hash: text(from, "hash"),
    oid: nativeId(from, "oid"),
    crossed: flag(from, "crossed"),
    fee: money(from, "fee"),
    feeToken,
    builderFee: moneyOrNull(from, "builderFee"),
    tid,
    cloid: textOrNull(from, "cloid")?.toLowerCase() ?? null,
    twapId: nativeIdOrNull(from, "twapId"),
    liquidation: liquidation(sourceOrNull(from, "liquidation")),
  };
}

/**
 * Fills of 2023 have neither, and were all paid in USDC. One of the two alone was left out: with another number the same fill would be kept twice,
 * and a fee is told in what it was paid in.
 */
function tokenAndTrade(from: Source): Pick<Fill, "feeToken" | "tid"> {
  const [feeToken, tid] = [textOrNull(from, "feeToken"), nativeIdOrNull(from, "tid")];
  if (feeToken === null && tid === null) return { feeToken: "USDC", tid: "0" };
  return { feeToken: text(from, "feeToken"), tid: nativeId(from, "tid") };
}

/** One below zero would take back what was filled before. */
function notNegative(size: Decimal): Decimal {
  if (compare(size, ZERO) < 0) throw new Error("unreadable: a size below zero");
  return size;
}

function liquidation(from: Source | null): Fill["liquidation"] {
  if (from === null) return null;
  return {
    liquidatedUser: textOrNull(from, "liquidatedUser")?.toLowerCase() ?? null,
    markPrice: money(from, "markPx"),
    method: textOrNull(from, "method") ?? "market",
  };
}
