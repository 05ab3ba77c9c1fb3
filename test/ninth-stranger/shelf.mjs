// What the lists of markets and a book show, as of a moment.
import { wire } from "./grain.mjs";
import { TOKENS } from "./listing.mjs";

export function universe(venue, at, dex) {
  const rows = venue.markets.filter((of) => !of.spot && of.dex === dex);
  return {
    universe: rows.map((of) => ({
      szDecimals: of.szDecimals.at(at),
      name: of.coin,
      maxLeverage: 40,
      marginTableId: 40,
      ...(of.isDelisted.at(at) ? { isDelisted: true } : {}),
    })),
    marginTables: [],
    collateralToken: 0,
  };
}
export const contexts = (at, rows) =>
  rows.map((of) => {
    const mid = wire(of.mid.at(at));
    return {
      coin: of.coin,
      funding: "0.0",
      openInterest: "1000.0",
      prevDayPx: mid,
      dayNtlVlm: "1.0",
      premium: "0.0",
      oraclePx: mid,
      markPx: mid,
      midPx: mid,
      impactPxs: [mid, mid],
      dayBaseVlm: "1.0",
      circulatingSupply: "1.0",
      totalSupply: "1.0",
    };
  });

export function spotUniverse(venue) {
  return {
    universe: venue.markets
      .filter((of) => of.spot)
      .map((of) => ({
        tokens: [of.token, 0],
        name: of.coin,
        index: of.asset - 10_000,
        isCanonical: of.coin[0] !== "@",
      })),
    tokens: TOKENS.map((of) => ({
      ...of,
      tokenId: `0x${String(of.index).padStart(32, "0")}`,
      isCanonical: true,
      evmContract: null,
      fullName: null,
      deployerTradingFeeShare: "0.0",
    })),
  };
}

export function book(venue, at, coin) {
  const market = venue.market(coin);
  if (!market) return null;
  const mid = market.mid.at(at);
  const level = (px) => [{ px: wire(px), sz: "1000.0", n: 3 }];
  return { coin, time: venue.shown(at), levels: [level(mid - mid / 5000n), level(mid + mid / 5000n)] };
}
