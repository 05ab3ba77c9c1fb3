// What a signed action does. Signatures are not checked: the exchange is the stranger's own, and nobody else speaks to it.
import { markets, text, wire } from "./chain.mjs";

const ok = (type, statuses) => ({ status: "ok", response: { type, data: { statuses } } });
const done = { status: "ok", response: { type: "default" } };
const refused = (words) => ({ status: "err", response: words });
const coinOf = (asset) => markets.find((market) => market.asset === asset)?.coin;

function read(chain, entry) {
  const trigger = entry.t.trigger;
  return chain.make({
    coin: coinOf(entry.a),
    asset: entry.a,
    side: entry.b ? "B" : "A",
    price: Number(entry.p),
    size: Number(entry.s),
    reduceOnly: entry.r,
    tif: trigger ? null : entry.t.limit.tif,
    cloid: entry.c ?? null,
    trigger: trigger ? { price: Number(trigger.triggerPx), tpsl: trigger.tpsl, isMarket: trigger.isMarket } : undefined,
  });
}

export function place(chain, entry) {
  const order = read(chain, entry);
  const suffix = ` asset=${entry.a}`;
  const fail = (words, status) => {
    order.status = status;
    order.statusAt = Date.now();
    chain.orders.push(order);
    chain.tell("order", structuredClone(order));
    return { error: words + suffix };
  };
  const rule = chain.refuse.findIndex((item) => item.test(order));
  if (rule >= 0) {
    const [item] = chain.refuse.splice(rule, chain.refuse[rule].again ? 0 : 1);
    return fail((item ?? chain.refuse[rule]).words, (item ?? chain.refuse[rule]).status);
  }
  const whole = order.reduceOnly && order.size >= Math.abs(chain.position(order.coin));
  if (order.size * order.price < 10 && !whole)
    return fail("Order must have minimum value of $10.", "minTradeNtlRejected");
  if (order.trigger) return placeTrigger(chain, order);
  if (order.reduceOnly && chain.reducible(order) === 0)
    return fail("Reduce only order would increase position.", "reduceOnlyRejected");
  const best = order.side === "B" ? chain.ask(order.coin) : chain.bid(order.coin);
  const crosses = order.side === "B" ? order.price >= best : order.price <= best;
  if (order.tif === "Alo" && crosses)
    return fail(
      `Post only order would have immediately matched, bbo was ${text(chain.bid(order.coin))}@${text(chain.ask(order.coin))}.`,
      "badAloPxRejected",
    );
  if (order.tif === "Ioc" && (!crosses || chain.room(order.coin, order.side) <= 0))
    return fail("Order could not immediately match against any resting orders.", "iocCancelRejected");
  if (order.reduceOnly) order.left = Math.min(order.left, chain.reducible(order));
  chain.orders.push(order);
  chain.update(order, "open");
  const before = order.left;
  chain.match(order);
  const filled = before - order.left;
  if (order.tif === "Ioc" && order.left > 0) chain.update(order, "filled");
  chain.changed("place", { oid: order.oid });
  const cloid = order.cloid ? { cloid: order.cloid } : {};
  if (filled > 0 && order.status === "filled")
    return { filled: { totalSz: text(filled), avgPx: text(best), oid: order.oid, ...cloid } };
  return { resting: { oid: order.oid, ...cloid } };
}

function placeTrigger(chain, order) {
  chain.orders.push(order);
  chain.update(order, "open");
  chain.changed("place", { oid: order.oid });
  if (chain.isMet(order)) chain.trigger(order);
  return { resting: { oid: order.oid, ...(order.cloid ? { cloid: order.cloid } : {}) } };
}

const never = (asset) => ({ error: `Order was never placed, already canceled, or filled. asset=${asset}` });

function modify(chain, { oid, order }, always) {
  const target = chain.find(oid);
  const stands = target && ["open", "triggered"].includes(target.status);
  if (!stands && !always) return { error: "Cannot modify canceled or filled order" };
  if (!always && (order.t.trigger || order.t.limit.tif === "Ioc"))
    return { error: "Attempted to modify to invalid new order" };
  if (stands) chain.cancel(target);
  if (!always && order.t.limit) order.t.limit.tif = "Alo";
  return place(chain, order);
}

function bracket(chain, action) {
  const [parent, ...children] = action.orders;
  const answer = place(chain, parent);
  if (answer.error) return [answer, ...children.map(() => ({ error: "parent rejected" }))];
  const order = chain.orders.at(-1);
  order.children = children.map((child) => ({ ...read(chain, child), status: "waiting" }));
  return [answer, ...children.map(() => "waitingForFill")];
}

