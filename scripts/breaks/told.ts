/** S41 to S43: hosts, routes, and secrets in what is told. */
import { type Break, inFile } from "./break.ts";

const NO_HOST = {
  test: "test/security/sources.test.ts",
  title: "no host but the exchange's two and this machine's own is named in the sources",
};
const HOUSE = { test: "test/tidy.test.ts", title: "the tree keeps the rules of the house" };
const ROUTES = {
  test: "test/http/inventory.test.ts",
  title:
    "the live router has these routes, and all but the page, the tools of agents and what is handed out are described",
};
const CANARIES = {
  test: "test/security/canaries.test.ts",
  title: "come back from no answer, reach no log line, no metric and no row",
};
const EXECUTABLE = { test: "test/cli/serve-paper.test.ts", title: "no secret reaches the log or the database" };
const ONE_LINE = { test: "test/http/guard.test.ts", title: "has one line a request with what names it, and no secret" };
const WRONG_PLACE = {
  test: "test/http/guard.test.ts",
  title: "no answer repeats a secret that was put in the wrong place",
};

export const TOLD_BREAKS: readonly Break[] = [
  {
    row: "S41",
    name: "a client names where its events go",
    changes: inFile(
      "src/http/stream-route.ts",
      '    charge("reads");\n',
      '    charge("reads");\n    void fetch(visit.request.headers.get("x-callback") ?? "");\n',
    ),
    seenBy: HOUSE,
  },
  {
    row: "S41",
    name: "the gateway calls a host of its own",
    changes: inFile(
      "src/exchange/transport.ts",
      "/** Idle connections kept after a burst. */",
      'export const FALLBACK = "https://api.hyperliquid-mirror.net";\n\n/** Idle connections kept after a burst. */',
    ),
    seenBy: NO_HOST,
  },
  {
    row: "S41",
    name: "a read of the exchange may go to a host that is named in it",
    changes: inFile(
      "src/actions/view-address.ts",
      '  if (account.kind === "failed") {\n',
      '  if (address.includes(":")) return (await fetch(address)).text();\n  if (account.kind === "failed") {\n',
    ),
    seenBy: HOUSE,
  },
  {
    row: "S42",
    name: "a route for debugging",
    changes: inFile(
      "src/http/health.ts",
      "return [health, readiness];",
      'return [health, readiness, { ...health, contract: { ...health.contract, name: "get_debug", path: "/debug" } }];',
    ),
    seenBy: ROUTES,
  },
  {
    row: "S42",
    name: "a route that is in no description",
    changes: inFile(
      "src/http/server.ts",
      "const routes = [...allRoutes(), ...mcpRoutes(), ...pageRoutes(), ...handoutRoutes()];",
      'const routes = [...allRoutes(), ...mcpRoutes(), ...pageRoutes(), ...allRoutes().slice(0, 1).map((each) => ({ ...each, contract: { ...each.contract, path: "/v0/api-keys" as typeof each.contract.path } }))];',
    ),
    seenBy: ROUTES,
  },
  {
    row: "S42",
    name: "an old version answers beside the new one",
    changes: inFile(
      "src/http/routes.ts",
      "return [...routes, ...descriptionRoutes(routes)];",
      'const old = routes.map((each) => ({ ...each, contract: { ...each.contract, path: each.contract.path.replace("/v1/", "/") as typeof each.contract.path } }));\n  return [...routes, ...old.filter(({ contract }) => String(contract.path) === "/whoami"), ...descriptionRoutes(routes)];',
    ),
    seenBy: ROUTES,
  },
  {
    row: "S43",
    name: "the log names the path that was asked for",
    changes: inFile(
      "src/http/server.ts",
      "      route: visit.route,\n      status: response.status,\n      code",
      "      route: visit.request.url,\n      status: response.status,\n      code",
    ),
    seenBy: CANARIES,
  },
  {
    row: "S43",
    name: "metrics are counted by path",
    changes: inFile(
      "src/http/server.ts",
      "deps.metrics.answered({ route: visit.route,",
      "deps.metrics.answered({ route: visit.route ?? new URL(visit.request.url).pathname,",
    ),
    seenBy: CANARIES,
  },
  {
    row: "S43",
    name: "the log names the whole hash of a key",
    changes: inFile("src/http/visit.ts", "key.keyHash.slice(0, KEY_PREFIX_CHARACTERS)", "key.keyHash.slice(0, 63)"),
    seenBy: ONE_LINE,
  },
  {
    row: "S43",
    name: "an answer repeats a bad value",
    changes: inFile(
      "src/actions/list-orders.ts",
      'throw new ApiError("invalid_status", `',
      'throw new ApiError("invalid_status", `${text}: ',
    ),
    seenBy: WRONG_PLACE,
  },
  {
    row: "S43",
    name: "an answer repeats an unknown member whatever it is",
    changes: inFile(
      "src/http/check.ts",
      '  if (MAYBE_SECRET.test(name)) return "A name that is not shown here";\n',
      "",
    ),
    seenBy: WRONG_PLACE,
  },
  {
    row: "S43",
    name: "an answer repeats the query",
    changes: inFile(
      "src/http/query.ts",
      'const shown = /^[A-Za-z0-9_.-]+$/.test(name) ? name.slice(0, MAX_NAME_CHARACTERS) : "A query parameter";',
      "const shown = `${name}=${value}`;",
    ),
    seenBy: CANARIES,
  },
  {
    row: "S43",
    name: "the log has the Idempotency-Key",
    changes: inFile(
      "src/http/server.ts",
      "      code: visit.code,\n",
      '      code: visit.code,\n      detail: visit.request.headers.get("idempotency-key"),\n',
    ),
    seenBy: CANARIES,
  },
  {
    row: "S43",
    name: "the log has the Authorization header of who was refused",
    changes: inFile(
      "src/http/server.ts",
      "      code: visit.code,\n",
      '      code: visit.code,\n      detail: visit.code === null ? null : (visit.request.headers.get("authorization") ?? "").slice(17, 47),\n',
    ),
    seenBy: EXECUTABLE,
  },
  {
    row: "S43",
    name: "a wrong key is a row of the audit log",
    changes: inFile(
      "src/actions/authenticate.ts",
      '    throw new ApiError("invalid_api_key", "This API key is not registered here.");',
      '    deps.store.$client.run("UPDATE accounts SET label = ?", [apiKey]);\n    throw new ApiError("invalid_api_key", "This API key is not registered here.");',
    ),
    seenBy: CANARIES,
  },
];
