import { keyOfBot } from "../../core/idempotency.ts";
import { APPROVAL_LIFE_MS, inWords, keyOfProposal, type Proposal, proposalStatus } from "../../core/proposal.ts";
import { isoTime } from "../../core/resource.ts";
import type { With } from "../../deps.ts";
import { findKeyRecord } from "../../store/idempotency.ts";
import { listAskedProposals } from "../../store/proposals.ts";
import type { Caller } from "../../write/caller.ts";

/** As many as anybody looks through; older ones stand in the audit log. */
export const MAX_LISTED = 100;

/** Those of the account that somebody was asked to approve, newest first; one page. */
export function listProposals(deps: With<"clock" | "store">, { account }: Caller): string {
  const data = listAskedProposals(deps.store, account.id, MAX_LISTED).map((each) => proposalShown(deps, each));
  return JSON.stringify({ object: "list", data, has_more: false, next_cursor: null });
}

export function proposalShown({ clock, store }: With<"clock" | "store">, proposal: Proposal) {
  const { id, accountId, bot, keyHash, terms, proposedAtMs, askedAtMs, decidedAtMs, decidedBy } = proposal;
  const { market, side, size, price, timeInForce, reduceOnly, trigger } = terms;
  const record = findKeyRecord(store, accountId, keyOfBot(bot, keyOfProposal(proposal)));
  return {
    id,
    object: "proposal" as const,
    account: accountId,
    bot,
    key_hash: keyHash,
    status: proposalStatus(proposal, clock.nowMs()),
    in_words: inWords(terms),
    market,
    side,
    size,
    price,
    time_in_force: timeInForce,
    reduce_only: reduceOnly,
    trigger,
    proposed_at: isoTime(proposedAtMs),
    asked_at: askedAtMs === null ? null : isoTime(askedAtMs),
    expires_at: askedAtMs === null ? null : isoTime(askedAtMs + APPROVAL_LIFE_MS),
    decided_at: decidedAtMs === null ? null : isoTime(decidedAtMs),
    decided_by: decidedBy,
    order_id: record?.resource.id ?? null,
  };
}
