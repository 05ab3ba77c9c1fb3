/** A stop as its client meets it: what is refused from then on, what passes, and who can end it. */
import { describe, expect, test } from "bun:test";
import { privateKeyToAccount } from "viem/accounts";
import { blockKey } from "../../src/ops/block-key.ts";
import { resumeTrading, stopByOperator } from "../../src/ops/stop-trading.ts";
import { listStopsInForce } from "../../src/store/stops.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { resumptionTypedData, revocationTypedData } from "../../src/wire/grant-data.ts";
import { BOT, limitedRig } from "./rails-rig.ts";
import { ACCOUNTS, AUDIENCE, KEYS, OWNER, openRig, type Rig, rowCounts } from "./rig.ts";

const STRANGER = privateKeyToAccount(`0x${"23".repeat(32)}`);
const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };
const STOP_LOSS = { price: "59000", kind: "stop_loss", market: true };

type Ask = { path: string; body?: unknown; apiKey?: string; idempotencyKey?: string };

let asked = 0;

function ask(rig: Rig, { path, body, apiKey = KEYS.both, idempotencyKey }: Ask): Promise<Response> {
  asked += 1;
  const key = idempotencyKey ?? `stop-test-${asked}`;
  return rig.askForSeconds({ path, apiKey, ...(body === undefined ? {} : { body, idempotencyKey: key }) });
}

async function stop(rig: Rig, body: object = { scope: "account" }, apiKey: string = KEYS.both): Promise<string> {
  const answer = await rig.ask({ path: "/v1/stop", apiKey, body });
  expect(answer.status).toBeLessThan(300);
  return ((await answer.json()) as { id: string }).id;
}

async function codeOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { error?: { code: string }; status?: string };
  return body.error?.code ?? `${answer.status}`;
}

/** A quiet account: nothing was placed elsewhere. */
function quietRig(options: Parameters<typeof openRig>[0] = {}): Rig {
  const rig = openRig(options);
  rig.answers.set("twapHistory", () => []);
  rig.answers.set("meta", () => null);
  return rig;
}

