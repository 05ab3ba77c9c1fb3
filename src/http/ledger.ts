/** What an account was paid for its positions, and what it was sent and has sent. */
import { listFunding } from "../actions/list-funding.ts";
import { listTransfers } from "../actions/list-transfers.ts";
import { EXAMPLE_ACCOUNT_ID } from "./examples.ts";
import { readLimit, readMarket, readTime } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { FundingPaymentResource, TransferResource } from "./schema/ledger.ts";
import { FILTER_PARAMETERS, FillCursorParameter, LimitParameter, recordOf } from "./schema/list.ts";

const EXAMPLE_FUNDING = {
  object: "funding_payment",
  id: "1795255200031-BTC",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  dex: "",
  market: "BTC",
  amount: "-0.012047",
  position: "0.015",
  funding_rate: "0.0000125",
  samples: null,
  transaction_hash: `0x${"0".repeat(64)}`,
  created_at: "2026-11-21T10:00:00.031Z",
};

const EXAMPLE_TRANSFER = {
  object: "transfer",
  id: `1795253400125-0x${"9d".repeat(32)}`,
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  type: "deposit",
  token: "USDC",
  amount: "1000",
  fee: null,
  value: "1000",
  counterparty: null,
  transaction_hash: `0x${"9d".repeat(32)}`,
  created_at: "2026-11-21T09:30:00.125Z",
};

const WHOLE = {
  has_more: false,
  next_cursor: null,
  complete_from: "2026-10-22T09:30:00.000Z",
  complete_to: "2026-11-21T10:01:12.000Z",
};

const { since, until, market } = FILTER_PARAMETERS;
const OWN_INDEX = "Newest first, from this gateway's own index, which keeps what the exchange forgets.";

const funding = readRoute(
  {
    name: "list_funding",
    method: "GET",
    path: "/v1/funding",
    tag: "Funding",
    summary: "List payments of funding",
    description: `${OWN_INDEX} It is read three minutes after each hour, from 30 days before the account was added.`,
    access: "trading:read",
    query: { since, until, market, cursor: FillCursorParameter, limit: LimitParameter },
    answers: [
      {
        status: 200,
        description: "A page of payments.",
        schema: recordOf(FundingPaymentResource, "FundingPaymentList"),
        example: { object: "list", data: [EXAMPLE_FUNDING], ...WHOLE },
      },
    ],
    errors: ["invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { query }) =>
    listFunding(deps, caller, {
      sinceMs: readTime(query, "since"),
      untilMs: readTime(query, "until"),
      market: readMarket(query),
      cursor: query.get("cursor"),
      limit: readLimit(query),
    }),
);

const transfers = readRoute(
  {
    name: "list_transfers",
    method: "GET",
    path: "/v1/transfers",
    tag: "Transfers",
    summary: "List deposits, withdrawals and transfers",
    description: `${OWN_INDEX} It is read every ten minutes while the account trades, and every six hours while it does not.`,
    access: "trading:read",
    query: { since, until, cursor: FillCursorParameter, limit: LimitParameter },
    answers: [
      {
        status: 200,
        description: "A page of transfers.",
        schema: recordOf(TransferResource, "TransferList"),
        example: { object: "list", data: [EXAMPLE_TRANSFER], ...WHOLE },
      },
    ],
    errors: ["invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { query }) =>
    listTransfers(deps, caller, {
      sinceMs: readTime(query, "since"),
      untilMs: readTime(query, "until"),
      cursor: query.get("cursor"),
      limit: readLimit(query),
    }),
);

export function ledgerRoutes(): Route[] {
  return [funding, transfers];
}
