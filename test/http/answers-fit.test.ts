/** An answer of the gateway that does not fit its schema does not compile: below, each is held against its schema by type. */
import { expect, test } from "bun:test";
import type { Static, TSchema } from "@sinclair/typebox";
import type { typedDataResource } from "../../src/actions/describe-typed-data.ts";
import { EXPORTED_LISTS } from "../../src/actions/export-list.ts";
import type { detailsResource } from "../../src/actions/get-market.ts";
import type { performanceResource } from "../../src/actions/get-performance.ts";
import type { statusResource } from "../../src/actions/get-status.ts";
import type { alertResource } from "../../src/actions/hooks/list-alerts.ts";
import type { hookResource } from "../../src/actions/hooks/list-hooks.ts";
import type { auditResource } from "../../src/actions/list-audit.ts";
import type { candleResource, tradeResource } from "../../src/actions/list-candles.ts";
import type { equityResource } from "../../src/actions/list-equity.ts";
import type { fillResource } from "../../src/actions/list-fills.ts";
import type { fundingResource } from "../../src/actions/list-funding.ts";
import type { keyInListResource } from "../../src/actions/list-keys.ts";
import type { marketResource } from "../../src/actions/list-markets.ts";
import type { listedOperation } from "../../src/actions/list-operations.ts";
import type { priceResource } from "../../src/actions/list-prices.ts";
import type { transferResource } from "../../src/actions/list-transfers.ts";
import type { twapResource } from "../../src/actions/list-twaps.ts";
import type { bookResource } from "../../src/actions/market-figures.ts";
import type { narrowedResource } from "../../src/actions/narrow-key.ts";
import type { decidedShown } from "../../src/actions/proposals/decide-proposal.ts";
import type { proposalShown } from "../../src/actions/proposals/list-proposals.ts";
import type { limitedKeyResource } from "../../src/actions/register-limited-key.ts";
import type { stopShown } from "../../src/actions/stop-trading.ts";
import type { storyOf } from "../../src/actions/tell-story.ts";
import type { exchangeView } from "../../src/actions/view-address.ts";
import type { whoAmIResource } from "../../src/actions/who-am-i.ts";
import type {
  apiKeyResource,
  batchResource,
  heartbeatResource,
  listedKeyResource,
  noHeartbeatResource,
  operationResource,
  orderResource,
  tradeResource as protectedTradeResource,
  revocationResource,
  withdrawnKeyResource,
} from "../../src/core/resource.ts";
import type { renewalOutcome } from "../../src/http/agent-renewal.ts";
import type { readinessResource } from "../../src/http/health.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { AccountResource, WhoAmIResource } from "../../src/http/schema/account.ts";
import { RenewalOutcomeResource, RenewalResource } from "../../src/http/schema/agent-renewal.ts";
import {
  ApiKeyResource,
  KeyInListResource,
  LimitedKeyResource,
  ListedApiKeyResource,
  NarrowedRailsResource,
  RevocationResource,
  TypedDataResource,
  WithdrawnKeyResource,
} from "../../src/http/schema/api-key.ts";
import { AuditEntryResource } from "../../src/http/schema/audit.ts";
import { CancelAllResource } from "../../src/http/schema/cancel-all.ts";
import { EquityResource } from "../../src/http/schema/equity.ts";
import { FillResource } from "../../src/http/schema/fill.ts";
import { ReadinessResource } from "../../src/http/schema/health.ts";
import { HeartbeatResource } from "../../src/http/schema/heartbeat.ts";
import { DeliveryResource, HookResource } from "../../src/http/schema/hook.ts";
import { FundingPaymentResource, TransferResource } from "../../src/http/schema/ledger.ts";
import {
  BookResource,
  CandleResource,
  MarketDetails,
  MarketResource,
  MarketTradeResource,
  PriceResource,
} from "../../src/http/schema/market.ts";
import { ListedOperationResource, OperationResource } from "../../src/http/schema/operation.ts";
import { BatchResource, OrderResource } from "../../src/http/schema/order.ts";
import { PerformanceResource } from "../../src/http/schema/performance.ts";
import { PositionResource } from "../../src/http/schema/position.ts";
import { DecidedProposal, ProposalResource } from "../../src/http/schema/proposal.ts";
import {
  ApprovalResource,
  ExchangeViewResource,
  SetupOutcomeResource,
  SetupResource,
} from "../../src/http/schema/setup.ts";
import { StatusResource } from "../../src/http/schema/status.ts";
import { StopResource } from "../../src/http/schema/stop.ts";
import { OrderStoryResource } from "../../src/http/schema/story.ts";
import { TradeResource } from "../../src/http/schema/trade.ts";
import { TwapResource } from "../../src/http/schema/twap.ts";
import type { setupOutcome } from "../../src/http/setup.ts";
import type { describeRenewal } from "../../src/ops/renew-agent.ts";
import type { approvalShown } from "../../src/ops/set-up/approvals.ts";
import type { setupState } from "../../src/ops/set-up/state.ts";
import type { accountResource, positionResource } from "../../src/settle/account/account-resources.ts";
import type { cancelAllShown } from "../../src/settle/cancel-all/asked-orders.ts";

