/**
 * The stores of the exchange as they are behind a balancer: each answer comes from whatever state the server that was
 * asked has of its store, and no order between two stores, or two answers of one, may be assumed.
 */
import type { Chance } from "./chance.ts";

/** Which store answers a read, by the type of the request. */
const STORE_OF: Readonly<Record<string, string>> = {
  orderStatus: "records",
  frontendOpenOrders: "open orders",
  openOrders: "open orders",
  historicalOrders: "history",
  userFills: "fills",
  userFillsByTime: "fills",
  clearinghouseState: "positions",
  activeAssetData: "positions",
  spotClearinghouseState: "positions",
  twapHistory: "TWAPs",
};

const STORES = [...new Set(Object.values(STORE_OF))];

/** How far each store may be behind in a run, milliseconds; a store that is not in it is never behind. */
export type Lags = Readonly<Record<string, { mostMs: number; rate: number }>>;

export const NO_LAGS: Lags = {};

/** The longest that any store is ever behind, milliseconds. */
export const MAX_LAG_MS = 120_000;

/** Of what lags are drawn: the share of the runs that have any, of the stores that are behind in these, and by how much each is. */
type LagRange = { runs: number; stores: number; mostMs: readonly number[]; rates: readonly number[] };

const ANY_LAG: LagRange = {
  runs: 0.5,
  stores: 0.6,
  mostMs: [200, 1_000, 3_000, 12_000, 30_000, MAX_LAG_MS],
  rates: [0.2, 0.7, 1],
};

/** Where nothing else happens for minutes only what is behind by as much differs from the present. */
export const LONG_LAG: LagRange = {
  runs: 0.7,
  stores: 0.6,
  mostMs: [3_000, 30_000, MAX_LAG_MS, MAX_LAG_MS],
  rates: [0.4, 0.9, 1],
};

export function drawLags(chance: Chance, range: LagRange = ANY_LAG): Lags {
  if (!chance.isLucky(range.runs)) return NO_LAGS;
  const lags: Record<string, { mostMs: number; rate: number }> = {};
  for (const store of STORES) {
    if (!chance.isLucky(range.stores)) continue;
    lags[store] = { mostMs: chance.pick(range.mostMs), rate: chance.pick(range.rates) };
  }
  return lags;
}

/** How far behind the answer to one read is, milliseconds: drawn anew for each, as the balancer picks. */
export function lagOf(lags: Lags, chance: Chance, body: string): number {
  const type = /"type":"([A-Za-z]+)"/.exec(body)?.[1] ?? "";
  const lag = lags[STORE_OF[type] ?? ""];
  if (lag === undefined || !chance.isLucky(lag.rate)) return 0;
  // Half of the time by all of it: a server that is simply behind.
  return chance.isLucky(0.5) ? lag.mostMs : chance.between(0, lag.mostMs);
}
