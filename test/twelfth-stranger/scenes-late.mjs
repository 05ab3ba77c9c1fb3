// What the exchange shows late, out of its order: single fills, single orders, ends of TWAPs whose answers were lost.
import { plain, units } from "./decimals.mjs";
import { endTwap, slice, startTwap } from "./deeds.mjs";
import { pause } from "./gateway.mjs";
import { judgeLists, judgeOrders, judgeRest } from "./judge.mjs";
import { busy } from "./scenes-answers.mjs";
import * as views from "./views.mjs";
import { operated, world } from "./world.mjs";

/** Three fills that neither stream nor list shows for half a minute, one and a half, and three; newer ones are shown at once. */
async function fillsLate(binary) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  const hidden = new Map();
  const visible = (f) => (hidden.get(f) ?? 0) <= Date.now();
  const shown = (rows) => rows.filter(visible);
  const made = await gateway.order({ market: "BTC", side: "buy", size: "0.05", price: "50000" });
  const order = venue.orders.get(BigInt(made.body.exchange_order_id));
  const right = door.info.bind(door);
  door.info = (body) => {
    const answer = right(body);
    return ["userFills", "userFillsByTime"].includes(body.type) ? shown(answer) : answer;
  };
  door.frameFate = (c, d) =>
    c === "userFills" && !d.isSnapshot && !d.fills.every(visible) ? undefined : c === "user" ? undefined : d;
  const heard = venue.heard;
  const hide = (ms, what) => {
    venue.heard = (kind, data) => {
      if (kind === "fill") hidden.set(data.fill, Date.now() + ms);
      heard(kind, data);
    };
    what();
    venue.heard = heard;
  };
  hide(30000, () => venue.meet(order, units("0.01")));
  hide(90000, () => venue.elsewhere("ETH", "B", ["3100", "0.11"], { tif: "Ioc" }));
  hide(180000, () => venue.elsewhere("SOL", "B", ["160", "1.5"], { tif: "Ioc" }));
  const stop = setInterval(() => venue.elsewhere("ETH", "B", ["3100", "0.02"], { tif: "Ioc" }), 2500);
  for (let i = 0; i < 20; i++) {
    const row = await gateway.get("/v1/fills?limit=500");
    const told = new Set(row.body.data.map((f) => f.id));
    for (const f of venue.fills)
      if (
        visible(f) &&
        Date.parse(row.asOf) - 20000 > Math.max(f.time, hidden.get(f) ?? 0) &&
        !told.has(`${f.time}-${f.coin}-${f.tid}`)
      )
        w.findings.push({
          severity: "HIGH",
          text: `fills as of ${row.asOf} lack ${f.coin} ${f.sz}, shown by the exchange ${Date.now() - Math.max(f.time, hidden.get(f) ?? 0)} ms ago`,
        });
    await pause(10000);
  }
  clearInterval(stop);
  await pause(15000);
  judgeOrders(w);
  await judgeRest(w, [[made.body.id, "a fill shown late"]]);
  await judgeLists(w);
  await w.end();
  return w;
}

/** Cancels of TWAPs whose answers are lost, carried out and not, and of ones that end by themselves meanwhile. */
async function twapCancels(binary) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  const rows = [];
  for (let i = 0; i < 6; i++)
    rows.push(startTwap(venue, { a: 1, b: true, s: `${i + 1}`, r: false, m: 30, t: false }, venue.now()));
  await pause(2000);
  let n = 0;
  door.actionFate = (action) =>
    action.type === "twapCancel"
      ? [
          { answer: () => ({ how: "reset" }) },
          { never: true, answer: () => ({ how: "reset" }) },
          { lateMs: 6000, answer: () => ({ how: "hang" }) },
          { never: true, answer: () => ({ status: 429, body: "null" }) },
          { answer: (r) => ({ body: JSON.stringify(r).slice(0, -4) }) },
          {
            never: true,
            answer: () => ({ body: '{"status":"ok","response":{"type":"twapCancel","data":{"status":null}}}' }),
          },
        ][n++]
      : undefined;
  door.lags = { twaps: 5000 };
  const ids = [];
  for (const [i, row] of rows.entries()) {
    const done = gateway.post("/v1/twaps/cancel", { market: "ETH", twap_id: row.id });
    if (i === 3) setTimeout(() => endTwap(venue, row, "finished"), 300);
    if (i === 1) setTimeout(() => slice(venue, row, "0.3", "3001"), 300);
    ids.push((await done).body.id);
    await pause(900);
  }
  const stop = busy(w);
  await pause(20000);
  door.lags = {};
  const until = Date.now() + 60000;
  const list = (await gateway.get("/v1/twaps?limit=100")).body.data;
  for (const [i, id] of ids.entries()) {
    const { body } = await operated(gateway, id, Math.max(1000, until - Date.now()));
    const state = rows[i].v.at(-1).status.status;
    const right = state === "terminated" ? "succeeded" : "rejected";
    const told = list.find((t) => t.exchange_id === String(rows[i].id));
    console.log("  ", i, state, body.status, body.error, told?.status, told?.filled_size);
    if (body.status === "unknown")
      w.findings.push({ severity: "MEDIUM", text: `cancel of TWAP ${i}: unknown (${body.error}), true ${right}` });
    else if (body.status !== right)
      w.findings.push({
        severity: "HIGH",
        text: `cancel of TWAP ${i}: ${body.status} (${body.error}), the TWAP is ${state}`,
      });
    if ((told?.status === "running") !== (state === "activated"))
      w.findings.push({ severity: "HIGH", text: `TWAP ${i} told ${told?.status}, true ${state}` });
    if (told && told.filled_size !== plain(rows[i].executed.at(-1).sz))
      w.findings.push({
        severity: "HIGH",
        text: `TWAP ${i} filled ${told.filled_size}, true ${plain(rows[i].executed.at(-1).sz)}`,
      });
  }
  stop();
  await w.end();
  return w;
}

/** The gateway was down while 2,600 fills came; the list gives the newest 2,000 of a range, and not the oldest. */
async function newestFirst(binary) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  await pause(6000);
  await gateway.kill();
  const order = venue.elsewhere("BTC", "B", ["50000", "26"]);
  const began = Date.now() - 2700;
  for (let i = 0; i < 2600; i++) venue.meet(order, units("0.01"), { time: began + i });
  const right = door.info.bind(door);
  door.info = (body) =>
    body.type === "userFillsByTime"
      ? views
          .fillsByTime(venue, venue.now(), [Number(body.startTime), body.endTime && Number(body.endTime)], {
            limit: 1e9,
          })
          .slice(-2000)
      : right(body);
  await gateway.start();
  gateway.listen();
  await pause(60000);
  await judgeLists(w);
  const row = await gateway.get("/v1/fills?limit=1");
  w.findings = w.findings.map((f) => ({ severity: "LOW", text: `${f.text} (as of ${row.asOf})` }));
  await w.end();
  return w;
}

export const scenes = { fillsLate, twapCancels, newestFirst };
