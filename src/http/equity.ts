/** What an account was worth over time. */
import { EQUITY_RESOLUTIONS, listEquity } from "../actions/list-equity.ts";
import { ApiError } from "../core/errors.ts";
import { EXAMPLE_ACCOUNT_ID } from "./examples.ts";
import { type Query, readLimit, readTime } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { words } from "./schema/common.ts";
import { EquityResource } from "./schema/equity.ts";
import { CursorParameter, LimitParameter, recordOf, SinceParameter, UntilParameter } from "./schema/list.ts";

export const EquityResolutionParameter = words(EQUITY_RESOLUTIONS, {
  description: "How long a row is, UTC; `1h` when left out.",
});

const equity = readRoute(
  {
    name: "list_equity",
    method: "GET",
    path: "/v1/equity",
    tag: "Equity",
    summary: "What the account was worth, and its profit over time",
    description:
      "Newest first. It begins when this gateway first knew the account, which `complete_from` says: nothing before is made up. Samples are taken every 5 minutes and kept so for a month, then by the hour for two years, then by the day. A row ends where the next begins, also where the gateway stood still in between.",
    access: "trading:read",
    query: {
      since: SinceParameter,
      until: UntilParameter,
      resolution: EquityResolutionParameter,
      cursor: CursorParameter,
      limit: LimitParameter,
    },
    answers: [
      {
        status: 200,
        description: "A page of rows.",
        schema: recordOf(EquityResource, "EquityList"),
        example: {
          object: "list",
          data: [
            {
              object: "equity",
              account: EXAMPLE_ACCOUNT_ID,
              network: "exchange_mainnet",
              from: "2026-11-21T09:00:02.000Z",
              to: "2026-11-21T10:00:01.000Z",
              open: "10250.118",
              close: "11261.4",
              transfers: "1000",
              profit: "11.282",
              unpriced: [],
            },
          ],
          has_more: false,
          next_cursor: null,
          complete_from: "2026-11-21T09:00:02.000Z",
          complete_to: "2026-11-21T10:00:01.000Z",
        },
      },
    ],
    errors: ["invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { query }) =>
    listEquity(deps, caller, {
      sinceMs: readTime(query, "since"),
      untilMs: readTime(query, "until"),
      resolution: readResolution(query),
      cursor: query.get("cursor"),
      limit: readLimit(query),
    }),
);

export function readResolution(query: Query) {
  const text = query.get("resolution") ?? "1h";
  const resolution = EQUITY_RESOLUTIONS.find((known) => known === text);
  if (resolution !== undefined) return resolution;
  throw new ApiError("invalid_parameter", `resolution is one of ${EQUITY_RESOLUTIONS.join(", ")}.`);
}

export function equityRoutes(): Route[] {
  return [equity];
}