const INCREASES: [string, string, object][] = [
  ["an order", "/v1/orders", ORDER],
  ["a trigger that is not reduce_only", "/v1/orders", { ...ORDER, side: "sell", trigger: STOP_LOSS }],
  ["a purchase on spot", "/v1/orders", { ...ORDER, market: "PURR/USDC", size: "100", price: "0.2" }],
  ["a TWAP", "/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 }],
  [
    "a leverage, while it is not known what is set",
    "/v1/leverage",
    { market: "BTC", leverage: 5, margin_type: "cross" },
  ],
];

test.each(INCREASES)(
  "while the account is stopped %s is refused, and its key is not used",
  async (_what, path, body) => {
    const rig = quietRig();
    await stop(rig);
    const before = rowCounts(rig);
    const sent = rig.sent.length;
    expect(await codeOf(await ask(rig, { path, body, idempotencyKey: "kept-free-1" }))).toBe("trading_stopped");
    expect(rowCounts(rig)).toEqual(before);
    expect(rig.sent).toHaveLength(sent);
    resumeTrading({ ...rig.deps, network: "paper" }, { accountId: ACCOUNTS.main, stopId: null });
    expect(await codeOf(await ask(rig, { path, body, idempotencyKey: "kept-free-1" }))).toMatch(/^20[012]$/);
  },
);

const PASSING: [string, string, object][] = [
  ["a reduce_only order", "/v1/orders", { ...ORDER, side: "sell", reduce_only: true }],
  ["a reduce_only stop-loss", "/v1/orders", { ...ORDER, side: "sell", reduce_only: true, trigger: STOP_LOSS }],
  ["a sale on spot for USDC", "/v1/orders", { ...ORDER, market: "PURR/USDC", side: "sell", size: "100", price: "0.2" }],
  [
    "a reduce_only TWAP",
    "/v1/twaps",
    { market: "BTC", side: "sell", size: "0.1", duration_minutes: 30, reduce_only: true },
  ],
  ["the cancel of a TWAP", "/v1/twaps/cancel", { market: "BTC", twap_id: 7 }],
];

test.each(PASSING)("while the account is stopped %s passes", async (_what, path, body) => {
  const rig = quietRig();
  await stop(rig);
  expect(await codeOf(await ask(rig, { path, body }))).toMatch(/^20[012]$/);
  expect(rig.sent.length).toBeGreaterThan(0);
});

test("an order that can only reduce may be modified while the account is stopped, and another may not", async () => {
  const rig = quietRig();
  const idOf = async (body: object) =>
    ((await (await ask(rig, { path: "/v1/orders", body })).json()) as { id: string }).id;
  const reducing = await idOf({ ...ORDER, side: "sell", price: "70000", reduce_only: true });
  const increasing = await idOf(ORDER);
  // The stop's own cancels have not gone yet.
  rig.deps.state.phase = "opening";
  await stop(rig);
  rig.deps.state.phase = "ready";
  const modify = (id: string) => ask(rig, { path: `/v1/orders/${id}/modify`, body: { price: "60500" } });
  expect(await codeOf(await modify(increasing))).toBe("trading_stopped");
  expect(await codeOf(await modify(reducing))).toBe("200");
});

test("a stop of one key stops that key, whoever's order it changes, and what others ask of its orders", async () => {
  const rig = quietRig();
  const placed = await ask(rig, { path: "/v1/orders", body: ORDER, apiKey: KEYS.writeOnly });
  const { id } = (await placed.json()) as { id: string };
  rig.deps.state.phase = "opening";
  await stop(rig, { scope: "bot" }, KEYS.writeOnly);
  rig.deps.state.phase = "ready";
  const order = (apiKey: string) => ask(rig, { path: "/v1/orders", body: ORDER, apiKey });
  expect(await codeOf(await order(KEYS.writeOnly))).toBe("trading_stopped");
  expect(await codeOf(await order(KEYS.both))).toBe("201");
  expect(await codeOf(await ask(rig, { path: `/v1/orders/${id}/modify`, body: { price: "60500" } }))).toBe(
    "trading_stopped",
  );
});

test("a stop of one account is none of another", async () => {
  const rig = quietRig();
  const id = await stop(rig);
  const body = { ...ORDER, account: ACCOUNTS.other };
  expect(await codeOf(await ask(rig, { path: "/v1/orders", body, apiKey: KEYS.other }))).toBe("201");
  expect(await codeOf(await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.other }))).toBe("stop_not_found");
});

test("what rests goes, what can only reduce stays, and then it is stopped", async () => {
  const rig = quietRig();
  await ask(rig, { path: "/v1/orders", body: ORDER });
  const kept = (await (
    await ask(rig, { path: "/v1/orders", body: { ...ORDER, side: "sell", price: "70000", reduce_only: true } })
  ).json()) as { id: string };
  const id = await stop(rig);
  const told = await settled(rig, id);
  expect(told).toMatchObject({
    status: "stopped",
    scope: "account",
    key_hash: null,
    cause: "asked",
    keep_protection: true,
    remaining: { orders: 0, order_ids: [], twaps: 0, twap_operation_ids: [] },
    kept: { orders: 1, order_ids: [kept.id] },
    outside: { is_done: true, canceled: [], kept: [] },
  });
});

test("without keep_protection everything goes", async () => {
  const rig = quietRig();
  await ask(rig, { path: "/v1/orders", body: { ...ORDER, side: "sell", price: "70000", reduce_only: true } });
  const id = await stop(rig, { scope: "bot", keep_protection: false });
  expect(await settled(rig, id)).toMatchObject({ status: "stopped", kept: { orders: 0 } });
});

