import { and, desc, eq, gt, isNotNull, isNull, lte } from "drizzle-orm";
import type { OrderTerms } from "../core/order.ts";
import { APPROVAL_LIFE_MS, type Decision, inWords, PROPOSAL_LIFE_MS, type Proposal } from "../core/proposal.ts";
import { appendAudit } from "./audit.ts";
import type { Store } from "./open.ts";
import { proposals } from "./schema-proposals.ts";
import { findSealed, hasSealedRows, tellFault, vouch } from "./sealed-rows.ts";

type ProposalRow = typeof proposals.$inferSelect;

/** Inside the caller's transaction. */
export function insertProposal(store: Store, proposal: Proposal): void {
  store
    .insert(proposals)
    .values({ ...proposal, terms: JSON.stringify(proposal.terms) })
    .run();
}

export function findProposal(store: Store, id: string): Proposal | null {
  const row = store.select().from(proposals).where(eq(proposals.id, id)).get();
  return row === undefined ? null : asBelieved(store, row);
}

/** The newest of this holder that asks for the same and may still be placed. */
export function findEqualProposal(store: Store, of: Proposal): Proposal | null {
  const { accountId, bot, keyHash, terms, proposedAtMs } = of;
  const isEqual = and(
    eq(proposals.accountId, accountId),
    bot === null ? and(isNull(proposals.bot), eq(proposals.keyHash, keyHash)) : eq(proposals.bot, bot),
    eq(proposals.terms, JSON.stringify(terms)),
    gt(proposals.proposedAtMs, proposedAtMs - PROPOSAL_LIFE_MS),
    lte(proposals.proposedAtMs, proposedAtMs),
  );
  const row = store.select().from(proposals).where(isEqual).orderBy(desc(proposals.id)).limit(1).get();
  return row === undefined ? null : asBelieved(store, row);
}

/** Those that somebody was asked to approve, newest first. */
export function listAskedProposals(store: Store, accountId: string, limit: number): Proposal[] {
  const isAsked = and(eq(proposals.accountId, accountId), isNotNull(proposals.askedAtMs));
  const rows = store.select().from(proposals).where(isAsked).orderBy(desc(proposals.askedAtMs)).limit(limit).all();
  return rows.map((row) => asBelieved(store, row));
}

/** Of a bot or a plain key: those that wait for a person now. */
export function countWaiting(store: Store, { accountId, bot }: Proposal, nowMs: number): number {
  const isWaiting = and(
    eq(proposals.accountId, accountId),
    bot === null ? isNull(proposals.bot) : eq(proposals.bot, bot),
    gt(proposals.askedAtMs, nowMs - APPROVAL_LIFE_MS),
    isNull(proposals.decision),
  );
  return store.select({ id: proposals.id }).from(proposals).where(isWaiting).all().length;
}

/** Inside the caller's transaction. */
export function askForApproval(store: Store, proposal: Proposal, atMs: number): void {
  store.update(proposals).set({ askedAtMs: atMs }).where(eq(proposals.id, proposal.id)).run();
  const { id: reference, accountId: account, keyHash, bot, terms } = proposal;
  const detail = { account, bot, order: inWords(terms) };
  appendAudit(store, { atMs, actor: keyHash, event: "approval_asked", reference, detail });
}

/** Inside the caller's transaction. */
export function decideProposal(
  store: Store,
  proposal: Proposal,
  { decision, actor, atMs }: { decision: Decision; actor: string; atMs: number },
): void {
  const change = { decision, decidedAtMs: atMs, decidedBy: actor };
  store.update(proposals).set(change).where(eq(proposals.id, proposal.id)).run();
  if (decision === "approve") vouch(store, "proposal", proposal.id, contentOf({ ...proposal, ...change }));
  const { id: reference, accountId: account, bot, terms } = proposal;
  const event = decision === "approve" ? "proposal_approved" : "proposal_refused";
  appendAudit(store, { atMs, actor, event, reference, detail: { account, bot, order: inWords(terms) } });
}

/** Those that are older, and those beyond the newest `kept` of an account: inside the caller's transaction. */
export function forgetProposals(store: Store, accountId: string, { upToMs, kept }: { upToMs: number; kept: number }) {
  const own = eq(proposals.accountId, accountId);
  const beyond = store.select({ at: proposals.proposedAtMs }).from(proposals).where(own);
  const last = beyond.orderBy(desc(proposals.proposedAtMs)).offset(kept).limit(1).get();
  const gone = store
    .delete(proposals)
    .where(and(own, lte(proposals.proposedAtMs, Math.max(upToMs, last?.at ?? 0))))
    .returning({ id: proposals.id })
    .all();
  for (const { id } of gone) vouch(store, "proposal", id, null);
}

/** An approval that was not given here is none. */
function asBelieved(store: Store, row: ProposalRow): Proposal {
  // Only `insertProposal` writes it.
  const proposal: Proposal = { ...row, terms: JSON.parse(row.terms) as OrderTerms };
  if (row.decision !== "approve" || !hasSealedRows(store)) return proposal;
  if (findSealed(store, "proposal", row.id) === contentOf(proposal)) return proposal;
  const what = `the row of proposal ${row.id} is not the one that was approved here: nothing is placed from it`;
  tellFault(store, { kind: "proposal", id: row.id, what });
  return { ...proposal, decision: "refuse" };
}

/** What is sealed of one that was approved: its row may be anybody's. */
function contentOf({ id, accountId, keyHash, bot, terms, proposedAtMs, decidedAtMs, decidedBy }: Proposal): string {
  return JSON.stringify({ id, accountId, keyHash, bot, terms, proposedAtMs, decidedAtMs, decidedBy });
}
