// What is listed: the native dex, xyz, a dex with a margin currency of its own, and spot. The lists change while one trades.
import { cut, mul, num } from "./codec.mjs";

const perp = (name, rules, price, more = {}) => ({
  kind: "perp",
  name,
  szDecimals: rules[0],
  maxLeverage: rules[1],
  price: num(price),
  more,
});

/** One exchange's lists. An asset id is a position in one of them. */
export function listings() {
  const dexes = [
    {
      name: "",
      collateral: 0,
      universe: [
        perp("BTC", [5, 40], "60000"),
        perp("ETH", [4, 25], "3000"),
        perp("SOL", [2, 20], "150"),
        perp("DOGE", [0, 10], "0.2"),
      ],
    },
    {
      name: "xyz",
      collateral: 0,
      universe: [
        perp("xyz:XYZ100", [4, 20], "25000"),
        perp("xyz:TSLA", [3, 10], "400", { onlyIsolated: true, marginMode: "noCross" }),
        perp("xyz:GOLD", [3, 10], "4000"),
      ],
    },
    {
      name: "flx",
      collateral: 360,
      universe: [
        perp("flx:OIL", [2, 10], "80"),
        perp("flx:TSLA", [3, 10], "401", { onlyIsolated: true, marginMode: "strictIsolated" }),
      ],
    },
  ];
  const tokens = [
    { name: "USDC", index: 0, szDecimals: 8, weiDecimals: 8 },
    { name: "PURR", index: 1, szDecimals: 0, weiDecimals: 5 },
    { name: "HYPE", index: 150, szDecimals: 2, weiDecimals: 8 },
    { name: "UBTC", index: 197, szDecimals: 5, weiDecimals: 10 },
    { name: "USDH", index: 360, szDecimals: 2, weiDecimals: 8 },
  ];
  const pairs = [
    { kind: "spot", name: "PURR/USDC", index: 0, tokens: [1, 0], price: num("0.2") },
    { kind: "spot", name: "@107", index: 107, tokens: [150, 0], price: num("40") },
    { kind: "spot", name: "@142", index: 142, tokens: [197, 0], price: num("60000") },
    { kind: "spot", name: "@230", index: 230, tokens: [360, 0], price: num("0.999") },
    { kind: "spot", name: "@232", index: 232, tokens: [150, 360], price: num("40.1") },
  ];
  for (const pair of pairs) pair.szDecimals = tokens.find((t) => t.index === pair.tokens[0]).szDecimals;
  const lists = { dexes, tokens, pairs, perps: () => dexes.flatMap((d) => d.universe) };
  lists.token = (index) => tokens.find((t) => t.index === index);
  lists.dexOf = (market) => dexes.find((d) => d.universe.includes(market));
  lists.coin = (name) => pairs.find((p) => p.name === name) ?? lists.perps().find((p) => p.name === name);
  lists.asset = (id) => byAsset(lists, id);
  lists.idOf = (market) => idOf(lists, market);
  lists.list = (dex, name, like) => dexes.find((d) => d.name === dex).universe.push({ ...like, name });
  return lists;
}

function byAsset(lists, id) {
  if (id >= 100000) return lists.dexes[Math.floor((id - 100000) / 10000)]?.universe[(id - 100000) % 10000];
  if (id >= 10000) return lists.pairs.find((p) => p.index === id - 10000);
  return lists.dexes[0].universe[id];
}

function idOf(lists, market) {
  if (market.kind === "spot") return 10000 + market.index;
  const dex = lists.dexes.findIndex((d) => d.universe.includes(market));
  const place = lists.dexes[dex].universe.indexOf(market);
  return dex === 0 ? place : 100000 + dex * 10000 + place;
}

/** A price on the market's grid: five figures and the decimals that are left. */
export function onGrid(market, value) {
  const most = (market.kind === "spot" ? 8 : 6) - market.szDecimals;
  const whole = String(value / 10n ** 12n);
  const figures = whole === "0" ? 5 + leadingZeros(value) : Math.max(0, 5 - whole.length);
  return cut(value, Math.max(0, Math.min(most, figures)));
}

function leadingZeros(value) {
  const digits = String(value).padStart(12, "0");
  return digits.length - digits.replace(/^0+/, "").length;
}

export const isOnGrid = (market, value) => value > 0n && (value % 10n ** 12n === 0n || onGrid(market, value) === value);
export const isWhole = (market, size) => size > 0n && cut(size, market.szDecimals) === size;

/** Synthetic book: three levels each side, `depth` of value each, as new for each taker. */
export function levels(market, isBuyer) {
  const out = [];
  for (let i = 0; i < 3; i++) {
    const away = mul(market.price, num(["0.0005", "0.001", "0.002"][i]));
    const px = onGrid(market, isBuyer ? market.price + away : market.price - away);
    out.push({ px, sz: cut(((market.depth ?? num("20000")) * 10n ** 12n) / px, market.szDecimals) });
  }
  return out;
}

export function metaOf(lists, dex) {
  const found = lists.dexes.find((d) => d.name === (dex ?? ""));
  if (!found) return null;
  const universe = found.universe.map((m) => ({
    szDecimals: m.szDecimals,
    name: m.name,
    maxLeverage: m.maxLeverage,
    marginTableId: m.maxLeverage,
    ...m.more,
  }));
  return { universe, marginTables: [], collateralToken: found.collateral };
}

export function spotMetaOf(lists) {
  const universe = lists.pairs.map((p) => ({
    tokens: p.tokens,
    name: p.name,
    index: p.index,
    isCanonical: p.index === 0,
  }));
  const tokens = lists.tokens.map((t) => ({
    ...t,
    tokenId: `0x${String(t.index).padStart(32, "0")}`,
    isCanonical: true,
    evmContract: null,
    fullName: null,
    deployerTradingFeeShare: "0.0",
  }));
  return { universe, tokens };
}
