import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { clientAddress, networkToPropose } from "../../src/http/client-address.ts";
import { revokeApiKey } from "../../src/store/api-keys.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { testRequest } from "../support/request.ts";
import { ACCOUNTS, KEYS, openRig, type Rig } from "./rig.ts";

const ORDER = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "60000" };
const RATE = { perSecond: 1, burst: 3 };

async function codes(count: number, ask: (index: number) => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await ask(index)).status);
  return statuses;
}

function place(rig: Rig, idempotencyKey: string, apiKey: string = KEYS.both): Promise<Response> {
  const account = apiKey === KEYS.other ? ACCOUNTS.other : ACCOUNTS.main;
  return rig.ask({ path: "/v1/orders", apiKey, idempotencyKey, body: { ...ORDER, account } });
}

describe("a key's buckets", () => {
  test("say what is left, then refuse with Retry-After, then let in again", async () => {
    const rig = openRig({ limits: { reads: RATE } });
    const first = await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both });
    const said = (response: Response) =>
      ["limit", "remaining", "reset"].map((name) => response.headers.get(`x-ratelimit-${name}`));
    expect(said(first)).toEqual(["3", "2", "1"]);
    expect(await codes(3, () => rig.ask({ path: "/v1/whoami", apiKey: KEYS.both }))).toEqual([200, 200, 429]);
    const refused = await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both });
    expect([refused.headers.get("retry-after"), ...said(refused)]).toEqual(["1", "3", "0", "3"]);
    await rig.clock.advance(1_000);
    expect(await codes(2, () => rig.ask({ path: "/v1/whoami", apiKey: KEYS.both }))).toEqual([200, 429]);
  });

  test("are each key's own", async () => {
    const rig = openRig({ limits: { reads: RATE } });
    expect(await codes(4, () => rig.ask({ path: "/v1/whoami", apiKey: KEYS.both }))).toEqual([200, 200, 200, 429]);
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.readOnly })).status).toBe(200);
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.other })).status).toBe(200);
  });

  test("orders, cancels and reads are apart: a flood of orders leaves the way out open", async () => {
    const rig = openRig({ limits: { orders: RATE, cancels: RATE, reads: RATE } });
    const order = (await (await place(rig, "bucket-first")).json()) as { id: string };
    expect(await codes(3, (index) => place(rig, `bucket-more-${index}`))).toEqual([201, 201, 429]);
    const path = `/v1/orders/${order.id}/cancel`;
    const cancel = await rig.askForSeconds({
      method: "POST",
      path,
      apiKey: KEYS.both,
      idempotencyKey: "bucket-cancel",
    });
    expect(cancel.status).toBe(200);
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both })).status).toBe(200);
    expect(rig.sent).toHaveLength(4);
  });

  test("a repeat is charged to the reads, so that it can be asked when the orders are used up", async () => {
    const rig = openRig({ limits: { orders: { perSecond: 1, burst: 1 }, reads: RATE } });
    expect(await codes(5, () => place(rig, "bucket-repeat"))).toEqual([201, 201, 201, 201, 429]);
    expect(rig.sent).toHaveLength(1);
  });

  test("a refused order uses no key: the same one works later", async () => {
    const rig = openRig({ limits: { orders: { perSecond: 1, burst: 1 } } });
    await place(rig, "bucket-one-1");
    const refused = await place(rig, "bucket-two-2");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    await rig.clock.advance(1_000);
    const later = await place(rig, "bucket-two-2");
    expect([later.status, later.headers.get("idempotent-replayed")]).toEqual([201, null]);
  });

  test("are off at 0, and then say nothing", async () => {
    const rig = openRig();
    const response = await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both });
    expect(response.headers.get("x-ratelimit-limit")).toBeNull();
  });
});

