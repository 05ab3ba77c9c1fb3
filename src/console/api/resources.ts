/**
 * What `/v1` answers, by the schemas that the gateway checks and describes it with: only their types, which cost no byte.
 * Money and sizes are decimal strings, as they come.
 */
import type { Static } from "@sinclair/typebox";
import type {
  AccountResource,
  PerpetualsBalance,
  SpotBalance as SpotBalanceSchema,
  WhoAmIResource,
} from "../../http/schema/account.ts";
import type { RenewalOutcomeResource, RenewalResource } from "../../http/schema/agent-renewal.ts";
import type { KeyInListResource, TypedDataResource } from "../../http/schema/api-key.ts";
import type { AuditEntryResource } from "../../http/schema/audit.ts";
import type { EquityResource } from "../../http/schema/equity.ts";
import type { FillResource } from "../../http/schema/fill.ts";
import type { HookResource } from "../../http/schema/hook.ts";
import type { FundingPaymentResource, TransferResource } from "../../http/schema/ledger.ts";
import type { MarketResource } from "../../http/schema/market.ts";
import type { ListedOperationResource, OperationResource } from "../../http/schema/operation.ts";
import type { OrderResource } from "../../http/schema/order.ts";
import type { PerformanceResource } from "../../http/schema/performance.ts";
import type { PositionResource } from "../../http/schema/position.ts";
import type { DecidedProposal as DecidedProposalSchema, ProposalResource } from "../../http/schema/proposal.ts";
import type {
  ApprovalResource,
  ExchangeViewResource,
  SetupOutcomeResource,
  SetupResource,
} from "../../http/schema/setup.ts";
import type { StatusResource } from "../../http/schema/status.ts";
import type { StopResource } from "../../http/schema/stop.ts";
import type { OrderStoryResource } from "../../http/schema/story.ts";
import type { TradeResource } from "../../http/schema/trade.ts";
import type { TwapResource } from "../../http/schema/twap.ts";

export type WhoAmI = Static<typeof WhoAmIResource>;
export type NetworkName = WhoAmI["network"];

export type DexBalance = Static<typeof PerpetualsBalance>;
export type ApiSpotBalance = Static<typeof SpotBalanceSchema>;
export type ApiAccount = Static<typeof AccountResource>;
export type ApiAccountMode = ApiAccount["account_mode"];
export type Performance = Static<typeof PerformanceResource>;
export type Equity = Static<typeof EquityResource>;
export type ApiPosition = Static<typeof PositionResource>;
export type ApiOrder = Static<typeof OrderResource>;
export type ApiFill = Static<typeof FillResource>;
/** What the list says beside it comes later than what an event or an answer tells. */
export type ApiOperation = Static<typeof OperationResource> & Partial<Static<typeof ListedOperationResource>>;
export type ApiTrade = Static<typeof TradeResource>;
export type ApiProposal = Static<typeof ProposalResource>;
export type DecidedProposal = Static<typeof DecidedProposalSchema>;
export type ApiFundingPayment = Static<typeof FundingPaymentResource>;
export type ApiAuditEntry = Static<typeof AuditEntryResource>;
export type ApiHook = Static<typeof HookResource>;
export type ApiTransfer = Static<typeof TransferResource>;
export type ApiTwap = Static<typeof TwapResource>;
export type ListedApiKey = Static<typeof KeyInListResource>;
export type KeyLimits = NonNullable<ListedApiKey["limits"]>;
export type ApiMarket = Static<typeof MarketResource>;
export type Status = Static<typeof StatusResource>;
export type AgentRenewal = Static<typeof RenewalResource>;
export type AgentRenewalOutcome = Static<typeof RenewalOutcomeResource>;
export type ApiStop = Static<typeof StopResource>;
export type Story = Static<typeof OrderStoryResource>;
export type StoryLeg = Story["legs"][number];
export type StoryAttempt = Story["attempts"][number];
export type TypedDataDescription = Static<typeof TypedDataResource>;

export type List<Item> = { data: Item[]; has_more: boolean; next_cursor: string | null };

export type Setup = Static<typeof SetupResource>;
export type ApiSetupStep = Setup["step"];
export type SetupOutcome = Static<typeof SetupOutcomeResource>;
export type ExchangeView = Static<typeof ExchangeViewResource>;
export type Approval = Static<typeof ApprovalResource>;
