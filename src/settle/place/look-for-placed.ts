import type { Attempt } from "../../core/attempt.ts";
import { compare } from "../../core/decimal.ts";
import { CLOCK_DOUBT_MS, type HistoryAnswer } from "../../core/evidence.ts";
import { dexOf } from "../../core/market.ts";
import { type Filled, isNamedByLead } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import type { InfoOptions } from "../../exchange/exchange.ts";
import { hasFillBefore } from "../../store/fills.ts";
import { findLegByOid } from "../../store/legs.ts";
import type { FrontendOrder } from "../../wire/answer/order-status.ts";
import { differenceFrom } from "../evidence/difference.ts";
import { fittingFills, wholeOf } from "../fills/fill-fits.ts";
import { sumFills } from "../fills/fill-pages.ts";
import { applySight } from "../look/apply-sight.ts";
import { interpretOrder, lookAtLeg, type Sight, type Sought } from "../look/look.ts";
import { lookAtClosing } from "../look/look-beyond-record.ts";
import { findInSweep, type Sweep, type Swept } from "../look/sweep.ts";
import { mayHaveFired } from "../look/unnamed.ts";
import { type Pursuit, sweepWhenDue, type Tools } from "../pursuit.ts";

/** What one look for a placed order showed; `history` is what a sweep that lacks it vouches for, null for a look by id. */
export type PlacedLook = {
  sight: Sight;
  history: HistoryAnswer | null;
  /** Native ids in that history. */
  recorded?: ReadonlySet<string>;
  /** Of a trigger: the lists hold what may have come of it. */
  isPerhapsFired?: boolean;
};

/**
 * Looks for what an attempt placed: by its client order id, and, once its number is known to be taken or its time is
 * over, in everything that the exchange shows of the account. Every second look asks over a new connection, so that
 * another server may answer.
 */
