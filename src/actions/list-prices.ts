import type { Decimal } from "../core/decimal.ts";
import { ApiError } from "../core/errors.ts";
import { listText } from "../core/resource.ts";
import type { With } from "../deps.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { asOfMs, requireLook } from "./market-figures.ts";

/** `GET /v1/prices`: the middle of every market's book, as the one view of the markets has it. A market without a price is left out. */
export async function listPrices(
  deps: With<"exchange" | "marketView" | "markets" | "settings">,
  { reader }: Caller,
  dex: string | null,
): Promise<ReadAnswer> {
  const all = ["", ...deps.settings.dexes];
  const dexes = dex === null ? all : all.filter((known) => known === dex);
  if (dexes.length === 0)
    throw new ApiError("unknown_dex", `dex must be one of ${all.map((one) => `"${one}"`).join(", ")}.`);
  const universe = deps.markets.current() ?? (await deps.markets.refresh());
  if (universe === null) throw new ApiError("not_ready", "The markets have not been read from the exchange yet.");
  const looks = await Promise.all(dexes.map((one) => deps.marketView.mids(one, reader)));
  const mids = looks.map((look) => requireLook(deps, "for prices", { look, reader }));
  const data = mids
    .flatMap(({ value }) => [...value])
    .flatMap(([market, mid]) => {
      const isListed = universe.byName.get(market)?.isDelisted === false;
      return isListed ? [priceResource(market, mid)] : [];
    });
  return { body: listText(data, null), asOfMs: asOfMs(deps, mids) };
}

export function priceResource(market: string, mid: Decimal) {
  return { object: "price" as const, market, mid_price: mid };
}
