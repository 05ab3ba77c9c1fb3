// Compares everything that was told with the log. `hard` is false or a broken promise; `allowed` is what the documents let pass.

import { judgeWholes } from "./judge-wholes.mjs";
import { LogReader, same } from "./log-reader.mjs";

const ENDS = new Set(["filled", "canceled", "rejected"]);
const RESTING = new Set(["open", "waiting_for_trigger"]);
// What is told of something that lives may be so old, and is not held to be false.
const FRESH_MS = 12_000;

export function judge(world, { stories = new Map(), isSettled = true } = {}) {
  const findings = [];
  const log = new LogReader(world.engine);
  const say = (level, rule, told, facts) =>
    findings.push({
      level,
      rule,
      atMs: told?.at === undefined ? null : told.at - world.begunAt,
      told: told?.what ?? null,
      facts,
    });
  const context = { world, log, stories, isSettled, say, statements: statementsOf(world.tape.told) };
  judgeCloids(context);
  for (const statement of context.statements) if (statement.what.object === "order") judgeOrder(statement, context);
  judgeEnds(context);
  judgeStream(context);
  judgeFills(context);
  judgePositions(context);
  judgePositionEvents(context);
  judgeSpot(context);
  judgeWholes(context);
  return findings;
}

// Whatever was told of a thing, with the moment. A replay repeats words of before, so its moment says nothing.
function statementsOf(told) {
  const found = [];
  for (const row of told) {
    if (row.kind === "answer" && (row.status < 200 || row.status >= 300)) continue;
    const root = row.kind === "event" ? row.data?.data : row.answer;
    visit(root, (what) =>
      found.push({
        what,
        at: row.at,
        from: row.kind === "event" ? row.at : row.sentAt,
        row,
        isReplay: row.isReplay === true,
        source: row.kind === "event" ? `event ${row.type}` : `${row.method} ${row.route}`,
      }),
    );
  }
  return found;
}

function visit(value, each) {
  if (value === null || typeof value !== "object") return;
  if (typeof value.object === "string") each(value);
  for (const part of Object.values(value)) visit(part, each);
}

function judgeCloids({ log, say }) {
  for (const [cloid, orders] of log.byCloid)
    if (orders.length > 1)
      say("hard", "one client order id was executed twice", null, { cloid, oids: orders.map(({ oid }) => oid) });
}

function judgeOrder({ what: order, at, isReplay, source, row }, { log, stories, say }) {
  const legs = log.legs(order.id, stories);
  const told = { at, what: { source, ...pick(order) } };
  if (legs.length === 0) {
    if (RESTING.has(order.status) || order.status === "filled")
      say(order.exchange_order_id ? "note" : "hard", "an order is told to stand that the exchange never had", told, {});
    return;
  }
  const before = log.filled(legs, at);
  const ever = log.filled(legs);
  if (order.filled_size !== null && Number(order.filled_size) > before + 1e-9)
    say("hard", "more is told to be filled than was", told, { filled: before });
  if (
    order.status === "filled" &&
    (log.filled(legs, at) < Number(order.filled_size) - 1e-9 || legs.some((leg) => log.isLive(leg, at)))
  )
    say("hard", "told to be filled while it was not", told, { filled: before, legs: states(legs, log, at) });
  if (order.status === "filled" && !same(ever, order.filled_size))
    say("hard", "a filled order's size is not what it filled", told, { ever });
  if (order.status === "canceled") {
    if (legs.some((leg) => log.isLive(leg, at)))
      say("hard", "told to be canceled while it lived", told, { legs: states(legs, log, at) });
    if (order.filled_size !== null && !same(ever, order.filled_size))
      say(
        isReplay || row.kind === "event" ? "allowed" : "hard",
        "a canceled order's size is not what it filled",
        told,
        { ever, before },
      );
  }
  if (order.status === "rejected" && (ever > 0 || legs.some((leg) => hasLived(leg, log))))
    say("hard", "told to be rejected, and the exchange had it", told, { ever, legs: states(legs, log, Infinity) });
  if (RESTING.has(order.status) && !isReplay && !legs.some((leg) => log.wasLive(leg, at - FRESH_MS, at)))
    say("note", "told to be open long after it was over", told, { legs: states(legs, log, at) });
}

