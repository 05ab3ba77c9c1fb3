// Whose page is asking, under which name, by which method and at which path.
import { newAddress } from "../door.mjs";
import { brief, codeOf } from "../raw.mjs";

const keyLine = (door) => `Authorization: Bearer ${door.key}`;

const under = (door, host, target, ...lines) =>
  door.speak(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${[keyLine(door), ...lines].join("\r\n")}\r\n\r\n`, {
    quietMs: 10,
  });

const routesOf = async (door) => {
  const { paths } = (await door.ask("GET", "/openapi.json", { key: null })).json;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [
      method.toUpperCase(),
      path.replace("{id}", "01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f"),
    ]),
  );
};

export const hosts = [
  [
    "rebinding: the Host of a foreign page on every route is 403 and tells nothing",
    async ({ plain, broken, figure }) => {
      const routes = [...(await routesOf(plain)), ["GET", "/"], ["HEAD", "/healthz"], ["GET", "/nowhere"]];
      for (const [method, path] of routes) {
        const lines = [
          keyLine(plain),
          "Content-Type: application/json",
          "Content-Length: 2",
          "Idempotency-Key: rebinding-1",
        ];
        const bytes = `${method} ${path} HTTP/1.1\r\nHost: evil.example:${plain.port}\r\n${lines.join("\r\n")}\r\n\r\n{}`;
        const result = await plain.speak(bytes, { quietMs: 5, isHead: method === "HEAD" });
        if (result.first?.status !== 403) broken(`${method} ${path}: ${brief(result)}`);
      }
      figure(`${routes.length} routes`);
    },
  ],
  [
    "rebinding: names that only look like ours",
    async ({ plain, broken }) => {
      const port = plain.port;
      const names = [
        `127.0.0.1:${port}.evil.example`,
        `localhost.evil.example:${port}`,
        "127.0.0.1",
        `127.0.0.1:${port + 1}`,
        `127.0.0.2:${port}`,
        `[::1]:${port}`,
        `0:${port}`,
        `0.0.0.0:${port}`,
        `127.1:${port}`,
        `2130706433:${port}`,
        `0x7f000001:${port}`,
        `localhost.:${port}`,
        `evil@127.0.0.1:${port}`,
        `127.0.0.1:${port}@evil.example`,
        `127.0.0.1:0${port}`,
        `127.0.0.1:${port}/`,
        `127.0.0.1:${port}#`,
        `127.0.0.1:${port}, evil.example`,
        `127.0.0.1:${port} evil.example`,
        `http://127.0.0.1:${port}`,
        `127.0.0.1:${port}\t.evil`,
        "",
        `local\xadhost:${port}`,
        `%6cocalhost:${port}`,
        `127.0.0.1:${port + 65536}`,
        `[::ffff:127.0.0.1]:${port}`,
      ];
      for (const name of names) {
        const result = await under(plain, name, "/v1/whoami");
        if (result.answers.some((answer) => answer.status < 400)) broken(`${JSON.stringify(name)}: ${brief(result)}`);
      }
    },
  ],
  [
    "rebinding: forwarding headers with our name do not help a foreign Host",
    async ({ plain, broken }) => {
      for (const line of [
        `X-Forwarded-Host: ${plain.host}`,
        `Forwarded: host="${plain.host}"`,
        `X-Original-Host: ${plain.host}`,
        `X-Host: ${plain.host}`,
      ]) {
        const result = await under(plain, "evil.example", "/v1/whoami", line);
        if (result.first?.status !== 403) broken(`${line}: ${brief(result)}`);
      }
      for (const line of ["X-Original-URL: /v1/whoami", "X-Rewrite-URL: /v1/whoami", "X-Forwarded-Prefix: /v1"]) {
        const result = await under(plain, plain.host, "/nowhere", line);
        if (result.first?.status !== 404) broken(`${line}: ${brief(result)}`);
      }
    },
  ],
  [
    "cross-site: foreign, null, doubled and look-alike Origins are refused on reads and writes",
    async ({ plain, broken }) => {
      const port = plain.port;
      const origins = [
        "null",
        "http://evil.example",
        "https://evil.example",
        `http://127.0.0.1:${port}.evil.example`,
        `http://evil.example:${port}`,
        `http://127.0.0.1:${port + 1}`,
        "http://127.0.0.1",
        "http://localhost:3000",
        `http://127.0.0.1:${port}@evil.example`,
        "file://",
        `chrome-extension://abcdef`,
        `http://127.0.0.1:${port}\r\nOrigin: http://evil.example`,
        `ftp://127.0.0.1:${port}`,
        `http://127.0.0.1:${port} http://evil.example`,
      ];
      for (const origin of origins) {
        const read = await under(plain, plain.host, "/v1/whoami", `Origin: ${origin}`);
        if (read.answers.some((answer) => answer.status < 400)) broken(`read, ${origin}: ${brief(read)}`);
        const body = JSON.stringify(plain.orderBody());
        const lines = [
          keyLine(plain),
          `Origin: ${origin}`,
          "Content-Type: application/json",
          "Idempotency-Key: cross-site-1",
          `Content-Length: ${body.length}`,
        ];
        const write = await plain.speak(plain.head("POST", "/v1/orders", lines) + body, { quietMs: 10 });
        if (write.answers.some((answer) => answer.status < 400)) broken(`write, ${origin}: ${brief(write)}`);
      }
    },
  ],
  [
    "cross-site: preflights get no word of CORS, and no answer anywhere does",
    async ({ plain, broken }) => {
      for (const [method, path] of await routesOf(plain)) {
        const lines = [
          "Origin: http://evil.example",
          `Access-Control-Request-Method: ${method}`,
          "Access-Control-Request-Headers: authorization",
          "Access-Control-Request-Private-Network: true",
        ];
        const result = await plain.speak(plain.head("OPTIONS", path, lines), { quietMs: 5 });
        const word = result.first?.headers.find(([name]) => name.startsWith("access-control") || name === "allow");
        if (!result.first || result.first.status < 400 || word) broken(`${path}: ${brief(result)} ${word ?? ""}`);
      }
    },
  ],
  [
    "cross-site: what a browser says of where a request comes from (Sec-Fetch)",
    async ({ plain, broken }) => {
      for (const site of ["cross-site", "same-site", "CROSS-SITE", "cross-site, same-origin"]) {
        for (const mode of ["cors", "no-cors", "websocket"]) {
          const result = await under(
            plain,
            plain.host,
            "/v1/whoami",
            `Sec-Fetch-Site: ${site}`,
            `Sec-Fetch-Mode: ${mode}`,
            "Sec-Fetch-Dest: empty",
          );
          if (result.answers.some((answer) => answer.status < 400)) broken(`${site}, ${mode}: ${brief(result)}`);
        }
      }
      const twice = await under(
        plain,
        plain.host,
        "/v1/whoami",
        "Sec-Fetch-Site: same-origin",
        "Sec-Fetch-Site: cross-site",
      );
      if (twice.answers.some((answer) => answer.status < 400)) broken(`both: ${brief(twice)}`);
    },
  ],
  [
    "cross-site: forms of other sites (text/plain, urlencoded, multipart, none) are no orders",
    async ({ plain, broken }) => {
      const before = await plain.executedCount();
      const body = JSON.stringify(plain.orderBody());
      const types = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; charset=application/json",
        "",
        "application/jsonx",
        "text/json",
        "application/json, text/plain",
        "a/b; application/json",
      ];
      for (const type of types) {
        const lines = [
          keyLine(plain),
          ...(type === "" ? [] : [`Content-Type: ${type}`]),
          `Idempotency-Key: form-post-${types.indexOf(type)}`,
          `Content-Length: ${body.length}`,
        ];
        const result = await plain.speak(plain.head("POST", "/v1/orders", lines) + body, { quietMs: 10 });
        if (result.first?.status !== 400) broken(`${type}: ${brief(result)}`);
      }
      const twice = [
        keyLine(plain),
        "Content-Type: application/json",
        "Content-Type: text/plain",
        "Idempotency-Key: form-post-two",
        `Content-Length: ${body.length}`,
      ];
      const result = await plain.speak(plain.head("POST", "/v1/orders", twice) + body, { quietMs: 10 });
      if (result.first?.status < 400) broken(`two types: ${brief(result)}`);
      const after = await plain.executedCount();
      if (after !== before) broken(`${after - before} orders were placed`);
    },
  ],
  [
    "headers: every kind of answer forbids framing, sniffing and keeping, and names no server",
    async ({ plain, broken }) => {
      for (const [target, host] of [
        ["/v1/whoami", plain.host],
        ["/nowhere", plain.host],
        ["/healthz", "evil.example"],
        ["/", plain.host],
        ["/docs", plain.host],
      ]) {
        const { first } = await under(plain, host, target);
        for (const name of ["x-content-type-options", "x-frame-options", "content-security-policy", "referrer-policy"])
          if (!first?.header(name)) broken(`${target}: no ${name}`);
        for (const name of ["server", "x-powered-by", "set-cookie", "access-control-allow-origin", "etag-server"])
          if (first?.header(name)) broken(`${target}: ${name}: ${first.header(name)}`);
        if (target.startsWith("/v1") && first?.header("cache-control") !== "no-store") broken(`${target} may be kept`);
      }
    },
  ],
];

