// What each store shows of the log, as of a moment that the asker chooses: no store knows anything of another.
import { byCoin, MARKETS, meta, perpDexs, round, spotMeta, text } from "./markets.mjs";

const LIVE = new Set(["open", "triggered"]);
const dexOf = (coin) => byCoin.get(coin).dex;
const listedIn = (coin, dex) => dexOf(coin) === dex || (dex === "" && dexOf(coin) === "spot");

function versionAt(rows, at, kind) {
  for (let k = rows.length - 1; k >= 0; k--) if (rows[k].at <= at && (!kind || rows[k].kind === kind)) return rows[k];
}

function typeOf({ trigger, tif }) {
  if (!trigger) return tif === "FrontendMarket" ? "Market" : "Limit";
  return `${trigger.tpsl === "sl" ? "Stop" : "Take Profit"} ${trigger.isMarket ? "Market" : "Limit"}`;
}

export function frontend(order, sz) {
  const { trigger } = order;
  const above = trigger && (trigger.tpsl === "tp") !== order.buy;
  return {
    coin: order.coin,
    side: order.buy ? "B" : "A",
    limitPx: text(order.px),
    sz: text(sz),
    oid: order.oid,
    timestamp: order.madeAt,
    triggerCondition: trigger ? `Price ${above ? "above" : "below"} ${text(trigger.px)}` : "N/A",
    isTrigger: trigger !== null,
    triggerPx: trigger ? text(trigger.px) : "0.0",
    children: [],
    isPositionTpsl: false,
    reduceOnly: order.ro,
    orderType: order.origin === "twap" ? "Twap Slice" : typeOf(order),
    origSz: text(order.orig),
    tif: trigger ? null : order.tif,
    cloid: order.cloid,
  };
}

export function orderRecord(engine, at, wanted) {
  let found;
  for (const order of engine.orders.values()) {
    const matches = typeof wanted === "number" ? order.oid === wanted : order.cloid === String(wanted).toLowerCase();
    if (matches && versionAt(engine.versions.get(order.oid) ?? [], at, "status")) found = order;
  }
  if (!found) return { status: "unknownOid" };
  const version = versionAt(engine.versions.get(found.oid), at, "status");
  return {
    status: "order",
    order: {
      order: frontend(found, version.sz),
      status: engine.wordOf?.(found, version.status) ?? version.status,
      statusTimestamp: version.time,
    },
  };
}

export function openOrders(engine, at, dex = "") {
  const rows = [];
  for (const order of engine.orders.values()) {
    const version = versionAt(engine.versions.get(order.oid) ?? [], at);
    if (version && LIVE.has(version.status) && listedIn(order.coin, dex)) rows.push(frontend(order, version.sz));
  }
  return rows.sort((a, b) => b.oid - a.oid);
}

export function history(engine, at) {
  const rows = [];
  for (const order of engine.orders.values())
    for (const version of engine.versions.get(order.oid) ?? [])
      if (version.kind === "status" && version.at <= at)
        rows.push({
          order: frontend(order, version.sz),
          status: engine.wordOf?.(order, version.status) ?? version.status,
          statusTimestamp: version.time,
        });
  return rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp || b.order.oid - a.order.oid).slice(0, 2000);
}

function directionOf({ start, buy, sz, coin }) {
  if (dexOf(coin) === "spot") return buy ? "Buy" : "Sell";
  const after = start + (buy ? sz : -sz);
  if (start * after < 0) return start > 0 ? "Long > Short" : "Short > Long";
  if (buy) return start < 0 ? "Close Short" : "Open Long";
  return start > 0 ? "Close Long" : "Open Short";
}

export function fillRow(row) {
  return {
    coin: row.coin,
    px: text(row.px),
    sz: text(row.sz),
    side: row.buy ? "B" : "A",
    time: row.time,
    startPosition: text(row.start),
    dir: directionOf(row),
    closedPnl: text(row.pnl, 6),
    hash: row.twapId ? `0x${"0".repeat(64)}` : `0x${row.tid.toString(16).padStart(64, "a")}`,
    oid: row.oid,
    crossed: row.isTaker,
    fee: text(row.fee, 6),
    tid: row.tid,
    ...(row.cloid ? { cloid: row.cloid } : {}),
    feeToken: row.feeInBase > 0 ? "PURR" : "USDC",
    twapId: row.twapId,
  };
}

export const fills = (engine, at) => engine.fills.filter((row) => row.at <= at).map(fillRow);

function stateAt(engine, at) {
  for (let k = engine.states.length - 1; k > 0; k--) if (engine.states[k].at <= at) return engine.states[k];
  return engine.states[0];
}

function settingAt(engine, coin, at) {
  const row = engine.leverageRows.filter((one) => one.coin === coin && one.at <= at).at(-1);
  return row ?? { isCross: true, leverage: Math.min(20, byCoin.get(coin).maxLeverage) };
}

