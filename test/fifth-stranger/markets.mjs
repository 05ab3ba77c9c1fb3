// What is listed, under which number, at what price. The list can be renumbered, added to and taken from while orders live.
import { dec, mul, ONE } from "./codec.mjs";

const PERPETUALS = {
  "": [
    ["BTC", 5, 40, "60000"],
    ["ETH", 4, 25, "3000"],
    ["SOL", 2, 20, "150"],
    ["DOGE", 0, 10, "0.2"],
  ],
  xyz: [
    ["xyz:XYZ100", 4, 30, "25000"],
    ["xyz:TSLA", 3, 10, "400"],
    ["xyz:COPPER", 2, 20, "5.5"],
  ],
};
// Base tokens of odd decimals: sizes without any, with one and with many.
const SPOT = [
  ["PURR/USDC", 0, 1, 0, 5, "0.2"],
  ["@107", 107, 150, 2, 8, "40"],
  ["@142", 142, 197, 5, 10, "60000"],
  ["@201", 201, 250, 1, 6, "1.5"],
];

export class Markets {
  constructor() {
    this.list = [];
    for (const [dex, rows] of Object.entries(PERPETUALS)) {
      rows.forEach(([coin, sizeDecimals, maxLeverage, price], index) => {
        this.list.push({
          coin,
          dex,
          index,
          kind: "perp",
          sizeDecimals,
          maxLeverage,
          mid: dec(price),
          oracle: dec(price),
          depth: null,
          delisted: false,
        });
      });
    }
    for (const [coin, index, token, sizeDecimals, weiDecimals, price] of SPOT) {
      this.list.push({
        coin,
        dex: "",
        index,
        token,
        weiDecimals,
        kind: "spot",
        sizeDecimals,
        mid: dec(price),
        oracle: dec(price),
        depth: null,
        delisted: false,
      });
    }
    this.shown = null; // another list than the true one, while a server is behind
  }

  asset(market) {
    if (market.kind === "spot") return 10000 + market.index;
    return market.dex === "" ? market.index : 110000 + market.index;
  }

  byAsset(id) {
    return this.list.find((market) => this.asset(market) === id) ?? null;
  }

  byCoin(coin) {
    return this.list.find((market) => market.coin === coin) ?? null;
  }

  dex(name) {
    return this.list
      .filter((market) => market.kind === "perp" && market.dex === name)
      .sort((left, right) => left.index - right.index);
  }

  spot() {
    return this.list.filter((market) => market.kind === "spot");
  }

  /** A step of price: five significant figures and the decimals of the market, whichever is coarser. */
  tick(market, price) {
    const places = (market.kind === "spot" ? 8 : 6) - market.sizeDecimals;
    const digits = (price / ONE).toString().length;
    const leading = price >= ONE ? 5 - digits : 5 + Math.max(0, 8 - price.toString().length);
    const kept = Math.min(places, Math.max(0, leading));
    return 10n ** BigInt(8 - kept);
  }

  bid(market) {
    const tick = this.tick(market, market.mid);
    return (market.mid / tick) * tick - tick;
  }

  ask(market) {
    const tick = this.tick(market, market.mid);
    return (market.mid / tick) * tick + tick;
  }

  move(coin, factor) {
    const market = this.byCoin(coin);
    const price = mul(market.mid, dec(factor));
    const tick = this.tick(market, price);
    market.mid = (price / tick) * tick;
    market.oracle = market.mid;
  }

  /** Another market takes the place of this one in the numbering, and this one moves to the end. */
  renumber(coin) {
    const market = this.byCoin(coin);
    const row = this.dex(market.dex);
    const index = market.index;
    market.index = row.length;
    const fresh = {
      ...market,
      coin: market.dex === "" ? "NEWT" : `${market.dex}:NEWT`,
      index,
      mid: dec("7"),
      oracle: dec("7"),
      sizeDecimals: 1,
      maxLeverage: 5,
    };
    this.list.push(fresh);
    return fresh;
  }

  meta(dex) {
    return {
      universe: this.dex(dex).map((market) => ({
        szDecimals: market.sizeDecimals,
        name: market.coin,
        maxLeverage: market.maxLeverage,
        marginTableId: market.maxLeverage,
        ...(market.delisted ? { isDelisted: true } : {}),
      })),
      marginTables: [],
      collateralToken: 0,
    };
  }

  spotMeta() {
    const tokens = [
      {
        name: "USDC",
        szDecimals: 8,
        weiDecimals: 8,
        index: 0,
        tokenId: `0x${"6d".repeat(16)}`,
        isCanonical: true,
        evmContract: null,
        fullName: null,
        deployerTradingFeeShare: "0.0",
      },
    ];
    for (const market of this.spot()) {
      tokens.push({
        ...tokens[0],
        name: this.tokenName(market),
        szDecimals: market.sizeDecimals,
        weiDecimals: market.weiDecimals,
        index: market.token,
        tokenId: `0x${market.token.toString(16).padStart(32, "0")}`,
        isCanonical: market.index === 0,
      });
    }
    return {
      universe: this.spot().map((market) => ({
        tokens: [market.token, 0],
        name: market.coin,
        index: market.index,
        isCanonical: market.index === 0,
      })),
      tokens,
    };
  }

  tokenName(market) {
    return { "PURR/USDC": "PURR", "@107": "HYPE", "@142": "UBTC" }[market.coin] ?? `T${market.token}`;
  }
}
