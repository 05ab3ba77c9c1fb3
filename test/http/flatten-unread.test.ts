/** A flattening is not told to have ended before the fills of after its stop are read: what servers leave out only they tell. */
import { expect, test } from "bun:test";
import type { StoredFill } from "../../src/store/fills.ts";
import { exchangeThatFills, flatten, indexFill, pass, shownStop, stopOf } from "./flatten-rig.ts";
import { openMarketRig } from "./rails-rig.ts";
import type { Rig } from "./rig.ts";

/** An account's stop whose position no server shows; `read` says whether a reading of the fills comes to its end. */
async function flattening(rig: Rig, read: () => boolean): Promise<string> {
  exchangeThatFills(rig, { szi: 0 });
  const { fillIndex, exchange } = rig.deps;
  let readToMs = fillIndex.readToMs({} as Parameters<typeof fillIndex.readToMs>[0]);
  rig.deps.fillIndex = {
    readToMs: () => readToMs,
    readSoon: () => {
      if (read()) readToMs = exchange.nowMs();
    },
  };
  await rig.clock.advance(1_000);
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  return id;
}

test("what a fill of before the stop has left, which nobody had read, and no server shows, is not told to be closed", async () => {
  const rig = openMarketRig();
  const boughtMs = rig.clock.nowMs();
  let readings = 0;
  const id = await flattening(rig, () => {
    readings += 1;
    indexFill(rig, { timeMs: boughtMs });
    return true;
  });
  await pass(rig, 60);
  // Positions of before a fill that is kept have the fills asked for again, which the index does ever less often.
  expect(readings).toBeGreaterThan(0);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flattening");
  const startPosition = "0.5" as StoredFill["startPosition"];
  indexFill(rig, { timeMs: boughtMs + 1, side: "sell", startPosition, direction: "Close Long" });
  await pass(rig, 10);
  expect((await shownStop(rig, id)).flatten).toMatchObject({ status: "flat", left: [] });
});

test("while fills cannot be read it is told by positions alone after ten minutes, and what is waited for is told", async () => {
  const rig = openMarketRig();
  const id = await flattening(rig, () => false);
  await pass(rig, 9 * 60);
  const told = (await shownStop(rig, id)).flatten;
  expect(told).toMatchObject({ status: "flattening", waits_for: [{ reason: "fills_not_known", market: null }] });
  await pass(rig, 2 * 60);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flat");
});

test("fills that are read at once keep nobody waiting", async () => {
  const rig = openMarketRig();
  const id = await flattening(rig, () => true);
  await pass(rig, 10);
  expect((await shownStop(rig, id)).flatten?.status).toBe("flat");
});
