// What is listed, under which number, at which price.
export const MARKETS = [
  { name: "BTC", a: 0, decimals: 5, leverage: 40, px: 60000 },
  { name: "ETH", a: 1, decimals: 4, leverage: 25, px: 3000 },
  { name: "SOL", a: 2, decimals: 2, leverage: 20, px: 150 },
];
export const marketOf = (a) => MARKETS.find((m) => m.a === a);
