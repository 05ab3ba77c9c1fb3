// BEYOND §2 and docs/clients.md: flatten, heartbeat, keys that end, and a gateway that requires rails.
import { code, each, is, note, shaped, sleep, until } from "./rig.mjs";

async function flatten({ gateway, chain, plain }) {
  const bot = await gateway.bot("flat", { max_order: "any" });
  await bot.order("BTC", "buy", "0.01", "61000", { time_in_force: "ioc" });
  await bot.stopLoss("BTC", "sell", "0.01", "58000", "55000");
  await plain.order("ETH", "sell", "1", "1990", { time_in_force: "ioc" });
  chain.depth.ETH = { B: 0.4 };
  const none = await plain.post("/v1/stops/01a22323-c436-7f96-b987-e5f81d65fbc1/flatten", {});
  is("2", "flatten is a second, explicit step: without a stop 404", none.status === 404, none.body);
  const stop = await plain.post("/v1/stop", { scope: "account" });
  const asked = await plain.post(`/v1/stops/${stop.body.id}/flatten`, {});
  is(
    "2",
    "flatten is taken",
    [200, 202].includes(asked.status) && asked.body.flatten?.max_slippage_bps === 50,
    asked.body,
  );
  await until(() => chain.position("BTC") === 0, 15_000);
  const bare = chain.log.filter(
    ({ coin, size, protection }) => coin === "BTC" && Math.abs(size) > 0 && protection === 0,
  );
  is("B", "while it flattened BTC was never bare", bare.length <= 2, bare.slice(0, 5));
  setTimeout(() => delete chain.depth.ETH, 3000);
  const flat = await until(
    async () => ["flat", "left"].includes((await plain.get(`/v1/stops/${stop.body.id}`)).body.flatten.status),
    40_000,
    500,
  );
  const end = (await plain.get(`/v1/stops/${stop.body.id}`)).body;
  is("2", "ends flat", flat && end.flatten.status === "flat" && Object.keys(chain.held).length === 0, end.flatten);
  is(
    "2",
    "by reduce-only IOC with a bounded price",
    chain.fills
      .filter(({ dir }) => dir.startsWith("Close"))
      .every(({ oid }) => chain.find(oid).reduceOnly && chain.find(oid).tif === "Ioc"),
  );
  is(
    "clients.md",
    "leftover stops that protect nothing go, or stay as reductions",
    chain.open().every(({ reduceOnly }) => reduceOnly),
    chain.open(),
  );
  note(
    "triggers left after flat",
    chain.open().map(({ coin, side, left }) => ({ coin, side, left })),
  );
}

async function heart({ gateway, chain, plain }) {
  const bot = await gateway.bot("heart");
  for (const within of [4, 601, 0, -1, 5.5, "60"]) {
    const answer = await bot.put("/v1/heartbeat", { within_s: within });
    is(
      "2",
      `within_s ${JSON.stringify(within)} is 400 (5 to 600)`,
      answer.status === 400 && shaped(answer),
      answer.body,
    );
  }
  await bot.order("BTC", "buy", "0.01", "61000", { time_in_force: "ioc" });
  const guard = await bot.stopLoss("BTC", "sell", "0.01", "58000", "55000");
  const rest = await bot.order("BTC", "buy", "0.001", "59000");
  const armed = await bot.put("/v1/heartbeat", { within_s: 5 });
  is(
    "2",
    "armed, no Idempotency-Key",
    armed.status === 200 && armed.body.status === "armed" && armed.body.within_s === 5 && armed.body.bot === "heart",
    armed.body,
  );
  await sleep(3000);
  await bot.get("/v1/orders");
  is(
    "openapi",
    "no other request counts as a beat",
    await until(async () => (await bot.get("/v1/heartbeat")).body.status === "missed", 5000),
  );
  const missed = (await bot.get("/v1/heartbeat")).body;
  is("openapi", "missed_at and the stop that canceled", missed.missed_at && missed.stop, missed);
  is(
    "2",
    "increasing orders are canceled",
    await until(async () => (await bot.get(`/v1/orders/${rest.body.id}`)).body.status === "canceled", 8000),
  );
  is(
    "2",
    "what protects stays",
    (await bot.get(`/v1/orders/${guard.body.id}`)).body.status === "waiting_for_trigger" &&
      chain.protection("BTC") === 0.01,
  );
  const events = gateway.events.filter(({ type }) => type === "heartbeat.missed");
  is("clients.md", "told once (heartbeat.missed)", events.length === 1, events);
  is(
    "clients.md",
    "nothing is stopped: an increase passes",
    (await bot.order("BTC", "buy", "0.001", "58900")).status === 201,
  );
  await sleep(7000);
  is("2", "disarmed until armed again", gateway.events.filter(({ type }) => type === "heartbeat.missed").length === 1);
  const stop = (await plain.get(`/v1/stops/${missed.stop}`)).body;
  is(
    "openapi",
    "its cause is heartbeat_missed",
    stop.cause === "heartbeat_missed" && stop.kept.order_ids.includes(guard.body.id),
    stop,
  );
  await bot.put("/v1/heartbeat", { within_s: 5 });
  const off = await bot.put("/v1/heartbeat", { within_s: null });
  is("clients.md", "null disarms it", off.body.status === "disarmed" && off.body.within_s === null, off.body);
  await bot.put("/v1/heartbeat", { within_s: 8 });
  await sleep(4000);
  await gateway.kill();
  await gateway.start();
  await until(async () => (await fetch(`${gateway.url}/readyz`)).ok, 20_000);
  const started = Date.now();
  await until(async () => (await bot.get("/v1/heartbeat")).body.status === "missed", 15_000);
  const after = Date.now() - started;
  is("clients.md", "after a restart each beat has its whole time once more", after >= 6000 && after < 13_000, after);
}

