// Holds everything that was said against the log of what the exchange did.
import { d, plain, times } from "./decimal.mjs";

const CLOSED = new Set(["filled", "canceled", "rejected"]);
export function legsOf(x, order) {
  const legs = [];
  const cloid = `0x${order.id.replaceAll("-", "")}`;
  let first = [...x.orders.values()].find((o) => o.cloid === cloid && !o.foreign);
  if (!first && order.exchange_order_id) first = x.orders.get(Number(order.exchange_order_id));
  for (let leg = first; leg; leg = x.orders.get(x.replacedBy.get(leg.oid))) legs.push(leg);
  return legs;
}
export function fillsOf(x, legs, t = Infinity) {
  const oids = new Set(legs.map((l) => l.oid));
  return x.fills.filter((f) => oids.has(f.row.oid) && f.t <= t);
}
export function sum(rows) {
  return rows.reduce((a, f) => a + d(f.row.sz), 0n);
}
function statusAt(leg, t) {
  const seen = leg.statuses.filter((s) => s.t <= t);
  return seen.length ? seen[seen.length - 1].status : null;
}
function liveAt(leg, t) {
  return ["open", "triggered"].includes(statusAt(leg, t));
}
function walk(value, found = []) {
  if (Array.isArray(value)) for (const v of value) walk(v, found);
  else if (value && typeof value === "object") {
    if (value.object === "order" && value.id) found.push(value);
    for (const v of Object.values(value)) walk(v, found);
  }
  return found;
}
// One statement about one order; what is wrong with it, or nothing.
function wrongs(x, said, order, slack) {
  const legs = legsOf(x, order);
  const t = said.t1;
  const wrong = [];
  const filled = sum(fillsOf(x, legs, t));
  if (order.filled_size !== null && d(order.filled_size) > filled)
    wrong.push(`filled_size ${order.filled_size}, only ${plain(filled)} was filled`);
  const live = legs.filter((l) => liveAt(l, t));
  const began = said.asOf ? Date.parse(said.asOf) : said.t0;
  const liveBefore = legs.some((l) =>
    l.statuses.some(
      (s, i) =>
        ["open", "triggered", "new"].includes(s.status) &&
        (l.statuses[i + 1]?.t ?? Infinity) > began - slack &&
        s.t <= t,
    ),
  );
  if (order.status === "filled" && (live.length || filled < d(order.size)))
    wrong.push(`filled, but ${plain(filled)} of ${order.size} was, ${live.length} live`);
  if (order.status === "canceled" && live.length) wrong.push(`canceled, but ${live.map((l) => l.oid)} is live`);
  if (order.status === "rejected" && (live.length || filled > 0n))
    wrong.push(`rejected, but ${plain(filled)} was filled and ${live.length} live`);
  if (["open", "waiting_for_trigger"].includes(order.status) && legs.length && !liveBefore)
    wrong.push(
      `${order.status}, but nothing of it was live since ${new Date(began - slack).toISOString()}: ${legs.map((l) => statusAt(l, t))}`,
    );
  if (["open", "waiting_for_trigger", "filled"].includes(order.status) && !legs.length)
    wrong.push(`${order.status}, and the exchange never had it`);
  if (
    CLOSED.has(order.status) &&
    order.filled_size !== null &&
    order.status !== "rejected" &&
    !live.length &&
    d(order.filled_size) < filled
  )
    wrong.push(`ended as ${order.status} with ${order.filled_size}, while ${plain(filled)} was filled`);
  if (order.average_price !== null && filled > 0n && d(order.filled_size ?? "0") === filled) {
    const rows = fillsOf(x, legs, t);
    const value = rows.reduce((a, f) => a + d(f.row.px) * d(f.row.sz), 0n);
    const average = plain((value / filled / 10n ** 4n) * 10n ** 4n);
    if (order.average_price !== average) wrong.push(`average_price ${order.average_price}, it was ${average}`);
  }
  const first = legs[0];
  if (
    first &&
    !first.elsewhere &&
    !["processing", "unknown"].includes(order.status) &&
    (first.coin !== order.market || (first.side === "B") !== (order.side === "buy"))
  )
    wrong.push(`shown as ${order.side} ${order.market}, it is ${first.side} ${first.coin}`);
  return wrong.map(
    (w) =>
      `${said.method} ${said.path} ${said.name ?? ""} at ${new Date(t).toISOString()} order ${order.id}: ${w}; told ${JSON.stringify({ s: order.status, f: order.filled_size, z: order.size, e: order.error })}`,
  );
}
// Replays must be the first settled answer, byte for byte.
function replays(said) {
  const wrong = [];
  const first = new Map();
  for (const s of said) {
    if (!s.name || ![200, 201, 202].includes(s.status)) continue;
    const known = first.get(s.name);
    if (!known || (known.status === 202 && s.status !== 202)) first.set(s.name, s);
    else if (known.status !== 202 && (known.status !== s.status || known.text !== s.text))
      wrong.push(`${s.name}: two settled answers: ${known.status} ${known.text} | ${s.status} ${s.text}`);
  }
  return wrong;
}
export function judge(house, slack = 1500) {
  const { x, said } = house;
  const wrong = replays(said);
  const ends = new Map();
  for (const s of said) {
    if (s.replayed || !s.json) continue;
    for (const order of walk(s.json)) {
      wrong.push(...wrongs(x, s, order, s.method === "EVENT" ? slack + 3000 : slack));
      const way = `${s.method === "EVENT" ? "event" : "answer"} ${order.id}`;
      const before = ends.get(way);
      if (
        before &&
        before.status !== order.status &&
        s.t0 > before.t1 &&
        !(before.status === "rejected" && before.concluded)
      )
        wrong.push(
          `${s.method} ${s.path}: order ${order.id} went from ${before.status} to ${order.status} (${order.error})`,
        );
      if (CLOSED.has(order.status) && !before) ends.set(way, { status: order.status, t1: s.t1 });
    }
    if (s.status === 500 || (s.status === 503 && s.json?.error?.code === "internal_error"))
      wrong.push(`${s.method} ${s.path}: ${s.text}`);
  }
  wrong.push(...doubles(x), ...positions(x, said));
  return [...new Set(wrong)];
}
function doubles(x) {
  const seen = new Map();
  for (const o of x.orders.values()) if (o.cloid && !o.foreign) seen.set(o.cloid, (seen.get(o.cloid) ?? 0) + 1);
  return [...seen].filter(([, n]) => n > 1).map(([c, n]) => `DOUBLE: ${c} ${n} times`);
}
// A size of a position that was never held in the time that it may speak of.
function positions(x, said) {
  const wrong = [];
  for (const s of said) {
    if (s.path?.split("?")[0] !== "/v1/positions" || s.status !== 200 || s.method !== "GET") continue;
    const from = s.asOf ? Date.parse(s.asOf) - 50 : s.t0 - 1050;
    for (const row of s.json.data) {
      const size = d(row.size) * (row.side === "long" ? 1n : -1n);
      const held = x.snaps
        .filter((n, i) => n.t <= s.t1 && (x.snaps[i + 1]?.t ?? Infinity) >= from)
        .map((n) => n.state.positions.get(row.market)?.szi ?? 0n);
      if (!held.includes(size))
        wrong.push(
          `positions at ${new Date(s.t1).toISOString()} as of ${s.asOf}: ${row.market} ${plain(size)}, held ${held.map(plain)}`,
        );
    }
  }
  return wrong;
}
// A new word for an end counts by any list that lacks the order and is read so long after its placing (ARCHITECTURE, "an order whose status word is new").
const NEW_WORD_MS = 150_000;
function mayStillWait(o, atMs) {
  return (
    /has a status that is new to this gateway/.test(o.error ?? "") && atMs < Date.parse(o.created_at) + NEW_WORD_MS
  );
}
export function stuck(house) {
  const last = new Map();
  for (const s of house.said)
    if (s.json && !s.replayed) for (const o of walk(s.json)) last.set(o.id, { o, atMs: s.t1 });
  return [...last.values()]
    .filter(({ o, atMs }) => ["unknown", "processing"].includes(o.status) && !mayStillWait(house, o, atMs))
    .map(({ o }) => o)
    .map((o) => `order ${o.id} is ${o.status} at the end: ${o.error}`);
}
export { times };
