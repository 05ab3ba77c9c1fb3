/** What the contracts of actions that are no orders share. */
import type { ContractAnswer } from "./contract.ts";
import { EXAMPLE_OPERATION } from "./examples.ts";
import { OperationResource } from "./schema/operation.ts";

/** The two answers of such an action. */
export function operationAnswers(example: { action: string; exchange_id?: string }): ContractAnswer[] {
  return [
    {
      status: 200,
      description: "The operation. A refusal of the exchange is `status` `rejected` with the reason in `error`.",
      schema: OperationResource,
      example: { ...EXAMPLE_OPERATION, ...example },
      headers: ["Idempotent-Replayed"],
    },
    {
      status: 202,
      description:
        "Sent, and the outcome is not known yet. Read the operation until it is; repeat with the same Idempotency-Key if you like, never under a new one.",
      schema: OperationResource,
      example: { ...EXAMPLE_OPERATION, ...example, status: "unknown", exchange_id: null },
      headers: ["Idempotent-Replayed"],
    },
  ];
}
