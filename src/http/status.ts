import { getStatus } from "../actions/get-status.ts";
import { EXAMPLE_STATUS } from "./examples.ts";
import { type Route, readRoute } from "./route.ts";
import { StatusResource } from "./schema/status.ts";

const status = readRoute(
  {
    name: "get_status",
    method: "GET",
    path: "/v1/status",
    tag: "Status",
    summary: "How the gateway is doing",
    description: "For the key's own account: budgets, agent, unknown outcomes, feed and index of fills.",
    access: "trading:read",
    answers: [{ status: 200, description: "The status.", schema: StatusResource, example: EXAMPLE_STATUS }],
    errors: [],
  },
  (deps, caller) => getStatus(deps, caller),
);

export function statusRoutes(): Route[] {
  return [status];
}
