/**
 * A fill under a client order id of ours and a native id that nothing else has named is a lead: it may be what a trigger of
 * ours became, or the first news of an order that the exchange has never named; or the order of somebody else who uses the
 * id. The record under that native id decides.
 */
import { type Leg, wasTaken } from "../../core/order.ts";
import type { With } from "../../deps.ts";
import { findAttemptByCloid } from "../../store/attempts.ts";
import { inTransactionNotWaiting } from "../../store/commit.ts";
import { listFillsOf, sumFillsOf } from "../../store/fills.ts";
import { findLegByCloid } from "../../store/legs.ts";
import { appendNote } from "../../store/notes.ts";
import { findOrder } from "../../store/orders.ts";
import { type OrderStatusAnswer, parseOrderStatusOf } from "../../wire/answer/order-status.ts";
import { statusMeaning } from "../../wire/answer/status-words.ts";
import { jsonInteger } from "../../wire/json.ts";
import { askedTerms, differenceFrom, mayBecome } from "../evidence/difference.ts";
import { isKnownAnothers } from "../look/apply-sight.ts";
import { recordLegEvent } from "../record/record.ts";
import type { Repeating } from "../repeating.ts";
import type { Heeding } from "./index-fills.ts";

export type FillLead = {
  cloid: string;
  /** Native id by the fill. */
  oid: string;
  /** The trading address. */
  user: string;
  accountId: string;
};

/** Leads that were followed; past it the oldest may be followed again. */
const MAX_LEADS = 10_000;

type Leading = {
  heed(orderId: string): void;
  look(orderId: string): Promise<unknown>;
  repeating(): Repeating;
};

/** What fills say is passed on; each lead is followed once, however often the fill is shown. */
export function heedFills(world: With<"clock" | "exchange" | "store">, { heed, look, repeating }: Leading): Heeding {
  const begun = new Set<string>();
  return {
    onGrown: heed,
    onLead(lead) {
      const name = `${lead.cloid} ${lead.oid}`;
      if (begun.has(name)) return;
      const [oldest] = begun;
      if (begun.size >= MAX_LEADS && oldest !== undefined) begun.delete(oldest);
      begun.add(name);
      repeating().once(async () => {
        const orderId = await followLead(world, lead, repeating().isStopped);
        if (orderId === null) return;
        heed(orderId);
        // What had been concluded of it, or what it became, is told by its record.
        await look(orderId);
      });
    },
  };
}

/** Pauses before a look at the record, milliseconds. What no record has shown by then has none. */
const PAUSES_MS = [0, 1_000, 3_000, 10_000, 20_000, 30_000] as const;

/** Returns the order's id when the lead was one of its own; null where it was not. */
export async function followLead(
  world: With<"clock" | "exchange" | "store">,
  lead: FillLead,
  isStopped: () => boolean,
): Promise<string | null> {
  let verdict: LeadVerdict = "unshown";
  for (const pauseMs of PAUSES_MS) {
    await world.clock.sleep(pauseMs);
    if (isStopped()) return null;
    verdict = await lookAtLead(world, lead);
    if (isStopped() || verdict === "anothers") return null;
    if (verdict === "ours") return take(world, lead);
  }
  if (verdict !== "unshown") return null;
  return isProvenAnothers(world, lead) ? null : take(world, lead);
}

/** An empty action of ours has taken the number of what was to place it: no record tells whose it is, and that one never ran. */
function isProvenAnothers({ store, clock }: With<"clock" | "store">, { cloid, oid }: FillLead): boolean {
  const leg = findLegByCloid(store, cloid);
  const attempt = findAttemptByCloid(store, cloid);
  if (leg?.state !== "absent" || attempt?.seal !== "noop") return false;
  const detail = `${cloid} never ran, and order ${oid} was filled under it: another's`;
  const what = "another's fill";
  const note = { resourceId: leg.orderId, attemptId: attempt.id, atMs: clock.nowMs(), what, detail };
  inTransactionNotWaiting(store, () => appendNote(store, note));
  return true;
}

/** `not_yet`: nothing shows it, and the trigger that it would have come from is not shown to have fired. */
type LeadVerdict = "ours" | "anothers" | "unshown" | "not_yet";

async function lookAtLead(world: With<"exchange" | "store">, lead: FillLead): Promise<LeadVerdict> {
  const answer = await ask(world, lead, lead.oid);
  const leg = openTo(findLegByCloid(world.store, lead.cloid), lead);
  const order = leg === null ? null : findOrder(world.store, leg.orderId);
  if (leg === null || order === null || isKnownAnothers(world, leg, lead.oid)) return "anothers";
  if (answer?.kind === "order")
    return differenceFrom({ ...askedTerms(order), leg }, answer.order) === null ? "ours" : "anothers";
  if (answer?.kind !== "not_found") return "not_yet";
  return leg.oid === null || (await hasFired(world, lead, leg.oid)) ? "unshown" : "not_yet";
}

/** Null where it has another name by now, or can have none. */
function openTo(leg: Leg | null, lead: FillLead): Leg | null {
  if (leg === null || leg.oid === lead.oid) return null;
  return isLead(leg, lead) ? leg : null;
}

/** True where a fill may name an order, and something else than the fill has to say so. */
export function isLead(leg: Leg, named: { oid: string; cloid: string | null }): boolean {
  if (leg.oid !== null) return wasTaken(leg) && mayBecome(leg, named);
  return leg.state === "absent" || wasTaken(leg);
}

/** By its own record, no later than the fill, or because there is none any more. What was filled before it fired it has not placed. */
async function hasFired(world: With<"exchange" | "store">, lead: FillLead, oid: string): Promise<boolean> {
  const answer = await ask(world, lead, oid);
  if (answer?.kind === "not_found") return true;
  if (answer?.kind !== "order") return false;
  const meaning = statusMeaning(answer.status);
  const isBefore = ({ timeMs }: { timeMs: number }) => timeMs < answer.statusTimestampMs;
  if (meaning === "triggered") return !listFillsOf(world.store, lead.accountId, lead.oid).some(isBefore);
  return meaning === "filled";
}

async function ask(world: With<"exchange">, { user }: FillLead, oid: string): Promise<OrderStatusAnswer | null> {
  const request = { type: "orderStatus", user, oid: jsonInteger(oid) };
  const outcome = await world.exchange.info(request, { purpose: "settle" });
  return outcome.kind === "ok" ? parseOrderStatusOf(oid, outcome.json) : null;
}

function take({ store, clock }: With<"clock" | "store">, lead: FillLead): string | null {
  const { cloid, oid, accountId } = lead;
  return inTransactionNotWaiting(store, () => {
    const leg = openTo(findLegByCloid(store, cloid), lead);
    const order = leg === null ? null : findOrder(store, leg.orderId);
    if (leg === null || order === null) return null;
    const nowMs = clock.nowMs();
    if (leg.oid !== null) recordLegEvent(store, cloid, { type: "rested", oid }, nowMs);
    recordLegEvent(store, cloid, { type: "reported", oid }, nowMs);
    recordLegEvent(
      store,
      cloid,
      { type: "fills_seen", filled: sumFillsOf(store, accountId, { ...order, oid }) },
      nowMs,
    );
    return leg.orderId;
  });
}
