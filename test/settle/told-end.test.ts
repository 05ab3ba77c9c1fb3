/** The end of an order that its feed has told, where the exchange's record of it is behind or kept no longer. */
import { expect, test } from "bun:test";
import type { OrderTerms } from "../../src/core/order.ts";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { recordOf } from "../support/small-venue.ts";

const PLAIN: Partial<OrderTerms> = {};
const STOP = { trigger: { price: "90", kind: "stop_loss", market: true }, side: "sell", price: "80" } as const;

function tell({ deps, venue }: GatewayRig, shown: object): void {
  const [order] = venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  const record = recordOf(order) as { order: object; statusTimestamp: number };
  const data = [{ ...record, statusTimestamp: record.statusTimestamp + 1_000, ...shown }];
  const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data }));
  if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
  deps.picture.hear(ACCOUNT.tradingAddress, { kind: "order_updates", updates: frame.updates });
}

/** An order that rests or waits, and what its looks say of it after its feed has told that. */
async function statusAfter(
  terms: Partial<OrderTerms>,
  { told, isForgotten }: { told: string | null; isForgotten: boolean },
): Promise<unknown> {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001", terms));
  const id = String(order["id"]);
  await rig.clock.advance(2_000);
  if (told !== null) tell(rig, { status: told });
  if (isForgotten) rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  for (let nth = 0; nth < 3; nth += 1) {
    await rig.deps.settling.look(id);
    await rig.clock.advance(2_000);
  }
  return findOrder(rig.store, id)?.status;
}

const FORGOTTEN = { isForgotten: true };
const BEHIND = { isForgotten: false };

test.each<[string, Partial<OrderTerms>, { told: string | null; isForgotten: boolean }, string]>([
  ["a cancel ends an order without a record", PLAIN, { ...FORGOTTEN, told: "canceled" }, "canceled"],
  ["a cancel ends an order whose record shows it open", PLAIN, { ...BEHIND, told: "canceled" }, "canceled"],
  ["a refusal of a trigger that fired is told as one", STOP, { ...FORGOTTEN, told: "iocCancelRejected" }, "rejected"],
  ["the same while its record shows it waiting", STOP, { ...BEHIND, told: "iocCancelRejected" }, "rejected"],
  ["a trigger that fired is not over for that", STOP, { ...FORGOTTEN, told: "triggered" }, "waiting_for_trigger"],
  ["a word that is new is no end", PLAIN, { ...FORGOTTEN, told: "swapCanceled" }, "open"],
  ["nothing told is no end", PLAIN, { ...FORGOTTEN, told: null }, "open"],
])("%s", async (_name, terms, about, status) => {
  expect(await statusAfter(terms, about)).toBe(status);
});

test("that an update leaves out whether an order only reduces is no difference from what was asked", async () => {
  const rig = openGatewayRig();
  const { order: asked } = await rig.answerOf(rig.place("key-0001", { reduceOnly: true }));
  const id = String(asked["id"]);
  await rig.clock.advance(2_000);
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("nothing placed");
  const { reduceOnly: _, ...order } = (recordOf(placed) as { order: Record<string, unknown> }).order;
  tell(rig, { order, status: "canceled" });
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  await rig.deps.settling.look(id);
  expect(findOrder(rig.store, id)?.error ?? "").not.toContain("ALARM");
});

test("what the feed tells of something else under its id ends nothing", async () => {
  const rig = openGatewayRig();
  const { order } = await rig.answerOf(rig.place("key-0001"));
  const id = String(order["id"]);
  const [placed] = rig.venue.orders;
  if (placed === undefined) throw new Error("nothing placed");
  const { order: shown } = recordOf(placed) as { order: object };
  tell(rig, { status: "canceled", order: { ...shown, coin: "ETH" } });
  rig.exchange.answer("orderStatus", () => ({ status: "unknownOid" }));
  await rig.deps.settling.look(id);
  expect(findOrder(rig.store, id)).toMatchObject({ status: "unknown", error: expect.stringContaining("ALARM") });
});
