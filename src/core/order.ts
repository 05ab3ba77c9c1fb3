import { compare, type Decimal, multiply } from "./decimal.ts";
import type { Absence } from "./evidence.ts";

export type Side = "buy" | "sell";
export type TimeInForce = "gtc" | "ioc" | "alo";
export type OrderStatus =
  | "processing"
  | "open"
  | "filled"
  | "canceled"
  | "rejected"
  | "unknown"
  | "waiting_for_trigger";

export type Trigger = {
  /** As the client sent it. */
  price: string;
  kind: "take_profit" | "stop_loss";
  market: boolean;
};

/** What a client asked for; texts are echoed as sent. */
export type OrderTerms = {
  /** Canonical market name. */
  market: string;
  side: Side;
  size: string;
  price: string;
  timeInForce: TimeInForce;
  reduceOnly: boolean;
  trigger: Trigger | null;
};

/** An order as the API shows it. Its truth is in its legs: one exchange order each. */
export type Order = OrderTerms & {
  id: string;
  accountId: string;
  status: OrderStatus;
  /** Native id of the newest leg that the exchange has confirmed. */
  exchangeOrderId: string | null;
  /** Over all legs. `"0"` once the exchange has the order, null while it may not have it. */
  filledSize: Decimal | null;
  /** Over all legs, cut to 8 decimals; null until a fill, and while `filledSize` is. */
  averagePrice: Decimal | null;
  error: string | null;
  createdAtMs: number;
};

/**
 * `sent`: no word from the exchange yet. `closing`: over by the exchange's word, and how much of it had been filled by then
 * is not known yet; or perhaps over (`isPerhapsOver`). `absent`: it left no order, and no longer can. The others are the
 * exchange's own word.
 */
export type LegState =
  | "sent"
  | "resting"
  | "armed"
  | "closing"
  | "filled"
  | "canceled"
  | "rejected"
  | "absent"
  | "lost";

/** One exchange order of an order: the first placed, or the replacement of a modify. */
export type Leg = {
  cloid: string;
  orderId: string;
  /** Native id as decimal digits; null until the exchange named it. */
  oid: string | null;
  /** 0 for the first leg, counting up with each modify. */
  ordinal: number;
  /** What this leg asked for; the texts as the client sent them. */
  size: Decimal;
  price: string;
  timeInForce: TimeInForce;
  trigger: Trigger | null;
  state: LegState;
  filledSize: Decimal;
  /** Sum of price times size over the leg's fills. */
  filledNotional: Decimal;
  /** Plain words for `canceled`, `rejected`, `absent`, `lost`. */
  reason: string | null;
  /** True when the reason is the exchange's own answer, false when we concluded it. */
  isExchangesWord: boolean;
  /** By what it was concluded here that nothing of it is there; null where nothing was. */
  absence: LegAbsence | null;
};

/** `not_sent`: no byte of the action that was to place it has left. */
export type LegAbsence = Absence | "not_sent";

/** A fact about one leg, whoever reported it. */
export type LegEvent =
  | { type: "rested"; oid: string }
  | { type: "armed"; oid: string | null }
  | { type: "filled"; oid: string; filled: Filled | null }
  /** The exchange says that it is over, and not yet how much of it was filled; with its native id where it names it. */
  | {
      type: "closing";
      oid: string | null;
      /** Its record tells of fills that no answer has shown yet. */
      areFillsMissing?: true;
    }
  /**
   * Its record has a word that is new, or is not there, and a list of open orders lacks it; or its record alone tells an end, which a list
   * may contradict: it may be over, and may live.
   */
  | { type: "perhaps_over"; because: "new_word" | "no_record" | "record_alone" | "contradicted" }
  /** Listed as open by an answer from after it was taken for over. */
  | { type: "shown_since"; oid: string; isArmed: boolean }
  | {
      type: "canceled";
      oid: string | null;
      reason: string | null;
      filled: Filled | null;
      /** Where it is not the exchange that says so. */
      absence?: LegAbsence;
    }
  /** With its native id only where the exchange had taken it before. */
  | { type: "rejected"; reason: string; oid: string | null }
  /** Concluded by `core/evidence`: the leg left no order at the exchange, and no longer can. */
  | {
      type: "proven_absent";
      reason: string;
      absence: LegAbsence;
      /** Another's order may stand under its client order id: what a cancel by that has closed may be that one. */
      mayHaveNamesake?: boolean;
    }
  /**
   * An answer refused it. A refusal names no order, so that it may be another's: whatever shows the order overrules it. Where a server
   * refused the action before it came to its number (`isNumberUsed` false), a copy may still be taken.
   */
  | { type: "turned_away"; reason: string; isNumberUsed: boolean }
  | { type: "lost"; reason: string }
  /** The exchange has said somewhere that it has, or had, the order; a look says how it stands. */
  | { type: "reported"; oid: string | null }
  /** A fill had given the leg a native id, and that is the id of something else. */
  | { type: "misnamed"; oid: string }
  /** Something is wrong with it that its status does not tell: another order under its id, more filled than asked for. */
  | {
      type: "doubted";
      reason: string;
      /** What has its native id stands in another market: what was asked for is not known to be open. */
      isElsewhere?: boolean;
      /** Lists of after its end show it open: an end of the exchange's own is doubted as well, whichever it was. */
      isListed?: boolean;
    }
  | { type: "fills_seen"; filled: Filled };

