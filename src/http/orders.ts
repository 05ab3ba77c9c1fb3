/** /v1/orders. Each route translates in, calls one verb, translates out; it decides nothing else. */
import { cancelOrder } from "../actions/cancel-order.ts";
import { getOrder } from "../actions/get-order.ts";
import { listOrders } from "../actions/list-orders.ts";
import { placeMarketOrder } from "../actions/place-market-order.ts";
import { placeOrder } from "../actions/place-order.ts";
import { DEFAULT_SLIPPAGE_BPS } from "../core/worst-price.ts";
import { printedTerms, printRequest } from "../write/fingerprint.ts";
import {
  EXAMPLE_CANCELED_ORDER,
  EXAMPLE_MARKET_ORDER,
  EXAMPLE_ORDER,
  EXAMPLE_ORDER_LIST,
  EXAMPLE_PLACE_MARKET_ORDER,
  EXAMPLE_PLACE_ORDER,
} from "./examples.ts";
import { readKeyParameter } from "./headers.ts";
import { NOT_2XX, ORDER_ID, ORDERS_TAG, readOrderId, UNKNOWN_ORDER } from "./order-contract.ts";
import { readOrderTerms, requireNotZero } from "./order-rules.ts";
import { readFilter, readLimit } from "./query.ts";
import { type Route, readRoute, writeRoute } from "./route.ts";
import {
  CursorParameter,
  DexParameter,
  FILTER_PARAMETERS,
  IdempotencyKeyParameter,
  LimitParameter,
  listOf,
  PAGES_MAY_BE_SHORT,
} from "./schema/list.ts";
import { CancelOrderBody, OrderResource, OrderStatus, PlaceMarketOrderBody, PlaceOrderBody } from "./schema/order.ts";

const place = writeRoute(
  {
    name: "place_order",
    method: "POST",
    path: "/v1/orders",
    tag: ORDERS_TAG,
    summary: "Place an order",
    description: `One Idempotency-Key places at most one order. ${NOT_2XX} Whether an earlier request with the same key did is told by repeating it with that key.`,
    access: "trading:write",
    body: PlaceOrderBody,
    bodyExample: EXAMPLE_PLACE_ORDER,
    answers: [
      {
        status: 201,
        description: "The order. A refusal of the exchange is `status` `rejected` with the reason in `error`.",
        schema: OrderResource,
        example: EXAMPLE_ORDER,
        headers: ["Idempotent-Replayed"],
      },
      UNKNOWN_ORDER,
    ],
    errors: ["account_mismatch", "unknown_market", "trading_stopped", "too_many_open_orders"],
  },
  (deps, caller, { body, idempotencyKey }) => {
    const terms = readOrderTerms(body);
    const accountId = body.account.toLowerCase();
    const fingerprint = printRequest("place_order", null, { account: accountId, ...printedTerms(terms) });
    return placeOrder(deps, caller, { ...terms, accountId, idempotencyKey, fingerprint });
  },
);

const placeAtMarket = writeRoute(
  {
    name: "place_market_order",
    method: "POST",
    path: "/v1/orders/market",
    tag: ORDERS_TAG,
    summary: "Place an order at market",
    description:
      "An `ioc` order whose `price` is the worst that it may execute at: `max_slippage_bps` from the best price of a book of at most 2 s by the exchange's time (else 503 `book_stale`), never more than 5 % from mark and oracle, rounded towards the better price. Where nobody is on the other side, or its best price is further, it is 409 `no_price_within_bounds`. It is priced once: a repeat of its key is the same order at the same price, whatever the market does. Spot as well. " +
      "With `reduce_only` in a perpetual it is not stopped for want of facts: where no mark of the last 5 s is known the book prices it alone (never more than 5 % from its middle), and where no book can be had the slippage counts from the newest mark of the last five minutes; only without any of these it is 503 `book_stale`. With `reduce_only` it is also never further than the `max_distance` of the key, as a close is. " +
      `What it does not find at that price is not bought or sold: look at \`filled_size\`. ${NOT_2XX}`,
    access: "trading:write",
    body: PlaceMarketOrderBody,
    bodyExample: EXAMPLE_PLACE_MARKET_ORDER,
    answers: [
      {
        status: 201,
        description: "The order, as any other; its `price` is the worst one.",
        schema: OrderResource,
        example: EXAMPLE_MARKET_ORDER,
        headers: ["Idempotent-Replayed"],
      },
      UNKNOWN_ORDER,
    ],
    errors: [
      "account_mismatch",
      "unknown_market",
      "trading_stopped",
      "too_many_open_orders",
      "book_stale",
      "no_price_within_bounds",
    ],
  },
  (deps, caller, { body, idempotencyKey }) => {
    requireNotZero("size", body.size);
    const { market, side, size } = body;
    const accountId = body.account.toLowerCase();
    const reduceOnly = body.reduce_only ?? false;
    const maxSlippageBps = body.max_slippage_bps ?? DEFAULT_SLIPPAGE_BPS;
    const flags = { reduce_only: reduceOnly, max_slippage_bps: maxSlippageBps };
    const fingerprint = printRequest("place_market_order", null, { account: accountId, market, side, size, ...flags });
    const wanted = { market, side, size, reduceOnly, maxSlippageBps, accountId, idempotencyKey, fingerprint };
    return placeMarketOrder(deps, caller, wanted);
  },
);

