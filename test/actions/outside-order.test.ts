/** An order that was placed elsewhere is told by all that was told of it, whichever server is behind. */
import { expect, test } from "bun:test";
import { requireOrder } from "../../src/actions/find-order.ts";
import { getOrder } from "../../src/actions/get-order.ts";
import { listOrders } from "../../src/actions/list-orders.ts";
import { decimal } from "../../src/core/decimal.ts";
import { insertFills, type StoredFill } from "../../src/store/fills.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { fillRow } from "../support/rows.ts";
import { recordOf } from "../support/small-venue.ts";

const OID = "4242";

type Shown = { status: string; filled_size: string | null; average_price: string | null };

/** An exchange with one order of size 1 at 100 that somebody else has placed, and whose record and lists stand still. */
async function openWithOne(): Promise<GatewayRig & { record: { order: object; status: string } }> {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0001"));
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("the order is not there");
  const record = recordOf({ ...order, oid: Number(OID), cloid: `0x${"ab".repeat(16)}` }) as {
    order: object;
    status: string;
  };
  rig.exchange.answer("orderStatus", ({ oid }) =>
    String(oid) === OID ? { status: "order", order: record } : { status: "unknownOid" },
  );
  rig.exchange.answer("frontendOpenOrders", ({ dex }) => (dex === "" ? [record.order] : []));
  return { ...rig, record };
}

async function read(rig: GatewayRig): Promise<Shown> {
  return JSON.parse((await getOrder(rig.deps, rig.caller, OID)).body);
}

async function listed(rig: GatewayRig): Promise<Shown | undefined> {
  const wanted = { status: "open", dex: null, cursor: null, limit: 50 };
  const { data } = JSON.parse((await listOrders(rig.deps, rig.caller, wanted)).body) as {
    data: (Shown & { exchange_order_id: string })[];
  };
  return data.find((order) => order.exchange_order_id === OID);
}

function indexFill(rig: GatewayRig, some: Partial<StoredFill>): void {
  const fill = fillRow({ id: `${some.size}-BTC-1`, timeMs: START_MS, oid: OID, ...some });
  insertFills(rig.store, [fill], { atMs: START_MS, toldFromMs: 0 });
}

/** As its account's feed tells it. */
function tell(rig: GatewayRig & { record: { order: object } }, status: string, sz: string): void {
  const update = { order: { ...rig.record.order, sz }, status, statusTimestamp: START_MS + 1 };
  const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data: [update] }));
  if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
  rig.deps.picture.hear(ACCOUNT.tradingAddress, { kind: "order_updates", updates: frame.updates });
}

test("nothing of it is filled while nothing says so", async () => {
  const rig = await openWithOne();
  const nothing = { status: "open", filled_size: "0", average_price: null };
  expect(await read(rig)).toMatchObject(nothing);
  expect(await listed(rig)).toMatchObject(nothing);
});

test("its indexed fills count, where the servers that are asked show none", async () => {
  const rig = await openWithOne();
  indexFill(rig, { size: decimal("0.35") });
  const part = { status: "open", filled_size: "0.35", average_price: "100" };
  expect(await read(rig)).toMatchObject(part);
  expect(await listed(rig)).toMatchObject(part);
});

test.each<[string, Partial<StoredFill>]>([
  ["in another market", { market: "ETH" }],
  ["on the other side", { side: "sell" }],
])("a fill %s that carries its native id is none of its own", async (_where, some) => {
  const rig = await openWithOne();
  indexFill(rig, some);
  expect(await read(rig)).toMatchObject({ status: "open", filled_size: "0" });
});

test("filled whole it is filled, and listed as open no longer, whatever its record goes on to say", async () => {
  const rig = await openWithOne();
  indexFill(rig, { size: decimal("1") });
  expect(await read(rig)).toMatchObject({ status: "filled", filled_size: "1" });
  expect(await listed(rig)).toBeUndefined();
});

test("its indexed fills are told only whole where the others could not be read; a part has to be asked for again", async () => {
  const rig = await openWithOne();
  rig.venue.failing.add("userFillsByTime");
  expect(await read(rig)).toMatchObject({ status: "open", filled_size: null });
  indexFill(rig, { size: decimal("0.35") });
  await expect(read(rig)).rejects.toMatchObject({ code: "exchange_unreachable" });
  indexFill(rig, { size: decimal("0.65") });
  expect(await read(rig)).toMatchObject({ status: "filled", filled_size: "1" });
});

test("whoever changes it is not held up by fills that cannot be read: what is indexed of them stands, and not nothing", async () => {
  const rig = await openWithOne();
  rig.venue.failing.add("userFillsByTime");
  const changed = () => requireOrder(rig.deps, rig.caller, OID, "order");
  expect(await changed()).toMatchObject({ kind: "outside", order: { status: "open", filledSize: null } });
  indexFill(rig, { size: decimal("0.35") });
  expect(await changed()).toMatchObject({ kind: "outside", order: { status: "open", filledSize: "0.35" } });
});

test("an end that its feed has told outweighs a record from before that", async () => {
  const rig = await openWithOne();
  tell(rig, "canceled", "1.0");
  const reading = read(rig);
  await rig.clock.advance(5_000);
  expect((await reading).status).not.toBe("open");
});

test("a server that does not know it says nothing while a list of now shows it", async () => {
  const rig = await openWithOne();
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  await listed(rig);
  expect(await read(rig)).toMatchObject({ status: "open", filled_size: "0" });
});

test("what was told of it a moment ago is not denied: it has to be asked for again, and minutes later it is not there", async () => {
  const rig = await openWithOne();
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  rig.exchange.answer("frontendOpenOrders", () => []);
  await expect(read(rig)).rejects.toMatchObject({ code: "order_not_found" });
  indexFill(rig, { size: decimal("0.35"), timeMs: rig.clock.nowMs() });
  await expect(read(rig)).rejects.toMatchObject({ code: "exchange_unreachable" });
  await rig.clock.advance(151_000);
  await expect(read(rig)).rejects.toMatchObject({ code: "order_not_found" });
});

test("nor is what its feed has told", async () => {
  const rig = await openWithOne();
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  rig.exchange.answer("frontendOpenOrders", () => []);
  tell(rig, "open", "1.0");
  await expect(read(rig)).rejects.toMatchObject({ code: "exchange_unreachable" });
});
