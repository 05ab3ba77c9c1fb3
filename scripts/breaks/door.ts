/** S31 to S33, and S39: who is let in at the door. */
import { type Break, inFile } from "./break.ts";

const REACHED_BY = { test: "test/config.test.ts", title: "%s with %p is reached by %p" };
const START_REFUSED = {
  test: "test/cli/secrets.test.ts",
  title: "no command listens beyond this machine in the clear",
};
const ANY_ROUTE = { test: "test/http/guard.test.ts", title: "%s is refused on every route" };
const ANY_CASE = {
  test: "test/http/guard.test.ts",
  title: "is compared without regard to case, against all names that are allowed",
};
const EARLY = { test: "test/http/early.test.ts", title: "nothing else is answered before there is a gateway" };
const METRICS_HOST = {
  test: "test/metrics.test.ts",
  title: "the port of the metrics answers GET /metrics under its own names",
};
const OTHER_SITE = { test: "test/http/cross-site.test.ts", title: "a page of another site is refused on every route" };
const OWN_PAGE = {
  test: "test/http/cross-site.test.ts",
  title: "the gateway's own page is answered, over either scheme, and so is what no browser sends",
};
const LINKS = { test: "test/http/cross-site.test.ts", title: "a link may be followed from anywhere" };
const NO_CORS = {
  test: "test/http/guard.test.ts",
  title: "%s is 404 on every route but HEAD on those of health and PUT of a heartbeat, with no word of CORS",
};
const EVERY_ANSWER = {
  test: "test/http/guard.test.ts",
  title: "every answer has the security headers, nothing under /v1 may be kept, and no two share an id",
};
const RENEWED = {
  test: "test/cli/door.test.ts",
  title: "is 1.2 or later, and a renewed certificate is shown to new connections without a new start",
};
const EVERY_WAY = {
  test: "test/cli/door-routes.test.ts",
  title: "every route is found, whatever its name is and however the target is written",
};
const STAY = {
  test: "test/cli/door-routes.test.ts",
  title: "browsers are told to stay with TLS where it is ours, and never under the name that others share",
};
const UNFIT_FILES = { test: "test/cli/door.test.ts", title: "files that do not fit change nothing, and say which" };
const DEFAULTS = { test: "test/config.test.ts", title: "the defaults are those that are documented" };

