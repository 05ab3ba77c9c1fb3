// Modifies, while every server answers differently.
import { pause, until } from "./gateway.mjs";
import { tidy } from "./ledger.mjs";

export async function rest(stage, fields = {}) {
  const said = await stage.gateway.order({ market: "BTC", side: "buy", size: "0.01", price: "59000", ...fields });
  if (said.status !== 201) throw new Error(`not placed: ${said.status} ${JSON.stringify(said.json)}`);
  const root = Number(said.json.exchange_order_id);
  stage.judge.roots.set(said.json.id, root);
  return { id: said.json.id, root, leg: stage.ledger.orders.get(root), said };
}
export async function watch(stage, ids, ms, step = 1000) {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    for (const id of ids) await stage.gateway.get(`/v1/orders/${id}`);
    await pause(step);
  }
}
export function legsText(stage) {
  return [...stage.ledger.orders.values()]
    .map(
      (o) =>
        `${o.oid % 100000}:${o.status}:${o.filled}/${o.origSz}@${o.limitPx}${o.replaces ? `(for ${o.replaces % 100000}${o.wasGone ? ", gone" : ""})` : ""}`,
    )
    .join("  ");
}

// The record store alone says of one order what is not so, always or by every second server.
export function lieOf(oid, status, share, roll) {
  return (body, answer) => {
    if (body.type !== "orderStatus" || answer.status !== "order" || answer.order.order.oid !== oid || roll() > share)
      return undefined;
    if (status === "unknownOid") return { status };
    const sz = status === "filled" ? "0.0" : answer.order.order.sz;
    return { status: "order", order: { ...answer.order, order: { ...answer.order.order, sz }, status } };
  };
}

export function spoilFeed(stage, how) {
  const { faults, exchange } = stage;
  if (how === "down") {
    faults.feedIsUp = false;
    exchange.cutFeeds();
  }
  if (how === "late") faults.feedLag = 4000;
  if (how === "orders mute") faults.mute.add("orderUpdates");
  if (how === "fills mute") for (const c of ["userFills", "userEvents"]) faults.mute.add(c);
}
export function mend(stage) {
  const { faults } = stage;
  faults.feedIsUp = true;
  faults.feedLag = 0;
  faults.mute.clear();
  faults.lag = {};
  faults.info = null;
  faults.exchange = null;
}

// What is told once all servers are whole again has to be the truth, within `ms`.
export async function settle(stage, ids, ms) {
  const { gateway, judge, ledger } = stage;
  const began = Date.now();
  const bad = async () => {
    const wrong = [];
    const shown = new Set();
    for (const id of ids) {
      const said = await gateway.get(`/v1/orders/${id}`);
      const o = said.json;
      if (o.status === "unknown" || o.status === "processing") wrong.push(`${id.slice(0, 8)} ${o.status}: ${o.error}`);
      for (const leg of ledger.orders.values()) if (String(leg.oid) === o.exchange_order_id) shown.add(leg.oid);
    }
    const list = await gateway.get("/v1/orders?status=open");
    if (list.status !== 200)
      wrong.push(`list ${list.status} retry ${list.retryAfter} feeds ${stage.exchange.connections.size}`);
    const listed = (list.json.data ?? []).map((o) => Number(o.exchange_order_id));
    for (const leg of ledger.orders.values()) {
      if (list.status !== 200) break;
      const isLive = ledger.isLiveAt(leg, Date.now());
      if (isLive && !listed.includes(leg.oid)) wrong.push(`leg ${leg.oid} rests and is not listed`);
      if (!isLive && listed.includes(leg.oid)) wrong.push(`leg ${leg.oid} is listed and does not rest`);
    }
    stage.wrong = wrong;
    const line = wrong.join("; ");
    if (line && line !== stage.lastWrong) stage.notes.push(`+${Date.now() - began} ms: ${line}`);
    stage.lastWrong = line;
    return wrong.length === 0;
  };
  const isDone = await until(bad, ms, 2000);
  if (!isDone) for (const w of stage.wrong) judge.fail(`STUCK after ${ms} ms of health: ${w}`);
  else stage.notes.push(`settled ${Date.now() - began} ms after health`);
}

function drawAnswer(stage, kind) {
  const once = (fault) => {
    let isSpent = false;
    stage.faults.exchange = (action) => {
      if (isSpent || (action.type !== "batchModify" && action.type !== "modify")) return {};
      isSpent = true;
      return fault;
    };
  };
  const table = {
    lost: { lost: true },
    hang: { hang: true },
    swallowed: { swallow: true },
    late: { late: 5000, hang: true },
    html: { html: true },
    ok: {},
    slow: { delay: 3000 },
  };
  return (extra = {}) => once({ ...table[kind], ...extra });
}

export async function story(stage, id) {
  const { json } = await stage.gateway.get(`/v1/orders/${id}/story`);
  const steps = (json.steps ?? []).map((s) => `${s.at.slice(14, 23)} ${s.what}: ${s.detail}`);
  return [...steps, JSON.stringify(json.legs), JSON.stringify((json.attempts ?? []).at(-1))].join("\n      ");
}

