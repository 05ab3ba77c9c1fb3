/** Whoever made what: all lines together are just the account's, to the last digit. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { add, type Decimal, decimal, fromUnits, multiply, negate, subtract, ZERO } from "../../src/core/decimal.ts";
import {
  book,
  type HeldBy,
  type Line,
  NOBODY,
  type OwnedFill,
  type PaidFunding,
  unrealizedPnl,
} from "../../src/core/performance.ts";

const MARKETS = ["BTC", "ETH", "@107"] as const;
const KEYS = ["plain", "bot-1", "bot-2", NOBODY] as const;

type Step =
  | {
      kind: "fill";
      market: (typeof MARKETS)[number];
      keyHash: string;
      isBuy: boolean;
      size: number;
      price: number;
      fee: number;
    }
  | { kind: "funding"; market: "BTC" | "ETH"; amount: number }
  /** Something that no fill tells: a gap, or a deposit of a token. */
  | { kind: "moved"; market: (typeof MARKETS)[number]; by: number };

function digits(value: number, decimals: number): Decimal {
  return fromUnits(BigInt(value), decimals);
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("fill" as const),
      market: fc.constantFrom(...MARKETS),
      keyHash: fc.constantFrom(...KEYS),
      isBuy: fc.boolean(),
      size: fc.integer({ min: 1, max: 5_000 }),
      price: fc.integer({ min: 1, max: 9_999_999 }),
      fee: fc.integer({ min: -50, max: 5_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("funding" as const),
      market: fc.constantFrom("BTC" as const, "ETH" as const),
      amount: fc.integer({ min: -999_999, max: 999_999 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("moved" as const),
      market: fc.constantFrom(...MARKETS),
      by: fc.integer({ min: -3_000, max: 3_000 }),
    }),
  },
);

/** The account as the exchange keeps it: money that went and came, and what is held. */
function played(steps: readonly Step[]) {
  const positions = new Map<string, Decimal>();
  const at = (market: string) => positions.get(market) ?? ZERO;
  const fills: OwnedFill[] = [];
  const payments: PaidFunding[] = [];
  let [cash, fees, funding] = [ZERO, ZERO, ZERO];
  steps.forEach((one, nth) => {
    const timeMs = Math.floor(nth / 3) * 40_000_000;
    if (one.kind === "moved") positions.set(one.market, add(at(one.market), digits(one.by, 3)));
    if (one.kind === "funding") {
      const amount = digits(one.amount, 6);
      // Funding of a moment comes before its fills.
      payments.push({ timeMs: timeMs + 1, market: one.market, amount, position: at(one.market) });
      funding = add(funding, amount);
    }
    if (one.kind !== "fill") return;
    const { market, keyHash } = one;
    const [size, price, fee] = [digits(one.size, 3), digits(one.price, 2), digits(one.fee, 4)];
    const isInKind = market === "@107" && one.isBuy;
    const names = { timeMs: timeMs + 2, market, keyHash, side: one.isBuy ? "buy" : "sell" } as const;
    const told = { price, size, fee, feeToken: isInKind ? "TOKEN" : "USDC", builderFee: null };
    fills.push({ ...names, ...told, startPosition: at(market) });
    const signed = one.isBuy ? size : negate(size);
    positions.set(market, subtract(add(at(market), signed), isInKind ? fee : ZERO));
    cash = subtract(cash, multiply(signed, price));
    fees = add(fees, isInKind ? multiply(fee, price) : fee);
    if (isInKind) cash = add(cash, multiply(fee, price));
  });
  return { fills, payments, cash, fees, funding, positions };
}

function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce(add, ZERO);
}

/** In as many pieces as whoever keeps the books makes of it. */
function bookedIn(
  pieces: readonly number[],
  { fills, payments }: Pick<ReturnType<typeof played>, "fills" | "payments">,
) {
  const held = new Map<string, HeldBy>();
  const lines: Line[] = [];
  const ends = [...new Set(pieces.map((nth) => fills[nth % Math.max(1, fills.length)]?.timeMs ?? 0))].sort(
    (a, b) => a - b,
  );
  let from = -1;
  for (const to of [...ends, Number.MAX_SAFE_INTEGER]) {
    const isIn = ({ timeMs }: { timeMs: number }) => timeMs > from && timeMs <= to;
    const booked = book([...held.values()], { fills: fills.filter(isIn), payments: payments.filter(isIn) });
    for (const each of booked.held) held.set(`${each.market} ${each.keyHash}`, each);
    lines.push(...booked.lines);
    from = to;
  }
  return { held: [...held.values()], lines };
}

const MARKS: Record<string, Decimal> = { BTC: decimal("64250.5"), ETH: decimal("3000.25"), "@107": decimal("37.829") };

