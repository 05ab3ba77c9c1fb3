import { expect, test } from "bun:test";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { FIRST, limitOrder, openPaperRig, type PaperRig } from "../support/paper-rig.ts";
import { after, modify, open, opened, place, read } from "./modified-order.ts";

/** The rules of a modify, each as a client sees it and as the exchange ends up. */

test("a modify keeps the order's id, takes a new native id, and turns gtc into alo", async () => {
  const { rig, id, oid } = await opened();
  const answer = await modify(rig, id, { price: "91000" }, "modify-01");
  expect(answer).toMatchObject({
    status: 200,
    body: { id, status: "open", price: "91000", size: "0.1", time_in_force: "alo", filled_size: "0", error: null },
  });
  expect(answer.body["exchange_order_id"]).not.toBe(oid);
  expect(await open(rig)).toMatchObject([{ limitPx: "91000.0", sz: "0.1", tif: "Alo" }]);
  expect((await read(rig, id)).body).toEqual(answer.body);
  const again = await modify(rig, id, { price: "91000" }, "modify-01");
  expect([again.text, again.headers.get("Idempotent-Replayed")]).toEqual([answer.text, "true"]);
  expect(rig.sent).toEqual(["batchModify"]);
});

test("a price alone keeps what is left of a partly filled order, and the order keeps its size", async () => {
  const { rig, id } = await opened();
  await rig.trade("sell", "0.04", "90000");
  const answer = await modify(rig, id, { price: "89000" });
  expect(answer.body).toMatchObject({ id, status: "open", size: "0.1", filled_size: "0.04", average_price: "90000" });
  expect(await open(rig)).toMatchObject([{ limitPx: "89000.0", sz: "0.06" }]);
  await rig.trade("sell", "0.06", "89000");
  expect((await read(rig, id)).body).toMatchObject({
    id,
    status: "filled",
    size: "0.1",
    filled_size: "0.1",
    average_price: "89400",
  });
});

test("a size is the size of the replacement: with what was filled before it makes the order's", async () => {
  const { rig, id } = await opened();
  await rig.trade("sell", "0.04", "90000");
  const answer = await modify(rig, id, { size: "0.2" });
  expect(answer.body).toMatchObject({ id, size: "0.24", filled_size: "0.04", price: "90000" });
  expect(await open(rig)).toMatchObject([{ limitPx: "90000.0", sz: "0.2" }]);
});

test("every native id of the chain, and every client order id, finds the order", async () => {
  const { rig, id, oid } = await opened();
  const ids = [id, oid, `0x${String(id).replaceAll("-", "")}`];
  for (const price of ["91000", "92000", "93000"]) {
    const { body } = await modify(rig, ids.at(-1), { price });
    expect(body).toMatchObject({ id, price, status: "open" });
    ids.push(body["exchange_order_id"]);
  }
  expect(new Set(ids).size).toBe(6);
  for (const each of ids) expect((await read(rig, each)).body).toMatchObject({ id, price: "93000" });
  expect(await open(rig)).toHaveLength(1);
});

test("a replacement that would take is refused by the exchange, and the original is gone with it", async () => {
  const { rig, id, oid } = await opened();
  await rig.trade("sell", "1", "95000");
  const answer = await modify(rig, id, { price: "96000" });
  expect(answer).toMatchObject({ status: 200, body: { id, status: "canceled", filled_size: "0", price: "90000" } });
  expect(answer.body["error"]).toContain("Post only order would have immediately matched");
  expect(answer.body["exchange_order_id"]).toBe(oid);
  expect(await open(rig)).toEqual([]);
  expect((await read(rig, id)).body).toMatchObject({ id, status: "canceled" });
});

test("a refused replacement that leaves the original open says so in this answer, not in later reads", async () => {
  const { rig, id, oid } = await opened();
  const text = "Order has invalid price.";
  const fault = { kind: "single_error", text, form: "err" } as const;
  rig.paper.setFaults({ rules: [{ on: "exchange", type: "batchModify", times: 1, fault }] });
  const answer = await modify(rig, id, { price: "91000" }, "modify-01");
  const body = { id, status: "open", price: "90000", time_in_force: "gtc", exchange_order_id: oid };
  expect(answer).toMatchObject({ status: 200, body });
  expect(answer.body["error"]).toContain(text);
  expect((await read(rig, id)).body).toMatchObject({ ...body, error: null });
  expect((await modify(rig, id, { price: "91000" }, "modify-01")).text).toBe(answer.text);
  expect((await modify(rig, id, { price: "91000" })).body).toMatchObject({ id, price: "91000", error: null });
});

test("always_place lets a replacement take, as the order that it replaces", async () => {
  const { rig, id } = await opened();
  await rig.trade("sell", "1", "95000");
  const answer = await modify(rig, id, { price: "96000", always_place: true });
  expect(answer.body).toMatchObject({
    id,
    status: "filled",
    time_in_force: "gtc",
    filled_size: "0.1",
    average_price: "95000",
    error: null,
  });
  expect(await open(rig)).toEqual([]);
});

