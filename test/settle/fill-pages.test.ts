/** Fills that take more than one page, and fills that are shown late: each is counted once, and none is left out. */
import { expect, test } from "bun:test";
import { performanceResource } from "../../src/actions/get-performance.ts";
import { listFills } from "../../src/actions/list-fills.ts";
import type { Account } from "../../src/core/account.ts";
import { type Decimal, decimal } from "../../src/core/decimal.ts";
import { isoTime } from "../../src/core/resource.ts";
import type { InfoRequest } from "../../src/exchange/exchange.ts";
import {
  completes,
  fillPages,
  pagesFrom,
  readFills,
  readFillsSince,
  sumFills,
  withoutCut,
} from "../../src/settle/fills/fill-pages.ts";
import { readSweep } from "../../src/settle/look/sweep.ts";
import { findWholeTo } from "../../src/store/fill-holes.ts";
import { findFillCursor, setFillCursor, sumFillsOf } from "../../src/store/fills.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { listNotes } from "../../src/store/notes.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { countTold, putPerformanceCursor } from "../../src/store/performance.ts";
import { type Fill, parseFills } from "../../src/wire/answer/fills.ts";
import { openFollowing } from "../support/following.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { legRow, orderRow } from "../support/rows.ts";

const PAGE_ROWS = 2_000;
const OID = 7;
const USER = ACCOUNT.tradingAddress;

type Shown = { time: number };

/** Fills of 1 each of one order, at these times, oldest first. */
function fillsAt(times: readonly number[]): Shown[] {
  return times.map((time, nth) => ({
    coin: "BTC",
    px: "100.0",
    sz: "1.0",
    side: "B",
    time,
    startPosition: `${nth}.0`,
    dir: "Open Long",
    closedPnl: "0.0",
    hash: `0x${"00".repeat(32)}`,
    oid: OID,
    crossed: false,
    fee: "0.0",
    feeToken: "USDC",
    tid: nth + 1,
    cloid: null,
  }));
}

/** Pages as the exchange gives them: from a time on, oldest first, no more than so many. */
function openStage(fills: readonly Shown[]): GatewayRig {
  const rig = openGatewayRig();
  rig.exchange.answer("userFillsByTime", ({ startTime, endTime, reversed }: InfoRequest) => {
    const asked = fills.filter(({ time }) => time >= Number(startTime) && time <= Number(endTime ?? time));
    return (reversed === true ? asked.toReversed() : asked).slice(0, PAGE_ROWS);
  });
  rig.exchange.answer("userFills", () => fills.toReversed().slice(0, PAGE_ROWS));
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
  ["more than a page within a millisecond", count(PAGE_ROWS + 1_500).map((nth) => (nth < 2 ? 0 : 1))],
  ["five pages", count(4 * PAGE_ROWS + 3).map((nth) => Math.floor(nth / 3))],
];

test.each(TIMES)("%s of fills are read whole, each once", async (_name, times) => {
  const rig = openStage(fillsAt(times.map((atMs) => START_MS + atMs)));
  const read = await readFillsSince(rig.deps, { user: USER, sinceMs: START_MS }, { purpose: "settle" });
  if (read === "failed") throw new Error("not read");
  expect(new Set(read.map(({ tid }) => tid)).size).toBe(times.length);
  const { size, notional } = sumFills(read);
  expect([String(size), String(notional)]).toEqual([String(times.length), String(times.length * 100)]);
});

/** Pages that hold the newest of what was asked for instead, oldest first. */
function openNewestFirst(fills: readonly Shown[]): GatewayRig {
  const rig = openGatewayRig();
  rig.exchange.answer("userFillsByTime", ({ startTime, endTime }: InfoRequest) =>
    fills.filter(({ time }) => time >= Number(startTime) && time <= Number(endTime ?? time)).slice(-PAGE_ROWS),
  );
  return rig;
}

test.each(TIMES.filter(([name]) => !name.includes("more than a page")))(
  "%s of fills are indexed whole by pages that hold the newest of a range",
  async (_name, times) => {
    const rig = openNewestFirst(fillsAt(times.map((atMs) => START_MS + 1 + atMs)));
    setFillCursor(rig.store, ACCOUNT.id, START_MS + 60_000);
    expect(await openFollowing(rig.deps, rig.deps.settling).index.backFill(ACCOUNT)).toBe(true);
    expect(sumOf(rig, ACCOUNT)).toBe(String(times.length));
  },
);

