import type { Market } from "../core/market.ts";
import type { Seen } from "../core/market-knowledge.ts";
import type { With } from "../deps.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { marketResource } from "./list-markets.ts";
import { asOfMs, bestMembers, bookResource, markMembers, requireListed, requireLook } from "./market-figures.ts";

/** `GET /v1/markets/{market}`: its rules, and what it does now. */
export async function getMarket(
  deps: With<"exchange" | "marketView" | "markets">,
  { reader }: Caller,
  name: string,
): Promise<ReadAnswer> {
  const market = await requireListed(deps, name);
  const [lookedAtMark, lookedAtBest] = await Promise.all([
    deps.marketView.mark(market, reader),
    deps.marketView.best(market.name, reader),
  ]);
  const mark = requireLook(deps, `for the figures of ${market.name}`, { look: lookedAtMark, reader });
  const best = requireLook(deps, `for the best prices of ${market.name}`, { look: lookedAtBest, reader });
  const resource = detailsResource(market, { mark, best, exchangeMs: deps.exchange.nowMs() });
  return { body: JSON.stringify(resource), asOfMs: asOfMs(deps, [mark, best]) };
}

type MarketDetails = { mark: Seen<"mark">; best: Seen<"best">; exchangeMs: number };

export function detailsResource(market: Market, { mark, best, exchangeMs }: MarketDetails) {
  return { ...marketResource(market), ...markMembers(mark, exchangeMs), ...bestMembers(best) };
}

type WantedBook = { name: string; levels: number };

/** `GET /v1/markets/{market}/book`: so many levels of each side, best first. */
export async function getBook(
  deps: With<"exchange" | "marketView" | "markets">,
  { reader }: Caller,
  { name, levels }: WantedBook,
): Promise<ReadAnswer> {
  const market = await requireListed(deps, name);
  const book = requireLook(deps, `for the book of ${market.name}`, {
    look: await deps.marketView.book(market.name, reader),
    reader,
  });
  return { body: JSON.stringify(bookResource(market.name, book, levels)), asOfMs: asOfMs(deps, [book]) };
}
