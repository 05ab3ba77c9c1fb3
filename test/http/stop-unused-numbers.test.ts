/** A refusal that leaves the action's number unused: another copy of it may still be taken, and a stop is none before that is over. */
import { expect, test } from "bun:test";
import { ACCOUNTS, KEYS, openRig, type Rig } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };
const USED_UP =
  "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.";
const NO_AGENT = "User or API Wallet 0x1111111111111111111111111111111111111111 does not exist.";
const NO_DEPOSIT = "Must deposit before performing actions. User: 0x1111111111111111111111111111111111111111";
/** Without the number, so that it may be about any. */
const DUPLICATE = "Invalid nonce: duplicate nonce";
/** The life of an action, and the margin for the block that may still take it. */
const ENDS_MS = 12_000 + 3_000;

type Told = { id: string; status: string; remaining: { orders: number; order_ids: string[] } };

function quietRig(): Rig {
  const rig = openRig();
  rig.answers.set("twapHistory", () => []);
  rig.answers.set("meta", () => null);
  return rig;
}

let asked = 0;

async function place(rig: Rig, body: object = ORDER): Promise<string> {
  asked += 1;
  const answer = await rig.askForSeconds({
    path: "/v1/orders",
    apiKey: KEYS.both,
    body,
    idempotencyKey: `unused-${asked}`,
  });
  const { id, status } = (await answer.json()) as Told;
  expect(status).toBe("rejected");
  return id;
}

async function stop(rig: Rig, body: object = { scope: "account" }): Promise<string> {
  return ((await (await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body })).json()) as Told).id;
}

async function read(rig: Rig, path: string): Promise<Told> {
  return (await (await rig.ask({ path, apiKey: KEYS.both })).json()) as Told;
}

async function pass(rig: Rig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) await rig.clock.advance(100);
}

type Sent = { action: { type: string }; nonce: number };

function sentSince(rig: Rig, count: number): Sent[] {
  return rig.sent.slice(count).map((body) => JSON.parse(body) as Sent);
}

test.each([USED_UP, NO_AGENT, NO_DEPOSIT])(
  "an empty action takes its number, and then it is stopped: %s",
  async (text) => {
    const rig = quietRig();
    rig.refusals.push(text);
    await place(rig);
    const [{ nonce } = { nonce: -1 }] = sentSince(rig, 0);
    const before = rig.sent.length;
    const id = await stop(rig);
    await pass(rig, 5_000);
    expect(await read(rig, `/v1/stops/${id}`)).toMatchObject({ status: "stopped", remaining: { orders: 0 } });
    expect(sentSince(rig, before).map((sent) => [sent.action.type, sent.nonce])).toEqual([["noop", nonce]]);
  },
);

test("while the exchange takes none, it is stopped once nothing of it can come and it was looked for", async () => {
  const rig = quietRig();
  rig.refusals.push(USED_UP);
  const order = await place(rig);
  rig.refusals.push(USED_UP, DUPLICATE);
  const id = await stop(rig);
  await pass(rig, 9_000);
  expect(await read(rig, `/v1/stops/${id}`)).toMatchObject({
    status: "stopping",
    remaining: { orders: 1, order_ids: [order] },
  });
  await pass(rig, ENDS_MS);
  expect(await read(rig, `/v1/stops/${id}`)).toMatchObject({ status: "stopped" });
});

test("a copy that was taken meanwhile is found, told and canceled before it is stopped", async () => {
  const rig = quietRig();
  rig.refusals.push(USED_UP);
  const order = await place(rig);
  const [copy = ""] = rig.sent;
  rig.refusals.push(USED_UP);
  const id = await stop(rig);
  await pass(rig, 2_000);
  await rig.deps.exchange.send(copy, "order", () => true);
  rig.refusals.push(DUPLICATE);
  await pass(rig, 16_000);
  expect(await read(rig, `/v1/stops/${id}`)).toMatchObject({ status: "stopped" });
  expect(await read(rig, `/v1/orders/${order}`)).toMatchObject({ status: "canceled" });
  expect(sentSince(rig, 0).some(({ action }) => action.type === "cancel")).toBe(true);
});

// biome-ignore format: one a row
const OTHERS: readonly [string, string, object, object][] = [
  ["has used its number up", "Insufficient margin to place order.", ORDER, { scope: "account" }],
  ["can only reduce", USED_UP, { ...ORDER, side: "sell", reduce_only: true }, { scope: "account" }],
];

test.each(OTHERS)("what %s is not waited for", async (_what, text, body, scope) => {
  const rig = quietRig();
  rig.refusals.push(text);
  await place(rig, body);
  const before = rig.sent.length;
  const id = await stop(rig, scope);
  await pass(rig, 5_000);
  expect(await read(rig, `/v1/stops/${id}`)).toMatchObject({ status: "stopped" });
  expect(sentSince(rig, before)).toEqual([]);
});

test("nobody waits for what ended long before", async () => {
  const rig = quietRig();
  rig.refusals.push(USED_UP);
  await place(rig);
  await pass(rig, ENDS_MS + 31_000);
  const before = rig.sent.length;
  const id = await stop(rig);
  await pass(rig, 5_000);
  expect(await read(rig, `/v1/stops/${id}`)).toMatchObject({ status: "stopped" });
  expect(sentSince(rig, before)).toEqual([]);
});

test("a copy that is taken later is told, whatever was told before", async () => {
  const rig = quietRig();
  rig.refusals.push(NO_AGENT);
  const order = await place(rig);
  const [copy = ""] = rig.sent;
  await rig.deps.exchange.send(copy, "order", () => true);
  await read(rig, "/v1/orders?status=open");
  expect(await read(rig, `/v1/orders/${order}`)).toMatchObject({ status: "open" });
});
