/**
 * Everything that was ever told of an order, answers and events alike, held against what was true at the exchange at that
 * moment and ever after: a bot acts on the first word, and what is final is final.
 */
import { CLOSED } from "./answers.ts";
import type { Dialogue, Turn } from "./clients.ts";
import { type Copies, isCopyUnknown } from "./copied.ts";
import { START_MS } from "./template.ts";
import { allOrders, decimalText, isMisplaced, type TrueLeg, type TrueOrder, type Truth, units } from "./truth.ts";
import type { Venue } from "./venue.ts";

/**
 * An event as its stream told it. What a power cut took back is true, and the next process does not know it until it has
 * looked.
 */
export type ToldEvent = {
  id: number;
  type: string;
  resourceId: string;
  payload: string;
  atMs: number;
  isTakenBack: boolean;
};

/** What is told of an order. */
type Body = {
  id: string;
  object: string;
  status: string;
  exchange_order_id: string | null;
  filled_size: string | null;
  error: string | null;
};

type Telling = { by: string; body: Body; atMs: number };

export type Tellings = {
  venue: Venue;
  truth: Truth;
  dialogues: readonly Dialogue[];
  reads: readonly { turn: Turn }[];
  events: readonly ToldEvent[];
  copies: Copies;
};

/** One sentence for each thing that was told and was not so. */
export function auditTellings(run: Tellings): string[] {
  const known = knownOrders(run.truth);
  const findings = allTellings(run).flatMap((telling) => judge(run, known, telling));
  return [...new Set(findings)];
}

function allTellings({ dialogues, reads, events }: Tellings): Telling[] {
  const turns = [...dialogues.flatMap(({ turns: all }) => all), ...reads.map(({ turn }) => turn)];
  return [...turns.flatMap(toldIn), ...events.flatMap(toldBy)];
}

function toldIn({ ask, endedAtMs, outcome }: Turn): Telling[] {
  if (outcome?.kind !== "answer" || outcome.status >= 300 || endedAtMs === null) return [];
  // Answers are our own JSON; the auditor reads them without the gateway's types.
  const answer = JSON.parse(outcome.body) as Body & { data?: Body[] };
  const bodies = answer.data ?? [answer];
  return bodies.filter(({ object }) => object === "order").map((body) => ({ by: ask.kind, body, atMs: endedAtMs }));
}

function toldBy({ type, payload, atMs }: ToldEvent): Telling[] {
  if (!type.startsWith("order.")) return [];
  // As above.
  const body = JSON.parse(payload) as Body;
  // Of an order that is removed nothing is told but that.
  return body.object === "order" && body.status !== undefined ? [{ by: type, body, atMs }] : [];
}

/** Orders by their own id: it is the client order id of their first leg. */
type Known = ReadonlyMap<string, { order: TrueOrder; legs: readonly TrueLeg[] }>;

function knownOrders(truth: Truth): Known {
  const { splits } = truth;
  const known = new Map<string, { order: TrueOrder; legs: TrueLeg[] }>();
  for (const order of allOrders(truth)) {
    // What may be shown as a part of another order counts for both.
    const alike = [...splits.values()].filter(({ mayBelongTo }) => mayBelongTo === order);
    const legs = [...order.legs, ...alike.flatMap(({ legs: more }) => more), ...(order.mayBelongTo?.legs ?? [])];
    known.set(idOf(order.legs[0]?.cloid ?? null), { order, legs });
  }
  return known;
}

function idOf(cloid: string | null): string {
  return (cloid ?? "").slice(2);
}

function hexOf(uuid: string): string {
  return uuid.replaceAll("-", "");
}

