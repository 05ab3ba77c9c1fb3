import { describe, expect, test } from "bun:test";
import type { Log } from "../../src/deps.ts";
import { type Contract, NAME_IN_PATH } from "../../src/http/contract.ts";
import { allRoutes } from "../../src/http/routes.ts";
import { createServer } from "../../src/http/server.ts";
import { openLog } from "../../src/log.ts";
import { openMetrics } from "../../src/metrics.ts";
import { takeReadings } from "../../src/ops/take-readings.ts";
import type { Store } from "../../src/store/open.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { GRANT_DOMAIN, GRANT_TYPES } from "../../src/wire/grant-data.ts";
import { ACCOUNTS, AUDIENCE, KEYS, OWNER, openRig, START_MS } from "../http/rig.ts";
import { type TestRequest, testRequest } from "../support/request.ts";

/** Secrets that are put wherever a client could put one, right and wrong; afterwards they are looked for everywhere. */
const NEW_KEY = `api_trade_${"5ec7e7".repeat(10)}5ec7`;
const STRAY_KEY = `api_trade_${"0badc0de".repeat(8)}`;
const OWNERS_KEY = "11".repeat(32);
const AGENTS_KEY = "33".repeat(32);
const STRAY_WORD = "canary-word-that-nobody-may-see";
const IDEMPOTENCY_KEY = "canary-idempotency-key";
const ORDER = { market: "BTC", side: "buy", size: "0.01", price: "50000" };

/** Never anywhere. */
const SECRETS = [...Object.values(KEYS), NEW_KEY, STRAY_KEY, OWNERS_KEY, AGENTS_KEY].map((key) => key.slice(-40));

async function grant() {
  const consent = {
    account: ACCOUNTS.main,
    network: "exchange_mainnet",
    key_hash: keyHash(NEW_KEY),
    issued_at: START_MS,
  };
  const signature = await OWNER.signTypedData({
    domain: GRANT_DOMAIN,
    types: GRANT_TYPES,
    primaryType: "ApiKeyGrant",
    message: {
      audience: AUDIENCE,
      account: ACCOUNTS.main,
      network: "exchange_mainnet",
      scopes: "trading:read",
      keyHash: `0x${keyHash(NEW_KEY)}` as const,
      issuedAt: BigInt(START_MS),
      expiresAt: 0n,
    },
  });
  return { body: { consent: { ...consent, policy: { scopes: ["trading:read"] } }, signature }, signature };
}

/** Every way in which a route is asked here, right and wrong. */
function requestsOf({ method, path, body }: Contract): TestRequest[] {
  const target = path.replace(NAME_IN_PATH, "00000000-0000-4000-8000-000000000000");
  const stray = { api_key: STRAY_KEY, note: STRAY_WORD, private_key: `0x${OWNERS_KEY}`, signature: `0x${AGENTS_KEY}` };
  const bodies =
    method === "GET" ? [undefined] : [ORDER, stray, { ...ORDER, ...stray }, `{"note":"${STRAY_WORD}`, body];
  return bodies.flatMap((sent): TestRequest[] => [
    { method, path: target, apiKey: KEYS.both, idempotencyKey: IDEMPOTENCY_KEY, body: sent },
    { method, path: target, apiKey: STRAY_KEY, idempotencyKey: STRAY_WORD, body: sent },
    { method, path: target, apiKey: KEYS.readOnly, idempotencyKey: STRAY_WORD, body: sent },
    { method, path: `${target}?api_key=${STRAY_KEY}&note=${STRAY_WORD}`, apiKey: KEYS.both, body: sent },
    { method, path: `${target}/${STRAY_KEY}`, apiKey: KEYS.both, body: sent },
    { method, path: path.replace(NAME_IN_PATH, STRAY_KEY), apiKey: KEYS.both, idempotencyKey: STRAY_WORD, body: sent },
    { method, path: target, headers: { Authorization: `Basic ${STRAY_KEY}` }, body: sent },
    { method, path: target, headers: { Host: `${STRAY_WORD}.example`, Cookie: STRAY_KEY }, body: sent },
  ]);
}

function databaseText(store: Store): string {
  const tables = store.$client.query("SELECT name FROM sqlite_master WHERE type = 'table'").values();
  return tables
    .map(([name]) => JSON.stringify(store.$client.query(`SELECT * FROM ${String(name)}`).values()))
    .join("\n");
}