const SCHEMAS = {
  account: AccountResource,
  agentRenewal: RenewalResource,
  agentRenewalOutcome: RenewalOutcomeResource,
  apiKey: ApiKeyResource,
  approval: ApprovalResource,
  auditEntry: AuditEntryResource,
  batch: BatchResource,
  book: BookResource,
  cancelAll: CancelAllResource,
  candle: CandleResource,
  equity: EquityResource,
  exchangeView: ExchangeViewResource,
  fill: FillResource,
  funding: FundingPaymentResource,
  heartbeat: HeartbeatResource,
  hook: HookResource,
  hookDelivery: DeliveryResource,
  keyInList: KeyInListResource,
  limitedKey: LimitedKeyResource,
  listedKey: ListedApiKeyResource,
  listedOperation: ListedOperationResource,
  market: MarketResource,
  marketDetails: MarketDetails,
  marketTrade: MarketTradeResource,
  narrowed: NarrowedRailsResource,
  operation: OperationResource,
  order: OrderResource,
  performance: PerformanceResource,
  position: PositionResource,
  price: PriceResource,
  proposal: ProposalResource,
  proposalDecided: DecidedProposal,
  readiness: ReadinessResource,
  revocation: RevocationResource,
  setup: SetupResource,
  setupOutcome: SetupOutcomeResource,
  status: StatusResource,
  stop: StopResource,
  story: OrderStoryResource,
  trade: TradeResource,
  transfer: TransferResource,
  twap: TwapResource,
  typedData: TypedDataResource,
  whoAmI: WhoAmIResource,
  withdrawnKey: WithdrawnKeyResource,
} as const satisfies Record<string, TSchema>;

type Writers = {
  account: typeof accountResource;
  agentRenewal: typeof describeRenewal;
  agentRenewalOutcome: typeof renewalOutcome;
  apiKey: typeof apiKeyResource;
  approval: typeof approvalShown;
  auditEntry: typeof auditResource;
  batch: typeof batchResource;
  book: typeof bookResource;
  cancelAll: typeof cancelAllShown;
  candle: typeof candleResource;
  equity: typeof equityResource;
  exchangeView: typeof exchangeView;
  fill: typeof fillResource;
  funding: typeof fundingResource;
  hook: typeof hookResource;
  hookDelivery: typeof alertResource;
  heartbeat: typeof heartbeatResource | typeof noHeartbeatResource;
  keyInList: typeof keyInListResource;
  limitedKey: typeof limitedKeyResource;
  listedKey: typeof listedKeyResource;
  listedOperation: typeof listedOperation;
  market: typeof marketResource;
  marketDetails: typeof detailsResource;
  marketTrade: typeof tradeResource;
  narrowed: typeof narrowedResource;
  operation: typeof operationResource;
  order: typeof orderResource;
  performance: typeof performanceResource;
  position: typeof positionResource;
  price: typeof priceResource;
  proposal: typeof proposalShown;
  proposalDecided: typeof decidedShown;
  readiness: typeof readinessResource;
  revocation: typeof revocationResource;
  setup: typeof setupState;
  setupOutcome: typeof setupOutcome;
  status: typeof statusResource;
  stop: typeof stopShown;
  story: typeof storyOf;
  trade: typeof protectedTradeResource;
  transfer: typeof transferResource;
  twap: typeof twapResource;
  typedData: typeof typedDataResource;
  whoAmI: typeof whoAmIResource;
  withdrawnKey: typeof withdrawnKeyResource;
};

