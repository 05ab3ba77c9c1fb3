/** The list of open orders does not leave out an order of ours only because the exchange's list is behind. */
import { expect, test } from "bun:test";
import { listOrders } from "../../src/actions/list-orders.ts";
import { openOrderNews } from "../../src/actions/order-news.ts";
import { parseFrontendOpenOrders } from "../../src/wire/answer/open-orders.ts";
import type { BasicOrder } from "../../src/wire/answer/order-status.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";
import { WALL_CLOCKS } from "../support/wall-clocks.ts";

const SECOND = 1_000;
/** After which a list that was read is read again, milliseconds. */
const LIST_STANDS = 9_001;

/** Orders that rest, the last of them missing from the exchange's list. */
async function openStage(count = 1) {
  const rig = openGatewayRig();
  for (let nth = 0; nth < count; nth += 1) {
    await rig.answerOf(rig.place(`key-${nth}-0001`));
    await rig.clock.advance(SECOND);
  }
  const order = rig.venue.orders.at(-1);
  if (order === undefined) throw new Error("nothing placed");
  showList(rig, rig.venue.orders.slice(0, -1));
  return { rig, order };
}

function showList({ exchange }: GatewayRig, orders: readonly BookOrder[]): void {
  exchange.answer("frontendOpenOrders", ({ dex }) =>
    // A record as the small venue writes it.
    dex === "" ? orders.map((order) => (recordOf(order) as { order: unknown }).order) : [],
  );
}

async function listed(rig: GatewayRig, some: { cursor?: string; limit?: number; dex?: string } = {}) {
  const wanted = { status: "open", dex: null, cursor: null, limit: 50, ...some };
  const { body, asOfMs } = await listOrders(rig.deps, rig.caller, wanted);
  const { data, next_cursor: next } = JSON.parse(body) as {
    data: { exchange_order_id: string; status: string; filled_size: string }[];
    next_cursor: string | null;
  };
  return { ids: data.map((row) => row.exchange_order_id), data, next, isDated: asOfMs !== null, asOfMs };
}

function laterThan({ clock }: GatewayRig, order: BookOrder): BookOrder {
  return { ...order, oid: 5_000, cloid: `0x${"ab".repeat(16)}`, placedAtMs: clock.nowMs() };
}

type Stage = { rig: GatewayRig; order: BookOrder };

const ROWS: [string, { ids: string[]; isDated: boolean }, (stage: Stage) => void][] = [
  ["its record shows it open", { ids: ["1001"], isDated: false }, () => undefined],
  [
    "no record shows it yet",
    { ids: ["1001"], isDated: true },
    ({ rig }) => void Object.assign(rig.venue, { isBlind: true }),
  ],
  [
    "its record cannot be read",
    { ids: ["1001"], isDated: true },
    ({ rig }) => void rig.venue.failing.add("orderStatus"),
  ],
  [
    "its record says that it is over",
    { ids: [], isDated: false },
    ({ rig, order }) => rig.venue.close(order, "canceled"),
  ],
  [
    "its record says that it is over, and its fills are not known yet",
    { ids: [], isDated: false },
    ({ rig, order }) => {
      rig.venue.close(order, "filled");
    },
  ],
  [
    "the feed told its end and was cut, and the record is behind",
    { ids: [], isDated: false },
    ({ rig, order }) => {
      // What is looked at of it.
      const told = { oid: String(order.oid), cloid: order.cloid, coin: "BTC" } as BasicOrder;
      const updates = [{ order: told, status: "canceled", statusTimestampMs: order.placedAtMs + 1 }];
      rig.deps.picture.hear(ACCOUNT.tradingAddress, { kind: "order_updates", updates });
      // Nothing of it is waited for.
      rig.deps.picture.hear(ACCOUNT.tradingAddress, { kind: "disconnected", reason: "cut" });
    },
  ],
  [
    "the list shows what was placed later, and was never read before",
    { ids: ["5000", "1001"], isDated: false },
    ({ rig, order }) => showList(rig, [laterThan(rig, order)]),
  ],
  [
    "the list shows what was placed before",
    { ids: ["1001", "500"], isDated: false },
    ({ rig, order }) => {
      showList(rig, [{ ...order, oid: 500, cloid: `0x${"ab".repeat(16)}`, placedAtMs: order.placedAtMs - 1 }]);
    },
  ],
];

test.each(ROWS)("an order that the list lacks, and %s", async (_name, expected, arrange) => {
  const stage = await openStage();
  await stage.rig.clock.advance(3 * SECOND);
  arrange(stage);
  const { ids, isDated } = await listed(stage.rig);
  expect({ ids, isDated }).toEqual(expected);
});

test.each(WALL_CLOCKS)(
  "one that no record shows is told as of no later than it was known, where our clock %s",
  async (_what, before, since) => {
    const rig = openGatewayRig();
    const startMs = rig.deps.exchange.nowMs();
    rig.clock.stepWall(before);
    await rig.answerOf(rig.place("key-0-0001"));
    const knownAtMs = rig.deps.exchange.nowMs();
    rig.clock.stepWall(since);
    showList(rig, []);
    rig.venue.isBlind = true;
    await rig.clock.advance(3 * SECOND);
    const { ids, asOfMs } = await listed(rig);
    expect(ids).toEqual(["1001"]);
    expect(asOfMs).toBeLessThanOrEqual(knownAtMs);
    expect(asOfMs).toBeGreaterThanOrEqual(startMs);
  },
);

