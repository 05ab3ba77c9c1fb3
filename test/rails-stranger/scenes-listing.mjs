// A list of markets that moves, and a market that is renamed.
import { m, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.rename = async (R) => {
  const k = await R.limited("a", { markets: "BTC" });
  R.ex.actor = "a";
  await R.order(k, { side: "buy", size: "0.004", price: "60100", time_in_force: "ioc" });
  const st = await R.order(k, {
    side: "sell",
    size: "0.004",
    price: "57000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59000", market: true },
  });
  say(m(st));
  // a listing is put in front: BTC goes from 0 to 1; SOL now stands where BTC was
  const [B, E, L] = R.ex.perps;
  R.ex.log.length = 0;
  R.ex.perps = [L, B, E];
  for (let i = 0; i < 8; i++) {
    const r = await R.order(k, { side: "buy", size: "0.001", price: "59900" });
    say(m(r));
    await sleep(1500);
  }
  const bad = R.ex.log.filter((e) => e.k === "accept" && e.coin !== "BTC");
  ok(bad.length === 0, "no order of a bot of BTC in another market after the list has moved", bad.slice(0, 2));
  // BTC is renamed: XBT stands there, and BTC is another market of small price
  R.ex.perps = [{ ...L }, { ...B, name: "XBT" }, E, { name: "BTC", szDecimals: 5, maxLeverage: 40, marginTableId: 40 }];
  R.ex.px.XBT = { mark: 60000, oracle: 60000 };
  R.ex.px.BTC = { mark: 60000, oracle: 60000 };
  if (R.ex.pos.BTC) {
    R.ex.pos.XBT = R.ex.pos.BTC;
    delete R.ex.pos.BTC;
  }
  for (const o of R.ex.orders.values()) if (o.coin === "BTC") o.coin = "XBT";
  for (let i = 0; i < 4; i++) {
    const r = await R.order(k, {
      side: "sell",
      size: "0.001",
      price: "59500",
      reduce_only: true,
      time_in_force: "ioc",
    });
    say("ro after the renaming", m(r));
    await sleep(20000 / 4);
  }
  say("whoami", (await R.req("GET", "/v1/whoami", undefined, k)).j.limits.use);
  const c = await R.post(k, `/v1/orders/${st.j.id}/cancel`, {});
  say("cancel of the stop", m(c));
};