describe("secrets that are put everywhere a client could put them", () => {
  test("come back from no answer, reach no log line, no metric and no row", async () => {
    const rig = openRig({ limits: { failedAuthenticationsPerMinute: 20 } });
    const lines: string[] = [];
    const log: Log = openLog("debug", { write: (line) => void lines.push(line) });
    const { metrics, expose } = openMetrics();
    const deps = { ...rig.deps, log, metrics };
    const server = createServer(deps, { trustedProxies: [] });
    const answers: string[] = [];
    /** Of routes that tell the keys of orders to those who may read them, as events do. */
    const exported: string[] = [];
    async function ask(request: TestRequest): Promise<number> {
      let isAnswered = false;
      const answering = server.handle(testRequest(request), "10.0.0.1").finally(() => {
        isAnswered = true;
      });
      // Some answers wait for a time that only the test lets pass.
      for (let turn = 0; turn < 20 && !isAnswered; turn++) await Bun.sleep(0);
      for (let second = 0; second < 20 && !isAnswered; second++) await rig.clock.advance(1_000);
      if (!isAnswered) throw new Error(`${request.method} ${request.path} is not answered`);
      const answer = await answering;
      const kept = request.path.startsWith("/v1/exports/") ? exported : answers;
      kept.push(JSON.stringify([...answer.headers]), await answer.text());
      return answer.status;
    }
    // Built from source when it is first asked for: in real time.
    await server.handle(testRequest({ path: "/docs" }), "10.0.0.1");
    const { body, signature } = await grant();
    const keysRoute = allRoutes().find(({ contract }) => contract.name === "register_api_key")?.contract.path ?? "";
    expect(await ask({ path: keysRoute, body })).toBe(201);
    expect(await ask({ path: "/v1/whoami", apiKey: NEW_KEY })).toBe(200);
    const order = { ...ORDER, account: ACCOUNTS.main };
    rig.refusals.push(`a refusal of the exchange that names ${STRAY_KEY}`);
    expect(
      await ask({ path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: IDEMPOTENCY_KEY, body: order }),
    ).toBeOneOf([201, 202]);
    const statuses = new Set<number>();
    for (const { contract } of allRoutes()) {
      // A feed answers until it is left; it has tests of its own.
      if (["/v1/events", "/v1/stream"].includes(contract.path)) continue;
      for (const request of requestsOf(contract)) statuses.add(await ask(request));
    }
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 429]));
    const without = (texts: string[]) => texts.join("\n").replaceAll(`names ${STRAY_KEY}`, "");
    const told = without([...answers, ...exported]);
    const logged = lines.join("");
    const exposed = await expose(takeReadings(deps, { residentBytes: 1, startedAtMs: 1, crowd: null }));
    const stored = databaseText(rig.deps.store).replaceAll(`names ${STRAY_KEY}`, "");
    const audited = JSON.stringify(rig.deps.store.select().from(audit).all());
    expect(lines.length).toBeGreaterThan(100);
    const signed = rig.sent.flatMap((sent) => {
      const { r, s } = (JSON.parse(sent) as { signature: { r: string; s: string } }).signature;
      return [r.slice(2), s.slice(2)];
    });
    expect(signed.length).toBeGreaterThan(1);
    for (const secret of [...SECRETS, ...signed]) {
      for (const text of [told, logged, exposed, stored]) expect(text.includes(secret)).toBeFalse();
    }
    // What the owner signed is kept with the key that it grants, and shown to nobody.
    for (const half of [signature.slice(2, 66), signature.slice(66, 130)]) {
      for (const text of [told, logged, exposed, audited]) expect(text.includes(half)).toBeFalse();
    }
    for (const text of [logged, exposed, stored]) expect(text.includes(STRAY_WORD)).toBeFalse();
    for (const text of [logged, exposed, without(answers)]) expect(text.includes(IDEMPOTENCY_KEY)).toBeFalse();
    expect(without(exported)).toContain(IDEMPOTENCY_KEY);
  });

  test("would be found in any column of any table", () => {
    const { store } = openRig().deps;
    store.$client.run("UPDATE accounts SET label = ?", [STRAY_KEY]);
    expect(databaseText(store)).toContain(STRAY_KEY.slice(-40));
  });
});

describe("names of the language's own objects", () => {
  test("in a body change nothing and are refused", async () => {
    const rig = openRig();
    const bodies = [
      `{"__proto__":{"isPolluted":true},"market":"BTC"}`,
      `{"constructor":{"prototype":{"isPolluted":true}}}`,
      `{"market":"BTC","trigger":{"__proto__":{"isPolluted":true}}}`,
      `{"prototype":{"isPolluted":true}}`,
    ];
    for (const { contract } of allRoutes()) {
      if (contract.method !== "POST") continue;
      const path = contract.path.replace(NAME_IN_PATH, "00000000-0000-4000-8000-000000000000");
      for (const body of bodies) {
        const answer = await rig.server.handle(
          testRequest({ path, apiKey: KEYS.both, idempotencyKey: "key-00000001", body }),
        );
        expect([400, 401, 404, 429]).toContain(answer.status);
      }
    }
    expect("isPolluted" in {}).toBeFalse();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
