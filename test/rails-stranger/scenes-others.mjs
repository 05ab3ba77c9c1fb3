// Does a bot reduce, cancel or displace what others hold?
import { as, byId, m, netOf, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.others = async (R) => {
  // a bot may not reduce what others hold
  const a = await R.limited("a", { may: "increase,reduce,modify,cancel,twap", max_distance: "3 %" }),
    b = await R.limited("b", { max_order: "any", max_position: "any", max_exposure: "any" });
  await as(R, "b", () => R.order(b, { side: "buy", size: "0.05", price: "60100", time_in_force: "ioc" }));
  await as(R, "a", () => R.order(a, { side: "buy", size: "0.005", price: "60100", time_in_force: "ioc" }));
  await sleep(300);
  R.ex.actor = "a";
  say(
    "ro sell .006",
    m(await R.order(a, { side: "sell", size: "0.006", price: "59500", time_in_force: "ioc", reduce_only: true })),
  );
  say("plain sell .006", m(await R.order(a, { side: "sell", size: "0.006", price: "60900" })));
  // reduce-only TWAP and close at once
  R.ex.sliceMs = 1500;
  const t = await R.post(a, "/v1/twaps", {
    market: "BTC",
    side: "sell",
    size: "0.005",
    duration_minutes: 5,
    reduce_only: true,
  });
  say("ro twap", m(t));
  const rs = await Promise.all([
    R.order(a, { side: "sell", size: "0.005", price: "59500", time_in_force: "ioc", reduce_only: true }),
    R.post(a, "/v1/positions/close", { account: R.account, market: "BTC" }),
    R.order(a, { side: "sell", size: "0.005", price: "59500", time_in_force: "ioc" }),
    R.order(a, {
      side: "sell",
      size: "0.005",
      price: "59500",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "60500", market: true },
    }),
    R.order(a, { side: "sell", size: "0.005", price: "61000", reduce_only: true }),
  ]);
  for (const [i, r] of rs.entries()) say(["ro ioc", "close", "plain ioc", "met stop", "resting ro"][i], m(r));
  await sleep(16000);
  const n = netOf(R, "a");
  say("net of a", n);
  ok(n >= -1e-9, "a never reduces what b holds", n);
  R.ex.sliceMs = 400;
  // concurrently
  await as(R, "a", () => R.order(a, { side: "buy", size: "0.005", price: "60100", time_in_force: "ioc" }));
  await sleep(200);
  const q = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      i % 3 === 0
        ? R.post(a, "/v1/positions/close", { account: R.account, market: "BTC" })
        : i % 3 === 1
          ? R.order(a, { side: "sell", size: "0.005", price: "59500", time_in_force: "ioc", reduce_only: true })
          : R.post(a, "/v1/orders/market", { account: R.account, market: "BTC", side: "sell", size: "0.005" }),
    ),
  );
  say(q.map((r) => r.s).join(" "));
  await sleep(500);
  const n2 = netOf(R, "a");
  ok(n2 >= -1e-9, "a never reduces what b holds, many at once", n2);
  // lost answers of reductions
  await as(R, "a", () => R.order(a, { side: "buy", size: "0.005", price: "60100", time_in_force: "ioc" }));
  await sleep(300);
  R.ex.lag.fills = 3000;
  for (let i = 0; i < 4; i++) {
    R.ex.faults.push({ match: (x) => x.type === "order", kind: i % 2 ? "late" : "lose_after", ms: 2000 });
    R.order(a, { side: "sell", size: "0.005", price: "59500", time_in_force: "ioc", reduce_only: true }).catch(
      () => {},
    );
    await sleep(120);
  }
  await sleep(9000);
  R.ex.lag.fills = 0;
  R.ex.faults.length = 0;
  const n3 = netOf(R, "a");
  say("net", n3);
  ok(n3 >= -1e-9, "a never reduces what b holds, with lost answers", n3);
};

