// Signed actions, as a block of the exchange executes them: nonce, expiry, then what they ask for.
import { byAsset, byCoin, round } from "./markets.mjs";

const ok = (type, data) => ({ status: "ok", response: data === undefined ? { type } : { type, data } });
const err = (response) => ({ status: "err", response });
export const GONE = "Order was never placed, already canceled, or filled.";

export function execute(engine, envelope, signer, refusal) {
  const { action, nonce, expiresAfter } = envelope;
  const used = engine.nonces.get(signer) ?? new Set();
  engine.nonces.set(signer, used);
  if (action.type === "approveAgent" || action.type === "approveBuilderFee") return ok("default");
  if (used.has(nonce)) return err(`Invalid nonce: duplicate nonce ${nonce}`);
  if (refusal && !refusal.burns) {
    engine.note("refused", { nonce, words: refusal.words, action });
    return err(refusal.words);
  }
  used.add(nonce);
  if (expiresAfter && engine.now() > expiresAfter) return err("Action already expired");
  if (refusal) {
    engine.note("refused", { nonce, words: refusal.words, action });
    return err(refusal.words);
  }
  engine.note("action", { type: action.type, nonce, action });
  const run = RUN[action.type];
  return run ? run(engine, action) : err(`Unknown action ${action.type}`);
}

const RUN = {
  noop: () => ok("default"),
  order(engine, { orders, grouping }) {
    const batch = orders.length > 1 ? engine.nextOid : undefined;
    return ok("order", { statuses: orders.map((wire) => engine.place(wire, "gateway", batch ?? grouping)) });
  },
  cancel: (engine, { cancels }) =>
    ok("cancel", { statuses: cancels.map(({ a, o }) => cancelOne(engine, a, engine.orders.get(o))) }),
  cancelByCloid: (engine, { cancels }) =>
    ok("cancel", {
      statuses: cancels.map(({ asset, cloid }) => cancelOne(engine, asset, engine.newestByCloid(cloid))),
    }),
  batchModify: (engine, action) =>
    ok("order", { statuses: action.modifies.map((one) => modify(engine, one, action.a === true)) }),
  updateLeverage,
  updateIsolatedMargin,
  twapOrder,
  twapCancel,
  scheduleCancel: () =>
    err("Cannot set scheduled cancel time until enough volume traded. Required: $1000000. Traded: $0."),
  reserveRequestWeight: () => ok("default"),
};

function cancelOne(engine, asset, order) {
  if (order?.asset !== asset || !engine.cancel(order)) return { error: `${GONE} asset=${asset}` };
  return "success";
}

function modify(engine, { oid, order: wire }, always) {
  const original = typeof oid === "number" ? engine.orders.get(oid) : engine.newestByCloid(oid);
  const isPlain = wire.t.limit && (wire.t.limit.tif === "Alo" || wire.t.limit.tif === "Gtc");
  if (original && (original.buy !== wire.b || original.asset !== wire.a))
    return { error: "Attempted to modify to invalid new order" };
  if (!always && !isPlain) return { error: "Attempted to modify to invalid new order" };
  const canceled = engine.cancel(original);
  if (!canceled && !always) return { error: "Cannot modify canceled or filled order" };
  const placed = always ? wire : { ...wire, t: { limit: { tif: "Alo" } } };
  return engine.place(placed, original?.origin ?? "gateway");
}

function updateLeverage(engine, { asset, isCross, leverage }) {
  const { coin, maxLeverage } = byAsset.get(asset);
  if (leverage < 1 || leverage > maxLeverage) return err("Invalid leverage value");
  const before = engine.settingOf(coin);
  const position = engine.positionOf(coin);
  if (position.szi !== 0 && before.isCross !== isCross) return err("Cannot switch leverage type with open position.");
  engine.leverage.set(coin, { isCross, leverage });
  engine.leverageRows.push({ at: Date.now(), coin, isCross, leverage });
  engine.note("leverage", { coin, isCross, leverage });
  engine.keepState();
  return ok("default");
}