type Name = keyof typeof SCHEMAS;
type Told<Each extends Name> = Plain<Awaited<ReturnType<Writers[Each]>>>;
type Schema<Each extends Name> = Static<(typeof SCHEMAS)[Each]>;

/** As it is once it was text: nothing is branded, nothing is read-only. */
type Plain<Value> = Value extends string
  ? string extends Value
    ? string
    : Value extends { __brand: unknown }
      ? string
      : Value
  : Value extends readonly (infer Item)[]
    ? Plain<Item>[]
    : Value extends object
      ? { -readonly [Member in keyof Value]: Plain<Value[Member]> }
      : Value;

type KeyOf<Shape> = Shape extends unknown ? keyof Shape : never;
type At<Shape, Member> = Shape extends unknown ? (Member extends keyof Shape ? Shape[Member] : never) : never;

/** Members that an answer has and its schema, which is closed, has not; at any depth. */
type Surplus<Value, Shape> = unknown extends Shape
  ? never
  : Value extends readonly (infer Item)[]
    ? Surplus<Item, Extract<Shape, readonly unknown[]>[number]>
    : Value extends object
      ? {
          [Member in keyof Value]-?: Member extends KeyOf<Extract<Shape, object>>
            ? Surplus<Value[Member], At<Extract<Shape, object>, Member>>
            : Member;
        }[keyof Value]
      : never;

/** What an answer has too much or not as it is described; `fits` where there is nothing. */
type Verdict<Each extends Name> = [Surplus<Told<Each>, Schema<Each>>] extends [never]
  ? Told<Each> extends Schema<Each>
    ? "fits"
    : { isTold: Told<Each>; isDescribed: Schema<Each> }
  : { isNotDescribed: Surplus<Told<Each>, Schema<Each>> };

const VERDICTS: { readonly [Each in Name]: Verdict<Each> } = {
  account: "fits",
  agentRenewal: "fits",
  agentRenewalOutcome: "fits",
  apiKey: "fits",
  approval: "fits",
  auditEntry: "fits",
  batch: "fits",
  book: "fits",
  cancelAll: "fits",
  candle: "fits",
  equity: "fits",
  exchangeView: "fits",
  fill: "fits",
  funding: "fits",
  heartbeat: "fits",
  hook: "fits",
  hookDelivery: "fits",
  keyInList: "fits",
  limitedKey: "fits",
  listedKey: "fits",
  listedOperation: "fits",
  market: "fits",
  marketDetails: "fits",
  marketTrade: "fits",
  narrowed: "fits",
  operation: "fits",
  order: "fits",
  performance: "fits",
  position: "fits",
  price: "fits",
  proposal: "fits",
  proposalDecided: "fits",
  readiness: "fits",
  revocation: "fits",
  setup: "fits",
  setupOutcome: "fits",
  status: "fits",
  stop: "fits",
  story: "fits",
  trade: "fits",
  transfer: "fits",
  twap: "fits",
  typedData: "fits",
  whoAmI: "fits",
  withdrawnKey: "fits",
};

/** No object of ours: texts that are one constant, streams (`test/http/events.test.ts` and its like read them), a page. */
const OTHERS = ["get_health", "get_openapi", "get_docs", "get_llms", "stream_events", "stream_markets"];
const FILES = EXPORTED_LISTS.flatMap((list) => [`export_${list}_csv`, `export_${list}_jsonl`]);

test("what every route answers is held against its schema above", () => {
  const known: ReadonlySet<TSchema> = new Set(Object.values(SCHEMAS));
  const lacking = allRoutes().flatMap(({ contract: { name, answers } }) =>
    answers.every(({ schema }) => known.has(schema) || known.has(schema["properties"]?.data?.items)) ? [] : [name],
  );
  expect(lacking.sort()).toEqual([...OTHERS, ...FILES].sort());
  expect(new Set(Object.values(VERDICTS))).toEqual(new Set(["fits"]));
});