/** A running total of a leg's fills: it only ever grows. */
export type Filled = {
  size: Decimal;
  notional: Decimal;
  /** The total of a placing's answer, whose average price the exchange has rounded. */
  isRounded?: true;
};

const CLOSED: readonly LegState[] = ["filled", "canceled", "rejected", "absent"];

export function isClosed(leg: Leg): boolean {
  return CLOSED.includes(leg.state);
}

/**
 * True when the exchange took the leg, whatever became of it. A trigger is taken, waits, and may be refused only when it
 * fires: what tells it from one that was refused at once is the native id beside the refusal.
 */
export function wasTaken(leg: Leg): boolean {
  if (leg.state === "rejected") return leg.oid !== null;
  return leg.state !== "sent" && leg.state !== "lost" && leg.state !== "absent";
}

/** True where the exchange has refused it: by a record of it, or by an answer, which whatever shows it overrules. */
export function isRefused({ state, isExchangesWord }: Leg): boolean {
  return state === "rejected" || (state === "absent" && isExchangesWord);
}

/** True where nothing of it is there by what was concluded here, and no refusal of it is known. */
export function isConcludedAbsent({ absence }: Leg): boolean {
  return absence !== null && absence !== "refused";
}

/** True where it is over by the exchange's own word, and what was filled of it is not known yet. */
export function isSaidOver({ state, isExchangesWord }: Leg): boolean {
  return state === "closing" && isExchangesWord;
}

/** Why it is `closing` where its record has told of fills that are not shown: stays when the exchange forgets the record. */
export const FILLS_MISSING = "the exchange's record of it tells of fills that are not shown yet; they are being read";

/** True where the exchange's own record told of more fills than were shown by then. */
export function wereFillsMissing(leg: Leg): boolean {
  return isSaidOver(leg) && leg.reason?.includes(FILLS_MISSING) === true;
}

/** What the exchange shows of an order that lists from after its end hold: in the alarm, which stays with the leg. */
export const LISTED_SINCE = "the order as open, in lists of after the end that it had told,";

/** True where lists of after its end have shown it open: what they show is told beside the end, which stays. */
export function wasListedSince(leg: Leg): boolean {
  return isClosed(leg) && leg.reason?.includes(LISTED_SINCE) === true;
}

/** True while nothing says that it is over and nothing that it lives: whatever shows it open is believed. */
export function isPerhapsOver({ state, isExchangesWord }: Leg): boolean {
  return state === "closing" && !isExchangesWord;
}

/** Why it is perhaps over where its record says so, and a list of open orders holds it. */
export const CONTRADICTED =
  "the exchange's record of it says that it is over, and its list of open orders holds it: both are asked again until they agree";

/** True where one record alone says that it is over, and a list of open orders has held it at the last look. */
export function isEndContradicted(leg: Leg): boolean {
  return isPerhapsOver(leg) && leg.reason === CONTRADICTED;
}

/** True where it is filled to the last unit under its own id: no modify has canceled it, and none can any more. */
export function isWhollyFilled({ state, filledSize, size }: Leg): boolean {
  return state === "filled" && compare(filledSize, size) >= 0;
}

/** True where something of it is known to be filled. */
export function hasFilled(leg: Leg): boolean {
  return leg.filledSize !== "0";
}

/**
 * True while a native id is no more than a lead: a fill carried it under the client order id of an order whose answer has
 * not come, and no answer or record has confirmed it.
 */
export function isNamedByLead({ state, oid, isExchangesWord }: Leg): boolean {
  return oid !== null && (state === "sent" || state === "lost") && !isExchangesWord;
}

/** A total from an exchange answer that gives size and average price. */
export function filledAt(size: Decimal, price: Decimal): Filled {
  return { size, notional: multiply(size, price), isRounded: true };
}

/** Statuses about which the exchange may still have news. */
export function isLive(status: OrderStatus): boolean {
  return status === "processing" || status === "unknown" || status === "open" || status === "waiting_for_trigger";
}

/** All statuses, and nothing else: the compiler sees to that. */
export const ORDER_STATUSES = Object.keys({
  processing: true,
  unknown: true,
  open: true,
  waiting_for_trigger: true,
  filled: true,
  canceled: true,
  rejected: true,
  // A record of all statuses has no names but theirs.
} satisfies Record<OrderStatus, true>) as OrderStatus[];

export const LIVE_STATUSES: readonly OrderStatus[] = ORDER_STATUSES.filter(isLive);
