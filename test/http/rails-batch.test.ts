/** A key with rails that places orders as one action: they are judged in their order, each with those before it. */
import { expect, test } from "bun:test";
import { BOT, type Body, fillAt, inSeconds, limitedRig, MARK } from "./rails-rig.ts";
import { ACCOUNTS, type Rig, rowCounts } from "./rig.ts";

const ORDER = { market: "BTC", side: "buy", size: "0.001", price: MARK };

function batch(rig: Rig, sizes: readonly string[], key = "batch-of-a-bot-1"): Promise<Response> {
  const orders = sizes.map((size) => ({ ...ORDER, size }));
  return rig.ask({
    path: "/v1/orders/batch",
    apiKey: BOT,
    idempotencyKey: key,
    body: { account: ACCOUNTS.main, orders },
  });
}

async function refusedIn(response: Response): Promise<Body[]> {
  return ((await response.json()) as { error: { orders: Body[] } }).error.orders;
}

test.each([
  ["an exposure", { maxExposure: "100 USD" }, ["0.001", "0.0005", "0.0005"], [2]],
  ["a size of one order", { maxOrder: "70 USD" }, ["0.002", "0.001", "0.003"], [0, 2]],
  ["open orders", { maxOpenOrders: "2" }, ["0.001", "0.001", "0.001", "0.001"], [2, 3]],
  ["actions of a day", { maxActionsPerDay: "1" }, ["0.001", "0.001"], [1]],
] as const)(
  "%s that is beyond its rail names the orders that are too much, and nothing is sent",
  async (...[, rails, sizes, beyond]) => {
    const rig = await limitedRig(rails);
    const before = rowCounts(rig);
    const response = await batch(rig, sizes);
    expect(response.status).toBe(403);
    const refused = await refusedIn(response);
    expect(refused.map(({ index, code }) => [index, code])).toEqual(beyond.map((index) => [index, "rail_refused"]));
    expect(rowCounts(rig)).toMatchObject({ orders: before["orders"] });
  },
);

test("of a batch in two markets what each is judged by is read first", async () => {
  const rig = await limitedRig({ maxLeverage: "5" });
  fillAt(rig, MARK);
  const orders = ["BTC", "ETH"].map((market) => ({ ...ORDER, market }));
  const body = { account: ACCOUNTS.main, orders };
  const asked = rig.ask({ path: "/v1/orders/batch", apiKey: BOT, idempotencyKey: "batch-in-two-markets", body });
  expect((await inSeconds(rig, asked)).status).toBe(201);
});

test("what is within its rails together passes, and each order counts", async () => {
  const rig = await limitedRig({ maxExposure: "130 USD", maxActionsPerDay: "2" });
  fillAt(rig, MARK);
  expect((await batch(rig, ["0.001", "0.001"])).status).toBe(201);
  expect((await batch(rig, ["0.0001"], "batch-of-a-bot-2")).status).toBe(403);
});
