// The record (funding, fills of every kind, performance) and TWAPs, leverage and margin, against the log.
import { plain, times, units, wire } from "./decimals.mjs";
import { endTwap, slice, startTwap } from "./deeds.mjs";
import { pause } from "./gateway.mjs";
import { judgeLists, judgeOrders } from "./judge.mjs";
import { busy } from "./scenes-answers.mjs";
import { operated, world } from "./world.mjs";

const HOUR = 3600000;

async function everything(gateway, path) {
  const rows = [];
  for (let cursor = ""; ; ) {
    const page = await gateway.get(`${path}?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    rows.push(...(page.body.data ?? []));
    if (!page.body.has_more) return { rows, last: page.body };
    cursor = page.body.next_cursor;
  }
}

/** Twenty days of funding of seven coins: the hour's rows have one millisecond, and pages of 500 end inside one. */
async function fundingPages(binary) {
  const coins = ["BTC", "ETH", "SOL", "xyz:TSLA", "DOGE", "kPEPE", "AVAX"];
  const w = await world(binary, {
    before: ({ venue }) => {
      const hour = Math.floor(Date.now() / HOUR) * HOUR;
      for (let h = 480; h >= 1; h--)
        for (const [i, coin] of coins.entries())
          venue.funding.push({
            time: hour - h * HOUR + 37,
            hash: `0x${"0".repeat(64)}`,
            delta: {
              type: "funding",
              coin,
              usdc: wire(-units(`0.0${h}`) - BigInt(i)),
              szi: "0.5",
              fundingRate: "0.0000125",
              nSamples: h % 50 === 0 ? 24 : null,
            },
          });
      for (let i = 0; i < 1203; i++)
        venue.transfers.push({
          time: hour - 400 * HOUR + Math.floor(i / 90) * 1000,
          hash: `0x${String(i).padStart(64, "0")}`,
          delta: { type: "deposit", usdc: `${i + 1}.0` },
        });
    },
  });
  await w.gateway.order({ market: "ETH", side: "buy", size: "1", price: "3100", time_in_force: "ioc" });
  for (let i = 0; i < 24; i++) {
    await pause(5000);
    const { body } = await w.gateway.get("/v1/funding?limit=1");
    if (body.complete_to && i > 12) break;
  }
  for (const [path, truth, of] of [
    ["/v1/funding", w.venue.funding, "usdc"],
    ["/v1/transfers", w.venue.transfers, "usdc"],
  ]) {
    const { rows, last } = await everything(w.gateway, path);
    const from = last.complete_from ? Date.parse(last.complete_from) : undefined;
    const to = last.complete_to ? Date.parse(last.complete_to) : undefined;
    const due = from === undefined || to === undefined ? [] : truth.filter((r) => r.time >= from && r.time <= to);
    const sum = rows.reduce((s, r) => s + units(r.amount), 0n);
    const right = due.reduce((s, r) => s + units(r.delta[of]), 0n);
    console.log(" ", path, rows.length, "of", truth.length, last.complete_from, last.complete_to);
    if (to === undefined)
      w.findings.push({
        severity: "MEDIUM",
        text: `${path}: complete_to null after two minutes, ${rows.length} of ${truth.length} rows`,
      });
    else if (rows.length < due.length || (rows.length === due.length && sum !== right))
      w.findings.push({
        severity: "HIGH",
        text: `${path}: ${rows.length} rows ${plain(sum)}; from ${last.complete_from} to ${last.complete_to} there are ${due.length}, ${plain(right)}`,
      });
    if (new Set(rows.map((r) => r.id)).size !== rows.length)
      w.findings.push({ severity: "HIGH", text: `${path}: one id twice` });
  }
  await w.end();
  return w;
}

/** Fills of every kind; the figures of performance are added up here as well. */
async function figures(binary) {
  const w = await world(binary);
  const { gateway, venue } = w;
  const buy = (market, size, price) => gateway.order({ market, side: "buy", size, price, time_in_force: "ioc" });
  await buy("ETH", "2", "3100");
  await buy("BTC", "0.1", "61000");
  await buy("xyz:TSLA", "3", "410");
  await gateway.order({ market: "ETH", side: "sell", size: "3.5", price: "2900", time_in_force: "ioc" });
  const rest = await gateway.order({ market: "BTC", side: "sell", size: "0.05", price: "62000" });
  venue.meet(venue.orders.get(BigInt(rest.body.exchange_order_id)), units("0.05"), {
    fee: "-0.31",
    builderFee: "0.02",
  });
  const gone = venue.elsewhere("BTC", "A", ["59000", "0.02"], { tif: "Ioc", sz: "0.02" });
  venue.fills.at(-1).liquidation = { liquidatedUser: venue.user, markPx: "60000.0", method: "market" };
  venue.fills.at(-1).dir = "Liquidated Cross Long";
  venue.heard("fill", { fill: venue.fills.at(-1), t: gone.timestamp });
  const adl = venue.elsewhere("ETH", "B", ["3100", "0.5"], { tif: "Ioc" });
  Object.assign(venue.fills.at(-1), { dir: "Auto-Deleveraging", hash: `0x${"0".repeat(64)}`, tid: 0 });
  await pause(1000);
  await gateway.order({ market: "PURR/USDC", side: "buy", size: "500", price: "0.21", time_in_force: "ioc" });
  await pause(95000);
  const { body } = await gateway.get("/v1/performance");
  console.log("  ", JSON.stringify(body).slice(0, 1800), adl.oid);
  const upTo = body.complete_to ? Date.parse(body.complete_to) : 0;
  const mine = venue.fills.filter((f) => f.time <= upTo);
  const total = (f) => mine.reduce((s, r) => s + f(r), 0n);
  const check = (name, told, right) =>
    told !== undefined &&
    units(told) !== right &&
    w.findings.push({ severity: "HIGH", text: `performance ${name} ${told}, true ${plain(right)}` });
  if (!body.total)
    w.findings.push({
      severity: "MEDIUM",
      text: `performance: total null after 95 s, complete_to ${body.complete_to}`,
    });
  else {
    check(
      "fees",
      body.total.fees,
      total((f) => units(f.fee)),
    );
    check(
      "volume",
      body.total.volume,
      total((f) => times(units(f.px), units(f.sz))),
    );
    const open = (body.positions ?? []).reduce((s, p) => s + units(p.unrealized_pnl ?? "0"), 0n);
    const perpetuals = mine.filter((f) => venue.markets[f.coin].spot === undefined);
    const worth = Object.keys(venue.markets).reduce(
      (s, c) => s + times(venue.position(c).szi, units(venue.markets[c].mark) - venue.position(c).entry),
      perpetuals.reduce((s, f) => s + units(f.closedPnl), 0n),
    );
    const spot = mine
      .filter((f) => venue.markets[f.coin].spot !== undefined)
      .reduce((s, f) => s + times(units(f.sz), units(venue.markets[f.coin].mark) - units(f.px)), 0n);
    check("realized and open", plain(units(body.total.realized_pnl) + open), worth + spot);
    check(
      "builder",
      body.total.builder_fees,
      total((f) => units(f.builderFee ?? "0")),
    );
    if (body.total.fills !== mine.length)
      w.findings.push({ severity: "HIGH", text: `performance ${body.total.fills} fills, true ${mine.length}` });
    for (const p of body.positions ?? [])
      if (!venue.markets[p.market]?.base && p.key_hash === undefined)
        check(`position ${p.market}`, p.size, venue.position(p.market).szi);
  }
  judgeOrders(w);
  await judgeLists(w);
  await w.end();
  return w;
}

/** TWAPs of here and of elsewhere: slices, ends by the exchange in known and new words, a death in the middle. */
async function twapLives(binary) {
  const w = await world(binary);
  const { gateway, venue } = w;
  const made = [];
  for (const [size, minutes] of [
    ["1", 30],
    ["2", 30],
    ["3", 60],
    ["4", 60],
    ["5", 45],
  ])
    made.push((await gateway.post("/v1/twaps", { market: "ETH", side: "buy", size, duration_minutes: minutes })).body);
  const other = startTwap(venue, { a: 1, b: true, s: "1", r: false, m: 30, t: false }, venue.now());
  const rows = () => [...venue.twaps.values()];
  for (const row of rows()) slice(venue, row, "0.1", "3000.1");
  await pause(2500);
  await gateway.kill();
  for (const row of rows()) slice(venue, row, "0.25", "3001");
  endTwap(venue, rows()[1], { status: "error", description: "Insufficient margin" });
  endTwap(venue, rows()[2], "stopped");
  endTwap(venue, rows()[3], "paused");
  endTwap(venue, other, "terminated");
  await gateway.start();
  gateway.listen();
  slice(venue, rows()[4], "4.65", "3002");
  endTwap(venue, rows()[4], "finished");
  await pause(15000);
  const told = (await gateway.get("/v1/twaps?limit=100")).body.data;
  for (const row of rows()) {
    const t = told.find((x) => x.exchange_id === String(row.id));
    const last = row.executed.at(-1);
    const state = row.v.at(-1).status.status;
    console.log(
      "  ",
      row.id,
      state,
      JSON.stringify(t && [t.status, t.filled_size, t.average_price, t.error, t.operation_id, t.ended_at]),
    );
    if (!t) w.findings.push({ severity: "HIGH", text: `TWAP ${row.id} ${state} is not told` });
    else if (units(t.filled_size) !== last.sz)
      w.findings.push({
        severity: "HIGH",
        text: `TWAP ${row.id} ${t.status} filled ${t.filled_size}, true ${plain(last.sz)}`,
      });
    if (t && (t.status === "running") !== (state === "activated"))
      w.findings.push({ severity: "HIGH", text: `TWAP ${row.id} told ${t.status}, true ${state}` });
  }
  if (made.some((m) => m.status !== "succeeded"))
    w.findings.push({ severity: "MEDIUM", text: `operations ${made.map((m) => m.status)}` });
  await judgeLists(w);
  await w.end();
  return w;
}

/** Isolated margin: each answer lost, every second never executed, while the position changes and others add the same. */
async function margins(binary, lag) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  await gateway.post("/v1/leverage", { market: "ETH", leverage: 5, margin_type: "isolated" });
  await gateway.order({ market: "ETH", side: "buy", size: "4", price: "3100", time_in_force: "ioc" });
  const ids = [];
  let n = 0;
  door.lags = lag
    ? {
        positions: () => Math.floor(Math.random() * 6000),
        "state:clearinghouseState": () => Math.floor(Math.random() * 4000),
      }
    : {};
  door.actionFate = (action) =>
    action.type === "updateIsolatedMargin" ? { never: n % 2 === 1, answer: () => ({ how: "reset" }) } : undefined;
  const stop = busy(w);
  for (const amount of ["100", "50.5", "-20", "100", "100", "0.000001", "-30.25"]) {
    const began = venue.log.length;
    const done = gateway.post("/v1/margin", { market: "ETH", amount });
    if (n % 3 === 0) setTimeout(() => venue.elsewhere("ETH", "A", ["2900", "0.2"], { tif: "Ioc" }), 200);
    const { body } = await done;
    ids.push([body.id, amount, venue.log.slice(began).some((l) => l.what === "margin")]);
    await pause(2500);
    n += 1;
  }
  const until = Date.now() + 75000;
  for (const [id, amount, executed] of ids) {
    const { body } = await operated(gateway, id, Math.max(1000, until - Date.now()));
    const right = executed ? "succeeded" : "rejected";
    if (body.status === "unknown")
      w.findings.push({ severity: "LOW", text: `margin ${amount}: unknown (${body.error}), true ${right}` });
    else if (body.status !== right)
      w.findings.push({ severity: "HIGH", text: `margin ${amount}: ${body.status} (${body.error}), true ${right}` });
  }
  stop();
  await w.end();
  return w;
}

/** Leverage set here while others set it too; switches refused while held; lost answers. */
async function leverages(binary) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  const set = (leverage, margin_type, market = "BTC") =>
    gateway.post("/v1/leverage", { market, leverage, margin_type });
  let n = 0;
  const ids = [];
  door.lags = { leverage: () => Math.floor(Math.random() * 5000) };
  door.actionFate = (action) =>
    action.type === "updateLeverage"
      ? { never: n % 3 === 1, answer: (right) => (n % 3 === 2 ? { body: JSON.stringify(right) } : { how: "reset" }) }
      : undefined;
  const stop = busy(w);
  for (const [leverage, type] of [
    [5, "cross"],
    [7, "isolated"],
    [9, "isolated"],
    [3, "cross"],
    [3, "cross"],
    [12, "cross"],
    [20, "isolated"],
  ]) {
    const began = venue.log.length;
    const { body } = await set(leverage, type);
    ids.push([body.id, `${leverage} ${type}`, venue.log.slice(began).some((l) => l.what === "leverage")]);
    await pause(3000);
    n += 1;
  }
  const until = Date.now() + 75000;
  for (const [id, what, executed] of ids) {
    const { body } = await operated(gateway, id, Math.max(1000, until - Date.now()));
    const right = executed ? "succeeded" : "rejected";
    if (body.status === "unknown")
      w.findings.push({ severity: "LOW", text: `leverage ${what}: unknown (${body.error}), true ${right}` });
    else if (body.status !== right)
      w.findings.push({
        severity: what === "3 cross" ? "LOW" : "HIGH",
        text: `leverage ${what}: ${body.status} (${body.error}), true ${right}`,
      });
  }
  stop();
  await w.end();
  return w;
}

export const scenes = {
  fundingPages,
  figures,
  twapLives,
  margins: (b) => margins(b, false),
  marginsBehind: (b) => margins(b, true),
  leverages,
};
