/** An order that no record, list or fill has ever shown, and of which a cancel was answered as carried out. */
import { expect, test } from "bun:test";
import type { SendOutcome } from "../../src/exchange/exchange.ts";
import { setFillCursor } from "../../src/store/fills.ts";
import { findOrder } from "../../src/store/orders.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { answered, type BookOrder } from "../support/small-venue.ts";

/** Its number is used, and every cancel succeeds. */
function said(body: string): SendOutcome {
  const { action, nonce } = JSON.parse(body);
  if (action.type === "order") return { kind: "unknown", reason: "the connection was reset" };
  if (action.type === "noop") return answered({ status: "err", response: `Invalid nonce: duplicate nonce ${nonce}` });
  return answered({ status: "ok", response: { type: "cancel", data: { statuses: ["success"] } } });
}

test("is over by that word alone, and what else may have become of it is told with it", async () => {
  const rig = openGatewayRig();
  await rig.answerOf(rig.place("key-0000"));
  const [other] = rig.venue.orders;
  rig.deliveries.push(...Array.from({ length: 60 }, () => said));
  const { order: placed } = await rig.answerOf(rig.place("key-0001"));
  const id = String(placed["id"]);
  await rig.answerOf(rig.cancel("key-0002", id));
  setFillCursor(rig.store, ACCOUNT.id, START_MS + 3_600_000);
  for (let nth = 0; nth < 30; nth += 1) {
    await rig.clock.advance(11_000);
    const nowMs = rig.clock.nowMs();
    // The account goes on, so that a list and its history are of later.
    const newer: BookOrder[] =
      other === undefined ? [] : [{ ...other, oid: 9_000, cloid: "0x9", statusAtMs: nowMs, placedAtMs: nowMs }];
    rig.venue.orders.splice(0, rig.venue.orders.length, ...newer);
    await rig.deps.settling.look(id, "settle");
  }
  expect(findOrder(rig.store, id)).toMatchObject({
    status: "canceled",
    exchangeOrderId: null,
    filledSize: "0",
    error: expect.stringContaining("canceled, or refused when it arrived"),
  });
});
