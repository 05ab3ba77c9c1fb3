// Things that the exchange may well do and that no one had asked: many fills in one millisecond, ids beyond what a number holds,
// orders that it makes smaller, chains of modifies whose answers are lost.

import { plain, units } from "./decimals.mjs";
import { pause } from "./gateway.mjs";
import { judgeLists, judgeOrders, judgeRest, truth } from "./judge.mjs";
import { busy } from "./scenes-answers.mjs";
import { settled, world } from "./world.mjs";

async function close(w, ids, ms = 60000) {
  const stop = busy(w);
  const until = Date.now() + ms;
  for (const [id] of ids) await settled(w.gateway, id, Math.max(1000, until - Date.now()));
  stop();
  await pause(3000);
  judgeOrders(w);
  await judgeRest(w, ids);
  await judgeLists(w);
  await w.end();
  return w;
}

/** 2,500 fills of one order in one millisecond, while the stream is cut; a page holds 2,000. */
async function oneMillisecond(binary, count = 2500, heard = false) {
  const w = await world(binary);
  const made = await w.gateway.order({
    market: "BTC",
    side: "buy",
    size: plain(units("0.002") * BigInt(count)),
    price: "50000",
  });
  const order = w.venue.orders.get(BigInt(made.body.exchange_order_id));
  if (!heard) w.door.frameFate = (channel, data) => (["userFills", "user"].includes(channel) ? undefined : data);
  const time = Date.now();
  for (let i = 0; i < count; i++) w.venue.meet(order, units("0.002"), { time });
  w.door.frameFate = (_c, data) => data;
  for (const own of w.door.sockets) own.socket.terminate();
  await pause(60000);
  return close(w, [[made.body.id, "filled in one millisecond"]]);
}

/** Native ids and trade ids beyond 2^53. */
async function bigIds(binary) {
  const w = await world(binary, {
    before: ({ venue }) => {
      venue.nextOid = 9007199254740993n;
      venue.nextTid = 900719925474099n;
    },
  });
  const { gateway, venue } = w;
  const ids = [];
  for (let i = 0; i < 6; i++) {
    const made = await gateway.order({ market: "BTC", side: "buy", size: `0.0${i + 1}`, price: "50000" });
    ids.push([made.body.id, `big ${i}`]);
  }
  const other = venue.elsewhere("BTC", "B", ["49000", "0.5"]);
  await pause(1500);
  await gateway.post(`/v1/orders/${ids[0][0]}/cancel`, {});
  await gateway.post(`/v1/orders/${ids[1][0]}/modify`, { price: "51000" });
  venue.meet(venue.orders.get(9007199254740995n), units("0.01"));
  const got = await gateway.get(`/v1/orders/${other.oid}`);
  if (got.body.exchange_order_id !== String(other.oid))
    w.findings.push({
      severity: "HIGH",
      text: `order of elsewhere ${other.oid}: ${got.status} ${JSON.stringify(got.body)}`,
    });
  const gone = await gateway.post(`/v1/orders/${other.oid}/cancel`, {});
  if (other.v.at(-1).status !== "canceled")
    w.findings.push({ severity: "HIGH", text: `cancel of elsewhere ${gone.status} ${JSON.stringify(gone.body)}` });
  return close(w, ids);
}

/** A reduce-only order that the exchange makes smaller as the position shrinks, and that then is filled. */
async function resized(binary) {
  const w = await world(binary);
  const { gateway, venue } = w;
  await gateway.order({ market: "ETH", side: "buy", size: "1", price: "3100", time_in_force: "ioc" });
  const made = await gateway.order({ market: "ETH", side: "sell", size: "1", price: "3200", reduce_only: true });
  const order = venue.orders.get(BigInt(made.body.exchange_order_id));
  venue.elsewhere("ETH", "A", ["2900", "0.6"], { tif: "Ioc" });
  order.v.push({ t: venue.now(), status: "open", sz: units("0.4"), quiet: true });
  venue.heard("open", {});
  await pause(3000);
  const open = (await gateway.get(`/v1/orders/${made.body.id}`)).body;
  if (open.status !== "open" || open.filled_size !== "0")
    w.findings.push({
      severity: "HIGH",
      text: `made smaller: ${open.status} filled ${open.filled_size} of ${open.size}`,
    });
  const list = (await gateway.get("/v1/orders?status=open")).body.data.find((o) => o.id === made.body.id);
  if (list?.filled_size !== "0")
    w.findings.push({ severity: "HIGH", text: `made smaller, in the list: ${JSON.stringify(list)}` });
  const changed = await gateway.post(`/v1/orders/${made.body.id}/modify`, { price: "3300" });
  const next = venue.live().find((o) => o.reduceOnly);
  if (changed.body.size !== "1" && changed.body.size !== "0.4")
    w.findings.push({
      severity: "LOW",
      text: `after a modify its size is ${changed.body.size}; at the exchange ${next?.origSz}`,
    });
  if (next) venue.meet(next, units("0.4"));
  if (next && next.v.at(-1).status === "open") venue.set(next, "filled", venue.now(), 0n);
  await pause(9000);
  const end = (await gateway.get(`/v1/orders/${made.body.id}`)).body;
  if (end.filled_size !== "0.4" || !["filled", "canceled"].includes(end.status))
    w.findings.push({ severity: "HIGH", text: `end ${end.status} ${end.filled_size} of ${end.size} (${end.error})` });
  await judgeLists(w);
  await w.end();
  return w;
}

