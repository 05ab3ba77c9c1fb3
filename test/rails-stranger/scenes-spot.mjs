// Spot: what was bought less its fee may be sold, and no more. Each waits five minutes for the prices that a spot rail needs.
import { audit, clean, hammer, largest, m, ok, say, sleep } from "./judge.mjs";
import { scenes as largestScenes } from "./scenes-largest.mjs";
import { scenes as tradeScenes } from "./scenes-trades.mjs";

export const scenes = {};

function tally(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

scenes.spot = async (R) => {
  R.ex.tokens[1].szDecimals = 2;
  R.ex.spot.PURR = { total: 1000, entry: 0 };
  const k = await R.limited("s", { markets: "BTC,PURR/USDC" }),
    k2 = await R.limited("s", { markets: "BTC,PURR/USDC" });
  audit(R, { coins: ["PURR/USDC", "BTC"] });
  R.ex.actor = "s";
  const O = (key, o, i) => R.order(key, { market: "PURR/USDC", ...o }, i);
  say("at once", m(await O(k, { side: "buy", size: "25", price: "4.01", time_in_force: "ioc" })));
  say(
    "sell of what somebody else holds",
    m(await O(k, { side: "sell", size: "25", price: "3.99", time_in_force: "ioc" })),
  );
  const t0 = Date.now();
  let r;
  while (Date.now() - t0 < 400000) {
    r = await O(k, { side: "buy", size: "25", price: "4.01", time_in_force: "ioc" });
    if (r.s < 300) break;
    await sleep(10000);
  }
  say("after", Math.round((Date.now() - t0) / 1000), "s", m(r));
  await sleep(1500);
  const held = () =>
    R.ex.fills
      .filter((f) => f.coin === "PURR/USDC")
      .reduce((t, f) => t + (f.side === "B" ? Number(f.sz) - Number(f.fee) : -Number(f.sz)), 0);
  say("held truly", held());
  say("sell 25", m(await O(k, { side: "sell", size: "25", price: "3.99", time_in_force: "ioc" })));
  say("sell rests 10", m(await O(k, { side: "sell", size: "10", price: "4.05" })));
  const many = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      O(i % 2 ? k : k2, { side: "sell", size: "10", price: "3.99", time_in_force: "ioc" }),
    ),
  );
  say(many.map((x) => x.s).join(" "));
  await sleep(500);
  ok(held() > -1e-6, "spot: never more sold than bought (many at once)", held());
  await R.post(k, "/v1/orders/cancel-all", { account: R.account });
  for (let i = 0; i < 5; i++) {
    R.ex.faults.push({ match: (a) => a.type === "order", kind: i % 2 ? "late" : "lose_after", ms: 2500 });
    O(k, { side: "sell", size: "4", price: "3.99", time_in_force: "ioc" }).catch(() => {});
    await sleep(150);
  }
  await sleep(8000);
  R.ex.faults.length = 0;
  say("held", held());
  ok(held() > -1e-6, "spot: lost answers of sales", held());
  const h = await hammer(R, k, { market: "PURR/USDC", side: "buy", size: "30", price: "4.01", time_in_force: "ioc" });
  say("bought", h.acc, m(h.last));
  await sleep(1500);
  say("held", held(), "usd", held() * 4);
  const l = largest(h.last);
  if (Number(l) * 4 > 10) {
    const x = await O(k, { side: "buy", size: l, price: "4.01", time_in_force: "ioc" });
    ok(x.s < 300, "spot: the largest passes", m(x));
  }
  await sleep(1000);
  const sellAll = Math.floor(held() * 100) / 100;
  const o = await O(k, { side: "sell", size: "20", price: "4.05" });
  const md = await R.post(k, `/v1/orders/${o.j.id}/modify`, { size: String(sellAll + 5) });
  say("modify of a sale beyond what is held", m(md));
  const md2 = await R.post(k, `/v1/orders/${o.j.id}/modify`, { size: String(sellAll) });
  say("modify to all", m(md2), sellAll);
  R.ex.setPx("PURR/USDC", 4.06);
  await sleep(1000);
  say("held", held());
  ok(held() > -1e-6, "spot: modify of a sale", held());
  R.ex.setPx("PURR/USDC", 3);
  say("price falls to 3 (median 4)");
  await sleep(2500);
  const f = await O(k, { side: "buy", size: "100", price: "3.05", time_in_force: "ioc" });
  say(m(f));
  R.ex.setPx("PURR/USDC", 8);
  await sleep(2500);
  const g = await O(k, { side: "buy", size: "20", price: "8.1", time_in_force: "ioc" });
  say("price doubles: buy", m(g));
  const s2 = await O(k, { side: "sell", size: "5", price: "7.9", time_in_force: "ioc" });
  say("sell at the new price", m(s2));
  R.ex.deadFeed = true;
  R.ex.dropFeed();
  R.ex.infoFault = (b) =>
    ["metaAndAssetCtxs", "allMids", "spotMetaAndAssetCtxs", "l2Book"].includes(b.type) ? "drop" : null;
  await sleep(6000);
  const d = await O(k, { side: "sell", size: "5", price: "7.9", time_in_force: "ioc" });
  say("sale without any price, held", held(), m(d));
  clean(R, "spot");
};

