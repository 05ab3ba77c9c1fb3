// Orders: each telling against the chain of orders at the exchange that replaced one another.
import { grains, text } from "./grain.mjs";

const ENDED = ["filled", "canceled", "rejected"];

/** The orders at the exchange behind an order of the interface, oldest first. */
export function chain(world, id, oid) {
  const cloid = `0x${id.replaceAll("-", "")}`;
  let leg = world.venue.orders.find((of) => of.cloid === cloid);
  if (!leg && oid && id[14] === "8") leg = world.venue.byOid.get(Number(oid));
  if (leg && id[14] === "8") while (leg.replaces) leg = leg.replaces;
  const legs = [];
  while (leg) {
    legs.push(leg);
    leg = leg.replacedBy;
  }
  return legs;
}

export function filledOf(world, legs, at) {
  return legs.reduce((sum, leg) => sum + world.venue.filled(leg, at), 0n);
}

/** What the order truly is as of a moment, in the interface's words. */
export function trueStatus(world, legs, at) {
  const placed = legs.filter((leg) => leg.states.at(at));
  const last = placed.at(-1);
  if (!last) return null;
  const { status } = last.states.at(at);
  if (status === "open") return last.trigger ? "waiting_for_trigger" : "open";
  if (status === "triggered") return last.trigger?.isMarket ? "waiting_for_trigger" : "open";
  if (status === "filled") return world.venue.filled(last, at) === last.size ? "filled" : "canceled";
  if (status.endsWith("Rejected")) return placed.length > 1 ? "canceled" : "rejected";
  return "canceled";
}

function* orderRows(tape) {
  for (const row of tape.rows) {
    if (row.kind === "told" && row.json && row.status < 300) {
      const { json } = row;
      const all =
        json.object === "order"
          ? [json]
          : ((Array.isArray(json.orders) ? json.orders : null) ?? (json.object === "list" ? json.data : []));
      for (const order of all)
        if (order?.object === "order") yield { order, asked: row.asked, answered: row.answered, row };
    }
    if (row.kind === "event" && row.type.startsWith("order.") && row.data.data?.object === "order") {
      yield { order: row.data.data, asked: row.at, answered: row.at, row, isEvent: true };
    }
  }
}

export function judgeOrders(world) {
  const byId = new Map();
  for (const telling of orderRows(world.tape)) {
    if (!byId.has(telling.order.id)) byId.set(telling.order.id, []);
    byId.get(telling.order.id).push(telling);
  }
  world.toldById = byId;
  for (const [id, tellings] of byId) {
    const seen = new Set();
    const report = (severity, what, telling) => {
      const key = what.replace(/\d{6,}/g, "#");
      if (seen.has(key)) return;
      seen.add(key);
      world.find(severity, `${id} ${what}`, {
        via: telling.isEvent ? telling.row.type : `${telling.row.method} ${telling.row.path}`,
        at: telling.answered,
        told: telling.order,
      });
    };
    for (const telling of tellings) judgeOne(world, telling, report);
    judgeSequence(tellings, report);
  }
}

function judgeOne(world, telling, report) {
  const { order, answered } = telling;
  const legs = chain(world, order.id, order.exchange_order_id);
  if (legs.length === 0) {
    if (!["rejected", "unknown", "processing"].includes(order.status))
      report("CRITICAL", `told ${order.status}, but the exchange never had it`, telling);
    return;
  }
  const isRefusedModify = telling.row.path?.endsWith("/modify");
  const at = answered + 2;
  const address = world.addresses.get(order.account);
  if (legs[0].account !== address) report("CRITICAL", "told in another account", telling);
  if (legs[0].coin !== order.market || legs[0].isBuy !== (order.side === "buy"))
    report("CRITICAL", "told with another market or side", telling);
  const truth = trueStatus(world, legs, at);
  const filled = filledOf(world, legs, at);
  if (order.filled_size !== null && grains(order.filled_size) > filled)
    report("CRITICAL", `told filled ${order.filled_size}, truly ${text(filled)}`, telling);
  if (ENDED.includes(order.status) && truth !== order.status && !(order.status === "filled" && truth === "canceled")) {
    const isEnded = ENDED.includes(truth ?? "");
    report(
      isEnded ? "high" : "CRITICAL",
      `told ${order.status}, truly ${truth} (${legs.map((leg) => leg.states.now?.status)})`,
      telling,
    );
  }
  if (order.status === "filled" && order.filled_size === null) report("high", "told filled without a size", telling);
  const oids = legs.map((leg) => String(leg.oid));
  if (order.exchange_order_id !== null && !oids.includes(order.exchange_order_id))
    report("CRITICAL", `told as ${order.exchange_order_id}, truly ${oids}`, telling);
  if (
    order.status === "rejected" &&
    !isRefusedModify &&
    legs.some((leg) => leg.states.rows.some((of) => ["open", "filled"].includes(of.value.status) && !leg.trigger))
  ) {
    report("CRITICAL", "told rejected, but it came to stand", telling);
  }
}

function judgeSequence(tellings, report) {
  const sorted = [...tellings]
    .filter((of) => !of.isEvent && of.row.method === "GET")
    .sort((a, b) => a.answered - b.answered);
  for (const list of [sorted, tellings.filter((of) => of.isEvent)]) {
    let ended = null;
    let most = null;
    for (const telling of list) {
      const { order } = telling;
      if (ended && telling.asked >= ended.answered && order.status !== ended.order.status)
        report("high", `told ${ended.order.status} and then ${order.status}`, telling);
      if (ENDED.includes(order.status) && (!ended || telling.answered > ended.answered)) ended = telling;
      if (order.filled_size !== null) {
        const size = grains(order.filled_size);
        if (most && telling.asked >= most.answered && size < most.size)
          report("high", `told filled ${text(most.size)} and then ${order.filled_size}`, telling);
        if (!most || size > most.size) most = { size, answered: telling.answered };
      } else if (most && most.size > 0n && telling.asked >= most.answered)
        report("high", `told filled ${text(most.size)} and then null (${order.status})`, telling);
    }
  }
}
