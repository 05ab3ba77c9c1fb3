/** What one look at an order makes of what its record, its lists, its fills and its feed say. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import type { Leg } from "../../src/core/order.ts";
import { mayFallShort } from "../../src/settle/evidence/closed-size.ts";
import { gatherFillEvidence } from "../../src/settle/evidence/fill-evidence.ts";
import { lookAtLeg } from "../../src/settle/look/look.ts";
import { insertFills, setFillCursor } from "../../src/store/fills.ts";
import { parseOrderStatus } from "../../src/wire/answer/order-status.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { fillRow, legRow } from "../support/rows.ts";

const OID = 77;

const LEG: Leg = legRow({ state: "resting", oid: String(OID), isExchangesWord: true });
const STOP = { price: "90", kind: "stop_loss", market: true } as const;

/** As the exchange writes it. */
function orderOf(some: object = {}): object {
  return {
    coin: "BTC",
    side: "B",
    limitPx: "100.0",
    sz: "1.0",
    oid: OID,
    timestamp: START_MS,
    triggerCondition: "N/A",
    isTrigger: false,
    triggerPx: "0.0",
    children: [],
    isPositionTpsl: false,
    reduceOnly: false,
    orderType: "Limit",
    origSz: "1.0",
    tif: "Gtc",
    cloid: LEG.cloid,
    ...some,
  };
}

const TRIGGER = {
  isTrigger: true,
  triggerPx: "90.0",
  triggerCondition: "Price below 90",
  orderType: "Stop Market",
  tif: null,
};

function shows(rig: GatewayRig, status: string, order: object = orderOf(), atMs = START_MS): void {
  const record = { order, status, statusTimestamp: atMs };
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: record }));
  rig.exchange.answer("historicalOrders", () => [record]);
}

function look(rig: GatewayRig, some: Partial<Leg> = {}, market = "BTC") {
  const asked = { market, side: "buy", reduceOnly: false } as const;
  const sought = { ...asked, leg: { ...LEG, ...some }, user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id };
  return lookAtLeg(rig.deps, gatherFillEvidence(), sought, { purpose: "settle" });
}

function eventsOf(sight: Awaited<ReturnType<typeof look>>): string[] {
  return "events" in sight ? sight.events.map(({ type }) => type) : [sight.kind];
}

function lists(rig: GatewayRig, byDex: Record<string, object[]>): void {
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => byDex[String(dex)] ?? []);
}

function fillAt(some: Parameters<typeof fillRow>[0]) {
  return fillRow({ oid: String(OID), timeMs: START_MS, ...some });
}

function listedFill(size: string, tid: number): object {
  const fill = { coin: "BTC", px: "100.0", sz: size, side: "B", time: START_MS + tid, dir: "Open Long" };
  const rest = { closedPnl: "0.0", hash: "0x00", oid: OID, crossed: false, fee: "0.0", feeToken: "USDC", cloid: null };
  return { ...fill, ...rest, startPosition: "0.0", tid };
}

test("a new word for a refusal refuses nothing of which something was filled", async () => {
  const rig = openGatewayRig();
  lists(rig, {});
  await rig.clock.advance(BEHIND_MS + 10_000);
  shows(rig, "somethingNewRejected");
  const lost = { state: "lost", isExchangesWord: false } as const;
  expect(eventsOf(await look(rig, lost))).toEqual(["rejected"]);
  expect(eventsOf(await look(rig, { ...lost, filledSize: decimal("0.4") }))).not.toContain("rejected");
});

test("a trigger whose feed has told that it fired does not wait by a new word", async () => {
  const rig = openGatewayRig();
  lists(rig, {});
  shows(rig, "someNewWord", orderOf(TRIGGER));
  const waiting = { state: "armed", trigger: STOP } as const;
  const tell = (status: string) => {
    const update = { order: { ...orderOf(), isTrigger: undefined }, status, statusTimestamp: START_MS + 1 };
    const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data: [update] }));
    if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
    rig.deps.picture.hear(ACCOUNT.tradingAddress, { kind: "order_updates", updates: frame.updates });
  };
  tell("open");
  expect(eventsOf(await look(rig, waiting))).toContain("armed");
  tell("triggered");
  // Of the order that it placed, under the same id.
  tell("open");
  expect(eventsOf(await look(rig, waiting))).not.toContain("armed");
});

