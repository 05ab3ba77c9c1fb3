// Trades, stops, cancel-alls and operations against the log.
import { same } from "./log-reader.mjs";

// How long what is shown elsewhere may take to be known here, with every store as late as the seeds make it.
const NEWS_MS = 30_000;

export function judgeWholes(context) {
  for (const statement of context.statements) {
    const { object } = statement.what;
    if (object === "trade") judgeTrade(statement, context);
    if (object === "stop") judgeSigned(statement, context);
    if (object === "stop") judgeStop(statement, context);
    if (object === "cancel_all" && statement.what.status === "done") judgeCancelAll(statement, context);
    if (object === "operation") judgeOperation(statement, context);
  }
  judgeLastTrades(context);
}

const brief = (trade) => ({
  object: trade.object,
  id: trade.id,
  market: trade.market,
  side: trade.side,
  size: trade.size,
  path: trade.path,
  status: trade.status,
  filled_size: trade.filled_size,
  held_size: trade.held_size,
  protected: trade.protected,
  unprotected_because: trade.unprotected_because,
  entry: trade.entry?.order,
  stop: trade.stop_loss?.order,
  profit: trade.take_profit?.order,
  error: trade.error,
});

// The stop of a trade as the log has it: whatever was ever named as its stop, and stands.
function coverAt(trade, at, context) {
  const { log, stories } = context;
  context.stopsOf ??= stopsOf(context.statements);
  const legs = [...(context.stopsOf.get(trade.id) ?? [])].flatMap((id) => log.legs(id, stories));
  return legs.filter((leg) => log.isLive(leg, at) && leg.ro).reduce((sum, leg) => sum + log.versionAt(leg, at).sz, 0);
}

function judgeTrade({ what: trade, at, from, source, isReplay }, context) {
  const { log, stories, say } = context;
  const told = { at, what: { source, ...brief(trade) } };
  const entry = trade.entry?.order ? log.legs(trade.entry.order, stories) : [];
  const filled = log.filled(entry, at);
  if (trade.filled_size !== null && Number(trade.filled_size) > filled + 1e-9)
    say("hard", "a trade tells more filled than was", told, { filled });
  if (isReplay) return;
  const before = toldOf(context, trade.entry?.order, from - 250);
  if (before > Number(trade.filled_size) + 1e-9)
    say("hard", "a trade tells less filled than was told of its entry before", told, { toldBefore: before });
  if (["canceled", "rejected"].includes(trade.status) && log.filled(entry) > 0)
    say("hard", "a trade has ended without a fill, and its entry was filled", told, { filled: log.filled(entry) });
  if (trade.ended_at && entry.some((leg) => log.isLive(leg, at)))
    say("hard", "a trade has ended, and its entry may still fill", told, {});
  const position = log.positionAt(trade.market, at) * (trade.side === "buy" ? 1 : -1);
  if (
    ["closed", "closed_outside"].includes(trade.status) &&
    context.isAlone?.(trade) !== false &&
    position > 1e-9 &&
    context.world.onlyTradeIn === trade.market
  )
    say("hard", "a trade is told to be closed, and its position is held", told, { position });
  if (trade.stop_loss?.order && !log.legs(trade.stop_loss.order, stories).some((leg) => log.wasLive(leg, 0, at)))
    say("hard", "the order that is named as standing for a stop never stood", told, {});
  if (trade.protected && trade.status === "open" && Number(trade.held_size) > 0) {
    const covers = [at, at - NEWS_MS].map((moment) => coverAt(trade, moment, context));
    if (
      Math.max(...covers) < Number(trade.held_size) - 1e-9 &&
      Math.max(coverIn(trade, at - NEWS_MS, at, context), 0) < Number(trade.held_size) - 1e-9
    )
      say("hard", "told to be protected, and no stop covered it in the half minute before", told, { covers });
  }
}

// The most that was told to be filled of an order up to a moment.
function toldOf(context, id, until) {
  context.fillsTold ??= fillsTold(context.statements);
  return (context.fillsTold.get(id) ?? []).reduce(
    (most, { at, size }) => (at <= until ? Math.max(most, size) : most),
    0,
  );
}

