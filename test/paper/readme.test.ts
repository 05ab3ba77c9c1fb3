/** The document of the paper exchange names every switch, every fault, and of every rule how it is known. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_OPTIONS } from "../../src/paper/engine/options.ts";

const SOURCE = join(import.meta.dir, "../../src/paper");
const README = readFileSync(join(SOURCE, "README.md"), "utf8");
const RULES = README.slice(README.indexOf("## The rules, and how each is known"));

test("every switch is named, those of two answers with the default first", () => {
  for (const [name, value] of Object.entries(DEFAULT_OPTIONS)) {
    expect(RULES).toContain(`\`${name}\``);
    if (typeof value === "string") expect([name, RULES.includes(`\`${name}\`: \`${value}\``)]).toEqual([name, true]);
  }
});

test("every fault is described", () => {
  const kinds = [...readFileSync(join(SOURCE, "faults.ts"), "utf8").matchAll(/\bfault\("([a-z_]+)"/g)].map(
    ([, kind]) => kind,
  );
  expect(kinds.length).toBeGreaterThan(25);
  expect(kinds.filter((kind) => !README.includes(`{"kind":"${kind}"`))).toEqual([]);
});

test("of every rule it is said whether it was seen, is documented, or is ours", () => {
  const rows = [...RULES.matchAll(/^\| (.+) \| (.+) \|$/gm)].filter(([, rule]) => rule !== "rule" && rule !== "---");
  expect(rows.length).toBeGreaterThan(70);
  const known = /\b(?:seen|documented|recorded|recomputed|ours)\b|two clients guard against it/;
  expect(rows.filter(([, , how = ""]) => !known.test(how)).map(([row]) => row)).toEqual([]);
});
