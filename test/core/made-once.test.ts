/** What is kept of an object is of that object, and of no other that looks like it. */
import { expect, test } from "bun:test";
import { madeOnce, whileSame } from "../../src/core/made-once.ts";

test("made once of each object, and anew of one that only looks the same", () => {
  let made = 0;
  const text = madeOnce((of: { size: string }) => {
    made += 1;
    return JSON.stringify(of);
  });
  const first = { size: "1" };
  expect([text(first), text(first), made]).toEqual(['{"size":"1"}', '{"size":"1"}', 1]);
  expect([text({ size: "1" }), text({ size: "2" }), made]).toEqual(['{"size":"1"}', '{"size":"2"}', 3]);
});

test("made anew when one of its parts is another, comes or goes, and only then", () => {
  const [state, other] = [{}, {}];
  const rows: [parts: unknown[], made: number][] = [
    [["a", state], 1],
    [["a", state], 1],
    [["a", other], 2],
    [["b", other], 3],
    [["b"], 4],
    [["b", other], 5],
    [["b", other], 5],
    [["a", state], 6],
    [[], 7],
    [[], 7],
  ];
  const keep = whileSame<number>();
  let made = 0;
  const shown = rows.map(([parts]) =>
    keep(parts, () => {
      made += 1;
      return made;
    }),
  );
  expect(shown).toEqual(rows.map(([, count]) => count));
});