function judge({ venue, copies }: Tellings, known: Known, { by, body, atMs }: Telling): string[] {
  const { status, exchange_order_id: oid } = body;
  const filled = units(body.filled_size ?? "0");
  const name = `at ${atMs} ${by} told order ${body.id} ${status} (${oid}, ${body.filled_size} filled)`;
  const found = known.get(hexOf(body.id));
  if (found === undefined) {
    // What a modify has placed is listed under an id of its own until that modify is known.
    const isLeg = [...known.values()].some(({ legs }) => legs.some(({ cloid }) => idOf(cloid) === hexOf(body.id)));
    if (isFromOutside(body.id) || isLeg) return [];
    const isSaid = oid !== null || filled > 0n || ["open", "waiting_for_trigger", "filled"].includes(status);
    return isSaid ? [`${name}, and it was never placed`] : [];
  }
  const findings: string[] = [];
  // What stands in another market has its own rules (`auditMisplaced`).
  if (isMisplaced(found.order)) return [];
  if (oid !== null && !found.legs.some((leg) => String(leg.oid) === oid))
    findings.push(`${name}, which is not its own`);
  // Told under the id of what a modify placed just after another cancel, it is told as a part of this one.
  const isWhole = oid !== null && !found.order.legs.some((leg) => String(leg.oid) === oid);
  const isUnknown = isCopyUnknown(copies, found.legs, atMs);
  const state = stateAt(venue, isWhole ? wholeOf(found) : found, START_MS + atMs);
  if (filled > state.filled) findings.push(`${name}, and ${decimalText(state.filled)} were by then`);
  if (["open", "waiting_for_trigger"].includes(status) && !state.isPlaced)
    findings.push(`${name} before it was placed`);
  const own = found.legs.find((leg) => String(leg.oid) === oid);
  if (status === "open" && own !== undefined && hasNeverRested(venue, found.order, own))
    findings.push(`${name}, and it was over in the moment in which it was placed`);
  if (status === "rejected" && !state.isRefused && !isUnknown)
    findings.push(`${name}, and the exchange had or took it`);
  if (CLOSED.includes(status) && status !== "rejected" && !isUnknown && found.order.mayBelongTo === null)
    findings.push(...judgeEnd(state, { name, filled }));
  return findings;
}

/** It was matched whole as it came: at no moment was it open. What the next of its batch has matched rested before that. */
function hasNeverRested(venue: Venue, { wish }: TrueOrder, { oid }: TrueLeg): boolean {
  const owner = wish.party.account.tradingAddress;
  const record = venue.record(owner, oid);
  if (record === null || record.order.trigger !== null || record.status !== "filled") return false;
  const isAtOnce = record.statusTimestampMs === record.order.timestampMs;
  const fills = venue.fillsOf(owner).filter((fill) => fill.oid === oid);
  return isAtOnce && fills.every(({ crossed }) => crossed);
}

/** Ids of orders that were not placed here are made of their native ones: a version of their own. */
function isFromOutside(id: string): boolean {
  return id[14] === "8";
}

function wholeOf({ order, legs }: { order: TrueOrder; legs: readonly TrueLeg[] }): Parameters<typeof stateAt>[1] {
  return { order: { ...order, legs: [...legs] }, legs };
}

type State = {
  isPlaced: boolean;
  isLive: boolean;
  /** The exchange has never had it on its books. */
  isRefused: boolean;
  filled: bigint;
  /** What was filled of these legs in the end. */
  filledAtLast: bigint;
};

export function stateAt(
  venue: Venue,
  { order, legs }: { order: TrueOrder; legs: readonly TrueLeg[] },
  atMs: number,
): State {
  const owner = order.wish.party.account.tradingAddress;
  const fills = venue.fillsOf(owner).filter(({ oid }) => legs.some((leg) => leg.oid === oid));
  const placed = order.legs.filter(({ oid }) => (venue.record(owner, oid)?.order.timestampMs ?? 0) <= atMs);
  const sum = (those: typeof fills) => those.reduce((total, { size }) => total + size, 0n);
  const isOverBy = ({ oid }: TrueLeg) =>
    !venue.isLive(oid) && (venue.record(owner, oid)?.statusTimestampMs ?? 0) <= atMs;
  return {
    isPlaced: placed.length > 0,
    isLive: placed.some((leg) => !isOverBy(leg)),
    isRefused: legs.every(({ oid }) => venue.record(owner, oid)?.status.endsWith("Rejected") === true),
    filled: sum(fills.filter(({ timeMs }) => timeMs <= atMs)),
    filledAtLast: sum(fills.filter(({ oid }) => placed.some((leg) => leg.oid === oid))),
  };
}

function judgeEnd({ isLive, filledAtLast }: State, { name, filled }: { name: string; filled: bigint }): string[] {
  if (isLive) return [`${name}, and it lived at that time`];
  return filled === filledAtLast ? [] : [`${name}, and ${decimalText(filledAtLast)} were in all`];
}