test("whether an order with a new word lives is asked of the list of its own dex", async () => {
  const rig = openGatewayRig();
  const order = orderOf({ coin: "xyz:GOLD" });
  shows(rig, "someNewWord", order);
  lists(rig, { xyz: [order] });
  expect(eventsOf(await look(rig, {}, "xyz:GOLD"))).toContain("rested");
  lists(rig, { "": [orderOf()] });
  expect(eventsOf(await look(rig, {}, "xyz:GOLD"))).toContain("perhaps_over");
});

test("fills are read of an order whose record tells of more than a live feed has told", async () => {
  const rig = openGatewayRig();
  rig.deps.feeds.isLive = () => true;
  shows(rig, "open", orderOf({ sz: "0.6" }));
  rig.exchange.answer("userFillsByTime", () => [listedFill("0.4", 1)]);
  const sight = await look(rig);
  expect("events" in sight && sight.events).toContainEqual({
    type: "fills_seen",
    filled: { size: decimal("0.4"), notional: decimal("40") },
  });
});

test("an order that ended untouched a moment ago keeps the status that it had, and is told over after a second", async () => {
  const rig = openGatewayRig({ areFillsRead: true });
  shows(rig, "canceled", orderOf(), rig.clock.nowMs());
  expect(eventsOf(await look(rig))).toEqual(["reported", "fills_seen"]);
  await rig.clock.advance(1_000);
  expect(eventsOf(await look(rig))).toEqual(["closing", "fills_seen"]);
});

test("what was canceled untouched is held against the position itself, however live the feed is", async () => {
  const rig = openGatewayRig({ areFillsRead: true });
  rig.deps.feeds.isLive = () => true;
  shows(rig, "canceled");
  await look(rig);
  expect(rig.exchange.asked.filter(({ request }) => request.type === "clearinghouseState")).toHaveLength(1);
});

test("fills of before the index ends and fills of after it add up", async () => {
  const rig = openGatewayRig();
  insertFills(rig.store, [fillAt({ id: "1-BTC-1", timeMs: START_MS + 1, size: decimal("0.4") })], {
    atMs: START_MS + 2,
    toldFromMs: 0,
  });
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 1_000);
  const late = { ...listedFill("0.4", 2), time: START_MS + 2_000 };
  rig.exchange.answer("userFillsByTime", ({ startTime }) =>
    [listedFill("0.4", 1), late].filter((fill) => Number((fill as { time: number }).time) >= Number(startTime)),
  );
  shows(rig, "canceled", orderOf({ sz: "0.2" }), START_MS + 3_000);
  const sight = await look(rig);
  expect("events" in sight && sight.events).toMatchObject([{ type: "canceled", filled: { size: "0.8" } }]);
});

test.each<[string, Partial<Parameters<typeof mayFallShort>[0]>, string, boolean]>([
  ["a limit that rests", {}, "Gtc", false],
  ["one that executes at once", { timeInForce: "ioc" }, "Ioc", true],
  ["one that only reduces", { reduceOnly: true }, "Gtc", true],
  ["a trigger at market", { trigger: STOP }, "Gtc", true],
  ["a trigger with a limit", { trigger: { ...STOP, market: false } }, "Gtc", false],
  ["one that its record says executed at once", {}, "Ioc", true],
])("%s may end as filled with a part, or not", (_what, some, tif, may) => {
  const record = parseOrderStatus({
    status: "order",
    order: { order: orderOf({ tif }), status: "open", statusTimestamp: 1 },
  });
  if (record.kind !== "order") throw new Error("the test's own record cannot be read");
  expect(mayFallShort({ timeInForce: "gtc", reduceOnly: false, trigger: null, ...some }, record.order)).toBe(may);
});