async function turn(stage, shape) {
  const { pick, roll, ledger, gateway, faults } = stage;
  const lie = shape.lie ?? pick(["canceled", "filled", "rejected", "unknownOid", "marginCanceled"]);
  const feed = shape.feed ?? pick(["up", "down", "late", "orders mute", "fills mute"]);
  const answer = shape.answer ?? pick(["lost", "hang", "swallowed", "late", "html", "ok", "slow"]);
  const between = shape.between ?? pick(["nothing", "part", "whole", "whole later"]);
  const share = pick([1, 0.5]);
  const o = await rest(stage, shape.order);
  if (shape.isPart ?? roll() < 0.6) ledger.fill(o.leg, tidy(o.leg.origSz * 0.4));
  if (shape.order?.trigger === undefined) await pause(1200);
  for (const store of ["history", "open", "fills", "state"])
    faults.lag[store] = pick(shape.lags ?? [0, 0, 1000, 8000, () => (roll() < 0.5 ? 0 : 5000)]);
  if (lie !== "none") faults.info = lieOf(o.root, lie, share, roll);
  spoilFeed(stage, feed);
  const lags = JSON.stringify(
    Object.fromEntries(Object.entries(faults.lag).map(([k, v]) => [k, typeof v === "function" ? "0|5000" : v])),
  );
  stage.notes.push(`record says ${lie} (${share}), feed ${feed}, answer ${answer}, between: ${between}, lags ${lags}`);
  const hit = (part) => () => {
    if (o.leg.status === "open")
      ledger.fill(
        o.leg,
        part === "part" ? tidy(o.leg.sz / 2) : o.leg.sz,
        o.leg.trigger ? o.leg.trigger.px : o.leg.limitPx,
      );
  };
  drawAnswer(stage, answer)(between === "part" || between === "whole" ? { before: hit(between) } : {});
  if (between === "whole later") setTimeout(hit("whole"), 2500);
  const name = `turn-${Date.now()}`;
  const said = await gateway.post(`/v1/orders/${o.id}/modify`, shape.change, { name });
  stage.notes.push(`placed as ${o.id}`);
  stage.notes.push(`told ${said.status} after ${said.t1 - said.t0}: ${JSON.stringify(said.json)}`);
  const ids = new Set([o.id]);
  if (said.json.id) ids.add(said.json.id);
  await watch(stage, [...ids], 10_000);
  const again = await gateway.post(`/v1/orders/${o.id}/modify`, shape.change, { name });
  if (again.json.id) ids.add(again.json.id);
  mend(stage);
  await settle(stage, ids, shape.bound ?? 40_000);
  const last = await gateway.post(`/v1/orders/${o.id}/modify`, shape.change, { name });
  stage.notes.push(`replay at the end ${last.status}: ${JSON.stringify(last.json)}`, legsText(stage));
  for (const id of ids) stage.notes.push(`story ${id.slice(0, 13)}: ${await story(stage, id)}`);
  const made = [...ledger.orders.values()].filter((one) => one.replaces);
  const placed = ledger.actions.filter((a) => a.action.type === "order").length;
  if (placed > 1) stage.judge.fail(`an order action more was signed: ${placed}`);
  if (made.length > 1) stage.notes.push(`replacements: ${made.length}`);
  const asked = Number(shape.change.size ?? 0);
  const live = [...ledger.orders.values()].filter((one) => ledger.isLiveAt(one, Date.now()));
  if (live.length > 1) stage.judge.fail(`two orders rest: ${legsText(stage)}`);
  stage.asked = asked;
}

const STOP = {
  side: "sell",
  size: "0.01",
  price: "56000",
  reduce_only: true,
  trigger: { kind: "stop_loss", price: "58000", market: true },
};
const MOVED = { price: "55000", trigger: { kind: "stop_loss", price: "57000", market: true }, always_place: true };

async function hold(stage, size = "0.02") {
  const said = await stage.gateway.order({ market: "BTC", side: "buy", size, price: "61000", time_in_force: "ioc" });
  if (said.json.status !== "filled") throw new Error(`not held: ${JSON.stringify(said.json)}`);
}
async function triggers(stage, shape) {
  await hold(stage);
  stage.ledger.actions.length = 0;
  await turn(stage, { order: STOP, change: MOVED, isPart: false, ...shape });
}

export const scenes = {
  "always-place": (stage) => turn(stage, { change: { price: "59100", always_place: true } }),
  "always-place-lost": (stage) =>
    turn(stage, { change: { price: "59100", always_place: true }, answer: "lost", between: "nothing", isPart: true }),
  "always-place-swallowed": (stage) =>
    turn(stage, {
      change: { price: "59100", always_place: true },
      answer: "swallowed",
      between: "nothing",
      isPart: true,
    }),
  "always-place-late": (stage) =>
    turn(stage, {
      change: { price: "59100", always_place: true },
      answer: "late",
      between: "nothing",
      isPart: true,
      feed: "up",
      lie: "none",
      lags: [0],
    }),
  "always-place-whole": (stage) =>
    turn(stage, { change: { price: "59100", always_place: true }, between: "whole", isPart: true }),
  "default-modify": (stage) => turn(stage, { change: { price: "59100" } }),
  "size-modify": (stage) => turn(stage, { change: { price: "59100", size: "0.02" } }),
  "trigger-modify": (stage) => triggers(stage, {}),
  "trigger-modify-lost": (stage) => triggers(stage, { answer: "lost" }),
  "trigger-fires-between": (stage) => triggers(stage, { between: "whole" }),
};