test("fills are read whole by a server that knows no end of a range: what it gives again lies before nothing", async () => {
  const fills = fillsAt(count(PAGE_ROWS + 500).map((nth) => START_MS + 1 + nth));
  const rig = openGatewayRig();
  rig.exchange.answer("userFillsByTime", ({ startTime }: InfoRequest) =>
    fills.filter(({ time }) => time >= Number(startTime)).slice(0, PAGE_ROWS),
  );
  const read = await readFillsSince(rig.deps, { user: USER, sinceMs: START_MS }, { purpose: "settle" });
  expect(read === "failed" ? read : read.length).toBe(fills.length);
});

test("what lies before a full page is asked for once where the page holds the oldest, and never of one that is not full", async () => {
  const asked = async (rows: number) => {
    const rig = openStage(fillsAt(count(rows).map((nth) => START_MS + 1 + nth)));
    await readFillsSince(rig.deps, { user: USER, sinceMs: START_MS }, { purpose: "settle" });
    return rig.exchange.asked.map(({ request }) => request["endTime"] ?? null);
  };
  expect(await asked(PAGE_ROWS - 1)).toEqual([null]);
  expect(await asked(PAGE_ROWS)).toEqual([null, START_MS + 1, null]);
  expect(await asked(2 * PAGE_ROWS)).toEqual([null, START_MS + 1, null, null]);
});

test("more than a page of one millisecond, with nothing before it, is read whole", async () => {
  const rig = openStage(fillsAt(count(PAGE_ROWS + 500).map(() => START_MS)));
  const read = await readFillsSince(rig.deps, { user: USER, sinceMs: START_MS - 1 }, { purpose: "settle" });
  expect(read).toHaveLength(PAGE_ROWS + 500);
  // Of that millisecond no more than its two ends are asked for: a full page weighs 120 of the 1,200 of a minute.
  const spans = rig.exchange.asked.map(({ request: { startTime, endTime } }) => [startTime, endTime ?? null]);
  const before = [START_MS - 1, START_MS - 1];
  expect(spans).toEqual([[START_MS - 1, null], before, [START_MS, START_MS], [START_MS + 1, null]]);
});

/** Each: how many fills one millisecond has, whether the other end of it can be asked for, and whether some may lack. */
const CROWDED: [number, boolean, boolean][] = [
  [PAGE_ROWS, true, false],
  [2 * PAGE_ROWS - 1, true, false],
  [2 * PAGE_ROWS + 1, true, true],
  [PAGE_ROWS + 500, false, true],
];

test.each(CROWDED)(
  "of %i fills of one millisecond, its other end known: %p, some may lack: %p",
  async (rows, isKnown, isHole) => {
    const later = START_MS + 120_000;
    const fills = fillsAt([...count(rows).map(() => START_MS), later]);
    const rig = openStage(fills);
    if (!isKnown)
      rig.exchange.answer("userFillsByTime", ({ startTime, endTime }: InfoRequest) =>
        fills.filter(({ time }) => time >= Number(startTime) && time <= Number(endTime ?? time)).slice(0, PAGE_ROWS),
      );
    const { index } = openFollowing(rig.deps, rig.deps.settling);
    rig.deps.fillIndex = { ...index, readSoon: () => undefined };
    const oid = String(OID);
    insertOrder(rig.store, orderRow({ accountId: ACCOUNT.id, status: "open", exchangeOrderId: oid }));
    insertLeg(rig.store, legRow({ state: "resting", oid, size: decimal("9000") }));
    for (let nth = 0; nth < 2; nth += 1) expect(await index.backFill(ACCOUNT)).toBe(true);
    // It goes on past it, and is told to be whole up to right before it, but of what is younger.
    const wholeMs = isHole ? START_MS - 1 : later;
    const { store } = rig;
    expect([findFillCursor(store, ACCOUNT.id), findWholeTo(store, ACCOUNT.id)]).toEqual([later, wholeMs]);
    expect(findWholeTo(store, ACCOUNT.id, START_MS + 1)).toBe(later);
    // No reading of it witnesses what comes after.
    const read = await readFills(rig.deps, { user: USER, sinceMs: START_MS - 1 }, { purpose: "settle" });
    expect(read === "failed" ? read : read.wholeToMs).toBe(isHole ? START_MS : later);
    const { fills: seenFills, funding: seenFunding } = countTold(store);
    putPerformanceCursor(store, { accountId: ACCOUNT.id, fromMs: START_MS, toMs: later, seenFills, seenFunding });
    const told = { accountId: ACCOUNT.id, fromMs: 0, lines: [], groups: [], held: [], marks: new Map() };
    expect(performanceResource(rig.deps, told).complete_to).toBe(isoTime(wholeMs));
    const { asOfMs } = listFills(rig.deps, rig.caller, { cursor: null, limit: 1 });
    expect(asOfMs).toBe(wholeMs);
    const story = listNotes(rig.store, orderRow().id).filter(({ what }) => what.startsWith("more was filled"));
    expect(story.map(({ detail }) => detail)).toEqual(isHole ? [String(START_MS)] : []);
  },
);

