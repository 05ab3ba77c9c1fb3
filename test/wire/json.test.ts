import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseJson, writeJson } from "../../src/wire/json.ts";

test("integers outside the safe range come back as they were written", () => {
  expect(parseJson('{"oid":9007199254740993,"n":-9007199254740993,"small":7,"x":1.5}')).toEqual({
    oid: 9007199254740993n,
    n: -9007199254740993n,
    small: 7,
    x: 1.5,
  });
});

test.each<[text: string, value: unknown]>([
  ['{"oid":9007199254740993}', { oid: 9007199254740993n }],
  ["[1,9007199254740993]", [1, 9007199254740993n]],
  ["[9007199254740993]", [9007199254740993n]],
  ["[-9007199254740993]", [-9007199254740993n]],
  [" 9007199254740993", 9007199254740993n],
  ["9007199254740993", 9007199254740993n],
])("the one long integer of %s comes back as it was written", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test("long digits inside texts stay texts", () => {
  expect(parseJson('{"cloid":"0x12345678901234567890123456789012"}')).toEqual({
    cloid: "0x12345678901234567890123456789012",
  });
});

test("what is not JSON is undefined, whatever it is", () => {
  for (const text of [
    "",
    "{",
    "Websocket connection established.",
    "<html>",
    "{1234567890123456789",
    "[".repeat(200_000),
  ]) {
    expect(parseJson(text)).toBeUndefined();
  }
});

test("integers of 64 bits survive writing and reading", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (value) => {
      expect(BigInt(parseJson(writeJson(value)) as bigint)).toBe(value);
    }),
  );
});

test("written text is what JSON.stringify writes, without bigint", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(writeJson(value as Parameters<typeof writeJson>[0])).toBe(JSON.stringify(value));
    }),
  );
});

const digits = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n });
const ids = fc.oneof(
  digits,
  digits.map((value) => -value),
  digits.map(String),
  digits.map((value) => `a:${value},-${value}`),
);
const trees = fc.letrec((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, ids, fc.array(tie("tree")), fc.dictionary(fc.string(), tie("tree"))),
})).tree;

/** The same text with white space wherever JSON allows it. */
function spaced(tree: unknown, space: string): string {
  if (typeof tree === "bigint") return `${space}${tree}${space}`;
  if (Array.isArray(tree)) return `${space}[${tree.map((item) => spaced(item, space)).join(",")}]${space}`;
  if (typeof tree !== "object" || tree === null) return `${space}${JSON.stringify(tree)}${space}`;
  const members = Object.entries(tree).map(
    ([name, member]) => `${JSON.stringify(name)}${space}:${spaced(member, space)}`,
  );
  return `${space}{${members.join(",")}}${space}`;
}

test("integers outside the safe range are found wherever they stand, and texts of digits stay texts", () => {
  fc.assert(
    fc.property(trees, fc.constantFrom("", " ", "\n\t"), (tree, space) => {
      expect(parseJson(spaced(tree, space))).toEqual(tree);
      expect(writeJson(tree as Parameters<typeof writeJson>[0])).toBe(spaced(tree, ""));
    }),
  );
});
