/** Who may share a reading of fills: whoever asks for no older ones a moment later, where all that there is was read. */
import { expect, test } from "bun:test";
import { shareFillReadings } from "../../src/settle/evidence/fill-readings.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";

const USER = ACCOUNT.tradingAddress;
const SETTLE = { purpose: "settle" } as const;
function never(): boolean {
  return false;
}

/** A server that takes `tookMs` for each answer, and counts what it is asked. */
function openReadings(tookMs = 100) {
  const rig = openGatewayRig();
  let asked = 0;
  rig.exchange.answer("userFillsByTime", async () => {
    asked += 1;
    await rig.clock.sleep(tookMs);
    return [];
  });
  const readings = shareFillReadings();
  const since = (sinceMs: number, options: Parameters<typeof readings.since>[2] = SETTLE) =>
    readings.since(rig.deps, { user: USER, sinceMs, isEnough: never }, options);
  return { rig, since, asked: () => asked };
}

test.each([
  ["of the same moment", 500, SETTLE, 0, 1],
  ["of a later moment", 501, SETTLE, 0, 1],
  ["of an earlier moment", 499, SETTLE, 0, 2],
  ["of another server", 500, { ...SETTLE, onNewConnection: true }, 0, 2],
  ["for another use", 500, { purpose: "order" } as const, 0, 1],
  ["a moment later", 500, SETTLE, 300, 1],
  ["long after it has begun", 500, SETTLE, 301, 2],
] as const)("who asks for fills %s", async (...[, sinceMs, options, laterMs, asked]) => {
  const readings = openReadings(1_000);
  const first = readings.since(500);
  await readings.rig.clock.advance(laterMs);
  const second = readings.since(sinceMs, options);
  await readings.rig.clock.advance(2_000);
  expect([await first, await second]).toEqual([EMPTY, EMPTY]);
  expect(readings.asked()).toBe(asked);
});

const EMPTY = { fills: [], wholeToMs: null, isWhole: true, isToEnd: true };

test.each([
  ["of a moment ago", 101, 1],
  ["of long ago", 301, 2],
] as const)("who asks once it is there, %s, has had as many read", async (_why, laterMs, count) => {
  const { rig, since, asked } = openReadings();
  const first = since(500);
  await rig.clock.advance(laterMs);
  const second = since(500);
  await rig.clock.advance(101);
  expect([await first, await second]).toEqual([EMPTY, EMPTY]);
  expect(asked()).toBe(count);
});

test("one that could not be read is nobody's", async () => {
  const { rig, since } = openReadings();
  let isCut = true;
  rig.exchange.answer("userFillsByTime", async () => {
    await rig.clock.sleep(100);
    const answer = isCut ? "cut off" : [];
    isCut = false;
    return answer;
  });
  const both = [since(500), since(500)];
  await rig.clock.advance(300);
  expect(await Promise.all(both)).toEqual(["failed", EMPTY]);
});

/** How often a full page is asked for by so many at once, to each of whom the first of them is enough. */
async function pagesAsked(askers: number): Promise<number> {
  const { rig } = openReadings();
  let asked = 0;
  rig.exchange.answer("userFillsByTime", async () => {
    asked += 1;
    await rig.clock.sleep(100);
    return [row(1), row(2)];
  });
  rig.exchange.answer("userFills", () => [row(99)]);
  const readings = shareFillReadings();
  const world = { ...rig.deps, settings: { ...rig.deps.settings, fillsPageRows: 2 } };
  const question = { user: USER, sinceMs: 1, isEnough: () => true };
  const all = Array.from({ length: askers }, () => readings.since(world, question, SETTLE));
  await rig.clock.advance(2_000);
  for (const read of await Promise.all(all)) expect(read).toMatchObject({ isWhole: false, isToEnd: true });
  return asked;
}

test("what was enough for one order is not all, and is no answer to another's question", async () => {
  expect(await pagesAsked(2)).toBe(2 * (await pagesAsked(1)));
});

function row(nth: number): object {
  const fill = { coin: "BTC", px: "100.0", sz: "0.1", side: "B", time: nth * 1_000, dir: "Open Long" };
  const rest = { closedPnl: "0.0", hash: "0x00", oid: 7, crossed: false, fee: "0.0", feeToken: "USDC", cloid: null };
  return { ...fill, ...rest, startPosition: "0.0", tid: nth };
}
