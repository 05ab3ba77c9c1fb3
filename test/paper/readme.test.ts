/** The document of the paper exchange names every switch, every fault, and of every rule how it is known. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_OPTIONS } from "../../src/paper/engine/options.ts";
import { SCENES } from "../../src/paper/scenes/list.ts";

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

test("every scene has its row in the table of verdicts, and their number is told", () => {
  const rows = [...README.matchAll(/^\| ([a-z-]+)(?: \| (?:passed|not exercised|\*\*failed\*\*: [a-z ]+)){3} \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(SCENES.map(({ name }) => name));
  const front = readFileSync(join(SOURCE, "../../README.md"), "utf8");
  expect(front).toContain(`once for each of ${SCENES.length} scenes`);
});

test("of every rule it is said whether it was seen, is documented, or is ours", () => {
  const rows = [...RULES.matchAll(/^\| (.+) \| (.+) \|$/gm)].filter(([, rule]) => rule !== "rule" && rule !== "---");
  expect(rows.length).toBeGreaterThan(70);
  const known = /\b(?:seen|documented|recorded|recomputed|ours)\b|two clients guard against it/;
  expect(rows.filter(([, , how = ""]) => !known.test(how)).map(([row]) => row)).toEqual([]);
});
