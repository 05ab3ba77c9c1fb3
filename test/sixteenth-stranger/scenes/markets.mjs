// Markets that are delisted, renamed, halted, moved or changed while something lives in them.
import { d, plain } from "../decimal.mjs";
import { pause } from "../house.mjs";
import { legsOf } from "../judge.mjs";
import { lags } from "./canceled.mjs";
import { finish, rich } from "./races.mjs";

async function delisted(h, say) {
  // Everything lives in the market: a resting order, a trigger, a TWAP, a trade; then it is delisted and the position is settled.
  const x = h.x;
  lags(h, [200, 2500, 5000][(h.seed - 1) % 3]);
  const settled = h.seed % 2 === 1;
  x.hand("SOL", "B", "10", "150.01");
  await pause(600);
  const rest = await h.order("SOL", "buy", "2", "140", "delist-rest");
  const stop = await h.order("SOL", "sell", "4", "120", "delist-stop", {
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "130", market: true },
  });
  const twap = await h.post(
    "/v1/twaps",
    { market: "SOL", side: "buy", size: "5", duration_minutes: 30 },
    "delist-twap",
  );
  const trade = await h.post(
    "/v1/trades",
    {
      account: h.account,
      market: "SOL",
      side: "buy",
      size: "1",
      entry: { price: "145" },
      stop_loss: { trigger_price: "135" },
    },
    "delist-trade",
  );
  await pause(1500);
  const m = x.markets.get("SOL");
  m.delisted = true;
  for (const o of [...x.orders.values()]) if (o.coin === "SOL" && x.live(o)) x.cancelOne(o, "delistedCanceled");
  for (const t of x.twaps.values())
    if (t.status === "activated") h.server.twapRow(t, { status: "error", description: "Asset is delisted." });
  if (settled)
    x.fill(x.make({ coin: "SOL", side: "A", px: m.mid, sz: d("10"), tif: "Ioc", elsewhere: true }), d("10"), m.mid, {
      dir: "Settlement",
      crossed: true,
      fee: 0n,
    });
  else {
    x.positions.delete("SOL");
    x.snap();
  }
  for (let k = 0; k < 14; k++) {
    await Promise.all([rest, stop].map((o) => o.json?.id && h.get(`/v1/orders/${o.json.id}`)));
    await Promise.all([
      h.get("/v1/positions"),
      h.get("/v1/twaps"),
      h.get(`/v1/trades/${trade.json?.id}`),
      h.get("/v1/orders?status=open"),
    ]);
    await pause(900);
  }
  const late = await h.order("SOL", "buy", "2", "140", "delist-late");
  h.notes.push(`placing after: ${late.status} ${late.json?.status} ${late.json?.error?.code ?? late.json?.error}`);
  const t = (await h.get(`/v1/trades/${trade.json?.id}`)).json;
  h.notes.push(
    `trade ${trade.status} ${t?.status} held ${t?.held_size} ended ${t?.ended_at} ${t?.error}`,
    `twap ${twap.status} ${(await h.get("/v1/twaps")).json.data?.map((r) => `${r.status} ${r.error}`)}`,
  );
  const p = await h.get("/v1/positions");
  if (p.json.data?.some((r) => r.market === "SOL")) say(`a settled position is shown: ${p.text}`);
  await finish(h, say);
  for (const o of [rest, stop]) h.notes.push(JSON.stringify((await h.get(`/v1/orders/${o.json.id}`)).json.status));
}
async function renamed(h, say) {
  // The same number has another name from now on; what rests there is cancelled, modified and read by us under the old one.
  const x = h.x;
  const made = await h.order("SOL", "buy", "2", "140", "rename-1");
  const other = await h.order("SOL", "buy", "1", "141", "rename-2");
  const m = x.markets.get("SOL");
  x.markets.delete("SOL");
  m.coin = "SOLNEW";
  x.markets.set("SOLNEW", m);
  for (const o of x.orders.values()) if (o.coin === "SOL") o.coin = "SOLNEW";
  x.snap();
  for (const one of [made, other]) legsOf(x, one.json)[0].elsewhere = true;
  const read = await h.get(`/v1/orders/${made.json.id}`);
  const modify = await h.post(`/v1/orders/${made.json.id}/modify`, { price: "139" }, "rename-1-m");
  const cancel = await h.post(`/v1/orders/${other.json.id}/cancel`, {}, "rename-2-c");
  const late = await h.order("SOL", "buy", "2", "140", "rename-3");
  const fresh = await h.order("SOLNEW", "buy", "2", "140", "rename-4");
  for (const [k, r] of Object.entries({ read, modify, cancel, late, fresh }))
    h.notes.push(
      `${k}: ${r.status} ${r.json?.status} ${String(r.json?.error?.message ?? r.json?.error).slice(0, 160)}`,
    );
  await pause(2500);
  const live = [...x.orders.values()].filter((o) => x.live(o));
  h.notes.push(`live: ${live.map((o) => `${o.oid} ${o.coin} ${plain(o.px)}`)}`);
  if (cancel.json?.status === "canceled" && x.live(legsOf(x, other.json).at(-1))) say("told canceled, and it lives");
  await h.get("/v1/orders?status=open");
  await pause(1000);
}
async function swapped(h, say) {
  // Two markets of one dex change places, and three dexes have a market of one name.
  const x = h.x;
  x.hand("SOL", "B", "3", "150.01");
  x.hand("xyz:SOL", "A", "4", "150.99");
  x.hand("hyna:SOL", "B", "5", "149.01");
  await pause(700);
  const p = (await h.get("/v1/positions")).json.data.map(
    (r) => `${r.dex}|${r.market}|${r.side}|${r.size}|${r.mark_price}`,
  );
  const want = ["|SOL|long|3|150", "hyna|hyna:SOL|long|5|149", "xyz|xyz:SOL|short|4|151"];
  for (const w of want) if (!p.includes(w)) say(`positions of one name: ${p} lacks ${w}`);
  for (const name of ["SOL", "xyz:SOL", "hyna:SOL"]) {
    const rows = (await h.get(`/v1/fills?market=${encodeURIComponent(name)}`)).json.data;
    if (rows.length !== 1 || rows[0].market !== name)
      say(`fills of ${name}: ${JSON.stringify(rows.map((r) => r.market))}`);
  }
  const [a, b] = [x.markets.get("xyz:SOL"), x.markets.get("xyz:TSLA")];
  [a.a, b.a] = [b.a, a.a];
  for (let i = 0; i < 6; i++) {
    const market = i % 2 ? "xyz:SOL" : "xyz:TSLA";
    const o = await h.order(market, "buy", "0.5", i % 2 ? "140" : "390", `swap-${i}`);
    h.notes.push(
      `${market}: ${o.status} ${o.json?.status ?? o.json?.error?.code} ${String(o.json?.error ?? "").slice(0, 140)}`,
    );
    await pause(400);
    if (o.json?.id) await h.get(`/v1/orders/${o.json.id}`);
  }
  await finish(h, say, 15);
}
async function rules(h, say) {
  // Sizes get coarser, leverage smaller, the market is halted and opened again: answers keep to what the exchange says.
  const x = h.x;
  lags(h, 800);
  const m = x.markets.get("ETH");
  const o = await h.order("ETH", "buy", "0.1234", "2300", "rules-1");
  m.sz = 2;
  m.lev = 5;
  const bad = await h.order("ETH", "buy", "0.1234", "2300", "rules-2");
  const mod = await h.post(`/v1/orders/${o.json.id}/modify`, { price: "2310" }, "rules-3");
  const lev = await h.post("/v1/leverage", { market: "ETH", leverage: 20, margin_type: "cross" }, "rules-4");
  m.halted = true;
  const halted = await h.order("ETH", "buy", "0.12", "2300", "rules-5");
  const cancel = await h.post(`/v1/orders/${o.json.id}/cancel`, {}, "rules-6");
  const twap = await h.post("/v1/twaps", { market: "ETH", side: "buy", size: "1", duration_minutes: 30 }, "rules-7");
  m.halted = false;
  m.sz = 4;
  const again = await h.order("ETH", "buy", "0.1234", "2300", "rules-8");
  for (const [k, r] of Object.entries({ o, bad, mod, lev, halted, cancel, twap, again }))
    h.notes.push(
      `${k}: ${r.status} ${r.json?.status} ${String(r.json?.error?.message ?? r.json?.error).slice(0, 170)}`,
    );
  if (lev.json?.status === "succeeded") say("leverage 20 of at most 5 is told as set");
  await pause(2000);
  await finish(h, say);
}
const more = { before: rich, slack: 8000 };
export const scenes = {
  delisted: {
    about: "a market is delisted with an order, a trigger, a TWAP, a trade and a position in it",
    play: delisted,
    ...more,
  },
  renamed: { about: "a market gets another name", play: renamed, mayStick: true, ...more },
  swapped: {
    about: "one name in three dexes, and two markets that change places",
    play: swapped,
    mayStick: true,
    ...more,
  },
  rules: { about: "size step, leverage and trading of a market change and come back", play: rules, ...more },
};