test("a sweep whose page of fills is full reads the rest", async () => {
  const all = fillsAt(count(PAGE_ROWS + 500).map((atMs) => START_MS + atMs));
  const rig = openStage(all);
  const json = [[], [], all.slice(0, PAGE_ROWS)];
  const read = await readSweep(rig.deps, { user: USER, sinceMs: START_MS, json }, { purpose: "settle" });
  expect(read?.fills).toHaveLength(all.length);
});

test("two fills under one number are one only where they are of one order in one market at one moment", async () => {
  const [fill] = fillsAt([START_MS]);
  const shown = [{ ...fill }, { ...fill, coin: "ETH" }, { ...fill, oid: OID + 1 }, { ...fill, time: START_MS + 1 }];
  const rig = openStage([...shown, shown[3]].map((each) => ({ time: START_MS, ...each })));
  const read = await readFillsSince(rig.deps, { user: USER, sinceMs: START_MS }, { purpose: "settle" });
  expect(read).toHaveLength(shown.length);
});

test.each(TIMES)("%s of fills are indexed whole, each once", async (_name, times) => {
  const rig = openStage(fillsAt(times.map((atMs) => START_MS + atMs)));
  expect(await openFollowing(rig.deps, rig.deps.settling).index.backFill(ACCOUNT)).toBe(true);
  expect(sumOf(rig, ACCOUNT)).toBe(String(times.length));
});

function sumOf({ store }: GatewayRig, { id }: Account): string {
  return sumFillsOf(store, id, { oid: String(OID), market: "BTC", side: "buy" }).size;
}

test("a fill that is shown after one of up to a minute later is found by the next reading", async () => {
  const [late, newer] = fillsAt([START_MS, START_MS + 60_000]);
  if (late === undefined || newer === undefined) throw new Error("no fills");
  const fills = [newer];
  const rig = openStage(fills);
  const index = openFollowing(rig.deps, rig.deps.settling).index;
  await index.backFill(ACCOUNT);
  expect([sumOf(rig, ACCOUNT), findFillCursor(rig.store, ACCOUNT.id)]).toEqual(["1", START_MS + 60_000]);
  fills.unshift(late);
  await index.backFill(ACCOUNT);
  expect(sumOf(rig, ACCOUNT)).toBe("2");
});

test("a reading that breaks off completes nothing", async () => {
  const rig = openStage([]);
  setFillCursor(rig.store, ACCOUNT.id, START_MS - 1);
  rig.exchange.answer("userFillsByTime", () => null);
  expect(await openFollowing(rig.deps, rig.deps.settling).index.backFill(ACCOUNT)).toBe(false);
  expect(findFillCursor(rig.store, ACCOUNT.id)).toBe(START_MS - 1);
});

test.each([
  // A page, and what lies before it; then that again, and what lies after the page; nothing of it is read anew.
  ["goes on where it was", 50_000, ["page", "before", "before", "after"]],
  ["begins anew a minute later: servers may have been behind", 60_001, ["page", "before", "page", "before", "after"]],
] as const)("a reading that is broken off %s", async (_why, laterMs, questions) => {
  const fills = fillsAt(count(PAGE_ROWS + 5).map((nth) => START_MS + 1 + nth));
  const rig = openStage(fills);
  const asked: string[] = [];
  rig.exchange.answer("userFillsByTime", ({ startTime, endTime }: InfoRequest) => {
    const name = endTime !== undefined ? "before" : Number(startTime) > START_MS ? "after" : "page";
    asked.push(name);
    if (asked.length === 2) return "cut off";
    const shown = fills.filter(({ time }) => time >= Number(startTime) && time <= Number(endTime ?? time));
    return shown.slice(0, PAGE_ROWS);
  });
  setFillCursor(rig.store, ACCOUNT.id, START_MS);
  const index = openFollowing(rig.deps, rig.deps.settling).index;
  expect(await index.backFill(ACCOUNT)).toBe(false);
  await rig.clock.advance(laterMs);
  expect(await index.backFill(ACCOUNT)).toBe(true);
  expect(asked).toEqual([...questions]);
  expect(sumOf(rig, ACCOUNT)).toBe(String(PAGE_ROWS + 5));
});