describe("failures of a client", () => {
  const limits = { failedAuthenticationsPerMinute: 3, failedRegistrationsPerMinute: 2, failedRevocationsPerMinute: 2 };
  const wrong = { path: "/v1/whoami", apiKey: `api_trade_${"0".repeat(64)}` };

  test("become 429, and never stand in the way of a valid key", async () => {
    const rig = openRig({ limits });
    expect(await codes(5, () => rig.ask(wrong))).toEqual([401, 401, 401, 429, 429]);
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both })).status).toBe(200);
    await rig.clock.advance(20_000);
    expect(await codes(2, () => rig.ask(wrong))).toEqual([401, 429]);
    revokeApiKey(rig.deps.store, { accountId: ACCOUNTS.main, keyHash: keyHash(KEYS.readOnly), revokedAtMs: 1 });
    for (const [address, asked] of [
      ["10.0.0.2", { path: "/v1/whoami" }],
      ["10.0.0.3", { path: "/v1/whoami", apiKey: "no key" }],
      ["10.0.0.4", { path: "/v1/whoami", apiKey: KEYS.readOnly }],
    ] as const) {
      expect(await codes(4, () => rig.ask(asked, address))).toEqual([401, 401, 401, 429]);
    }
  });

  test("are written into the audit log, once a minute however many there are", async () => {
    const rig = openRig({ limits });
    const rows = () => rig.deps.store.select().from(audit).where(eq(audit.event, "client_throttled")).all();
    await codes(50, () => rig.ask(wrong));
    expect(rows().map(({ reference, detail }) => [reference, detail])).toEqual([
      ["10.0.0.1", JSON.stringify({ kind: "authentication", refusals: 1 })],
    ]);
    await rig.clock.advance(60_000);
    await codes(5, () => rig.ask(wrong, "10.0.0.9"));
    expect(rows()[1]).toMatchObject({
      reference: "10.0.0.9",
      detail: JSON.stringify({ kind: "authentication", refusals: 47 }),
    });
  });

  test("count for one address only, IPv6 by /64", async () => {
    const rig = openRig({ limits });
    expect(await codes(4, () => rig.ask(wrong, "10.0.0.1"))).toEqual([401, 401, 401, 429]);
    expect((await rig.ask(wrong, "10.0.0.2")).status).toBe(401);
    expect(await codes(4, (index) => rig.ask(wrong, `2001:db8::${index}`))).toEqual([401, 401, 401, 429]);
    expect((await rig.ask(wrong, "2001:db8:0:1::1")).status).toBe(401);
  });

  test("from ten thousand other addresses neither give a key its orders back nor an address its failures", async () => {
    const rig = openRig({ limits: { ...limits, orders: { perSecond: 0.001, burst: 1 } } });
    expect(await codes(2, (index) => place(rig, `flood-order-${index}`))).toEqual([201, 429]);
    expect(await codes(4, () => rig.ask(wrong, "10.0.0.1"))).toEqual([401, 401, 401, 429]);
    const { handle } = rig.server;
    for (let index = 0; index < 10_100; index += 1) {
      await handle(testRequest(wrong), `2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::1`);
    }
    expect((await place(rig, "flood-order-3")).status).toBe(429);
    expect((await rig.ask(wrong, "10.0.0.1")).status).toBe(429);
    // The room is used up: the rest of that network shares what is left of one bucket, and other networks have theirs.
    expect((await rig.ask(wrong, "2001:db8:ffff:1::1")).status).toBe(429);
    expect((await rig.ask(wrong, "2001:db9::1")).status).toBe(401);
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both }, "2001:db8:ffff:2::1")).status).toBe(200);
  });

  test("of registration and revocation have buckets of their own", async () => {
    const rig = openRig({ limits });
    const hash = "0".repeat(64);
    const signature = `0x${"1b".repeat(64)}1c`;
    const consent = {
      account: ACCOUNTS.main,
      network: "exchange_mainnet",
      key_hash: hash,
      policy: { scopes: ["trading:read"] },
      issued_at: 1,
    };
    const register = () => rig.ask({ path: "/v1/api-keys", body: { consent, signature } });
    const revoke = () =>
      rig.ask({ path: "/v1/api-keys/revoke", body: { account: ACCOUNTS.main, key_hash: hash, signature } });
    expect(await codes(3, register)).toEqual([401, 401, 429]);
    expect(await codes(3, revoke)).toEqual([401, 401, 429]);
    expect(await codes(4, () => rig.ask(wrong))).toEqual([401, 401, 401, 429]);
  });
});

test.each([
  ["10.0.0.1", null, [], "10.0.0.1"],
  ["::ffff:10.0.0.1", null, [], "10.0.0.1"],
  ["10.0.0.1", "1.2.3.4", [], "10.0.0.1"],
  ["10.0.0.1", "1.2.3.4", ["10.0.0.1"], "1.2.3.4"],
  ["10.0.0.1", "6.6.6.6, 1.2.3.4", ["10.0.0.1"], "1.2.3.4"],
  ["10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2", ["10.0.0.1", "10.0.0.2"], "1.2.3.4"],
  ["10.0.0.1", "", ["10.0.0.1"], "10.0.0.1"],
  ["::1", "2001:db8::1", ["::1"], "2001:db8:0:0::/64"],
  ["2001:0db8:0000:0001:aaaa:bbbb:cccc:dddd", null, [], "2001:db8:0:1::/64"],
  ["2001:db8:0:1::5", null, [], "2001:db8:0:1::/64"],
  ["fe80::1%eth0", null, [], "fe80:0:0:0::/64"],
  ["::1", "1.2.3.4:5678", ["::1"], "1.2.3.4"],
  ["::1", "[2001:db8::1]:5678", ["::1"], "2001:db8:0:0::/64"],
  ["::1", "6.6.6.6, unknown", ["::1"], "0:0:0:0::/64"],
  ["::1", "6.6.6.6, anything that I like", ["::1"], "0:0:0:0::/64"],
] as [string, string | null, string[], string][])(
  "the client behind %p, forwarded for %p, is known as %p",
  (socket, forwarded, proxies, expected) => {
    expect(clientAddress(socket, forwarded, proxies)).toBe(expected);
  },
);

test.each([
  ["203.0.113.7", {}, "203.0.113.7/32"],
  ["203.0.113.7", { "X-Forwarded-For": "6.6.6.6, 203.0.113.7" }, "203.0.113.7/32"],
  // The proxy's own address: nobody has named it as trusted.
  ["10.0.0.2", { "X-Forwarded-For": "203.0.113.7" }, null],
  ["10.0.0.2", { Forwarded: "for=203.0.113.7" }, null],
  ["10.0.0.2", { Via: "1.1 proxy" }, null],
  ["127.0.0.1", {}, null],
] as [string, Record<string, string>, string | null][])(
  "for a limited key that is wished for from %p, with %p, the network %p is proposed",
  (address, headers, network) => {
    expect(networkToPropose(address, new Headers(headers))).toBe(network);
  },
);
