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
