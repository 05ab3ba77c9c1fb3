import { expect, test } from "bun:test";
import { present, printable } from "../../src/cli/output.ts";
import { outsideFor } from "./outside.ts";

const NASTY = "filled\r\norder 1: canceled\u001b[2J\u001b]0;title\u0007\u0000\u009b31m\u2028\u202ereversed";

test("texts that are not ours cannot steer a terminal or pretend to be a line of their own", () => {
  let out = "";
  const outside = outsideFor({
    print: (text) => {
      out += text;
    },
  });
  const input = { value: () => null, isSet: () => false, positionals: [] };
  present({ input, outside }, {}, ["order 1: open", NASTY, "done"]);
  expect(out.split("\n")).toHaveLength(4);
  expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  expect(out).toContain("filled\\u000d\\u000aorder 1: canceled\\u001b[2J");
});

test("what people write is left as it is", () => {
  expect(printable("Zürich, 日本, 🙂, “quoted”, a\\b")).toBe("Zürich, 日本, 🙂, “quoted”, a\\b");
});