// A trigger that waited and was refused when it fired is `rejected` as well: the exchange's own word for it ends so.
function hasLived(leg, log) {
  const rows = log.engine.versions.get(leg.oid) ?? [];
  return (
    rows.some(({ status }) => status === "open" || status === "triggered") && !rows.at(-1).status.endsWith("Rejected")
  );
}

const pick = ({ id, market, side, size, price, status, filled_size, exchange_order_id, error, reduce_only }) => ({
  id,
  market,
  side,
  size,
  price,
  status,
  filled_size,
  exchange_order_id,
  error,
  reduce_only,
});
const states = (legs, log, at) =>
  legs.map((leg) => ({ oid: leg.oid, status: log.versionAt(leg, at)?.status, filled: log.filled([leg], at) }));

// The last word on each order, once all is quiet: it is the truth, or `unknown`.
function judgeEnds({ statements, log, stories, isSettled, say, world }) {
  const last = new Map();
  for (const statement of statements)
    if (statement.what.object === "order" && !statement.isReplay && statement.row.kind === "answer")
      last.set(statement.what.id, statement);
  const known = new Set();
  for (const [id, { what: order, at, source }] of last) {
    const legs = log.legs(id, stories);
    for (const leg of legs) known.add(leg.oid);
    const told = { at, what: { source, ...pick(order) } };
    if (!isSettled || order.status === "unknown" || order.status === "processing") continue;
    // What has changed in the last moments may not be known yet.
    if (legs.some((leg) => (log.engine.versions.get(leg.oid)?.at(-1)?.at ?? 0) > at - 5_000)) continue;
    const ever = log.filled(legs, at);
    const isLive = legs.some((leg) => log.isLive(leg, at));
    if (ENDS.has(order.status) && isLive)
      say("hard", "the last word is an end, and it lives", told, { legs: states(legs, log, Infinity) });
    if (RESTING.has(order.status) && !isLive)
      say("hard", "the last word is that it rests, and it is over", told, { legs: states(legs, log, Infinity) });
    if (order.filled_size !== null && !same(ever, order.filled_size))
      say("hard", "the last word on its filled size is false", told, { ever });
  }
  if (!isSettled) return;
  for (const order of world.engine.orders.values())
    if (order.origin === "gateway" && !known.has(order.oid))
      say("hard", "an order of the gateway's that no list names", null, {
        oid: order.oid,
        cloid: order.cloid,
        coin: order.coin,
      });
}

// The stream leaves nothing out: what it told last of a thing is how the thing reads, once all is quiet.
function judgeStream({ statements, isSettled, say }) {
  if (!isSettled) return;
  const last = { event: new Map(), answer: new Map() };
  for (const statement of statements)
    if (
      ["order", "trade", "stop"].includes(statement.what.object) &&
      !statement.isReplay &&
      (statement.row.kind === "event" || statement.row.method === "GET")
    )
      last[statement.row.kind].set(statement.what.id, statement);
  for (const [id, { what, at, source }] of last.answer) {
    const event = last.event.get(id);
    if (!event)
      say(
        "hard",
        "a thing that no event has told of",
        { at, what: { source, id, object: what.object, status: what.status } },
        {},
      );
    // What has come since is newer than the last reading.
    else if (event.at > at - 2_000) continue;
    else if (
      event.what.status !== what.status ||
      ("filled_size" in what && !same(event.what.filled_size, what.filled_size))
    )
      say(
        "hard",
        "the last event of a thing is not how it reads",
        { at, what: { source, id, object: what.object, status: what.status, filled_size: what.filled_size } },
        { event: { atMs: event.at, status: event.what.status, filled_size: event.what.filled_size } },
      );
  }
}

