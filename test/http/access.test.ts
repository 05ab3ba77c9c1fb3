import { describe, expect, test } from "bun:test";
import type { Contract } from "../../src/http/contract.ts";
import { NAME_IN_PATH } from "../../src/http/contract.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { insertApiKey, revokeApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { keyHash } from "../../src/wire/grant.ts";
import type { TestRequest } from "../support/request.ts";
import { ACCOUNTS, KEYS, OWNER, openRig, type Rig, rowCounts, START_MS } from "./rig.ts";

const CONTRACTS = allRoutes().map(({ contract }) => contract);
const READS = CONTRACTS.filter(({ access }) => access === "trading:read");
const WRITES = CONTRACTS.filter(({ access }) => access === "trading:write");
const OPEN = CONTRACTS.filter(({ access }) => access === "anybody");

function named(contracts: readonly Contract[]): [string, Contract][] {
  return contracts.map((contract) => [`${contract.method} ${contract.path}`, contract]);
}

/** A request of the right shape for a route. */
function requestFor(contract: Contract, apiKey: string | null): TestRequest {
  const path = contract.path.replace(NAME_IN_PATH, contract.id?.example ?? "");
  const body = contract.name === "place_order" ? placeBody(ACCOUNTS.main) : {};
  return contract.method === "GET"
    ? { path, apiKey }
    : { method: contract.method, path, apiKey, idempotencyKey: `access-${contract.name}`, body };
}

function placeBody(account: string) {
  return { account, market: "BTC", side: "buy", size: "0.01", price: "60000" };
}

async function codeOf(response: Response): Promise<string> {
  const body = (await response.json()) as { error: { code: string } };
  return body.error.code;
}

const BAD_HEADERS: [string, string, string][] = [
  ["another scheme", `Basic ${KEYS.both}`, "invalid_api_key"],
  ["no scheme", KEYS.both, "invalid_api_key"],
  ["an empty bearer", "Bearer", "invalid_api_key"],
  ["a tab for a space", `Bearer\t${KEYS.both}`, "invalid_api_key"],
  ["two keys in one header", `Bearer ${KEYS.both} ${KEYS.readOnly}`, "invalid_api_key"],
  ["two headers", `Bearer ${KEYS.both}, Bearer ${KEYS.both}`, "invalid_api_key"],
  ["a key of 63 characters", `Bearer ${KEYS.both.slice(0, -1)}`, "invalid_api_key"],
  ["a key of 65 characters", `Bearer ${KEYS.both}0`, "invalid_api_key"],
  ["a key that is no hex", `Bearer api_trade_${"g".repeat(64)}`, "invalid_api_key"],
  ["a key in capitals", `Bearer ${KEYS.both.toUpperCase()}`, "invalid_api_key"],
  ["the hash of a key", `Bearer api_trade_${keyHash(KEYS.both)}`, "invalid_api_key"],
  ["hex in capitals, which is another key", `Bearer api_trade_${"A1".repeat(32)}`, "invalid_api_key"],
];

/** Where other gateways look as well. */
const ELSEWHERE = {
  headers: [
    "Cookie",
    "X-Api-Key",
    "Api-Key",
    "X-Auth-Token",
    "X-Access-Token",
    "X-Authorization",
    "Authentication",
    "Proxy-Authorization",
    "Sec-WebSocket-Protocol",
    "X-Forwarded-Authorization",
    "Idempotency-Key",
    "Token",
  ],
  names: [
    "api_key",
    "apikey",
    "apiKey",
    "key",
    "token",
    "access_token",
    "auth",
    "authorization",
    "Authorization",
    "bearer",
    "session",
    "sid",
    "__Host-session",
  ],
};

/** One gateway for every table of refusals: none of them leaves anything. */
const target = openRig();