function twap(chain, { a, b, s, r, m }) {
  chain.nextTwap += 1;
  chain.twaps.push({
    twapId: chain.nextTwap,
    coin: coinOf(a),
    side: b ? "B" : "A",
    size: Number(s),
    done: 0,
    value: 0,
    minutes: m,
    reduceOnly: r,
    at: Date.now(),
    status: "activated",
    rows: [["activated", Date.now()]],
  });
  chain.changed("twap");
  chain.tell("twap");
  return { running: { twapId: chain.nextTwap } };
}

export function slice(chain, running, size) {
  const child = chain.make({
    coin: running.coin,
    side: running.side,
    size,
    price: running.side === "B" ? 1e9 : 0.0001,
    tif: "Ioc",
    reduceOnly: running.reduceOnly,
  });
  chain.orders.push(child);
  const price = running.side === "B" ? chain.ask(running.coin) : chain.bid(running.coin);
  const most = running.reduceOnly ? Math.min(size, chain.reducible(child)) : size;
  if (most > 0) chain.fill(child, most, price, { twapId: running.twapId, hash: `0x${"0".repeat(64)}` });
  running.done += most;
  running.value += most * price;
  if (running.done >= running.size - 1e-9) endTwap(chain, running, "finished");
}

export function endTwap(chain, running, status) {
  running.status = status;
  running.rows.push([status, Date.now()]);
  chain.changed("twap-end");
  chain.tell("twap");
}

function twapCancel(chain, id) {
  const running = chain.twaps.find((item) => item.twapId === id && item.status === "activated");
  if (!running) return { error: "TWAP was never placed, already canceled, or filled." };
  endTwap(chain, running, "terminated");
  return "success";
}

export function act(chain, body) {
  const { action, nonce, expiresAfter } = body;
  if (chain.nonces.has(nonce)) return refused(`Invalid nonce: duplicate nonce ${nonce}`);
  chain.nonces.add(nonce);
  if (expiresAfter && expiresAfter < Date.now()) return refused("Action already expired");
  switch (action.type) {
    case "order":
      return ok(
        "order",
        action.grouping === "normalTpsl" ? bracket(chain, action) : action.orders.map((entry) => place(chain, entry)),
      );
    case "cancel":
      return ok(
        "cancel",
        action.cancels.map(({ a, o }) => (chain.cancel(chain.find(o)) ? "success" : never(a))),
      );
    case "cancelByCloid":
      return ok(
        "cancel",
        action.cancels.map(({ asset, cloid }) => (chain.cancel(chain.find(cloid)) ? "success" : never(asset))),
      );
    case "batchModify":
      return ok(
        "order",
        action.modifies.map((entry) => modify(chain, entry, action.a === true)),
      );
    case "updateLeverage":
      chain.leverage[coinOf(action.asset)] = { type: action.isCross ? "cross" : "isolated", value: action.leverage };
      chain.changed("leverage");
      return done;
    case "twapOrder":
      return { status: "ok", response: { type: "twapOrder", data: { status: twap(chain, action.twap) } } };
    case "twapCancel":
      return { status: "ok", response: { type: "twapCancel", data: { status: twapCancel(chain, action.t) } } };
    case "approveAgent": {
      const [name, until] = action.agentName.split(" valid_until ");
      chain.agents = chain.agents.filter((agent) => agent.name !== name);
      chain.agents.push({
        name,
        address: action.agentAddress.toLowerCase(),
        validUntil: Number(until ?? Date.now() + 90 * 864e5),
      });
      chain.changed("agent");
      return done;
    }
    default:
      return done;
  }
}

export const frontend = (order) => ({
  coin: order.coin,
  side: order.side,
  limitPx: wire(order.price),
  sz: wire(order.left),
  oid: order.oid,
  timestamp: order.at,
  triggerCondition: order.trigger
    ? `Price ${(order.trigger.tpsl === "tp") === (order.side === "A") ? "above" : "below"} ${text(order.trigger.price)}`
    : "N/A",
  isTrigger: !!order.trigger,
  triggerPx: order.trigger ? wire(order.trigger.price) : "0.0",
  children: (order.children ?? []).filter((child) => child.status === "waiting").map(frontend),
  isPositionTpsl: false,
  reduceOnly: order.reduceOnly,
  orderType: order.trigger
    ? `${order.trigger.tpsl === "tp" ? "Take Profit" : "Stop"} ${order.trigger.isMarket ? "Market" : "Limit"}`
    : "Limit",
  origSz: wire(order.size),
  tif: order.tif,
  cloid: order.cloid,
});