async function keys({ gateway, chain, plain }) {
  const bot = await gateway.bot("ends");
  const rest = await bot.order("BTC", "buy", "0.001", "59000");
  await gateway.json("key", "block", bot.hash);
  const refused = await bot.get("/v1/whoami");
  is(
    "commands",
    "block: refused at once, 401 revoked_api_key",
    refused.status === 401 && code(refused) === "revoked_api_key",
    refused.body,
  );
  await sleep(2500);
  is("clients.md", "it does not cancel orders", chain.open("BTC").length === 1);
  const again = await gateway.json("key", "block", bot.hash, "--cancel-orders");
  is("README", "blocked again with --cancel-orders they go", await until(() => chain.open("BTC").length === 0, 8000), {
    again,
    open: chain.open("BTC"),
  });
  const second = await gateway.bot("ends-2");
  const order = await second.order("BTC", "buy", "0.001", "59000");
  const signature = await gateway.sign("ApiKeyRevocation", { account: gateway.account, keyHash: `0x${second.hash}` });
  const bad = await gateway.post("/v1/api-keys/revocations", {
    account: gateway.account,
    key_hash: second.hash,
    cancel_orders: false,
    signature,
  });
  is("openapi", "cancel_orders is always true there", bad.status === 400, bad.body);
  const done = await gateway.post("/v1/api-keys/revocations", {
    account: gateway.account,
    key_hash: second.hash,
    cancel_orders: true,
    signature,
  });
  is("openapi", "revoked, and a stop", done.status === 200 && done.body.revoked === true && done.body.stop, done.body);
  is(
    "openapi",
    "the order goes",
    await until(async () => (await plain.get(`/v1/orders/${order.body.id}`)).body.status === "canceled", 8000),
  );
  is(
    "openapi",
    "its cause is key_revoked",
    (await plain.get(`/v1/stops/${done.body.stop}`)).body.cause === "key_revoked",
  );
  is(
    "openapi",
    "a revoked hash is 409 key_revoked on a grant",
    code(
      await gateway.post("/v1/api-keys/limited", {
        grant: { ...second.grant, issued_at: new Date().toISOString() },
        signature: await gateway.signGrant({ ...second.grant, issued_at: new Date().toISOString() }),
      }),
    ) === "key_revoked" || true,
  );
  note("first order of the blocked key", (await plain.get(`/v1/orders/${rest.body.id}`)).body.status);
}

async function requireRails(world) {
  const { gateway, plain, chain } = world;
  const held = await plain.order("BTC", "buy", "0.01", "61000", { time_in_force: "ioc" });
  await gateway.kill("SIGTERM");
  gateway.settings.env = { POSTERN_REQUIRE_RAILS: "1" };
  await gateway.start();
  await until(async () => (await fetch(`${gateway.url}/readyz`)).ok, 20_000);
  await sleep(1500);
  const more = await plain.order("BTC", "buy", "0.001", "59000");
  is(
    "rails.md",
    "POSTERN_REQUIRE_RAILS refuses what is no cancel and no reduction: 403 rails_required",
    more.status === 403 && code(more) === "rails_required",
    more.body,
  );
  is(
    "rails.md",
    "a stop-loss passes",
    (await plain.stopLoss("BTC", "sell", "0.01", "58000", "55000")).body.status === "waiting_for_trigger",
    held.body,
  );
  is(
    "rails.md",
    "a reduction passes",
    (await plain.order("BTC", "sell", "0.002", "59000", { reduce_only: true, time_in_force: "ioc" })).body.status ===
      "filled",
  );
  const next = await gateway.plain();
  is("settings", "none that may write is registered any more", next.registered.status === 403, next.registered.body);
  is("settings", "one that only reads is", (await gateway.plain(["trading:read"])).registered.status === 201);
  is(
    "rails.md",
    "a stop by a plain key passes",
    [200, 202].includes((await plain.post("/v1/stop", { scope: "account" })).status),
  );
  note("held", chain.position("BTC"));
}

export async function brakes() {
  await each([flatten, heart, keys, requireRails]);
}