async function settled(rig: Rig, id: string): Promise<object> {
  for (let waited = 0; waited < 60; waited += 1) {
    const told = (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as { status: string };
    if (told.status !== "stopping") return told;
    for (let step = 0; step < 10; step += 1) await rig.clock.advance(100);
  }
  throw new Error("it never stopped");
}

test("stops in force are listed to whoever may read the account, newest first, and what has ended is not", async () => {
  const rig = quietRig();
  const listed = async (apiKey: string) => {
    const list = (await (await rig.ask({ path: "/v1/stops", apiKey })).json()) as { data: { id: string }[] };
    return list.data.map(({ id }) => id);
  };
  expect(await listed(KEYS.both)).toEqual([]);
  const first = await stop(rig, { scope: "bot" });
  await rig.clock.advance(10);
  const second = await stop(rig);
  expect(await listed(KEYS.readOnly)).toEqual([second, first]);
  expect(await listed(KEYS.other)).toEqual([]);
  resumeTrading({ ...rig.deps, network: "paper" }, { accountId: ACCOUNTS.main, stopId: second });
  expect(await listed(KEYS.both)).toEqual([first]);
});

test("the stop is the same one while it stands, and for its Idempotency-Key for ever", async () => {
  const rig = quietRig();
  const first = await stop(rig);
  expect(await stop(rig)).toBe(first);
  const named = (body: object) => rig.ask({ path: "/v1/stop", apiKey: KEYS.both, idempotencyKey: "panic-0001", body });
  const second = (await (await named({ scope: "account" })).json()) as { id: string };
  resumeTrading({ ...rig.deps, network: "paper" }, { accountId: ACCOUNTS.main, stopId: null });
  const late = await named({ scope: "account" });
  expect(late.headers.get("idempotent-replayed")).toBe("true");
  expect(await late.json()).toMatchObject({ id: second.id, status: "resumed" });
  expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER }))).toBe("201");
  expect(await codeOf(await named({ scope: "bot" }))).toBe("idempotency_key_reused");
});

test("however many ask with keys of their own, four stops for the same stand at most", async () => {
  const rig = quietRig();
  const ids: string[] = [];
  for (let nth = 0; nth < 6; nth += 1) {
    await rig.clock.advance(10);
    const asking = {
      path: "/v1/stop",
      apiKey: KEYS.both,
      idempotencyKey: `many-${nth}0000`,
      body: { scope: "account" },
    };
    ids.push(((await (await rig.ask(asking)).json()) as { id: string }).id);
  }
  expect(new Set(ids).size).toBe(4);
  expect(ids.slice(4)).toEqual([ids[3] ?? "", ids[3] ?? ""]);
});

test("an order's Idempotency-Key is no stop's: a stop is taken under it", async () => {
  const rig = quietRig();
  await ask(rig, { path: "/v1/orders", body: ORDER, idempotencyKey: "shared-name-1" });
  const answer = await rig.ask({
    path: "/v1/stop",
    apiKey: KEYS.both,
    idempotencyKey: "shared-name-1",
    body: { scope: "bot" },
  });
  expect(answer.status).toBe(202);
});

test.each(["opening", "starting", "draining"] as const)("a stop is taken while the gateway is %s", async (phase) => {
  const rig = quietRig();
  rig.deps.state.phase = phase;
  await stop(rig);
  rig.deps.state.phase = "ready";
  expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER }))).toBe("trading_stopped");
});

test("a stop draws on no bucket, and a key that only reads cannot ask for one", async () => {
  const rig = quietRig({ limits: { otherWrites: { perSecond: 1, burst: 1 }, orders: { perSecond: 1, burst: 1 } } });
  for (let times = 0; times < 5; times += 1) await stop(rig);
  const refused = await rig.ask({ path: "/v1/stop", apiKey: KEYS.readOnly, body: { scope: "account" } });
  expect(await codeOf(refused)).toBe("insufficient_scope");
});

test.each([
  ["no scope", {}, "missing_parameter"],
  ["another scope", { scope: "all" }, "invalid_parameter"],
  ["an unknown member", { scope: "bot", flatten: true }, "unknown_parameter"],
])("a stop with %s is refused, and nothing is stopped", async (_what, body, code) => {
  const rig = quietRig();
  expect(await codeOf(await rig.ask({ path: "/v1/stop", apiKey: KEYS.both, body }))).toBe(code);
  expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER }))).toBe("201");
});

