/** Which fills count for an order that has closed: its own, by whatever store shows them. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { gatherFillEvidence } from "../../src/settle/evidence/fill-evidence.ts";
import { lookAtLeg } from "../../src/settle/look/look.ts";
import { insertFills, setFillCursor } from "../../src/store/fills.ts";
import { listLegs } from "../../src/store/legs.ts";
import { findOrder, insertPlacing } from "../../src/store/orders.ts";
import { ACCOUNT, DELIVERY, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { filledByAnswer } from "../support/rows.ts";

test("fills of another order in the same market are not an order's", async () => {
  const rig = openGatewayRig();
  const asked = [await rig.answerOf(rig.place("key-0001")), await rig.answerOf(rig.place("key-0002"))];
  const [first, second] = rig.venue.orders;
  if (first === undefined || second === undefined) throw new Error("nothing placed");
  rig.venue.fill(first, "0.4");
  rig.venue.fill(second, "0.6");
  rig.venue.close(first, "canceled");
  rig.venue.close(second, "canceled");
  const ids = asked.map(({ order }) => String(order["id"]));
  await rig.clock.advance(3_000);
  for (const id of ids) await rig.deps.settling.look(id);
  expect<unknown>(ids.map((id) => findOrder(rig.store, id)?.filledSize)).toEqual(["0.4", "0.6"]);
});

test("a fill that the stream has told counts although the list does not show it yet", async () => {
  const rig = openGatewayRig();
  const { order: told } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  rig.venue.fill(order, "0.5");
  rig.venue.fill(order, "0.3");
  for (const fill of order.fills) fill.isShown = false;
  insertFills(
    rig.store,
    order.fills.map(({ size, atMs, tid }) => ({
      accountId: ACCOUNT.id,
      id: `${tid}`,
      timeMs: atMs,
      market: "BTC",
      oid: String(order.oid),
      side: "buy",
      price: decimal("100"),
      size: decimal(size),
      isTaker: false,
      fee: decimal("0"),
      feeToken: "USDC",
      builderFee: null,
      realizedPnl: decimal("0"),
      startPosition: decimal("0"),
      direction: "Open Long",
      twapId: null,
      isLiquidation: false,
      transactionHash: "0x00",
    })),
    { atMs: START_MS, toldFromMs: START_MS },
  );
  // The list shows one of the two.
  const [shown] = order.fills;
  if (shown !== undefined) shown.isShown = true;
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: canceledWithRest(order, "0.1") }));
  rig.venue.close(order, "canceled");
  await rig.clock.advance(3_000);
  await rig.deps.settling.look(String(told["id"]));
  // A tenth is told by no store yet: what is known is shown, and is not the end.
  expect(findOrder(rig.store, String(told["id"]))).toMatchObject({ status: "unknown", filledSize: "0.8" });
});

test("fills of which no record is shown are the order's when they are the whole of it, and a part is not its end", async () => {
  const rig = openGatewayRig();
  rig.venue.fates.push({ kind: "fills", size: "0.4", status: "open" });
  rig.deliveries.push(DELIVERY.answerLost);
  rig.venue.isBlind = true;
  rig.exchange.answer("frontendOpenOrders", () => []);
  rig.exchange.answer("historicalOrders", () => []);
  const { httpStatus, order } = await rig.answerOf(rig.place("key-0001"));
  expect([httpStatus, order["status"], order["filled_size"]]).toEqual([202, "unknown", null]);
  await rig.clock.advance(60_000);
  expect(findOrder(rig.store, String(order["id"]))?.status).toBe("unknown");
  const [placed] = rig.venue.orders;
  if (placed !== undefined) rig.venue.fill(placed, "0.6");
  await rig.clock.advance(60_000);
  expect(findOrder(rig.store, String(order["id"]))).toMatchObject({ status: "filled", filledSize: "1" });
});

test.each([
  ["stands where it did", [], { type: "canceled", filled: { size: "0" } }],
  ["has moved", ["0.4"], null],
] as const)(
  "an order of which no fill is shown may have ended so where the position %s",
  async (_name, filled, end) => {
    const rig = openGatewayRig();
    const { order: told } = await rig.answerOf(rig.place("key-0001"));
    const [order] = rig.venue.orders;
    const [leg] = listLegs(rig.store, String(told["id"]));
    if (order === undefined || leg === undefined) throw new Error("nothing placed");
    for (const size of filled) rig.venue.fill(order, size);
    for (const fill of order.fills) fill.isShown = false;
    setFillCursor(rig.store, ACCOUNT.id, START_MS);
    rig.exchange.answer("orderStatus", () => ({ status: "order", order: canceledWithRest(order, "1.0") }));
    rig.venue.close(order, "canceled");
    const asked = { market: "BTC", side: "buy", reduceOnly: false } as const;
    const sought = { ...asked, leg, user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id };
    const sight = await lookAtLeg(rig.deps, rig.settler.tools.evidence, sought, { purpose: "settle" });
    if (sight.kind !== "unfinished") throw new Error("one look was enough");
    if (end === null) expect(sight.untouched).toBeNull();
    else expect<unknown>(sight.untouched).toMatchObject(end);
  },
);

test("pages of fills that end before an order's close are no quiet account", async () => {
  const rig = openGatewayRig();
  const { order: told } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  const [leg] = listLegs(rig.store, String(told["id"]));
  if (order === undefined || leg === undefined) throw new Error("nothing placed");
  const others = Array.from({ length: 40 }, (_, nth) => fillOfAnother(order.placedAtMs + nth + 1, nth));
  rig.exchange.answer("userFillsByTime", ({ startTime, endTime }) =>
    others.filter(({ time }) => time >= Number(startTime) && time <= Number(endTime ?? time)).slice(0, 3),
  );
  rig.exchange.answer("userFills", () => null);
  rig.exchange.answer("clearinghouseState", () => null);
  const closed = canceledWithRest(order, "1.0", order.placedAtMs + 30);
  rig.exchange.answer("orderStatus", () => ({ status: "order", order: closed }));
  rig.venue.close(order, "canceled");
  const world = { ...rig.deps, settings: { ...rig.deps.settings, fillsPageRows: 3 } };
  const asked = { market: "BTC", side: "buy", reduceOnly: false } as const;
  const sought = { ...asked, leg, user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id };
  const look = async () => {
    await rig.clock.advance(5_000);
    return (await lookAtLeg(world, rig.settler.tools.evidence, sought, { purpose: "settle" })).kind;
  };
  expect([await look(), await look(), await look()]).toEqual(["unfinished", "unfinished", "unfinished"]);
  // The newest ones begin within the pages, and are of after its close: two such readings have all of its fills.
  rig.exchange.answer("userFills", () => others.toReversed());
  expect([await look(), await look()]).toEqual(["unfinished", "seen"]);
});

test.each<[string, number | null, string]>([
  ["lacks nothing that was told", null, "seen"],
  ["lacks a fill that was told of what was sent before the close", 0, "unfinished"],
  ["lacks one of what was sent after it", 60_000, "seen"],
])("a list of fills that goes on past an order's close and %s bears out its size, or does not", async (...row) => {
  const [, sentAfterMs, kind] = row;
  const rig = openGatewayRig();
  const { order: shown } = await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  const [leg] = listLegs(rig.store, String(shown["id"]));
  if (order === undefined || leg === undefined) throw new Error("nothing placed");
  if (sentAfterMs !== null) {
    const told = filledByAnswer(9, { accountId: ACCOUNT.id, market: "SOL", oid: "99", filled: "1" });
    insertPlacing(rig.store, { ...told, attempt: { ...told.attempt, nonce: order.placedAtMs + sentAfterMs } });
  }
  rig.exchange.answer("userFillsByTime", () => [fillOfAnother(order.placedAtMs + 40, 1)]);
  // Of before the close, and no word of it.
  const { clearinghouseState } = rig.venue.infos;
  rig.exchange.answer("clearinghouseState", (request) => ({
    ...(clearinghouseState?.(request) as object),
    time: order.placedAtMs,
  }));
  rig.exchange.answer("orderStatus", () => ({
    status: "order",
    order: canceledWithRest(order, "1.0", order.placedAtMs + 30),
  }));
  rig.venue.close(order, "canceled");
  const asked = { market: "BTC", side: "buy", reduceOnly: false } as const;
  const sought = { ...asked, leg, user: ACCOUNT.tradingAddress, accountId: ACCOUNT.id };
  const kinds: string[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    await rig.clock.advance(5_000);
    kinds.push((await lookAtLeg(rig.deps, rig.settler.tools.evidence, sought, { purpose: "settle" })).kind);
  }
  expect(kinds.at(-1)).toBe(kind);
});

function fillOfAnother(time: number, tid: number) {
  return {
    coin: "ETH",
    px: "100.0",
    sz: "1.0",
    side: "B",
    time,
    startPosition: `${tid}.0`,
    dir: "Open Long",
    closedPnl: "0.0",
    hash: `0x${"00".repeat(32)}`,
    oid: 7_000 + tid,
    crossed: false,
    fee: "0.0",
    feeToken: "USDC",
    tid,
    cloid: null,
  };
}

function canceledWithRest(
  order: { oid: number; cloid: string; placedAtMs: number },
  sz: string,
  statusTimestamp = order.placedAtMs + 1,
): unknown {
  const { oid, cloid, placedAtMs } = order;
  return {
    order: {
      coin: "BTC",
      side: "B",
      limitPx: "100.0",
      sz,
      oid,
      timestamp: placedAtMs,
      triggerCondition: "N/A",
      isTrigger: false,
      triggerPx: "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: false,
      orderType: "Limit",
      origSz: "1.0",
      tif: "Gtc",
      cloid,
    },
    status: "canceled",
    statusTimestamp,
  };
}

test("when another reading concludes is told by one of this step alone", () => {
  const evidence = gatherFillEvidence();
  const shown = { agreement: "untouched", filled: decimal("0"), isWitnessed: false, position: "unmoved" } as const;
  evidence.judge("0x01", { ...shown, elapsedMs: 5_000, sinceCloseMs: 100 });
  expect([5_000, 5_001].map((sinceMs) => evidence.finalInMs("0x01", sinceMs))).toEqual([1_000, null]);
  expect(evidence.finalInMs("0x02", 0)).toBe(null);
});
