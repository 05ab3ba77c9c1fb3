// What the end of a run must have told whole: events, files and the performance.
import { show } from "./figures.mjs";

const FINAL = new Set(["filled", "canceled", "rejected"]);

export function eventsWhole(verdict, by) {
  // What was told in its last 5 ms may be written nowhere: a place beyond that is lost, and said to be.
  if (verdict.events.resets > verdict.gateway.kills)
    verdict.find("the place in the events is lost", String(verdict.events.resets), "", by);
  const last = new Map();
  const fills = new Set();
  for (const { event } of verdict.events.list) {
    if (event.type.startsWith("order.") && (event.data.order ?? event.data).status)
      last.set((event.data.order ?? event.data).id, (event.data.order ?? event.data).status);
    if (event.type === "fill.created") fills.add(event.data.id);
  }
  for (const order of verdict.final.orders)
    if (FINAL.has(order.status) && last.get(order.id) !== order.status)
      verdict.find("the last event of an order", last.get(order.id), JSON.stringify(order), by);
  for (const fill of verdict.final.fills.filter(({ created_at: at }) => Date.parse(at) >= (verdict.heardFrom ?? 0)))
    if (!fills.has(fill.id)) verdict.find("a fill without an event", JSON.stringify(fill), "", by);
}

export function exported(verdict, by) {
  // What came after the list was read may be in the file, which was read later.
  const lacks = (file, list) => {
    const ids = new Set(file.map(({ id }) => id));
    return list.some(({ id }) => !ids.has(id)) || ids.size !== file.length;
  };
  if (lacks(verdict.final.exportedFills, verdict.final.fills))
    verdict.find(
      "the export of fills",
      String(verdict.final.exportedFills.length),
      String(verdict.final.fills.length),
      by,
    );
  if (lacks(verdict.final.exportedOrders, verdict.final.orders))
    verdict.find(
      "the export of orders",
      String(verdict.final.exportedOrders.length),
      String(verdict.final.orders.length),
      by,
    );
  const { total } = verdict.final.performance;
  if (total === null || total === undefined) return;
  const until = Date.parse(verdict.final.performance.complete_to);
  const rows = verdict.truth.fills.filter((row) => row.t <= until && !verdict.truth.markets.get(row.coin).spot);
  const spot = verdict.truth.fills.filter((row) => row.t <= until && verdict.truth.markets.get(row.coin).spot);
  if (spot.length > 0) return;
  const sum = (field) => show(rows.reduce((all, row) => all + row[field], 0n));
  if (total.fills !== rows.length || total.fees !== sum("fee") || total.realized_pnl !== sum("pnl"))
    verdict.find("the performance", JSON.stringify(total), `${rows.length} ${sum("fee")} ${sum("pnl")}`, by);
}
