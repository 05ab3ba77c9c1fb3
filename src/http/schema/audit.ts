import { Type } from "@sinclair/typebox";
import { AnswerNetwork, closed, described, KeyHash, nullable, Timestamp, Uuid } from "./common.ts";

const AuditFact = closed(
  {
    name: Type.String({ description: "What is told, such as `rail`." }),
    value: Type.String({ description: "As text; `null` where it was nothing." }),
  },
  { title: "AuditFact" },
);

export const AuditEntryResource = closed(
  {
    object: Type.Literal("audit_entry", { description: "Always `audit_entry`." }),
    id: Type.String({ description: "Time in unix milliseconds, and number in the log." }),
    account: Uuid,
    network: AnswerNetwork,
    actor: Type.String({ description: "Hash of an API key, `owner`, `operator` or `gateway`." }),
    key_hash: nullable(KeyHash, "The API key that did it, or null for somebody else."),
    event: Type.String({ description: "What happened, such as `rail_refused`, `trading_stopped`, `key_revoked`." }),
    reference: Type.String({ description: "What it happened to: a bot, or the id of a key, stop, order or agent." }),
    order_id: nullable(Uuid, "The order that it is about, or null."),
    facts: Type.Array(AuditFact, { description: "What is known of it; never a key, a signature or a secret." }),
    created_at: described(Timestamp, "When it was written down."),
  },
  { title: "AuditEntry", description: "A row of the audit log." },
);
