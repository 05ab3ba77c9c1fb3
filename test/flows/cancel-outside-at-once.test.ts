/** A cancel needs to know in which market the order is, and waits for nothing else. */
import { expect, test } from "bun:test";
import { FIRST, limitOrder, openPaperRig, type PaperRig } from "../support/paper-rig.ts";
import { open } from "./modified-order.ts";

/** One that was placed past this gateway; its native id. */
async function placedElsewhere(): Promise<{ rig: PaperRig; oid: number }> {
  const rig = await openPaperRig();
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size: "0.1", price: "59000" }));
  const [order] = await open(rig);
  return { rig, oid: order?.oid ?? 0 };
}

test.each(["userFillsByTime", "frontendOpenOrders", "historicalOrders", "clearinghouseState"])(
  "of an order that was placed elsewhere it leaves within a second, while no answer comes to %s",
  async (type) => {
    const { rig, oid } = await placedElsewhere();
    rig.interfere = (request) => (request["type"] === type ? new Promise(() => undefined) : undefined);
    const canceled = rig.ask(FIRST, { route: `POST /v1/orders/${oid}/cancel`, body: {} });
    await rig.clock.advance(1_500);
    expect(rig.sent.filter((each) => each === "cancel")).toHaveLength(1);
    expect(await open(rig)).toEqual([]);
    rig.interfere = () => undefined;
    expect((await rig.answerOf(canceled)).status).toBeLessThan(300);
    await rig.clock.advance(30_000);
    const now = await rig.answer(FIRST, { route: `GET /v1/orders/${oid}` });
    expect(now.body).toMatchObject({ status: "canceled", filled_size: "0" });
  },
);

test("what had been filled of it by then is told once it is known", async () => {
  const { rig, oid } = await placedElsewhere();
  await rig.trade("sell", "0.04", "59000");
  rig.interfere = (request) => (request["type"] === "userFillsByTime" ? new Promise(() => undefined) : undefined);
  const canceled = rig.ask(FIRST, { route: `POST /v1/orders/${oid}/cancel`, body: {} });
  await rig.clock.advance(1_500);
  expect(await open(rig)).toEqual([]);
  rig.interfere = () => undefined;
  await rig.answerOf(canceled);
  await rig.clock.advance(30_000);
  const now = await rig.answer(FIRST, { route: `GET /v1/orders/${oid}` });
  expect(now.body).toMatchObject({ status: "canceled", filled_size: "0.04" });
});
