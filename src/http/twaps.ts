import { listTwaps } from "../actions/list-twaps.ts";
import { EXAMPLE_TWAP } from "./examples.ts";
import { readLimit } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { CursorParameter, LimitParameter, listOf } from "./schema/list.ts";
import { TwapResource } from "./schema/twap.ts";

const list = readRoute(
  {
    name: "list_twaps",
    method: "GET",
    path: "/v1/twaps",
    tag: "TWAPs",
    summary: "List TWAPs",
    description:
      "Running and past ones by native id descending, those started elsewhere included, as far back as the exchange keeps them.",
    access: "trading:read",
    query: { cursor: CursorParameter, limit: LimitParameter },
    answers: [
      {
        status: 200,
        description: "A page of TWAPs.",
        schema: listOf(TwapResource, "TwapList"),
        example: { object: "list", data: [EXAMPLE_TWAP], has_more: false, next_cursor: null },
      },
    ],
    errors: ["invalid_cursor", "invalid_limit", "exchange_rate_limited", "exchange_unreachable"],
  },
  (deps, caller, { query }) => listTwaps(deps, caller, { cursor: query.get("cursor"), limit: readLimit(query) }),
);

export function twapRoutes(): Route[] {
  return [list];
}