function fillsTold(statements) {
  const found = new Map();
  for (const { what, at } of statements)
    if (what.object === "order" && Number(what.filled_size) > 0)
      found.set(what.id, [...(found.get(what.id) ?? []), { at, size: Number(what.filled_size) }]);
  return found;
}

function stopsOf(statements) {
  const found = new Map();
  for (const { what } of statements)
    if (what.object === "trade" && what.stop_loss?.order)
      found.set(what.id, (found.get(what.id) ?? new Set()).add(what.stop_loss.order));
  return found;
}

function coverIn(trade, from, to, context) {
  let most = 0;
  for (let moment = from; moment <= to; moment += 250) most = Math.max(most, coverAt(trade, moment, context));
  return most;
}

function judgeLastTrades(context) {
  const { statements, log, say, isSettled, stories } = context;
  if (!isSettled) return;
  const last = new Map();
  for (const statement of statements)
    if (statement.what.object === "trade" && statement.row.kind === "answer" && !statement.isReplay)
      last.set(statement.what.id, statement);
  for (const { what: trade, at, source } of last.values()) {
    const told = { at, what: { source, ...brief(trade) } };
    const entry = trade.entry?.order ? log.legs(trade.entry.order, stories) : [];
    if (!same(log.filled(entry), trade.filled_size))
      say("hard", "the last word on what a trade has filled is false", told, { filled: log.filled(entry) });
    if (trade.ended_at) continue;
    const cover = coverAt(trade, at, context);
    if (trade.protected && Number(trade.held_size) > cover + 1e-9)
      say("hard", "the last word is protected, and no stop covers what is held", told, { cover });
    if (
      trade.protected &&
      Number(trade.filled_size) > 0 &&
      ["entering"].includes(trade.status) &&
      cover < Number(trade.held_size) - 1e-9
    )
      say("hard", "protected while entering, and uncovered", told, { cover });
  }
}

function resumedAt(stop, statements) {
  const resumed = statements.find(({ what }) => what.object === "stop" && what.id === stop.id && what.resumed_at)?.what
    .resumed_at;
  return resumed ? Date.parse(resumed) : Infinity;
}

// From the answer on nothing that increases is signed. Its number tells when it was, by the exchange's clock; it may arrive later.
function judgeSigned({ what: stop, row }, { world, say, statements }) {
  if (
    row.kind !== "answer" ||
    row.route !== "/v1/stop" ||
    stop.cause !== "asked" ||
    stop.scope !== "account" ||
    row.isReplay
  )
    return;
  const told = { at: row.at, what: { source: row.route, id: stop.id, status: stop.status } };
  // Until the operator has ended it.
  const until = resumedAt(stop, statements);
  for (const { at, envelope } of world.exchange.arrivals) {
    const { type, orders, modifies, twap } = envelope.action;
    const grows =
      (type === "order" && orders.some((order) => !order.r && !(order.a === 10000 && !order.b))) ||
      (type === "batchModify" && modifies.some(({ order }) => !order.r)) ||
      (type === "twapOrder" && !twap.r);
    const signedAt = Math.min(at, envelope.nonce - world.engine.clockOffMs);
    if (grows && signedAt > row.at + 100 && signedAt < until)
      say("hard", "an action that increases was sent after the answer of a stop", told, {
        afterMs: signedAt - row.at,
        action: envelope.action,
      });
  }
}

