// Each account trades three markets of its own, so that scenes do not meet.
export const ACCOUNTS = 7;
const kinds = [
  ["BTC", 60000, 5, 1],
  ["ETH", 3000, 4, 0.1],
  ["SOL", 150, 2, 0.01],
];
export const markets = () =>
  Array.from({ length: ACCOUNTS }, (_, i) =>
    kinds.map(([name, px, sz, tick]) => ({ coin: i === 0 ? name : `${name}${i}`, px, sz, f: 10 ** sz, tick })),
  ).flat();