/** Eight modifies of one order, one after the other; every second answer is lost, and something is filled in between. */
async function chain(binary, always) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  const made = await gateway.order({ market: "BTC", side: "buy", size: "0.08", price: "50000" });
  let n = 0;
  door.actionFate = (action) => {
    if (action.type !== "batchModify") return undefined;
    n += 1;
    if (n % 4 === 1) return { answer: () => ({ how: "reset" }) };
    if (n % 4 === 3) return { never: true, answer: () => ({ status: 502, body: "<html>", type: "text/html" }) };
    return undefined;
  };
  const stop = busy(w);
  for (let i = 0; i < 8; i++) {
    await gateway.post(`/v1/orders/${made.body.id}/modify`, {
      price: String(50100 + i * 10),
      ...(always ? { always_place: true } : {}),
    });
    const alive = venue.live().find((o) => o.coin === "BTC");
    if (alive) venue.meet(alive, units("0.003"));
    await pause(700);
  }
  stop();
  door.actionFate = () => undefined;
  const was = truth(venue, made.body.id);
  const total = venue
    .live()
    .filter((o) => o.coin === "BTC")
    .reduce((sum, o) => sum + o.v.at(-1).sz, was.filled);
  if (total > units("0.08")) w.findings.push({ severity: "CRITICAL", text: `may fill ${plain(total)} of 0.08` });
  return close(w, [[made.body.id, "chain"]]);
}

/** A cancel while a modify is on its way, which arrives late; with and without always_place. */
async function cancelDuring(binary) {
  const w = await world(binary);
  const { gateway, door } = w;
  const ids = [];
  let n = 0;
  door.actionFate = (action) =>
    action.type === "batchModify"
      ? { lateMs: [300, 2000, 5000, 9000][n++ % 4], answer: () => ({ how: ["hang", "reset"][n % 2] }) }
      : undefined;
  const jobs = [];
  for (let i = 0; i < 8; i++) {
    const made = await gateway.order({ market: "BTC", side: "buy", size: `0.02${i + 1}`, price: "50000" });
    ids.push([made.body.id, `cancel during modify ${i}`]);
    jobs.push(
      gateway.post(`/v1/orders/${made.body.id}/modify`, { price: "50500", ...(i % 2 ? { always_place: true } : {}) }),
    );
    await pause(150);
    jobs.push(gateway.post(`/v1/orders/${made.body.id}/cancel`, {}));
  }
  await Promise.all(jobs);
  const done = await close(w, ids, 80000);
  for (const o of w.venue.live())
    if (o.coin === "BTC")
      w.findings.push({ severity: "CRITICAL", text: `${o.oid} ${o.origSz} is open after its cancel` });
  return done;
}

/** Cancel-all beside placing: what was placed before its answer is gone, what came later stands. */
async function allBeside(binary) {
  const w = await world(binary);
  const { gateway, door } = w;
  const ids = [];
  let n = 0;
  door.actionFate = (action) =>
    action.type === "order" && n++ % 3 === 0 ? { lateMs: 1500, answer: () => ({ how: "reset" }) } : undefined;
  const jobs = [];
  for (let i = 0; i < 12; i++) {
    jobs.push(
      gateway
        .order({ market: "BTC", side: "buy", size: `0.0${11 + i}`, price: "50000" })
        .then((r) => r.body.id && ids.push([r.body.id, `beside ${i}`])),
    );
    if (i === 6) jobs.push(gateway.post("/v1/orders/cancel-all", { account: gateway.account, market: "BTC" }));
    await pause(60);
  }
  const rows = await Promise.all(jobs);
  const all = rows.find((r) => r?.body?.object === "cancel_all" || r?.path?.includes("cancel-all"));
  await pause(25000);
  const last = await gateway.get(`/v1/cancel-alls/${all.body.id}`);
  for (const o of last.body.results ?? [])
    if (o.id && truth(w.venue, o.id).live)
      w.findings.push({
        severity: "CRITICAL",
        text: `cancel-all ${last.body.status} and ${o.id.slice(-6)} is open: ${JSON.stringify(o)}`,
      });
  w.findings.push(
    ...(last.body.status !== "done" ? [{ severity: "MEDIUM", text: "cancel-all not done after 25 s" }] : []),
  );
  return close(w, ids);
}

export const scenes = {
  oneMillisecond,
  oneMillisecondExactly: (b) => oneMillisecond(b, 2000),
  bigIds,
  resized,
  chain: (b) => chain(b, false),
  chainAlways: (b) => chain(b, true),
  cancelDuring,
  allBeside,
};
