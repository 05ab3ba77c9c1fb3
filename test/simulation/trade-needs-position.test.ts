/** Trades at an exchange that takes no stop where nothing is held: the stop follows what is filled, and nothing else changes. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { MAKER } from "./plain-venue.ts";
import { type Scene, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";
import { begin, bracket, guarded, held, placed, until } from "./trade-stage.ts";

const openScene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [1], answer: { kind: "silence" } };

function scene(): Promise<Scene> {
  return openScene({ hasFeed: true, engine: { reduceOnlyTriggerWithoutPosition: "reject" } });
}

function isStop(body: string): boolean {
  return body.includes("triggerPx");
}

test.each([
  ["answered so", directly(1)],
  ["recorded so, its answer being lost", LOST],
])(
  "a first stop that is refused for want of a position, %s: the entry goes, and a stop of what it fills follows",
  async (_how, fate) => {
    const s = await scene();
    await s.pass(2_000);
    s.setFate(({ path, body }) => (path === "/exchange" && isStop(body) ? fate : directly(1)));
    const id = await begin(s);
    const entering = await until(s, id, ({ status }) => status === "entering");
    expect(entering).toMatchObject({ path: "after_fills", error: null });
    s.setFate(() => directly(1));
    trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.02" });
    await until(s, id, ({ filled_size, ...is }) => filled_size === "0.02" && is.protected);
    expect([held(s), guarded(s)]).toEqual(["0.02", 0.02]);
    trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.03" });
    await until(s, id, (is) => is.status === "open" && is.protected);
    await s.pass(3_000);
    expect([held(s), guarded(s)]).toEqual(["0.05", 0.05]);
  },
);

test("what is filled whole at once waits for nothing because of the refusal of before", async () => {
  const s = await scene();
  await s.pass(2_000);
  trade(s, MAKER, { isBuy: false, price: 90_000, size: "0.05" });
  const id = await begin(s);
  await until(s, id, ({ status }) => status === "open");
  await s.pass(1_500);
  expect([held(s), guarded(s)]).toEqual(["0.05", 0.05]);
  expect(placed(s).map(({ isTrigger }) => isTrigger)).toEqual([true, false, true]);
});

test("a first stop that is refused for anything else enters nothing", async () => {
  const s = await openScene();
  const id = await begin(s, bracket({ size: "0.0001" }));
  const shown = await until(s, id, ({ status }) => status === "rejected");
  expect(shown).toMatchObject({
    path: "stop_first",
    error: expect.stringContaining("minimum value"),
    entry: { order: null },
  });
  expect(placed(s).some(({ isReduction }) => !isReduction)).toBe(false);
});