// `stopped`: nothing that was signed here can increase a position any more.
function judgeStop({ what: stop, at, source }, { world, log, say, statements, stories }) {
  if (stop.status !== "stopped" || !stop.stopped_at) return;
  const since = Date.parse(stop.stopped_at);
  const until = resumedAt(stop, statements);
  const told = {
    at,
    what: {
      source,
      id: stop.id,
      scope: stop.scope,
      cause: stop.cause,
      status: stop.status,
      stopped_at: stop.stopped_at,
    },
  };
  const covers = (order) =>
    order.origin === "gateway" &&
    (stop.scope === "account" || keyOf(order, statements, log, stories) === stop.key_hash);
  // A stop that refuses nothing new says something of what was there when it was made.
  const made = Date.parse(stop.created_at);
  for (const order of world.engine.orders.values()) {
    if (order.ro || !covers(order) || (order.coin === "PURR/USDC" && !order.buy)) continue;
    if (stop.cause !== "asked" && order.madeAt - world.engine.clockOffMs > made) continue;
    if (order.origin !== "gateway") continue;
    const placedAt = order.madeAt - world.engine.clockOffMs;
    if (placedAt > since && placedAt < until && stop.cause === "asked")
      say("hard", "stopped, and an order that increases was executed after", told, {
        oid: order.oid,
        cloid: order.cloid,
        afterMs: placedAt - since,
      });
    if (placedAt <= since && log.wasLive(order, since + 1, until))
      say("hard", "stopped, and an order that increases lived on", told, { oid: order.oid, status: order.status });
    for (const fill of world.engine.fills)
      if (fill.oid === order.oid && fill.at > since + 1 && fill.at < until)
        say("hard", "stopped, and a position was increased after", told, {
          oid: order.oid,
          afterMs: fill.at - since,
          sz: fill.sz,
        });
  }
  if (stop.scope !== "account") return;
  for (const row of world.engine.fills) {
    const twap = row.twapId && world.engine.twaps.get(row.twapId);
    if (twap && !twap.ro && !twap.isOutside && row.at > since + 1 && row.at < until)
      say("hard", "stopped, and a TWAP went on", told, { twap: twap.id, afterMs: row.at - since });
  }
}

const keys = new WeakMap();
function keyOf(order, statements, log, stories) {
  let found = keys.get(statements);
  if (!found) {
    found = new Map();
    for (const { what, row } of statements)
      if (row.kind === "event" && what.object === "order" && row.data.key_hash)
        for (const leg of log.legs(what.id, stories)) found.set(leg.oid, row.data.key_hash);
    keys.set(statements, found);
  }
  return found.get(order.oid);
}

function judgeCancelAll({ what: all, at, source }, { log, say, stories, world }) {
  const since = Date.parse(all.done_at);
  const told = { at, what: { source, id: all.id, status: all.status, done_at: all.done_at } };
  for (const result of all.results) {
    const legs = log.legs(result.order_id, stories);
    const late = world.engine.fills.filter((fill) => legs.some((leg) => leg.oid === fill.oid) && fill.at > since);
    if (late.length > 0 || legs.some((leg) => log.wasLive(leg, since + 1, Infinity)))
      say(
        "hard",
        "done, and one of its orders could still fill",
        { ...told, what: { ...told.what, result } },
        { late: late.length, states: legs.map(({ status }) => status) },
      );
    if (
      result.filled_size !== null &&
      ["canceled", "filled"].includes(result.status) &&
      !same(log.filled(legs), result.filled_size)
    )
      say(
        "hard",
        "a cancel-all tells a size that is not what was filled",
        { ...told, what: { ...told.what, result } },
        { filled: log.filled(legs) },
      );
  }
}

// Operations are told apart by what they ask for: a seed asks for no two alike (`wanted` of its tape's rows).
function judgeOperation({ what: operation, at, source }, { world, say }) {
  const wanted = world.wanted?.get(operation.id);
  if (!wanted || wanted.isAlone?.() === false) return;
  const done = world.engine.log.filter((row) => wanted.matches(row));
  const told = { at, what: { source, ...operation, asked: wanted.body } };
  if (operation.status === "succeeded" && !done.some((row) => row.at <= at))
    say("hard", "an operation is told to have succeeded that was not done", told, {});
  if (operation.status === "rejected" && done.length > 0)
    say("hard", "an operation is told to be rejected, and it was done", told, { done: done[0] });
  if (done.length > 1 && operation.action !== "twap_cancel") say("hard", "an operation was done twice", told, { done });
}
