import { expect, test } from "bun:test";
import { present, printable } from "../../src/cli/output.ts";
import { outsideFor, runHere } from "./outside.ts";

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

test("the reason of a command that failed cannot steer a terminal either", async () => {
  const words: [string[], 1 | 2][] = [
    [["serve", "--data-dir", `nowhere\u001b[2J${NASTY}`, "--passphrase-file", "none"], 1],
    [["account", "list", "--data-dir", NASTY], 1],
    [["paper", "--fund", NASTY], 2],
    [["paper", "--faults", NASTY], 2],
    [["key", "new", NASTY], 2],
    [["serve", `--${NASTY}`], 2],
  ];
  for (const [each, exitCode] of words) {
    const ran = await runHere(each);
    expect([each[0], ran.exitCode]).toEqual([each[0], exitCode]);
    expect(ran.err).not.toBe("");
    expect(ran.err.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  }
});
