/** Names of markets in rails that no market has, although one is meant. */
import { findMarket, type Universe } from "../market.ts";

export type Misnamed = { name: string; meant: readonly string[] };

/**
 * The first of these that is no market's own name and is one in other letters, or the name of its pair: rails are held against the own
 * name alone, so it would name nothing. One that resembles none may be listed later, and passes; so does `xyz:*`, which names a dex.
 */
function misnamedMarket(universe: Universe, names: readonly string[] | null): Misnamed | null {
  for (const name of names ?? []) {
    if (universe.byName.has(name)) continue;
    const meant = meantBy(universe, name);
    if (meant.length > 0) return { name, meant };
  }
  return null;
}

function meantBy(universe: Universe, name: string): string[] {
  const pair = findMarket(universe, name);
  if (pair !== null) return [pair.name];
  const wanted = name.toLowerCase();
  const isMeant = (other: string) => other.toLowerCase() === wanted;
  const pairs = [...universe.byPairName].flatMap(([each, market]) => (isMeant(each) ? [market] : []));
  return [...new Set([...[...universe.byName.keys()].filter(isMeant), ...pairs])];
}

/** The same in a sentence; null while nobody knows which markets there are, too. */
export function misnamedIn(universe: Universe | null, names: readonly string[] | null): string | null {
  const misnamed = universe === null ? null : misnamedMarket(universe, names);
  return misnamed === null ? null : misnamedWords(misnamed);
}

/** In a sentence. */
function misnamedWords({ name, meant }: Misnamed): string {
  return `names \`${name}\`, which is no market: it is ${meant.map((each) => `\`${each}\``).join(" or ")}`;
}
