/** Lists of open orders that show an order whose end the exchange has told. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { Leg, LegState } from "../../src/core/order.ts";
import { openShownAfterEnd } from "../../src/settle/cancel/shown-after-end.ts";
import { openCrossChecks } from "../../src/settle/feed/cross-check.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import type { StoredEvent } from "../../src/store/events.ts";
import { findLegByCloid, insertLeg } from "../../src/store/legs.ts";
import { findOrder, insertOrder } from "../../src/store/orders.ts";
import type { FrontendOrder } from "../../src/wire/answer/order-status.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { legRow, orderRow } from "../support/rows.ts";

const OID = "77";

const SHOWN: FrontendOrder = {
  coin: "BTC",
  side: "B",
  limitPrice: decimal("100"),
  size: decimal("1"),
  originalSize: decimal("1"),
  oid: OID,
  cloid: legRow().cloid,
  timestampMs: START_MS,
  isTrigger: false,
  triggerPrice: null,
  triggerCondition: null,
  isPositionTpsl: false,
  reduceOnly: false,
  orderType: "Limit",
  tif: "Gtc",
  children: [],
};
/** Placed after the end by a clock that is far ahead: it makes no list newer. */
const NEWER: FrontendOrder = { ...SHOWN, oid: "99", cloid: null, timestampMs: START_MS + 3_600_000 };

/** An order of which the exchange has told an end, by a row that a wrong clock has dated an hour too early. */
async function told(some: Partial<Leg>) {
  const rig = openGatewayRig();
  const status = some.state as "canceled" | "filled" | "rejected";
  const oid = some.oid === undefined ? OID : some.oid;
  const order = orderRow({ accountId: ACCOUNT.id, status, seenAtMs: START_MS - 3_600_000, exchangeOrderId: oid });
  insertOrder(rig.store, order);
  insertLeg(rig.store, legRow({ isExchangesWord: true, ...some, oid }));
  await rig.clock.advance(60_000);
  const ended = openShownAfterEnd(rig.deps);
  const bornMs = rig.clock.elapsedMs();
  const read = async (orders: readonly FrontendOrder[], askedAfterMs: number) => {
    await rig.clock.advance(Math.max(0, bornMs + askedAfterMs - rig.clock.elapsedMs()));
    ended.heedRead(ACCOUNT, orders, rig.clock.elapsedMs());
  };
  const error = () => findOrder(rig.store, order.id)?.error ?? null;
  const state = () => findLegByCloid(rig.store, SHOWN.cloid ?? "")?.state;
  const ofOrder = ({ resourceId }: StoredEvent) => resourceId === order.id;
  const events = () =>
    listEventsAfter(rig.store, { accountId: ACCOUNT.id, after: 0, limit: 10 }).filter(ofOrder).length;
  return { rig, ended, read, error, state, events };
}

const ENDS: [LegState, Partial<Leg>][] = [
  ["canceled", { reason: "It was canceled by its owner." }],
  ["filled", {}],
  ["rejected", { oid: null, reason: "it was refused" }],
];

test.each(ENDS)(
  "an end that was told, %s, stays, and a list of when no server is as far behind raises the alarm, once",
  async (state, some) => {
    const about = await told({ state, ...some });
    await about.read([SHOWN, NEWER], 0);
    await about.read([SHOWN, NEWER], 159_999);
    expect([about.error(), about.events()]).toEqual([null, 1]);
    expect(about.ended.isDoubting(ACCOUNT)).toBe(true);
    await about.read([SHOWN], 160_000);
    const words = "ALARM: the exchange shows the order as open, in lists of after the end that it had told,";
    expect(about.error()).toContain(words);
    expect(about.error()?.startsWith(some.reason ?? "ALARM")).toBe(true);
    const before = about.error();
    await about.read([SHOWN], 170_000);
    await about.read([SHOWN], 400_000);
    expect([about.state(), about.error(), about.events()]).toEqual([state, before, 2]);
    expect(about.ended.isDoubting(ACCOUNT)).toBe(false);
  },
);

test("a list that lacks it bears the end out: an old one that shows it again begins anew", async () => {
  const { ended, read, error } = await told({ state: "canceled" });
  await read([SHOWN], 0);
  await read([NEWER], 30_000);
  expect(ended.isDoubting(ACCOUNT)).toBe(false);
  await read([SHOWN], 500_000);
  expect(error()).toBeNull();
});

test("an order of other terms under its id is none of it", async () => {
  const { read, error } = await told({ state: "canceled" });
  const other = { ...SHOWN, limitPrice: decimal("101") };
  for (const askedAfterMs of [0, 160_000, 320_000]) await read([other], askedAfterMs);
  expect(error()).toBeNull();
});

test("what a modify has canceled is not the order any more, and its own look tells of it", async () => {
  const { rig, read } = await told({ state: "canceled" });
  insertLeg(rig.store, legRow({ cloid: `0x${"b".repeat(32)}`, state: "resting", oid: "78", ordinal: 2 }));
  for (const askedAfterMs of [0, 160_000]) await read([SHOWN], askedAfterMs);
  expect(findLegByCloid(rig.store, SHOWN.cloid ?? "")?.reason).toBeNull();
});

test.each([
  ["told", true, 8],
  ["not told", false, 0],
] as const)(
  "what a live feed lists, %s, has the list read where no order is live, and raises nothing itself",
  async (_what, isTold, reads) => {
    const { rig, ended, error } = await told({ state: "canceled" });
    const times = { timeMs: START_MS, heard: 1, askedAtMs: null, asOfMs: START_MS, toldToMs: START_MS };
    const list = { ...times, value: [SHOWN], isTold };
    const openOrders = (_user: string, dex: string) => (dex === "" ? list : null);
    const picture = { ...rig.deps.picture, openOrders };
    const feeds = { ...rig.deps.feeds, isLive: () => true };
    const index = { backFill: () => Promise.resolve(true), readToMs: () => START_MS };
    let count = 0;
    const readListed = () => {
      count += 1;
      return Promise.resolve(true);
    };
    const checks = openCrossChecks({ ...rig.deps, picture, feeds }, { index, ended, readListed });
    for (let nth = 0; nth < 16; nth += 1) {
      await checks.run(ACCOUNT);
      await rig.clock.advance(15_500);
    }
    expect([count, error()]).toEqual([reads, null]);
  },
);
