/** What is promised is broken on purpose by `bun run breaks`; here it is seen that the list of breaks is sound. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BREAKS, UNBROKEN } from "../scripts/breaks/list.ts";
import { PROMISES } from "../scripts/breaks/promises.ts";
import { changedTexts } from "../scripts/mutants/plant.ts";

const ROOT = join(import.meta.dir, "..");
const DOCUMENT = readFileSync(join(ROOT, "SECURITY.md"), "utf8");
const SHOWN = new Map(
  [...DOCUMENT.matchAll(/^\| (S[0-9]{2}) \| .+? \| (.+) \|$/gm)].map(([, row, shown]) => [row, shown]),
);

describe("a break", () => {
  test.each(BREAKS.map((each) => [`${each.row}: ${each.name}`, each] as const))(
    "can still be made, each text once, by %s",
    (_name, { changes }) => {
      expect(changedTexts(ROOT, changes).fault).toBeNull();
      for (const { find, put } of changes) expect(put).not.toBe(find);
    },
  );

  test("has a name of its own", () => {
    const names = BREAKS.map(({ row, name }) => `${row} ${name}`);
    expect(names.filter((name, nth) => names.indexOf(name) !== nth)).toEqual([]);
  });

  test("is seen by a test, or a command, that its row names", () => {
    const unnamed = BREAKS.filter(({ row }) => row.startsWith("S")).flatMap(({ row, name, seenBy }) => {
      const shown = SHOWN.get(row) ?? "";
      const isNamed =
        "stage" in seenBy
          ? [...seenBy.stage.join(" ").matchAll(/scripts\/[a-z0-9/.-]+/g)].some(([path]) => shown.includes(path))
          : shown.includes(`\`${seenBy.test}\``) && shown.includes(`"${seenBy.title}"`);
      return isNamed ? [] : [`${row} ${name}: ${JSON.stringify(seenBy)}`];
    });
    expect(unnamed).toEqual([]);
  });

  test("is seen by a test whose title is in its file", () => {
    const lost = BREAKS.flatMap(({ seenBy }) => {
      if ("stage" in seenBy) return [];
      const path = join(ROOT, seenBy.test);
      const isThere = existsSync(path) && readFileSync(path, "utf8").includes(seenBy.title);
      return isThere ? [] : [`${seenBy.test} "${seenBy.title}"`];
    });
    expect([...new Set(lost)]).toEqual([]);
  });
});

test("every row of SECURITY.md has a break, or a reason in words why it has none", () => {
  const broken = new Set(BREAKS.map(({ row }) => row));
  const rows = [...SHOWN.keys()].map(String);
  expect(rows.length).toBeGreaterThan(49);
  expect(rows.filter((row) => !broken.has(row) && UNBROKEN[row] === undefined)).toEqual([]);
  expect(Object.keys(UNBROKEN).filter((row) => broken.has(row) || !rows.includes(row))).toEqual([]);
});

test("every promise that is broken stands in its document word for word, and each has a break", () => {
  const flat = (text: string) => text.replace(/\s+/g, " ");
  for (const { row, file, sentence } of PROMISES) {
    expect([row, flat(readFileSync(join(ROOT, file), "utf8")).includes(flat(sentence))]).toEqual([row, true]);
  }
  const broken = new Set(BREAKS.map(({ row }) => row).filter((row) => row.startsWith("P")));
  expect([...broken].toSorted()).toEqual(PROMISES.map(({ row }) => row).toSorted());
});
