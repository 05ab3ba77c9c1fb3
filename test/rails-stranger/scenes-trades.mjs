// Whole trades: lost answers, a kill, and what becomes of their guards once their bot has sold plainly.
import { audit, clean, m, netOf, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.trades = async (R) => {
  const k = await R.limited("a"),
    b = await R.limited("b");
  audit(R);
  R.ex.actor = "a";
  const T = (o) =>
    R.post(k, "/v1/trades", {
      account: R.account,
      market: "BTC",
      side: "buy",
      size: "0.008",
      entry: { price: "60100" },
      stop_loss: { trigger_price: "58500" },
      take_profit: { trigger_price: "63000" },
      ...o,
    });
  // answers lost at every step, and a kill
  for (const f of ["lose_after", "late", "lose_after"])
    R.ex.faults.push({ match: (a) => a.type === "order", kind: f, ms: 2000 });
  const t = await T({});
  say("trade", m(t), t.j.path);
  let un = 0;
  for (let i = 0; i < 60; i++) {
    await sleep(250);
    const pos = R.ex.szi("BTC");
    const prot = [...R.ex.orders.values()]
      .filter((o) => o.live && o.ro && o.trig && o.trig.tpsl === "sl" && !o.buy)
      .reduce((s, o) => s + o.sz, 0);
    if (pos > prot + 1e-9) un++;
    if (i === 6) {
      await R.kill();
      await R.serve();
      await R.ready();
    }
  }
  const st = (await R.req("GET", `/v1/trades/${t.j.id}`, undefined, k)).j;
  say(
    "trade is",
    st.status,
    st.protected ?? st.protection,
    "position",
    R.ex.szi("BTC"),
    "quarter seconds unprotected",
    un,
    "stops",
    [...R.ex.orders.values()].filter((o) => o.live && o.trig).map((o) => [o.trig.tpsl, o.sz]),
  );
  ok(
    R.ex.szi("BTC") <=
      [...R.ex.orders.values()].filter((o) => o.live && o.trig?.tpsl === "sl").reduce((s, o) => s + o.sz, 0) + 1e-9,
    "trade: what is held has its stop",
  );
  say("second trade", m(await T({})));
  const l = await T({ size: "0.0085" });
  say("trade .0085", m(l));
  // the bot's own plain sale of what the trade holds; then another holds
  R.ex.actor = "b";
  say("b buys", m(await R.order(b, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" })));
  R.ex.actor = "a";
  say(
    "a sells what the trade holds",
    m(await R.order(k, { side: "sell", size: "0.008", price: "59500", time_in_force: "ioc" })),
  );
  await sleep(1500);
  const st2 = (await R.req("GET", `/v1/trades/${t.j.id}`, undefined, k)).j;
  say(
    "trade is",
    st2.status,
    "triggers",
    [...R.ex.orders.values()].filter((o) => o.live && o.trig).map((o) => [o.trig.tpsl, o.sz]),
  );
  R.ex.setPx("BTC", 58400);
  await sleep(1000);
  ok(netOf(R, "a") > -1e-9, "trade: its stop does not close what b holds", { a: netOf(R, "a"), b: netOf(R, "b") });
  R.ex.setPx("BTC", 60000);
  clean(R, "trades");
};

scenes.tradeLeft = async (R) => {
  const a = await R.limited("a"),
    b = await R.limited("b");
  R.ex.actor = "a";
  const t = await R.post(a, "/v1/trades", {
    account: R.account,
    market: "BTC",
    side: "buy",
    size: "0.005",
    entry: { price: "60100" },
    stop_loss: { trigger_price: "58500" },
    take_profit: { trigger_price: "63000" },
  });
  await sleep(1500);
  R.ex.actor = "b";
  say("b", m(await R.order(b, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" })));
  R.ex.actor = "a";
  say("a sells plainly", m(await R.order(a, { side: "sell", size: "0.005", price: "59500", time_in_force: "ioc" })));
  for (const w of [2, 15, 30, 60, 60]) {
    await sleep(w * 1000);
    const s = (await R.req("GET", `/v1/trades/${t.j.id}`, undefined, a)).j;
    say(
      "after",
      w,
      "s more: trade",
      s.status,
      "triggers",
      JSON.stringify([...R.ex.orders.values()].filter((o) => o.live && o.trig).map((o) => [o.trig.tpsl, o.sz])),
      "nets of a as it is told",
      JSON.stringify((await R.req("GET", "/v1/whoami", undefined, a)).j.limits.use.nets),
    );
    if (w === 30)
      ok(
        ![...R.ex.orders.values()].some((o) => o.live && o.trig),
        "trade: its triggers go within 47 s once what it held is sold",
      );
  }
  R.ex.setPx("BTC", 58400);
  await sleep(1000);
  ok(netOf(R, "a") > -1e-9, "trade: its stop does not close what b holds", {
    a: netOf(R, "a"),
    b: netOf(R, "b"),
    account: R.ex.szi("BTC"),
  });
  say("trade", (await R.req("GET", `/v1/trades/${t.j.id}`, undefined, a)).j.status);
};
