// A reduce-only order, stop or TWAP that is still out when its bot holds nothing any more, while another bot does.
import { byId, m, netOf, ok, say, sleep } from "./judge.mjs";
import { both } from "./two-bots.mjs";

export const scenes = {};

scenes.twapThenPlain = async (R) => {
  const { a } = await both(R);
  R.ex.sliceMs = 1500;
  say(
    "reduce-only TWAP sell .005",
    m(
      await R.post(a, "/v1/twaps", {
        market: "BTC",
        side: "sell",
        size: "0.005",
        duration_minutes: 5,
        reduce_only: true,
      }),
    ),
  );
  await sleep(300);
  say(
    "plain ioc sell .005",
    m(await R.order(a, { side: "sell", size: "0.005", price: "59500", time_in_force: "ioc" })),
  );
  say("net a", netOf(R, "a"));
  await sleep(18000);
  say("net a at the end", netOf(R, "a"), "b", netOf(R, "b"), "account", R.ex.szi("BTC"));
  ok(netOf(R, "a") > -1e-9, "reduce-only TWAP out, then a plain sale: a does not close what b holds", netOf(R, "a"));
};

scenes.restThenPlain = async (R) => {
  const { a } = await both(R);
  const ro = await R.order(a, { side: "sell", size: "0.005", price: "60600", reduce_only: true });
  say("reduce-only sell .005 rests", m(ro));
  say(
    "plain ioc sell .005",
    m(await R.order(a, { side: "sell", size: "0.005", price: "59500", time_in_force: "ioc" })),
  );
  say("net a", netOf(R, "a"));
  for (const t of [5, 30, 30]) {
    await sleep(t * 1000);
    say("after", t, "s: reduce-only is", byId(R, ro).live ? "live" : byId(R, ro).status);
    if (!byId(R, ro).live) break;
  }
  R.ex.setPx("BTC", 60700);
  await sleep(500);
  say("net a at the end", netOf(R, "a"), "b", netOf(R, "b"));
  ok(netOf(R, "a") > -1e-9, "reduce-only rests, then a plain sale: a does not close what b holds", netOf(R, "a"));
};

scenes.stopThenPlain = async (R) => {
  const { a } = await both(R);
  const ro = await R.order(a, {
    side: "sell",
    size: "0.005",
    price: "58000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59500", market: true },
  });
  say("stop .005", m(ro));
  say(
    "plain ioc sell .005",
    m(await R.order(a, { side: "sell", size: "0.005", price: "59500", time_in_force: "ioc" })),
  );
  say("net a", netOf(R, "a"));
  for (const t of [5, 30, 30]) {
    await sleep(t * 1000);
    say("after", t, "s: stop is", byId(R, ro).live ? "live" : byId(R, ro).status);
    if (!byId(R, ro).live) break;
  }
  R.ex.setPx("BTC", 59400);
  await sleep(500);
  say("net a at the end", netOf(R, "a"));
  ok(
    netOf(R, "a") > -1e-9,
    "stop, then a plain sale, after half a minute: a does not close what b holds",
    netOf(R, "a"),
  );
};

scenes.stopThenTp = async (R) => {
  const { a } = await both(R);
  const tp = await R.order(a, { side: "sell", size: "0.005", price: "60600", reduce_only: true });
  say("reduce-only sell at 60600 rests (take-profit)", m(tp));
  const st = await R.order(a, {
    side: "sell",
    size: "0.005",
    price: "58500",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59500", market: true },
  });
  say("stop at 59500", m(st));
  R.ex.setPx("BTC", 59450);
  await sleep(800);
  say("stop is", byId(R, st).status, "net a", netOf(R, "a"));
  for (const t of [10, 40]) {
    await sleep(t * 1000);
    say("after", t, "s: take-profit is", byId(R, tp).live ? "live" : byId(R, tp).status);
    if (!byId(R, tp).live) break;
  }
  const w = await R.req("GET", "/v1/whoami", undefined, a);
  say("use", w.j.limits.use);
  R.ex.setPx("BTC", 60700);
  await sleep(800);
  say("net a at the end", netOf(R, "a"), "b", netOf(R, "b"));
  ok(netOf(R, "a") > -1e-9, "stop has fired, take-profit rests on: a does not close what b holds", netOf(R, "a"));
};

scenes.tpLeft = async (R) => {
  // the take-profit trigger limit kind fires, rests as a plain limit, the stop closes: what rests?
  const a = await R.limited("a"),
    b = await R.limited("b");
  R.ex.actor = "b";
  await R.order(b, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" });
  R.ex.actor = "a";
  await R.order(a, { side: "buy", size: "0.005", price: "60100", time_in_force: "ioc" });
  await sleep(500);
  const tp = await R.order(a, {
    side: "sell",
    size: "0.005",
    price: "60900",
    reduce_only: true,
    trigger: { kind: "take_profit", price: "60300", market: false },
  });
  const sl = await R.order(a, {
    side: "sell",
    size: "0.005",
    price: "58500",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59500", market: true },
  });
  say("tp limit", m(tp), "sl", m(sl));
  R.ex.setPx("BTC", 60350);
  await sleep(700);
  say("tp", byId(R, tp).status, byId(R, tp).onBook);
  R.ex.setPx("BTC", 59400);
  await sleep(700);
  say("sl", byId(R, sl).status, "net a", netOf(R, "a"));
  await sleep(45000);
  say("tp after 45 s", byId(R, tp).live ? "live on the book" : byId(R, tp).status);
  R.ex.setPx("BTC", 61000);
  await sleep(700);
  ok(netOf(R, "a") > -1e-9, "take-profit with a limit that has fired and rests: a does not close what b holds", {
    a: netOf(R, "a"),
    b: netOf(R, "b"),
  });
};

scenes.twapTp = async (R) => {
  // natural: a reduce-only TWAP out, a stop fires meanwhile
  const a = await R.limited("a", { may: "increase,reduce,modify,cancel,twap", max_distance: "3 %" }),
    b = await R.limited("b");
  R.ex.actor = "b";
  await R.order(b, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" });
  R.ex.actor = "a";
  await R.order(a, { side: "buy", size: "0.005", price: "60100", time_in_force: "ioc" });
  await sleep(500);
  R.ex.sliceMs = 4000;
  const sl = await R.order(a, {
    side: "sell",
    size: "0.005",
    price: "58500",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59500", market: true },
  });
  const tw = await R.post(a, "/v1/twaps", {
    market: "BTC",
    side: "sell",
    size: "0.005",
    duration_minutes: 5,
    reduce_only: true,
  });
  say("sl", m(sl), "reduce-only twap beside it", m(tw));
  await sleep(1000);
  R.ex.setPx("BTC", 59450);
  await sleep(45000);
  say(
    "twap live",
    [...R.ex.twaps.values()].some((t) => t.live),
    "net a",
    netOf(R, "a"),
    "b",
    netOf(R, "b"),
  );
  ok(netOf(R, "a") > -1e-9, "reduce-only TWAP, and a stop that fires: a does not close what b holds", {
    a: netOf(R, "a"),
    b: netOf(R, "b"),
  });
};