const cancel = writeRoute(
  {
    name: "cancel_order",
    method: "POST",
    path: "/v1/orders/{id}/cancel",
    tag: ORDERS_TAG,
    summary: "Cancel an order",
    description: `Canceling a closed order answers 200 with its true status; while a modify of it with \`always_place\` is still out, that is withdrawn first. One that lists show open after its end was told (the ALARM in its \`error\` says so) is canceled at the exchange by its own id. A cancel answered 202 stays in force until the order is closed. ${NOT_2XX}`,
    access: "trading:write",
    id: ORDER_ID,
    body: CancelOrderBody,
    bodyExample: {},
    isBodyOptional: true,
    answers: [
      {
        status: 200,
        description: "The order with its resulting status.",
        schema: OrderResource,
        example: EXAMPLE_CANCELED_ORDER,
        headers: ["Idempotent-Replayed"],
      },
      UNKNOWN_ORDER,
    ],
    errors: ["invalid_id", "order_not_found"],
  },
  (deps, caller, { id: sentId, idempotencyKey }) => {
    const id = readOrderId(sentId);
    return cancelOrder(deps, caller, { id, idempotencyKey, fingerprint: printRequest("cancel_order", id, {}) });
  },
);

const retrieve = readRoute(
  {
    name: "get_order",
    method: "GET",
    path: "/v1/orders/{id}",
    tag: ORDERS_TAG,
    summary: "Retrieve and reconcile an order",
    description: "A live order is looked up at the exchange, at most once a second. Finds orders placed elsewhere too.",
    access: "trading:read",
    id: ORDER_ID,
    answers: [
      {
        status: 200,
        description:
          "The order. With `X-Data-As-Of` it is as last known: the exchange could not be asked, or did not show it; or it is open and its filled size is what a feed told, which was last held against the exchange's list of fills then.",
        schema: OrderResource,
        example: EXAMPLE_ORDER,
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: ["invalid_id", "order_not_found", "exchange_rate_limited", "exchange_unreachable"],
  },
  (deps, caller, { id }) => getOrder(deps, caller, readOrderId(id)),
);

const list = readRoute(
  {
    name: "list_orders",
    method: "GET",
    path: "/v1/orders",
    tag: ORDERS_TAG,
    summary: "List orders",
    description: `\`status=open\` lists the orders open on the exchange, those placed elsewhere included, by native id descending; one that lists show open after its end was told is among them, with an ALARM in its \`error\`. Anything else lists what was placed here, newest first, without asking the exchange. With \`idempotency_key\`: what was placed under it. ${PAGES_MAY_BE_SHORT}`,
    access: "trading:read",
    query: {
      ...FILTER_PARAMETERS,
      status: OrderStatus,
      dex: DexParameter,
      idempotency_key: IdempotencyKeyParameter,
      cursor: CursorParameter,
      limit: LimitParameter,
    },
    answers: [
      {
        status: 200,
        description:
          "A page of orders. With `X-Data-As-Of` some are as last known: the exchange's list, which may be behind, does not hold them, and nothing says that they are over.",
        schema: listOf(OrderResource, "OrderList"),
        example: EXAMPLE_ORDER_LIST,
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: [
      "invalid_status",
      "unknown_dex",
      "invalid_cursor",
      "invalid_limit",
      "exchange_rate_limited",
      "exchange_unreachable",
    ],
  },
  (deps, caller, { query }) => {
    const [status, dex, cursor] = [query.get("status"), query.get("dex"), query.get("cursor")];
    const idempotencyKey = readKeyParameter(query.get("idempotency_key"));
    const filter = readFilter(query);
    return listOrders(deps, caller, { status, dex, cursor, limit: readLimit(query), filter, idempotencyKey });
  },
);

export function orderRoutes(): Route[] {
  return [place, placeAtMarket, list, retrieve, cancel];
}