// Stamped with the time of what it shows: a server that is behind says so here, and nowhere else.
export function clearinghouse(engine, at, dex = "") {
  const state = stateAt(engine, at);
  const assetPositions = [];
  let total = state.cash[dex] ?? 0;
  let notional = 0;
  let used = 0;
  let isolatedHeld = 0;
  for (const position of state.positions.filter((one) => dexOf(one.coin) === dex)) {
    const { isCross, leverage } = settingAt(engine, position.coin, at);
    const mark = engine.mark.get(position.coin);
    const value = Math.abs(position.szi) * mark;
    const unrealized = position.szi * (mark - position.entry);
    const held = isCross ? value / leverage : position.margin + unrealized;
    total += unrealized;
    notional += value;
    used += held;
    if (!isCross) isolatedHeld += held;
    assetPositions.push({
      type: "oneWay",
      position: {
        coin: position.coin,
        szi: text(position.szi),
        leverage: isCross
          ? { type: "cross", value: leverage }
          : { type: "isolated", value: leverage, rawUsd: text(position.margin - position.entry * position.szi, 6) },
        entryPx: text(position.entry, 6),
        positionValue: text(value, 6),
        unrealizedPnl: text(unrealized, 6),
        returnOnEquity: "0.0",
        liquidationPx: null,
        marginUsed: text(held, 6),
        maxLeverage: byCoin.get(position.coin).maxLeverage,
        cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
      },
    });
  }
  const summary = (value, ntl, margin) => ({
    accountValue: text(value, 6),
    totalNtlPos: text(ntl, 6),
    totalRawUsd: text(value, 6),
    totalMarginUsed: text(margin, 6),
  });
  return {
    marginSummary: summary(total, notional, used),
    crossMarginSummary: summary(total - isolatedHeld, notional, used - isolatedHeld),
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: text(Math.max(0, total - used), 6),
    assetPositions,
    time: at + engine.clockOffMs,
  };
}

export function spotState(engine, at) {
  const { spot } = stateAt(engine, at);
  const rows = engine.live().filter((order) => order.coin === "PURR/USDC");
  const hold = {
    USDC: rows.filter((order) => order.buy).reduce((sum, order) => sum + order.sz * order.px, 0),
    PURR: rows.filter((order) => !order.buy).reduce((sum, order) => sum + order.sz, 0),
  };
  const balance = (coin, token) => ({ coin, token, total: text(spot[coin]), hold: text(hold[coin]), entryNtl: "0.0" });
  return { balances: [balance("USDC", 0), balance("PURR", 1)] };
}

function twapState(row) {
  return {
    coin: row.coin,
    user: row.user,
    side: row.buy ? "B" : "A",
    sz: text(row.size),
    executedSz: text(row.filled),
    executedNtl: text(row.ntl, 6),
    minutes: row.minutes,
    reduceOnly: row.ro,
    randomize: row.randomize,
    stopPx: null,
    trigger: null,
    timestamp: row.madeAt,
  };
}

export const twapHistory = (engine, at, user) =>
  engine.twapRows
    .filter((row) => row.at <= at)
    .map((row) => ({
      time: Math.floor(row.time / 1000),
      state: { ...twapState(row), user },
      status: { status: row.status },
      twapId: row.id,
    }))
    .reverse();

export function runningTwaps(engine, at, user, dex) {
  const newest = new Map();
  for (const row of engine.twapRows) if (row.at <= at && dexOf(row.coin) === dex) newest.set(row.id, row);
  return [...newest.values()]
    .filter((row) => row.status === "activated")
    .map((row) => [row.id, { ...twapState(row), user }]);
}

export const twapFills = (engine, at) =>
  engine.fills.filter((row) => row.at <= at && row.twapId).map((row) => ({ fill: fillRow(row), twapId: row.twapId }));

export function contexts(engine, dex) {
  return MARKETS.filter((market) => market.dex === dex).map(({ coin, tick }) => contextOf(engine, coin, tick));
}

export function contextOf(engine, coin) {
  const mark = engine.mark.get(coin);
  const spot =
    dexOf(coin) === "spot"
      ? { coin, circulatingSupply: "1000000.0", totalSupply: "1000000.0" }
      : {
          funding: "0.0",
          openInterest: "100.0",
          premium: null,
          oraclePx: text(engine.oracle?.get(coin) ?? mark),
          impactPxs: null,
        };
  return {
    prevDayPx: text(mark),
    dayNtlVlm: "1000000.0",
    markPx: text(mark),
    midPx: text(mark),
    dayBaseVlm: "1000.0",
    ...spot,
  };
}

export function l2Book(engine, coin) {
  if (!byCoin.has(coin)) return null;
  const { bids, asks } = engine.book(coin);
  const level = ({ px, sz }) => ({ px: text(px), sz: text(sz), n: 1 });
  return { coin, time: engine.now(), levels: [bids.map(level), asks.map(level)] };
}

export const mids = (engine, dex = "") =>
  Object.fromEntries(
    MARKETS.filter((market) => listedIn(market.coin, dex)).map(({ coin }) => [coin, text(engine.mark.get(coin))]),
  );

export function assetData(engine, at, user, coin) {
  const { isCross, leverage } = settingAt(engine, coin, at);
  const mark = engine.mark.get(coin);
  const free = engine.cash[dexOf(coin)] ?? 0;
  const most = round((free * leverage) / mark, 2);
  return {
    user,
    coin,
    leverage: isCross ? { type: "cross", value: leverage } : { type: "isolated", value: leverage, rawUsd: "0.0" },
    maxTradeSzs: [text(most), text(most)],
    availableToTrade: [text(free, 6), text(free, 6)],
    markPx: text(mark),
  };
}

export { meta, perpDexs, spotMeta };
