/** What the set-up routes answer, by the gateway's own schemas: types alone. */
import type { Static } from "@sinclair/typebox";
import type {
  ApprovalResource,
  ExchangeViewResource,
  SetupOutcomeResource,
  SetupResource,
} from "../../http/schema/setup.ts";

export type Setup = Static<typeof SetupResource>;
export type Step = Setup["step"];
export type SetupOutcome = Static<typeof SetupOutcomeResource>;
export type ExchangeView = Static<typeof ExchangeViewResource>;
export type Approval = Static<typeof ApprovalResource>;
