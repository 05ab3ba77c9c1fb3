// What is counted: actions and turnover of a day, open orders, leverage.
import { hammer, largest, m, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.counts = async (R) => {
  const k = await R.limited("a", {
    max_actions_per_day: "12",
    max_open_orders: "5",
    max_turnover_per_day: "2000 USD",
    max_position: "any",
    max_exposure: "any",
  });
  R.ex.actor = "a";
  const b = await R.post(k, "/v1/orders/batch", {
    account: R.account,
    orders: Array.from({ length: 6 }, () => ({ market: "BTC", side: "buy", size: "0.001", price: "59000" })),
  });
  say("batch 6 of 5", m(b));
  const r = await Promise.all(
    Array.from({ length: 10 }, () => R.order(k, { side: "buy", size: "0.001", price: "59000" })),
  );
  const open = [...R.ex.orders.values()].filter((o) => o.live).length;
  ok(open <= 5, "open orders of many at once", open);
  say(r.map((x) => x.s).join(" "), m(r.find((x) => x.s >= 400)));
  // trigger orders count; lost ones as well
  say(
    "trigger",
    m(
      await R.order(k, {
        side: "buy",
        size: "0.001",
        price: "62000",
        trigger: { kind: "stop_loss", price: "61500", market: true },
      }),
    ),
  );
  const ids = r.filter((x) => x.s < 300).map((x) => x.j.id);
  for (const id of ids.slice(0, 3)) await R.post(k, `/v1/orders/${id}/cancel`, {});
  for (let i = 0; i < 4; i++) {
    R.ex.faults.push({ match: (a) => a.type === "order", kind: "lose_after" });
    R.order(k, { side: "buy", size: "0.001", price: "59000" }).catch(() => {});
    await sleep(100);
  }
  await sleep(2500);
  const open2 = [...R.ex.orders.values()].filter((o) => o.live).length;
  ok(open2 <= 5, "open orders with lost answers", open2);
  R.ex.faults.length = 0;
  await R.post(k, "/v1/orders/cancel-all", { account: R.account });
  await R.kill();
  await R.serve();
  await R.ready();
  let last;
  for (let i = 0; i < 10; i++) {
    last = await R.order(k, { side: "buy", size: "0.001", price: "60100", time_in_force: "ioc" });
    if (last.s >= 300) break;
  }
  const acts = R.ex.log.filter((e) => e.k === "accept").length;
  say("accepted by exchange", acts, m(last));
  ok(acts <= 12, "actions of a day over lost answers and a restart", acts);
  const w = await R.req("GET", "/v1/whoami", undefined, k);
  say(w.j.limits.use.actions_today, w.j.limits.headroom);
  // reductions pass the counts
  const ro = await R.order(k, { side: "sell", size: "0.001", price: "59500", time_in_force: "ioc", reduce_only: true });
  ok(ro.s < 300, "a reduction passes although actions are used up", m(ro));
  const st = await R.order(k, {
    side: "sell",
    size: "0.001",
    price: "56000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "58000", market: true },
  });
  ok(st.s < 300, "a stop passes as well", m(st));
  // granted again, new key: nothing starts anew
  const k2 = await R.limited("a", {
    max_actions_per_day: "12",
    max_open_orders: "5",
    max_turnover_per_day: "2000 USD",
    max_position: "any",
    max_exposure: "any",
  });
  const again = await R.order(k2, { side: "buy", size: "0.001", price: "60100", time_in_force: "ioc" });
  ok(again.s === 403, "a second key of the bot has no day of its own", m(again));
};

scenes.turnover = async (R) => {
  const G = { max_turnover_per_day: "1500 USD", max_position: "any", max_exposure: "any" };
  const k = await R.limited("a", G);
  R.ex.actor = "a";
  const turn = () => R.ex.log.filter((e) => e.k === "fill").reduce((t, e) => t + e.sz * e.px, 0);
  const inc = () => [...R.ex.orders.values()].filter((o) => o.live && !o.ro).reduce((t, o) => t + o.sz * 60000, 0);
  R.ex.onlog = (e) => {
    if (e.k === "accept" && !e.ro)
      queueMicrotask(() => {
        if (!e.rejected) {
          const t = turn() + inc();
          if (t > 1500 + 1) R.ex.breach = t;
        }
      });
  };
  R.ex.lag.fills = 4000;
  for (let i = 0; i < 40; i++) {
    const side = i % 2 ? "sell" : "buy";
    if (i % 4 === 1) R.ex.faults.push({ match: (a) => a.type === "order", kind: "lose_after" });
    const r = R.order(k, { side, size: "0.002", price: side === "buy" ? "60100" : "59900", time_in_force: "ioc" });
    const rest = R.order(k, { side: "buy", size: "0.001", price: "59000" });
    const x = await rest;
    if (x.s < 300 && i % 3 === 0) R.post(k, `/v1/orders/${x.j.id}/cancel`, {});
    await Promise.race([r, sleep(150)]);
    if (i === 12) {
      await R.kill();
      await R.serve();
      await R.ready();
    }
  }
  R.ex.faults.length = 0;
  await sleep(4500);
  const k2 = await R.limited("a", G);
  await hammer(R, k2, { side: "buy", size: "0.001", price: "60100", time_in_force: "ioc" });
  say("turnover", turn(), inc());
  ok(!R.ex.breach, "turnover at each acceptance", R.ex.breach);
  R.ex.lag.fills = 0;
  const last = await R.order(k2, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" });
  say(m(last));
  if (largest(last) > 0) {
    const l = await R.order(k2, { side: "buy", size: largest(last), price: "60100", time_in_force: "ioc" });
    say(m(l));
  }
  // reductions are never refused by it
  await R.post(k2, "/v1/orders/cancel-all", { account: R.account });
  const n = R.ex.szi("BTC");
  const cl = await R.post(k2, "/v1/positions/close", { account: R.account, market: "BTC" });
  ok(n === 0 || cl.s < 300, "a close passes with the turnover used up", m(cl));
};

scenes.leverage = async (R) => {
  const k = await R.limited("a", { may: "increase,reduce,modify,cancel,leverage,margin", max_leverage: "10" });
  R.ex.actor = "a";
  say("at 20x", m(await R.order(k, { side: "buy", size: "0.001", price: "60100", time_in_force: "ioc" })));
  say("set 11", m(await R.post(k, "/v1/leverage", { market: "BTC", leverage: 11, margin_type: "cross" })));
  say("set 10 isolated", m(await R.post(k, "/v1/leverage", { market: "BTC", leverage: 10, margin_type: "isolated" })));
  say("set 10", m(await R.post(k, "/v1/leverage", { market: "BTC", leverage: 10, margin_type: "cross" })));
  const o = await R.order(k, { side: "buy", size: "0.001", price: "60100", time_in_force: "ioc" });
  say("at 10x", m(o));
  // set at the exchange directly
  R.ex.lev.BTC = { type: "cross", value: 40 };
  R.ex.dirty();
  await sleep(1500);
  const r = await R.order(k, { side: "buy", size: "0.001", price: "60100", time_in_force: "ioc" });
  say("1.5 s after somebody set 40x", m(r));
  R.ex.lev.BTC = { type: "isolated", value: 10 };
  R.ex.dirty();
  await sleep(1500);
  say(
    "margin -1",
    m(await R.post(k, "/v1/margin", { market: "BTC", amount: "-1" })),
    "margin +1",
    m(await R.post(k, "/v1/margin", { market: "BTC", amount: "1" })),
  );
  // reductions are free of it
  R.ex.lev.BTC = { type: "isolated", value: 40 };
  await sleep(1200);
  const cl = await R.post(k, "/v1/positions/close", { account: R.account, market: "BTC" });
  ok(cl.s < 300, "close passes at 40x", m(cl));
  const n = await R.limited("b");
  say(
    "without the word",
    m(await R.post(n, "/v1/leverage", { market: "ETH", leverage: 1, margin_type: "cross" })),
    m(await R.post(n, "/v1/margin", { market: "BTC", amount: "1" })),
  );
  // a race of set leverage and increase; lost answer
  R.ex.lev.ETH = { type: "cross", value: 10 };
  const c = await R.limited("c", { may: "increase,leverage", max_leverage: "any" });
  const d = await R.limited("d", { may: "increase,reduce", max_leverage: "10" });
  await R.order(d, { market: "ETH", side: "buy", size: "0.01", price: "2001", time_in_force: "ioc" });
  R.ex.faults.push({ match: (a) => a.type === "updateLeverage", kind: "late", ms: 1500 });
  const [lv, od] = await Promise.all([
    R.post(c, "/v1/leverage", { market: "ETH", leverage: 20, margin_type: "cross" }),
    (async () => {
      await sleep(300);
      return R.order(d, { market: "ETH", side: "buy", size: "0.01", price: "2001", time_in_force: "ioc" });
    })(),
  ]);
  say("another raises (under way)", m(lv), "d increases", m(od), R.ex.levOf("ETH"));
};
