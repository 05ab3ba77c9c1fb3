// What each store shows of the venue, as of a moment that is its own.
import { absolute, times, units, wire } from "./decimals.mjs";
import { at } from "./venue.mjs";

const TOKENS = { USDC: [0, 8], PURR: [1, 0], HYPE: [150, 2], USDE: [235, 2] };

export function orderRow(order, t) {
  const now = at(
    order.v.filter((v) => !v.quiet),
    t,
  );
  return shape(order, now?.sz ?? order.sz);
}

function shape(order, remaining) {
  const trigger = order.trigger;
  const kind = trigger
    ? `${trigger.tpsl === "sl" ? "Stop" : "Take Profit"} ${trigger.isMarket ? "Market" : "Limit"}`
    : order.tif === "FrontendMarket"
      ? "Market"
      : "Limit";
  const above = trigger && (trigger.tpsl === "tp") === (order.side === "A");
  return {
    coin: order.coin,
    side: order.side,
    limitPx: wire(units(order.px)),
    sz: wire(remaining),
    oid: order.oid,
    timestamp: order.timestamp,
    triggerCondition: trigger ? `Price ${above ? "above" : "below"} ${trigger.triggerPx}` : "N/A",
    isTrigger: trigger !== undefined && trigger !== null,
    triggerPx: trigger ? trigger.triggerPx : "0.0",
    children: [],
    isPositionTpsl: false,
    reduceOnly: order.reduceOnly,
    orderType: order.twap ? "Twap Slice" : kind,
    origSz: wire(units(order.origSz)),
    tif: trigger ? null : order.tif,
    cloid: order.cloid ?? null,
  };
}

function recorded(order, t) {
  const now = at(
    order.v.filter((v) => !v.quiet),
    t,
  );
  return now && { order: shape(order, now.sz), status: now.status, statusTimestamp: now.t };
}

export function openOrders(venue, t, dex) {
  const mine = [...venue.orders.values()].filter((o) => (venue.markets[o.coin].dex ?? "") === dex);
  return mine
    .filter((o) => ["open", "triggered"].includes(at(o.v, t)?.status))
    .map((o) => shape(o, at(o.v, t).sz))
    .reverse();
}

export function orderStatus(venue, t, id) {
  const order = typeof id === "string" && id.startsWith("0x") ? venue.byCloid(id, t) : venue.orders.get(BigInt(id));
  const row = order && recorded(order, t);
  return row ? { status: "order", order: row } : { status: "unknownOid" };
}

export function history(venue, t) {
  const rows = [];
  for (const order of venue.orders.values())
    for (const v of order.v)
      if (v.t <= t && !v.quiet) rows.push({ order: shape(order, v.sz), status: v.status, statusTimestamp: v.t });
  return rows.sort((a, b) => b.statusTimestamp - a.statusTimestamp).slice(0, 2000);
}

export function fillsByTime(venue, t, [from, to], { limit = 2000, reversed = false } = {}) {
  const rows = venue.fills.filter((f) => f.time <= t && f.time >= from && f.time <= (to ?? Number.POSITIVE_INFINITY));
  const sorted = rows.sort((a, b) => a.time - b.time);
  return (reversed ? sorted.reverse() : sorted).slice(0, limit);
}

export function clearinghouse(venue, t, dex) {
  const assetPositions = [];
  let cross = at(venue.cash, t)?.value ?? 0n;
  if (dex !== "") cross = units("100000");
  let used = 0n;
  let value = 0n;
  let isolated = 0n;
  for (const [coin, rows] of venue.positions) {
    const market = venue.markets[coin];
    const row = at(rows, t);
    if (!row || row.szi === 0n || market.dex !== dex) continue;
    const set = venue.leverage(coin, t);
    const worth = times(absolute(row.szi), units(market.mark));
    const pnl = times(row.szi, units(market.mark) - row.entry);
    const marginUsed = set.cross ? worth / BigInt(set.value) : row.collateral + pnl;
    const leverage = set.cross
      ? { type: "cross", value: set.value }
      : { type: "isolated", value: set.value, rawUsd: wire(row.collateral - times(row.entry, row.szi)) };
    assetPositions.push({
      type: "oneWay",
      position: {
        coin,
        szi: wire(row.szi),
        leverage,
        entryPx: wire(row.entry),
        positionValue: wire(worth),
        unrealizedPnl: wire(pnl),
        returnOnEquity: "0.0",
        liquidationPx: null,
        marginUsed: wire(marginUsed),
        maxLeverage: market.maxLeverage,
        cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
      },
    });
    used += marginUsed;
    value += worth;
    if (set.cross) cross += pnl;
    else isolated += marginUsed;
  }
  const total = {
    accountValue: wire(cross + isolated),
    totalNtlPos: wire(value),
    totalRawUsd: wire(cross),
    totalMarginUsed: wire(used),
  };
  return {
    marginSummary: total,
    crossMarginSummary: { ...total, accountValue: wire(cross) },
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: wire(cross - used),
    assetPositions,
    time: t,
  };
}

