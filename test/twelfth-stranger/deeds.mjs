// What a signed action does. Signatures are not checked: who signs is none of these scenes' business.
import { units } from "./decimals.mjs";

const GONE = "Order was never placed, already canceled, or filled.";

function asked(venue, wanted) {
  const trigger = wanted.t.trigger;
  return {
    coin: venue.coinOf(wanted.a),
    side: wanted.b ? "B" : "A",
    px: wanted.p,
    sz: wanted.s,
    reduceOnly: wanted.r,
    tif: trigger ? null : wanted.t.limit.tif,
    trigger,
    cloid: wanted.c,
  };
}

function statuses(type, list) {
  return { status: "ok", response: { type, data: { statuses: list } } };
}

function fail(text) {
  return { status: "err", response: text };
}

const DONE = { status: "ok", response: { type: "default" } };

function cancelled(venue, order, asset, t) {
  if (!order || !["open", "triggered"].includes(order.v.at(-1).status)) return { error: `${GONE} asset=${asset}` };
  venue.set(order, "canceled", t);
  venue.heard("open", { t });
  return "success";
}

function modified(venue, change, always, t) {
  const old = typeof change.oid === "string" ? venue.byCloid(change.oid) : venue.orders.get(BigInt(change.oid));
  const wanted = asked(venue, change.order);
  const alive = old && ["open", "triggered"].includes(old.v.at(-1).status);
  if (!always && (wanted.trigger || wanted.tif === "Ioc")) return { error: "Attempted to modify to invalid new order" };
  if (!alive && !always) return { error: "Cannot modify canceled or filled order" };
  if (alive) venue.set(old, "canceled", t);
  if (!always && wanted.tif === "Gtc") wanted.tif = "Alo";
  const placed = venue.place(wanted, t);
  if (alive) placed.order.replaces = old.oid;
  if (alive) old.replacedBy = placed.order.oid;
  return placed.status;
}

function leverage(venue, action, t) {
  const coin = venue.coinOf(action.asset);
  const now = venue.leverage(coin);
  if (action.leverage > venue.markets[coin].maxLeverage) return fail("Invalid leverage value");
  if (action.isCross && venue.markets[coin].isolated) return fail("Cross margin is not allowed for this asset.");
  if (venue.position(coin).szi !== 0n && now.cross !== action.isCross)
    return fail("Cannot switch leverage type with open position.");
  venue.leverages.set(coin, [
    ...(venue.leverages.get(coin) ?? []),
    { t, cross: action.isCross, value: action.leverage },
  ]);
  venue.note("leverage", { coin, value: action.leverage, cross: action.isCross });
  venue.heard("position", { coin, t });
  return DONE;
}

function margin(venue, action, t) {
  const coin = venue.coinOf(action.asset);
  const held = venue.position(coin);
  if (held.szi === 0n) return fail("Cannot update margin for empty position.");
  if (venue.leverage(coin).cross) return fail("Position does not use isolated margin.");
  const next = { ...held, t, collateral: held.collateral + BigInt(action.ntli) * 100n };
  if (next.collateral < 0n) return fail("Position does not have sufficient margin for reduction.");
  venue.positions.get(coin).push(next);
  venue.note("margin", { coin, ntli: Number(action.ntli) });
  venue.heard("position", { coin, t });
  return DONE;
}

export function startTwap(venue, twap, t) {
  const id = venue.nextTwap++;
  const row = {
    id,
    coin: venue.coinOf(twap.a),
    side: twap.b ? "B" : "A",
    sz: twap.s,
    minutes: twap.m,
    reduceOnly: twap.r,
    randomize: twap.t,
    timestamp: t,
    executed: [{ t, sz: 0n, ntl: 0n }],
    v: [{ t, status: { status: "activated" } }],
  };
  venue.twaps.set(id, row);
  venue.note("twap", { id, coin: row.coin, sz: twap.s });
  venue.heard("twap", { row, t });
  return row;
}

export function endTwap(venue, row, status, t = venue.now()) {
  row.v.push({ t, status: typeof status === "string" ? { status } : status });
  venue.note("twap-end", { id: row.id, status: row.v.at(-1).status.status });
  venue.heard("twap", { row, t });
}

export function slice(venue, row, size, price) {
  const t = venue.now();
  const order = {
    oid: venue.nextOid++,
    coin: row.coin,
    side: row.side,
    px: price,
    sz: units(size),
    origSz: size,
    tif: "Ioc",
    reduceOnly: row.reduceOnly,
    timestamp: t,
    v: [],
    twap: row.id,
  };
  venue.orders.set(order.oid, order);
  venue.fill(order, units(size), units(price), { time: t, twapId: row.id, hash: `0x${"0".repeat(64)}` });
  order.v.push({ t, status: "filled", sz: 0n });
  const last = row.executed.at(-1);
  row.executed.push({ t, sz: last.sz + units(size), ntl: last.ntl + (units(size) * units(price)) / 100000000n });
  venue.heard("twap", { row, t });
}

function twapCancel(venue, action, t) {
  const row = venue.twaps.get(Number(action.t));
  const running = row && row.coin === venue.coinOf(action.a) && row.v.at(-1).status.status === "activated";
  if (!running)
    return {
      status: "ok",
      response: {
        type: "twapCancel",
        data: { status: { error: "TWAP was never placed, already canceled, or filled." } },
      },
    };
  endTwap(venue, row, "terminated", t);
  return { status: "ok", response: { type: "twapCancel", data: { status: "success" } } };
}

function act(venue, action, t) {
  switch (action.type) {
    case "order":
      return statuses(
        "order",
        action.orders.map((o) => venue.place(asked(venue, o), t).status),
      );
    case "cancel":
      return statuses(
        "cancel",
        action.cancels.map((c) => cancelled(venue, venue.orders.get(BigInt(c.o)), c.a, t)),
      );
    case "cancelByCloid":
      return statuses(
        "cancel",
        action.cancels.map((c) => cancelled(venue, venue.byCloid(c.cloid), c.asset, t)),
      );
    case "batchModify":
      return statuses(
        "order",
        action.modifies.map((m) => modified(venue, m, action.a === true, t)),
      );
    case "updateLeverage":
      return leverage(venue, action, t);
    case "updateIsolatedMargin":
      return margin(venue, action, t);
    case "twapOrder":
      return {
        status: "ok",
        response: { type: "twapOrder", data: { status: { running: { twapId: startTwap(venue, action.twap, t).id } } } },
      };
    case "twapCancel":
      return twapCancel(venue, action, t);
    case "noop":
    case "approveAgent":
      return DONE;
    default:
      venue.note("unknown-action", { type: action.type });
      return fail(`Unknown action ${action.type}`);
  }
}

/** One action in one block: one time for all of it. */
export function execute(venue, envelope) {
  const t = venue.now();
  const nonce = String(envelope.nonce);
  if (venue.nonces.has(nonce)) return fail(`Invalid nonce: duplicate nonce ${nonce}`);
  if (Number(nonce) > t + 86400000 || Number(nonce) < t - 172800000)
    return fail(`Invalid nonce: nonce too high ${nonce} > ${t}`);
  venue.nonces.add(nonce);
  if (envelope.expiresAfter && Number(envelope.expiresAfter) < t) return fail("Action already expired");
  venue.note("action", { type: envelope.action.type, nonce });
  return act(venue, envelope.action, t);
}
