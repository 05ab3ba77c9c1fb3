/** Lists that do not come while a write is judged by them: its answer comes in time all the same. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { limit } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const DEADLINE_MS = 8_000;

test("seed 801111: a batch whose rules are read again for each of its orders is refused in time, and nothing is sent", async () => {
  const s = await scene();
  s.setFate(({ body }) => {
    const isList = body.includes('"meta"') || body.includes('"spotMeta"') || body.includes('"perpDexs"');
    return isList ? { arrivesAfterMs: [], answer: { kind: "silence" } } : directly(5);
  });
  const { kind: _kind, ...terms } = limit("buy", 90_000, "0.0123456");
  const call = s.ask("slow", { kind: "batch", orders: [terms, terms, terms] });
  await s.pass(DEADLINE_MS + 100);
  expect(call.answer).toMatchObject({ status: 503 });
  expect(s.venue.log).toEqual([]);
  s.setFate(() => directly(5));
  await s.pass(20_000);
  // Nothing of it was kept under the key.
  expect(await s.tell("slow", { kind: "batch", orders: [{ ...terms, size: "0.01" }] })).toMatchObject({ status: 201 });
});