/** Beside a list that lacks it and shows what was placed after the last news of it. */
const NEWER: [string, { ids: string[]; isDated: boolean }, (stage: Stage) => void][] = [
  [
    "its record shows it open: a list may be another account's",
    { ids: ["5000", "1001"], isDated: true },
    () => undefined,
  ],
  [
    "no record shows it",
    { ids: ["5000", "1001"], isDated: true },
    ({ rig }) => void Object.assign(rig.venue, { isBlind: true }),
  ],
  [
    "its record cannot be read",
    { ids: ["5000", "1001"], isDated: true },
    ({ rig }) => void rig.venue.failing.add("orderStatus"),
  ],
  [
    "its record says that it is over",
    { ids: ["5000"], isDated: false },
    ({ rig, order }) => rig.venue.close(order, "canceled"),
  ],
];

test.each(NEWER)("an order that a newer list lacks, and %s", async (_name, expected, arrange) => {
  const stage = await openStage();
  const { rig, order } = stage;
  expect((await listed(rig)).ids).toEqual(["1001"]);
  await rig.clock.advance(LIST_STANDS);
  showList(rig, [laterThan(rig, order)]);
  arrange(stage);
  const { ids, isDated } = await listed(rig);
  expect({ ids, isDated }).toEqual(expected);
});

test("a live feed does not vouch for an order that a newer list lacks, and whose record says that it is over", async () => {
  const { rig, order } = await openStage();
  rig.deps.feeds.isLive = () => true;
  await listed(rig);
  await rig.clock.advance(LIST_STANDS);
  showList(rig, [laterThan(rig, order)]);
  rig.venue.close(order, "canceled");
  expect((await listed(rig)).ids).toEqual(["5000"]);
});

test("simulated seed 190591: an order whose feed comes back while its record is read is told once", async () => {
  const { rig } = await openStage();
  const { deps, venue } = rig;
  const info = rig.exchange.info.bind(rig.exchange);
  rig.exchange.info = (request, options) => {
    if (request.type === "orderStatus") deps.feeds.isLive = () => true;
    return info(request, options);
  };
  venue.failing.add("orderStatus");
  expect((await listed(rig)).ids).toEqual(["1001"]);
  expect(deps.feeds.isLive(ACCOUNT.tradingAddress)).toBe(true);
});

test("the list of its feed, which is nobody else's, leaves an order out by itself where it shows what was placed later", async () => {
  const { rig, order } = await openStage();
  await listed(rig);
  await rig.clock.advance(SECOND);
  const value = parseFrontendOpenOrders([(recordOf(laterThan(rig, order)) as { order: unknown }).order]) ?? [];
  const head = { part: "head", value: { serverTimeMs: rig.clock.nowMs(), mode: null } } as const;
  for (const shown of [head, { part: "open", dex: "", value } as const])
    rig.deps.picture.hear(ACCOUNT.tradingAddress, { kind: "account_part", shown });
  rig.exchange.asked.length = 0;
  expect((await listed(rig, { dex: "" })).ids).toEqual(["5000"]);
  expect(rig.exchange.asked.filter(({ request }) => request.type === "orderStatus")).toEqual([]);
});

test("one that a list has shown since is held for as long as no list shows what was placed after that", async () => {
  const { rig, order } = await openStage();
  await listed(rig);
  await rig.clock.advance(SECOND);
  const later = laterThan(rig, order);
  await rig.clock.advance(LIST_STANDS);
  showList(rig, [order, later]);
  await listed(rig);
  await rig.clock.advance(LIST_STANDS);
  showList(rig, [later]);
  expect((await listed(rig)).ids).toEqual(["5000", "1001"]);
});

test("pages hold it in its place", async () => {
  const { rig } = await openStage(3);
  const first = await listed(rig, { limit: 2 });
  expect([first.ids, first.next]).toEqual([["1003", "1002"], "1002"]);
  const second = await listed(rig, { limit: 2, cursor: "1002" });
  expect([second.ids, second.next]).toEqual([["1001"], null]);
});

test("another dex does not hold it", async () => {
  const { rig } = await openStage();
  expect((await listed(rig, { dex: "xyz" })).ids).toEqual([]);
  expect((await listed(rig, { dex: "" })).ids).toEqual(["1001"]);
});

test("at most 20 records are read for a list, however many it lacks, and the other orders are told as last known", async () => {
  const { rig } = await openStage(25);
  showList(rig, []);
  rig.exchange.asked.length = 0;
  expect(await listed(rig)).toMatchObject({ ids: { length: 25 }, isDated: true });
  expect(rig.exchange.asked.filter(({ request }) => request.type === "orderStatus")).toHaveLength(20);
});

test("a second part that no feed told is listed as well", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  rig.venue.fill(order, "0.25");
  const { id } = rig.store.$client.query("SELECT id FROM orders").get() as { id: string };
  await rig.deps.settling.look(id);
  rig.venue.fill(order, "0.5");
  await rig.clock.advance(SECOND);
  expect((await listed(rig)).data).toMatchObject([{ filled_size: "0.75" }]);
});

test("a row that an earlier process left, and that nothing has shown since, is of its own time beside a live feed", async () => {
  const { rig } = await openStage();
  rig.deps.feeds.isLive = () => true;
  expect(await listed(rig)).toMatchObject({ ids: ["1001"], isDated: false });
  await rig.clock.advance(60 * SECOND);
  rig.deps.orderNews = openOrderNews(rig.deps);
  expect(await listed(rig)).toMatchObject({ ids: ["1001"], isDated: true });
});
