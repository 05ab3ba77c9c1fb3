import { describe, expect, test } from "bun:test";
import { toHex } from "../../src/wire/hex.ts";
import { encodeMsgpack, type MsgpackValue } from "../../src/wire/msgpack.ts";

// biome-ignore format: a table is read by its columns. Bytes are those of the MessagePack specification.
const INTEGERS: [value: number | bigint, bytes: string][] = [
  [0, "00"], [1, "01"], [127, "7f"],
  [128, "cc80"], [255, "ccff"],
  [256, "cd0100"], [65535, "cdffff"],
  [65536, "ce00010000"], [4294967295, "ceffffffff"],
  [4294967296, "cf0000000100000000"], [91490942, "ce05740a7e"], [556657630865, "cf000000819b615e91"],
  [Number.MAX_SAFE_INTEGER, "cf001fffffffffffff"],
  [9007199254740993n, "cf0020000000000001"], [18446744073709551615n, "cfffffffffffffffff"],
  [-1, "ff"], [-32, "e0"],
  [-33, "d0df"], [-128, "d080"],
  [-129, "d1ff7f"], [-32768, "d18000"],
  [-32769, "d2ffff7fff"], [-2147483648, "d280000000"],
  [-2147483649, "d3ffffffff7fffffff"], [-136986993412, "d3ffffffe01af05cfc"],
  [-9223372036854775808n, "d38000000000000000"],
];

describe("integers take their smallest form, and never a float", () => {
  for (const [value, want] of INTEGERS) {
    test(`${value}`, () => expect(toHex(encodeMsgpack(value))).toBe(`0x${want}`));
  }

  test("a number and the equal bigint are the same bytes", () => {
    for (const [value] of INTEGERS) {
      if (typeof value === "number") expect(encodeMsgpack(value)).toEqual(encodeMsgpack(BigInt(value)));
    }
  });
});

function head(value: MsgpackValue, count: number): string {
  return toHex(encodeMsgpack(value).subarray(0, count));
}

test("texts, lists and maps use the shortest header for their length in bytes", () => {
  expect(head("", 1)).toBe("0xa0");
  expect(head("a".repeat(31), 1)).toBe("0xbf");
  expect(head("a".repeat(32), 2)).toBe("0xd920");
  expect(head("é".repeat(16), 2)).toBe("0xd920");
  expect(head("a".repeat(255), 2)).toBe("0xd9ff");
  expect(head("a".repeat(256), 3)).toBe("0xda0100");
  expect(head(new Array(15).fill(0), 1)).toBe("0x9f");
  expect(head(new Array(16).fill(0), 3)).toBe("0xdc0010");
  const map = (size: number) => Object.fromEntries(Array.from({ length: size }, (_item, index) => [`k${index}`, 0]));
  expect(head(map(15), 1)).toBe("0x8f");
  expect(head(map(16), 3)).toBe("0xde0010");
});

test("a value of any length is written whole, in whatever letters", () => {
  const texts = Array.from({ length: 900 }, (_, nth) =>
    nth % 3 === 0 ? "é€😀".repeat(nth % 11) : "a".repeat(nth % 40),
  );
  const one = (text: string) => Buffer.from(encodeMsgpack(text));
  for (const text of texts)
    expect(
      one(text)
        .subarray(-Buffer.byteLength(text) - 1)
        .subarray(1),
    ).toEqual(Buffer.from(text));
  const whole = Buffer.concat([Buffer.from("dc0384", "hex"), ...texts.map(one)]);
  expect(Buffer.from(encodeMsgpack(texts))).toEqual(whole);
});

test("nil and booleans are one byte, and maps keep the order they were written in", () => {
  expect(toHex(encodeMsgpack([null, true, false]))).toBe("0x93c0c3c2");
  expect(toHex(encodeMsgpack({ b: 1, a: 2 }))).toBe("0x82a16201a16102");
});

test("what an action never holds is refused instead of written some way", () => {
  const wrong: unknown[] = [0.5, Number.NaN, 2 ** 53, undefined, { a: undefined }, 2n ** 64n, -(2n ** 63n) - 1n];
  wrong.push("a".repeat(65536), new Array(65536).fill(0), () => 1);
  let nested: unknown = 0;
  for (let depth = 0; depth < 40; depth += 1) nested = [nested];
  wrong.push(nested);
  // The point is what happens to values that the type would not allow.
  for (const value of wrong) expect(() => encodeMsgpack(value as MsgpackValue)).toThrow("bug:");
});
