import { listTwaps } from "../actions/list-twaps.ts";
import { EXAMPLE_TWAP } from "./examples.ts";
import { readFilter, readLimit } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { CursorParameter, FILTER_PARAMETERS, LimitParameter, listOf } from "./schema/list.ts";
import { TwapResource, TwapStatus } from "./schema/twap.ts";

const list = readRoute(
  {
    name: "list_twaps",
    method: "GET",
    path: "/v1/twaps",
    tag: "TWAPs",
    summary: "List TWAPs",
    description:
      "Running and past ones by native id descending, those started elsewhere included, as far back as the exchange keeps them. `key_hash` and `bot` are of what started one here; `since` and `until` of when it began.",
    access: "trading:read",
    query: { ...FILTER_PARAMETERS, status: TwapStatus, cursor: CursorParameter, limit: LimitParameter },
    answers: [
      {
        status: 200,
        description: "A page of TWAPs.",
        schema: listOf(TwapResource, "TwapList"),
        example: { object: "list", data: [EXAMPLE_TWAP], has_more: false, next_cursor: null },
      },
    ],
    errors: ["invalid_status", "invalid_cursor", "invalid_limit", "exchange_rate_limited", "exchange_unreachable"],
  },
  (deps, caller, { query }) => {
    const [status, cursor] = [query.get("status"), query.get("cursor")];
    return listTwaps(deps, caller, { status, cursor, limit: readLimit(query), filter: readFilter(query) });
  },
);

export function twapRoutes(): Route[] {
  return [list];
}
