// The record: performance against a ledger of our own, late rows, many fills in one millisecond, restart, backup.
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { abs, cut, d, over, plain, times } from "../decimal.mjs";
import { pause, run } from "../house.mjs";
import { live, near, size } from "../life.mjs";
import { checkExport, checkFills, checkFunding, checkTransfers, decimal, indexed } from "./money.mjs";

// Sums of all fills up to a time, in quote, and what they leave held.
export function ledger(x, to, market = null) {
  const out = { fills: 0, volume: 0n, fees: 0n, builder: 0n, funding: 0n, flow: 0n, held: new Map() };
  for (const { row } of x.fills) {
    if (row.time > to || (market && row.coin !== market)) continue;
    const [px, sz, fee] = [d(row.px), d(row.sz), d(row.fee)];
    const m = x.markets.get(row.coin);
    const base = m.kind === "spot" && row.feeToken === m.base;
    out.fills += 1;
    out.volume += times(px, sz);
    out.fees += base ? times(fee, px) : fee;
    out.builder += d(row.builderFee ?? "0");
    const signed = row.side === "B" ? sz : -sz;
    out.flow -= times(px, signed) + (base ? 0n : fee);
    out.held.set(row.coin, (out.held.get(row.coin) ?? 0n) + signed - (base ? fee : 0n));
  }
  for (const { row } of x.funding)
    if (row.time <= to && (!market || row.delta.coin === market)) out.funding += d(row.delta.usdc);
  return out;
}
function close(a, b, within = "0.01") {
  return abs(a - b) <= d(within);
}
export async function booked(h, to, seconds = 60) {
  return h.until(
    "booked",
    async () => {
      const r = await h.get("/v1/performance?group_by=market");
      return r.json?.complete_to && Date.parse(r.json.complete_to) >= to ? r.json : null;
    },
    seconds,
  );
}
export function checkPerformance(x, p, say) {
  const to = Date.parse(p.complete_to);
  const total = ledger(x, to);
  if (p.total.fills !== total.fills)
    say(`performance: ${p.total.fills} fills up to ${p.complete_to}, true ${total.fills}`);
  for (const [key, real] of [
    ["volume", total.volume],
    ["fees", total.fees],
    ["builder_fees", total.builder],
    ["funding", total.funding],
  ])
    if (!close(d(p.total[key]), real, "0.000001")) say(`performance: ${key} ${p.total[key]}, true ${plain(real)}`);
  const open = p.positions.reduce((a, r) => a + d(r.unrealized_pnl ?? "0"), 0n);
  const worth = [...total.held].reduce(
    (a, [coin, szi]) =>
      a + times(szi, d(p.positions.find((r) => r.market === coin)?.mark_price ?? plain(x.markets.get(coin).mid))),
    total.flow + total.funding,
  );
  if (!close(d(p.total.net_pnl) + open, worth))
    say(
      `performance: net ${p.total.net_pnl} and open ${plain(open)} make ${plain(d(p.total.net_pnl) + open)}, the account made ${plain(worth)}`,
    );
  for (const line of p.data) {
    const own = ledger(x, to, line.market);
    for (const [key, real] of [
      ["volume", own.volume],
      ["fees", own.fees],
      ["funding", own.funding],
    ])
      if (!close(d(line[key]), real, "0.000001"))
        say(`performance ${line.market}: ${key} ${line[key]}, true ${plain(real)}`);
  }
  for (const [coin, szi] of total.held) {
    const told = p.positions.filter((r) => r.market === coin).reduce((a, r) => a + d(r.size), 0n);
    if (told !== szi) say(`performance: holds ${plain(told)} ${coin}, true ${plain(szi)}`);
  }
}
function odd(x) {
  // Forced ends: a liquidation, a market that is settled, dust that is swept.
  x.skew = -1_800_000;
  for (const [coin, dir, liquidation] of [
    ["BTC", "Liquidated Cross Long", { liquidatedUser: x.owner, markPx: "64000.0", method: "market" }],
    ["xyz:SOL", "Settlement", null],
  ]) {
    const p = x.positions.get(coin);
    if (!p) continue;
    const order = x.make({
      coin,
      side: p.szi > 0n ? "A" : "B",
      px: x.markets.get(coin).mid,
      sz: abs(p.szi),
      tif: "Ioc",
      elsewhere: true,
    });
    x.fill(order, abs(p.szi), x.markets.get(coin).mid, {
      dir,
      crossed: true,
      fee: liquidation ? undefined : 0n,
      ...(liquidation ? { liquidation } : {}),
    });
  }
  const dust = cut(x.spot.get("HYPE")?.total ?? 0n, 2);
  const left = (x.spot.get("HYPE")?.total ?? 0n) - dust;
  if (left > 0n)
    x.fill(x.make({ coin: "@107", side: "A", px: d("40"), sz: left, tif: "Ioc", elsewhere: true }), left, d("40"), {
      dir: "Spot Dust Conversion",
      tid: 0,
      hash: `0x${"0".repeat(64)}`,
      fee: 0n,
    });
  x.skew = 0;
  for (const list of [x.fills, x.funding, x.ledger, x.snaps]) for (const f of list) f.t = 0;
}
async function performance(h, say) {
  await indexed(h);
  const last = Math.max(...h.x.fills.map((f) => f.row.time));
  const p = await booked(h, last, 60);
  if (!p)
    return say(`performance is not booked up to the last fill: ${(await h.get("/v1/performance")).text.slice(0, 300)}`);
  checkPerformance(h.x, p, say);
  if (process.env.STRANGER_DUMP) {
    const byDay = (await h.get("/v1/performance?group_by=day,market")).json;
    for (const l of byDay.data) {
      const real = h.x.fills.filter(
        (f) => f.row.coin === l.market && new Date(f.row.time).toISOString().startsWith(l.day),
      );
      if (real.length !== l.fills)
        h.notes.push(
          `${l.day} ${l.market}: told ${l.fills}, true ${real.length} ${real.map((f) => `${f.row.time} ${f.row.dir} ${f.row.sz} ${f.row.startPosition}`).join("; ")}`,
        );
    }
    h.notes.push(`${p.complete_from} ${p.complete_to} first ${h.x.fills[0].row.time}`);
  }
  const days = (await h.get("/v1/performance?group_by=day,market,key")).json;
  for (const key of ["volume", "fees", "funding", "realized_pnl", "net_pnl"]) {
    const s = days.data.reduce((a, l) => a + d(l[key]), 0n);
    if (!close(s, d(days.total[key]), "0.00000001"))
      say(`performance by day: ${key} sums to ${plain(s)}, total ${days.total[key]}`);
  }
}
async function late(h, say) {
  // One fill is shown by the list half a minute after newer ones of another market, though the stream tells all at once.
  await h.until("first", async () => (await h.get("/v1/fills?limit=1")).json.data.length, 10);
  const x = h.x;
  for (let i = 0; i < 12; i++) {
    const m = near(x, i % 2 ? "BTC" : "ETH");
    x.hand(m.coin, i % 3 ? "B" : "A", plain(size(x, m, 200)), plain(m.mid), { time: x.now() });
    if (i === 5) x.fills[x.fills.length - 1].late = 25_000;
    const status = (await h.get("/v1/status")).json;
    const to = status.fills_complete_to ? Date.parse(status.fills_complete_to) : 0;
    const { rows } = await h.pages("/v1/fills", 50);
    const missing = x.fills.filter((f) => f.row.time <= to && !rows.some((r) => r.id.endsWith(`-${f.row.tid}`)));
    for (const f of missing)
      say(`fills_complete_to ${status.fills_complete_to}, and ${f.row.time} ${f.row.tid} is not listed`);
    await pause(1500);
  }
  await pause(20_000);
  await checkFills(h, say, 11);
  const p = await booked(h, Math.max(...x.fills.map((f) => f.row.time)) - 1, 30);
  if (p) checkPerformance(x, p, say);
  else
    say(
      `performance is not booked: ${(await h.get("/v1/performance")).text.slice(0, 400)}, last fill ${new Date(Math.max(...x.fills.map((f) => f.row.time))).toISOString()}`,
    );
}
function crowd(x) {
  const t = Date.now() - 7_200_000;
  x.cash.set("", d("100000"));
  for (let i = 0; i < 5300; i++) {
    const m = x.markets.get(i % 2 ? "BTC" : "ETH");
    const order = x.make({
      coin: m.coin,
      side: i % 4 < 2 ? "B" : "A",
      px: m.mid,
      sz: d(i % 2 ? "0.00017" : "0.0043"),
      tif: "Ioc",
      elsewhere: true,
    });
    x.fill(order, order.sz, m.mid, { time: t + (i < 1850 ? i : i < 2400 ? 1850 : i), crossed: true, quiet: true });
  }
  for (const f of x.fills) f.t = 0;
  x.snaps = x.snaps.slice(-1);
  x.snaps[0].t = 0;
}
async function crowded(h, say) {
  await h.until(
    "all",
    async () =>
      ((await h.get("/v1/status")).json.fills_complete_to ?? "") >=
      new Date(h.x.fills[h.x.fills.length - 1].row.time).toISOString(),
    40,
  );
  const rows = await checkFills(h, say, 499);
  await checkExport(h, "fills", rows, say, "?market=BTC".slice(0, 0));
}
async function ages(h, say) {
  await indexed(h);
  const first = {
    fills: await checkFills(h, say, 50),
    funding: (await checkFunding(h, say)).rows,
    transfers: (await checkTransfers(h, say)).rows,
  };
  const p = await booked(h, Math.max(...h.x.fills.map((f) => f.row.time)), 50);
  await h.restart();
  await indexed(h, 10);
  const again = {
    fills: await checkFills(h, say, 500),
    funding: (await checkFunding(h, say)).rows,
    transfers: (await checkTransfers(h, say)).rows,
  };
  for (const k of Object.keys(first))
    if (JSON.stringify(first[k]) !== JSON.stringify(again[k])) say(`restart changes ${k}`);
  const q = (await h.get("/v1/performance?group_by=market")).json;
  if (p && q.total && JSON.stringify(p.total) !== JSON.stringify(q.total) && p.complete_to === q.complete_to)
    say(`restart changes performance ${JSON.stringify(p.total)} ${JSON.stringify(q.total)}`);
  const file = join(h.base, "copy.db");
  const back = await run(["backup", file, "--data-dir", h.dir]);
  if (back.code !== 0) return say(`backup: ${back.out}${back.err}`);
  await h.kill("SIGTERM");
  copyFileSync(file, `${file}.keep`);
  h.dir = join(h.base, "again");
  const restored = await run(["restore", file, "--unofficial-exchange", "--data-dir", h.dir]);
  if (restored.code !== 0) return say(`restore: ${restored.out}${restored.err}`);
  for (const [list, rows] of Object.entries(first)) {
    const out = await run(["export", list, "--format", "jsonl", "--data-dir", h.dir]);
    const told = out.out
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((l) => JSON.parse(l));
    if (told.length !== rows.length)
      say(`after the restore export ${list}: ${told.length} rows, there were ${rows.length} ${out.err.slice(0, 300)}`);
    for (const r of told) {
      const was = rows.find((o) => o.id === r.id);
      for (const k of Object.keys(was ?? {}))
        if (k in r && JSON.stringify(was[k]) !== JSON.stringify(r[k]))
          say(`after the restore ${list} ${r.id}: ${k} ${r[k]} was ${was[k]}`);
    }
  }
}
export const scenes = {
  performance: {
    about: "performance to the digit with rebates, builder fees, base fees, liquidation, settlement, dust",
    before: (h) => (live(h.x, { days: 2, trades: 2 }), odd(h.x)),
    play: performance,
  },
  late: {
    about: "a fill that the list shows 25 s late, after newer ones",
    before: (h) => live(h.x, { days: 0.2 }),
    play: late,
  },
  crowded: {
    about: "5,300 fills before the start, 550 of them in one millisecond at the edge of a page",
    before: (h) => crowd(h.x),
    play: crowded,
  },
  ages: {
    about: "kill -9, backup and restore change no digit of the record",
    before: (h) => live(h.x, { days: 1, trades: 2 }),
    play: ages,
  },
};
export { decimal, over };
