import { describe, expect, test } from "bun:test";
import { NAME_IN_PATH } from "../../src/http/contract.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { TEST_HOST, testRequest } from "../support/request.ts";
import { KEYS, openRig } from "./rig.ts";

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

/** A request without anything that the helper would add. */
function bare(path: string, headers: Record<string, string>, method = "GET"): Request {
  return new Request(`http://${TEST_HOST}${path}`, { method, headers });
}

describe("the Host header", () => {
  const foreign: [string, Record<string, string>][] = [
    ["none", {}],
    ["an empty one", { Host: "" }],
    ["another name", { Host: "evil.example" }],
    ["the name without the port", { Host: "127.0.0.1" }],
    ["another port", { Host: "127.0.0.1:8788" }],
    ["two of them", { Host: `${TEST_HOST}, ${TEST_HOST}` }],
    ["a name that starts like ours", { Host: `${TEST_HOST}.evil.example` }],
    ["a user before it", { Host: `user@${TEST_HOST}` }],
    ["a foreign one with ours forwarded", { Host: "evil.example", "X-Forwarded-Host": TEST_HOST }],
  ];
  test.each(foreign)("%s is refused on every route", async (_what, headers) => {
    const rig = openRig();
    const paths = [...allRoutes().map(({ contract }) => contract.path), "/nowhere"];
    for (const path of paths) {
      const request = bare(path, { ...headers, Authorization: `Bearer ${KEYS.both}` });
      const response = await rig.server.handle(request);
      expect([path, response.status, await codeOf(response)]).toEqual([path, 403, "host_not_allowed"]);
    }
  });

  test("is compared without regard to case, against all names that are allowed", async () => {
    const rig = openRig({ allowedHosts: ["Gateway.Example", "localhost:8787", "gw"] });
    for (const host of ["gateway.example", "GATEWAY.example", "localhost:8787", "gw"]) {
      expect((await rig.server.handle(bare("/healthz", { Host: host }))).status).toBe(200);
    }
    expect((await rig.server.handle(bare("/healthz", { Host: TEST_HOST }))).status).toBe(403);
  });

  test("may be short without eating the path", async () => {
    const rig = openRig({ allowedHosts: ["gw"] });
    const request = new Request("http://gw/v1/whoami", {
      headers: { Host: "gw", Authorization: `Bearer ${KEYS.both}` },
    });
    expect((await rig.server.handle(request)).status).toBe(200);
    const trick = new Request("http://gw/x/healthz", { headers: { Host: "gw" } });
    expect((await rig.server.handle(trick)).status).toBe(404);
  });
});

const NO_SUCH_PATHS = [
  "/v1",
  "/v2/orders",
  "/v1/Orders",
  "/V1/orders",
  "/v1/orders/",
  "/v1//orders",
  "//v1/orders",
  "/v1/whoami/",
  "/v1/orders/1000/cancel/",
  "/v1/orders/1000/cancel/now",
  "/v1/orders/%31000",
  "/v1%2Forders",
  "/v1/orders;x=1",
  "/v1/orders/a b",
  "/v1/orders/..%2Fwhoami",
  "/v1/whoami%00",
  "/v1/whoami.json",
  "/healthz/",
  "/docs/",
  "/metrics",
];

test.each(NO_SUCH_PATHS)("%s is no route", async (path) => {
  const response = await openRig().ask({ path, apiKey: KEYS.both });
  expect([response.status, await codeOf(response)]).toEqual([404, "route_not_found"]);
});

const PUT_PATHS: ReadonlySet<string> = new Set(["/v1/heartbeat"]);

test.each(["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"])(
  "%s is 404 on every route but HEAD on those of health and PUT of a heartbeat, with no word of CORS",
  async (method) => {
    const rig = openRig();
    for (const { contract } of allRoutes()) {
      if (method === "HEAD" && contract.isHeadAnswered === true) continue;
      if (method === "PUT" && PUT_PATHS.has(contract.path)) continue;
      const path = contract.path.replace(NAME_IN_PATH, contract.id?.example ?? "");
      const headers = { "Access-Control-Request-Method": "POST" };
      const response = await rig.ask({ method, path, apiKey: KEYS.both, headers });
      expect([path, response.status]).toEqual([path, 404]);
      expect(
        [...response.headers.keys()].filter((name) => name.startsWith("access-control") || name === "allow"),
      ).toEqual([]);
    }
  },
);

