// What was true, from the exchange's own books: by order, by operation, by moment.
import { div, mul, num, plain } from "./codec.mjs";

export const cloidOf = (id) => `0x${id.replaceAll("-", "")}`;

const WORD = { terminated: "canceled", finished: "finished", error: "error" };
const REFUSED = /Rejected$|^rejected$/;

/** The legs of an order: what carries its id, and what has replaced that. */
export function legsOf(chain, account, id) {
  const all = [...account.orders.values()];
  const legs = all.filter((o) => o.cloid === cloidOf(id));
  const modifies = chain.log.filter(
    (e) => e.what === "action" && e.account === account.address && e.action.type === "batchModify",
  );
  for (const entry of modifies) {
    for (const m of entry.action.modifies) {
      const isOurs = legs.some((o) => o.oid === m.oid || o.cloid === m.oid);
      const next = isOurs && all.find((o) => o.cloid === m.order.c?.toLowerCase());
      if (next && !legs.includes(next)) legs.push(next);
    }
  }
  return legs;
}

/** The rows of a leg that were true at a moment. */
const rowAt = (leg, t) => leg.rows.filter((r) => r.t <= t).pop()?.row;

/** What is true of an order at `t`: `none`, or its state and what was filled. */
export function orderAt(chain, account, id, t = Date.now()) {
  const legs = legsOf(chain, account, id).filter((l) => l.rows.some((r) => r.t <= t));
  if (legs.length === 0) return { state: "none", filled: 0n, average: null, legs };
  const fills = account.fills.filter((f) => f.t <= t && legs.some((l) => l.oid === f.fill.oid)).map((f) => f.fill);
  const filled = fills.reduce((sum, f) => sum + num(f.sz), 0n);
  const value = fills.reduce((sum, f) => sum + mul(num(f.sz), num(f.px)), 0n);
  const accepted = legs.filter((l) => !REFUSED.test(l.rows[0].row.status));
  const newest = (accepted.length > 0 ? accepted : legs).at(-1);
  const status = rowAt(newest, t)?.status ?? "none";
  return { state: status, filled, average: filled > 0n ? div(value, filled) : null, legs, newest, orig: newest.orig };
}

/** The status that the interface has for it. */
export function wordsFor(found) {
  const { state, filled, newest } = found;
  if (state === "none") return ["rejected", "canceled"];
  if (state === "open") return newest.trigger && !newest.fired ? ["waiting_for_trigger"] : ["open"];
  if (state === "triggered") return ["open", "waiting_for_trigger"];
  if (state === "filled")
    return newest.sz > 0n || newest.reduceOnly || newest.tif === "Ioc" ? ["filled", "canceled"] : ["filled"];
  if (REFUSED.test(state)) return filled > 0n ? ["canceled"] : ["rejected", "canceled"];
  return ["canceled"];
}

/** Whether it could still be filled at `t`. */
export const isLiveAt = (chain, account, id, t) => ["open", "triggered"].includes(orderAt(chain, account, id, t).state);

/** Positions, balances, open orders and fills as they are, in the words of the interface. */
export function holdings(chain, account) {
  const positions = [...account.positions.values()]
    .map((p) => `${p.coin} ${p.szi > 0n ? "long" : "short"} ${plain(p.szi < 0n ? -p.szi : p.szi)}`)
    .sort();
  const spot = [...account.spot]
    .filter(([, total]) => total !== 0n)
    .map(([token, total]) => `${token} ${plain(total)} hold ${plain(chain.hold(account, token))}`)
    .sort();
  const open = [...account.orders.values()]
    .filter((o) => o.status === "open")
    .map((o) => `${o.oid} ${o.market.name} ${o.isBuy ? "buy" : "sell"}`)
    .sort();
  const fills = account.fills
    .map(
      ({ fill: f }) =>
        `${f.time}-${f.coin}-${f.tid} ${f.oid} ${f.side === "B" ? "buy" : "sell"} ${plain(f.sz)} @ ${plain(f.px)} fee ${plain(f.fee)} ${f.feeToken}`,
    )
    .sort();
  const twaps = [...account.twaps.values()]
    .map((t) => `${t.id} ${t.market.name} ${t.running ? "running" : WORD[t.status.status]} ${plain(t.done)}`)
    .sort();
  return { positions, spot, open, fills, twaps };
}
