/** The list of markets is read every minute in the background; only what increases waits for it, and only when it is old. */
import { expect, test } from "bun:test";
import { directly } from "./network.ts";
import { executed, limit, liveOrders, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

type Meta = { universe: { name: string }[] };

/** The first two markets of the native dex change places. */
function swapped(answer: unknown): unknown {
  // As the exchange answers.
  const { universe, ...rest } = answer as Meta;
  const [first, second, ...others] = universe;
  return { ...rest, universe: [second, first, ...others] };
}

test("a market that has moved is found at its new place a minute later, by no reading that anybody waits for", async () => {
  const s = await scene();
  await s.tell("before", limit("buy", 94_000));
  s.seeThrough(({ type, dex }, answer) => (type === "meta" && dex === "" ? swapped(answer) : answer));
  await s.pass(70_000);
  // From here on no list can be read.
  s.setFate(({ body }) =>
    body.includes('"type":"meta"') ? { arrivesAfterMs: [], answer: { kind: "silence" } } : directly(5),
  );
  s.ask("after", limit("buy", 94_001));
  await s.pass(100);
  const numbers = executed(s, "order").map(({ input }) => JSON.stringify(input.action).match(/"a":(\d+)/)?.[1]);
  expect(numbers).toEqual(["0", "1"]);
  await s.pass(1_000);
  s.takeErrors();
});

test("by a list that is older than five minutes nothing increases; cancels and what only reduces go", async () => {
  const s = await scene();
  const { id } = shown(await s.tell("rests", limit("buy", 94_000)));
  const isList = (body: string) => body.includes('eta"') || body.includes('"perpDexs"');
  s.setFate(({ body }) => (isList(body) ? { arrivesAfterMs: [], answer: { kind: "silence" } } : directly(5)));
  await s.pass(4 * 60_000);
  expect(await s.tell("young", limit("buy", 94_001))).toMatchObject({ status: 201 });
  await s.pass(3 * 60_000);
  const refused = await s.tell("old", limit("buy", 94_002));
  expect(refused).toMatchObject({ status: 503 });
  const reducing = { ...limit("sell", 99_000), market: "ETH", price: "3900", size: "0.1", reduceOnly: true };
  expect(await s.tell("reduces", reducing)).toMatchObject({ status: 201 });
  const before = liveOrders(s).length;
  expect(shown(await s.tell("cancels", { kind: "cancel", id }))).toMatchObject({ http: 200, status: "canceled" });
  expect(liveOrders(s)).toHaveLength(before - 1);
});