test("always_place sends what the client placed the order with, also after a default modify has made it post-only", async () => {
  const { rig, id } = await opened();
  expect((await modify(rig, id, { price: "91000" })).body).toMatchObject({ status: "open", time_in_force: "alo" });
  const moved = await modify(rig, id, { price: "92000", always_place: true });
  expect(moved.body).toMatchObject({ id, status: "open", time_in_force: "gtc", error: null });
  expect(await open(rig)).toMatchObject([{ limitPx: "92000.0", tif: "Gtc" }]);
  expect((await modify(rig, id, { price: "93000" })).body).toMatchObject({ status: "open", time_in_force: "alo" });
  await rig.trade("sell", "1", "95000");
  const taken = await modify(rig, id, { price: "96000", always_place: true });
  expect(taken.body).toMatchObject({ id, status: "filled", time_in_force: "gtc", average_price: "95000", error: null });
});

test("an order placed as post-only stays so with always_place, until it waits for a trigger", async () => {
  const rig = await openPaperRig();
  const { body } = await place(rig, { price: "90000", time_in_force: "alo" });
  const moved = await modify(rig, body["id"], { price: "91000", always_place: true });
  expect(moved.body).toMatchObject({ status: "open", time_in_force: "alo" });
  const trigger = { price: "110000", kind: "stop_loss", market: true };
  const waiting = await modify(rig, body["id"], { price: "111000", trigger, always_place: true });
  expect(waiting.body).toMatchObject({ id: body["id"], status: "waiting_for_trigger", time_in_force: "gtc", trigger });
});

test("what always_place has placed too much is reduced to a post-only order, and told as that", async () => {
  const { rig, id } = await opened();
  rig.deliveries.push(after(() => rig.trade("sell", "0.04", "90000")));
  const moved = await modify(rig, id, { price: "89000", always_place: true });
  const body = { id, status: "open", time_in_force: "alo", size: "0.1", filled_size: "0.04" };
  expect(moved.body).toMatchObject(body);
  expect(rig.sent).toEqual(["batchModify", "batchModify"]);
  expect(await open(rig)).toMatchObject([{ limitPx: "89000.0", tif: "Alo", sz: "0.06" }]);
  expect((await read(rig, id)).body).toMatchObject(body);
});

test("whoever asks for what came since the newest order that he has seen misses none that a modify places beside its original", async () => {
  const { rig, id } = await opened();
  await rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
  const history = async (query = "") => {
    const { body } = await rig.answer(FIRST, { route: `GET /v1/orders${query}` });
    return body["data"] as { id: string; created_at: string }[];
  };
  const seen: string[] = [];
  rig.deliveries.push(
    after(async () => {
      await place(rig, { price: "80000" });
      seen.push(String((await history())[0]?.created_at));
    }),
  );
  const { body } = await modify(rig, id, { price: "91000", always_place: true });
  expect((await history(`?since=${seen[0]}`)).map((order) => order.id)).toContain(String(body["id"]));
});

test("always_place for an order that is closed places a new order, and the old one stays as it was", async () => {
  const { rig, id, oid } = await opened();
  await rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
  const answer = await modify(rig, id, { price: "91000", always_place: true }, "the-modify");
  expect(answer).toMatchObject({ status: 200, body: { status: "open", price: "91000", size: "0.1", error: null } });
  expect(answer.body["id"]).not.toBe(id);
  // Its events tell it by the name of the request that placed it.
  const told = listEventsAfter(rig.store, { accountId: FIRST.account.id, after: 0, limit: 100 });
  const ofIt = told.filter(({ resourceId }) => resourceId === answer.body["id"]);
  expect([...new Set(ofIt.map((event) => event.idempotencyKey))]).toEqual(["the-modify"]);
  // Once, as it is: what became of it was known before it had an id of its own.
  expect(ofIt.map(({ type }) => type)).toEqual(["order.created"]);
  expect(JSON.parse(ofIt[0]?.payload ?? "")).toEqual(answer.body);
  expect((await read(rig, id)).body).toMatchObject({ id, status: "canceled", exchange_order_id: oid, price: "90000" });
  expect((await read(rig, answer.body["id"])).body).toEqual(answer.body);
});

const VANISHES: [string, (rig: PaperRig, oid: string) => Promise<unknown>, string][] = [
  ["canceled", (rig, oid) => rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] }), "canceled"],
  ["filled", (rig) => rig.trade("sell", "0.1", "90000"), "filled"],
];

test.each(VANISHES)(
  "always_place whose original was %s on the way is a new order; the original keeps its end",
  async (_name, vanish, status) => {
    const { rig, id, oid } = await opened();
    rig.deliveries.push(after(() => vanish(rig, oid)));
    const answer = await modify(rig, id, { price: "91000", always_place: true });
    expect(answer).toMatchObject({ status: 200, body: { status: "open", price: "91000", size: "0.1", error: null } });
    expect(answer.body["id"]).not.toBe(id);
    expect((await read(rig, id)).body).toMatchObject({ id, status, price: "90000", exchange_order_id: oid });
    expect((await read(rig, answer.body["id"])).body).toEqual(answer.body);
    expect(await open(rig)).toHaveLength(1);
  },
);