scenes.spot2 = async (R) => {
  R.ex.tokens[1].szDecimals = 2;
  R.ex.spot.PURR = { total: 1000, entry: 0 };
  const k = await R.limited("s", { markets: "PURR/USDC", max_order: "any", max_position: "any", max_exposure: "any" });
  const t0 = Date.now();
  const O = (o) => R.order(k, { market: "PURR/USDC", ...o });
  await O({ side: "buy", size: "25", price: "4.01", time_in_force: "ioc" });
  const held = () =>
    Number(
      R.ex.fills
        .filter((f) => f.coin === "PURR/USDC")
        .reduce((t, f) => t + (f.side === "B" ? Number(f.sz) - Number(f.fee) : -Number(f.sz)), 0)
        .toFixed(6),
    );
  const own = async () => JSON.stringify((await R.req("GET", "/v1/whoami", undefined, k)).j.limits.use.nets);
  const buy = () => {
      R.ex.actor = "s";
      return O({ side: "buy", size: "25", price: "4.01", time_in_force: "ioc" });
    },
    sell = (n = "25") => {
      R.ex.actor = "s";
      return O({ side: "sell", size: n, price: "3.99", time_in_force: "ioc" });
    };
  console.log("   -- while the ten minutes fill: trades");
  await largestScenes.largest2(R).catch((e) => say(e.message));
  await R.post(R.k2, "/v1/positions/close", { account: R.account, market: "BTC" });
  await tradeScenes.tradeLeft(R).catch((e) => say(e.message));
  let r;
  while (Date.now() - t0 < 400000) {
    r = await buy();
    if (r.s < 300) break;
    await sleep(5000);
  }
  say("bought 25 at", Math.round((Date.now() - t0) / 1000), "s", m(r), "held", held());
  for (const w of [0.3, 1, 2, 3]) {
    await sleep(w * 1000);
    say("after", w, "s more: net as told", await own());
  }
  say("sell 25 (gross) 6 s after the fill", m(await sell()), "held", held());
  ok(held() > -1e-6, "spot: the fee of a purchase that was told 6 s ago is not sold", held());
  await sell("24.98");
  await sleep(2500);
  say("all sold: held", held(), "told", await own());
  for (let i = 0; i < 6; i++) {
    await buy();
    const x = await sell();
    say("cycle", i, "buy 25, sell 25 at once", m(x), "held", held());
    await sleep(4000);
    say("   4 s later: held", held(), "told", await own());
  }
  await buy();
  await sleep(4000);
  say("bought 25, 4 s: held", held(), "told", await own());
  const q = await sell("24.98");
  say("sell 24.98", m(q), "held", held());
  ok(held() > -0.0176, "spot: the fees of several purchases are not sold one after the other", held());
};

scenes.spot3 = async (R) => {
  R.ex.tokens[1].szDecimals = 2;
  R.ex.spot.PURR = { total: 1000, entry: 0 };
  const k = await R.limited("s", { markets: "PURR/USDC", max_order: "any", max_position: "any", max_exposure: "any" });
  const t0 = Date.now();
  const O = (o) => R.order(k, { market: "PURR/USDC", ...o });
  await O({ side: "buy", size: "25", price: "4.01", time_in_force: "ioc" });
  R.ex.actor = "s";
  const held = () =>
    Number(
      R.ex.fills
        .filter((f) => f.coin === "PURR/USDC")
        .reduce((t, f) => t + (f.side === "B" ? Number(f.sz) - Number(f.fee) : -Number(f.sz)), 0)
        .toFixed(6),
    );
  const own = async () => JSON.stringify((await R.req("GET", "/v1/whoami", undefined, k)).j.limits.use.nets);
  let r;
  while (Date.now() - t0 < 400000) {
    r = await O({ side: "buy", size: "25", price: "4.01", time_in_force: "ioc" });
    if (r.s < 300) break;
    await sleep(5000);
  }
  const at = Date.now();
  R.ex.requests.length = 0;
  say(
    "bought 25 at",
    Math.round((at - t0) / 1000),
    "s",
    m(r),
    "held",
    held(),
    "sockets with userFills",
    [...R.ex.socks].filter((w) => [...w.subs.values()].some((s) => s.type === "userFills")).length,
  );
  for (const w of [1, 3, 4, 6, 8, 8]) {
    await sleep(w * 1000);
    say(
      Math.round((Date.now() - at) / 1000),
      "s after the fill: net as told",
      await own(),
      "asked",
      JSON.stringify(tally(R.ex.requests.splice(0))),
    );
  }
  say(
    "fills",
    JSON.stringify(
      (await R.req("GET", "/v1/fills?market=PURR%2FUSDC", undefined, k)).j.data?.map((f) => [
        f.size,
        f.fee,
        f.fee_token,
        f.order_id,
      ]),
    ),
    "net",
    await own(),
  );
  const x = await O({ side: "sell", size: "25", price: "3.99", time_in_force: "ioc" });
  say("sell 25 (gross)", m(x), "held", held());
  ok(held() > -1e-6, "spot: the fee of a purchase that is half a minute old is not sold", held());
  await sleep(4000);
  say("told", await own());
  await O({ side: "buy", size: "25", price: "4.01", time_in_force: "ioc" });
  for (const w of [0.3, 3]) {
    await sleep(w * 1000);
    say("second purchase: told", await own(), "held", held());
  }
};

for (const scene of Object.values(scenes))
  scene.prepare = (exchange) => {
    exchange.tokens[1].szDecimals = 2;
  };
