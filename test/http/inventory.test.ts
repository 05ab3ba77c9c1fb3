/** Every route that answers, and no other: nothing unused, no old version, nothing for debugging. */
import { expect, test } from "bun:test";
import { NAME_IN_PATH } from "../../src/http/contract.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { openRig } from "./rig.ts";

const ROUTES = [
  "GET /",
  "GET /assets/:id",
  "GET /docs",
  "GET /healthz",
  "GET /openapi.json",
  "GET /readyz",
  "HEAD /healthz",
  "HEAD /readyz",
  "GET /v1/agent-renewal",
  "POST /v1/agent-renewal",
  "GET /v1/account",
  "GET /v1/api-keys",
  "GET /v1/api-keys/typed-data",
  "GET /v1/events",
  "GET /v1/fills",
  "GET /v1/exports/orders.csv",
  "GET /v1/exports/orders.jsonl",
  "GET /v1/exports/fills.csv",
  "GET /v1/exports/fills.jsonl",
  "GET /v1/exports/operations.csv",
  "GET /v1/exports/operations.jsonl",
  "GET /v1/markets",
  "GET /v1/markets/:market",
  "GET /v1/markets/:market/book",
  "GET /v1/markets/:market/candles",
  "GET /v1/markets/:market/trades",
  "GET /v1/prices",
  "GET /v1/stream",
  "GET /v1/operations",
  "GET /v1/operations/:id",
  "GET /v1/orders",
  "GET /v1/orders/:id",
  "GET /v1/orders/:id/story",
  "GET /v1/positions",
  "GET /v1/status",
  "GET /v1/trades",
  "GET /v1/trades/:id",
  "GET /v1/twaps",
  "GET /v1/whoami",
  "POST /v1/api-keys",
  "POST /v1/api-keys/limited",
  "POST /v1/api-keys/revoke",
  "POST /v1/leverage",
  "POST /v1/margin",
  "POST /v1/orders",
  "POST /v1/orders/market",
  "POST /v1/orders/batch",
  "POST /v1/positions/close",
  "POST /v1/orders/cancel-all",
  "GET /v1/cancel-alls/:id",
  "POST /v1/orders/:id/cancel",
  "POST /v1/orders/:id/modify",
  "POST /v1/trades",
  "POST /v1/trades/:id/cancel",
  "POST /v1/trades/:id/modify",
  "POST /v1/twaps",
  "POST /v1/twaps/cancel",
  "GET /v1/stops",
  "GET /v1/stops/:id",
  "POST /v1/stop",
  "POST /v1/stops/:id/flatten",
  "POST /v1/stops/:id/resume",
  "GET /v1/heartbeat",
  "PUT /v1/heartbeat",
  "POST /v1/api-keys/revocations",
  "POST /v1/api-keys/self/narrow",
  "GET /v1/setup",
  "GET /v1/setup/exchange-view",
  "GET /v1/setup/agent-approval",
  "GET /v1/setup/builder-approval",
  "POST /v1/setup/claim",
  "POST /v1/setup/owner",
  "POST /v1/setup/agent-approval",
  "POST /v1/setup/finish",
  "POST /v1/setup/builder-approval",
  "POST /v1/setup/builder-skip",
];

const UNDESCRIBED = ["GET /", "GET /assets/:id"];

test("the live router has these routes, and all but the page are described", () => {
  const live = openRig().server.app.routes.map(({ method, path }) => `${method} ${path}`);
  expect(live.toSorted()).toEqual(ROUTES.toSorted());
  const described = allRoutes().map(
    ({ contract: { method, path } }) => `${method} ${path.replace(NAME_IN_PATH, ":$1")}`,
  );
  const byHead = allRoutes().flatMap(({ contract }) => (contract.isHeadAnswered ? [`HEAD ${contract.path}`] : []));
  expect([...described, ...byHead, ...UNDESCRIBED].toSorted()).toEqual(ROUTES.toSorted());
});
