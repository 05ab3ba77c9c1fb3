// All that a server of the exchange shows of the account, as it is at one moment.
import { abs, cut, div, max, mul, wire } from "./decimal.mjs";

// The exchange's own words for what a fill did.
export function directionOf(market, isBuy, before, sz) {
  if (market.kind === "spot") return isBuy ? "Buy" : "Sell";
  const signed = isBuy ? sz : -sz;
  if (before === 0n || before > 0n === isBuy) return isBuy ? "Open Long" : "Open Short";
  if (abs(signed) > abs(before)) return isBuy ? "Short > Long" : "Long > Short";
  return isBuy ? "Close Short" : "Close Long";
}

export function snapshotOf(engine) {
  const perps = {};
  for (const dex of ["", "xyz"]) perps[dex] = clearinghouse(engine, dex);
  const open = [...engine.open.values()].map((order) => engine.frontend(order));
  let holdQuote = 0n;
  let holdBase = 0n;
  for (const order of engine.open.values()) {
    if (order.coin !== "@107") continue;
    if (order.isBuy) holdQuote += mul(order.px, order.sz);
    else holdBase += order.sz;
  }
  const balances = [{ coin: "USDC", token: 0, total: wire(engine.spot.USDC), hold: wire(holdQuote), entryNtl: "0.0" }];
  if (engine.spot.HYPE !== 0n || engine.spotEntry !== 0n)
    balances.push({
      coin: "HYPE",
      token: 150,
      total: wire(engine.spot.HYPE),
      hold: wire(holdBase),
      entryNtl: wire(engine.spotEntry),
    });
  const twaps = [...engine.twaps.values()].map((twap) => [twap.id, engine.twapState(twap)]);
  return { perps, open, spot: { balances }, twaps };
}

function clearinghouse(engine, dex) {
  let upnl = 0n;
  let value = 0n;
  let signedValue = 0n;
  let used = 0n;
  const assetPositions = [];
  for (const [coin, position] of engine.positions) {
    const market = engine.markets.get(coin);
    if (market.dex !== dex) continue;
    const set = engine.leverage.get(coin) ?? { type: "cross", value: market.maxLeverage };
    const worth = mul(abs(position.szi), market.mark);
    const gain = mul(position.szi, market.mark - position.entry);
    const margin = cut(worth / BigInt(set.value), 6);
    upnl += gain;
    value += worth;
    signedValue += mul(position.szi, market.mark);
    used += margin;
    const base = mul(position.entry, abs(position.szi)) / BigInt(set.value);
    const roe = cut(div(gain, max(base, 1n)), 10);
    assetPositions.push({
      type: "oneWay",
      position: {
        coin,
        szi: wire(position.szi),
        leverage: { type: "cross", value: set.value },
        entryPx: wire(cut(position.entry, 6)),
        positionValue: wire(cut(worth, 6)),
        unrealizedPnl: wire(cut(gain, 6)),
        returnOnEquity: wire(roe),
        liquidationPx: null,
        marginUsed: wire(margin),
        maxLeverage: market.maxLeverage,
        cumFunding: {
          allTime: wire(position.funding),
          sinceOpen: wire(position.funding),
          sinceChange: wire(position.funding),
        },
      },
    });
  }
  const total = engine.cash[dex] + upnl;
  const summary = {
    accountValue: wire(cut(total, 6)),
    totalNtlPos: wire(cut(value, 6)),
    totalRawUsd: wire(cut(total - signedValue, 6)),
    totalMarginUsed: wire(used),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: wire(cut(value / 50n, 6)),
    withdrawable: wire(max(0n, cut(total - max(used, value / 10n), 6))),
    assetPositions,
  };
}
