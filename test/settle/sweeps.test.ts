/** How far back, and where, everything of an account is read when an answer was lost. */
import { expect, test } from "bun:test";
import { findInSweep, reachesBackTo } from "../../src/settle/look/sweep.ts";
import { openSweeps } from "../../src/settle/look/sweeps.ts";
import { insertAttempt, listOpenAttempts } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { setFillCursor } from "../../src/store/fills.ts";
import { findLegByCloid } from "../../src/store/legs.ts";
import { type FrontendOrder, parseHistoricalOrders } from "../../src/wire/answer/order-status.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow } from "../support/rows.ts";
import { answered, recordOf } from "../support/small-venue.ts";

const NOW_MS = 60_000;
const OWN = { user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id };
const NOBODY = { onFills: () => undefined, onReopened: () => undefined };

/** A gateway whose attempts are still open; the numbers are the exchange times at which they were made. */
async function openStage(attempts: readonly { accountId: string; nonce: number }[]): Promise<GatewayRig> {
  const rig = openGatewayRig();
  for (const { accountId, nonce } of attempts)
    insertAttempt(rig.store, attemptRow({ kind: "cancel", cloid: null, accountId, nonce, state: "ambiguous" }));
  await rig.clock.advance(NOW_MS);
  return rig;
}

async function askedSince(rig: GatewayRig): Promise<number> {
  await openSweeps(rig.deps, NOBODY).read(OWN, { purpose: "settle" });
  const fills = rig.exchange.asked.find(({ request }) => request.type === "userFillsByTime");
  return Number(fills?.request["startTime"]) - START_MS;
}

const LEAD_MS = 5_000;

function own(afterMs: number) {
  return { accountId: ACCOUNT.id, nonce: START_MS + afterMs };
}

function others(afterMs: number) {
  return { accountId: "5c0d8a52-6f0e-4f3b-9c55-000000000000", nonce: START_MS + afterMs };
}

test.each([
  ["the only one", [own(30_000)], 30_000],
  ["the oldest of several", [own(20_000), own(30_000), own(40_000)], 20_000],
  ["the oldest, whichever was written first", [own(40_000), own(20_000), own(30_000)], 20_000],
  ["its own, not another account's", [others(10_000), own(30_000)], 30_000],
  ["now, where nothing is open", [], NOW_MS],
])("fills are read from a little before %s", async (_name, attempts, sinceMs) => {
  expect(await askedSince(await openStage(attempts))).toBe(sinceMs - LEAD_MS);
});

test("open orders are read of every dex that is followed", async () => {
  const rig = await openStage([]);
  await openSweeps(rig.deps, NOBODY).read(OWN, { purpose: "settle" });
  const open = rig.exchange.asked.filter(({ request }) => request.type === "frontendOpenOrders");
  expect(open.map(({ request }) => request["dex"])).toEqual(["", "xyz"]);
});

const USED_UP =
  "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.";

/** An order that was refused without its number being used up. */
async function openRefused(): Promise<GatewayRig> {
  const rig = openGatewayRig();
  rig.deliveries.push(() => answered({ status: "err", response: USED_UP }));
  expect((await rig.answerOf(rig.place("key-refused"))).order).toMatchObject({ status: "rejected" });
  return rig;
}

test.each([
  ["rests", null, true],
  ["was canceled", "canceled", true],
  ["was refused in its turn", "badAloPxRejected", false],
])(
  "an order that was told to be refused is open again where a reading shows that a copy of it %s",
  async (_what, status, isOpen) => {
    const rig = await openRefused();
    rig.venue.take(rig.exchange.sent[0]?.body ?? "");
    const [copy] = rig.venue.orders;
    if (copy === undefined) throw new Error("bug: a copy that was not taken");
    if (status !== null) rig.venue.close(copy, status);
    let reopened = 0;
    const sweeps = openSweeps(rig.deps, {
      onFills: () => undefined,
      onReopened: () => {
        reopened += 1;
      },
    });
    await sweeps.read(OWN, { purpose: "settle" });
    expect(reopened).toBe(isOpen ? 1 : 0);
    expect(listOpenAttempts(rig.store).map(({ cloid }) => cloid)).toEqual(isOpen ? [copy.cloid] : []);
    expect(findLegByCloid(rig.store, copy.cloid)?.oid).toBe(isOpen ? String(copy.oid) : null);
  },
);

test("the fills of a reading are handed on, whatever it was made for", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-filled"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("bug: nothing was placed");
  rig.venue.fill(order, "0.4");
  const heard: unknown[] = [];
  const sweeps = openSweeps(rig.deps, { ...NOBODY, onFills: ({ id }, fills) => heard.push([id, ...fills]) });
  await sweeps.read(OWN, { purpose: "settle" });
  expect(heard).toMatchObject([[ACCOUNT.id, { oid: String(order.oid), size: "0.4" }]]);
  // What the index is known to have is not handed on again.
  inTransaction(rig.store, (store) => setFillCursor(store, ACCOUNT.id, rig.clock.nowMs() + 60_001));
  await rig.clock.advance(1_000);
  await sweeps.read(OWN, { purpose: "settle" });
  expect(heard).toHaveLength(1);
});

