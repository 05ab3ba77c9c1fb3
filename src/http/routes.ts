import { accountRoutes } from "./account.ts";
import { agentRenewalRoutes } from "./agent-renewal.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { auditRoutes } from "./audit.ts";
import { batchRoutes } from "./batches.ts";
import { cancelAllRoutes } from "./cancel-all.ts";
import { descriptionRoutes } from "./docs.ts";
import { equityRoutes } from "./equity.ts";
import { eventRoutes } from "./events.ts";
import { exportRoutes } from "./exports.ts";
import { fillRoutes } from "./fills.ts";
import { healthRoutes } from "./health.ts";
import { heartbeatRoutes } from "./heartbeats.ts";
import { ledgerRoutes } from "./ledger.ts";
import { marketRoutes } from "./markets.ts";
import { modifyRoutes } from "./modify.ts";
import { operationRoutes } from "./operations.ts";
import { orderRoutes } from "./orders.ts";
import { ownedHookRoutes } from "./owned-hooks.ts";
import { performanceRoutes } from "./performance.ts";
import { positionRoutes } from "./positions.ts";
import { priceRoutes } from "./prices.ts";
import { proposalRoutes } from "./proposals.ts";
import type { Route } from "./route.ts";
import { setupRoutes } from "./setup.ts";
import { statusRoutes } from "./status.ts";
import { stopRoutes } from "./stops.ts";
import { storyRoutes } from "./story.ts";
import { streamRoutes } from "./stream.ts";
import { tradeRoutes } from "./trades.ts";
import { twapRoutes } from "./twaps.ts";

/** Every route there is, in the order of the interface description. A route is added here when it works. */
export function allRoutes(): Route[] {
  const routes = [
    ...apiKeyRoutes(),
    ...orderRoutes(),
    ...batchRoutes(),
    ...cancelAllRoutes(),
    ...modifyRoutes(),
    ...storyRoutes(),
    ...positionRoutes(),
    ...twapRoutes(),
    ...operationRoutes(),
    ...tradeRoutes(),
    ...proposalRoutes(),
    ...ownedHookRoutes(),
    ...stopRoutes(),
    ...heartbeatRoutes(),
    ...accountRoutes(),
    ...fillRoutes(),
    ...ledgerRoutes(),
    ...performanceRoutes(),
    ...equityRoutes(),
    ...auditRoutes(),
    ...exportRoutes(),
    ...eventRoutes(),
    ...marketRoutes(),
    ...priceRoutes(),
    ...streamRoutes(),
    ...statusRoutes(),
    ...agentRenewalRoutes(),
    ...setupRoutes(),
    ...healthRoutes(),
  ];
  return [...routes, ...descriptionRoutes(routes)];
}