export function spotState(venue, t) {
  const balances = [...venue.balances]
    .filter(([, rows]) => at(rows, t))
    .map(([coin, rows]) => ({
      coin,
      token: TOKENS[coin][0],
      total: wire(at(rows, t).total),
      hold: wire(venue.hold?.[coin] ?? 0n),
      entryNtl: "0.0",
    }));
  return { balances };
}

function twapState(venue, row, t) {
  const done = at(row.executed, t) ?? row.executed[0];
  return {
    coin: row.coin,
    user: venue.user,
    side: row.side,
    sz: wire(units(row.sz)),
    executedSz: wire(done.sz),
    executedNtl: wire(done.ntl),
    minutes: row.minutes,
    reduceOnly: row.reduceOnly,
    randomize: row.randomize,
    timestamp: row.timestamp,
  };
}

export function twapHistory(venue, t) {
  const rows = [];
  for (const row of venue.twaps.values())
    for (const v of row.v)
      if (v.t <= t)
        rows.push({
          time: Math.floor(v.t / 1000),
          state: twapState(venue, row, v.t),
          status: v.status,
          twapId: row.id,
        });
  return rows.reverse();
}

export function twapStates(venue, t) {
  return [...venue.twaps.values()]
    .filter((r) => at(r.v, t)?.status.status === "activated")
    .map((r) => [r.id, twapState(venue, r, t)]);
}

export function sliceFills(venue, t) {
  return venue.fills
    .filter((f) => f.twapId !== null && f.time <= t)
    .map((fill) => ({ fill, twapId: fill.twapId }))
    .reverse();
}

export function meta(venue, dex) {
  const list = Object.entries(venue.markets)
    .filter(([, m]) => m.dex === dex)
    .sort((a, b) => a[1].asset - b[1].asset);
  return {
    universe: list.map(([name, m]) => ({
      szDecimals: m.szDecimals,
      name,
      maxLeverage: m.maxLeverage,
      marginTableId: m.maxLeverage,
      ...(m.isolated ? { onlyIsolated: true, marginMode: "strictIsolated" } : {}),
      ...(m.delisted ? { isDelisted: true } : {}),
    })),
    marginTables: [],
    collateralToken: dex === "" ? 0 : (venue.collateral ?? 0),
  };
}

export function contexts(venue, dex) {
  return meta(venue, dex).universe.map(({ name }) => context(venue, name));
}

export function context(venue, coin) {
  const m = venue.markets[coin];
  return {
    funding: "0.0000125",
    openInterest: "1000.0",
    prevDayPx: wire(units(m.mark)),
    dayNtlVlm: "1000000.0",
    premium: "0.0",
    oraclePx: wire(units(m.mark)),
    markPx: wire(units(m.mark)),
    midPx: wire(units(m.mark)),
    impactPxs: [wire(units(m.bid)), wire(units(m.ask))],
    dayBaseVlm: "100.0",
  };
}

export function spotMeta(venue) {
  const universe = Object.entries(venue.markets)
    .filter(([, m]) => m.spot !== undefined)
    .map(([name, m]) => ({ tokens: [TOKENS[m.base][0], 0], name, index: m.spot, isCanonical: m.spot === 0 }));
  const tokens = Object.entries(TOKENS).map(([name, [index, szDecimals]]) => ({
    name,
    szDecimals,
    weiDecimals: 8,
    index,
    tokenId: `0x${index.toString(16).padStart(32, "0")}`,
    isCanonical: index < 2,
    evmContract: null,
    fullName: null,
    deployerTradingFeeShare: "0.0",
  }));
  return { universe, tokens };
}

export function spotContexts(venue) {
  return Object.entries(venue.markets)
    .filter(([, m]) => m.spot !== undefined)
    .map(([coin, m]) => ({
      prevDayPx: m.mark,
      dayNtlVlm: "0.0",
      markPx: m.mark,
      midPx: m.mark,
      circulatingSupply: "1.0",
      coin,
      totalSupply: "1.0",
      dayBaseVlm: "0.0",
    }));
}

export function mids(venue, dex) {
  return Object.fromEntries(
    Object.entries(venue.markets)
      .filter(([, m]) => m.dex === dex || (dex === "" && m.spot !== undefined))
      .map(([c, m]) => [c, wire(units(m.mark))]),
  );
}

export function book(venue, coin) {
  const m = venue.markets[coin];
  return m
    ? { coin, time: venue.now(), levels: [[{ px: m.bid, sz: "1000.0", n: 1 }], [{ px: m.ask, sz: "1000.0", n: 1 }]] }
    : null;
}

export function activeAsset(venue, t, coin) {
  const set = venue.leverage(coin, t);
  return {
    user: venue.user,
    coin,
    leverage: set.cross ? { type: "cross", value: set.value } : { type: "isolated", value: set.value, rawUsd: "0.0" },
    maxTradeSzs: ["10.0", "10.0"],
    availableToTrade: ["90000.0", "90000.0"],
    markPx: wire(units(venue.markets[coin].mark)),
  };
}
