/** Bots that fall silent, by a gateway that dies: what lives of their orders afterwards. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { limit, liveOrders, type Scene, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const BEAT = { kind: "beat", withinS: 10 } as const;
const LOST: Fate = { arrivesAfterMs: [1], answer: { kind: "silence" } };

async function silentBot(s: Scene): Promise<void> {
  await s.tell("rest-key-1", limit("buy", 90_000));
  await s.tell("rest-key-2", limit("buy", 90_001));
  await s.tell(null, BEAT);
}

test("what rests, and what was sent and not answered, is gone soon after the silence", async () => {
  const s = await scene();
  await silentBot(s);
  s.setFate(({ path, body }) => (path === "/exchange" && body.includes('"type":"order"') ? LOST : directly(1)));
  s.ask("lost-key-1", limit("buy", 90_002));
  await s.pass(9_000);
  s.setFate(() => directly(1));
  expect(liveOrders(s)).toHaveLength(3);
  await s.pass(6_000);
  expect(liveOrders(s)).toEqual([]);
  expect(shown(await s.tell("later-key-1", limit("buy", 90_003))).http).toBe(201);
  await s.pass(30_000);
  expect(liveOrders(s)).toHaveLength(1);
});

test("while the exchange is silent it is tried again, and nothing of what came later goes", async () => {
  const s = await scene();
  await silentBot(s);
  s.setFate(({ path, body }) =>
    path === "/exchange" && body.includes("cancel") ? { arrivesAfterMs: [], answer: { kind: "silence" } } : directly(1),
  );
  await s.pass(25_000);
  expect(liveOrders(s)).toHaveLength(2);
  await s.tell("later-key-1", limit("buy", 90_003));
  s.setFate(() => directly(1));
  await s.pass(20_000);
  expect(liveOrders(s)).toHaveLength(1);
});

test.each([3, 4, 5, 6, 7, 8, 10, 14])("a bot that was silent is heard after a death at step %d", async (atPoint) => {
  const s = await scene();
  await s.tell("rest-key-1", limit("buy", 90_000));
  s.kill();
  await s.start({ atPoint });
  s.ask("rest-key-2", limit("buy", 90_001));
  await s.pass(50);
  if (!s.isDead()) await s.tell(null, BEAT);
  await s.pass(12_000);
  if (!s.isDead()) s.kill();
  await s.start();
  if (s.rows("select 1 from heartbeats").length === 0) await s.tell(null, BEAT);
  await s.pass(25_000);
  expect(liveOrders(s)).toEqual([]);
  expect(s.rows("select status from heartbeats")).toEqual([{ status: "missed" }]);
});

test("a start grants it its time once more, and another start no second time", async () => {
  const s = await scene();
  await silentBot(s);
  await s.pass(8_000);
  for (const aliveMs of [8_000, 1_000]) {
    s.kill();
    await s.start();
    await s.pass(aliveMs);
    expect(liveOrders(s)).toHaveLength(2);
  }
  await s.pass(5_000);
  expect(liveOrders(s)).toEqual([]);
});

test("a wall clock that jumps is silence", async () => {
  const s = await scene();
  await silentBot(s);
  s.jumpClock(60_000);
  await s.pass(5_000);
  expect(liveOrders(s)).toEqual([]);
});