test.each(VANISHES)(
  "a default modify whose original was %s on the way is refused, and the answer is how it ended",
  async (_name, vanish, status) => {
    const { rig, id, oid } = await opened();
    rig.deliveries.push(after(() => vanish(rig, oid)));
    const answer = await modify(rig, id, { price: "91000" });
    expect(answer).toMatchObject({ status: 200, body: { id, status, price: "90000", exchange_order_id: oid } });
    expect(answer.body["error"]).toContain("Cannot modify canceled or filled order");
    expect(await open(rig)).toEqual([]);
  },
);

const TRIGGER = { price: "80000", kind: "stop_loss", market: true };
const STOP = { side: "sell", price: "79000", trigger: TRIGGER, size: "0.1" };

test("a trigger without always_place is a 400 before anything is stored or sent", async () => {
  const { rig, id } = await opened();
  const refused = await modify(rig, id, { trigger: TRIGGER }, "modify-01");
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "always_place_required" } } });
  const stop = await place(rig, STOP);
  expect(stop.body).toMatchObject({ status: "waiting_for_trigger" });
  const alsoRefused = await modify(rig, stop.body["id"], { price: "78000" }, "modify-01");
  expect(alsoRefused).toMatchObject({ status: 400, body: { error: { code: "always_place_required" } } });
  expect(rig.sent).toEqual([]);
  expect((await modify(rig, id, { price: "91000" }, "modify-01")).body).toMatchObject({ status: "open" });
});

test("a trigger order is modified with always_place and keeps what is not given", async () => {
  const rig = await openPaperRig();
  const { body } = await place(rig, STOP);
  const moved = { ...TRIGGER, price: "81000" };
  const answer = await modify(rig, body["id"], { trigger: moved, always_place: true });
  expect(answer.body).toMatchObject({ id: body["id"], status: "waiting_for_trigger", trigger: moved, price: "79000" });
  const again = await modify(rig, body["id"], { price: "78500", always_place: true });
  expect(again.body).toMatchObject({ id: body["id"], status: "waiting_for_trigger", trigger: moved, price: "78500" });
  expect(await open(rig)).toMatchObject([{ limitPx: "78500.0", isTrigger: true, triggerPx: "81000.0" }]);
});

test("nothing to modify is a 400, and what may not change is an unknown parameter", async () => {
  const { rig, id } = await opened();
  expect((await modify(rig, id, {})).body).toMatchObject({ error: { code: "nothing_to_modify" } });
  expect((await modify(rig, id, { always_place: true })).body).toMatchObject({ error: { code: "nothing_to_modify" } });
  for (const some of [{ side: "sell" }, { market: "ETH" }, { account: FIRST.account.id }, { reduce_only: true }]) {
    const refused = await modify(rig, id, { price: "91000", ...some });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "unknown_parameter" } } });
  }
  expect(rig.sent).toEqual([]);
});

test("a closed order is answered with its true status, and nothing is sent", async () => {
  const { rig, id } = await opened();
  await rig.trade("sell", "0.1", "90000");
  const answer = await modify(rig, id, { price: "91000" });
  expect(answer).toMatchObject({ status: 200, body: { id, status: "filled", filled_size: "0.1" } });
  expect(answer.body["error"]).toContain("Nothing was sent");
  expect((await read(rig, id)).body).toMatchObject({ status: "filled", error: null });
  expect(rig.sent).toEqual([]);
});

test("a price that breaks a known rule is answered with the rule, and nothing is sent", async () => {
  const { rig, id } = await opened();
  const answer = await modify(rig, id, { price: "91000.55" });
  expect(answer).toMatchObject({ status: 200, body: { id, status: "open", price: "90000" } });
  expect(answer.body["error"]).toContain("significant figures");
  expect(rig.sent).toEqual([]);
});

test("an order placed elsewhere is modified by the id it is shown with, and keeps that id", async () => {
  const rig = await openPaperRig();
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.2", price: "88000" }));
  // The list envelope of the specification.
  const list = (await rig.answer(FIRST, { route: "GET /v1/orders?status=open" })).body["data"] as { id: string }[];
  const id = list[0]?.id;
  await rig.trade("sell", "0.05", "88000");
  const answer = await modify(rig, id, { price: "87000" });
  expect(answer.body).toMatchObject({ id, status: "open", price: "87000", size: "0.2", filled_size: "0.05" });
  expect((await read(rig, id)).body).toEqual(answer.body);
  expect(await open(rig)).toMatchObject([{ sz: "0.15", limitPx: "87000.0" }]);
});

test("a reduce-only order stays reduce-only", async () => {
  const rig = await openPaperRig();
  await rig.trade("sell", "0.1", "95000");
  await place(rig, { price: "95000" });
  const { body } = await place(rig, { side: "sell", price: "97000", reduce_only: true });
  const answer = await modify(rig, body["id"], { price: "98000" });
  expect(answer.body).toMatchObject({ id: body["id"], status: "open", reduce_only: true, price: "98000" });
  expect(await open(rig)).toMatchObject([{ limitPx: "98000.0", reduceOnly: true }]);
});
