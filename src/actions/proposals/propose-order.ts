import { bytesToHex } from "@noble/hashes/utils.js";
import type { OrderTerms } from "../../core/order.ts";
import { type Proposal, proposalId } from "../../core/proposal.ts";
import type { With } from "../../deps.ts";
import { botOf } from "../../store/bots.ts";
import { inTransaction } from "../../store/commit.ts";
import { findEqualProposal, forgetProposals, insertProposal } from "../../store/proposals.ts";
import type { Caller } from "../../write/caller.ts";

const RANDOM_BYTES = 16;
/** How long an agent may come back to one, and how many an account has at most. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const KEPT = 10_000;

/** What is proposed, on the disk; `isRepeat`: the same was proposed just now, and this is that. Nothing is placed. */
export function proposeOrder(
  { clock, randomBytes, store }: With<"clock" | "randomBytes" | "store">,
  { account, key, charge }: Caller,
  { terms, isAnother }: { terms: OrderTerms; isAnother: boolean },
): { proposal: Proposal; isRepeat: boolean } {
  charge("otherWrites");
  const nowMs = clock.nowMs();
  const proposal: Proposal = {
    id: proposalId(nowMs, bytesToHex(randomBytes(RANDOM_BYTES))),
    accountId: account.id,
    keyHash: key.keyHash,
    bot: botOf(store, key.keyHash),
    terms,
    proposedAtMs: nowMs,
    askedAtMs: null,
    decision: null,
    decidedAtMs: null,
    decidedBy: null,
  };
  return inTransaction(store, (within) => {
    const same = isAnother ? null : findEqualProposal(within, proposal);
    if (same !== null) return { proposal: same, isRepeat: true };
    forgetProposals(within, account.id, { upToMs: nowMs - KEPT_MS, kept: KEPT });
    insertProposal(within, proposal);
    return { proposal, isRepeat: false };
  });
}
