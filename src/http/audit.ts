import { listAudit } from "../actions/list-audit.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_KEY_HASH } from "./examples.ts";
import { readFilter, readLimit } from "./query.ts";
import { type Route, readRoute } from "./route.ts";
import { AuditEntryResource } from "./schema/audit.ts";
import { CursorParameter, FILTER_PARAMETERS, LimitParameter, listOf, PAGES_MAY_BE_SHORT } from "./schema/list.ts";

const EXAMPLE_ENTRY = {
  object: "audit_entry",
  id: "1795253400125-1042",
  account: EXAMPLE_ACCOUNT_ID,
  network: "exchange_mainnet",
  actor: EXAMPLE_KEY_HASH,
  key_hash: EXAMPLE_KEY_HASH,
  event: "rail_refused",
  reference: "grid-1",
  order_id: null,
  facts: [
    { name: "rail", value: "max_order" },
    { name: "limit", value: "500 USD" },
  ],
  created_at: "2026-11-21T09:30:00.125Z",
};

const list = readRoute(
  {
    name: "list_audit",
    method: "GET",
    path: "/v1/audit",
    tag: "Audit",
    summary: "List what was granted, revoked, stopped and refused",
    description: `Newest first, from the audit log, which is chained by hashes and sealed: what is of this account. What was signed for orders and operations their own lists tell, and \`postern log\` with all the rest. \`key_hash\` and \`bot\` are of who did it, or of whom it was done to. ${PAGES_MAY_BE_SHORT}`,
    access: "trading:read",
    query: { ...FILTER_PARAMETERS, cursor: CursorParameter, limit: LimitParameter },
    answers: [
      {
        status: 200,
        description: "A page of entries.",
        schema: listOf(AuditEntryResource, "AuditEntryList"),
        example: { object: "list", data: [EXAMPLE_ENTRY], has_more: false, next_cursor: null },
      },
    ],
    errors: ["invalid_cursor", "invalid_limit"],
  },
  (deps, caller, { query }) =>
    listAudit(deps, caller, { cursor: query.get("cursor"), limit: readLimit(query), filter: readFilter(query) }),
);

export function auditRoutes(): Route[] {
  return [list];
}
