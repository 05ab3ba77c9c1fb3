/** Who may share a reading of positions: whoever it tells of after the moment that he asks about. */
import { expect, test } from "bun:test";
import { sharePositionReadings } from "../../src/settle/evidence/position-readings.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";

const USER = ACCOUNT.tradingAddress;
const SETTLE = { purpose: "settle" } as const;

/** A server that shows an empty account as of one second after the other. */
function openReadings() {
  const rig = openGatewayRig();
  let asked = 0;
  rig.exchange.answer("clearinghouseState", () => {
    asked += 1;
    return stateOf(asked * 1_000);
  });
  const readings = sharePositionReadings();
  const after = (sinceMs: number, options: Parameters<typeof readings.after>[2] = SETTLE, dex = "") =>
    readings.after(rig.deps, { user: USER, dex, sinceMs }, options);
  return { rig, after, asked: () => asked };
}

test("orders that are over together share one reading, which is one of each", async () => {
  const { after, asked } = openReadings();
  const [first, second, third] = await Promise.all([after(500), after(700), after(900)]);
  expect(asked()).toBe(1);
  expect(second).toEqual(first);
  expect(third).toEqual(first);
});

test("what is over later than the reading is of has one of its own, and the next that need it too share that", async () => {
  const { after, asked } = openReadings();
  const [first, second, third] = await Promise.all([after(500), after(1_000), after(1_500)]);
  expect(asked()).toBe(2);
  expect([first, second, third].map((state) => state?.timeMs)).toEqual([1_000, 2_000, 2_000]);
});

test.each([
  ["of a moment ago", 500, 300, 1],
  ["of long ago", 500, 301, 2],
  ["that is of before what it asks about", 1_000, 50, 2],
] as const)("who asks once it is there, %s, has had as many read", async (_why, sinceMs, laterMs, count) => {
  const { rig, after, asked } = openReadings();
  await after(500);
  await rig.clock.advance(laterMs);
  const second = await after(sinceMs);
  expect(asked()).toBe(count);
  expect(second?.timeMs).toBe(count * 1_000);
});

test("a server that is behind is asked once for all who wait, and each goes by what it says", async () => {
  const rig = openGatewayRig();
  let asked = 0;
  rig.exchange.answer("clearinghouseState", async () => {
    asked += 1;
    await rig.clock.sleep(50);
    return stateOf(100);
  });
  const readings = sharePositionReadings();
  const ask = () => readings.after(rig.deps, { user: USER, dex: "", sinceMs: 500 }, SETTLE);
  const first = ask();
  await rig.clock.advance(10);
  const others = Array.from({ length: 40 }, ask);
  await rig.clock.advance(200);
  expect((await Promise.all([first, ...others])).map((state) => state?.timeMs)).toEqual(Array(41).fill(100));
  // What had begun before they asked, and one since.
  expect(asked).toBe(2);
});

test.each([
  ["a moment ago is joined", 300, 1],
  ["long before is not", 301, 2],
] as const)("one that has begun %s", async (...[, laterMs, count]) => {
  const { rig, after } = openReadings();
  let asked = 0;
  rig.exchange.answer("clearinghouseState", async () => {
    asked += 1;
    await rig.clock.sleep(1_000);
    return stateOf(9_000);
  });
  const first = after(500);
  await rig.clock.advance(laterMs);
  const second = after(500);
  await rig.clock.advance(2_000);
  expect([(await first)?.timeMs, (await second)?.timeMs, asked]).toEqual([9_000, 9_000, count]);
});

test.each([
  ["another server is asked", { purpose: "settle", onNewConnection: true }, ""],
  ["it is of another dex", SETTLE, "xyz"],
] as const)("where %s it is not shared", async (_why, options, dex) => {
  const { after, asked } = openReadings();
  await Promise.all([after(500), after(500, options, dex)]);
  expect(asked()).toBe(2);
});

test("it is shared whoever pays, and that another share has nothing left says nothing of one's own", async () => {
  const { rig, after, asked } = openReadings();
  const states = await Promise.all([after(500), after(500, { purpose: "order" })]);
  expect([states[1], asked()]).toEqual([states[0], 1]);
  let isCut = true;
  rig.exchange.answer("clearinghouseState", () => {
    if (!isCut) return stateOf(9_000);
    isCut = false;
    return "cut off";
  });
  await rig.clock.advance(400);
  const [own, others] = await Promise.all([after(5_000), after(5_000, { purpose: "order" })]);
  expect([own, others?.timeMs]).toEqual([null, 9_000]);
});

test("one that could not be read is nobody's", async () => {
  const { rig, after } = openReadings();
  let isCut = true;
  rig.exchange.answer("clearinghouseState", () => {
    if (!isCut) return stateOf(1_000);
    isCut = false;
    return "cut off";
  });
  const read = await Promise.all([after(500), after(600)]);
  expect(read.map((state) => state?.timeMs ?? null)).toEqual([null, 1_000]);
});

function stateOf(time: number): unknown {
  const summary = { accountValue: "1.0", totalNtlPos: "0.0", totalRawUsd: "1.0", totalMarginUsed: "0.0" };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: "0.0",
    assetPositions: [],
    time,
  };
}
