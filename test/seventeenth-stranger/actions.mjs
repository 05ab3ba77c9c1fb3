// What the exchange does with a signed action. Signatures are not looked at; nonces and expiries are.
import { text, tidy } from "./ledger.mjs";

const GONE = "Order was never placed, already canceled, or filled.";

function ok(type, data) {
  return { status: "ok", response: data === undefined ? { type } : { type, data } };
}
function refuse(response) {
  return { status: "err", response };
}

function readOrder(ledger, wire) {
  const coin = ledger.coinOf(wire.a);
  const t = wire.t.trigger;
  return {
    coin,
    asset: wire.a,
    side: wire.b ? "B" : "A",
    limitPx: Number(wire.p),
    sz: Number(wire.s),
    reduceOnly: wire.r === true,
    cloid: wire.c,
    tif: t ? null : wire.t.limit.tif,
    trigger: t ? { px: Number(t.triggerPx), isMarket: t.isMarket, tpsl: t.tpsl } : null,
  };
}

function statusOf(order) {
  const cloid = order.cloid ? { cloid: order.cloid } : {};
  return { oid: order.oid, ...cloid };
}

// Places one order; a refusal that is not static leaves a record under an oid, as the exchange does.
export function place(ledger, spec, root) {
  const suffix = ` asset=${spec.asset}`;
  if (!(spec.sz > 0)) return { error: `Order has zero size.${suffix}` };
  const order = ledger.create(spec, root);
  const fail = (status, error) => {
    ledger.note(order, status);
    return { error: error + suffix };
  };
  const forced = ledger.refuseNext?.(spec);
  if (forced) return fail(forced[0], forced[1]);
  if (!spec.reduceOnly && spec.sz * spec.limitPx < 10)
    return fail("minTradeNtlRejected", "Order must have minimum value of $10.");
  if (spec.trigger) {
    ledger.note(order, "open");
    return { resting: statusOf(order) };
  }
  const held = ledger.position(spec.coin).szi;
  if (spec.reduceOnly && held * (spec.side === "B" ? 1 : -1) >= 0)
    return fail("reduceOnlyRejected", "Reduce only order would increase position.");
  const { bid, ask } = ledger.touch(spec.coin);
  const price = spec.side === "B" ? ask : bid;
  const crosses = spec.side === "B" ? spec.limitPx >= ask : spec.limitPx <= bid;
  if (crosses && spec.tif === "Alo")
    return fail("badAloPxRejected", `Post only order would have immediately matched, bbo was ${bid}@${ask}.`);
  const taken = tidy(Math.min(spec.sz, ledger.depth?.[spec.coin] ?? Infinity));
  if ((spec.tif === "Ioc" || spec.tif === "FrontendMarket") && (!crosses || taken === 0))
    return fail("iocCancelRejected", "Order could not immediately match against any resting orders.");
  if (!crosses || taken === 0) {
    ledger.note(order, "open");
    return { resting: statusOf(order) };
  }
  ledger.note(order, "open");
  ledger.fill(order, taken, price, true);
  const filled = {
    filled: { totalSz: text(order.filled).replace(/\.0$/, ""), avgPx: text(price), ...statusOf(order) },
  };
  if (order.status !== "open") return filled;
  if (spec.tif === "Gtc") return { resting: statusOf(order) };
  ledger.note(order, "filled");
  return filled;
}

function modifyOne(ledger, change, always) {
  const original = ledger.find(change.oid);
  const spec = readOrder(ledger, change.order);
  const isLive = original && (original.status === "open" || original.status === "triggered");
  if (!isLive && !always) return { error: "Cannot modify canceled or filled order" };
  if (!always && (spec.trigger || spec.tif === "Ioc" || spec.tif === "FrontendMarket"))
    return { error: "Attempted to modify to invalid new order" };
  if (isLive && original.side !== spec.side) return { error: "Attempted to modify to invalid new order" };
  if (isLive) ledger.cancel(original);
  if (!always) spec.tif = "Alo";
  const status = place(ledger, spec, isLive ? original.root : undefined);
  const made = [...ledger.orders.values()].at(-1);
  made.replaces = original?.oid;
  made.wasGone = !isLive;
  return status;
}

function cancelOne(ledger, order, asset) {
  if (order && ledger.cancel(order)) return "success";
  return { error: `${GONE} asset=${asset}` };
}

function twapOrder(ledger, w) {
  if (w.m < 5) return ok("twapOrder", { status: { error: `Invalid TWAP duration: ${w.m} min(s)` } });
  const t = ledger.now();
  const twap = {
    id: ledger.nextTid++,
    coin: ledger.coinOf(w.a),
    side: w.b ? "B" : "A",
    sz: Number(w.s),
    reduceOnly: w.r,
    minutes: w.m,
    randomize: w.t,
    t,
    executedSz: 0,
    executedNtl: 0,
    log: [{ t, status: "activated", executedSz: 0, executedNtl: 0 }],
  };
  ledger.twaps.push(twap);
  ledger.tell({ kind: "twap", twap });
  return ok("twapOrder", { status: { running: { twapId: twap.id } } });
}

