/** Which lines of the log wait for one another, and for how long. */
import { expect, test } from "bun:test";
import { openLogLines } from "../../src/cli/log-lines.ts";

/** A clock whose timers end when the test says so. */
function openHand() {
  const asked: { ms: number; ring: () => void }[] = [];
  const timer = (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    asked.push({ ms, ring: resolve });
    return { up: promise, cancel: () => undefined };
  };
  return { asked, timer };
}

function line(level: number, text: string): string {
  return `{"level":${level},"msg":"${text}"}\n`;
}

test("what tells nothing bad leaves together, within 5 ms", async () => {
  const written: string[] = [];
  const hand = openHand();
  const lines = openLogLines(hand, (text) => written.push(text));
  lines.write(line(30, "a"));
  lines.write(`<7>${line(20, "b")}`);
  expect(written).toEqual([]);
  expect(hand.asked.map(({ ms }) => ms)).toEqual([5]);
  hand.asked[0]?.ring();
  await Promise.resolve();
  expect(written).toEqual([`${line(30, "a")}<7>${line(20, "b")}`]);
  lines.write(line(30, "c"));
  expect(hand.asked.length).toBe(2);
});

test.each([40, 50, 60])("a line of level %i waits for nothing, and what came before it stands before it", (level) => {
  const written: string[] = [];
  const lines = openLogLines(openHand(), (text) => written.push(text));
  lines.write(line(30, "before"));
  lines.write(line(level, "bad"));
  lines.write(line(30, "after"));
  expect(written).toEqual([line(30, "before") + line(level, "bad")]);
});

test("a text within a line makes it neither urgent nor not", () => {
  const written: string[] = [];
  const lines = openLogLines(openHand(), (text) => written.push(text));
  lines.write('{"level":50,"msg":"{\\"level\\":30,"}\n');
  expect(written.length).toBe(1);
});

test("much at once does not wait, and what waits is handed over at the end", () => {
  const written: string[] = [];
  const lines = openLogLines(openHand(), (text) => written.push(text));
  lines.write(line(30, "x".repeat(70_000)));
  expect(written.length).toBe(1);
  lines.write(line(30, "last"));
  lines.flush();
  lines.flush();
  expect(written.slice(1)).toEqual([line(30, "last")]);
});
