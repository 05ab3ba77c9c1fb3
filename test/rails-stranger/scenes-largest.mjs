// Does the largest size that a refusal names pass, by each way in, and one lot more not?
import { largest, m, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.largest2 = async (R) => {
  const k = await R.limited("l", { max_order: "450 USD", max_position: "800 USD" });
  R.k2 = k;
  R.ex.actor = "a";
  say("buy .0074", m(await R.order(k, { side: "buy", size: "0.0074", price: "60100", time_in_force: "ioc" })));
  await sleep(500);
  const o = { side: "buy", size: "0.02", price: "60000" };
  const r = await R.order(k, o);
  say("buy .02:", m(r));
  const l = largest(r);
  const r2 = await R.order(k, { ...o, size: l });
  say("buy", l, ":", m(r2));
  ok(r2.s < 300, "the largest size that the refusal names passes", m(r2));
  if (r2.s >= 400) {
    const r3 = await R.order(k, { ...o, size: largest(r2) });
    say("buy", largest(r2), ":", m(r3));
  }
};

scenes.largest = async (R) => {
  // the largest that a refusal names, with every rail near its end
  const k = await R.limited("a", {
    max_turnover_per_day: "1300 USD",
    max_order: "450 USD",
    max_position: "800 USD",
    max_exposure: "1000 USD",
  });
  R.ex.actor = "a";
  let n = 0,
    bad = 0;
  const tryIt = async (what, f, o) => {
    const r = await f(o);
    if (r.s !== 403) return r;
    const l = largest(r);
    if (l === undefined) {
      say(what, "no largest:", r.j.error.message);
      return r;
    }
    n++;
    if (Number(l) === 0 || Number(l) * (o.market === "ETH" ? 2000 : 60000) < 11) {
      return r;
    }
    const r2 = await f({ ...o, size: l });
    if (r2.s >= 400 || r2.j.status === "rejected") {
      bad++;
      ok(false, `${what}: largest ${l} passes`, [r.j.error.message, m(r2)]);
    } else {
      if (r2.j.id && r2.j.object === "order") await R.post(k, `/v1/orders/${r2.j.id}/cancel`, {});
    }
    const bump = o.market === "ETH" ? 0.0001 : 0.00001;
    const r3 = await f({ ...o, size: (Number(l) + bump).toFixed(o.market === "ETH" ? 4 : 5) });
    if (r3.s < 300) {
      say(what, "one lot more passes too", l);
      if (r3.j.object === "order") await R.post(k, `/v1/orders/${r3.j.id}/cancel`, {});
    }
    return r;
  };
  const place = (o) => R.order(k, o);
  for (const px of ["59000", "60000", "60600", "59123"])
    await tryIt(`order ${px}`, place, { side: "buy", size: "0.02", price: px });
  await tryIt("sell", place, { side: "sell", size: "0.02", price: "60777" });
  await tryIt("trigger", place, {
    side: "buy",
    size: "0.02",
    price: "62800",
    trigger: { kind: "stop_loss", price: "61900", market: true },
  });
  await tryIt("ETH", place, { market: "ETH", side: "buy", size: "0.5", price: "1999.9" });
  await tryIt("market", (o) => R.post(k, "/v1/orders/market", { account: R.account, ...o }), {
    market: "BTC",
    side: "buy",
    size: "0.02",
  });
  await R.order(k, { side: "buy", size: "0.006", price: "60100", time_in_force: "ioc" });
  await sleep(300);
  for (const px of ["59000", "60600"])
    await tryIt(`order near position ${px}`, place, { side: "buy", size: "0.01", price: px });
  await tryIt("sell through", place, { side: "sell", size: "0.03", price: "60700" });
  await tryIt("ETH exposure", place, { market: "ETH", side: "buy", size: "0.4", price: "2010" });
  await tryIt("ro too much", place, { side: "sell", size: "0.007", price: "60500", reduce_only: true });
  const rest = await R.order(k, { side: "buy", size: "0.002", price: "59000" });
  await tryIt("modify up", (o) => R.post(k, `/v1/orders/${rest.j.id}/modify`, { size: o.size, price: "59100" }), {
    market: "BTC",
    size: "0.02",
  });
  await tryIt(
    "trade",
    async (o) => {
      const r = await R.post(k, "/v1/trades", { account: R.account, ...o });
      if (r.s < 300) await R.post(k, `/v1/trades/${r.j.id}/cancel`, {});
      return r;
    },
    { market: "BTC", side: "buy", size: "0.02", entry: { price: "59000" }, stop_loss: { trigger_price: "57000" } },
  );
  await R.post(k, "/v1/orders/cancel-all", { account: R.account });
  await sleep(1500);
  for (let i = 0; i < 3; i++)
    await tryIt(`turnover ${i}`, place, { side: "buy", size: "0.0075", price: "60100", time_in_force: "ioc" });
  const tk = await R.limited("t", { may: "increase,reduce,cancel,twap", max_distance: "3 %" });
  await tryIt("twap", (o) => R.post(tk, "/v1/twaps", { ...o, duration_minutes: 5 }), {
    market: "ETH",
    side: "buy",
    size: "1",
  });
  say("refusals with a largest", n, "false", bad);
};
