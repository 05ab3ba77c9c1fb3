/** What a fact makes of a leg: one table, a line for each fact and a column for each way in which a leg may stand. */
import { alarmIn } from "./alarm.ts";
import { compare } from "./decimal.ts";
import {
  CONTRADICTED,
  FILLS_MISSING,
  type Filled,
  hasFilled,
  isNamedByLead,
  isSaidOver,
  type Leg,
  type LegEvent,
  type LegState,
  wasTaken,
  wereFillsMissing,
} from "./order.ts";

/**
 * The leg after the event; the same object when the event brings nothing new; null when it contradicts what
 * the exchange itself has said, which is kept as evidence and never applied.
 */
export function advanceLeg(leg: Leg, event: LegEvent): Leg | null {
  if (isTooMuch(leg, event)) return null;
  const next = ruleFor(leg, event)(leg, event);
  return next !== null && isWhole(next) ? asFilled(next) : next;
}

/** No order is filled beyond its size. Of one that was found by its fills alone, after a restore, these are the size. */
function isTooMuch({ state, size }: Leg, event: LegEvent): boolean {
  const filled = "filled" in event ? event.filled : null;
  return state !== "filled" && filled !== null && compare(filled.size, size) > 0;
}

/** A leg's state, told apart where it is `closing`: over by the exchange's own word, or perhaps over. */
type LegStanding = Exclude<LegState, "closing"> | "over" | "perhaps";

type Rule<Event> = (leg: Leg, event: Event) => Leg | null;
type Event<Type extends LegEvent["type"]> = LegEvent & { type: Type };

// Of what rests, waits or is over nothing is refused and nothing was never there; a trigger that waits may be refused when it
// fires. What we have concluded ourselves (`absent`, `perhaps`, `lost`) yields to the exchange; its own end stays, and its own
// refusal is contradicted by whatever says that the order was there.
// biome-ignore format: a table is read by its columns
const AFTER: { [Type in LegEvent["type"]]: Record<LegStanding, Rule<Event<Type>>> } = {
  rested:        { sent: rests,    lost: rests,    absent: rests,    armed: rests,    resting: rests,    perhaps: rests,    over: named,    filled: named, canceled: named, rejected: no },
  armed:         { sent: waits,    lost: waits,    absent: waits,    armed: waits,    resting: named,    perhaps: waits,    over: named,    filled: named, canceled: named, rejected: hadBeenThere },
  filled:        { sent: filled,   lost: filled,   absent: filled,   armed: filled,   resting: filled,   perhaps: filled,   over: filled,   filled: grows, canceled: grows, rejected: no },
  canceled:      { sent: canceled, lost: canceled, absent: canceled, armed: canceled, resting: canceled, perhaps: canceled, over: canceled, filled: grows, canceled: again, rejected: no },
  closing:       { sent: over,     lost: over,     absent: over,     armed: over,     resting: over,     perhaps: over,     over: remains,  filled: stays, canceled: stays, rejected: no },
  perhaps_over:  { sent: shown,    lost: shown,    absent: stays,    armed: perhaps,  resting: perhaps,  perhaps: doubts,   over: stays,    filled: stays, canceled: stays, rejected: hadBeenThere },
  shown_since:   { sent: stays,    lost: stays,    absent: stays,    armed: stays,    resting: stays,    perhaps: lives,    over: lives,    filled: stays, canceled: stays, rejected: no },
  rejected:      { sent: rejected, lost: rejected, absent: agrees,   armed: rejected, resting: no,       perhaps: rejected, over: atFiring, filled: no,    canceled: no,    rejected: stays },
  proven_absent: { sent: absent,   lost: absent,   absent: stays,    armed: no,       resting: no,       perhaps: no,       over: notThere, filled: no,    canceled: no,    rejected: stays },
  turned_away:   { sent: away,     lost: away,     absent: stays,    armed: another,  resting: another,  perhaps: another,  over: another,  filled: another, canceled: another, rejected: stays },
  lost:          { sent: lost,     lost: stays,    absent: stays,    armed: stays,    resting: stays,    perhaps: stays,    over: stays,    filled: stays, canceled: stays, rejected: stays },
  reported:      { sent: named,    lost: named,    absent: found,    armed: named,    resting: named,    perhaps: named,    over: named,    filled: named, canceled: named, rejected: hadBeenThere },
  misnamed:      { sent: unnamed,  lost: unnamed,  absent: stays,    armed: stays,    resting: stays,    perhaps: stays,    over: stays,    filled: stays, canceled: stays, rejected: stays },
  doubted:       { sent: doubted,  lost: doubted,  absent: stays,    armed: doubted,  resting: doubted,  perhaps: doubted,  over: doubted,  filled: doubted, canceled: doubted, rejected: refuted },
  fills_seen:    { sent: grows,    lost: grows,    absent: filling,  armed: fires,    resting: grows,    perhaps: grows,    over: grows,    filled: grows, canceled: grows, rejected: unfilled },
};

