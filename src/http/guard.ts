import { ApiError } from "../core/errors.ts";

/** Characters of all header names and values of a request. Bun's own limit is set above it. */
export const MAX_HEADER_CHARACTERS = 16 * 1024;

/** Characters of path and query. */
const MAX_TARGET_CHARACTERS = 4 * 1024;

/** Everything else does not exist here: no route answers OPTIONS or TRACE, and HEAD only where monitors ask. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT"]);

/** No route and no id needs anything else; an escaped, doubled or trailing slash is another path. `/` is the page. */
const PATH = /^(\/|(\/[A-Za-z0-9._-]+)+)$/;
/** But for the names of markets, in which `/`, `:` and `@` stand, escaped or, where they may, as they are. */
const MARKET_PATH = /^\/v1\/markets\/([A-Za-z0-9._:@-]|%2[Ff]|%3[Aa]|%40)+(\/book)?$/;

/**
 * What every request has to pass before anything of it is believed. The Host is compared as the client sent it:
 * a page of somebody else's whose name was pointed at this machine sends its own name (DNS rebinding). None, and
 * two of them (which arrive joined by a comma), are nobody's name.
 */
export function guardRequest(request: Request, allowedHosts: ReadonlySet<string>): URL {
  const host = request.headers.get("host");
  if (host === null || host === "" || !allowedHosts.has(host.toLowerCase())) {
    throw new ApiError("host_not_allowed", "This gateway does not answer to the name in the Host header.");
  }
  if (isFromElsewhere(request, host.toLowerCase())) {
    throw new ApiError("host_not_allowed", "This gateway does not answer to pages of another site.");
  }
  if (headerCharacters(request.headers) > MAX_HEADER_CHARACTERS) {
    throw new ApiError("invalid_parameter", `The headers may have at most ${MAX_HEADER_CHARACTERS} characters.`);
  }
  const url = request.url.length > MAX_TARGET_CHARACTERS ? null : URL.parse(request.url);
  if (url === null) throw routeNotFound();
  const isPath = PATH.test(url.pathname) || MARKET_PATH.test(url.pathname);
  if (!METHODS.has(request.method) || !isPath) throw routeNotFound();
  return url;
}

/**
 * Browsers say from which site a request comes; nothing else sends these headers. A neighbour on another port of the
 * same machine is another site as well. A link that somebody follows is none of a page's doing, and shows it nothing.
 */
function isFromElsewhere({ method, headers }: Request, host: string): boolean {
  const origin = headers.get("origin");
  if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) return true;
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return false;
  const isLink = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return method !== "GET" || !isLink;
}

export function routeNotFound(): ApiError {
  return new ApiError("route_not_found", "There is no such route; the routes are listed at /docs.");
}

function headerCharacters(headers: Headers): number {
  let count = 0;
  for (const [name, value] of headers) count += name.length + value.length + ": \r\n".length;
  return count;
}