export const DOOR_BREAKS: readonly Break[] = [
  {
    row: "S31",
    name: "an address that only begins like this machine's is this machine",
    changes: inFile(
      "src/core/exchange-place.ts",
      "/^127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}$/",
      "/^127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}/",
    ),
    seenBy: REACHED_BY,
  },
  {
    row: "S31",
    name: "all addresses of this machine are this machine",
    changes: inFile("src/core/exchange-place.ts", '["::1", "localhost"]', '["::1", "localhost", "::", "0.0.0.0"]'),
    seenBy: REACHED_BY,
  },
  {
    row: "S31",
    name: "beyond this machine plain HTTP is told and not refused",
    changes: inFile(
      "src/cli/exposure.ts",
      'if (isBehindProxy) return "network_behind_proxy";',
      'if (isBehindProxy || listen.port > 0) return "network_behind_proxy";',
    ),
    seenBy: REACHED_BY,
  },
  {
    row: "S31",
    name: "a gateway looks at its exposure once it listens",
    changes: [
      { file: "src/cli/serve.ts", find: "  exposureOf(config);\n", put: "" },
      {
        file: "src/cli/listen.ts",
        find: "const exposure = exposureOf(config);",
        put: 'const exposure = config.tls === null ? "this_machine" : "network_with_tls";',
      },
    ],
    seenBy: START_REFUSED,
  },
  {
    row: "S31",
    name: "the default is every address of the machine",
    changes: inFile("src/config.ts", 'POSTERN_LISTEN: "127.0.0.1:8787"', 'POSTERN_LISTEN: "0.0.0.0:8787"'),
    seenBy: DEFAULTS,
  },
  {
    row: "S32",
    name: "a name that begins like ours is ours",
    changes: inFile(
      "src/http/guard.ts",
      "!allowedHosts.has(host.toLowerCase())",
      "![...allowedHosts].some((allowed) => host.toLowerCase().startsWith(allowed))",
    ),
    seenBy: ANY_ROUTE,
  },
  {
    row: "S32",
    name: "no Host is our name",
    changes: [
      {
        file: "src/http/guard.ts",
        find: 'if (host === null || host === "" || !allowed',
        put: "if (host !== null && !allowed",
      },
      {
        file: "src/http/guard.ts",
        find: "isFromElsewhere(request, host.toLowerCase())",
        put: 'isFromElsewhere(request, host?.toLowerCase() ?? "")',
      },
    ],
    seenBy: ANY_ROUTE,
  },
  {
    row: "S32",
    name: "a proxy may name the Host",
    changes: inFile(
      "src/http/guard.ts",
      'const host = request.headers.get("host");',
      'const host = request.headers.get("x-forwarded-host") ?? request.headers.get("host");',
    ),
    seenBy: ANY_ROUTE,
  },
  {
    row: "S32",
    name: "the port is not compared",
    changes: inFile(
      "src/http/guard.ts",
      "!allowedHosts.has(host.toLowerCase())",
      '![...allowedHosts].some((allowed) => allowed.split(":")[0] === host.toLowerCase().split(":")[0])',
    ),
    seenBy: ANY_ROUTE,
  },
  {
    row: "S32",
    name: "health is answered to any name",
    changes: inFile(
      "src/http/server.ts",
      "visit.url = guardRequest(visit.request, hosts);",
      'visit.url = visit.request.url.endsWith("/healthz") ? new URL(visit.request.url) : guardRequest(visit.request, hosts);',
    ),
    seenBy: ANY_ROUTE,
  },
  {
    row: "S32",
    name: "the list is compared as it was written",
    changes: inFile(
      "src/http/server.ts",
      "deps.settings.allowedHosts.map((host) => host.toLowerCase())",
      "deps.settings.allowedHosts",
    ),
    seenBy: ANY_CASE,
  },
  {
    row: "S32",
    name: "the Host is compared as it came",
    changes: inFile("src/http/guard.ts", "!allowedHosts.has(host.toLowerCase())", "!allowedHosts.has(host)"),
    seenBy: ANY_CASE,
  },
  {
    row: "S32",
    name: "any name is answered while the keys are being opened",
    changes: inFile(
      "src/http/health.ts",
      "guardRequest(request, hosts);",
      'guardRequest(request, new Set([...hosts, request.headers.get("host") ?? ""]));',
    ),
    seenBy: EARLY,
  },
  {
    row: "S32",
    name: "the metrics are answered to any name",
    changes: inFile(
      "src/http/metrics.ts",
      "if (!door.isAllowedHost(host)) return",
      'if (!door.isAllowedHost(host) && host === "") return',
    ),
    seenBy: METRICS_HOST,
  },
  {
    row: "S33",
    name: "an Origin is not looked at",
    changes: inFile(
      "src/http/guard.ts",
      "if (origin !== null && origin !== `http://${host}` && origin !== `https://${host}`) return true;",
      'if (origin === "") return true;',
    ),
    seenBy: OTHER_SITE,
  },
  {
    row: "S33",
    name: "an Origin that begins like ours is ours",
    changes: inFile(
      "src/http/guard.ts",
      "origin !== `http://${host}` && origin !==",
      "!origin.startsWith(`http://${host}`) && origin !==",
    ),
    seenBy: OTHER_SITE,
  },
  {
    row: "S33",
    name: "the page in a sandbox is ours",
    changes: inFile(
      "src/http/guard.ts",
      "if (origin !== null && origin !== `http",
      'if (origin !== null && origin !== "null" && origin !== `http',
    ),
    seenBy: OTHER_SITE,
  },
  {
    row: "S33",
    name: "a neighbour's port is our site",
    changes: inFile(
      "src/http/guard.ts",
      'site === "same-origin" || site === "none"',
      'site === "same-origin" || site === "same-site" || site === "none"',
    ),
    seenBy: OTHER_SITE,
  },
  {
    row: "S33",
    name: "a frame is a link that somebody follows",
    changes: inFile("src/http/guard.ts", ' && headers.get("sec-fetch-dest") === "document"', ""),
    seenBy: OTHER_SITE,
  },
  {
    row: "S33",
    name: "a form of another site may post",
    changes: inFile("src/http/guard.ts", 'return method !== "GET" || !isLink;', 'return !isLink && method !== "";'),
    seenBy: LINKS,
  },
  {
    row: "S33",
    name: "the page behind a proxy with TLS is another site",
    changes: inFile("src/http/guard.ts", " && origin !== `https://${host}`", ""),
    seenBy: OWN_PAGE,
  },
  {
    row: "S33",
    name: "answers may be read from everywhere",
    changes: inFile(
      "src/http/headers.ts",
      '  "X-Content-Type-Options": "nosniff",',
      '  "X-Content-Type-Options": "nosniff",\n  "Access-Control-Allow-Origin": "*",',
    ),
    seenBy: OTHER_SITE,
  },
  {
    row: "S33",
    name: "a preflight is answered",
    changes: [
      {
        file: "src/http/guard.ts",
        find: 'new Set(["GET", "HEAD", "POST", "PUT"])',
        put: 'new Set(["GET", "HEAD", "POST", "PUT", "OPTIONS"])',
      },
      {
        file: "src/http/server.ts",
        find: "    visit.url = guardRequest(visit.request, hosts);",
        put: '    visit.url = guardRequest(visit.request, hosts);\n    if (visit.request.method === "OPTIONS") return new Response(null, { status: 200, headers: { Allow: "POST" } });',
      },
    ],
    seenBy: NO_CORS,
  },
  {
    row: "S33",
    name: "a cookie is set",
    changes: inFile(
      "src/http/headers.ts",
      '  headers.set("X-Request-Id", requestId);',
      '  headers.set("X-Request-Id", requestId);\n  headers.append("Set-Cookie", `seen=${requestId}; HttpOnly`);',
    ),
    seenBy: EVERY_ANSWER,
  },
  {
    row: "S39",
    name: "a certificate is read once",
    changes: inFile(
      "src/cli/door.ts",
      "      const { facts } = readTls(tls);\n      const old = server;",
      '      const { facts } = readTls(tls);\n      if (facts.subject !== "") return facts;\n      const old = server;',
    ),
    seenBy: RENEWED,
  },
  {
    row: "S39",
    name: "a key that is another certificate's is served",
    changes: inFile(
      "src/cli/door.ts",
      "if (!certificate.checkPrivateKey(privateKey)) {",
      'if (certificate.subject === "" && !certificate.checkPrivateKey(privateKey)) {',
    ),
    seenBy: UNFIT_FILES,
  },
  {
    row: "S39",
    name: "TLS 1.2 is taken with CBC",
    changes: inFile("src/cli/door.ts", "readTls(tls).pem, ciphers: TLS_1_2_CIPHERS }", "readTls(tls).pem }"),
    seenBy: RENEWED,
  },
  {
    row: "S39",
    name: "the path is cut out of the URL as it came",
    changes: inFile("src/http/router.ts", "url: ROUTED_ORIGIN + path }", "url: visit.request.url }"),
    seenBy: EVERY_WAY,
  },
  {
    row: "S39",
    name: "browsers are not told to stay with TLS",
    changes: inFile("src/cli/door.ts", "if (tls !== null) sayStrictTransport(request, response);", ""),
    seenBy: STAY,
  },
  {
    row: "S39",
    name: "browsers are told to stay under the name that others share",
    changes: inFile("src/cli/door.ts", "if (!isLocalhost) headers.set", "if (isLocalhost !== null) headers.set"),
    seenBy: STAY,
  },
];
