import { ApiError } from "../core/errors.ts";
import { listText } from "../core/resource.ts";
import type { Deps } from "../deps.ts";
import type { Caller, ReadAnswer } from "./answer.ts";
import { couldNotAsk } from "./not-asked.ts";

/** `GET /v1/prices`: the middle of every market's book, shared within a second. A market without a price is left out. */
export async function listPrices(deps: Deps, { reader }: Caller, dex: string | null): Promise<ReadAnswer> {
  const all = ["", ...deps.settings.dexes];
  const dexes = dex === null ? all : all.filter((known) => known === dex);
  if (dexes.length === 0)
    throw new ApiError("unknown_dex", `dex must be one of ${all.map((one) => `"${one}"`).join(", ")}.`);
  const universe = deps.markets.current() ?? (await deps.markets.refresh());
  if (universe === null) throw new ApiError("not_ready", "The markets have not been read from the exchange yet.");
  const reads = await Promise.all(dexes.map((one) => deps.reads.mids(one, reader)));
  const data: object[] = [];
  let readAtMs = Number.POSITIVE_INFINITY;
  for (const read of reads) {
    if (read.kind === "failed") throw couldNotAsk(deps, "for prices", read, reader);
    readAtMs = Math.min(readAtMs, read.readAtMs);
    for (const [market, mid] of read.value) {
      if (universe.byName.get(market)?.isDelisted === false) data.push({ object: "price", market, mid_price: mid });
    }
  }
  return { body: listText(data, null), asOfMs: readAtMs };
}
