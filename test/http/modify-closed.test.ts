/** A modify of what is over sends nothing, and says what is known of how it ended. */
import { expect, test } from "bun:test";
import { ACCOUNTS, KEYS, openRig } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };

test("its answer keeps the order's own words beside its own", async () => {
  const rig = openRig();
  rig.refusals.push("Insufficient margin to place order. asset=0");
  const placed = await rig.askForSeconds({
    path: "/v1/orders",
    apiKey: KEYS.both,
    body: ORDER,
    idempotencyKey: "closed-1",
  });
  const { id, status, error } = (await placed.json()) as { id: string; status: string; error: string };
  expect([status, error.includes("margin")]).toEqual(["rejected", true]);
  const before = rig.sent.length;
  const modified = await rig.askForSeconds({
    path: `/v1/orders/${id}/modify`,
    apiKey: KEYS.both,
    body: { price: "59000" },
    idempotencyKey: "closed-2",
  });
  const told = (await modified.json()) as { status: string; error: string };
  expect(told.status).toBe("rejected");
  expect(told.error).toBe(`The order is rejected: there is nothing to modify. Nothing was sent. ${error}`);
  expect(rig.sent.length).toBe(before);
});
