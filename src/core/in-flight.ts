/**
 * How many actions of one signer may be under way. The exchange keeps the 100 highest numbers of a signer and refuses any
 * other below the lowest of them: an action that a hundred higher ones overtake is refused although it never ran, and an
 * empty action on its number proves nothing any more.
 *
 * So a number is in flight from its turn on until nothing that carries it can arrive any more, or until that would change
 * nothing: the exchange has answered, it is proven that nothing left, what became of it is known, or it has expired. Of
 * these there are at most 60, and none is handed out that would be the hundredth above one of them. Only a cancel that has
 * waited passes those whose answer was lost: being overtaken costs them a proof.
 */

/** What stands for one signed action, by an id that the caller gives; `reserved` has its turn and no number yet, `noop` is on a number of before. */
export type Going = { id: number } & (
  | { kind: "reserved" }
  | { kind: "noop" }
  /** `isLost`: its request has ended without an answer. */
  | { kind: "numbered"; ordinal: number; isLost: boolean }
);

/** What is under way for one signer; a value, never changed. */
export type InFlight = {
  /** Numbers handed out so far; the newest one's place in their order. */
  handedOut: number;
  /** As they came. A list, because each order makes it anew three times: to copy a map of 32 takes seven times as long. */
  going: readonly Going[];
};

/** Actions under way at once, empty ones among them. */
export const MAX_IN_FLIGHT = 60;

/** Numbers above one that may still arrive: with one more it would be below the hundred that the exchange keeps. */
const MAX_ABOVE = 99;

export const NOTHING_IN_FLIGHT: InFlight = { handedOut: 0, going: [] };

/** `patient`: a cancel that has waited; it passes what was lost. */
export type FlightRank = "cancel" | "patient" | "noop" | "order";

/** Whether one more may be signed now. */
export function mayGo(flight: InFlight, rank: FlightRank): boolean {
  if (rank === "patient") return onTheLine(flight) < MAX_IN_FLIGHT;
  // An empty action takes no number of its own.
  return flight.going.length < MAX_IN_FLIGHT && (rank === "noop" || isInReach(flight));
}

function onTheLine({ going }: InFlight): number {
  return going.filter((each) => each.kind !== "numbered" || !each.isLost).length;
}

/** Whether one number more leaves everything in flight among those that the exchange still takes. */
function isInReach({ handedOut, going }: InFlight): boolean {
  let oldest = Number.POSITIVE_INFINITY;
  let reserved = 0;
  for (const each of going) {
    if (each.kind === "reserved") reserved += 1;
    if (each.kind === "numbered") oldest = Math.min(oldest, each.ordinal);
  }
  return handedOut + reserved + 1 - oldest <= MAX_ABOVE;
}

export function enter({ handedOut, going }: InFlight, id: number, kind: "reserved" | "noop"): InFlight {
  return { handedOut, going: [...going, { id, kind }] };
}

/** It has the newest number from now on; said again, what was said before was taken back. */
export function giveNumber({ handedOut, going }: InFlight, id: number): InFlight {
  const ordinal = handedOut + 1;
  const at = placeOf(going, id);
  const numbered: Going = { id, kind: "numbered", ordinal, isLost: false };
  return { handedOut: ordinal, going: at === null ? [...going, numbered] : going.with(at, numbered) };
}

/** Its request has ended without an answer: it may still arrive. */
export function lose({ handedOut, going }: InFlight, id: number): InFlight {
  const lost = (each: Going) => (each.id === id && each.kind === "numbered" ? { ...each, isLost: true } : each);
  return { handedOut, going: going.map(lost) };
}

export function leave(flight: InFlight, id: number): InFlight {
  const { handedOut, going } = flight;
  const at = placeOf(going, id);
  return at === null ? flight : { handedOut, going: going.toSpliced(at, 1) };
}

function placeOf(going: readonly Going[], id: number): number | null {
  const at = going.findIndex((each) => each.id === id);
  return at === -1 ? null : at;
}
