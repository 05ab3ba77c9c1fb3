// What there is of an account, written down whenever it changes: from this each store shows what was true a while ago.
import { abs, cut, max, mul, text } from "./codec.mjs";

function line(account, name, value) {
  const line = account.lines.get(name) ?? [];
  account.lines.set(name, line);
  const json = JSON.stringify(value);
  if (line.length === 0 || line[line.length - 1].json !== json) line.push({ t: Date.now(), json });
  if (line.length > 4000) line.splice(0, 2000);
}

export function snapshot(chain, account) {
  const open = [...account.orders.values()].filter((o) => o.status === "open");
  for (const dex of chain.lists.dexes) {
    const of = (o) => (o.market.kind === "spot" ? "" : chain.lists.dexOf(o.market).name);
    line(
      account,
      `open:${dex.name}`,
      open
        .filter((o) => of(o) === dex.name)
        .map((o) => chain.front(o))
        .reverse(),
    );
    line(account, `perp:${dex.name}`, clearinghouse(chain, account, dex.name));
  }
  const balances = [...account.spot].map(([coin, total]) => ({
    coin,
    token: chain.lists.tokens.find((t) => t.name === coin).index,
    total: text(total),
    hold: text(chain.hold(account, coin)),
    entryNtl: "0.0",
  }));
  line(account, "spot", { balances });
  line(
    account,
    "twaps",
    [...account.twaps.values()].filter((t) => t.running).map((t) => [t.id, t.state()]),
  );
}

function clearinghouse(chain, account, dex) {
  const positions = chain.held(account, dex);
  const sum = (list, of) => list.reduce((total, p) => total + of(p), 0n);
  const value = (p) => mul(abs(p.szi), chain.lists.coin(p.coin).price);
  const cross = positions.filter((p) => p.type === "cross");
  const crossValue = account.cash[dex] + sum(cross, (p) => chain.pnl(p));
  const isolated = sum(
    positions.filter((p) => p.type === "isolated"),
    (p) => chain.used(account, p),
  );
  const total = crossValue + isolated;
  const summary = (equity, list) => ({
    accountValue: text(cut(equity, 6)),
    totalNtlPos: text(cut(sum(list, value), 6)),
    totalRawUsd: text(cut(equity - sum(list, (p) => mul(p.szi, chain.lists.coin(p.coin).price)), 6)),
    totalMarginUsed: text(
      cut(
        sum(list, (p) => chain.used(account, p)),
        6,
      ),
    ),
  });
  return {
    marginSummary: summary(total, positions),
    crossMarginSummary: summary(crossValue, cross),
    crossMaintenanceMarginUsed: "0.0",
    withdrawable: text(max(0n, cut(chain.free(account, dex), 6))),
    assetPositions: positions.map((p) => ({ type: "oneWay", position: position(chain, account, p) })),
  };
}

function position(chain, account, p) {
  const market = chain.lists.coin(p.coin);
  const lev = chain.setting(account, market).value;
  const leverage =
    p.type === "isolated"
      ? { type: "isolated", value: lev, rawUsd: text(cut(p.collateral - mul(p.entry, p.szi), 6)) }
      : { type: "cross", value: lev };
  return {
    coin: p.coin,
    szi: text(p.szi),
    leverage,
    entryPx: text(cut(p.entry, 8)),
    positionValue: text(cut(mul(abs(p.szi), market.price), 6)),
    unrealizedPnl: text(cut(chain.pnl(p), 6)),
    returnOnEquity: "0.0",
    liquidationPx: null,
    marginUsed: text(cut(chain.used(account, p), 6)),
    maxLeverage: market.maxLeverage,
    cumFunding: { allTime: "0.0", sinceOpen: "0.0", sinceChange: "0.0" },
  };
}
