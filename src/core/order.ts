import { alarmIn } from "./alarm.ts";
import { compare, type Decimal, multiply } from "./decimal.ts";

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
  /** Over all legs, cut to 8 decimals; null until a fill. */
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
};

/** A fact about one leg, whoever reported it. */
export type LegEvent =
  | { type: "rested"; oid: string }
  | { type: "armed"; oid: string | null }
  | { type: "filled"; oid: string; filled: Filled | null }
  /** The exchange says that it is over, and not yet how much of it was filled; with its native id where it names it. */
  | { type: "closing"; oid: string | null }
  /** Its record has a word that is new, or is not there, and a list of open orders lacks it: it may be over, and may live. */
  | { type: "perhaps_over"; because: keyof typeof PERHAPS_OVER }
  /** Listed as open by an answer from after it was taken for over. */
  | { type: "shown_since"; oid: string; isArmed: boolean }
  | { type: "canceled"; oid: string | null; reason: string | null; filled: Filled | null }
  /** With its native id only where the exchange had taken it before. */
  | { type: "rejected"; reason: string; oid: string | null }
  /** Concluded by `core/evidence`: it left no order, and no longer can. */
  | { type: "proven_absent"; reason: string }
  | { type: "lost"; reason: string }
  /** The exchange has said somewhere that it has, or had, the order; a look says how it stands. */
  | { type: "reported"; oid: string | null }
  /** The native id that a fill gave it is that of something else. */
  | { type: "misnamed"; oid: string }
  /** Something is wrong with it that its status does not tell: another order under its id, more filled than asked for. */
  | {
      type: "doubted";
      reason: string;
      /** What has its native id stands in another market: what was asked for is not known to be open. */
      isElsewhere?: boolean;
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

/**
 * The leg after the event; the same object when the event brings nothing new; null when it contradicts what
 * the exchange itself has said, which is kept as evidence and never applied.
 */
export function advanceLeg(leg: Leg, event: LegEvent): Leg | null {
  const next = afterEvent(leg, event);
  return next !== null && isWhole(next) ? asFilled(next) : next;
}

function afterEvent(leg: Leg, event: LegEvent): Leg | null {
  if (isTooMuch(leg, event)) return null;
  const grown = "filled" in event && event.filled !== null ? growFilled(leg, event.filled) : leg;
  if (leg.state === "rejected" && leg.isExchangesWord) return agreesWithRefusal(leg, event) ? leg : null;
  switch (event.type) {
    case "fills_seen":
      // A late fill may still reach a closed leg; what never rested cannot have one.
      if (leg.state === "absent" && grown !== leg) return { ...grown, state: "lost", reason: null };
      return leg.state === "armed" && hasFilled(grown) ? { ...grown, state: "resting" } : grown;
    case "rested":
      if ((isClosed(leg) && leg.state !== "absent") || isSaidOver(leg)) return identified(leg, event.oid);
      return open(leg, "resting", event.oid);
    case "armed":
      // Triggers fire once: a resting leg does not go back to waiting.
      if (isClosed(leg) && leg.state !== "absent") return identified(leg, event.oid);
      if (leg.state === "resting" || isSaidOver(leg)) return identified(leg, event.oid);
      return open(leg, hasFilled(leg) ? "resting" : "armed", event.oid ?? leg.oid);
    case "filled":
      if (leg.state === "filled" || leg.state === "canceled") return grown;
      return { ...grown, ...said("filled", null), oid: event.oid };
    case "shown_since":
      return leg.state === "closing"
        ? open(leg, event.isArmed && !hasFilled(leg) ? "armed" : "resting", event.oid)
        : leg;
    case "closing":
      if (isClosed(leg) && leg.state !== "absent") return leg;
      if (isSaidOver(leg)) return identified(leg, event.oid);
      return {
        ...leg,
        ...said("closing", CLOSING),
        oid: isNamedByLead(leg) ? (event.oid ?? leg.oid) : (leg.oid ?? event.oid),
      };
    case "perhaps_over":
      if (leg.state !== "resting" && leg.state !== "armed") return leg;
      // An alarm stays.
      return { ...leg, state: "closing", reason: leg.reason ?? PERHAPS_OVER[event.because], isExchangesWord: false };
    case "canceled":
      if (leg.state === "filled") return grown;
      if (leg.state === "canceled") return named(grown, event);
      return { ...grown, ...said("canceled", event.reason), oid: event.oid ?? leg.oid };
    case "rejected":
      if (isPastRefusal(leg)) return null;
      return { ...leg, ...said("rejected", event.reason), oid: event.oid ?? (isNamedByLead(leg) ? null : leg.oid) };
    case "proven_absent":
      if (leg.state === "absent") return leg;
      if (leg.state !== "sent" && leg.state !== "lost") return null;
      return { ...leg, state: "absent", reason: event.reason, isExchangesWord: false };
    case "reported":
      if (leg.state === "absent") return { ...leg, state: "lost", reason: REPORTED, oid: leg.oid ?? event.oid };
      return identified(leg, event.oid);
    case "misnamed":
      return isNamedByLead(leg) && leg.oid === event.oid ? { ...leg, oid: null } : leg;
    case "doubted":
      return doubtful(event.isElsewhere === true ? perhapsOver(leg) : leg, event.reason);
    case "lost":
      if (leg.state !== "sent") return leg;
      return { ...leg, state: "lost", reason: alarmIn(leg.reason) ?? event.reason, isExchangesWord: false };
  }
}

function perhapsOver(leg: Leg): Leg {
  return leg.state === "resting" || leg.state === "armed" ? { ...leg, state: "closing", isExchangesWord: false } : leg;
}

/** No order is filled beyond its size. Of one that was found by its fills alone, after a restore, these are the size. */
function isTooMuch({ state, size }: Leg, event: LegEvent): boolean {
  const filled = "filled" in event ? event.filled : null;
  return state !== "filled" && filled !== null && compare(filled.size, size) > 0;
}

/** What was refused or never was is in no doubt; why it was canceled stays beside what is wrong with it. */
function doubtful(leg: Leg, reason: string): Leg {
  if (leg.state === "rejected" || leg.state === "absent" || leg.reason?.includes(reason) === true) return leg;
  const isKept = leg.state === "canceled" && leg.reason !== null;
  return { ...leg, reason: isKept ? `${leg.reason}; ${reason}` : reason };
}

function isPastRefusal(leg: Leg): boolean {
  const { state } = leg;
  return state === "resting" || isSaidOver(leg) || state === "filled" || state === "canceled";
}

/** It is over by the exchange's own word, and what was filled of it is not known yet. */
export function isSaidOver({ state, isExchangesWord }: Leg): boolean {
  return state === "closing" && isExchangesWord;
}

/** Nothing says that it is over, and nothing that it lives: what shows it open is believed. */
export function isPerhapsOver({ state, isExchangesWord }: Leg): boolean {
  return state === "closing" && !isExchangesWord;
}

/** Nothing is left of it that could be open or canceled, whatever a record says. */
function isWhole(leg: Leg): boolean {
  const isSettled = leg.state === "filled" || leg.state === "rejected";
  return !isSettled && leg.oid !== null && compare(leg.filledSize, leg.size) >= 0;
}

/** Filled to the last unit under its own id: no modify has canceled it, and none can any more. */
export function isWhollyFilled({ state, filledSize, size }: Leg): boolean {
  return state === "filled" && compare(filledSize, size) >= 0;
}

/** Of an order that was open only an alarm has a reason, and that stays. */
function asFilled(leg: Leg): Leg {
  const isAlarm = leg.state === "resting" || leg.state === "armed";
  return { ...leg, ...said("filled", isAlarm ? leg.reason : null) };
}

/** What fills has fired, whatever a list that tells of its condition leaves open. */
function hasFilled(leg: Leg): boolean {
  return leg.filledSize !== "0";
}

const CLOSING = "it is over at the exchange; how much of it was filled is being read";

const PERHAPS_OVER = {
  new_word:
    "the exchange's record of it has a status that is new to this gateway, and its list of open orders lacks it: a newer list decides",
  no_record:
    "the exchange shows no record of it, and its list of open orders lacks it: a list that holds a newer order decides, or a cancel",
};

const REPORTED = "the exchange has reported an order that was not found before; it is being looked up";

/**
 * True while a native id is no more than a lead: a fill carried it under the client order id of an order whose answer has
 * not come, and no answer or record has confirmed it.
 */
export function isNamedByLead({ state, oid, isExchangesWord }: Leg): boolean {
  return oid !== null && (state === "sent" || state === "lost") && !isExchangesWord;
}

/** A cancel by client order id does not say which native id it closed; a report that comes late does. */
function identified(leg: Leg, oid: string | null): Leg {
  return leg.oid === null && oid !== null ? { ...leg, oid } : leg;
}

/** What an exchange that has refused an order may still report of it without contradicting itself. */
function agreesWithRefusal(leg: Leg, event: LegEvent): boolean {
  if (event.type === "fills_seen") return event.filled.size === "0";
  if (event.type === "armed") return hadWaited(leg, event.oid);
  return OF_REFUSED.has(event.type);
}

const OF_REFUSED: ReadonlySet<LegEvent["type"]> = new Set(["rejected", "proven_absent", "lost", "doubted", "misnamed"]);

/**
 * A trigger that fired may find nothing on offer within its price bound: an older answer or look that arrives after that
 * tells of its waiting.
 */
function hadWaited(leg: Leg, oid: string | null): boolean {
  return leg.trigger !== null && wasTaken(leg) && (oid === null || oid === leg.oid);
}

/** A second report of a cancel adds what the first did not say, and takes nothing back. */
function named(leg: Leg, event: LegEvent & { type: "canceled" }): Leg {
  const reason = leg.reason ?? event.reason;
  const oid = leg.oid ?? event.oid;
  return reason === leg.reason && oid === leg.oid ? leg : { ...leg, reason, oid };
}

function open(leg: Leg, state: "resting" | "armed", oid: string | null): Leg {
  const isSame = leg.state === state && leg.oid === oid && leg.reason === null;
  return isSame ? leg : { ...leg, state, oid, reason: null, isExchangesWord: true };
}

function said(state: LegState, reason: string | null): Pick<Leg, "state" | "reason" | "isExchangesWord"> {
  return { state, reason, isExchangesWord: true };
}

/**
 * Totals only grow: a snapshot read before a fill must not take it back. The same size again, from the fills
 * themselves, puts right what a rounded average price gave.
 */
function growFilled(leg: Leg, seen: Filled): Leg {
  const growth = compare(seen.size, leg.filledSize);
  const isExacter = growth === 0 && seen.isRounded !== true && compare(seen.notional, leg.filledNotional) !== 0;
  if (growth <= 0 && !isExacter) return leg;
  return { ...leg, filledSize: seen.size, filledNotional: seen.notional };
}

/** A total from an exchange answer that gives size and average price. */
export function filledAt(size: Decimal, price: Decimal): Filled {
  return { size, notional: multiply(size, price), isRounded: true };
}

/** Statuses about which the exchange may still have news. */
export function isLive(status: OrderStatus): boolean {
  return status === "processing" || status === "unknown" || status === "open" || status === "waiting_for_trigger";
}
