/** What the rules of a market make of a price or a size, by `core/market`: what clients of other languages are held against. */
import { type Decimal, decimal, fromUnits, isZero, toUnits, truncate } from "../../src/core/decimal.ts";
import { type Market, roundPrice } from "../../src/core/market.ts";

export type Direction = "up" | "down";
export type What = "price" | "size";
/** Kind of the market, its decimals of a size, what is rounded and which way; null where it would be zero. */
export type GoldenRow = [Market["kind"], number, What, string, Direction, string | null];

export const KINDS = ["perpetual", "spot"] as const satisfies readonly Market["kind"][];

/** Where figures, decimals and decades change. */
const VALUES = [
  "0.000000009",
  "0.00000001",
  "0.0000012345",
  "0.00001",
  "0.00012345678",
  "0.0099999",
  "0.099999",
  "0.99999",
  "0.999995",
  "1",
  "1.00001",
  "1.23456789",
  "9.99994",
  "9.99995",
  "12.34",
  "99.9999",
  "123.456",
  "999.99",
  "1234.56",
  "9999.5",
  "9999.95",
  "12345.0",
  "12345.6",
  "99999",
  "99999.5",
  "100000.1",
  "123456",
  "123456.7",
  "999999.9",
  "1234567890123",
  "1234567890123.000001",
  "007.50",
  "0.10000",
];

export function goldenRows(): GoldenRow[] {
  const decimals = { perpetual: [0, 2, 5], spot: [0, 2, 8] } as const;
  return KINDS.flatMap((kind) =>
    decimals[kind].flatMap((sizeDecimals) =>
      VALUES.flatMap((value) =>
        (["price", "size"] as const).flatMap((what) =>
          (["up", "down"] as const).map((direction): GoldenRow => {
            const rounded = roundedByCore(marketOf(kind, sizeDecimals), what, decimal(value), direction);
            return [kind, sizeDecimals, what, value, direction, rounded];
          }),
        ),
      ),
    ),
  );
}

export function roundedByCore(market: Market, what: What, value: Decimal, direction: Direction): string | null {
  const rounded = what === "price" ? roundPrice(market, value, direction) : roundSize(market, value, direction);
  return isZero(rounded) ? null : rounded;
}

function roundSize({ sizeDecimals }: Market, size: Decimal, direction: Direction): Decimal {
  const below = truncate(size, sizeDecimals);
  if (direction === "down" || below === size) return below;
  return fromUnits(toUnits(below, sizeDecimals) + 1n, sizeDecimals);
}

export function marketOf(kind: Market["kind"], sizeDecimals: number): Market {
  const rest = {
    dex: "",
    assetId: 0,
    maxLeverage: null,
    marginMode: "any",
    isDelisted: false,
    pairName: null,
  } as const;
  return { name: "X", kind, sizeDecimals, ...rest };
}
