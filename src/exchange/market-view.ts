/**
 * The one view of market figures, for requests, for streams and for decisions. It subscribes to what is needed, and reads what the
 * websocket does not tell.
 */
import type { Decimal } from "../core/decimal.ts";
import type { Market } from "../core/market.ts";
import type { FigureKey, FigureKind, Seen, Told } from "../core/market-knowledge.ts";
import type { Purpose } from "./exchange.ts";
import { type FollowedMarketsOptions, type OnNews, openFollowedMarkets } from "./followed-markets.ts";
import type { Read } from "./reads.ts";
import { askForBook, askForMarks, askForMids, type MarketReads } from "./told-figures.ts";

/** `isOurBudget`: it was not asked for, to keep our weight for what matters more. */
export type FigureReading<Kind extends FigureKind> =
  | ({ kind: "ok" } & Seen<Kind>)
  | { kind: "failed"; reason: string; isOurBudget: boolean; waitS?: number };

export type MarketView = {
  /**
   * Not older than `maxAgeMs`, or `withinMs` where that is less: as it is told, else asked for, on behalf of `purpose`. Shared by
   * all who ask.
   */
  best(market: string, purpose: Purpose): Promise<FigureReading<"best">>;
  mark(
    market: Pick<Market, "name" | "kind" | "dex">,
    purpose: Purpose,
    withinMs?: number,
  ): Promise<FigureReading<"mark">>;
  book(market: string, purpose: Purpose, withinMs?: number): Promise<FigureReading<"book">>;
  mids(dex: string, purpose: Purpose): Promise<FigureReading<"mids">>;
  /** Whether a mark that is no older is known already. Asking keeps the market followed, as `mark` does. */
  isMarkTold(market: string, withinMs: number): boolean;
  /**
   * Calls `onNews` with what has changed, and with null once a second and where the connection came or went; what is
   * returned stops that. Null where there is no room for all of them.
   */
  follow(keys: readonly FigureKey[], onNews: OnNews): (() => void) | null;
  /** The newest that is known, however old. */
  peek<Kind extends FigureKind>(kind: Kind, of: string): Seen<Kind> | null;
  /** The median of a spot market's marks of the last ten minutes; null where it was not followed for long enough. */
  median(market: string): Decimal | null;
  /** Whether it is told at this moment. */
  isLive(key: FigureKey): boolean;
  /** Whether the connection that tells of markets is there and tells something new; null while nobody needs one. */
  isTelling(): boolean | null;
  /** Whether its first frame may be on its way. */
  isExpected(key: FigureKey): boolean;
  close(): void;
};

export type MarketViewOptions = FollowedMarketsOptions & {
  reads: MarketReads;
  /** What is older is asked for before it is shown, milliseconds. */
  maxAgeMs: number;
};

type Polled<Kind> = {
  kind: Kind;
  ask(): Promise<Read<readonly Told[]>>;
  /** What is older is asked for, milliseconds; as for all where it is left out. */
  withinMs?: number | undefined;
};

export function openMarketView(options: MarketViewOptions): MarketView {
  const { reads, maxAgeMs, ...telling } = options;
  const { clock } = telling;
  const told = openFollowedMarkets(telling);

  function usable<Kind extends FigureKind>(kind: Kind, of: string, withinMs = maxAgeMs): FigureReading<Kind> | null {
    told.need({ kind, of });
    const known = told.seen(kind, of);
    return known === null || known.ageMs > withinMs ? null : { kind: "ok", ...known };
  }

  async function look<Kind extends FigureKind>(
    of: string,
    { kind, ask, withinMs }: Polled<Kind>,
  ): Promise<FigureReading<Kind>> {
    if (usable(kind, of, withinMs) === null && told.isExpected({ kind, of })) await told.next({ kind, of });
    const known = usable(kind, of, withinMs);
    if (known !== null) return known;
    const read = await ask();
    if (read.kind === "failed") return read;
    const ageMs = Math.max(0, clock.nowMs() - read.readAtMs);
    for (const one of read.value) told.fill(one, ageMs);
    // Where our weight is used up, the answer of an earlier read (up to a minute old) is given instead of a new one.
    const isOurBudget = ageMs > maxAgeMs;
    return usable(kind, of) ?? { kind: "failed", reason: "what the exchange shows is too old", isOurBudget };
  }

  return {
    best: (market, purpose) => look(market, { kind: "best", ask: () => askForBook(reads, market, purpose) }),
    book: (market, purpose, withinMs) =>
      look(market, { kind: "book", ask: () => askForBook(reads, market, purpose), withinMs }),
    mark: (market, purpose, withinMs) =>
      look(market.name, { kind: "mark", ask: () => askForMarks(reads, market, purpose), withinMs }),
    mids: (dex, purpose) => look(dex, { kind: "mids", ask: () => askForMids(reads, dex, purpose) }),
    isMarkTold: (market, withinMs) => usable("mark", market, withinMs) !== null,
    follow: told.follow,
    peek: told.seen,
    median: told.median,
    isLive: told.isLive,
    isTelling: told.isTelling,
    isExpected: told.isExpected,
    close: told.close,
  };
}
