/** What the gateway notices of itself, and how often it says so. */
import { expect, test } from "bun:test";
import { NOTICE_TYPE } from "../../../src/core/notice/notice.ts";
import { conditionsNow, type Held, openConditionWatch } from "../../../src/ops/notices/watch-conditions.ts";
import { findAccount } from "../../../src/store/accounts.ts";
import { listAllEventsAfter } from "../../../src/store/events.ts";
import { parseClearinghouseState } from "../../../src/wire/answer/account.ts";
import { stateOf } from "../../http/rails-rig.ts";
import { ACCOUNTS, openRig, type Rig } from "../../http/rig.ts";

function told({ deps }: Rig): string[] {
  const rows = listAllEventsAfter(deps.store, 0, 1_000).filter(({ type }) => type === NOTICE_TYPE);
  return rows.map(({ resourceId }) => resourceId);
}

function live(rig: Rig): void {
  rig.deps.feeds.isLive = () => true;
}

test("what begins is told once, and again only after ten minutes in which it had ended", async () => {
  const rig = openRig();
  live(rig);
  let held: Held[] = [];
  const watch = openConditionWatch(rig.deps, () => held);
  const pass = async (seconds: number) => {
    for (let step = 0; step < seconds / 5; step += 1) await rig.clock.advance(5_000);
  };
  await pass(60);
  expect(told(rig)).toEqual([]);
  held = [{ what: "replica", data: { reason: "behind" } }];
  await pass(700);
  expect(told(rig)).toEqual(["replica"]);
  held = [];
  await pass(10);
  held = [{ what: "replica", data: { reason: "behind" } }];
  await pass(10);
  expect(told(rig)).toEqual(["replica", "replica"]);
  watch.stop();
});

test("what lasts over a restart is not told again within ten minutes of the last time", async () => {
  const rig = openRig();
  live(rig);
  const of = (market: string): Held => ({ what: "liquidation", data: { account: ACCOUNTS.main, market } });
  const passing = async (held: readonly Held[], seconds: number) => {
    const watch = openConditionWatch(rig.deps, () => held);
    for (let step = 0; step < seconds / 5; step += 1) await rig.clock.advance(5_000);
    watch.stop();
  };
  await passing([of("BTC")], 10);
  await passing([of("BTC")], 300);
  expect(told(rig)).toEqual(["liquidation"]);
  await passing([of("BTC"), of("ETH")], 10);
  expect(told(rig)).toEqual(["liquidation", "liquidation"]);
  await passing([of("BTC")], 300);
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

const POSITIONS: [string, string, string, boolean][] = [
  ["a long nine percent above it", "1", "54600", true],
  ["a long eleven percent above it", "1", "53400", false],
  ["a short nine percent below it", "-1", "65400", true],
];

test.each(POSITIONS)("the liquidation price of %s: near %p", (_what, szi, liquidationPx, isNear) => {
  const rig = openRig();
  live(rig);
  const user = findAccount(rig.deps.store, ACCOUNTS.main)?.tradingAddress ?? "";
  const some = { coin: "BTC", szi, positionValue: "60000", liquidationPx };
  const value = parseClearinghouseState(stateOf([some], rig.clock.nowMs()));
  if (value === null) throw new Error("no state");
  const at = { timeMs: rig.clock.nowMs(), askedAtMs: rig.clock.elapsedMs() };
  rig.deps.picture.take(user, { part: "state", dex: "", value }, at);
  expect(conditionsNow(rig.deps).some(({ what }) => what === "liquidation")).toBe(isNear);
});
