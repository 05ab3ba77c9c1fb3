import type { Universe } from "../core/market.ts";
import type { Writable } from "../wire/json.ts";

/** What became of one POST. Never an exception: of one to /exchange the caller has stored an intent. */
export type SendOutcome =
  /** An HTTP answer arrived whole; what it means is `wire/answer/reply`'s to say. */
  | { kind: "answered"; httpStatus: number; body: string }
  /**
   * Proven that no byte left: connection refused, name not found, TLS refused, on a new connection. `waitS`, whole
   * seconds, where it was our own weight that had no room, or this machine that was late. `isOurFault` where the connection was not even asked.
   */
  | { kind: "not_sent"; reason: string; waitS?: number; isOurFault?: true }
  /** Anything else: it may have been executed. */
  | { kind: "unknown"; reason: string };

export type InfoOutcome =
  | { kind: "ok"; json: unknown }
  /**
   * `isOurBudget` is true when we did not ask at all, to keep our weight for what matters more, or because the exchange had
   * told us to slow down. `waitS`: whole seconds until asking again is of use; there where it told us so, or our weight is why.
   */
  | { kind: "failed"; reason: string; httpStatus: number | null; isOurBudget: boolean; waitS?: number };

export type InTurnOutcome = { kind: "ok"; json: readonly unknown[] } | Extract<InfoOutcome, { kind: "failed" }>;

/** A body for /info: `{ type: "orderStatus", user, oid }` and so on, in the exchange's own words. */
export type InfoRequest = { readonly type: string; readonly [member: string]: Writable };

/**
 * What our weight is spent on, in the order in which it is given out. `reduce`: what can only make a position smaller. `catch_up`: what a
 * feed may have missed is read again, which comes after what is unknown.
 */
export type Use = "cancel" | "settle" | "reduce" | "order" | "read" | "catch_up";

/** On whose behalf something is read: nobody uses up what others may read. */
export type Reader = { readonly reader: string };

/** What for. A plain "read" is one that no client has asked for: settling's hints, which are a reader of their own. */
export type Purpose = Use | Reader;

/** What the exchange has said for which we pause: HTTP 429, or that an account has used up its actions. */
export type SlowDown = "too_fast" | "out_of_actions";

export type InfoOptions = {
  purpose: Purpose;
  /** A connection of its own, so that the answer may come from another node. */
  onNewConnection?: boolean;
};

/** The only way out of the gateway. */
export type Exchange = {
  /**
   * Posts one signed body to /exchange, once, with no re-send of any kind. Costs the weight of one action; where none
   * is left it is `not_sent`, with the `waitS` of `purpose`. Never throws and never outlives its deadline. `mayLeave`
   * is asked in the turn that writes the first byte: a connection may take time to open, and this process may stand
   * still.
   */
  send(body: string, purpose: Purpose, mayLeave?: () => boolean): Promise<SendOutcome>;
  info(request: InfoRequest, options: InfoOptions): Promise<InfoOutcome>;
  /**
   * Reads one after the other over one connection, so that a time read first vouches for what is read after it. With
   * `onNewConnection` that connection is a new one. Ends at the first that fails.
   */
  infoInTurn(requests: readonly InfoRequest[], options: InfoOptions): Promise<InTurnOutcome>;
  /**
   * Exchange time now, unix milliseconds: our clock corrected by the offset last measured. For nonces and
   * `expiresAfter`; never a seal.
   */
  nowMs(): number;
  /**
   * By so much the exchange's time may be ahead of `nowMs`, milliseconds: 0 but where its best reading is known to be of a node
   * that stands still, or where readings that may all be late were just believed against our own clock. What was shown of a time
   * that the exchange has given holds what we were told only when it is later by that.
   */
  mayBeAheadMs(): number;
  /** Milliseconds since the exchange last gave an answer of any kind; null before the first. */
  sinceAnswerMs(): number | null;
  /** True when an action of this purpose still fits our own weight; asked before an intent is stored. */
  hasBudgetFor(purpose: Purpose): boolean;
  /** Whole seconds until an action of this purpose, or these reads, fit if nothing else is spent; 0 when they do. */
  budgetWaitS(purpose: Purpose, requests?: readonly InfoRequest[]): number;
  /** Weight of this minute that may still be spent on this purpose; null = not limited. */
  budgetLeft(purpose: Purpose): number | null;
  /** A reader was refused for want of weight within the last minute, and told how long to wait for it. */
  isReaderWaiting(): boolean;
  /** The exchange said so: stop spending for a while. */
  slowDown(because: SlowDown): void;
  /** What the exchange said, while nothing is spent on this purpose because of it; null where only our own weight counts. */
  slowedDown(purpose: Purpose): SlowDown | null;
};

/** What contradicts the list of markets. `isCertain`: an order that was placed in this market stands in another one. */
export type MarketDoubt = { because: string; isCertain: boolean };

/** The markets of the exchange, as it listed them last, and what has contradicted that list since. */
export type Markets = {
  /** Null until they have been read once. */
  current(): Universe | null;
  /** Since they were last read, by our monotonic clock, milliseconds; null before. */
  ageMs(): number | null;
  /** Whether our own weight kept them from being read the last time, and whole seconds until that can be had. */
  nextReading(): { isOurBudget: boolean; waitS: number };
  /**
   * Reads them again unless that happened less than 30 s ago; the newest known either way. `urgently`: at once, and then
   * every 5 s at the most.
   */
  refresh(how?: "urgently"): Promise<Universe | null>;
  /** The exchange shows something of this market that contradicts the list: it is read again at once. */
  doubt(name: string, doubt: MarketDoubt): void;
  /**
   * What contradicts the list, until a reading explains it, or enough of them do not; null when nothing does. Where an order
   * stands in another market, that is of every market of the list until it has been read twice.
   */
  doubtOf(name: string): string | null;
  /**
   * What the exchange shows of this market may be from before what contradicts it: the list is read again, and nothing is refused
   * for that.
   */
  suspect(name: string): void;
  /** Doubted, or suspected and not read twice since: its number in the list proves nothing. */
  isSuspected(name: string): boolean;
  /** An order that was signed for this number was just shown to stand in the market. */
  confirm(name: string, assetId: number): void;
  /** The word on where an order stands that was signed for this number was waited for in vain. */
  heedSilence(name: string, assetId: number): void;
  /** Neither was so within the last minute, or something has contradicted the list since: the next word is worth waiting for. */
  isWordDue(name: string, assetId: number): boolean;
};
