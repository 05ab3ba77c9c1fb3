// What was told of orders, held against what was true when it was told, and once more when all is calm.
import { over, plain, times, units } from "./decimals.mjs";
import { at } from "./venue.mjs";

const ENDED = ["filled", "canceled", "rejected"];

function hex(id) {
  return `0x${id.replaceAll("-", "")}`;
}

/** The orders at the exchange that are this order: the one of its cloid, and what replaced it. */
export function legs(venue, id) {
  const found = [...venue.orders.values()].filter((o) => o.cloid === hex(id));
  for (const leg of found) {
    const next = leg.replacedBy && venue.orders.get(leg.replacedBy);
    if (next && !found.includes(next)) found.push(next);
  }
  return found;
}

export function truth(venue, id, t = Number.POSITIVE_INFINITY) {
  const mine = legs(venue, id).filter((o) => o.timestamp <= t);
  const fills = venue.fills.filter((f) => mine.some((o) => o.oid === f.oid) && f.time <= t);
  const filled = fills.reduce((sum, f) => sum + units(f.sz), 0n);
  const value = fills.reduce((sum, f) => sum + times(units(f.sz), units(f.px)), 0n);
  const states = mine.map((o) => at(o.v, t)?.status ?? "open");
  const live = states.some((s) => ["open", "triggered"].includes(s));
  const last = states.at(-1);
  const refused = mine.length === 1 && /Rejected$/.test(last);
  const status =
    mine.length === 0 ? "never" : live ? "open" : refused ? "rejected" : last === "filled" ? "filled" : "canceled";
  return {
    exists: mine.length > 0,
    live,
    status,
    filled,
    average: filled === 0n ? null : over(value, filled),
    oids: mine.map((o) => o.oid),
    firstFill: fills[0]?.time,
  };
}

function orders(gateway) {
  const rows = [];
  const take = (body, t, asked, how) => {
    if (body?.object === "order" && body.status) rows.push({ t, asked, how, order: body });
    for (const inner of Array.isArray(body?.data) ? body.data : []) take(inner, t, asked, how);
    for (const inner of Array.isArray(body?.orders) ? body.orders : []) take(inner, t, asked, how);
  };
  for (const told of gateway.told)
    if (told.status < 300)
      take(told.body, told.t, told.asked, `${told.method} ${told.path}${told.replayed ? " (replay)" : ""}`);
  for (const event of gateway.events) take(event.body.data, event.t, event.t, `event ${event.type}`);
  return rows.sort((a, b) => a.t - b.t);
}

function check(venue, row, before, find) {
  const { order, t, how } = row;
  if (order.id[14] === "8") return;
  const was = truth(venue, order.id, t + venue.ahead);
  const ever = truth(venue, order.id);
  const filled = order.filled_size === null ? null : units(order.filled_size);
  const say = (severity, text) =>
    find(
      severity,
      `${how} at ${new Date(t).toISOString().slice(14, 23)}: ${order.id.slice(-6)} ${order.side} ${order.size} ${order.market}: ${text}`,
    );
  if (filled !== null && filled > was.filled) say("CRITICAL", `filled ${order.filled_size}, true ${plain(was.filled)}`);
  if (ENDED.includes(order.status) && was.live) say("HIGH", `told ${order.status} (${order.error}), and it was open`);
  if (order.status === "rejected" && ever.exists && ever.status !== "rejected")
    say("HIGH", `told rejected (${order.error}), truth ${ever.status} ${plain(ever.filled)}`);
  if (["open", "filled", "waiting_for_trigger"].includes(order.status) && !was.exists)
    say("HIGH", `told ${order.status}, and it was not there`);
  if (order.status === "filled" && was.status !== "filled") say("HIGH", `told filled, truth ${was.status}`);
  if (order.status === "canceled" && was.status === "filled" && was.filled === units(order.size))
    say("HIGH", "told canceled, and it was filled whole");
  if (before && ENDED.includes(before.status) && before.status !== order.status)
    say("HIGH", `was ${before.status}, now ${order.status}`);
  if (before?.filled_size && filled !== null && filled < units(before.filled_size))
    say("MEDIUM", `filled ${before.filled_size} before, now ${order.filled_size}`);
  if (
    order.average_price !== null &&
    filled === ever.filled &&
    ever.average !== null &&
    units(order.average_price) !== ever.average
  )
    say("MEDIUM", `average ${order.average_price}, true ${plain(ever.average)}`);
  if (filled !== null && filled > 0n && order.average_price === null) say("LOW", "filled without an average price");
}

/** Everything that was ever told of orders. */
export function judgeOrders(world) {
  const { venue, gateway, findings } = world;
  const before = new Map();
  for (const row of orders(gateway)) {
    // A replay is allowed to say what it said first.
    const find = (severity, text) => findings.push({ severity, text });
    check(
      venue,
      row,
      row.how.includes("replay") || row.how.startsWith("event") ? undefined : before.get(row.order.id),
      find,
    );
    if (!row.how.includes("replay")) before.set(row.order.id, row.order);
  }
}