export function slice(ledger, twap, wanted) {
  const sz = tidy(Math.min(wanted, twap.sz - twap.executedSz));
  if (sz <= 0) return;
  const { bid, ask } = ledger.touch(twap.coin);
  const px = twap.side === "B" ? ask : bid;
  const order = ledger.create({
    coin: twap.coin,
    side: twap.side,
    limitPx: px,
    sz,
    reduceOnly: twap.reduceOnly,
    tif: "Ioc",
    trigger: null,
    twapId: twap.id,
  });
  order.log.push({ t: ledger.now(), status: "open", sz });
  const fill = ledger.fill(order, sz, px, true);
  if (!fill) return;
  twap.executedSz = tidy(twap.executedSz + fill.sz);
  twap.executedNtl = tidy(twap.executedNtl + fill.sz * px);
  twap.log.push({ t: ledger.now(), status: "activated", executedSz: twap.executedSz, executedNtl: twap.executedNtl });
  if (twap.executedSz >= twap.sz) twap.log.push({ ...twap.log.at(-1), status: "finished" });
}

function twapCancel(ledger, id) {
  const twap = ledger.twaps.find((one) => one.id === id);
  if (twap?.log.at(-1).status !== "activated")
    return ok("twapCancel", { status: { error: "TWAP was never placed, already canceled, or filled." } });
  twap.log.push({ t: ledger.now(), status: "terminated", executedSz: twap.executedSz, executedNtl: twap.executedNtl });
  ledger.tell({ kind: "twap", twap });
  return ok("twapCancel", { status: "success" });
}

function setLeverage(ledger, action) {
  const coin = ledger.coinOf(action.asset);
  const held = ledger.position(coin).szi;
  if (held !== 0 && ledger.leverage(coin).isCross !== action.isCross)
    return refuse("Cannot switch leverage type with open position.");
  if (action.leverage < 1 || action.leverage > ledger.info(coin).maxLeverage) return refuse("Invalid leverage value");
  ledger.leverages.push({ t: ledger.now(), coin, isCross: action.isCross, leverage: action.leverage });
  return ok("default");
}

function run(ledger, action) {
  switch (action.type) {
    case "noop":
    case "scheduleCancel":
    case "updateIsolatedMargin":
      return ok("default");
    case "order":
      return ok("order", { statuses: action.orders.map((wire) => place(ledger, readOrder(ledger, wire))) });
    case "cancel":
      return ok("cancel", { statuses: action.cancels.map((c) => cancelOne(ledger, ledger.orders.get(c.o), c.a)) });
    case "cancelByCloid":
      return ok("cancel", { statuses: action.cancels.map((c) => cancelOne(ledger, ledger.find(c.cloid), c.asset)) });
    case "batchModify":
      return ok("order", { statuses: action.modifies.map((m) => modifyOne(ledger, m, action.a === true)) });
    case "modify": {
      const status = modifyOne(ledger, action, action.a === true);
      return status.error ? refuse(status.error) : ok("default");
    }
    case "updateLeverage":
      return setLeverage(ledger, action);
    case "twapOrder":
      return twapOrder(ledger, action.twap);
    case "twapCancel":
      return twapCancel(ledger, action.t);
    default:
      return null;
  }
}

export class Nonces {
  constructor() {
    this.used = new Set();
  }
  refusal(nonce, now) {
    if (this.used.has(nonce)) return `Invalid nonce: duplicate nonce ${nonce}`;
    const highest = [...this.used].sort((a, b) => b - a).slice(0, 100);
    if (highest.length === 100 && nonce < highest[99]) return `Invalid nonce: nonce too low ${nonce}`;
    if (nonce < now - 172_800_000 || nonce > now + 86_400_000) return `Invalid nonce: nonce out of range ${nonce}`;
    return null;
  }
}

export function execute(ledger, nonces, envelope) {
  const now = ledger.now();
  const { action, nonce, expiresAfter } = envelope;
  const entry = { t: now, action, nonce, answer: null };
  ledger.actions.push(entry);
  const isOwners = action.type === "approveAgent" || action.type === "approveBuilderFee";
  if (isOwners) {
    ledger.agents = [
      {
        name: (action.agentName ?? "").replace(/ valid_until.*/, ""),
        address: action.agentAddress,
        validUntil: now + 90 * 86_400_000,
      },
    ];
    entry.answer = ok("default");
    return entry.answer;
  }
  const bad = nonces.refusal(nonce, now);
  if (bad) entry.answer = refuse(bad);
  else {
    nonces.used.add(nonce);
    ledger.block = now;
    entry.answer = expiresAfter && now > expiresAfter ? refuse("Action already expired") : run(ledger, action);
    ledger.block = undefined;
  }
  return entry.answer;
}
