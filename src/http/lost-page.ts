import type { Visit } from "./visit.ts";

/** The interface's own routes: their answers are for programs, whatever these say they take. */
const INTERFACE = "/v1";

/** What a person reads whose browser asks for a page that is not here; null for everybody else, who gets JSON. */
export function lostPage({ request, url }: Pick<Visit, "request" | "url">): string | null {
  if (url === null || request.method !== "GET" || url.pathname.startsWith(INTERFACE)) return null;
  return request.headers.get("accept")?.includes("text/html") === true ? PAGE : null;
}

const PAGE = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>No such page – Postern</title></head>
  <body>
    <h1>No such page</h1>
    <p>There is nothing at this address. There is <a href="/">the owner's page</a>, and <a href="/docs">the interface</a>.</p>
  </body>
</html>
`;
