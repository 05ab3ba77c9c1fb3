// The truth of an order of the interface: the orders at the exchange that it was placed as, and that replaced one another.
import { dec, div, plain } from "./codec.mjs";

export const uuidOf = (cloid) => cloid?.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
const cloidOf = (id) => `0x${id.replaceAll("-", "")}`;
const LIVE = ["open", "triggered"];

export function legsOf(account, told, apart = () => false) {
  const cloid = cloidOf(told.id);
  let legs = [...account.orders.values()].filter((order) => order.cloid === cloid);
  if (legs.length === 0 && told.exchange_order_id) {
    const found = account.orders.get(Number(told.exchange_order_id));
    if (found) legs = [found];
  }
  for (let more = true; more; ) {
    more = false;
    for (const order of account.orders.values()) {
      if (
        !legs.includes(order) &&
        !apart(order) &&
        legs.some(
          (leg) =>
            order.replaces === leg.oid ||
            (leg.replaces === order.oid && !apart(leg) && told.exchange_order_id === String(leg.oid)),
        )
      ) {
        legs.push(order);
        more = true;
      }
    }
  }
  return legs.sort((left, right) => left.oid - right.oid);
}

export function statusAt(order, time) {
  let status = null;
  for (const row of order.history) if (row.time <= time) status = row.status;
  return status;
}

/** How a chain was at a moment. */
export function chainAt(account, legs, time) {
  const oids = new Set(legs.map((leg) => leg.oid));
  let filled = 0n;
  let notional = 0n;
  let lastFill = 0;
  for (const fill of account.fills) {
    if (!oids.has(fill.oid) || fill.time > time) continue;
    filled += dec(fill.sz);
    notional += (dec(fill.sz) * dec(fill.px)) / 100_000_000n;
    lastFill = fill.time;
  }
  const known = legs.filter((leg) => statusAt(leg, time) !== null);
  const live = known.filter((leg) => LIVE.includes(statusAt(leg, time)));
  const newest = known.at(-1) ?? null;
  const status = live.length > 0 ? "open" : newest ? statusAt(newest, time) : null;
  const changedAt = Math.max(
    0,
    ...known.map((leg) => leg.history.filter((row) => row.time <= time && row.changed).at(-1)?.time ?? 0),
  );
  return {
    filled,
    filledText: plain(filled),
    average: filled > 0n ? plain(div(notional, filled)) : null,
    live,
    status,
    changedAt,
    lastFill,
    newest,
  };
}

/** What the interface should say of it, once everything is known. */
export function shouldBe(chain, told) {
  if (chain.live.length > 0)
    return chain.live.some((leg) => leg.trigger && !leg.fired)
      ? ["waiting_for_trigger"]
      : ["open", "waiting_for_trigger"];
  const { status } = chain;
  if (status === null) return ["rejected", "unknown"];
  if (status === "filled") return chain.filled >= dec(told.size) ? ["filled"] : ["canceled"];
  if (/Rejected$|^rejected$/.test(status))
    return chain.filled > 0n ? ["canceled", "rejected"] : ["rejected", "canceled"];
  return ["canceled"];
}
