import type { Mutant } from "./mutant.ts";

const RUN = "src/write/run.ts";

function one(name: string, find: string, put: string, file = RUN): Mutant {
  return { name, changes: [{ file, find, put }] };
}

/** Steps that every write goes through, left out. */
export const WRITES: readonly Mutant[] = [
  one("a write draws on no limit", "  caller.charge(bucket, charges);\n", ""),
  one(
    "a write goes through a closed gateway",
    "  refuseFor(closedGateway(deps, isCancel));\n",
    "  refuseFor(closedGateway(deps, true));\n",
  ),
  one(
    "an order is taken where none would be",
    '  if (plan.isOrder) refuseFor(orderObstacle(deps, caller.account, plan.use === "reduce"));\n',
    "",
  ),
  one(
    "what only reduces is refused as what increases",
    'orderObstacle(deps, caller.account, plan.use === "reduce")',
    "orderObstacle(deps, caller.account, false)",
  ),
  one(
    "a write is begun without weight to send it",
    "  if (plan.isSent) refuseFor(budgetObstacle(deps, caller.account, plan));\n",
    "",
  ),
  one(
    "weight is asked for what is not going to be sent",
    "  if (plan.isSent) refuse",
    "  if (plan.use !== null) refuse",
  ),
  one(
    "a write that was overtaken does not plan again",
    "if (!isOvertaken || deps.clock.elapsedMs() >= deadlineMs) throw error;",
    "throw isOvertaken && deadlineMs < 0 ? null : error;",
  ),
  one("a key is not kept with what it stands for", "  insertKeyRecord(store, keyRecord);\n", ""),
  one(
    "what was said without sending is not kept",
    '  if (stored.kind === "said") storeAnswer(store, keyRecord, stored);\n',
    "",
  ),
  one(
    "what a cancel has sent beside it does not count as sent",
    "const hasSent = (outgoing.beside?.length ?? 0) > 0;",
    "const hasSent = (outgoing.beside?.length ?? 0) < 0;",
  ),
  one(
    "nobody follows what is not known",
    '  if (concluded === "open") await pursueAll(',
    '  if (concluded === "open" && batch?.length === 0) await pursueAll(',
  ),
  one(
    "an unlisted refusal is forgotten on the way to who follows it",
    "reply === null ? null : heardRefusal(replyTo(reply, { index, cloids }))",
    "null",
  ),
  one(
    "a slot in flight is kept by what sends nothing",
    'committed.stored.kind !== "outgoing"',
    'committed.stored.kind === "earlier"',
    "src/write/commit.ts",
  ),
  one(
    "a market order that only reduces is priced further than its key may go, and refused",
    "const maxDistance = reduceOnly ? (railsOfKey",
    "const maxDistance = !reduceOnly ? (railsOfKey",
    "src/actions/place-market-order.ts",
  ),
  one(
    "nobody hears that an action was refused for its agent",
    'if (reply.kind === "refused" && isAgentRefused(reply.text))',
    'if (reply.kind === "refused" && reply.bug)',
    "src/settle/send/send.ts",
  ),
];
