import { expect, test } from "bun:test";
import { ACCOUNTS, KEYS, openRig, type Rig } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };

function place(rig: Rig, idempotencyKey: string, body: unknown): Promise<Response> {
  return rig.ask({ path: "/v1/orders", apiKey: KEYS.both, idempotencyKey, body });
}

test("the same request again gets the same bytes and sends nothing", async () => {
  const rig = openRig();
  const first = await place(rig, "same-bytes-1", ORDER);
  const again = await place(rig, "same-bytes-1", ORDER);
  expect(await again.text()).toBe(await first.text());
  expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([null, "true"]);
  expect(rig.sent).toHaveLength(1);
});

test("an answered order leaves no timer of its deadline behind", async () => {
  const rig = openRig();
  expect((await place(rig, "no-timer-1", ORDER)).status).toBe(201);
  // The commit that its outcome waits for.
  await rig.clock.advance(5);
  expect(rig.clock.sleepers()).toBe(0);
});

const TRIGGER = { price: "59000", kind: "stop_loss", market: true };

const SAME: [string, unknown, unknown][] = [
  ["defaults written out", ORDER, { ...ORDER, time_in_force: "gtc", reduce_only: false }],
  ["decimals by value", { ...ORDER, size: "1", price: "60000" }, { ...ORDER, size: "1.0", price: "60000.000" }],
  ["the account in capitals", ORDER, { ...ORDER, account: ACCOUNTS.main.toUpperCase() }],
  ["members in another order", ORDER, Object.fromEntries(Object.entries(ORDER).reverse())],
  [
    "the trigger's decimals by value",
    { ...ORDER, trigger: TRIGGER },
    { ...ORDER, trigger: { ...TRIGGER, price: "59000.0" } },
  ],
];

test.each(SAME)("knows a request again by its meaning: %s", async (_what, first, second) => {
  const rig = openRig();
  expect((await place(rig, "by-meaning-1", first)).status).toBe(201);
  const again = await place(rig, "by-meaning-1", second);
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(rig.sent).toHaveLength(1);
});

const OTHER: [string, object][] = [
  ["side", { side: "sell" }],
  ["size", { size: "0.02" }],
  ["price", { price: "60001" }],
  ["market", { market: "ETH" }],
  ["time_in_force", { time_in_force: "alo" }],
  ["reduce_only", { reduce_only: true }],
  ["trigger", { trigger: TRIGGER }],
];

test.each(OTHER)("refuses another %s under the same key", async (_what, change) => {
  const rig = openRig();
  expect((await place(rig, "another-one-1", ORDER)).status).toBe(201);
  const other = await place(rig, "another-one-1", { ...ORDER, ...change });
  expect(other.status).toBe(409);
  expect(rig.sent).toHaveLength(1);
});

test("refuses another route under the same key", async () => {
  const rig = openRig();
  const order = (await (await place(rig, "another-route", ORDER)).json()) as { id: string };
  const cancel = await rig.ask({
    method: "POST",
    path: `/v1/orders/${order.id}/cancel`,
    apiKey: KEYS.both,
    idempotencyKey: "another-route",
  });
  expect(cancel.status).toBe(409);
  expect(rig.sent).toHaveLength(1);
});

test("a key that was refused can be used again", async () => {
  const rig = openRig();
  expect((await place(rig, "used-again-01", { ...ORDER, size: "0" })).status).toBe(400);
  expect((await place(rig, "used-again-01", { ...ORDER, market: "NOPE" })).status).toBe(400);
  expect((await place(rig, "used-again-01", ORDER)).status).toBe(201);
});

test("a hundred of the same at once are one order", async () => {
  const rig = openRig();
  const responses = await Promise.all(Array.from({ length: 100 }, () => place(rig, "hundred-at-once", ORDER)));
  const ids = await Promise.all(responses.map(async (response) => ((await response.json()) as { id: string }).id));
  expect(new Set(ids).size).toBe(1);
  expect(rig.sent).toHaveLength(1);
});

test("cancel takes an empty object, an empty body and no content type", async () => {
  for (const [index, request] of [{ body: {} }, { body: "" }, {}].entries()) {
    const rig = openRig();
    const order = (await (await place(rig, "cancel-bodies", ORDER)).json()) as { id: string };
    const path = `/v1/orders/${order.id.toUpperCase()}/cancel`;
    const response = await rig.askForSeconds({
      method: "POST",
      path,
      apiKey: KEYS.both,
      idempotencyKey: `cancel-body-${index}`,
      ...request,
    });
    expect(response.status).toBe(200);
    const canceled = (await response.json()) as { status: string };
    expect(canceled.status).toBe("canceled");
    expect(rig.sent).toHaveLength(2);
  }
});

test("a rule of a list that is older than ten minutes is not held against a reduction, whatever the wall clock says", async () => {
  const rig = openRig();
  // The wall clock still shows the moment at which the list was read.
  Object.assign(rig.deps.markets, { ageMs: () => 10 * 60_000 + 1 });
  await place(rig, "old-rule-0001", { ...ORDER, size: "0.0000001", reduce_only: true });
  expect(rig.sent).toHaveLength(1);
});

test("an order that breaks a known rule is answered rejected and is not sent", async () => {
  const rig = openRig();
  const response = await place(rig, "known-rule-01", { ...ORDER, size: "0.0000001" });
  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ status: "rejected", size: "0.0000001" });
  expect(rig.sent).toEqual([]);
});
