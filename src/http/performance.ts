/** Who has made what. */
import { Type } from "@sinclair/typebox";
import { getPerformance, PERFORMANCE_GROUPS, type PerformanceGroup } from "../actions/get-performance.ts";
import { ApiError } from "../core/errors.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_KEY_HASH } from "./examples.ts";
import { type Query, readFilter } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { FILTER_PARAMETERS } from "./schema/list.ts";
import { PerformanceResource } from "./schema/performance.ts";

const EXAMPLE_FIGURES = {
  fills: 12,
  volume: "11565.216",
  fees: "5.204347",
  builder_fees: "0",
  funding: "-0.012047",
  realized_pnl: "41.25",
  net_pnl: "36.033606",
};

const GROUPS = Type.String({
  pattern: "^(day|market|bot|key)(,(day|market|bot|key)){0,3}$",
  examples: ["key", "day,bot"],
  description:
    "By what lines are told apart: some of `day`, `market`, `bot`, `key`, with commas between. `key` when left out.",
});

const performance = readRoute(
  {
    name: "get_performance",
    method: "GET",
    path: "/v1/performance",
    tag: "Performance",
    summary: "Profit, fees, funding and volume by day, market, bot and key",
    description:
      "Fills belong to the key whose order or TWAP they filled; funding is shared by own net position. What belongs to no key is a line of its own. `since` and `until` choose whole days in UTC: those that begin in that time. More than 2,000 lines of day, market and key in it are refused with 400.",
    access: "trading:read",
    query: { ...FILTER_PARAMETERS, group_by: GROUPS },
    answers: [
      {
        status: 200,
        description: "The figures.",
        schema: PerformanceResource,
        example: {
          object: "performance",
          account: EXAMPLE_ACCOUNT_ID,
          network: "exchange_mainnet",
          complete_from: "2026-10-22T09:30:00.000Z",
          complete_to: "2026-11-21T10:04:45.000Z",
          total: EXAMPLE_FIGURES,
          data: [
            {
              day: null,
              market: null,
              bot: "grid-1",
              key_hash: EXAMPLE_KEY_HASH,
              attributed: true,
              ...EXAMPLE_FIGURES,
            },
          ],
          positions: [
            {
              market: "BTC",
              bot: "grid-1",
              key_hash: EXAMPLE_KEY_HASH,
              attributed: true,
              size: "0.015",
              entry_price: "64251.2",
              mark_price: "64300",
              unrealized_pnl: "0.732",
            },
          ],
        },
      },
    ],
    errors: ["invalid_parameter"],
  },
  (deps, caller, { query }) => getPerformance(deps, caller, { filter: readFilter(query), groups: readGroups(query) }),
);

function readGroups(query: Query): readonly PerformanceGroup[] {
  const wanted = (query.get("group_by") ?? "key").split(",");
  const groups = PERFORMANCE_GROUPS.filter((group) => wanted.includes(group));
  if (groups.length > 0 && wanted.length <= PERFORMANCE_GROUPS.length && wanted.every((word) => isGroup(word)))
    return groups;
  throw new ApiError(
    "invalid_parameter",
    "group_by must be some of `day`, `market`, `bot`, `key`, with commas between.",
  );
}

function isGroup(word: string): boolean {
  return PERFORMANCE_GROUPS.some((group) => group === word);
}

export function performanceRoutes(): Route[] {
  return [performance];
}