test("what was accepted before a stop is answered as before", async () => {
  const rig = quietRig();
  const first = await ask(rig, { path: "/v1/orders", body: ORDER, idempotencyKey: "before-stop-1" });
  await stop(rig);
  const again = await ask(rig, { path: "/v1/orders", body: ORDER, idempotencyKey: "before-stop-1" });
  expect([again.status, await again.text()]).toEqual([201, await first.text()]);
});

test("the operator stops a key, and ends one stop while another stands", async () => {
  const rig = quietRig();
  const operator = { ...rig.deps, network: "paper" } as const;
  const hash = keyHash(KEYS.writeOnly);
  const own = stopByOperator(operator, { accountId: ACCOUNTS.main, keyHash: hash, keepsProtection: true });
  const all = stopByOperator(operator, { accountId: ACCOUNTS.main, keyHash: null, keepsProtection: true });
  const order = (apiKey: string) => ask(rig, { path: "/v1/orders", body: ORDER, apiKey });
  expect(await codeOf(await order(KEYS.both))).toBe("trading_stopped");
  resumeTrading(operator, { accountId: ACCOUNTS.main, stopId: all.id });
  expect(await codeOf(await order(KEYS.both))).toBe("201");
  expect(await codeOf(await order(KEYS.writeOnly))).toBe("trading_stopped");
  expect(resumeTrading(operator, { accountId: ACCOUNTS.main, stopId: null }).resumed).toEqual([own.id]);
  expect(await codeOf(await order(KEYS.writeOnly))).toBe("201");
});

describe("a key that ends", () => {
  const revocation = { audience: AUDIENCE, accountId: ACCOUNTS.main, keyHash: keyHash(KEYS.writeOnly) };
  const revoke = async (rig: Rig, more: object = { cancel_orders: true }) => {
    const { domain, types, message } = revocationTypedData(revocation);
    const typed = { domain, types, primaryType: "ApiKeyRevocation", message } as never;
    const signature = await OWNER.signTypedData(typed);
    const body = { account: ACCOUNTS.main, key_hash: revocation.keyHash, signature, ...more };
    return rig.ask({ path: "/v1/api-keys/revocations", body });
  };

  test("by the owner takes what it has placed with it, what protects excepted", async () => {
    const rig = quietRig();
    await ask(rig, { path: "/v1/orders", body: ORDER, apiKey: KEYS.writeOnly });
    const reducing = { ...ORDER, side: "sell", price: "70000", reduce_only: true };
    await ask(rig, { path: "/v1/orders", body: reducing, apiKey: KEYS.writeOnly });
    await ask(rig, { path: "/v1/orders", body: ORDER });
    const answer = await revoke(rig);
    expect(answer.status).toBe(200);
    const { stop: id } = (await answer.json()) as { stop: string };
    const told = { status: "stopped", cause: "key_revoked", scope: "bot", key_hash: revocation.keyHash };
    expect(await settled(rig, id)).toMatchObject({ ...told, kept: { orders: 1 } });
    const open = await rig.ask({ path: "/v1/orders?status=canceled", apiKey: KEYS.both });
    expect(((await open.json()) as { data: object[] }).data).toHaveLength(1);
    // Only the key is stopped, and only by having ended.
    expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER }))).toBe("201");
    expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER, apiKey: KEYS.writeOnly }))).toBe(
      "revoked_api_key",
    );
  });

  test.each([
    ["not to cancel anything", { cancel_orders: false }],
    ["another's signature", { signature: `0x${"11".repeat(65)}` }],
  ])("is not ended with %s", async (_what, more) => {
    const rig = quietRig();
    expect((await revoke(rig, { cancel_orders: true, ...more })).status).toBeGreaterThanOrEqual(400);
    expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER, apiKey: KEYS.writeOnly }))).toBe("201");
  });

  test.each([
    ["and leaves its orders", false, 0],
    ["and takes them along", true, 1],
  ])("by the operator is blocked at once %s", async (_what, isToCancel, canceled) => {
    const rig = quietRig();
    await ask(rig, { path: "/v1/orders", body: ORDER, apiKey: KEYS.writeOnly });
    const { stopId } = blockKey({ ...rig.deps, network: "paper" }, revocation.keyHash, isToCancel);
    rig.deps.stopper.heed();
    expect(stopId === null).toBe(!isToCancel);
    expect(blockKey({ ...rig.deps, network: "paper" }, revocation.keyHash).stopId).toBe(stopId);
    if (stopId !== null) expect(await settled(rig, stopId)).toMatchObject({ status: "stopped", cause: "key_blocked" });
    const shown = await rig.ask({ path: "/v1/orders?status=canceled", apiKey: KEYS.both });
    expect(((await shown.json()) as { data: object[] }).data).toHaveLength(canceled);
  });
});