const WHOLE = ["userFillsByTime", "userFills", ...Array.from({ length: 4 }, () => "userFillsByTime")];

/** Each: what the order's record shows of 3 that filled among five pages of others, and the reads that it takes. */
const NEWEST_FIRST: [string, { size: Decimal; originalSize: Decimal }, string[]][] = [
  [
    "is completed by the newest page",
    { size: decimal("7"), originalSize: decimal("10") },
    ["userFillsByTime", "userFills"],
  ],
  ["shows more than the newest page holds", { size: decimal("6"), originalSize: decimal("10") }, WHOLE],
  ["shows nothing filled, and may be behind", { size: decimal("10"), originalSize: decimal("10") }, WHOLE],
];

test.each(NEWEST_FIRST)("among many fills an order whose record %s", async (_name, record, reads) => {
  const fills = fillsAt(count(4 * PAGE_ROWS + 3).map((nth) => START_MS + nth));
  const own = fills.slice(-3).map((fill) => ({ ...fill, oid: 8 }));
  const rig = openStage([...fills.slice(0, -3), ...own]);
  const asked = { user: USER, sinceMs: START_MS, isEnough: completes([{ oid: "8", ...record }]) };
  const read = await readFillsSince(rig.deps, asked, { purpose: "settle" });
  if (read === "failed") throw new Error("not read");
  expect(String(sumFills(read.filter(({ oid }) => oid === "8")).size)).toBe("3");
  expect(rig.exchange.asked.map(({ request }) => request.type)).toEqual(reads);
});

test("no page, and no newest page, tells a part of what filled within one millisecond", async () => {
  const times = [...count(PAGE_ROWS - 500), ...Array.from({ length: 1_000 }, () => PAGE_ROWS), ...count(PAGE_ROWS)];
  const fills = fillsAt(times.toSorted((a, b) => a - b).map((atMs) => START_MS + atMs));
  const rig = openStage(fills);
  const whole = new Map<number, number>();
  for (const { time } of fills) whole.set(time, (whole.get(time) ?? 0) + 1);
  const seen: Fill[][] = [];
  for await (const page of fillPages(
    rig.deps,
    { user: USER, progress: pagesFrom(START_MS), maxPages: 8 },
    { purpose: "settle" },
  )) {
    if (page === "failed") throw new Error("not read");
    seen.push([...page.fills]);
  }
  const newest = parseFills(fills.toReversed().slice(0, PAGE_ROWS)) ?? [];
  seen.push([...withoutCut(newest, PAGE_ROWS)]);
  expect(seen.length).toBeGreaterThan(2);
  for (const page of seen) {
    const byTime = Map.groupBy(page, ({ timeMs }) => timeMs);
    for (const [timeMs, ofOne] of byTime) expect([timeMs, ofOne.length]).toEqual([timeMs, whole.get(timeMs) ?? 0]);
  }
});

/** Six pages, a full one of one millisecond, and so many after a pause: the eighth begins later than it was asked from. */
function openManyPages(rest: number): { rig: GatewayRig; times: number[] } {
  const crowdedMs = 6 * (PAGE_ROWS - 1);
  const crowd = count(PAGE_ROWS).map(() => crowdedMs);
  const later = count(rest).map((nth) => crowdedMs + 100 + nth);
  const times = [...count(crowdedMs), ...crowd, ...later].map((atMs) => START_MS + atMs);
  return { rig: openStage(fillsAt(times)), times };
}

test("the last page that is read may begin later than it was asked from, as may any other", async () => {
  const { rig, times } = openManyPages(PAGE_ROWS);
  const read = await readFills(rig.deps, { user: USER, sinceMs: START_MS }, { purpose: "settle" });
  if (read === "failed") throw new Error("not read");
  expect([read.fills.length, read.wholeToMs, read.isToEnd]).toEqual([times.length, times.at(-1) ?? null, true]);
});

test("more pages than one question reads are no answer, and what they show is whole up to where they end", async () => {
  const { rig, times } = openManyPages(2 * PAGE_ROWS + 10);
  const asked = { user: USER, sinceMs: START_MS };
  const read = await readFills(rig.deps, asked, { purpose: "settle" });
  if (read === "failed") throw new Error("not read");
  expect([read.wholeToMs, read.isToEnd]).toEqual([times.at(-(PAGE_ROWS + 11)) ?? null, false]);
  expect(await readFillsSince(rig.deps, asked, { purpose: "settle" })).toBe("failed");
});