/** Asked once more where it is not known or moves, because a cancel that was armed may act in between. */
async function twice(venue, gateway, id) {
  const before = truth(venue, id);
  const row = await gateway.get(`/v1/orders/${id}`);
  if (row.body.status !== "unknown" && truth(venue, id).status === before.status && row.body.status === before.status)
    return row;
  await new Promise((done) => setTimeout(done, 8000));
  return gateway.get(`/v1/orders/${id}`);
}

/** What stands at the end, when all servers have agreed for long. */
export async function judgeRest(world, ids) {
  const { venue, gateway, findings } = world;
  for (const [id, label] of ids) {
    const row = await twice(venue, gateway, id);
    const order = row.body;
    const was = truth(venue, id);
    const say = (severity, text) => findings.push({ severity, text: `at rest ${label} (${id.slice(-6)}): ${text}` });
    if (row.status > 202) say("HIGH", `HTTP ${row.status} ${JSON.stringify(order)}`);
    else if (["unknown", "processing"].includes(order.status)) say("MEDIUM", `${order.status}, truth ${was.status}`);
    else if (
      was.status === "never"
        ? order.status !== "rejected"
        : was.status === "open"
          ? !["open", "waiting_for_trigger"].includes(order.status)
          : order.status !== was.status &&
            !(order.status === "canceled" && was.filled > 0n && was.filled < units(order.size))
    )
      say("HIGH", `told ${order.status} (${order.error}), truth ${was.status} ${plain(was.filled)}`);
    if (order.filled_size !== null && order.filled_size !== undefined && units(order.filled_size) !== was.filled)
      say("HIGH", `filled ${order.filled_size}, true ${plain(was.filled)}`);
    if (was.average !== null && order.average_price !== plain(was.average))
      say("MEDIUM", `average ${order.average_price}, true ${plain(was.average)}`);
    if (was.oids.length > 0 && order.exchange_order_id !== String(was.oids.at(-1)) && was.status !== "rejected")
      say("LOW", `exchange id ${order.exchange_order_id}, true ${was.oids.at(-1)} of ${was.oids.length}`);
  }
}

/** Positions, fills and the open list at rest. */
export async function judgeLists(world) {
  const { venue, gateway, findings } = world;
  const say = (severity, text) => findings.push({ severity, text: `at rest: ${text}` });
  const positions = (await gateway.get("/v1/positions?limit=500")).body.data ?? [];
  for (const coin of Object.keys(venue.markets)) {
    const told = positions.find((p) => p.market === coin);
    const size = told ? units(told.size) * (told.side === "short" ? -1n : 1n) : 0n;
    const was = venue.markets[coin].spot === undefined ? venue.position(coin).szi : 0n;
    if (size !== was) say("HIGH", `position ${coin} ${plain(size)}, true ${plain(was)}`);
    else if (told && told.entry_price !== plain(venue.position(coin).entry))
      say("LOW", `entry ${coin} ${told.entry_price}, true ${plain(venue.position(coin).entry)}`);
  }
  const open = (await gateway.get("/v1/orders?status=open&limit=500")).body.data ?? [];
  const told = new Set(open.map((o) => o.exchange_order_id));
  for (const o of venue.live())
    if (!told.has(String(o.oid))) say("HIGH", `open list lacks ${o.oid} ${o.coin} ${o.origSz}`);
  for (const o of open)
    if (!venue.live().some((l) => String(l.oid) === o.exchange_order_id))
      say("HIGH", `open list has ${o.exchange_order_id}, which is closed`);
  const fills = [];
  for (let cursor = ""; ; ) {
    const page = await gateway.get(`/v1/fills?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    fills.push(...(page.body.data ?? []));
    if (!page.body.has_more) break;
    cursor = page.body.next_cursor;
  }
  const ids = new Set(fills.map((f) => f.id));
  if (ids.size !== fills.length) say("HIGH", `a fill is told twice: ${fills.length} rows, ${ids.size} ids`);
  if (fills.length !== venue.fills.length) say("HIGH", `${fills.length} fills, true ${venue.fills.length}`);
  const sum = (rows, f) => rows.reduce((s, r) => s + units(f(r)), 0n);
  if (sum(fills, (f) => f.fee) !== sum(venue.fills, (f) => f.fee))
    say("HIGH", `fees ${plain(sum(fills, (f) => f.fee))}, true ${plain(sum(venue.fills, (f) => f.fee))}`);
}

export function report(name, world) {
  const seen = new Map();
  for (const f of world.findings) {
    const key = `${f.severity} ${f.text}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  console.log(`${name}: ${seen.size === 0 ? "nothing" : `${seen.size} findings`}`);
  for (const [text, count] of seen) console.log(`  ${text}${count > 1 ? ` (${count} times)` : ""}`);
  const strange = world.venue.log.filter((l) => l.what.startsWith("unknown"));
  if (strange.length > 0) console.log("  harness:", JSON.stringify(strange.slice(0, 5)));
  return [...seen.keys()].some((k) => /^(CRITICAL|HIGH)/.test(k)) ? 1 : 0;
}
