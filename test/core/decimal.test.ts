import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  absolute,
  add,
  addTo,
  compare,
  compareExact,
  compareProduct,
  type Decimal,
  decimal,
  decimalPlaces,
  divide,
  exact,
  fromUnits,
  isNegative,
  isZero,
  larger,
  multiply,
  negate,
  parseDecimal,
  plus,
  significantFigures,
  smaller,
  subtract,
  textOf,
  times,
  toUnits,
  truncate,
  ZERO,
} from "../../src/core/decimal.ts";

/** An exact fraction, the other implementation that decimals are held against. */
type Rational = { over: bigint; under: bigint };

/** Reads the text digit by digit: shares no code with the arithmetic under test. */
function rational(text: string): Rational {
  let over = 0n;
  let under = 1n;
  let isAfterPoint = false;
  for (const character of text.replace("-", "")) {
    if (character === ".") {
      isAfterPoint = true;
      continue;
    }
    over = over * 10n + BigInt(character.charCodeAt(0) - 48);
    if (isAfterPoint) under *= 10n;
  }
  return { over: text.startsWith("-") ? -over : over, under };
}

function isEqual(a: Rational, b: Rational): boolean {
  return a.over * b.under === b.over * a.under;
}

function sign(value: bigint): number {
  return value === 0n ? 0 : value < 0n ? -1 : 1;
}

function digits(max: number): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));
}

const plainText = fc
  .tuple(fc.constantFrom("", "-"), digits(20), fc.option(digits(18), { nil: null }))
  .map(([minus, whole, fraction]) => `${minus}${whole}${fraction === null ? "" : `.${fraction}`}`);
const decimals = plainText.map((text) => decimal(text));

const CANONICAL = /^(0|-?(0|[1-9][0-9]*)\.[0-9]*[1-9]|-?[1-9][0-9]*)$/;

test("every plain text has one canonical form of the same value", () => {
  fc.assert(
    fc.property(plainText, (text) => {
      const parsed = decimal(text);
      expect(parsed).toMatch(CANONICAL);
      expect(isEqual(rational(parsed), rational(text))).toBe(true);
      expect(decimal(parsed)).toBe(parsed);
    }),
  );
});

test("two texts have the same canonical form exactly when they have the same value", () => {
  fc.assert(
    fc.property(plainText, plainText, fc.boolean(), (a, b, padded) => {
      const other = padded ? `${a.includes(".") ? a : `${a}.`}00` : b;
      expect(decimal(a) === decimal(other)).toBe(isEqual(rational(a), rational(other)));
    }),
  );
});

test.each([
  ["1.50", "1.5"],
  ["0025", "25"],
  ["-0", "0"],
  ["-0.000", "0"],
  ["7.", "7"],
  ["000", "0"],
  ["100", "100"],
])("%s is read as %s", (text, canonical) => {
  expect(parseDecimal(text)).toBe(canonical as Decimal);
});

test.each(["", "+1", "1e5", ".5", "--1", "NaN", "Infinity", "1,000", " 1", "1 ", "1.2.3", "0x10", "١", "1\n", "-"])(
  "%j is no plain decimal",
  (text) => {
    expect(parseDecimal(text)).toBeNull();
    expect(() => decimal(text)).toThrow("bug: not a plain decimal");
  },
);

test("text of 80 characters is a number and of 81 is none", () => {
  expect(parseDecimal("1".repeat(80))).toBe("1".repeat(80) as Decimal);
  expect(parseDecimal("1".repeat(81))).toBeNull();
});

test("sums, differences, products and comparisons are exact", () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      const [left, right] = [rational(a), rational(b)];
      const under = left.under * right.under;
      const crossed = left.over * right.under;
      const other = right.over * left.under;
      expect(isEqual(rational(add(a, b)), { over: crossed + other, under })).toBe(true);
      expect(isEqual(rational(subtract(a, b)), { over: crossed - other, under })).toBe(true);
      expect(isEqual(rational(multiply(a, b)), { over: left.over * right.over, under })).toBe(true);
      expect(compare(a, b)).toBe(sign(crossed - other) as -1 | 0 | 1);
      for (const limit of [a, b, multiply(a, b), ZERO])
        expect(compareProduct(a, b, limit)).toBe(compare(multiply(a, b), limit));
      for (const result of [add(a, b), subtract(a, b), multiply(a, b)]) expect(result).toMatch(CANONICAL);
    }),
  );
});

