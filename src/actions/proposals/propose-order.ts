import { bytesToHex } from "@noble/hashes/utils.js";
import { decimal } from "../../core/decimal.ts";
import type { Market } from "../../core/market.ts";
import type { OrderTerms } from "../../core/order.ts";
import { type Proposal, proposalId } from "../../core/proposal.ts";
import type { With } from "../../deps.ts";
import { botOf } from "../../store/bots.ts";
import { inTransaction } from "../../store/commit.ts";
import { findEqualProposal, forgetProposals, insertProposal } from "../../store/proposals.ts";
import type { Caller } from "../../write/caller.ts";
import { knownFault, readRulesAgain, requireMarket } from "../market-rules.ts";

const RANDOM_BYTES = 16;
/** How long an agent may come back to one, and how many an account has at most. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const KEPT = 10_000;

/** `fault`: what the exchange would be certain to hold against it. `isRepeat`: the same was proposed just now, and this is that. */
export type ProposedOrder = { proposal: Proposal; isRepeat: boolean; fault: null } | { proposal: null; fault: string };

/** What is proposed, on the disk. Nothing is placed. Throws for a market that there is not: nobody is asked about that. */
export async function proposeOrder(
  deps: With<"clock" | "exchange" | "markets" | "randomBytes" | "settings" | "store">,
  { account, key, charge }: Caller,
  { terms: asked, isAnother }: { terms: OrderTerms; isAnother: boolean },
): Promise<ProposedOrder> {
  const { clock, randomBytes, store } = deps;
  charge("otherWrites");
  const market = await requireMarket(deps, asked.market, false);
  const terms = inOneForm(asked, market);
  const fault =
    knownFault(deps, market, terms) === null ? null : (await readRulesAgain(deps, market, terms, false)).fault;
  if (fault !== null) return { proposal: null, fault };
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
  return inTransaction<ProposedOrder>(store, (within) => {
    const same = isAnother ? null : findEqualProposal(within, proposal);
    if (same !== null) return { proposal: same, isRepeat: true, fault: null };
    forgetProposals(within, account.id, { upToMs: nowMs - KEPT_MS, kept: KEPT });
    insertProposal(within, proposal);
    return { proposal, isRepeat: false, fault: null };
  });
}

/** The same order is the same text, however a model writes it this time: also what a person reads, and what finds an equal one. */
function inOneForm(terms: OrderTerms, { name }: Market): OrderTerms {
  const { size, price, trigger } = terms;
  return {
    ...terms,
    market: name,
    size: decimal(size),
    price: decimal(price),
    trigger: trigger === null ? null : { ...trigger, price: decimal(trigger.price) },
  };
}