test("fees, funding and realised plus unrealised at one mark add up to the account's, whatever happened and however it is cut", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 4 }), (steps, pieces) => {
      // What moved without a fill brought no money: it is left out of the sum, and has a test of its own.
      const traded = played(steps.filter(({ kind }) => kind !== "moved"));
      const { held, lines } = bookedIn(pieces, traded);
      expect(sumOf(lines.map(({ fees }) => fees))).toBe(traded.fees);
      expect(sumOf(lines.map(({ funding }) => funding))).toBe(traded.funding);
      const realized = sumOf(lines.map(({ realizedPnl }) => realizedPnl));
      const open = sumOf(held.map((each) => unrealizedPnl(each, MARKS[each.market] ?? ZERO)));
      const worth = sumOf([...traded.positions].map(([market, size]) => multiply(size, MARKS[market] ?? ZERO)));
      expect(add(realized, open)).toBe(add(traded.cash, worth));
    }),
    { numRuns: 300 },
  );
});

test("the keys and nobody together hold what the account holds after its last fill, gaps or not", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { fills, payments } = played(steps);
      const { held } = bookedIn([], { fills, payments });
      for (const market of MARKETS) {
        const last = fills.findLast((fill) => fill.market === market);
        if (last === undefined) continue;
        const signed = last.side === "buy" ? last.size : negate(last.size);
        const inKind = last.feeToken === "TOKEN" ? last.fee : ZERO;
        const own = held.filter((each) => each.market === market).map(({ size }) => size);
        expect(sumOf(own)).toBe(subtract(add(last.startPosition, signed), inKind));
      }
    }),
    { numRuns: 200 },
  );
});

type Some = Partial<Omit<OwnedFill, "price" | "size" | "fee">> & { price: string; size: string; start?: string };

function fillOf(some: Some): OwnedFill {
  const { price, size, start = "0", ...rest } = some;
  const names = { timeMs: 1, market: "BTC", keyHash: "k", side: "buy", feeToken: "USDC", builderFee: null } as const;
  const figures = { price: decimal(price), size: decimal(size), fee: ZERO };
  return { ...names, ...figures, startPosition: decimal(start), ...rest };
}

test("profit is at average cost: a part that closes realises its part, a turn realises all and begins anew", () => {
  const { held, lines } = book([], {
    fills: [
      fillOf({ price: "100", size: "1" }),
      fillOf({ price: "200", size: "1", start: "1", timeMs: 2 }),
      fillOf({ price: "180", size: "0.5", start: "2", side: "sell", timeMs: 3 }),
      fillOf({ price: "120", size: "2.5", start: "1.5", side: "sell", timeMs: 4 }),
    ],
    payments: [],
  });
  expect(lines).toMatchObject([{ fills: 4, volume: "690", realizedPnl: "-30" }]);
  expect(held).toMatchObject([{ size: "-1", cost: "-120" }]);
});

test("funding is shared by own net at its time, also where two are on opposite sides; what no key holds is nobody's", () => {
  const before = [
    { market: "BTC", keyHash: "long", size: decimal("3"), cost: decimal("300") },
    { market: "BTC", keyHash: "short", size: decimal("-1"), cost: decimal("-100") },
  ];
  const share = (position: string, amount: string): Record<string, string> =>
    Object.fromEntries(
      book(before, {
        fills: [fillOf({ price: "1", size: "9", start: position, keyHash: "late" })],
        payments: [{ timeMs: 1, market: "BTC", amount: decimal(amount), position: decimal(position) }],
      }).lines.flatMap(({ keyHash, funding }) => (funding === "0" ? [] : [[keyHash, funding]])),
    );
  expect(share("2", "-2")).toEqual({ long: "-3", short: "1" });
  expect(share("4", "-2")).toEqual({ long: "-1.5", short: "0.5", [NOBODY]: "-1" });
  expect(share("0", "-2")).toEqual({ [NOBODY]: "-2" });
  const thirds = [1, 2, 3].map((nth) => ({
    market: "BTC",
    keyHash: `k${nth}`,
    size: decimal("1"),
    cost: decimal("1"),
  }));
  const { lines } = book(thirds, {
    fills: [],
    payments: [{ timeMs: 1, market: "BTC", amount: decimal("-1"), position: decimal("3") }],
  });
  expect(lines.map(({ keyHash, funding }) => [keyHash, funding])).toEqual([
    ["k1", "-0.33333334"],
    ["k2", "-0.33333333"],
    ["k3", "-0.33333333"],
  ]);
});

test("fills of one moment are booked in the order in which they follow on one another", () => {
  const { held, lines } = book([], {
    fills: [fillOf({ price: "100", size: "1", start: "1", side: "sell" }), fillOf({ price: "90", size: "1" })],
    payments: [],
  });
  expect(lines).toMatchObject([{ fills: 2, realizedPnl: "10" }]);
  expect(held).toMatchObject([{ keyHash: "k", size: "0", cost: "0" }]);
});

test("of one moment that begins with something nobody knows of, whatever comes first is what follows on none of the others", () => {
  const fills = [
    fillOf({ price: "90", size: "2", start: "11", side: "sell" }),
    fillOf({ price: "100", size: "1", start: "10" }),
    fillOf({ price: "80", size: "4", start: "9", side: "sell" }),
  ];
  const { held, lines } = book([], { fills, payments: [] });
  expect(held).toMatchObject([
    { keyHash: NOBODY, size: "10", cost: "1000" },
    { keyHash: "k", size: "-5", cost: "-410" },
  ]);
  expect(lines.find(({ keyHash }) => keyHash === "k")).toMatchObject({ fills: 3, realizedPnl: "-10" });
});