function judgeFills({ statements, log, isSettled, say, world }) {
  const rows = new Map(world.engine.fills.map((fill) => [`${fill.time}-${fill.coin}-${fill.tid}`, fill]));
  const byOid = new Map();
  for (const fill of world.engine.fills) byOid.set(`${fill.oid}:${fill.time}:${fill.sz}:${fill.px}`, fill);
  const listed = new Set();
  for (const { what: fill, at, source } of statements) {
    if (fill.object !== "fill") continue;
    const truth = byOid.get(
      `${fill.exchange_order_id}:${Date.parse(fill.created_at)}:${Number(fill.size)}:${Number(fill.price)}`,
    );
    const told = { at, what: { source, ...fill } };
    if (!truth) {
      say("hard", "a fill that never was", told, {});
      continue;
    }
    listed.add(truth.tid);
    if (
      !same(truth.fee, fill.fee) ||
      !same(truth.pnl, fill.realized_pnl) ||
      !same(truth.start, fill.start_position) ||
      (fill.side === "buy") !== truth.buy
    )
      say("hard", "a fill is told otherwise than it was", told, { truth });
    const mine = truth.cloid && (log.byCloid.get(truth.cloid) ?? [])[0]?.origin === "gateway";
    if (fill.order_id && !mine) say("hard", "a stranger's fill is told to be of an order here", told, { truth });
    if (source.startsWith("GET") && isSettled && mine && !fill.order_id)
      say("note", "an own fill without its order", told, { truth });
  }
  if (isSettled)
    for (const fill of rows.values())
      if (!listed.has(fill.tid)) say("hard", "a fill that no list and no event has told", null, { fill });
}

// What an account holds on spot, by the same rule as positions.
function judgeSpot({ world, say }) {
  for (const row of world.tape.told) {
    if (row.kind !== "answer" || row.route !== "/v1/account" || row.status !== 200) continue;
    const since = row.asOf ? Date.parse(row.asOf) - 50 - Math.abs(world.engine.clockOffMs) : row.sentAt - 1_050;
    const before = world.engine.states.filter(({ at }) => at <= since).at(-1) ?? world.engine.states[0];
    const states = [before, ...world.engine.states.filter(({ at }) => at > since && at <= row.at)];
    for (const { token, total } of row.answer.spot)
      if (!states.some(({ spot }) => same(spot[token], total)))
        say(
          "hard",
          "a balance is told that was not so in its second",
          { at: row.at, what: { source: row.route, token, total, asOf: row.asOf } },
          { was: states.map(({ spot }) => spot[token]) },
        );
  }
}

// An event of a position tells a size that it had a moment ago; where it is over, none.
function judgePositionEvents({ statements, log, say }) {
  for (const { what, at, source, row } of statements) {
    if (what.object !== "position" || row.kind !== "event") continue;
    const size = Number(what.size) * (what.side === "short" ? -1 : 1);
    if (!log.positionsIn(what.market, at - FRESH_MS * 2, at).some((one) => same(one, size)))
      say(
        "hard",
        "an event tells a position that was not so",
        { at, what: { source, market: what.market, size } },
        { was: log.positionsIn(what.market, at - FRESH_MS * 2, at) },
      );
  }
}

// Without X-Data-As-Of a size is of this second; and no older than what was answered before.
function judgePositions({ world, log, say }) {
  for (const row of world.tape.told) {
    if (row.kind !== "answer" || row.method !== "GET" || !row.route.startsWith("/v1/positions") || row.status !== 200)
      continue;
    // The exchange's clock may be off, and what is said of when may be by it.
    const since = row.asOf ? Date.parse(row.asOf) - 50 - Math.abs(world.engine.clockOffMs) : row.sentAt - 1_050;
    const shown = new Map(
      row.answer.data.map((position) => [position.market, Number(position.size) * (position.side === "long" ? 1 : -1)]),
    );
    for (const market of new Set([...shown.keys(), ...world.engine.positions.keys()])) {
      const size = shown.get(market) ?? 0;
      if (!log.positionsIn(market, since, row.at).some((one) => same(one, size)))
        say(
          "hard",
          "a position is told that was not so in its second",
          { at: row.at, what: { source: row.route, market, size, asOf: row.asOf } },
          { was: log.positionsIn(market, since, row.at) },
        );
    }
  }
}