function updateIsolatedMargin(engine, { asset, ntli }) {
  const { coin, dex } = byAsset.get(asset);
  const position = engine.positionOf(coin);
  const { isCross, leverage } = engine.settingOf(coin);
  if (ntli === 0) return err("Update to isolated margin cannot be zero.");
  if (position.szi === 0) return err("Cannot update margin for empty position.");
  if (isCross) return err("Position does not use isolated margin.");
  const amount = Number(ntli) / 1e6;
  const notional = Math.abs(position.szi) * engine.mark.get(coin);
  if (amount < 0 && position.margin + amount < Math.max(notional / leverage, notional / 10))
    return err("Position does not have sufficient margin for reduction.");
  if (amount > engine.cash[dex]) return err("Account does not have sufficient margin available for increase.");
  position.margin = round(position.margin + amount, 6);
  engine.note("margin", { coin, amount });
  engine.keepState();
  return ok("default");
}

// ---- TWAPs: a slice every three seconds, so that a minute of a test sees twenty.

export const SLICE_MS = 3_000;

function twapOrder(engine, { twap }) {
  const { coin } = byAsset.get(twap.a);
  const size = Number(twap.s);
  const refused = (words) => ok("twapOrder", { status: { error: words } });
  if (twap.m < 5 || twap.m > 10080) return refused(`Invalid TWAP duration: ${twap.m} min(s)`);
  if (size * engine.mark.get(coin) < 100) return refused("TWAP order value too small. Min is $100.");
  const id = engine.nextTwap++;
  const one = {
    id,
    coin,
    asset: twap.a,
    buy: twap.b,
    size,
    ro: twap.r,
    minutes: twap.m,
    randomize: twap.t,
    filled: 0,
    ntl: 0,
    status: "activated",
    madeAt: engine.now(),
  };
  engine.twaps.set(id, one);
  keepTwap(engine, one);
  one.timer = setInterval(() => slice(engine, one), SLICE_MS);
  return ok("twapOrder", { status: { running: { twapId: id } } });
}

function keepTwap(engine, one) {
  const { timer, ...row } = one;
  engine.twapRows.push({ at: Date.now(), time: engine.now(), ...row });
  engine.note("twap", {
    id: one.id,
    coin: one.coin,
    status: one.status,
    buy: one.buy,
    size: one.size,
    ro: one.ro,
    filled: one.filled,
  });
  engine.changed("twap", one);
}

export function endTwap(engine, one, status) {
  if (one.status !== "activated") return false;
  clearInterval(one.timer);
  one.status = status;
  keepTwap(engine, one);
  return true;
}

function slice(engine, one) {
  if (one.status !== "activated") return;
  const market = byCoin.get(one.coin);
  const step = Math.max(one.size / 10, 11 / engine.mark.get(one.coin));
  let size = Math.min(round(step, market.szDecimals), round(one.size - one.filled, market.szDecimals));
  if (one.ro) size = Math.min(size, engine.room({ coin: one.coin, buy: one.buy }));
  const { bids, asks } = engine.book(one.coin);
  const best = (one.buy ? asks : bids)[0];
  if (best && size > 0) {
    const order = {
      oid: engine.nextOid++,
      cloid: null,
      coin: one.coin,
      asset: one.asset,
      buy: one.buy,
      px: best.px,
      sz: size,
      orig: size,
      ro: one.ro,
      tif: "Ioc",
      trigger: null,
      filled: 0,
      filledNtl: 0,
      status: "new",
      madeAt: engine.now(),
      statusAt: engine.now(),
      origin: "twap",
      twapId: one.id,
    };
    engine.orders.set(order.oid, order);
    const sz = Math.min(size, best.sz);
    one.filled = round(one.filled + sz);
    one.ntl += sz * best.px;
    engine.fill(order, sz, best.px, { twapId: one.id });
    engine.setStatus(order, "filled");
  }
  if (one.filled >= one.size) endTwap(engine, one, "finished");
}

function twapCancel(engine, { a, t }) {
  const one = engine.twaps.get(t);
  if (!one || one.asset !== a || !endTwap(engine, one, "terminated"))
    return ok("twapCancel", { status: { error: "TWAP was never placed, already canceled, or filled." } });
  return ok("twapCancel", { status: "success" });
}
