import { describe, expect, test } from "bun:test";
import { NO_METRICS } from "../../src/core/metric.ts";
import { tellExpiringKeys } from "../../src/ops/tell-keys.ts";
import { listEventsAfter } from "../../src/store/account-events.ts";
import { grantDigest, keyHash } from "../../src/wire/grant.ts";
import {
  BOT,
  type Body,
  inSeconds,
  limitedRig,
  openMarketRig,
  place,
  railOf,
  refusalOf,
  register,
  stop,
  textOf,
} from "./rails-rig.ts";
import { ACCOUNTS, AUDIENCE, KEYS, OWNER, type Rig } from "./rig.ts";

type Told = { rail: string; untold_before: number; key_hash: string };

function toldOf(rig: Rig, type: string): Record<string, unknown>[] {
  return listEventsAfter(rig.deps.store, { accountId: ACCOUNTS.main, after: 0, limit: 500 })
    .filter((event) => event.type === type)
    .map(({ payload }) => JSON.parse(payload ?? "{}"));
}

function refusalsToldOf(rig: Rig): [string, number][] {
  return (toldOf(rig, "rail.refused") as unknown as Told[]).map(({ rail, untold_before: untold }) => [rail, untold]);
}

function auditOf(rig: Rig, event: string): number {
  const rows = rig.deps.store.$client.query<{ n: number }, [string]>("select count(*) as n from audit where event = ?");
  return rows.get(event)?.n ?? 0;
}

async function limitsOf(rig: Rig): Promise<Record<string, Body>> {
  const shown = (await (await rig.ask({ path: "/v1/whoami", apiKey: BOT })).json()) as { limits: Record<string, Body> };
  return shown.limits;
}

describe("a refusal by a rail", () => {
  test("is told once for each key, rail and minute, and the others are counted", async () => {
    const rig = await limitedRig({ maxOrder: "50 USD", maxDistance: "2 %" });
    const counted: string[] = [];
    Object.assign(rig.deps, {
      metrics: { ...NO_METRICS, railRefused: (_: string, rail: string) => counted.push(rail) },
    });
    for (let n = 0; n < 3; n += 1) await place(rig, {});
    expect(await railOf(await place(rig, { size: "0.0001", price: "70000" }))).toBe("max_distance");
    expect(refusalsToldOf(rig)).toEqual([
      ["max_order", 0],
      ["max_distance", 0],
    ]);
    await rig.clock.advance(58_000);
    await inSeconds(rig, place(rig, {}));
    await rig.clock.advance(3_000);
    await inSeconds(rig, place(rig, {}));
    expect(refusalsToldOf(rig).slice(2)).toEqual([["max_order", 3]]);
    expect([auditOf(rig, "rail_refused"), counted.length]).toEqual([3, 6]);
    expect(toldOf(rig, "rail.refused")[0]).toMatchObject({
      object: "rail_refusal",
      key_hash: keyHash(BOT),
      account: ACCOUNTS.main,
      bot: "grid-1",
      limit: "50 USD",
      use: "60 USD",
    });
  });

  test("for where the key is used is told as well", async () => {
    const rig = await limitedRig({ sources: "10.0.0.0/8" });
    expect((await rig.ask({ path: "/v1/whoami", apiKey: BOT }, "192.0.2.1")).status).toBe(403);
    expect(toldOf(rig, "rail.refused")).toMatchObject([{ rail: "sources", limit: "10.0.0.0/8", use: "192.0.2.1" }]);
  });

  test("of what was accepted before does not exist: its repeat is answered and not judged", async () => {
    const rig = await limitedRig({});
    const first = await place(rig, {}, { key: "accepted-once" });
    await rig.clock.advance(1);
    expect((await register(rig, textOf(rig, { may: "reduce,cancel", maxOrder: "1 USD" }))).status).toBe(201);
    const again = await place(rig, {}, { key: "accepted-once" });
    expect([again.status, await again.text()]).toEqual([201, await first.text()]);
    expect(await railOf(await place(rig, {}))).toBe("may");
    expect(refusalsToldOf(rig)).toEqual([["may", 0]]);
  });
});

test("what is left of the rails is shown beside what is used", async () => {
  const rails = { maxTurnoverPerDay: "100 USD", maxPosition: "90 USD", maxExposure: "80 USD", maxOpenOrders: "3" };
  const rig = await limitedRig(rails);
  await place(rig, {});
  const { use, headroom } = await limitsOf(rig);
  expect(use).toMatchObject({
    turnover_today: "0",
    turnover_open: "60",
    open_orders: 1,
    positions: [{ market: "BTC", worst_case_size: "0.001", worst_case_usd: "60" }],
  });
  expect(headroom).toEqual({
    halt: null,
    turnover_today: "40",
    loss_today: null,
    exposure: "20",
    actions_today: null,
    open_orders: 2,
    positions: [{ market: "BTC", usd: "30" }],
  });
  expect(await railOf(await place(rig, { size: "0.00034" }))).toBe("max_exposure");
  expect(await railOf(await place(rig, { size: "0.00033" }))).toBe("passed");
});