export const paths = [
  [
    "methods: HEAD, OPTIONS, TRACE, PUT and others, other case and overrides open nothing",
    async ({ plain, broken, figure }) => {
      const routes = await routesOf(plain);
      const targets = [...new Set(routes.map(([, path]) => path))];
      for (const target of targets)
        for (const method of ["HEAD", "TRACE", "PUT", "DELETE", "PATCH", "get", "PROPFIND", "G\xcbT", "GETGET"]) {
          if (method === "HEAD" && (target === "/healthz" || target === "/readyz")) continue;
          const result = await plain.speak(plain.head(method, target, [keyLine(plain), "X-Echo: thief"]), {
            quietMs: 5,
            isHead: method === "HEAD",
            waitMs: 400,
          });
          if (result.answers.some((answer) => answer.status < 400)) broken(`${method} ${target}: ${brief(result)}`);
          if (method === "TRACE" && result.bytes.includes("X-Echo")) broken(`TRACE echoes on ${target}`);
        }
      for (const line of ["X-HTTP-Method-Override: POST", "X-Method-Override: DELETE", "X-HTTP-Method: PUT"]) {
        const result = await under(plain, plain.host, "/v1/api-keys/revoke?_method=POST", line);
        if (result.first?.status < 400) broken(`${line}: ${brief(result)}`);
      }
      figure(`${targets.length} paths`);
    },
  ],
  [
    "paths: encoded slashes, dot segments, case, NUL, semicolons and bytes that are no UTF-8 reach no route",
    async ({ plain, broken }) => {
      const targets = [
        "/v1%2Fwhoami",
        "/v1%2fwhoami",
        "/%2e/v1/whoami%00",
        "//v1/whoami",
        "/v1//whoami",
        "/v1/whoami/",
        "/V1/whoami",
        "/v1/WHOAMI",
        "/v1/whoami%00",
        "/v1/whoami;a=b",
        "/v1/whoami%20",
        "/v1/whoami.json",
        "/v1/orders/%2e%2e%2fwhoami",
        "/v1/orders/..%2fwhoami",
        "/v1%5cwhoami",
        "/v1/whoami%0a",
        "/v1/%77hoami%ff",
        "/%c0%afv1/whoami",
        "/v1/whoami%c0%80",
        "/%76%31%2fwhoami",
        "/v1%252fwhoami",
        "/\x00/v1/whoami",
        "/v1/who\x7fami",
        "/%",
        "/%zz",
        "/%u002e",
        "/v1/orders/%",
        "/v1/orders/%ff%fe",
      ];
      for (const target of targets) {
        const result = await under(plain, plain.host, target);
        if (result.answers.some((answer) => answer.status < 400 || (answer.status >= 500 && answer.status !== 505)))
          broken(`${JSON.stringify(target)}: ${brief(result)}`);
      }
    },
  ],
  [
    "paths: no spelling of a route takes it without a key",
    async ({ plain, broken }) => {
      const spellings = [
        "/v1\\whoami",
        "http://evil.example/v1/whoami",
        "/v1/./whoami",
        "/v1/x/../whoami",
        "/./v1/whoami",
        "/v1/%77hoami",
        "/%76%31/whoami",
        "/v1/x/%2e%2e/whoami",
        "/docs/../v1/whoami",
        "/healthz/../v1/whoami",
        "/v1/whoami?",
        "/v1/whoami#a",
        "/healthz?/v1/whoami",
        "/v1/api-keys/typed-data/../../account",
      ];
      for (const target of spellings) {
        const result = await plain.speak(plain.head("GET", target), { quietMs: 10 });
        if (result.answers.some((answer) => answer.status < 400 && /account|"object"/.test(answer.text)))
          broken(`${target}: ${brief(result)}`);
      }
    },
  ],
  [
    "paths: files of the machine and of the data directory are not served",
    async ({ plain, broken }) => {
      const files = [
        "etc/passwd",
        "proc/self/environ",
        "postern.db",
        "demo.json",
        "control.sock",
        ".env",
        ".git/config",
        "package.json",
        "src/main.ts",
        "assets/../../demo.json",
        "data/demo.json",
      ];
      const ups = [
        "/",
        "/../../../../../../",
        "/..%2f..%2f..%2f..%2f..%2f",
        "/%2e%2e/%2e%2e/%2e%2e/",
        "/assets/../../../../",
        "/docs/..%5c..%5c",
        "/console/..%2f",
        "/....//....//",
        "//",
        "/file:///",
      ];
      for (const up of ups)
        for (const file of files) {
          const result = await plain.speak(plain.head("GET", up + file), { quietMs: 3 });
          if (result.answers.some((answer) => answer.status < 400)) broken(`${up + file}: ${brief(result)}`);
        }
    },
  ],
  [
    "paths: overlong targets and headers are refused, at once",
    async ({ plain, broken, figure }) => {
      let slowest = 0;
      for (const length of [4_100, 8_200, 16_500, 70_000, 300_000, 1_500_000])
        for (const write of [
          (text) => plain.head("GET", `/${text}`, [keyLine(plain)]),
          (text) => plain.head("GET", `/v1/orders?cursor=${text}`, [keyLine(plain)]),
          (text) =>
            plain.head("GET", "/v1/whoami", [
              keyLine(plain),
              `X-A: ${text.repeat(5).slice(0, Math.max(length, 17_000))}`,
            ]),
        ]) {
          const startedAt = Date.now();
          const result = await plain.speak(write("a".repeat(length)), { waitMs: 3000 });
          slowest = Math.max(slowest, Date.now() - startedAt);
          if (result.answers.some((answer) => answer.status < 400)) broken(`${length}: ${brief(result)}`);
        }
      const many = Array.from({ length: 3000 }, (_, index) => `X${index}: a`);
      const result = await plain.speak(plain.head("GET", "/v1/whoami", [keyLine(plain), ...many]));
      if (result.answers.some((answer) => answer.status < 400)) broken(`3,000 headers: ${brief(result)}`);
      figure(`slowest ${slowest} ms`);
    },
  ],
  [
    "queries: doubled, unknown, nested and prototype parameters are refused",
    async ({ plain, broken }) => {
      const queries = [
        "limit=1&limit=500",
        "limit=1e2",
        "limit=0x10",
        "limit=501",
        "limit=-1",
        "limit=",
        "limit= 5",
        "limit=5&a=b",
        "__proto__=1",
        "__proto__[limit]=5",
        "constructor=1",
        "limit[]=5",
        "limit[$gt]=1",
        "status=open&status=filled",
        "cursor='%20OR%201=1--",
        "cursor=%00",
        "status=%ff",
        "limit=%EF%BC%95",
        "&&&&limit=0",
      ];
      for (const query of queries) {
        const result = await plain.ask("GET", `/v1/orders?${query.replaceAll(" ", "%20")}`, { from: newAddress() });
        if (result.status !== 400) broken(`${query}: ${result.status} ${result.text.slice(0, 80)}`);
      }
    },
  ],
  [
    "ids: what stands for an order's id is no query, no path and nobody else's",
    async ({ plain, broken }) => {
      const ids = [
        "1%20OR%201%3D1",
        "'",
        "%27%3B--",
        "0x",
        `0x${"z".repeat(32)}`,
        "-1",
        "1e3",
        "99999999999999999999",
        "999999999999999999999",
        "__proto__",
        "constructor",
        "null",
        "undefined",
        "*",
        "%25",
        "01a1fbc7-3a5e-7c3d-9a4b-2f6d1c0b9e8f%00",
        "%F0%9F%92%A9",
      ];
      for (const id of ids)
        for (const tail of ["", "/story"]) {
          const result = await plain.speak(plain.head("GET", `/v1/orders/${id}${tail}`, [keyLine(plain)]), {
            quietMs: 10,
          });
          if (result.first === null || result.first.status < 400 || result.first.status > 404)
            broken(`${id}${tail}: ${brief(result)} ${codeOf(result.first ?? { text: "" })}`);
        }
    },
  ],
];
