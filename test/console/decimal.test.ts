import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  add,
  compare,
  cut,
  cutToFigures,
  divide,
  isZero,
  multiply,
  subtract,
} from "../../src/console/figures/decimal.ts";

/** Whole numbers of 10^-6, as text. */
const decimal = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }).map(text);

function text(millionths: bigint): string {
  const digits = (millionths < 0n ? -millionths : millionths).toString().padStart(7, "0");
  return `${millionths < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function millionths(value: string): bigint {
  const [whole = "", fraction = ""] = value.replace("-", "").split(".");
  const units = BigInt(whole + fraction.padEnd(6, "0"));
  return value.startsWith("-") ? -units : units;
}

test("sums and differences are exact, however large and however small", () => {
  fc.assert(
    fc.property(decimal, decimal, (one, other) => {
      expect(millionths(add(one, other))).toBe(millionths(one) + millionths(other));
      expect(millionths(subtract(one, other))).toBe(millionths(one) - millionths(other));
      expect(subtract(add(one, other), other)).toBe(add(one, "0"));
    }),
  );
  expect(add("0.1", "0.2")).toBe("0.3");
  expect(add("99999999999999999.99", "0.000001")).toBe("99999999999999999.990001");
});

test("products are exact, and quotients are cut, never rounded up", () => {
  fc.assert(
    fc.property(decimal, decimal, (one, other) => {
      const product = multiply(one, other);
      if (!isZero(other)) expect(compare(divide(product, other, 6) ?? "", add(one, "0"))).toBe(0);
    }),
  );
  expect(divide("2", "3", 4)).toBe("0.6666");
  expect(divide("1", "0", 4)).toBeNull();
});

test("order is the order of the numbers", () => {
  expect([compare("2", "10"), compare("-2", "-10"), compare("1.0", "1")]).toEqual([-1, 1, 0]);
});

test.each([
  ["1234.5678", 2, "1234.56"],
  ["-0.009", 2, "0"],
  ["0.100", 5, "0.1"],
])("%s cut to %d decimals is %s", (value, decimals, expected) => {
  expect(cut(value, decimals)).toBe(expected);
});

test.each([
  ["75953.2444", 5, 1, "75953"],
  ["0.0012345678", 5, 8, "0.0012345"],
  ["2560.987", 5, 2, "2560.9"],
  ["123456.7", 5, 1, "123456"],
])("%s with %d figures and %d decimals is %s", (value, figures, decimals, expected) => {
  expect(cutToFigures(value, figures, decimals)).toBe(expected);
});
