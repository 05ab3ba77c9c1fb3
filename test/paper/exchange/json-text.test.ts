import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { jsonText, parseJsonText } from "../../../src/paper/exchange/json-text.ts";
import { plainValue } from "../../../src/paper/plain-value.ts";

describe("JSON text", () => {
  test("is read as JSON.parse reads it, whatever it is", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const read = parseJsonText(text);
        if (read === undefined) throw new Error("not read");
        expect(jsonText(plainValue(read))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("keeps integers that a double cannot hold", () => {
    expect(parseJsonText("18446744073709551615")).toBe(18_446_744_073_709_551_615n);
    expect(jsonText({ oid: 9_007_199_254_740_993n })).toBe('{"oid":9007199254740993}');
  });

  test("ends with its first value, and what follows is not looked at", () => {
    expect(parseJsonText('true garbage "')).toBe(true);
  });

  // biome-ignore format: one bad text a row
  const BAD = [
    "", " ", "nul", "{", '{"a"}', '{"a":1,}', "{a:1}", "[1,]", "[1 2]", "01", "-", "1.", "+1", ".5", "NaN", "'a'",
    '"\\x"', '"\\u12"', '"\n"', '"\u0000"', '"\\ud800"', '"\\udc00"', '"open', "[".repeat(200),
  ];
  test.each(BAD.map((text) => [text]))("is refused when it is %j", (text) => {
    expect(parseJsonText(text)).toBeUndefined();
  });

  test("may nest as deep as the exchange allows", () => {
    expect(parseJsonText("[".repeat(127) + "]".repeat(127))).toBeDefined();
    expect(parseJsonText("[".repeat(129) + "]".repeat(129))).toBeUndefined();
  });
});