export async function lookForPlaced(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<PlacedLook> {
  const { world, evidence } = tools;
  const sought = tools.soughtOf(attempt);
  const options: InfoOptions = { purpose: "settle", onNewConnection: pursuit.looks % 2 === 1 };
  const isClosing = sought.leg.state === "closing";
  const sight = await (isClosing
    ? lookAtClosing(tools, pursuit, sought, options)
    : lookAtLeg(world, evidence, sought, options));
  const known = sight.kind === "not_found" ? knownWhole(world, sought, pursuit) : null;
  if (known !== null) return { sight: known, history: null };
  // An order of somebody else under our client order id may hide ours from a look by that id.
  const isMissed = sight.kind === "not_found" || sight.kind === "foreign";
  const isOver = attempt.seal !== null || world.exchange.nowMs() > attempt.expiresAtMs;
  if (!isMissed || !isOver) return { sight, history: null };
  const sweep = await sweepWhenDue(tools, { attempt, user: sought.user, options }, pursuit);
  if (sweep === null) return { sight, history: null };
  // The alarm about somebody else's order is raised in any case, also where ours is found beside it.
  if (sight.kind === "foreign") applySight(world, sought.leg, sight);
  if (sweep === "failed" || sweep === "no_room")
    return { sight: { kind: "failed", reason: "the sweep could not be read" }, history: null };
  const swept = await lookInSweep(tools, attempt, { sought, options, sweep });
  if (swept.sight.kind !== "not_found" || sight.kind !== "foreign") return swept;
  // An order that is certainly another's is no trace of ours: the absence is weighed as if nothing stood there.
  return { ...swept, sight, history: sight.difference.mayBeOurs ? null : swept.history };
}

/** How long, in milliseconds, looks may miss a record before fills alone, which have named the order, tell its end. */
const RECORD_AWAITED_MS = 3_000;

/** The end of an order whose fills are known whole while every record of it is behind; null where they are not. */
function knownWhole({ store, clock }: With<"clock" | "store">, sought: Sought, pursuit: Pursuit): Sight | null {
  const { oid } = sought.leg;
  if (oid === null || !isNamedByLead(sought.leg)) return null;
  const nowMs = clock.elapsedMs();
  if (pursuit.lead?.oid !== oid) pursuit.lead = { oid, missedElapsedMs: nowMs };
  const filled = nowMs - pursuit.lead.missedElapsedMs < RECORD_AWAITED_MS ? null : wholeOf(store, sought);
  return filled === null ? null : fillsOnly(sought, { oid, filled });
}

async function lookInSweep(
  tools: Tools,
  attempt: Attempt,
  { sought, options, sweep }: { sought: Sought; options: InfoOptions; sweep: Sweep },
): Promise<PlacedLook> {
  // A native id that is no more than a lead must not hide an order that has the terms.
  const asked = isNamedByLead(sought.leg) ? { ...sought, leg: { ...sought.leg, oid: null } } : sought;
  // A nonce is the exchange's time at which it was made.
  const hasTradedBefore = hasFillBefore(tools.world.store, sought.accountId, attempt.nonce);
  const swept = findInSweep(ofAsked(tools, sweep, asked), sought.leg.cloid, attempt.nonce, hasTradedBefore);
  const history = swept.kind === "not_found" && !mayBeNameless(tools, sweep, { asked, attempt }) ? swept.history : null;
  const recorded = new Set(sweep.history.map(({ order }) => order.oid));
  const isPerhapsFired = mayHaveFired(tools.world, asked, sweep, attempt.nonce - CLOCK_DOUBT_MS);
  return { sight: await readSwept(tools, asked, { swept, options }), history, recorded, isPerhapsFired };
}

/**
 * True when the lists hold an order with just these terms, no older than the action, without a client order id and not
 * known here: it may be ours, from a server that leaves the id out, and then the lists do not lack it.
 */
function mayBeNameless(
  { world }: Tools,
  { open, history }: Sweep,
  { asked, attempt }: { asked: Sought; attempt: Attempt },
): boolean {
  const { cloid } = asked.leg;
  return [...open, ...history.map(({ order }) => order)].some(
    (order) =>
      order.cloid === null &&
      order.timestampMs >= attempt.nonce - CLOCK_DOUBT_MS &&
      differenceFrom(asked, { ...order, cloid }) === null &&
      findLegByOid(world.store, attempt.accountId, order.oid) === null,
  );
}

/**
 * The sweep without orders of others under this client order id, and without lists of other dexes, which may be newer.
 */
function ofAsked({ world }: Tools, { open, history, fills }: Sweep, sought: Sought): Sweep {
  const { cloid, size } = sought.leg;
  const isAsked = (order: FrontendOrder) => order.cloid !== cloid || differenceFrom(sought, order) === null;
  // A fill tells fewer terms than its order: it may fit where its order, which stands in the same answers, does not.
  const others = new Set([...open, ...history.map(({ order }) => order)].filter((order) => !isAsked(order)).map(oidOf));
  const fitting = fittingFills(
    world.store,
    sought,
    fills.filter((fill) => fill.cloid === cloid && !others.has(fill.oid)),
  );
  const isWhole = (oid: string) => compare(sumFills(fitting.filter((fill) => fill.oid === oid)).size, size) === 0;
  const own = fitting.find(({ oid }) => isWhole(oid))?.oid ?? fitting[0]?.oid;
  return {
    open: open.filter((order) => dexOf(order.coin) === dexOf(sought.market) && isAsked(order)),
    history: history.filter(({ order }) => isAsked(order)),
    // Of several orders whose fills may be its own, one that is filled whole.
    fills: fills.filter((fill) => fill.cloid !== cloid || fill.oid === own),
  };
}

function oidOf({ oid }: FrontendOrder): string {
  return oid;
}

async function readSwept(
  tools: Tools,
  sought: Sought,
  { swept, options }: { swept: Swept; options: InfoOptions },
): Promise<Sight> {
  const { world, evidence } = tools;
  switch (swept.kind) {
    case "open": {
      const { order } = swept;
      return interpretOrder(world, evidence, sought, { order, status: "open", statusTimestampMs: 0, options });
    }
    case "past":
      return interpretOrder(world, evidence, sought, { ...swept, options, isOfHistory: true });
    case "fills_only":
      return fillsOnly(sought, swept);
    case "not_found":
      return { kind: "not_found" };
  }
}

/**
 * Fills without a record. Whole they are its end, by the terms that fills tell; less may be of an order that is open, or
 * closed, behind a lag, or of somebody else's: a lead.
 */
function fillsOnly(sought: Sought, { oid, filled }: { oid: string; filled: Filled }): Sight {
  const isWhole = compare(filled.size, sought.leg.size) >= 0;
  if (isWhole) return { kind: "seen", events: [{ type: "filled", oid, filled }], isClosed: true };
  return { kind: "unfinished", events: [{ type: "reported", oid }], untouched: null };
}
