import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const DOCUMENT = readFileSync(join(ROOT, "SECURITY.md"), "utf8");
const ROWS = [...DOCUMENT.matchAll(/^\| (S[0-9]{2}) \| (.+?) \| (.+) \|$/gm)].map(([, name, , shown]) => ({
  name: name ?? "",
  shown: shown ?? "",
}));
/** Rows are added and never taken away. */
const FEWEST = 62;

test("the table has a row for each requirement, in order", () => {
  const wanted = Array.from(
    { length: Math.max(FEWEST, ROWS.length) },
    (_, index) => `S${String(index + 1).padStart(2, "0")}`,
  );
  expect(ROWS.map(({ name }) => name)).toEqual(wanted);
});

/** `test/a.test.ts` "title", "another title". */
const SHOWN = /`(test\/[^`]+)`((?:,? "[^"]+")+)/g;

test("every test that the table names is there", () => {
  let named = 0;
  for (const { name, shown } of ROWS) {
    for (const [, path = "", titles = ""] of shown.matchAll(SHOWN)) {
      const text = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : "";
      for (const [, title = ""] of titles.matchAll(/"([^"]+)"/g)) {
        named += 1;
        expect(`${name} ${path} ${text.includes(title) ? "" : "lacks "}${title}`).toBe(`${name} ${path} ${title}`);
      }
    }
  }
  expect(named).toBeGreaterThan(60);
});

test("every file that the table names is there", () => {
  for (const { name, shown } of ROWS) {
    for (const [, path = ""] of shown.matchAll(/`((?:test|scripts)\/[^`]+)`/g)) {
      expect(`${name} ${path} ${existsSync(join(ROOT, path))}`).toBe(`${name} ${path} true`);
    }
  }
});