test("what is shown as left is what passes, also where a copy of what was refused may still be executed", async () => {
  const rig = await limitedRig({ maxTurnoverPerDay: "100 USD" });
  rig.refusals.push("Must deposit before performing actions. User: 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf");
  await place(rig, {});
  expect(await limitsOf(rig)).toMatchObject({ use: { turnover_open: "60" }, headroom: { turnover_today: "40" } });
  expect(await railOf(await place(rig, { size: "0.0007" }))).toBe("max_turnover_per_day");
  expect(await railOf(await place(rig, { size: "0.0006" }))).toBe("passed");
});

test("keys that may write and have no rails are named", async () => {
  const rig = await limitedRig({});
  const status = (await (await rig.ask({ path: "/v1/status", apiKey: KEYS.both })).json()) as Body;
  expect(status["unlimited_write_keys"]).toEqual([KEYS.both, KEYS.writeOnly].map(keyHash).sort());
});

test("that a key with rails ends is told from a week before, once for each step", async () => {
  const rig = await limitedRig({});
  const told: unknown[] = [];
  for (const day of [0, 82, 84, 86, 86.5, 88, 89.5, 91]) {
    await rig.clock.advance(day * 86_400_000 - (rig.clock.nowMs() - 1_795_253_400_000));
    tellExpiringKeys(rig.deps);
    tellExpiringKeys(rig.deps);
    told.push(toldOf(rig, "key.expiring").length);
  }
  expect(told).toEqual([0, 0, 1, 1, 1, 2, 3, 3]);
  expect(toldOf(rig, "key.expiring").map((event) => event["days_left"])).toEqual([7, 3, 1]);
});

describe("where rails are required", () => {
  function requiring(): Rig {
    const rig = openMarketRig({}, [{ coin: "BTC", szi: "1" }]);
    Object.assign(rig.deps.settings, { areRailsRequired: true });
    return rig;
  }

  async function registerPlain(rig: Rig, scopes: readonly string[]): Promise<string> {
    const hash = keyHash(`api_trade_${"77".repeat(32)}`);
    const issuedAtMs = rig.clock.nowMs();
    const message = {
      audience: AUDIENCE,
      accountId: ACCOUNTS.main,
      network: "exchange_mainnet",
      keyHash: hash,
    } as const;
    const digest = grantDigest({ ...message, scopes, issuedAtMs, expiresAtMs: null });
    const signature = await OWNER.sign({ hash: `0x${Buffer.from(digest).toString("hex")}` });
    const consent = {
      account: ACCOUNTS.main,
      network: "exchange_mainnet",
      key_hash: hash,
      policy: { scopes },
      issued_at: issuedAtMs,
      expires_at: null,
    };
    return refusalOf(await rig.ask({ path: "/v1/api-keys", body: { consent, signature } }));
  }

  test.each([
    [["trading:read", "trading:write"], "403 rails_required"],
    [["trading:read"], "201"],
  ])("a plain key for %p is answered with %s", async (scopes, answer) => {
    expect(await registerPlain(requiring(), scopes)).toStartWith(answer);
  });

  test.each<[string, string, Body, string]>([
    ["an order", "/v1/orders", { market: "BTC", side: "buy", size: "0.001", price: "60000" }, "403 rails_required"],
    ["leverage", "/v1/leverage", { market: "BTC", leverage: 40, margin_type: "cross" }, "403 rails_required"],
    ["a TWAP", "/v1/twaps", { market: "BTC", side: "buy", size: "1", duration_minutes: 30 }, "403 rails_required"],
    ["a stop", "/v1/orders", { market: "BTC", side: "sell", size: "1", price: "50000", ...stop }, "201"],
  ])("%s by a plain key is refused or passes", async (_title, path, terms, answer) => {
    const rig = requiring();
    const body = path === "/v1/orders" ? { account: ACCOUNTS.main, ...terms } : terms;
    const asked = rig.ask({ path, apiKey: KEYS.both, idempotencyKey: "one-that-is-asked", body });
    expect(await refusalOf(await inSeconds(rig, asked))).toStartWith(answer);
    expect(rig.sent.length).toBe(answer === "201" ? 1 : 0);
  });

  test("what a plain key placed before can be canceled by it, and a bot trades", async () => {
    const rig = requiring();
    Object.assign(rig.deps.settings, { areRailsRequired: false });
    const order = (await (await place(rig, {}, { apiKey: KEYS.both })).json()) as { id: string };
    Object.assign(rig.deps.settings, { areRailsRequired: true });
    const cancel = {
      path: `/v1/orders/${order.id}/cancel`,
      apiKey: KEYS.both,
      idempotencyKey: "cancel-it-now",
      body: {},
    };
    expect((await inSeconds(rig, rig.ask(cancel))).status).toBe(200);
    expect((await register(rig, textOf(rig))).status).toBe(201);
    expect(await railOf(await place(rig, {}))).toBe("passed");
  });
});
