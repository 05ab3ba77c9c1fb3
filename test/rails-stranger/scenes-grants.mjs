// The words of a grant: may, markets, sources, expiry, grammar, narrowing.
import crypto from "node:crypto";
import { m, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.who = async (R) => {
  R.ex.actor = "a";
  const red = await R.limited("red", { may: "reduce,cancel" });
  const inc = await R.limited("inc", { may: "increase" });
  await R.plain();
  const P = async (n, r, want) => {
    const x = await r;
    ok(want.includes(x.s), `${n} is ${want}`, m(x));
  };
  await P("reduce-key buys", R.order(red, { side: "buy", size: "0.001", price: "60100", time_in_force: "ioc" }), [403]);
  await P(
    "reduce-key trigger buy",
    R.order(red, {
      side: "buy",
      size: "0.001",
      price: "61100",
      trigger: { kind: "stop_loss", price: "61000", market: true },
    }),
    [403],
  );
  await P(
    "reduce-key batch",
    R.post(red, "/v1/orders/batch", {
      account: R.account,
      orders: [{ market: "BTC", side: "buy", size: "0.001", price: "59000" }],
    }),
    [403],
  );
  await P(
    "reduce-key market",
    R.post(red, "/v1/orders/market", { account: R.account, market: "BTC", side: "buy", size: "0.001" }),
    [403],
  );
  await P(
    "reduce-key trade",
    R.post(red, "/v1/trades", {
      account: R.account,
      market: "BTC",
      side: "buy",
      size: "0.001",
      entry: { price: "59000" },
      stop_loss: { trigger_price: "58000" },
    }),
    [403],
  );
  await P(
    "reduce-key twap",
    R.post(red, "/v1/twaps", { market: "BTC", side: "buy", size: "0.003", duration_minutes: 5 }),
    [403],
  );
  await P("reduce-key stop account", R.req("POST", "/v1/stop", { scope: "account" }, red), [403]);
  const ro = await R.order(red, {
    side: "sell",
    size: "0.001",
    price: "57000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "58000", market: true },
  });
  say("reduce-key stop", m(ro));
  await P(
    "reduce-key modify",
    R.post(red, `/v1/orders/${ro.j.id}/modify`, { price: "57100", always_place: true }),
    [403],
  );
  await P(
    "increase-key reduce",
    R.order(inc, {
      side: "sell",
      size: "0.001",
      price: "57000",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "58000", market: true },
    }),
    [403],
  );
  const o = await R.order(inc, { side: "buy", size: "0.001", price: "59000" });
  await P("increase-key cancel", R.post(inc, `/v1/orders/${o.j.id}/cancel`, {}), [403]);
  await P("increase-key cancel-all", R.post(inc, "/v1/orders/cancel-all", { account: R.account }), [403]);
  await P("increase-key close", R.post(inc, "/v1/positions/close", { account: R.account, market: "BTC" }), [403, 409]);
  await P("other market", R.order(inc, { market: "SOL", side: "buy", size: "1", price: "100" }), [403]);
  await P("spot", R.order(inc, { market: "PURR/USDC", side: "buy", size: "10", price: "4" }), [403]);
  await P("spot alias @0", R.order(inc, { market: "@0", side: "buy", size: "10", price: "4" }), [403, 400]);
  // sources
  const src = await R.limited("src", { sources: "203.0.113.7/32" });
  for (const [mm, p, b] of [
    ["GET", "/v1/whoami"],
    ["GET", "/v1/orders"],
    ["GET", "/v1/events"],
    ["GET", "/v1/status"],
    ["POST", "/v1/stop", { scope: "bot" }],
    ["PUT", "/v1/heartbeat", { within_s: 60 }],
    ["POST", "/v1/api-keys/self/narrow", { max_order: "1 USD" }],
    ["POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
  ]) {
    const x = await R.req(mm, p, b, {
      key: src,
      idem: `src-${crypto.randomUUID()}`,
      h: {
        "X-Forwarded-For": "203.0.113.7",
        Accept: "application/json, text/event-stream",
      },
    });
    ok(x.s === 403, `source: ${mm} ${p} is 403`, m(x));
  }
  const x = await R.order(src, { side: "buy", size: "0.001", price: "59000" });
  ok(x.s === 403 && x.j.error.code === "source_not_allowed", "source: order", m(x));
  // expiry
  const ex = await R.limited("exp", { expires_at: new Date(Date.now() + 3000).toISOString() }, { raw: true });
  say("expires in 3 s", m(ex.r));
  if (ex.r.s === 201) {
    const oo = await R.order(ex.k.key, { side: "buy", size: "0.001", price: "59000" });
    await sleep(3200);
    const e = await R.order(ex.k.key, { side: "buy", size: "0.001", price: "59000" });
    ok(e.s === 401, "expired", m(e));
    const e2 = await R.post(ex.k.key, `/v1/orders/${oo.j.id}/modify`, { price: "59100" });
    ok(e2.s === 401, "expired modify", m(e2));
  }
  for (const [f, v] of [
    ["max_order", "500"],
    ["max_order", "500 usd"],
    ["max_order", "0 USD"],
    ["max_order", "-1 USD"],
    ["max_order", "1e3 USD"],
    ["max_order", " 500 USD"],
    ["max_order", "500.0 USD"],
    ["markets", ""],
    ["markets", "btc"],
    ["markets", "BTC,BTC"],
    ["markets", "*"],
    ["may", "Increase"],
    ["may", "increase,approve"],
    ["max_distance", "2%"],
    ["max_distance", "200 %"],
    ["touches", "any"],
    ["sources", ""],
    ["sources", "0.0.0.0/0"],
    ["sources", "::ffff:127.0.0.1/128"],
    ["max_leverage", "0"],
    ["max_open_orders", "1.5"],
    ["bot", "A"],
    ["expires_at", new Date(Date.now() + 366 * 864e5).toISOString()],
    ["expires_at", "any"],
    ["network", "testnet"],
  ]) {
    const g = await R.limited("gram", { [f]: v }, { raw: true });
    if (g.r.s === 201) say("taken:", f, JSON.stringify(v));
  }
};

scenes.narrow = async (R) => {
  R.ex.actor = "a";
  const K = R.newKey();
  const g0 = Date.now() - 1000;
  const expires = g0 + 864e5 * 30;
  const k = await R.limited("a", {}, { key: K, issued: g0, expires });
  const k2 = await R.limited("a", {}, { issued: g0 + 500 });
  const n = await R.post(k, "/v1/api-keys/self/narrow", { max_order: "100 USD", markets: "BTC" });
  say("narrow", m(n));
  const r1 = await R.order(k2, { side: "buy", size: "0.003", price: "59000" });
  ok(r1.s === 403, "narrowing holds for the other key", m(r1));
  for (const b of [
    { max_order: "any" },
    { max_order: "600 USD" },
    { markets: "any" },
    { markets: "BTC,ETH" },
    { markets: "ETH" },
    { may: "increase,reduce,modify,cancel,twap" },
    { touches: "all" },
    { sources: "any" },
  ]) {
    const x = await R.post(k, "/v1/api-keys/self/narrow", b);
    say(JSON.stringify(b), m(x), x.j?.rails?.max_order ?? "", x.j?.rails?.markets ?? "");
  }
  const w = await R.req("GET", "/v1/whoami", undefined, k);
  say(w.j.limits?.rails);
  // replay of the grants that stand
  const again = await R.limited("a", {}, { key: K, issued: g0, expires, raw: true });
  ok(again.r.s === 201, "the same grant again is answered as before", again.r.s);
  const r2 = await R.order(k, { side: "buy", size: "0.003", price: "59000" });
  ok(r2.s === 403, "the same grant again does not end the narrowing", m(r2));
  await R.kill();
  await R.serve();
  await R.ready();
  const r3 = await R.order(k2, { side: "buy", size: "0.003", price: "59000" });
  ok(r3.s === 403, "the narrowing holds over a kill", m(r3));
  // a later grant loosens, an earlier one does not
  const old = await R.limited("a", { max_order: "900 USD" }, { key: R.newKey(), issued: g0 + 200, raw: true });
  say("older grant, third key", old.r.s, old.r.j.error?.message);
  const later = await R.limited("a", { max_order: "400 USD" }, { key: K, raw: true });
  say("later grant of the first key", later.r.s);
  const r4 = await R.order(k2, { side: "buy", size: "0.006", price: "59000" });
  say("order of 360", m(r4));
  const r5 = await R.order(k2, { side: "buy", size: "0.0075", price: "59000" });
  ok(r5.s === 403, "rails of the later grant hold for the other key", m(r5));
  const back = await R.limited("a", {}, { key: K, issued: g0, raw: true });
  say("first grant again", back.r.s, back.r.j.max_order ?? back.r.j.error?.message);
  const r6 = await R.order(k, { side: "buy", size: "0.0075", price: "59000" });
  ok(r6.s === 403, "an older grant loosens nothing", m(r6));
};
