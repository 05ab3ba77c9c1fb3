/** Orders that are canceled together at an exchange that loses answers, by a gateway that dies. */
import { expect, test } from "bun:test";
import type { Ask } from "./front.ts";
import { directly, type Fate } from "./network.ts";
import { limit, liveOrders, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [1], answer: { kind: "silence" } };
const NEVER_ARRIVED: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };
const CANCEL_ALL: Ask = { kind: "cancel_all", touches: "own" };

test.each([4, 6, 8, 10, 12, 16])(
  "it goes on after a death at step %d, and is done when nothing lives",
  async (atPoint) => {
    const s = await scene();
    for (const price of [90_001, 90_002, 90_003]) await s.tell(`rest-key-${price}`, limit("buy", price));
    s.kill();
    await s.start({ atPoint });
    s.ask("all-key-1", CANCEL_ALL);
    await s.pass(600);
    if (s.isDead()) await s.start();
    await s.pass(10_000);
    if (!s.isDead()) s.kill();
    await s.start();
    await s.pass(20_000);
    expect(shown(await s.tell("all-key-1", CANCEL_ALL))).toMatchObject({ http: 200, status: "done" });
    expect(liveOrders(s)).toEqual([]);
  },
);

test.each([
  ["has arrived, and its answer was lost", LOST],
  ["has never arrived", NEVER_ARRIVED],
  ["arrives late", { arrivesAfterMs: [6_000], answer: { kind: "silence" } } satisfies Fate],
])("an order that %s is over before it is told to be done", async (_what, fate) => {
  const s = await scene();
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"order"') ? fate : directly(1)));
  s.ask("rest-key-1", limit("buy", 90_001));
  await s.pass(50);
  s.setFate(() => directly(1));
  for (let waited = 0; waited < 60; waited += 1) {
    const { status } = shown(await s.tell("all-key-1", CANCEL_ALL));
    if (status === "done") break;
    await s.pass(1_000);
  }
  expect(shown(await s.tell("all-key-1", CANCEL_ALL))).toMatchObject({ http: 200, status: "done" });
  await s.pass(20_000);
  expect(liveOrders(s)).toEqual([]);
});
