/** Nothing that was on its way when a cancel was asked for lives on after it. */
import type { Audited } from "./auditor.ts";
import type { Dialogue, Turn } from "./clients.ts";
import type { Sent } from "./network.ts";
import { type SentBy, sendsOf } from "./sent-when.ts";
import { START_MS } from "./template.ts";

type Run = SentBy & {
  venue: Pick<Audited["venue"], "isLive" | "record">;
  truth: Pick<Audited["truth"], "made" | "orders" | "splits">;
  copies: Pick<Audited["copies"], "isCopied">;
};

/** What was sent for an order that had closed before is none of it: that is a new order from the start. */
export function auditLeftLive(run: Run, { wish, turns }: Dialogue, name: string): string[] {
  const firstAskedAtMs = Math.min(...turns.map(({ askedAtMs }) => askedAtMs));
  const accepted = turns.filter(({ outcome }) => outcome?.kind === "answer" && outcome.status < 300);
  const acceptedAtMs = Math.min(...accepted.map(({ askedAtMs }) => askedAtMs));
  const original = run.truth.orders.get(wish.target ?? wish.number)?.legs.at(-1);
  const record = original && run.venue.record(wish.party.account.tradingAddress, original.oid);
  return [...run.truth.splits.values()].flatMap((split) => {
    const [leg] = split.legs;
    const made = run.truth.made.get(split.wish.number)?.at(-1);
    if (split.wish.target !== wish.target || leg === undefined || made === undefined) return [];
    const [sent] = sendsOf(run, made);
    if (sent === undefined || !record || record.statusTimestampMs - START_MS <= sent.atMs) return [];
    // Refused before the cancel was answered: what a copy makes of it then is told when it is known.
    if (run.copies.isCopied(made.nonce) && heardAtMs(sent) <= endOfFirst(accepted)) return [];
    const wasOnItsWay = sent.atMs < firstAskedAtMs && made.atMs - START_MS > acceptedAtMs;
    return wasOnItsWay && run.venue.isLive(leg.oid) ? [`${name} left order ${leg.oid} live, which was on its way`] : [];
  });
}

/** When the gateway can have heard what the exchange says to it; infinity where that was lost. */
function heardAtMs({ atMs, fate }: Sent): number {
  const answer = fate?.answer;
  const arrivesAfterMs = answer?.kind === "true" ? fate?.arrivesAfterMs[answer.ofCopy] : undefined;
  if (answer?.kind !== "true" || arrivesAfterMs === undefined) return Number.POSITIVE_INFINITY;
  return atMs + arrivesAfterMs + answer.afterMs;
}

function endOfFirst(accepted: readonly Turn[]): number {
  return Math.min(...accepted.map(({ endedAtMs }) => endedAtMs ?? Number.POSITIVE_INFINITY));
}
