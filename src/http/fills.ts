import { listFills } from "../actions/list-fills.ts";
import { EXAMPLE_FILL } from "./examples.ts";
import { readFilter, readLimit } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { FillResource } from "./schema/fill.ts";
import { FILTER_PARAMETERS, FillCursorParameter, LimitParameter, listOf, PAGES_MAY_BE_SHORT } from "./schema/list.ts";

const list = readRoute(
  {
    name: "list_fills",
    method: "GET",
    path: "/v1/fills",
    tag: "Fills",
    summary: "List fills",
    description: `Newest first, from this gateway's own index, which keeps what the exchange forgets and can lag it. ${PAGES_MAY_BE_SHORT}`,
    access: "trading:read",
    query: { ...FILTER_PARAMETERS, cursor: FillCursorParameter, limit: LimitParameter },
    answers: [
      {
        status: 200,
        description:
          "A page of fills; `X-Data-As-Of` is the time up to which they are complete, whichever of the exchange's servers was asked: the newest of them, or 160 s before the exchange was asked; and never past a millisecond in which more was filled than the exchange gives, of which some may lack, nor past the sending of an order of which more was filled than is listed. Newer ones that it has told are there as well.",
        schema: listOf(FillResource, "FillList"),
        example: { object: "list", data: [EXAMPLE_FILL], has_more: false, next_cursor: null },
        headers: ["X-Data-As-Of"],
      },
    ],
    errors: ["invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { query }) => {
    const filter = readFilter(query);
    return listFills(deps, caller, { cursor: query.get("cursor"), limit: readLimit(query), filter });
  },
);

export function fillRoutes(): Route[] {
  return [list];
}