test("one that a reading has shown is pursued at once, and told as it is", async () => {
  const rig = await openRefused();
  rig.venue.take(rig.exchange.sent[0]?.body ?? "");
  await rig.settler.tools.sweeps.read(OWN, { purpose: "settle" });
  await rig.clock.advance(2_000);
  expect((await rig.answerOf(rig.place("key-refused"))).order).toMatchObject({ status: "open" });
});

const CLOID = `0x${"ab".repeat(16)}`;

/** A record of one order, for each change of its status. */
function recordAt(status: string, statusAtMs: number): unknown {
  return recordOf({
    oid: 7,
    cloid: CLOID,
    isBuy: true,
    price: "100",
    size: "1",
    tif: "Gtc",
    reduceOnly: false,
    isTrigger: false,
    status,
    placedAtMs: 1_000,
    statusAtMs,
    fills: [],
  });
}

test.each([
  ["oldest first", ["open", "canceled"], [1_000, 2_000]],
  ["newest first", ["canceled", "open"], [2_000, 1_000]],
])("of the records of one order the newest decides, where they stand %s", (_name, [first = "", second = ""], times) => {
  const [firstAtMs = 0, secondAtMs = 0] = times;
  const history = parseHistoricalOrders([recordAt(first, firstAtMs), recordAt(second, secondAtMs)]);
  if (history === null) throw new Error("unreadable");
  expect(findInSweep({ open: [], history, fills: [] }, CLOID, 0)).toMatchObject({ kind: "past", status: "canceled" });
});

test.each([
  ["of an account that never traded is whole", false, [], true],
  ["that is empty, of one that has traded, is cut short", true, [], false],
  ["of one that has traded is cut short where it begins later", true, [1_001], false],
  ["of one that has traded reaches back where it holds something older", true, [999, 1_001], true],
])("a short history %s", (_name, hasTradedBefore, times, reachesBack) => {
  const history = parseHistoricalOrders(times.map((statusAtMs) => recordAt("canceled", statusAtMs)));
  if (history === null) throw new Error("unreadable");
  const swept = findInSweep({ open: [], history, fills: [] }, "0x00", 1_000, hasTradedBefore);
  expect(swept).toMatchObject({ kind: "not_found", history: { reachesBack } });
});

test("a full history reaches back to what is later than its oldest row, and not to that moment itself", () => {
  const row = { order: {} as FrontendOrder, status: "open", statusTimestampMs: START_MS };
  const history = Array.from({ length: 2_000 }, () => row);
  const reachesTo = (sentAtMs: number) => reachesBackTo({ open: [], history, fills: [] }, sentAtMs);
  expect([reachesTo(START_MS), reachesTo(START_MS + 1)]).toEqual([false, true]);
});

test("a reading over another connection is not shared with one over this", async () => {
  const rig = await openStage([]);
  const sweeps = openSweeps(rig.deps, NOBODY);
  const read = (onNewConnection: boolean) => sweeps.read(OWN, { purpose: "settle", onNewConnection });
  const [first, again, other] = [read(false), read(false), read(true)];
  expect([first === again, first === other]).toEqual([true, false]);
  await Promise.all([first, again, other]);
});

test("a reading is for all that came since it was asked for, and a failed one for nobody", async () => {
  const rig = await openStage([]);
  const sweeps = openSweeps(rig.deps, NOBODY);
  const { user } = OWN;
  const askedFor = () => rig.exchange.asked.filter(({ request }) => request.type === "historicalOrders").length;
  expect(sweeps.newestMs(user)).toBeNull();
  await sweeps.read(OWN, { purpose: "settle" });
  const firstMs = rig.clock.elapsedMs();
  await rig.clock.advance(5_000);
  expect(sweeps.newestMs(user)).toBe(firstMs);
  await sweeps.read(OWN, { purpose: "settle", onNewConnection: true }, firstMs);
  expect(askedFor()).toBe(1);
  // One that is on its way is waited for.
  await Promise.all([
    sweeps.read(OWN, { purpose: "settle" }, firstMs + 1),
    sweeps.read(OWN, { purpose: "settle" }, firstMs + 1),
  ]);
  expect([askedFor(), sweeps.newestMs(user)]).toEqual([2, firstMs + 5_000]);
  await sweeps.read({ ...OWN, user: "0x3333333333333333333333333333333333333333" }, { purpose: "settle" }, 0);
  expect(askedFor()).toBe(3);
  await rig.clock.advance(5_000);
  rig.exchange.answer("historicalOrders", () => null);
  expect(await sweeps.read(OWN, { purpose: "settle" }, firstMs + 6_000)).toBe("failed");
  expect(sweeps.newestMs(user)).toBe(firstMs + 5_000);
});
