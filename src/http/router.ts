/** Which route answers a visit, and with what of its path. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { NAME_IN_PATH } from "./contract.ts";
import { routeNotFound } from "./guard.ts";
import type { Answer, Route } from "./route.ts";
import type { Visit } from "./visit.ts";

export type Router = {
  /** By the path that the guard has read. */
  answer(visit: Visit, path: string): Promise<Response>;
  isHeadAnswered(path: string): boolean;
  app: Elysia;
};

type Refuse = (visit: Visit, error: unknown) => Response;

/** What the router is asked with leads to its visit. */
type Visits = WeakMap<object, Visit>;

/**
 * The router cuts the path out of a URL by counting characters. So it is given the path that the guard has read, behind an
 * origin that is always this one: how a request came (TLS or not, under which name, with which form of target) has no part
 * in where it goes.
 */
export const ROUTED_ORIGIN = "http://postern";

export function openRouter(deps: Deps, routes: readonly Route[], refuse: Refuse): Router {
  const visits: Visits = new WeakMap();
  const app = newApp(visits, refuse);
  for (const route of routes) mount(app, deps, route, visits);
  const byHead = new Set<string>(
    routes.flatMap(({ contract }) => (contract.isHeadAnswered === true ? [contract.path] : [])),
  );
  return {
    answer(visit, path) {
      const target = { method: visit.request.method, url: ROUTED_ORIGIN + path };
      visits.set(target, visit);
      // The compiled router reads these two and hands the object back; all else of a request is in its visit.
      return Promise.resolve(app.handle(target as Request));
    },
    isHeadAnswered: (path) => byHead.has(path),
    app,
  };
}

/**
 * `normalize: false`: Elysia would drop unknown members where the specification refuses them. `strictPath`: a
 * trailing slash is another path. `parse: "none"`: bodies are read by us, after authentication and with our limit.
 */
function newApp(visits: Visits, refuse: Refuse): Elysia {
  const app = new Elysia({
    normalize: false,
    strictPath: true,
    nativeStaticResponse: false,
    aot: true,
  });
  app.onError({ as: "global" }, ({ error, code, request }) =>
    refuse(visitOf(visits, request), code === "NOT_FOUND" ? routeNotFound() : error),
  );
  return app;
}

function mount(app: Elysia, deps: Deps, route: Route, visits: Visits): void {
  const path = route.contract.path.replace(NAME_IN_PATH, ":$1");
  const answer = async ({ request, params }: { request: Request; params?: Record<string, string> }) => {
    const visit = visitOf(visits, request);
    visit.route = route.contract.path;
    return respond(await route.answer(deps, visit, Object.values(params ?? {})[0] ?? ""));
  };
  app.route(route.contract.method, path, answer, { parse: "none" });
  // The runtime leaves the body out, and tells its length.
  if (route.contract.isHeadAnswered === true) app.route("HEAD", path, answer, { parse: "none" });
}

function visitOf(visits: Visits, request: Request): Visit {
  const visit = visits.get(request);
  if (visit === undefined) throw new Error("bug: request without a visit");
  return visit;
}

function respond({ status, body, contentType, headers }: Answer): Response {
  return new Response(body, { status, headers: { "Content-Type": contentType ?? "application/json", ...headers } });
}
