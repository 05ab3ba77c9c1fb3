// Stops, cancels, reductions and closes while feed, prices or all of /info are dead.
import { m, netOf, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.deadFeed = async (R) => {
  const a = await R.limited("a");
  R.ex.actor = "a";
  await R.order(a, { side: "buy", size: "0.006", price: "60100", time_in_force: "ioc" });
  const rest = await R.order(a, { side: "buy", size: "0.001", price: "59000" });
  const rest2 = await R.order(a, { side: "buy", size: "0.001", price: "59000" });
  await sleep(500);
  R.ex.deadFeed = true;
  R.ex.dropFeed();
  R.ex.infoFault = (b) =>
    ["metaAndAssetCtxs", "allMids", "activeAssetData", "spotMetaAndAssetCtxs", "l2Book"].includes(b.type)
      ? "drop"
      : null;
  await sleep(7000);
  say("increase", m(await R.order(a, { side: "buy", size: "0.001", price: "59000" })));
  const st = await R.order(a, {
    side: "sell",
    size: "0.002",
    price: "57000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59000", market: true },
  });
  ok(st.s < 300, "dead feed and no prices: a stop passes", m(st));
  const c = await R.post(a, `/v1/orders/${rest.j.id}/cancel`, {});
  ok(c.s < 300 && c.j.status === "canceled", "a cancel passes", m(c));
  const ro = await R.order(a, { side: "sell", size: "0.002", price: "59500", time_in_force: "ioc", reduce_only: true });
  ok(ro.s < 300, "a reduction at once passes", m(ro));
  say(
    "close (no book)",
    m(await R.post(a, "/v1/positions/close", { account: R.account, market: "BTC", fraction: "0.5" })),
  );
  R.ex.infoFault = (b) =>
    ["metaAndAssetCtxs", "allMids", "activeAssetData", "spotMetaAndAssetCtxs"].includes(b.type) ? "drop" : null;
  const cl = await R.post(a, "/v1/positions/close", { account: R.account, market: "BTC", fraction: "0.5" });
  ok(cl.s < 300, "close with a book alone", m(cl));
  R.ex.infoFault = () => "drop";
  await sleep(1000);
  const st2 = await R.order(a, {
    side: "sell",
    size: "0.001",
    price: "57000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59000", market: true },
  });
  ok(st2.s < 300, "/info dead altogether: a stop passes", m(st2));
  const c2 = await R.post(a, `/v1/orders/${rest2.j.id}/cancel`, {});
  ok(c2.s < 300, "a cancel passes", m(c2));
  const ca = await R.post(a, "/v1/orders/cancel-all", { account: R.account });
  ok(ca.s < 300, "cancel-all passes", m(ca));
  const ro2 = await R.order(a, {
    side: "sell",
    size: "0.001",
    price: "59500",
    time_in_force: "ioc",
    reduce_only: true,
  });
  ok(ro2.s < 300, "a reduction at once with all of /info dead", m(ro2));
  say("net by the exchange", netOf(R, "a"));
  // kill and start while /info is dead
  await R.kill();
  await R.serve();
  await sleep(1500);
  const st3 = await R.order(
    a,
    {
      side: "sell",
      size: "0.001",
      price: "57000",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "59100", market: true },
    },
    "dead-start-stop",
  );
  say("stop right after a start, /info dead", m(st3));
  await sleep(16000);
  const st4 = await R.order(
    a,
    {
      side: "sell",
      size: "0.001",
      price: "57000",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "59100", market: true },
    },
    "dead-start-stop",
  );
  say("17 s after the start", m(st4));
};

scenes.closeDead = async (R) => {
  const a = await R.limited("a");
  R.ex.actor = "a";
  await R.order(a, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" });
  await sleep(500);
  const C = () => R.post(a, "/v1/positions/close", { account: R.account, market: "BTC", fraction: "0.25" });
  const M = () =>
    R.post(a, "/v1/orders/market", {
      account: R.account,
      market: "BTC",
      side: "sell",
      size: "0.001",
      reduce_only: true,
    });
  const L = () => R.order(a, { side: "sell", size: "0.001", price: "59500", time_in_force: "ioc", reduce_only: true });
  const seen = new Set();
  R.ex.deadFeed = true;
  R.ex.dropFeed();
  await sleep(7000);
  say("feed dead alone: close", m(await C()), "| market reduce-only", m(await M()));
  for (const dead of [
    ["metaAndAssetCtxs"],
    ["metaAndAssetCtxs", "allMids"],
    ["metaAndAssetCtxs", "allMids", "activeAssetData"],
    ["metaAndAssetCtxs", "allMids", "activeAssetData", "clearinghouseState"],
    ["l2Book"],
  ]) {
    R.ex.infoFault = (b) => {
      seen.add(b.type);
      return dead.includes(b.type) ? "drop" : null;
    };
    await sleep(6500);
    seen.clear();
    const c = await C();
    const asked = [...seen].join(" ");
    say(
      "without feed and",
      dead.join(" "),
      ": close",
      m(c),
      "| asked",
      asked,
      "| market",
      m(await M()),
      "| limit",
      m(await L()),
    );
    if (!dead.includes("l2Book") && !dead.includes("clearinghouseState"))
      ok(c.s < 300, `close with a dead feed, a book, clearinghouseState and no ${dead.join(" ")}`, m(c));
  }
};