test("a running total is the sum, and what is worked out of it next is as exact", () => {
  fc.assert(
    fc.property(decimals, decimals, decimals, (a, b, c) => {
      const total = addTo(a, b);
      expect(total).toBe(add(a, b));
      expect(addTo(total, c)).toBe(add(add(a, b), c));
      const isLikeText = compareExact(exact(total), {
        units: BigInt(total.replace(".", "")),
        scale: decimalPlaces(total),
      });
      expect(isLikeText).toBe(0);
      expect(toUnits(total, decimalPlaces(total))).toBe(BigInt(total.replace(".", "")));
    }),
  );
});

test("a calculation that writes nothing out on its way comes to the same, to the digit", () => {
  fc.assert(
    fc.property(decimals, decimals, decimals, (a, b, c) => {
      const product = times(exact(a), exact(b));
      const all = plus(product, exact(c));
      expect(textOf(product)).toBe(multiply(a, b));
      expect(textOf(all)).toBe(add(multiply(a, b), c));
      expect(textOf(times(all, exact(c)))).toBe(multiply(add(multiply(a, b), c), c));
      expect(compareExact(all, exact(c))).toBe(compare(add(multiply(a, b), c), c));
      expect(compareExact(all, plus(exact(c), product))).toBe(0);
    }),
  );
});

test("a quotient is cut toward zero, never rounded", () => {
  fc.assert(
    fc.property(decimals, decimals, fc.integer({ min: 0, max: 12 }), (a, b, places) => {
      fc.pre(b !== ZERO);
      const [left, right] = [rational(a), rational(b)];
      const over = left.over * right.under * 10n ** BigInt(places);
      const under = left.under * right.over;
      expect(divide(a, b, places)).toBe(fromUnits(over / under, places));
    }),
  );
  expect(divide(decimal("2"), decimal("3"), 8)).toBe(decimal("0.66666666"));
  expect(divide(decimal("-2"), decimal("3"), 8)).toBe(decimal("-0.66666666"));
  expect(() => divide(decimal("1"), ZERO, 8)).toThrow("bug: division by zero");
});

test("units and decimals turn into each other, and finer digits are cut off", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 18 }), (units, scale) => {
      const value = fromUnits(units, scale);
      expect(value).toMatch(CANONICAL);
      expect(isEqual(rational(value), { over: units, under: 10n ** BigInt(scale) })).toBe(true);
      expect(toUnits(value, scale)).toBe(units);
      expect(toUnits(value, scale + 3)).toBe(units * 1_000n);
    }),
  );
  expect(toUnits(decimal("-1.999"), 2)).toBe(-199n);
  expect(truncate(decimal("1.999"), 2)).toBe(decimal("1.99"));
});

test("a count is written out to its last digit on both sides of what the runtime's own numbers hold", () => {
  const last = BigInt(Number.MAX_SAFE_INTEGER);
  for (const units of [last - 1n, last, last + 1n, last + 2n, last * 1_000n + 1n])
    for (const sign of [1n, -1n]) {
      const digits = units.toString();
      const written = `${digits.slice(0, -8)}.${digits.slice(-8)}`;
      expect(fromUnits(sign * units, 8)).toBe(decimal(sign < 0n ? `-${written}` : written));
    }
});

test("signs, magnitudes and extremes agree with comparison", () => {
  fc.assert(
    fc.property(decimals, decimals, (a, b) => {
      expect(negate(negate(a))).toBe(a);
      expect(add(a, negate(a))).toBe(ZERO);
      expect(isNegative(a)).toBe(compare(a, ZERO) < 0);
      expect(isZero(a)).toBe(compare(a, ZERO) === 0);
      expect(absolute(a)).toBe(isNegative(a) ? negate(a) : a);
      expect([smaller(a, b), larger(a, b)].toSorted(compare)).toEqual([a, b].toSorted(compare));
      expect(compare(smaller(a, b), larger(a, b))).toBeLessThanOrEqual(0);
    }),
  );
});

test.each([
  ["0", 0, 0],
  ["1200", 0, 2],
  ["0.00120", 4, 2],
  ["-12.5", 1, 3],
  ["100.01", 2, 5],
  ["0.1", 1, 1],
])("%s has %i decimals and %i significant figures", (text, places, figures) => {
  expect(decimalPlaces(decimal(text))).toBe(places);
  expect(significantFigures(decimal(text))).toBe(figures);
});
