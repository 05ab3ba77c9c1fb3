import type { Exchange } from "../exchange/exchange.ts";

/** When there was the last news that an order is open. In memory: lost in a crash, it only begins later. */
export type OrderNews = {
  /**
   * Exchange time, unix milliseconds: when its row was first met as it stands, or a list last held it. Our wall clock, by
   * which rows are dated, may be wrong by more than a list is behind.
   *
   * @param shown whether the list that is looked at holds it, and when the newest order in that list was placed
   */
  newsMs(order: { id: string; version: number }, shown: { isListed: boolean; newestMs: number }): number;
  /** True when a list has held it as it stands, since this process started. */
  wasListed(order: { id: string; version: number }): boolean;
};

/** Orders that are remembered; past it the oldest starts over. */
const MAX_REMEMBERED = 10_000;

export function openOrderNews({ exchange }: { exchange: Pick<Exchange, "nowMs"> }): OrderNews {
  const news = new Map<string, { version: number; exchangeMs: number; isListed: boolean }>();
  return {
    newsMs({ id, version }, shown) {
      const known = news.get(id);
      if (known?.version === version && !shown.isListed) return known.exchangeMs;
      const [oldest] = news.keys();
      if (news.size >= MAX_REMEMBERED && oldest !== undefined) news.delete(oldest);
      const exchangeMs = Math.max(exchange.nowMs(), shown.newestMs);
      news.delete(id);
      news.set(id, { version, exchangeMs, isListed: shown.isListed });
      return exchangeMs;
    },
    wasListed({ id, version }) {
      const known = news.get(id);
      return known?.version === version && known.isListed;
    },
  };
}
