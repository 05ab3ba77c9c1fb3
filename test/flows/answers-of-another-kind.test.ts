/** An answer that is one to another kind of action says nothing of the one that was asked for, however glad its words are. */
import { expect, test } from "bun:test";
import { type Delivery, FIRST, openPaperRig, SECOND } from "../support/paper-rig.ts";
import { modify, open, opened, place, read } from "./modified-order.ts";

const DEFAULT = { type: "default" };
const CANCELED = { type: "cancel", data: { statuses: ["success"] } };
const TWAP_CANCELED = { type: "twapCancel", data: { status: "success" } };
const RUNNING = { type: "twapOrder", data: { status: { running: { twapId: 77 } } } };

function answering(response: object, hasArrived: boolean): Delivery {
  return async (arrive) => {
    if (hasArrived) await arrive();
    return Response.json({ status: "ok", response });
  };
}

const TWAP = { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 };
const LEVERAGE = { market: "BTC", leverage: 3, margin_type: "cross" };

test.each([
  ["a leverage", "POST /v1/leverage", LEVERAGE, CANCELED],
  ["a leverage", "POST /v1/leverage", LEVERAGE, TWAP_CANCELED],
  ["a leverage", "POST /v1/leverage", LEVERAGE, RUNNING],
  ["a TWAP", "POST /v1/twaps", TWAP, DEFAULT],
  ["a TWAP", "POST /v1/twaps", TWAP, TWAP_CANCELED],
  ["a TWAP", "POST /v1/twaps", TWAP, { type: "twapOrder", data: { status: "success" } }],
])("%s that never arrived has not succeeded (%s)", async (_what, route, body, response) => {
  const rig = await openPaperRig();
  rig.deliveries.push(answering(response, false));
  const answer = await rig.answer(FIRST, { route, body });
  expect(answer.body).toMatchObject({ status: "rejected", exchange_id: null });
});

test.each([
  ["another account", SECOND],
  ["the same account", FIRST],
])("a TWAP that never arrived, with the number that %s has for one, was never executed", async (_whose, party) => {
  const rig = await openPaperRig();
  const other = await rig.answer(party, { route: "POST /v1/twaps", body: TWAP });
  expect(other.body).toMatchObject({ status: "succeeded", exchange_id: "1" });
  const named = { type: "twapOrder", data: { status: { running: { twapId: 1 } } } };
  rig.deliveries.push(answering(named, false));
  const answer = await rig.answer(FIRST, { route: "POST /v1/twaps", body: { ...TWAP, side: "sell" } });
  expect(answer.body).toMatchObject({ status: "rejected", exchange_id: null });
});

test("a TWAP that was made has the number that the exchange's history shows", async () => {
  const rig = await openPaperRig();
  rig.deliveries.push(answering(DEFAULT, true));
  const answer = await rig.answer(FIRST, { route: "POST /v1/twaps", body: TWAP });
  expect(answer.body).toMatchObject({ status: "succeeded", exchange_id: "1" });
});

test.each([["of a TWAP's cancel", TWAP_CANCELED] as const, ["of a setting", DEFAULT] as const])(
  "a cancel that never arrived, with the answer %s, goes again",
  async (_what, response) => {
    const { rig, id } = await opened();
    rig.deliveries.push(answering(response, false));
    await rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
    await rig.clock.advance(10_000);
    expect([(await read(rig, id)).body["status"], await open(rig)]).toEqual(["canceled", []]);
  },
);

const STOP_LOSS = { price: "80000", trigger: { kind: "stop_loss", price: "89000", market: false }, side: "sell" };

test.each<[string, object, (id: unknown) => { route: string; body: object }]>([
  ["a cancel", {}, (id) => ({ route: `POST /v1/orders/${id}/cancel`, body: {} })],
  ["a trigger's cancel", STOP_LOSS, (id) => ({ route: `POST /v1/orders/${id}/cancel`, body: {} })],
  ["a cancel-all", {}, () => ({ route: "POST /v1/orders/cancel-all", body: { account: FIRST.account.id } })],
])(
  "%s that never arrived, with the answer to another, goes again where its order goes on being listed",
  async (_what, terms, cancelOf) => {
    const rig = await openPaperRig();
    const id = (await place(rig, terms)).body["id"];
    rig.deliveries.push(answering(CANCELED, false));
    await rig.answer(FIRST, cancelOf(id));
    await rig.clock.advance(10_000);
    expect([(await read(rig, id)).body["status"], (await open(rig)).length]).toEqual(["unknown", 1]);
    await rig.clock.advance(300_000);
    expect([(await read(rig, id)).body["status"], await open(rig)]).toEqual(["canceled", []]);
  },
);

test.each([
  ["Cannot modify canceled or filled order. asset=0"],
  ["Attempted to modify to invalid new order. asset=0"],
  ["Insufficient margin to place order. asset=0"],
  ["Order could not immediately match against any resting orders. asset=0"],
])(
  "a modify that was carried out is told as it is, though it was answered with the refusal of another (%s)",
  async (error) => {
    const { rig, id } = await opened();
    rig.deliveries.push(answering({ type: "order", data: { statuses: [{ error }] } }, true));
    const answer = await modify(rig, id, { price: "89000" });
    const [resting] = await open(rig);
    const told = { id, status: "open", price: "89000", exchange_order_id: String(resting?.oid) };
    expect([resting?.limitPx, answer.body]).toMatchObject(["89000.0", told]);
    expect((await read(rig, id)).body).toMatchObject(told);
  },
);

test("a modify that was carried out is told as it is, though it was answered under the native id 0", async () => {
  const { rig, id } = await opened();
  rig.deliveries.push(async (arrive) => {
    const text = await (await arrive()).text();
    return new Response(text.replace(/"oid":\d+/, '"oid":0'), { headers: { "content-type": "application/json" } });
  });
  await modify(rig, id, { price: "89000" });
  await rig.clock.advance(60_000);
  const [resting] = await open(rig);
  const told = { id, status: "open", price: "89000", exchange_order_id: String(resting?.oid) };
  expect([resting?.limitPx, (await read(rig, id)).body]).toMatchObject(["89000.0", told]);
});
