import { describe, expect, test } from "bun:test";
import { findAccount } from "../../src/store/accounts.ts";
import { markAgentApproved, retireAgent } from "../../src/store/agents.ts";
import { setFillCursor } from "../../src/store/fills.ts";
import { insertOperation } from "../../src/store/operations.ts";
import { findOrder, updateOrder } from "../../src/store/orders.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { ACCOUNTS, AGENT_ADDRESS, KEYS, openRig, type Rig, START_MS } from "./rig.ts";

type Status = {
  exchange_budget: Record<string, unknown>;
  agent: Record<string, unknown> | null;
  unknown_orders: object;
  unknown_operations: object;
};

const NOT_LIMITED = { left: null, wait_s: 0 };

async function statusOf(rig: Rig, apiKey: string = KEYS.readOnly): Promise<Status> {
  const response = await rig.ask({ path: "/v1/status", apiKey });
  expect(response.status).toBe(200);
  return (await response.json()) as Status;
}

async function placeUnknown(rig: Rig): Promise<void> {
  const body = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };
  const request = { path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "status-place", body };
  const { id } = (await (await rig.ask(request)).json()) as { id: string };
  const order = findOrder(rig.deps.store, id);
  if (order === null) throw new Error("the order is not stored");
  updateOrder(rig.deps.store, { ...order, status: "unknown", error: "lost" });
}

test("whoami tells a key whether the gateway trades at the exchange's own host", async () => {
  const told = async (network: "mainnet" | "paper") => {
    const rig = openRig({ network });
    return (await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both })).json();
  };
  // The rig's exchange is on this machine.
  expect(await told("mainnet")).toMatchObject({ network: "mainnet", exchange: "unofficial" });
  expect(await told("paper")).toMatchObject({ network: "paper", exchange: "simulated" });
});

describe("the status", () => {
  test("of a quiet gateway", async () => {
    const rig = openRig({ network: "testnet" });
    setFillCursor(rig.deps.store, ACCOUNTS.main, START_MS - 60_000);
    const mine = findAccount(rig.deps.store, ACCOUNTS.main)?.tradingAddress;
    rig.answers.set("userRateLimit", ({ user }) =>
      user === mine ? { cumVlm: "5.0", nRequestsUsed: 12, nRequestsCap: 10_005, nRequestsSurplus: 0 } : null,
    );
    expect(await statusOf(rig)).toEqual({
      object: "status",
      account: ACCOUNTS.main,
      network: "testnet",
      phase: "ready",
      orders: { are_taken: true, reason: null, detail: null },
      writes_stopped_because: null,
      replica_fault: null,
      restore: null,
      unsettled_actions: 0,
      feed_live: false,
      feed_not_live_because: "no websocket is used",
      market_feed_live: null,
      picture: { balances_as_of: null, positions_as_of: null, open_orders_as_of: null, twaps_as_of: null },
      exchange_budget: {
        order_wait_s: 0,
        cancel_wait_s: 0,
        actions_used: 12,
        actions_cap: 10_005,
        weight: {
          reads: NOT_LIMITED,
          orders: NOT_LIMITED,
          reductions: NOT_LIMITED,
          settling: NOT_LIMITED,
          cancels: NOT_LIMITED,
        },
      },
      agent: { address: AGENT_ADDRESS, name: "postern-1", is_unlocked: true, valid_until: null },
      builder_fee: null,
      unlimited_write_keys: [KEYS.both, KEYS.writeOnly].map(keyHash).sort(),
      unknown_orders: { count: 0, oldest_since: null, oldest_age_s: null },
      unknown_operations: { count: 0, oldest_since: null, oldest_age_s: null },
      fills_complete_to: new Date(START_MS - 60_000).toISOString(),
      fills_read_at: new Date(START_MS).toISOString(),
      markets_read_at: new Date(START_MS).toISOString(),
    } as Status);
  });

  test("counts what is unknown with its age, of the key's own account", async () => {
    const rig = openRig();
    await placeUnknown(rig);
    const accountId = ACCOUNTS.main;
    insertOperation(rig.deps.store, {
      id: "01a1fbc9-77d2-7c3d-8b1e-5a4f3c2d1e0f",
      accountId,
      action: "leverage",
      market: "BTC",
      status: "unknown",
      exchangeId: null,
      error: "lost",
      createdAtMs: START_MS + 5_000,
      version: 0,
      parameters: "{}",
      before: null,
      releasedAtMs: null,
      keyHash: null,
    });
    await rig.clock.advance(12_999);
    const oldest = new Date(START_MS).toISOString();
    expect(await statusOf(rig)).toMatchObject({
      unknown_orders: { count: 1, oldest_since: oldest, oldest_age_s: 12 },
      unknown_operations: { count: 1, oldest_age_s: 7 },
    });
    expect(await statusOf(rig, KEYS.other)).toMatchObject({
      unknown_orders: { count: 0 },
      unknown_operations: { count: 0 },
    });
  });

  test("says when the agent's approval ends, and when there is no agent", async () => {
    const rig = openRig();
    const validUntilMs = START_MS + 86_400_000;
    markAgentApproved(rig.deps.store, AGENT_ADDRESS, { approvedAtMs: START_MS, validUntilMs });
    expect((await statusOf(rig)).agent).toMatchObject({ valid_until: new Date(validUntilMs).toISOString() });
    retireAgent(rig.deps.store, AGENT_ADDRESS);
    expect((await statusOf(rig)).agent).toBeNull();
  });

  test("is answered when the exchange cannot be asked and while writes are stopped", async () => {
    const rig = openRig();
    rig.deps.state.phase = "starting";
    rig.deps.state.writesStoppedBecause = "the disk is full";
    const status = await statusOf(rig);
    expect(status).toMatchObject({ phase: "starting", writes_stopped_because: "the disk is full" });
    expect(status.exchange_budget).toMatchObject({ actions_used: null, actions_cap: null });
  });
});