function ruleFor(leg: Leg, { type }: LegEvent): Rule<LegEvent> {
  // The rules of a line are handed no event but their own.
  return AFTER[type][standingOf(leg)] as Rule<LegEvent>;
}

function standingOf(leg: Leg): LegStanding {
  if (leg.state !== "closing") return leg.state;
  return isSaidOver(leg) ? "over" : "perhaps";
}

function stays(leg: Leg): Leg {
  return leg;
}

/** The event contradicts what the exchange itself has said. */
function no(): null {
  return null;
}

function rests(leg: Leg, { oid }: Event<"rested">): Leg {
  return open(leg, "resting", oid);
}

/**
 * The trigger waits. One that has fills has fired, whatever a list says of its condition; a resting leg does not go
 * back to waiting.
 */
function waits(leg: Leg, { oid }: Event<"armed">): Leg {
  return open(leg, hasFilled(leg) ? "resting" : "armed", oid ?? leg.oid);
}

function lives(leg: Leg, { oid, isArmed }: Event<"shown_since">): Leg {
  return open(leg, isArmed && !hasFilled(leg) ? "armed" : "resting", oid);
}

function open(leg: Leg, state: "resting" | "armed", oid: string | null): Leg {
  const isSame = leg.state === state && leg.oid === oid && leg.reason === null;
  return isSame ? leg : { ...leg, ...said(state, null), oid };
}

/**
 * Adds the native id where none is known: a cancel by client order id does not name the order that it closed; a later
 * report does.
 */
function named(leg: Leg, { oid }: { oid: string | null }): Leg {
  return leg.oid === null && oid !== null ? { ...leg, oid } : leg;
}

function unnamed(leg: Leg, { oid }: Event<"misnamed">): Leg {
  return isNamedByLead(leg) && leg.oid === oid ? { ...leg, oid: null } : leg;
}

function filled(leg: Leg, event: Event<"filled">): Leg {
  return { ...grows(leg, event), ...said("filled", null), oid: event.oid };
}

function canceled(leg: Leg, event: Event<"canceled">): Leg {
  const absence = event.absence ?? null;
  return { ...grows(leg, event), ...said("canceled", event.reason), absence, oid: event.oid ?? leg.oid };
}

/** A second report of a cancel adds what the first did not say, and takes nothing back. */
function again(leg: Leg, event: Event<"canceled">): Leg {
  const grown = grows(leg, event);
  const reason = leg.reason ?? event.reason;
  const oid = leg.oid ?? event.oid;
  return reason === leg.reason && oid === leg.oid ? grown : { ...grown, reason, oid };
}

const CLOSING = "it is over at the exchange; how much of it was filled is being read";

function over(leg: Leg, event: Event<"closing">): Leg {
  const oid = isNamedByLead(leg) ? (event.oid ?? leg.oid) : (leg.oid ?? event.oid);
  return { ...leg, ...said("closing", event.areFillsMissing === true ? FILLS_MISSING : CLOSING), oid };
}

