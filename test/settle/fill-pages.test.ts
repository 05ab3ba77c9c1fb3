/** Fills that take more than one page, and fills that are shown late: each is counted once, and none is left out. */
import { expect, test } from "bun:test";
import type { Account } from "../../src/core/account.ts";
import type { InfoRequest } from "../../src/exchange/exchange.ts";
import { readFillsSince, sumFills } from "../../src/settle/fill-pages.ts";
import { openFillIndex } from "../../src/settle/index-fills.ts";
import { findCompleteTo, setCompleteTo, sumFillsOf } from "../../src/store/fills.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";

const PAGE_ROWS = 2_000;
const OID = 7;

type Shown = { time: number };

/** Fills of 1 each of one order, at these times, oldest first. */
function fillsAt(times: readonly number[]): Shown[] {
  return times.map((time, nth) => ({
    ...{ coin: "BTC", px: "100.0", sz: "1.0", side: "B", time, startPosition: `${nth}.0`, dir: "Open Long" },
    ...{ closedPnl: "0.0", hash: `0x${"00".repeat(32)}`, oid: OID, crossed: false, fee: "0.0", feeToken: "USDC" },
    ...{ tid: nth + 1, cloid: null },
  }));
}

/** Pages as the exchange gives them: from a time on, oldest first, no more than so many. */
function openStage(fills: readonly Shown[]): GatewayRig {
  const rig = openGatewayRig();
  rig.exchange.answer("userFillsByTime", ({ startTime }: InfoRequest) =>
    fills.filter(({ time }) => time >= Number(startTime)).slice(0, PAGE_ROWS),
  );
  return rig;
}

function count(length: number): number[] {
  return Array.from({ length }, (_, nth) => nth);
}

/** Each: when so many fills were, milliseconds after the start. */
const TIMES: [string, number[]][] = [
  ["one page, full", count(PAGE_ROWS)],
  ["two pages", count(PAGE_ROWS + 500)],
  ["a page that ends within a millisecond", count(PAGE_ROWS + 10).map((nth) => Math.floor(nth / 7))],
  ["five pages", count(4 * PAGE_ROWS + 3).map((nth) => Math.floor(nth / 3))],
];

test.each(TIMES)("%s of fills are read whole, each once", async (_name, times) => {
  const rig = openStage(fillsAt(times.map((atMs) => START_MS + atMs)));
  const read = await readFillsSince(rig.deps, ACCOUNT.tradingAddress, START_MS, { purpose: "settle" });
  if (read === "failed") throw new Error("not read");
  expect(new Set(read.map(({ tid }) => tid)).size).toBe(times.length);
  const { size, notional } = sumFills(read);
  expect([String(size), String(notional)]).toEqual([String(times.length), String(times.length * 100)]);
});

test.each(TIMES)("%s of fills are indexed whole, each once", async (_name, times) => {
  const rig = openStage(fillsAt(times.map((atMs) => START_MS + atMs)));
  expect(await openFillIndex(rig.deps).backFill(ACCOUNT)).toBe(true);
  expect(sumOf(rig, ACCOUNT)).toBe(String(times.length));
});

function sumOf({ store }: GatewayRig, { id }: Account): string {
  return sumFillsOf(store, id, String(OID)).size;
}

test("a fill that is shown after one of up to a minute later is found by the next reading", async () => {
  const [late, newer] = fillsAt([START_MS, START_MS + 60_000]);
  if (late === undefined || newer === undefined) throw new Error("no fills");
  const fills = [newer];
  const rig = openStage(fills);
  const index = openFillIndex(rig.deps);
  await index.backFill(ACCOUNT);
  expect([sumOf(rig, ACCOUNT), findCompleteTo(rig.store, ACCOUNT.id)]).toEqual(["1", START_MS + 60_000]);
  fills.unshift(late);
  await index.backFill(ACCOUNT);
  expect(sumOf(rig, ACCOUNT)).toBe("2");
});

test("a reading that breaks off completes nothing", async () => {
  const rig = openStage([]);
  setCompleteTo(rig.store, ACCOUNT.id, START_MS - 1);
  rig.exchange.answer("userFillsByTime", () => null);
  expect(await openFillIndex(rig.deps).backFill(ACCOUNT)).toBe(false);
  expect(findCompleteTo(rig.store, ACCOUNT.id)).toBe(START_MS - 1);
});
