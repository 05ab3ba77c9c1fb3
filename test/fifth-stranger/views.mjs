// What each store shows of the truth as of a moment.
import { abs, div, least, mul, ONE, plain, usd, wire } from "./codec.mjs";

export class Views {
  constructor(truth, twaps) {
    this.truth = truth;
    this.twaps = twaps;
    this.markets = truth.markets;
  }

  at(order, asOf) {
    let last = null;
    let changed = null;
    for (const row of order.history) {
      if (row.time > asOf) break;
      last = row;
      if (row.changed) changed = row;
    }
    return last === null ? null : { last, changed };
  }

  frontend(order, sz) {
    const { trigger } = order;
    const above = trigger && (trigger.tpsl === "tp") === (order.side === "A");
    const kind = trigger
      ? `${trigger.tpsl === "tp" ? "Take Profit" : "Stop"} ${trigger.isMarket ? "Market" : "Limit"}`
      : order.tif === "FrontendMarket"
        ? "Market"
        : order.twapId
          ? "Twap Slice"
          : "Limit";
    return {
      coin: order.coin,
      side: order.side,
      limitPx: wire(order.limitPx),
      sz: wire(sz),
      oid: order.oid,
      timestamp: order.timestamp,
      triggerCondition: trigger ? `Price ${above ? "above" : "below"} ${plain(trigger.px)}` : "N/A",
      isTrigger: trigger !== null && !order.fired,
      triggerPx: trigger ? wire(trigger.px) : "0.0",
      children: [],
      isPositionTpsl: false,
      reduceOnly: order.reduceOnly,
      orderType: kind,
      origSz: wire(order.origSz),
      tif: order.tif,
      cloid: order.cloid,
    };
  }

  status(account, key, asOf) {
    let found = null;
    for (const order of account.orders.values()) {
      if ((typeof key === "number" ? order.oid === key : order.cloid === key) && this.at(order, asOf)) found = order;
    }
    if (found === null || found.forgotten) return { status: "unknownOid" };
    const { changed, last } = this.at(found, asOf);
    const row = changed ?? last;
    return {
      status: "order",
      order: { order: this.frontend(found, row.sz), status: row.status, statusTimestamp: row.time },
    };
  }

  open(account, dex, asOf) {
    const rows = [];
    for (const order of account.orders.values()) {
      const market = this.markets.byCoin(order.coin);
      if (market.dex !== dex) continue;
      const seen = this.at(order, asOf);
      if (seen && seen.last.status === "open") rows.push(this.frontend(order, seen.last.sz));
    }
    return rows.reverse();
  }

  /** The shorter shape of `openOrders`. */
  basic({ coin, side, limitPx, sz, oid, timestamp, origSz, reduceOnly, cloid }) {
    return {
      coin,
      side,
      limitPx,
      sz,
      oid,
      timestamp,
      origSz,
      ...(reduceOnly ? { reduceOnly } : {}),
      ...(cloid ? { cloid } : {}),
    };
  }

  history(account, asOf) {
    const rows = [];
    for (const order of account.orders.values()) {
      for (const row of order.history) {
        if (row.time <= asOf && row.changed && !order.forgotten)
          rows.push({ order: this.frontend(order, row.sz), status: row.status, statusTimestamp: row.time });
      }
    }
    return rows.sort((left, right) => right.statusTimestamp - left.statusTimestamp).slice(0, 2000);
  }

  fills(account, asOf, from = 0, to = Infinity) {
    return account.fills.filter((fill) => fill.time <= asOf && fill.time >= from && fill.time <= to);
  }

  snap(account, asOf) {
    let found = null;
    for (const snap of account.snaps) {
      if (snap.time > asOf) break;
      found = snap;
    }
    return (
      found ?? {
        time: asOf,
        positions: new Map(),
        leverage: new Map(),
        cash: { "": 0n, xyz: 0n },
        spot: new Map(),
        holds: new Map(),
      }
    );
  }