describe("a route that needs a key", () => {
  test.each(named([...READS, ...WRITES]))(
    "%s refuses a request without one, and one with a bad one",
    async (_name, contract) => {
      const before = rowCounts(target);
      const bare = await target.ask(requestFor(contract, null));
      expect([bare.status, await codeOf(bare)]).toEqual([401, "missing_api_key"]);
      for (const [, header, code] of BAD_HEADERS) {
        const response = await target.ask({ ...requestFor(contract, null), headers: { Authorization: header } });
        expect([header, response.status, await codeOf(response)]).toEqual([header, 401, code]);
      }
      expect(target.sent).toEqual([]);
      expect(rowCounts(target)).toEqual(before);
    },
  );

  test("takes the scheme in either case and more than one space", async () => {
    const rig = openRig();
    for (const scheme of ["Bearer ", "bearer ", "BEARER ", "Bearer   "]) {
      const response = await rig.ask({ path: "/v1/whoami", headers: { Authorization: `${scheme}${KEYS.both}` } });
      expect(response.status).toBe(200);
    }
  });

  test("is told whose it is: who signs for it, and who trades", async () => {
    const response = await openRig().ask({ path: "/v1/whoami", apiKey: KEYS.readOnly });
    expect(await response.json()).toMatchObject({
      account: ACCOUNTS.main,
      owner_address: OWNER.address.toLowerCase(),
      trading_address: expect.stringMatching(/^0x5c0d8a52/),
    });
  });

  test("takes no key whose prefix is spelled otherwise, even where its hash is registered", async () => {
    const rig = openRig();
    const odd = KEYS.both.replace("api_trade_", "API_TRADE_");
    const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
    insertApiKey(rig.deps.store, {
      keyHash: keyHash(odd),
      accountId: ACCOUNTS.main,
      scopes: ["trading:read"],
      ...times,
    });
    expect(await codeOf(await rig.ask({ path: "/v1/whoami", apiKey: odd }))).toBe("invalid_api_key");
  });

  test("does not look for a key anywhere but in the header", async () => {
    const rig = openRig();
    const spellings = [KEYS.both, `Bearer ${KEYS.both}`, `bearer, ${KEYS.both}`, `Bearer%20${KEYS.both}`];
    for (const spelling of spellings) {
      for (const name of ELSEWHERE.headers) {
        const response = await rig.ask({ path: "/v1/whoami", headers: { [name]: spelling } });
        expect([name, response.status, await codeOf(response)]).toEqual([name, 401, "missing_api_key"]);
      }
      for (const name of ELSEWHERE.names) {
        const inCookie = await rig.ask({ path: "/v1/whoami", headers: { Cookie: `a=b; ${name}=${spelling}; c=d` } });
        expect([name, await codeOf(inCookie)]).toEqual([name, "missing_api_key"]);
        const inQuery = await rig.ask({ path: `/v1/whoami?${name}=${encodeURIComponent(spelling)}` });
        expect([name, await codeOf(inQuery)]).toEqual([name, "missing_api_key"]);
      }
    }
    const body = { ...placeBody(ACCOUNTS.main), api_key: KEYS.both, authorization: `Bearer ${KEYS.both}` };
    const inBody = await rig.ask({ path: "/v1/orders", idempotencyKey: "key-in-the-body", body });
    expect(await codeOf(inBody)).toBe("missing_api_key");
    expect(rig.sent).toEqual([]);
  });

  test("a missing, a wrong and a revoked key have codes of their own, and who has no key learns of none", async () => {
    const rig = openRig();
    const ask = async (apiKey: string | null) => codeOf(await rig.ask({ path: "/v1/whoami", apiKey }));
    const revoked = `api_trade_${"e5".repeat(32)}`;
    const times = { issuedAtMs: START_MS, registeredAtMs: START_MS };
    const key = { keyHash: keyHash(revoked), accountId: ACCOUNTS.main, scopes: ["trading:read"] as const };
    insertApiKey(rig.deps.store, { ...key, ...times });
    revokeApiKey(rig.deps.store, { accountId: ACCOUNTS.main, keyHash: keyHash(revoked), revokedAtMs: START_MS });
    expect([await ask(null), await ask(revoked)]).toEqual(["missing_api_key", "revoked_api_key"]);
    // Next to a revoked one, next to one that opens, and next to none.
    for (const base of [revoked, KEYS.both, `api_trade_${"f6".repeat(32)}`]) {
      expect(await ask(`${base.slice(0, -1)}0`)).toBe("invalid_api_key");
    }
  });
});

describe("scopes", () => {
  test.each(named(READS))("%s refuses a key that may only write", async (_name, contract) => {
    const response = await target.ask(requestFor(contract, KEYS.writeOnly));
    expect([response.status, await codeOf(response)]).toEqual([403, "insufficient_scope"]);
  });

  test.each(named(WRITES))("%s refuses a key that may only read", async (_name, contract) => {
    const response = await target.ask(requestFor(contract, KEYS.readOnly));
    expect([response.status, await codeOf(response)]).toEqual([403, "insufficient_scope"]);
    expect(target.sent).toEqual([]);
  });

  test("a key that may only read is refused before its body is looked at", async () => {
    const response = await openRig().ask({ path: "/v1/orders", apiKey: KEYS.readOnly, body: "no json" });
    expect(await codeOf(response)).toBe("insufficient_scope");
  });

  test("a key that may only write places and cancels", async () => {
    const rig = openRig();
    const placed = await rig.ask({
      path: "/v1/orders",
      apiKey: KEYS.writeOnly,
      idempotencyKey: "write-only-1",
      body: placeBody(ACCOUNTS.main),
    });
    expect(placed.status).toBe(201);
  });
});