/** Still over. That fills are missing is news, and a report that does not say so does not take it back. */
function remains(leg: Leg, event: Event<"closing">): Leg {
  const now = named(leg, event);
  return event.areFillsMissing === true && leg.reason === CLOSING ? { ...now, reason: FILLS_MISSING } : now;
}

const PERHAPS_OVER: Record<Event<"perhaps_over">["because"], string> = {
  new_word:
    "the exchange's record of it has a status that is new to this gateway, and its list of open orders lacks it: a newer list decides",
  no_record:
    "the exchange shows no record of it, and its list of open orders lacks it: a list that holds a newer order decides, or a cancel",
  record_alone:
    "the exchange's record of it alone says that it is over: its list of open orders, its history, its feed or its fills have to bear that out",
  contradicted: CONTRADICTED,
};

/** Perhaps over; an alarm in the leg's reason stays. */
function perhaps(leg: Leg, { because }: Event<"perhaps_over">): Leg {
  return { ...leg, state: "closing", reason: leg.reason ?? PERHAPS_OVER[because], isExchangesWord: false };
}

/** Whether a list contradicts its record is told as it was at the last look. */
function doubts(leg: Leg, { because }: Event<"perhaps_over">): Leg {
  const isOfRecord = leg.reason === PERHAPS_OVER.record_alone || leg.reason === CONTRADICTED;
  const isNews = because === "contradicted" || because === "record_alone";
  return isOfRecord && isNews && leg.reason !== PERHAPS_OVER[because] ? { ...leg, reason: PERHAPS_OVER[because] } : leg;
}

/** Its answer has not come, or is lost, and its record was there: that may be kept no longer when it is looked for again. */
function shown(leg: Leg, event: Event<"perhaps_over">): Leg {
  return leg.oid === null ? leg : perhaps({ ...leg, reason: alarmIn(leg.reason) }, event);
}

function rejected(leg: Leg, event: Event<"rejected">): Leg {
  return { ...leg, ...said("rejected", event.reason), oid: event.oid ?? (isNamedByLead(leg) ? null : leg.oid) };
}

/**
 * That a trigger is over is said before why: by the exchange's word to a cancel, or by a feed and a record that had another word. It may have been
 * refused when it fired; of one that has fills nothing was.
 */
function atFiring(leg: Leg, event: Event<"rejected">): Leg | null {
  const isOfIt = event.oid !== null && (leg.oid === null || leg.oid === event.oid);
  return leg.trigger !== null && isOfIt && !hasFilled(leg) ? rejected(leg, event) : null;
}

/**
 * A trigger that fired may find nothing on offer within its price bound: an older answer or look that arrives after that
 * tells of its waiting, or that its record alone says that it is over.
 */
function hadBeenThere(leg: Leg, event: Event<"armed" | "reported" | "perhaps_over">): Leg | null {
  const oid = "oid" in event ? event.oid : null;
  return leg.trigger !== null && wasTaken(leg) && (oid === null || oid === leg.oid) ? leg : null;
}

/** The record of what an answer has refused says it again; one that had taken it says more. */
function agrees(leg: Leg, event: Event<"rejected">): Leg {
  return leg.isExchangesWord && event.oid === null ? leg : rejected(leg, event);
}

function absent(leg: Leg, { reason, absence }: Event<"proven_absent">): Leg {
  return { ...leg, state: "absent", reason, absence, isExchangesWord: false };
}

function away(leg: Leg, { reason }: Event<"turned_away">): Leg {
  return { ...leg, ...said("absent", reason) };
}

/** Of what was shown already another copy was turned away; whose number was used was refused, and was there all the same. */
function another(leg: Leg, { isNumberUsed }: Event<"turned_away">): Leg | null {
  return isNumberUsed ? null : leg;
}