  clearinghouse(account, dex, asOf) {
    const snap = this.snap(account, asOf);
    const rows = [];
    let [value, notional, margin, crossNotional, crossMargin, crossValue, maintenance] = [
      snap.cash[dex] ?? 0n,
      0n,
      0n,
      0n,
      0n,
      snap.cash[dex] ?? 0n,
      0n,
    ];
    for (const position of snap.positions.values()) {
      const market = this.markets.byCoin(position.coin);
      if (market.dex !== dex) continue;
      const size = abs(position.szi);
      const worth = mul(size, market.mid);
      const signed = position.szi > 0n ? worth : -worth;
      const isolated = position.leverage.type === "isolated";
      const used = isolated ? position.raw + signed : worth / BigInt(position.leverage.value);
      const entry = div(position.entryNtl, size);
      const profit = position.szi > 0n ? worth - position.entryNtl : position.entryNtl - worth;
      notional += worth;
      margin += used;
      if (isolated) value += position.raw + signed;
      else {
        value += signed;
        crossValue += signed;
        crossNotional += worth;
        crossMargin += used;
        maintenance += worth / BigInt(2 * market.maxLeverage);
      }
      rows.push({
        type: "oneWay",
        position: {
          coin: position.coin,
          szi: wire(position.szi),
          leverage: {
            type: position.leverage.type,
            value: position.leverage.value,
            ...(isolated ? { rawUsd: usd(position.raw) } : {}),
          },
          entryPx: wire(entry),
          positionValue: usd(worth),
          unrealizedPnl: usd(profit),
          returnOnEquity: wire(div(profit, position.entryNtl / BigInt(position.leverage.value) || ONE)),
          liquidationPx:
            isolated && position.szi > 0n
              ? wire(div(-position.raw, mul(size, ONE - ONE / BigInt(2 * market.maxLeverage))))
              : null,
          marginUsed: usd(used),
          maxLeverage: market.maxLeverage,
          cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
        },
      });
    }
    const free = crossValue - (crossMargin > crossNotional / 10n ? crossMargin : crossNotional / 10n);
    const summary = (total, ntl, used) => ({
      accountValue: usd(total),
      totalNtlPos: usd(ntl),
      totalRawUsd: usd(total - 0n),
      totalMarginUsed: usd(used),
    });
    return {
      marginSummary: summary(value, notional, margin),
      crossMarginSummary: summary(crossValue, crossNotional, crossMargin),
      crossMaintenanceMarginUsed: usd(maintenance),
      withdrawable: usd(free > 0n ? free : 0n),
      assetPositions: rows,
      time: asOf,
    };
  }

  spot(account, asOf) {
    const snap = this.snap(account, asOf);
    const balances = [];
    for (const [token, row] of snap.spot) {
      const market = this.markets.spot().find((one) => one.token === token);
      balances.push({
        coin: token === 0 ? "USDC" : this.markets.tokenName(market),
        token,
        total: wire(row.total),
        hold: wire(snap.holds.get(token) ?? 0n),
        entryNtl: wire(row.entry > 0n ? row.entry : 0n),
      });
    }
    return { balances };
  }

  activeAsset(account, coin, asOf) {
    const market = this.markets.byCoin(coin);
    const snap = this.snap(account, asOf);
    const setting = snap.positions.get(coin)?.leverage ??
      snap.leverage.get(coin) ?? { type: "cross", value: Math.min(20, market.maxLeverage) };
    const free = snap.cash[market.dex] ?? 0n;
    const most = wire(least(div(free * BigInt(setting.value), market.mid), 10n ** 20n));
    const raw = snap.positions.get(coin)?.raw ?? 0n;
    return {
      user: account.address,
      coin,
      leverage: {
        type: setting.type,
        value: setting.value,
        ...(setting.type === "isolated" ? { rawUsd: usd(raw) } : {}),
      },
      maxTradeSzs: [most, most],
      availableToTrade: [usd(free), usd(free)],
      markPx: wire(market.mid),
    };
  }

  context(market) {
    const mid = wire(market.mid);
    const common = { prevDayPx: mid, dayNtlVlm: "1000000.0", markPx: mid, midPx: mid, dayBaseVlm: "100.0" };
    return market.kind === "spot"
      ? { ...common, circulatingSupply: "1000000.0", coin: market.coin, totalSupply: "1000000.0" }
      : {
          ...common,
          funding: "0.0000125",
          openInterest: "1000.0",
          premium: "0.0",
          oraclePx: wire(market.oracle),
          impactPxs: [wire(this.markets.bid(market)), wire(this.markets.ask(market))],
        };
  }

  book(coin, time) {
    const market = this.markets.byCoin(coin);
    if (market === null) return null;
    const tick = this.markets.tick(market, market.mid);
    const depth = market.depth === null ? 10_000n * ONE : market.depth;
    const level = (px) => ({ px: wire(px), sz: wire(depth), n: 3 });
    const levels =
      depth === 0n
        ? [[], []]
        : [
            [0n, 1n, 2n].map((step) => level(this.markets.bid(market) - step * tick)),
            [0n, 1n, 2n].map((step) => level(this.markets.ask(market) + step * tick)),
          ];
    return { coin, time, levels };
  }
}
