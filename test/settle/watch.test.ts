/** News of orders is followed until it is seen, whatever goes wrong on the way. */
import { expect, test } from "bun:test";
import type { Leg } from "../../src/core/order.ts";
import type { LookResult } from "../../src/deps.ts";
import type { Purpose } from "../../src/exchange/exchange.ts";
import { type News, openWatch } from "../../src/settle/feed/watch.ts";
import { insertLeg, updateLeg } from "../../src/store/legs.ts";
import { insertOrder, updateOrder } from "../../src/store/orders.ts";
import { openGatewayRig } from "../support/gateway-rig.ts";
import { legRow, orderRow } from "../support/rows.ts";

const { id } = orderRow();

/** A watch whose looks answer what the test says, the last of it for ever; `closed` closes the order here as well. */
function openStage(results: readonly LookResult[], leg: Partial<Leg> = {}) {
  const rig = openGatewayRig();
  const order = orderRow({ status: "open" });
  insertOrder(rig.store, order);
  insertLeg(rig.store, legRow({ state: "resting", oid: "1", ...leg }));
  const looks: { atS: number; purpose: Purpose }[] = [];
  const watch = openWatch(rig.deps, {
    look: async (_orderId, purpose = "read") => {
      looks.push({ atS: rig.clock.elapsedMs() / 1_000, purpose });
      const result = results[looks.length - 1] ?? results.at(-1) ?? "failed";
      if (result === "closed") updateOrder(rig.store, { ...order, status: "canceled" });
      return result;
    },
  });
  return { rig, order, watch, looks, times: () => looks.map(({ atS }) => atS) };
}

const SENT = legRow({ state: "sent", oid: null });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const ROUNDS: [string, News, LookResult[], number[]][] = [
  ["a change that is seen twice", "changed", ["open"], [0, 1.1]],
  ["a change that a look could not see", "changed", ["failed", "open"], [0, 1.1, 4.1]],
  ["a close that is seen at once", "closed", ["closed"], [0]],
  ["a close that nodes behind do not show", "closed", ["open", "open", "open", "closed"], [0, 1.1, 4.1, 7.1]],
  ["a close with short fills", "changed", ["unfinished", "unfinished", "closed"], [0, 1.1, 4.1]],
  [
    "a close that is read for the first time after looks that had no weight",
    "closed",
    [...Array.from({ length: 6 }, () => "failed" as const), "unfinished", "unfinished", "closed"],
    [0, 1.1, 4.1, 7.1, 17.1, 47.1, 77.1, 80.1, 83.1],
  ],
  [
    "a close whose first reading comes again and again, between looks that fail",
    "closed",
    [...Array.from({ length: 5 }, () => ["failed", "unfinished"] as const).flat(), "closed"],
    [0, 1.1, 4.1, 7.1, 10.1, 13.1, 16.1, 19.1, 22.1, 25.1, 35.1],
  ],
  [
    "a close whose fills could not be read at first",
    "closed",
    [...Array.from({ length: 5 }, () => "unclear" as const), "unfinished", "closed"],
    [0, 1.1, 4.1, 7.1, 17.1, 47.1, 50.1],
  ],
  ["an order missing in a list and shown open", "unlisted", ["open"], [0, 1.1, 4.1, 7.1, 17.1, 47.1]],
  [
    "an order in words that are new, which is missing after a while",
    "changed",
    [...Array.from({ length: 6 }, () => "unclear" as const), "not_found", "not_found", "closed"],
    [0, 1.1, 4.1, 7.1, 17.1, 47.1, 77.1, 78.2, 81.2],
  ],
  ["an order missing in a list, found closed late", "unlisted", ["open", "failed", "closed"], [0, 1.1, 4.1]],
];

test.each(ROUNDS)("%s", async (_name, news, results, atS) => {
  const { rig, watch, times } = openStage(results);
  watch.begin(id, news);
  await rig.clock.advance(HOUR);
  expect(times()).toEqual(atS);
});

