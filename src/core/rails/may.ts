import { dexOf, isSpot } from "../market.ts";
import type { Rails, RailVerb } from "./rails.ts";
import { type RailRefusal, refusal } from "./verdict.ts";
import type { Ordered } from "./wish.ts";

export function verbFault({ may }: Rails, verb: RailVerb): RailRefusal | null {
  return may.includes(verb) ? null : refusal("may", { limit: may.join(","), use: verb });
}

export function marketFault({ markets }: Rails, market: string): RailRefusal | null {
  if (isSpot(market)) return spotFault(markets, market);
  const dex = dexOf(market);
  const isNamed = markets === null || markets.includes(market) || (dex !== "" && markets.includes(`${dex}:*`));
  return isNamed ? null : refusal("markets", { limit: markets.join(","), use: market });
}

/** What its owner has named: `any` is any perpetual. */
function spotFault(markets: Rails["markets"], market: string): RailRefusal | null {
  if (markets?.includes(market) === true) return null;
  return refusal("markets", {
    limit: markets?.join(",") ?? "any perpetual",
    use: `${market}, a spot market by its name`,
  });
}

/** What a spot market may be quoted in: of anything else a sale is a purchase, and no price says what it is worth. */
const CASH = "USDC";

export function quoteFault(
  { markets }: Rails,
  { leg, pairName }: Pick<Ordered, "leg" | "pairName">,
): RailRefusal | null {
  if (!isSpot(leg.market) || pairName?.endsWith(`/${CASH}`) === true) return null;
  return refusal("markets", {
    limit: markets?.join(",") ?? "any",
    use: `${leg.market}, which is not quoted in ${CASH}`,
  });
}
