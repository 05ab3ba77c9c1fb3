import type { EventType } from "../../core/event.ts";
import type { Proposal } from "../../core/proposal.ts";
import type { With } from "../../deps.ts";
import { appendEvent } from "../../store/events.ts";
import { proposalShown } from "./list-proposals.ts";

/** Inside the transaction of the change: that a person is asked, and what one has said. */
export function tellProposal(
  deps: With<"clock" | "store">,
  type: Extract<EventType, `proposal.${string}`>,
  proposal: Proposal,
): void {
  const { id: resourceId, accountId } = proposal;
  const payload = JSON.stringify(proposalShown(deps, proposal));
  appendEvent(deps.store, { accountId, atMs: deps.clock.nowMs(), type, resourceId, payload });
}
