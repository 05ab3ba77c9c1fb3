import { dec, txt } from "./decimals.mjs";

const GONE = "Order was never placed, already canceled, or filled.";
const ok = (type, data) => ({ status: "ok", response: data === undefined ? { type } : { type, data } });
const err = (text) => ({ status: "err", response: text });

/** Carries out one action of one account, and answers as the exchange does. */
export function carryOut(engine, account, action) {
  const verb = VERBS[action.type];
  if (verb === undefined) return err(`not modelled: ${action.type}`);
  return verb(engine, account, action);
}

function order(engine, account, action) {
  return ok("order", { statuses: action.orders.map((wire) => engine.place(account, wire)) });
}

function cancel(engine, account, action) {
  const byCloid = action.type === "cancelByCloid";
  const statuses = action.cancels.map((c) => {
    const gone = engine.cancel(account, (o) => (byCloid ? o.cloid === c.cloid : o.oid === c.o));
    return gone === null ? { error: `${GONE} asset=${byCloid ? c.asset : c.a}` } : "success";
  });
  return ok("cancel", { statuses });
}

function batchModify(engine, account, action) {
  const statuses = action.modifies.map(({ oid, order: wire }) =>
    modifyOne(engine, account, { oid, wire, isAlways: action.a === true }),
  );
  return ok("order", { statuses });
}

function modifyOne(engine, account, { oid, wire, isAlways }) {
  const find = (o) => (typeof oid === "string" ? o.cloid === oid : o.oid === oid);
  const target = [...account.orders.values()].find(find);
  if (target === undefined && !isAlways) return { error: "Cannot modify canceled or filled order" };
  if (!isAlways && (wire.t.trigger !== undefined || wire.t.limit.tif === "Ioc"))
    return { error: "Attempted to modify to invalid new order" };
  if (target !== undefined) engine.cancel(account, find);
  const placed = isAlways ? wire : { ...wire, t: { limit: { tif: "Alo" } } };
  return engine.place(account, placed, true);
}

function updateLeverage(engine, account, action) {
  const market = engine.marketOf(action.asset);
  if (action.leverage < 1 || action.leverage > market.leverage) return err("Invalid leverage value");
  const type = action.isCross ? "cross" : "isolated";
  if (account.positions.has(market.coin) && account.setting(market.coin).type !== type) {
    return err("Cannot switch leverage type with open position.");
  }
  account.leverage.set(market.coin, { type, value: action.leverage });
  engine.tell(account, "leverage", { coin: market.coin, type, value: action.leverage });
  engine.changed(account);
  return ok("default");
}

function updateIsolatedMargin(engine, account, action) {
  const market = engine.marketOf(action.asset);
  const held = account.positions.get(market.coin);
  if (held === undefined) return err("Cannot update margin for empty position.");
  if (account.setting(market.coin).type !== "isolated") return err("Position does not use isolated margin.");
  held.isolated += BigInt(action.ntli) * 1_000_000n;
  engine.tell(account, "margin", { coin: market.coin, ntli: action.ntli });
  engine.changed(account);
  return ok("default");
}

function twapOrder(engine, account, { twap }) {
  const market = engine.marketOf(twap.a);
  engine.twapId += 1;
  const at = engine.now();
  const state = {
    coin: market.coin,
    user: account.address,
    side: twap.b ? "B" : "A",
    sz: txt(dec(twap.s)),
    executedSz: "0.0",
    executedNtl: "0.0",
    minutes: twap.m,
    reduceOnly: twap.r,
    randomize: twap.t,
    stopPx: null,
    trigger: null,
    timestamp: at,
  };
  const running = { twapId: engine.twapId, state, isRunning: true };
  account.twaps.push(running);
  tellTwap(engine, account, running, "activated");
  return ok("twapOrder", { status: { running: { twapId: running.twapId } } });
}

export function tellTwap(engine, account, twap, status) {
  const at = engine.now();
  const row = { time: Math.floor(at / 1000), state: { ...twap.state }, status: { status }, twapId: twap.twapId };
  account.twapRows.push({ at, row });
  engine.tell(account, "twap", { twapId: twap.twapId, status, row });
}

function twapCancel(engine, account, action) {
  const twap = account.twaps.find((t) => t.twapId === action.t && t.isRunning);
  if (twap === undefined)
    return ok("twapCancel", { status: { error: "TWAP was never placed, already canceled, or filled." } });
  twap.isRunning = false;
  tellTwap(engine, account, twap, "terminated");
  return ok("twapCancel", { status: "success" });
}

const VERBS = {
  order,
  cancel,
  cancelByCloid: cancel,
  batchModify,
  updateLeverage,
  updateIsolatedMargin,
  twapOrder,
  twapCancel,
  noop: () => ok("default"),
  approveAgent: () => ok("default"),
  approveBuilderFee: () => ok("default"),
};
