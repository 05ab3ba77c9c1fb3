/** What people call a market: a spot pair by its tokens, as `HYPE/USDC`, where the interface says `@107`. */
import { madeOnce } from "../../core/made-once.ts";
import type { ApiMarket } from "../api/resources.ts";

/** The list as it was read; it is asked for with every drawing. */
type NamedMarkets = readonly Pick<ApiMarket, "market" | "pair">[];

/** Canonical names by every name that means one market alone. */
const byName = madeOnce((markets: NamedMarkets) => {
  const named = new Map<string, string>();
  const pairs = Map.groupBy(markets, ({ pair }) => pair);
  for (const [pair, [found, ...others]] of pairs)
    if (pair !== null && found !== undefined && others.length === 0) named.set(pair, found.market);
  for (const { market } of markets) named.set(market, market);
  return named;
});

const shownNames = madeOnce((markets: NamedMarkets) => {
  const names = byName(markets);
  return new Map(
    markets.map(({ market, pair }) => [market, pair !== null && names.get(pair) === market ? pair : market]),
  );
});

/** The market of that name: its own, or that of its pair where no other has the same. */
export function marketNamed<Listed extends NamedMarkets[number]>(
  markets: readonly Listed[] | null,
  name: string,
): Listed | null {
  const market = markets === null ? undefined : byName(markets).get(name);
  return markets?.find((each) => each.market === market) ?? null;
}

/** Its pair where that names nothing else; as it is where the list has not been read. */
export function shownMarket(markets: NamedMarkets | null, market: string): string {
  return markets === null ? market : (shownNames(markets).get(market) ?? market);
}

/** The names of all markets, each as it is shown. */
export function shownMarkets(markets: NamedMarkets): string[] {
  return [...shownNames(markets).values()];
}
