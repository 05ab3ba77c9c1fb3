/** What a client sees of the exchange's own limit of actions. */
import { expect, test } from "bun:test";
import { findAccount } from "../../src/store/accounts.ts";
import { ACCOUNTS, KEYS, openRig, type Rig, rowCounts } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };

function addressOf(rig: Rig, accountId: string): string {
  return findAccount(rig.deps.store, accountId)?.tradingAddress ?? "";
}

async function openWith(used: number): Promise<Rig> {
  const rig = openRig({ hasAllowance: true });
  const mine = addressOf(rig, ACCOUNTS.main);
  rig.answers.set("userRateLimit", ({ user }) => ({
    cumVlm: "0.0",
    nRequestsUsed: user === mine ? used : 0,
    nRequestsCap: 10_000,
    nRequestsSurplus: 0,
  }));
  for (const id of [ACCOUNTS.main, ACCOUNTS.other]) await rig.deps.allowance.refresh(addressOf(rig, id));
  return rig;
}

function post(rig: Rig, path: string, idempotencyKey: string, body: unknown): Promise<Response> {
  return rig.ask({ method: "POST", path, apiKey: KEYS.both, idempotencyKey, body });
}

test("an account without actions is told so before anything is stored, and its key is not used", async () => {
  const rig = await openWith(9_799);
  const placed = await post(rig, "/v1/orders", "allowance-first", ORDER);
  expect(placed.status).toBe(201);
  const { id } = (await placed.json()) as { id: string };
  const before = rowCounts(rig);
  const writes: [string, object][] = [
    ["/v1/orders", ORDER],
    [`/v1/orders/${id}/modify`, { price: "59900" }],
    ["/v1/leverage", { market: "BTC", leverage: 5, margin_type: "cross" }],
    ["/v1/twaps", { market: "BTC", side: "buy", size: "0.5", duration_minutes: 30 }],
  ];
  for (const [index, [path, body]] of writes.entries()) {
    const refused = await post(rig, path, `allowance-refused-${index}`, body);
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    expect([path, refused.status, error.code]).toEqual([path, 429, "exchange_rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  expect(rowCounts(rig)).toEqual(before);
  expect(rig.sent).toHaveLength(1);
  const other = await rig.ask({
    path: "/v1/orders",
    apiKey: KEYS.other,
    idempotencyKey: "allowance-other",
    body: { ...ORDER, account: ACCOUNTS.other },
  });
  expect(other.status).toBe(201);
  const cancel = { path: `/v1/orders/${id}/cancel`, apiKey: KEYS.both, idempotencyKey: "allowance-cancel", body: {} };
  expect((await rig.askForSeconds(cancel)).status).toBe(200);
  await rig.clock.advance(10_000);
  expect((await post(rig, "/v1/orders", "allowance-refused-0", ORDER)).status).toBe(201);
});

test("a refusal of the exchange for want of actions makes the gateway count anew", async () => {
  const rig = await openWith(0);
  const told = "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0.";
  rig.refusals.push(`${told} Place taker orders to free up 1 request per USDC traded.`);
  rig.answers.set("userRateLimit", () => ({ cumVlm: "0.0", nRequestsUsed: 10_000, nRequestsCap: 10_000 }));
  await rig.clock.advance(10_000);
  const refused = await post(rig, "/v1/orders", "allowance-told", ORDER);
  expect([refused.status, ((await refused.json()) as { status: string }).status]).toEqual([201, "rejected"]);
  await rig.clock.advance(0);
  expect((await post(rig, "/v1/orders", "allowance-told-2", ORDER)).status).toBe(429);
  expect(rig.sent).toHaveLength(1);
});