/** What this path answers to. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(NAME_IN_PATH, "[^/]+")}$`);
}

test("a route answers its own method only", async () => {
  const rig = openRig();
  for (const { contract } of allRoutes()) {
    // A GET of /v1/orders/batch asks for the order of that name.
    const others = allRoutes().filter((route) => patternOf(route.contract.path).test(contract.path));
    if (others.length > 1) continue;
    const path = contract.path.replace(NAME_IN_PATH, contract.id?.example ?? "");
    const other = contract.method === "GET" ? { method: "POST", body: {} } : { method: "GET" };
    const response = await rig.ask({ ...other, path, apiKey: KEYS.both, idempotencyKey: "another-method" });
    // Where the id of an order could stand, it is asked for one.
    const code = path === "/v1/orders/market" ? "invalid_id" : "route_not_found";
    expect([path, await codeOf(response)]).toEqual([path, code]);
  }
});

test("headers of more than 16 KiB in all are refused", async () => {
  const rig = openRig();
  const sizeOf = (headers: Headers) =>
    [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  const asked = { path: "/v1/whoami", apiKey: KEYS.both };
  const room = 16 * 1024 - sizeOf(testRequest(asked).headers);
  const one = (size: number) => ({ "X-Filler": "a".repeat(size - "x-filler: \r\n".length) });
  // A hundred of as many characters together, names and separators included.
  const many = (size: number) => {
    const names = Array.from({ length: 100 }, (_, index) => `x-filler-${index + 100}`);
    return Object.fromEntries(names.map((name) => [name, "a".repeat(Math.ceil(size / 100) - `${name}: \r\n`.length)]));
  };
  expect((await rig.ask({ ...asked, headers: one(room) })).status).toBe(200);
  for (const headers of [one(room + 1), one(room + 1_024), many(room + 1_024), many(room + 60_000)]) {
    const response = await rig.ask({ ...asked, headers });
    expect([response.status, await codeOf(response)]).toEqual([400, "invalid_parameter"]);
  }
});

test("a path and query of more than 4 KiB is no route", async () => {
  const rig = openRig();
  const ask = (length: number) => {
    const start = `http://${TEST_HOST}/v1/markets?dex=`;
    const path = `/v1/markets?dex=${"a".repeat(length - start.length)}`;
    return rig.server.handle(testRequest({ path, apiKey: KEYS.both }));
  };
  expect(await codeOf(await ask(4 * 1024))).not.toBe("route_not_found");
  expect(await codeOf(await ask(4 * 1024 + 1))).toBe("route_not_found");
});

test("every answer has the security headers, nothing under /v1 may be kept, and no two share an id", async () => {
  const rig = openRig();
  const ids = new Set<string | null>();
  const asked = [
    { path: "/v1/whoami", apiKey: KEYS.both },
    { path: "/v1/whoami" },
    { path: "/v1/nowhere" },
    { path: "/v1/orders", apiKey: KEYS.both, body: "{" },
    { path: "/healthz", headers: { Host: "evil.example" } },
  ];
  for (const request of asked) {
    const { headers } = await rig.ask({ ...request, headers: { ...request.headers, "X-Request-Id": "mine" } });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.getSetCookie()).toEqual([]);
    expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
    ids.add(headers.get("x-request-id"));
  }
  expect(ids.size).toBe(asked.length);
});

describe("the log", () => {
  test("has one line a request with what names it, and no secret", async () => {
    const rig = openRig();
    const response = await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both });
    expect(rig.log).toHaveLength(1);
    expect(rig.log[0]?.fields).toEqual({
      request_id: response.headers.get("x-request-id"),
      key_prefix: "b3fbcb8e",
      method: "GET",
      route: "/v1/whoami",
      status: 200,
      code: null,
      duration_ms: 0,
    });
  });

  test("names the template of a route, never what a client wrote", async () => {
    const rig = openRig();
    const secret = `api_trade_${"e".repeat(64)}`;
    await rig.ask({ path: `/v1/orders/${secret}`, apiKey: KEYS.both });
    await rig.ask({ path: `/v1/${secret}`, apiKey: secret, headers: { "X-Request-Id": secret } });
    await rig.ask({ path: `/v1/orders?${secret}=1`, apiKey: KEYS.both });
    await rig.ask({
      path: "/v1/orders",
      apiKey: KEYS.both,
      idempotencyKey: "log-secret-1",
      body: { [secret]: secret },
    });
    expect(rig.log).toHaveLength(4);
    expect(rig.log[0]?.fields["route"]).toBe("/v1/orders/{id}");
    expect(JSON.stringify(rig.log)).not.toContain(secret);
  });
});

test("no answer repeats a secret that was put in the wrong place", async () => {
  const rig = openRig();
  const secret = `api_trade_${"e".repeat(64)}`;
  const body = { account: secret, market: secret, [secret]: secret, side: secret, trigger: { [secret]: 1 } };
  const asked = [
    { path: `/v1/orders/${secret}`, apiKey: KEYS.both },
    { path: `/v1/orders?${secret}=1`, apiKey: KEYS.both },
    { path: `/v1/orders?status=${secret}`, apiKey: KEYS.both },
    { path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "wrong-place-1", body },
    { path: "/v1/orders", apiKey: secret },
    { path: "/v1/api-keys", body: { consent: { key_hash: secret }, signature: secret } },
  ];
  for (const request of asked) {
    const text = await (await rig.ask(request)).text();
    expect(text).not.toContain("e".repeat(32));
  }
});

describe("a fault of ours", () => {
  test("is 503 internal_error without a word about the inside, and is logged", async () => {
    const rig = openRig();
    rig.deps.reads.mode = () => {
      throw new Error("bug: at /home/somebody/src/secret.ts\nparams: 0xdeadbeef");
    };
    const response = await rig.ask({ path: "/v1/account", apiKey: KEYS.both });
    const text = await response.text();
    expect(response.status).toBe(503);
    expect(text).toContain("internal_error");
    expect(text).not.toContain("secret.ts");
    const fault = rig.log.find(({ level }) => level === "error");
    expect(fault?.fields["request_id"]).toBe(response.headers.get("x-request-id"));
    expect(JSON.stringify(rig.log)).not.toContain("0xdeadbeef");
    expect((await rig.ask({ path: "/healthz" })).status).toBe(200);
  });

  test("is storage_unavailable when the database is gone", async () => {
    const rig = openRig();
    rig.deps.store.$client.run("drop table api_keys");
    const response = await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both });
    expect([response.status, await codeOf(response)]).toEqual([503, "storage_unavailable"]);
  });
});

describe("readiness", () => {
  test("follows what the gateway is doing; health does not", async () => {
    const rig = openRig();
    const steps: [() => void, number, string | null][] = [
      [() => undefined, 200, null],
      [() => Object.assign(rig.deps.state, { phase: "starting" }), 503, "not_ready"],
      [
        () => Object.assign(rig.deps.state, { phase: "ready", writesStoppedBecause: "the disk is full" }),
        503,
        "not_ready",
      ],
      [() => Object.assign(rig.deps.state, { phase: "draining", writesStoppedBecause: null }), 503, "draining"],
    ];
    const told: string[] = [];
    for (const [step, status, code] of steps) {
      step();
      const response = await rig.ask({ path: "/readyz" });
      expect(response.status).toBe(status);
      told.push(await response.clone().text());
      if (code !== null) expect(await codeOf(response)).toBe(code);
      const health = await rig.ask({ path: "/healthz" });
      expect(health.status).toBe(200);
      told.push(await health.text());
    }
    // Nobody's name, address, key or id, whatever is told.
    const { store } = rig.deps;
    const names = ["accounts", "agents", "api_keys"]
      .flatMap((table) => store.$client.query<Record<string, unknown>, []>(`SELECT * FROM ${table}`).all())
      .flatMap((row) =>
        ["id", "owner_address", "trading_address", "address", "name", "key_hash"].map((name) => row[name]),
      )
      .filter((value) => typeof value === "string");
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => told.some((text) => text.includes(name)))).toEqual([]);
  });

  test("names a lack of descriptors, for as long as it lasts", async () => {
    const rig = openRig();
    rig.deps.state.isOutOfDescriptors = true;
    const response = await rig.ask({ path: "/readyz" });
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("EMFILE")]);
    rig.deps.state.isOutOfDescriptors = false;
    expect((await rig.ask({ path: "/readyz" })).status).toBe(200);
  });

  test("waits for the markets", async () => {
    const rig = openRig({ hasMarkets: false });
    expect((await rig.ask({ path: "/readyz" })).status).toBe(503);
    expect((await rig.ask({ path: "/v1/markets", apiKey: KEYS.both })).status).toBe(503);
  });
});