describe("a key that was taken away", () => {
  const ways: [string, (rig: Rig) => void][] = [
    [
      "revoked by the owner",
      (rig) =>
        revokeApiKey(rig.deps.store, { accountId: ACCOUNTS.main, keyHash: keyHash(KEYS.both), revokedAtMs: START_MS }),
    ],
    ["blocked by the operator", (rig) => setKeyState(rig.deps.store, keyHash(KEYS.both), "blocked", START_MS)],
    ["held after a restore", (rig) => setKeyState(rig.deps.store, keyHash(KEYS.both), "held", START_MS)],
  ];
  test.each(ways)("%s opens nothing", async (_way, take) => {
    const rig = openRig();
    take(rig);
    for (const contract of [...READS, ...WRITES]) {
      const response = await rig.ask(requestFor(contract, KEYS.both));
      expect([contract.name, response.status, await codeOf(response)]).toEqual([contract.name, 401, "revoked_api_key"]);
    }
    expect(rig.sent).toEqual([]);
    const other = await rig.ask({ path: "/v1/whoami", apiKey: KEYS.readOnly });
    expect(other.status).toBe(200);
  });
});

test.each(named(OPEN))("%s needs no key", async (_name, contract) => {
  const response = await target.ask(requestFor(contract, null));
  expect(response.status).toBe(200);
});

describe("two accounts", () => {
  test("neither finds, lists, cancels or adopts an order of the other by any of its ids", async () => {
    const rig = openRig();
    const placed = await rig.ask({
      path: "/v1/orders",
      apiKey: KEYS.both,
      idempotencyKey: "two-accounts-1",
      body: placeBody(ACCOUNTS.main),
    });
    const order = (await placed.json()) as { id: string; exchange_order_id: string };
    const ids = [order.id, order.id.toUpperCase(), order.exchange_order_id, `0x${order.id.replaceAll("-", "")}`];
    for (const id of ids) {
      const mine = await rig.ask({ path: `/v1/orders/${id}`, apiKey: KEYS.both });
      expect([id, mine.status]).toEqual([id, 200]);
      const theirs = await rig.ask({ path: `/v1/orders/${id}`, apiKey: KEYS.other });
      expect([id, theirs.status]).toEqual([id, 404]);
      const cancel = await rig.ask({
        method: "POST",
        path: `/v1/orders/${id}/cancel`,
        apiKey: KEYS.other,
        idempotencyKey: `cancel-${id.slice(0, 8)}`,
      });
      expect([id, cancel.status]).toEqual([id, 404]);
    }
    const list = await rig.ask({ path: "/v1/orders", apiKey: KEYS.other });
    expect(((await list.json()) as { data: unknown[] }).data).toEqual([]);
    const cursor = await rig.ask({ path: `/v1/orders?cursor=${order.id}`, apiKey: KEYS.other });
    expect(await codeOf(cursor)).toBe("invalid_cursor");
    expect(rig.sent).toHaveLength(1);
  });

  test("share no Idempotency-Key", async () => {
    const rig = openRig();
    const mine = await rig.ask({
      path: "/v1/orders",
      apiKey: KEYS.both,
      idempotencyKey: "the-same-key",
      body: placeBody(ACCOUNTS.main),
    });
    const theirs = await rig.ask({
      path: "/v1/orders",
      apiKey: KEYS.other,
      idempotencyKey: "the-same-key",
      body: placeBody(ACCOUNTS.other),
    });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.headers.get("idempotent-replayed")).toBeNull();
    expect(rig.sent).toHaveLength(2);
  });

  test("each sees its own keys only, and never a key", async () => {
    const rig = openRig();
    const response = await rig.ask({ path: "/v1/api-keys", apiKey: KEYS.both });
    const text = await response.text();
    const { data } = JSON.parse(text) as { data: { key_hash: string }[] };
    expect(data.map((key) => key.key_hash).sort()).toEqual(
      [KEYS.both, KEYS.readOnly, KEYS.writeOnly].map(keyHash).sort(),
    );
    expect(text).not.toContain("api_trade_");
    revokeApiKey(rig.deps.store, { accountId: ACCOUNTS.main, keyHash: keyHash(KEYS.readOnly), revokedAtMs: START_MS });
    const later = await (await rig.ask({ path: "/v1/api-keys", apiKey: KEYS.both })).text();
    expect(later).not.toContain(keyHash(KEYS.readOnly));
  });
});

test("whoami tells the true network, and orders the word of the specification", async () => {
  const rig = openRig({ network: "testnet" });
  const who = (await (await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both })).json()) as { network: string };
  expect(who.network).toBe("testnet");
});