/**
 * It was said to be over because a cancel by client order id succeeded. Where another's order stood under that id, the
 * cancel may have met that one: then ours may never have been there.
 */
function notThere(leg: Leg, event: Event<"proven_absent">): Leg | null {
  const mayBeOfAnother = leg.oid === null && !hasFilled(leg) && event.mayHaveNamesake === true;
  return mayBeOfAnother ? absent(leg, event) : null;
}

/** The outcome is lost; an alarm in the leg's reason stays. */
function lost(leg: Leg, { reason }: Event<"lost">): Leg {
  return { ...leg, state: "lost", reason: alarmIn(leg.reason) ?? reason, isExchangesWord: false };
}

const REPORTED = "the exchange has reported an order that was not found before; it is being looked up";

function found(leg: Leg, { oid }: Event<"reported">): Leg {
  return { ...leg, state: "lost", reason: REPORTED, absence: null, oid: leg.oid ?? oid, isExchangesWord: false };
}

/** Something is wrong with it; the reason for which it was canceled stays beside that. */
function doubted(leg: Leg, { reason, isElsewhere }: Event<"doubted">): Leg {
  const isOpen = leg.state === "resting" || leg.state === "armed";
  const now: Leg = isElsewhere === true && isOpen ? { ...leg, state: "closing", isExchangesWord: false } : leg;
  if (leg.reason?.includes(reason) === true) return now;
  const isKept = (leg.state === "canceled" || wereFillsMissing(leg)) && leg.reason !== null;
  return { ...now, reason: isKept ? `${leg.reason}; ${reason}` : reason };
}

/** What was refused has no order that could be another's: only that it is listed itself is an alarm. */
function refuted(leg: Leg, event: Event<"doubted">): Leg {
  if (event.isListed !== true || leg.reason?.includes(event.reason) === true) return leg;
  return { ...leg, reason: leg.reason === null ? event.reason : `${leg.reason}; ${event.reason}` };
}

/**
 * Totals only grow: a snapshot read before a fill must not take it back. The same size again, from the fills
 * themselves, puts right what a rounded average price gave.
 */
function grows(leg: Leg, { filled: seen }: { filled: Filled | null }): Leg {
  if (seen === null) return leg;
  const growth = compare(seen.size, leg.filledSize);
  const isExacter = growth === 0 && seen.isRounded !== true && compare(seen.notional, leg.filledNotional) !== 0;
  if (growth <= 0 && !isExacter) return leg;
  return { ...leg, filledSize: seen.size, filledNotional: seen.notional };
}

/** Fills of a leg that we took for absent: it is there after all. */
function filling(leg: Leg, event: Event<"fills_seen">): Leg {
  const grown = grows(leg, event);
  return grown === leg ? leg : { ...grown, state: "lost", reason: null, absence: null, isExchangesWord: false };
}

function fires(leg: Leg, event: Event<"fills_seen">): Leg {
  const grown = grows(leg, event);
  return hasFilled(grown) ? { ...grown, state: "resting" } : grown;
}

function unfilled(leg: Leg, event: Event<"fills_seen">): Leg | null {
  return event.filled.size === "0" ? leg : null;
}

function said(state: LegState, reason: string | null): Pick<Leg, "state" | "reason" | "isExchangesWord" | "absence"> {
  return { state, reason, absence: null, isExchangesWord: true };
}

/** True where its fills are its whole size: nothing is left that could be open or canceled, whatever a record says. */
function isWhole(leg: Leg): boolean {
  const isSettled = leg.state === "filled" || leg.state === "rejected";
  return !isSettled && leg.oid !== null && compare(leg.filledSize, leg.size) >= 0;
}

/** The leg as filled. While a leg is open its reason is an alarm, and that stays. */
function asFilled(leg: Leg): Leg {
  const isAlarm = leg.state === "resting" || leg.state === "armed";
  return { ...leg, ...said("filled", isAlarm ? leg.reason : null) };
}
