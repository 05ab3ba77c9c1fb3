import { expect, test } from "bun:test";
import fc from "fast-check";
import { type CanonicalValue, canonicalJson } from "../../src/core/canonical-json.ts";

test("members are sorted at every depth, and nothing nested is lost", () => {
  const value = { b: [{ z: 1, a: null }], a: { d: "x", c: true } };
  expect(canonicalJson(value)).toBe('{"a":{"c":true,"d":"x"},"b":[{"a":null,"z":1}]}');
});

test("two bodies that differ only inside a nested object differ", () => {
  const body = (kind: string) => ({ market: "BTC", trigger: { kind, market: true, price: "1" } });
  expect(canonicalJson(body("stop_loss"))).not.toBe(canonicalJson(body("take_profit")));
});

test("absent members and members that are undefined are the same, null is not", () => {
  expect(canonicalJson({ a: undefined, b: 1 })).toBe(canonicalJson({ b: 1 }));
  expect(canonicalJson({ a: null, b: 1 })).not.toBe(canonicalJson({ b: 1 }));
});

test("integers of any size keep their digits", () => {
  expect(canonicalJson({ id: 9007199254740993n })).toBe('{"id":9007199254740993}');
});

test("what JSON cannot hold is a bug", () => {
  expect(() => canonicalJson(Number.NaN)).toThrow("bug:");
  expect(() => canonicalJson(Number.POSITIVE_INFINITY)).toThrow("bug:");
  let nested: CanonicalValue = 0;
  for (let depth = 0; depth < 40; depth += 1) nested = [nested];
  expect(() => canonicalJson(nested)).toThrow("bug:");
});

test("the text is JSON of the same value, whatever order its members came in", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, noUnicodeString: false }), (value) => {
      // fast-check's JSON values are exactly these.
      const text = canonicalJson(value as CanonicalValue);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(reversed(value) as CanonicalValue)).toBe(text);
    }),
  );
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