test("simulated seed 1616: a close is looked for after a minute in which no look had any weight", async () => {
  const { rig, watch, looks } = openStage([...Array.from({ length: 7 }, () => "failed" as const), "closed"]);
  watch.begin(id, "closed");
  await rig.clock.advance(HOUR);
  expect(looks).toHaveLength(8);
  expect(looks.at(-1)?.atS).toBeGreaterThan(61);
  expect(looks.map(({ purpose }) => purpose)).toEqual(["read", ...Array(7).fill("settle")]);
});

test("a close that is never seen is given up after a quarter of an hour, and the next news begins anew", async () => {
  const { rig, watch, looks } = openStage(["open"]);
  watch.begin(id, "closed");
  await rig.clock.advance(HOUR);
  expect(looks).toHaveLength(34);
  expect(looks.at(-1)?.atS).toBeLessThan(20 * 60);
  watch.begin(id, "changed");
  await rig.clock.advance(HOUR);
  expect(looks).toHaveLength(36);
});

test("a close told while an order is watched wakes it, and that it is still not listed does not", async () => {
  const { rig, watch, times } = openStage(["open", "open", "open", "open", "open", "closed"]);
  watch.begin(id, "unlisted");
  await rig.clock.advance(20_000);
  expect(times()).toEqual([0, 1.1, 4.1, 7.1, 17.1]);
  watch.begin(id, "unlisted");
  await rig.clock.advance(5_000);
  expect(times()).toHaveLength(5);
  watch.begin(id, "closed");
  await rig.clock.advance(0);
  expect(times().at(-1)).toBe(25);
});

test("what a feed tells is looked at when the frames that came with it, and the answer to the placing, have told no end", async () => {
  const told = async (leg: Partial<Leg>, meanwhile: (stage: ReturnType<typeof openStage>) => void) => {
    const stage = openStage(["closed"], leg);
    stage.watch.beginSoon(id, "closed");
    await stage.rig.clock.advance(20);
    expect(stage.times()).toEqual([]);
    meanwhile(stage);
    await stage.rig.clock.advance(1_000);
    meanwhile(stage);
    await stage.rig.clock.advance(MINUTE);
    return stage.times();
  };
  const { order } = openStage([]);
  expect(await told({}, () => undefined)).toEqual([0.025]);
  expect(await told({}, ({ rig }) => updateOrder(rig.store, { ...order, status: "filled" }))).toEqual([]);
  // Its answer comes after a second.
  const answer = ({ rig }: ReturnType<typeof openStage>) => {
    if (rig.clock.elapsedMs() > 1_000) updateLeg(rig.store, { ...SENT, state: "resting", oid: "1" });
  };
  expect(await told(SENT, answer)).toEqual([1.025]);
  // It never comes: nobody waits for ever.
  expect(await told(SENT, () => undefined)).toEqual([1.525]);
});

test("an order is watched once, and a stopped watch looks no more", async () => {
  const { rig, watch, times } = openStage(["open"]);
  for (const news of ["closed", "changed", "closed"] as const) watch.begin(id, news);
  await rig.clock.advance(0);
  expect(times()).toEqual([0]);
  watch.stop();
  await rig.clock.advance(HOUR);
  expect(times()).toEqual([0]);
});

test("what somebody's look has found over is looked at until its size is known, by one watch at its own pace", async () => {
  const { rig, watch, looks, times } = openStage(["unfinished", "unfinished", "closed"]);
  watch.goOn(id);
  await rig.clock.advance(500);
  watch.goOn(id);
  await rig.clock.advance(1_500);
  watch.goOn(id);
  await rig.clock.advance(MINUTE);
  expect(times()).toEqual([0, 1.1, 4.1]);
  // What is told as unknown meanwhile waits for no weight of reads.
  expect(looks.map(({ purpose }) => purpose)).toEqual(["read", "settle", "settle"]);
});
