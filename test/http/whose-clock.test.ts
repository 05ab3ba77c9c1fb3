/** Of each time that is the exchange's the description says so; all others are by this machine's clock, says its overview. */
import { expect, test } from "bun:test";
import { openApiDocument } from "../../src/http/openapi.ts";
import { allRoutes } from "../../src/http/routes.ts";

type Schema = { [member: string]: unknown; properties?: Record<string, Schema>; description?: string };

const DOCUMENT = openApiDocument(allRoutes()) as unknown as { components: { schemas: Record<string, Schema> } };

/** What the exchange dates, or is asked up to; an order's own is this machine's but for those that were placed elsewhere. */
const BY_THE_EXCHANGE = [
  "AgentThatSigns.valid_until",
  "ApprovedAgent.valid_until",
  "BestPrices.best_at",
  "Book.book_at",
  "Candle.closes_at",
  "Candle.opened_at",
  "Equity.from",
  "Equity.to",
  "EquityList.complete_from",
  "EquityList.complete_to",
  "ExpiringAgent.valid_until",
  "Fill.created_at",
  "FundingPayment.created_at",
  "FundingPaymentList.complete_from",
  "FundingPaymentList.complete_to",
  "MarketDetails.best_at",
  "MarketDetails.funding_at",
  "MarketDetails.next_funding_at",
  "MarketDetails.prices_at",
  "MarketFigures.funding_at",
  "MarketFigures.next_funding_at",
  "MarketFigures.prices_at",
  "MarketStreamState.since",
  "MarketTrade.created_at",
  "Order.created_at",
  "Performance.complete_from",
  "Performance.complete_to",
  "Picture.balances_as_of",
  "Picture.open_orders_as_of",
  "Picture.positions_as_of",
  "Picture.twaps_as_of",
  "SigningAgent.valid_until",
  "Status.fills_complete_to",
  "Status.fills_read_at",
  "StoryAttempt.expires_at",
  "Transfer.created_at",
  "TransferList.complete_from",
  "TransferList.complete_to",
  "Twap.created_at",
  "Twap.ended_at",
];

test("each time that is by the exchange's clock says so, and no other does", () => {
  const named = Object.entries(DOCUMENT.components.schemas).flatMap(([name, schema]) =>
    Object.entries(schema.properties ?? {})
      .filter(([, member]) => JSON.stringify(member).includes("#/components/schemas/Timestamp"))
      .filter(([, member]) => JSON.stringify(member).includes("by the exchange's clock"))
      .map(([member]) => `${name}.${member}`),
  );
  expect(named.toSorted()).toEqual(BY_THE_EXCHANGE);
});
