import { dexOf, isSpot } from "../market.ts";
import type { Rails, Verb } from "./rails.ts";
import { type Refused, refusal } from "./verdict.ts";

export function verbFault({ may }: Rails, verb: Verb): Refused | null {
  return may.includes(verb) ? null : refusal("may", { limit: may.join(","), use: verb });
}

export function marketFault({ markets }: Rails, market: string): Refused | null {
  if (isSpot(market)) return refusal("markets", { limit: "perpetuals", use: market });
  const dex = dexOf(market);
  const isNamed = markets === null || markets.includes(market) || (dex !== "" && markets.includes(`${dex}:*`));
  return isNamed ? null : refusal("markets", { limit: markets.join(","), use: market });
}
