import { type Mutant, one } from "./mutant.ts";

/** What the orders of one action share, and what each has to itself. */
export const BATCHES: readonly Mutant[] = [
  one(
    "what is learned of the number of a batch is written to one order of it",
    "src/settle/record/batch.ts",
    "for (const each of listSameAction(store, attempt)) updateAttempt(store, each, change);",
    "updateAttempt(store, attempt, change);",
  ),
  one(
    "each order of a batch asks for its number by itself",
    "src/settle/pursuits.ts",
    "startPursuit(attemptId, noopOf(attemptId))",
    "startPursuit(attemptId, noopOf(attemptId) && undefined)",
  ),
  one(
    "the key of a batch is answered with the first of its orders that is settled",
    "src/settle/record/batch.ts",
    "  if (listUnsettledOfBatch(store, batchId).length > 0) return null;\n",
    "  listUnsettledOfBatch(store, batchId);\n",
  ),
  one(
    "in an answer that is out of order a refusal is of its place",
    "src/settle/place/reply-to.ts",
    " || isAnybodys(own, statuses, cloids)",
    "",
  ),
  one(
    "the refusal of one order of a batch is one of all",
    "src/settle/place/reply-to.ts",
    " && isOfWholeAction(only.text)",
    "",
  ),
  one(
    "two alike that are asked for in one moment leave together",
    "src/write/alone.ts",
    "alike().some(({ id }) => !besideIds.has(id))",
    "alike().length < 0 && besideIds.size > 0",
  ),
  one(
    "what a feed's update leaves out is a difference",
    "src/settle/evidence/difference.ts",
    'typeof shown.orderType === "string"',
    "shown.orderType !== undefined",
  ),
  one(
    "a proxy's page is quoted as the exchange's answer",
    "src/wire/answer/reply.ts",
    "return /^\\s*</.test(body) ? null : keep(body);",
    "return keep(body);",
  ),
  one(
    "a word too few is taken for those that it may be of",
    "src/settle/place/reply-to.ts",
    "statuses.length === cloids.length ? statuses[index] : undefined",
    "statuses.length <= cloids.length ? statuses[index] : undefined",
  ),
  one(
    "one error for a batch is lost",
    "src/settle/place/reply-to.ts",
    'statuses.length === 1 && only?.kind === "error"',
    'statuses.length < 1 && only?.kind === "error"',
  ),
  one(
    "two orders of a batch have one native id",
    "src/settle/place/reply-to.ts",
    "own === undefined || isNamedTwice(own, statuses)",
    "own === undefined || (isNamedTwice(own, statuses) && count < 0)",
  ),
  one(
    "an empty action that was accepted outweighs what the exchange shows of the batch",
    "src/core/evidence.ts",
    'if (attempt.seal === "noop" && !trace.hasRun) return',
    'if (attempt.seal === "noop") return',
  ),
  one(
    "one history with another order of the batch proves a refusal",
    "src/core/evidence.ts",
    "trace.leftOut >= WITNESSES_NEEDED",
    "trace.leftOut >= 1",
  ),
  one(
    "nothing tells that an order of a batch was left out",
    "src/settle/evidence/absence.ts",
    "missed.recorded?.has(oid) === true",
    "missed.recorded?.has(oid) === null",
  ),
  one(
    "of a batch of which no byte left only the first order vanishes",
    "src/settle/record/not-sent.ts",
    "for (const each of listSameAction(store, attempt)) takeBackOne(store, each, why);",
    "takeBackOne(store, listSameAction(store, attempt)[0] ?? attempt, why);",
  ),
  one("rails judge each order of a batch by itself", "src/write/gate.ts", "    later.delete(attempt.cloid);\n", ""),
  one(
    "a batch draws on the bucket of its key once",
    "src/actions/place-batch.ts",
    "    charges: wanted.orders.length,\n",
    "",
  ),
  one(
    "a batch counts as one action of the account",
    "src/settle/send/send.ts",
    "world.allowance.spend(trader, purpose, count)",
    "world.allowance.spend(trader, purpose, Math.min(count, 1))",
  ),
  one(
    "a cancel of one order ends the batch that is still out",
    "src/actions/cancel-order.ts",
    'attempt.state === "prepared" && listSameAction',
    'attempt.state === "done" && listSameAction',
  ),
];
