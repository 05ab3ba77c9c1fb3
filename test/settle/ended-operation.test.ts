/** An answer that comes when something else has ended its operation. */
import { expect, test } from "bun:test";
import { finishOperation, neverExecuted, recordOperationReply } from "../../src/settle/operation/operation.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { findOperation, insertOperation, type StoredOperation } from "../../src/store/operations.ts";
import type { Reply } from "../../src/wire/answer/reply.ts";
import { ACCOUNT, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow } from "../support/rows.ts";

const ID = "0190f5fe-7c00-7a00-8000-000000000001";

const TWAP: StoredOperation = {
  id: ID,
  accountId: ACCOUNT.id,
  action: "twap",
  market: "BTC",
  status: "processing",
  exchangeId: null,
  error: null,
  createdAtMs: START_MS,
  parameters: JSON.stringify({ side: "buy", size: "0.1", reduce_only: false, duration_minutes: 30, randomize: false }),
  before: null,
  releasedAtMs: null,
  version: 1,
  keyHash: null,
};

test.each<[string, Reply]>([
  ["is lost", { kind: "ambiguous", reason: "no_answer", text: null }],
  ["says that its number was taken", { kind: "ambiguous", reason: "nonce", text: "Invalid nonce: duplicate nonce" }],
  ["names a TWAP", { kind: "accepted", type: "twapOrder", statuses: [{ kind: "running", twapId: "7" }] }],
  ["is its refusal", { kind: "refused", text: "Trading is halted.", bug: false }],
])("a TWAP whose number an empty action has taken stays as it ended where its own late answer %s", (_what, reply) => {
  const { deps, store } = openGatewayRig();
  insertOperation(store, TWAP);
  const resource = { kind: "operation", id: ID } as const;
  const attempt = insertAttempt(store, attemptRow({ kind: "twap", accountId: ACCOUNT.id, resource, seal: "noop" }));
  finishOperation(deps, attempt, neverExecuted(attempt));
  const ended = findOperation(store, ID);
  expect(ended).toMatchObject({ status: "rejected", exchangeId: null });
  expect(recordOperationReply(deps, attempt, reply)).toBe(true);
  expect(findOperation(store, ID)).toEqual(ended);
});