scenes.stopBefore = async (R) => {
  // a stop that waits before its entry; then another bot enters
  const a = await R.limited("a"),
    b = await R.limited("b");
  R.ex.actor = "a";
  const st = await R.order(a, {
    side: "sell",
    size: "0.008",
    price: "57000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59500", market: true },
  });
  say("stop before entry", m(st));
  const e = await as(R, "b", () => R.order(b, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" }));
  say("b enters", m(e));
  R.ex.actor = "a";
  await sleep(1000);
  R.ex.setPx("BTC", 59400);
  await sleep(1500);
  say("net a", netOf(R, "a"), "net b", netOf(R, "b"), "account", R.ex.szi("BTC"));
  ok(netOf(R, "a") >= -1e-9, "stop of a without a position does not close what b holds (within 1 s)", {
    a: netOf(R, "a"),
  });
};

scenes.displace = async (R) => {
  const a = await R.limited("a"),
    b = await R.limited("b");
  await as(R, "b", () => R.order(b, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" }));
  const ro = await as(R, "b", () => R.order(b, { side: "sell", size: "0.008", price: "60900", reduce_only: true }));
  say("b ro", m(ro));
  R.ex.actor = "a";
  await R.order(a, { side: "buy", size: "0.004", price: "60100", time_in_force: "ioc" });
  const ra = await R.order(a, { side: "sell", size: "0.004", price: "60800", reduce_only: true });
  say("a ro", m(ra));
  // a sells plainly what it has: position shrinks to 0.008 with 0.012 reduce-only out
  say("a plain sell", m(await R.order(a, { side: "sell", size: "0.004", price: "59500", time_in_force: "ioc" })));
  say("a close", m(await R.post(a, "/v1/positions/close", { account: R.account, market: "BTC" })));
  await sleep(500);
  const bro = byId(R, ro);
  ok(bro.live, "b keeps its reduce-only order", bro);
  // buys through b's resting RO sell: a self-trade that would cancel it
  say("a buys through b ro", m(await R.order(a, { side: "buy", size: "0.002", price: "60950", time_in_force: "ioc" })));
  R.ex.depth.BTC = { bids: [[59994, 10]], asks: [[60950, 10]] };
  R.ex.dirty();
  await sleep(800);
  say(
    "a market over b ro",
    m(
      await R.post(a, "/v1/orders/market", {
        account: R.account,
        market: "BTC",
        side: "buy",
        size: "0.002",
        max_slippage_bps: 200,
      }),
    ),
  );
  const cheap = await R.order(a, { side: "buy", size: "0.002", price: "60100" });
  say("a rests buy", m(cheap));
  say("modify through", m(await R.post(a, `/v1/orders/${cheap.j.id}/modify`, { price: "60960", always_place: true })));
  say(
    "trigger buy through",
    m(
      await R.order(a, {
        side: "buy",
        size: "0.002",
        price: "61500",
        trigger: { kind: "stop_loss", price: "60500", market: true },
      }),
    ),
  );
  R.ex.setPx("BTC", 60550);
  await sleep(600);
  ok(bro.live || bro.status === "filled", "b keeps its reduce-only order against self-trade", { st: bro.status });
  // ids of others
  for (const id of [ro.j.id, String(bro.oid), bro.cloid]) {
    say(
      "modify",
      m(await R.post(a, `/v1/orders/${id}/modify`, { price: "61500" })),
      "cancel",
      m(await R.post(a, `/v1/orders/${id}/cancel`, {})),
    );
  }
  say(
    "cancel-all all",
    m(await R.post(a, "/v1/orders/cancel-all", { account: R.account, touches: "all", keep_protection: false })),
  );
  say("close all", m(await R.post(a, "/v1/positions/close", { account: R.account, market: "BTC", touches: "all" })));
  say("cancel-all own", m(await R.post(a, "/v1/orders/cancel-all", { account: R.account, keep_protection: false })));
  say("stop account", m(await R.req("POST", "/v1/stop", { scope: "account", keep_protection: false }, a)));
  await sleep(500);
  ok(bro.live || bro.status === "filled", "b keeps its reduce-only order against cancels", { st: bro.status });
};