describe("the owner's signature", () => {
  type By = Pick<typeof OWNER, "signTypedData">;
  const sign = (stopId: string, { audience = AUDIENCE, by = OWNER }: { audience?: string; by?: By } = {}) => {
    const { domain, types, message } = resumptionTypedData({ audience, accountId: ACCOUNTS.main, stopId });
    return by.signTypedData({ domain, types, primaryType: "TradingResumption", message } as never);
  };
  const resume = (rig: Rig, id: string, signature: string, account: string = ACCOUNTS.main) =>
    rig.ask({ path: `/v1/stops/${id}/resume`, body: { account, signature } });

  test("ends the stop that it names, and says so again", async () => {
    const rig = quietRig();
    const id = await stop(rig);
    const signature = await sign(id);
    for (let times = 0; times < 2; times += 1)
      expect(await (await resume(rig, id, signature)).json()).toMatchObject({ id, status: "resumed" });
    expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER }))).toBe("201");
    const ended = rig.deps.store.$client.query<{ actor: string }, []>(RESUMED).all();
    expect(ended).toEqual([{ actor: "owner" }]);
  });

  test("ends no later stop, and none beside it", async () => {
    const rig = quietRig();
    const first = await stop(rig);
    const signature = await sign(first);
    await resume(rig, first, signature);
    const second = await stop(rig);
    expect(await codeOf(await resume(rig, second, signature))).toBe("invalid_signature");
    await resume(rig, first, signature);
    expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER }))).toBe("trading_stopped");
  });

  test.each([
    ["of another gateway", async (id: string) => sign(id, { audience: "https://other.example" })],
    ["of another wallet", async (id: string) => sign(id, { by: STRANGER })],
    ["of nothing", async () => `0x${"11".repeat(65)}`],
  ])("%s ends nothing", async (_what, made) => {
    const rig = quietRig();
    const id = await stop(rig);
    expect(await codeOf(await resume(rig, id, await made(id)))).toBe("invalid_signature");
    expect(await codeOf(await ask(rig, { path: "/v1/orders", body: ORDER }))).toBe("trading_stopped");
  });

  test("for one account ends no stop of another", async () => {
    const rig = quietRig();
    const id = await stop(rig, { scope: "account" }, KEYS.other);
    expect(await codeOf(await resume(rig, id, await sign(id)))).toBe("stop_not_found");
    expect(await codeOf(await resume(rig, id, await sign(id), ACCOUNTS.other))).toBe("invalid_signature");
  });
});

const RESUMED = "select actor from audit where event = 'trading_resumed'";

const BY_A_BOT: [string, Parameters<typeof limitedRig>[0], string, number][] = [
  ["itself, whatever its rails", { touches: "own" }, "bot", 202],
  ["not the account, without either", { touches: "own" }, "account", 403],
  ["not the account, without the verb", { touches: "all" }, "account", 403],
  [
    "not the account, with orders of its own alone",
    { touches: "own", may: "increase,reduce,cancel,stop" },
    "account",
    403,
  ],
  ["the account, where the owner has said so", { touches: "all", may: "increase,reduce,cancel,stop" }, "account", 202],
];

test.each(BY_A_BOT)("a bot stops %s", async (_what, rails, scope, status) => {
  const rig = await limitedRig(rails);
  const answer = await rig.ask({ path: "/v1/stop", apiKey: BOT, body: { scope } });
  expect(answer.status).toBe(status);
  expect(listStopsInForce(rig.deps.store)).toHaveLength(status === 403 ? 0 : 1);
});
