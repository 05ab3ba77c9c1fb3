/** A cancel that closes what a modify has placed, while the modify is still being settled. */
import { expect, test } from "bun:test";
import { directly, type Fate, type FateOf } from "./network.ts";
import { limit, liveOrders, shown } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const LOST: Fate = { arrivesAfterMs: [], answer: { kind: "silence" } };

/** Reads that the exchange does not answer. */
function silentTo(isOne: (body: string) => boolean): FateOf {
  return ({ path, body }) => (path === "/info" && isOne(body) ? LOST : directly(5));
}

test("a modify is not answered for good while what a cancel closed is not known to its size", async () => {
  const s = await scene();
  const placed = shown(await s.tell("closing", limit("buy", 94_000)));
  const modify = { kind: "modify" as const, id: placed.id, price: "94001", size: null, alwaysPlace: false };
  let isSent = false;
  s.setFate(({ path, body }) => {
    isSent ||= body.includes('"batchModify"');
    return path === "/info" && isSent && body.includes(`"oid":${placed.oid}}`) ? LOST : directly(5);
  });
  s.ask("closing-modify", modify);
  await s.pass(3_000);
  s.ask("closing-cancel", { kind: "cancel", id: placed.id });
  // The original can be read again, and what was filled of its replacement cannot.
  s.setFate(silentTo((body) => /"userFillsByTime"|"clearinghouseState"/.test(body)));
  await s.pass(20_000);
  expect([isSent, liveOrders(s)]).toEqual([true, []]);
  expect(shown(await s.tell("closing-modify", modify))).toMatchObject({ http: 202, status: "unknown" });
  s.setFate(() => directly(5));
  await s.pass(60_000);
  expect(shown(await s.tell("closing-modify", modify))).toMatchObject({ http: 200, status: "canceled", filled: "0" });
});
