/** Names of markets in rails that no market has, although one is meant. */
import { nearest } from "../did-you-mean.ts";
import type { Universe } from "../market.ts";

type Misnamed = { name: string; meant: readonly string[] };

/** Markets by their own names, and pairs with whose own name each is. */
export type MarketNames = { own: readonly string[]; pairs: readonly (readonly [pair: string, own: string])[] };

/**
 * The first of these that is no market's own name and is one in other letters, or the name of its pair: rails are held against the own
 * name alone, so it would name nothing. One that resembles none may be listed later, and passes; so does `xyz:*`, which names a dex.
 */
function misnamedMarket(listed: MarketNames, names: readonly string[] | null): Misnamed | null {
  for (const name of names ?? []) {
    if (listed.own.includes(name)) continue;
    const meant = meantBy(listed, name);
    if (meant.length > 0) return { name, meant };
  }
  return null;
}

function meantBy({ own, pairs }: MarketNames, name: string): readonly string[] {
  const [exact] = pairs.flatMap(([pair, market]) => (pair === name ? [market] : []));
  if (exact !== undefined) return [exact];
  const wanted = name.toLowerCase();
  const isMeant = (other: string) => other.toLowerCase() === wanted;
  return [...new Set([...own.filter(isMeant), ...pairs.flatMap(([pair, market]) => (isMeant(pair) ? [market] : []))])];
}

/** The same in a sentence; null while nobody knows which markets there are, too. */
export function misnamedIn(universe: Universe | null, names: readonly string[] | null): string | null {
  if (universe === null) return null;
  return misnamedAmong({ own: [...universe.byName.keys()], pairs: [...universe.byPairName] }, names);
}

export function misnamedAmong(listed: MarketNames, names: readonly string[] | null): string | null {
  const misnamed = misnamedMarket(listed, names);
  if (misnamed === null) return null;
  const { name, meant } = misnamed;
  return `names \`${name}\`, which is no market: it is ${meant.map((each) => `\`${each}\``).join(" or ")}`;
}

/** Those that are no market's name here, and the market whose name is nearest to each; null where none is near. They may be listed later. */
export function unlistedAmong(
  { own }: MarketNames,
  names: readonly string[],
): { name: string; nearest: string | null }[] {
  const unlisted = names.filter((name) => name !== "any" && !name.endsWith(":*") && !own.includes(name));
  return unlisted.map((name) => ({ name, nearest: nearest(name, own) }));
}
