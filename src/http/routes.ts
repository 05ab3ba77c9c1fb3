import { accountRoutes } from "./account.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { descriptionRoutes } from "./docs.ts";
import { healthRoutes } from "./health.ts";
import { marketRoutes } from "./markets.ts";
import { orderRoutes } from "./orders.ts";
import type { Route } from "./route.ts";

/**
 * Every route there is, in the order of the interface description. A route is added here when it works: modify,
 * leverage, margin, TWAPs, operations, positions and fills have their schemas already.
 */
export function allRoutes(): Route[] {
  const routes = [...apiKeyRoutes(), ...orderRoutes(), ...accountRoutes(), ...marketRoutes(), ...healthRoutes()];
  return [...routes, ...descriptionRoutes(routes)];
}
