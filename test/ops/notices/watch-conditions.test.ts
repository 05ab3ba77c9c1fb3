/** What the gateway notices of itself, and how often it says so. */
import { expect, test } from "bun:test";
import { NOTICE_TYPE } from "../../../src/core/notice/notice.ts";
import { conditionsNow, openConditionWatch } from "../../../src/ops/notices/watch-conditions.ts";
import { findAccount } from "../../../src/store/accounts.ts";
import { listAllEventsAfter } from "../../../src/store/events.ts";
import { insertOperation } from "../../../src/store/operations.ts";
import { parseClearinghouseState } from "../../../src/wire/answer/account.ts";
import { stateOf } from "../../http/rails-rig.ts";
import { ACCOUNTS, openRig, type Rig } from "../../http/rig.ts";

function told({ deps }: Rig): string[] {
  const rows = listAllEventsAfter(deps.store, 0, 1_000).filter(({ type }) => type === NOTICE_TYPE);
  return rows.map(({ resourceId }) => resourceId);
}

const LONG = { szi: "1", liquidationPx: "54600" };

/** The account holds these. */
function near(rig: Rig, coins: readonly string[], some = LONG): void {
  const user = findAccount(rig.deps.store, ACCOUNTS.main)?.tradingAddress ?? "";
  const held = coins.map((coin) => ({ coin, positionValue: "60000", ...some }));
  const value = parseClearinghouseState(stateOf(held, rig.clock.nowMs()));
  if (value === null) throw new Error("no state");
  const at = { timeMs: rig.clock.nowMs(), askedAtMs: rig.clock.elapsedMs() };
  rig.deps.picture.take(user, { part: "state", dex: "", value }, at);
}

function live(rig: Rig): void {
  rig.deps.feeds.isLive = () => true;
}

test("what begins is told once, and again only after ten minutes in which it had ended", async () => {
  const rig = openRig();
  live(rig);
  const watch = openConditionWatch(rig.deps);
  const pass = async (seconds: number) => {
    for (let step = 0; step < seconds / 5; step += 1) await rig.clock.advance(5_000);
  };
  await pass(60);
  expect(told(rig)).toEqual([]);
  rig.deps.state.replicaFault = "behind";
  await pass(700);
  expect(told(rig)).toEqual(["replica"]);
  rig.deps.state.replicaFault = undefined;
  await pass(10);
  rig.deps.state.replicaFault = "behind";
  await pass(10);
  expect(told(rig)).toEqual(["replica", "replica"]);
  watch.stop();
});

test("what lasts over a restart is not told again within ten minutes of the last time", async () => {
  const rig = openRig();
  live(rig);
  const passing = async (coins: readonly string[], seconds: number) => {
    near(rig, coins);
    const watch = openConditionWatch(rig.deps);
    for (let step = 0; step < seconds / 5; step += 1) await rig.clock.advance(5_000);
    watch.stop();
  };
  await passing(["BTC"], 10);
  await passing(["BTC"], 300);
  expect(told(rig)).toEqual(["liquidation"]);
  await passing(["BTC", "ETH"], 10);
  expect(told(rig)).toEqual(["liquidation", "liquidation"]);
  await passing(["BTC"], 300);
  expect(told(rig)).toHaveLength(3);
});

test("a feed that is silent for a minute, and orders that are not taken for one, are told with the account", async () => {
  const rig = openRig();
  const watch = openConditionWatch(rig.deps);
  for (let step = 0; step < 11; step += 1) await rig.clock.advance(5_000);
  expect(told(rig)).toEqual([]);
  rig.deps.state.writesStoppedBecause = "a test";
  for (let step = 0; step < 15; step += 1) await rig.clock.advance(5_000);
  expect(new Set(told(rig))).toEqual(new Set(["feed_stale", "writes_stopped"]));
  watch.stop();
});

test("what is noticed does not wait for a clock that is set back, in this process or the next", async () => {
  const rig = openRig();
  live(rig);
  const passing = async (seconds: number, stepWallMs: number) => {
    const watch = openConditionWatch(rig.deps);
    await rig.clock.advance(5_000);
    rig.clock.stepWall(stepWallMs);
    for (let step = 0; step < seconds / 5; step += 1) await rig.clock.advance(5_000);
    watch.stop();
  };
  rig.deps.state.writesStoppedBecause = "a test";
  await passing(65, -3_600_000);
  // One for each account.
  expect(told(rig)).toHaveLength(2);
  rig.clock.stepWall(-3_600_000);
  await passing(590, 0);
  expect(told(rig)).toHaveLength(2);
  await passing(60, 0);
  expect(told(rig)).toHaveLength(2);
  await passing(605, 0);
  expect(told(rig)).toHaveLength(4);
});

const POSITIONS: [string, string, string, boolean][] = [
  ["a long nine percent above it", "1", "54600", true],
  ["a long eleven percent above it", "1", "53400", false],
  ["a short nine percent below it", "-1", "65400", true],
];

test.each(POSITIONS)("the liquidation price of %s: near %p", (_what, szi, liquidationPx, isNear) => {
  const rig = openRig();
  live(rig);
  near(rig, ["BTC"], { szi, liquidationPx });
  expect(conditionsNow(rig.deps).some(({ what }) => what === "liquidation")).toBe(isNear);
});

test.each([
  ["within the minute it is not told", 59_000, 0, false],
  ["after a minute it is", 61_000, 0, true],
  ["after a minute it is, also where the clock was set back by three days since", 61_000, -3 * 86_400_000, true],
])("of an outcome that is unknown: %s", async (_what, passedMs, stepWallMs, isTold) => {
  const rig = openRig();
  live(rig);
  insertOperation(rig.deps.store, {
    id: "01a1fbc9-77d2-7c3d-8b1e-5a4f3c2d1e0f",
    accountId: ACCOUNTS.main,
    action: "leverage",
    market: "BTC",
    status: "unknown",
    exchangeId: null,
    error: "lost",
    createdAtMs: rig.clock.nowMs(),
    version: 0,
    parameters: "{}",
    before: null,
    releasedAtMs: null,
    keyHash: null,
  });
  rig.clock.stepWall(stepWallMs);
  await rig.clock.advance(passedMs);
  expect(conditionsNow(rig.deps).some(({ what }) => what === "unknown")).toBe(isTold);
});
