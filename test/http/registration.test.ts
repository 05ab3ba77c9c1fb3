import { describe, expect, test } from "bun:test";
import { Wallet } from "ethers";
import type { PrivateKeyAccount } from "viem/accounts";
import type { ErrorCode } from "../../src/core/errors.ts";
import { findApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { findBrokenAuditRow } from "../../src/store/audit.ts";
import { audit } from "../../src/store/schema-audit.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { ACCOUNTS, AUDIENCE, KEYS, OWNER, openRig, type Rig, rowCounts, START_MS, STRANGER } from "./rig.ts";

const NEW_KEY = `api_trade_${"0123456789abcdef".repeat(4)}`;
const NEW_HASH = "3c73f719839477b4b8c76ff79c1260ba83255da46dfd703c49305714c70d4f2d";
const ORDER_OF_CURVE = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

type Consent = {
  account: string;
  network: string;
  key_hash: string;
  policy: { scopes: string[] };
  issued_at: number;
  expires_at?: null;
};

const CONSENT: Consent = {
  account: ACCOUNTS.main,
  network: "exchange_mainnet",
  key_hash: NEW_HASH,
  policy: { scopes: ["trading:write", "trading:read"] },
  issued_at: START_MS,
};

const DOMAIN = { name: "Postern", version: "1" } as const;
const GRANT_TYPES = {
  ApiKeyGrant: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "network", type: "string" },
    { name: "keyHash", type: "bytes32" },
    { name: "scopes", type: "string" },
    { name: "issuedAt", type: "uint64" },
    { name: "expiresAt", type: "uint64" },
  ],
} as const;
const REVOCATION_TYPES = {
  ApiKeyRevocation: [
    { name: "audience", type: "string" },
    { name: "account", type: "string" },
    { name: "keyHash", type: "bytes32" },
  ],
} as const;

function grantMessage(consent: Consent, audience: string) {
  return {
    audience,
    account: consent.account.toLowerCase(),
    network: consent.network,
    keyHash: `0x${consent.key_hash}` as const,
    scopes: [...consent.policy.scopes].sort().join(","),
    issuedAt: BigInt(consent.issued_at),
    expiresAt: 0n,
  };
}

function sign(consent: Consent, by: PrivateKeyAccount = OWNER, audience = AUDIENCE): Promise<string> {
  const message = grantMessage(consent, audience);
  return by.signTypedData({ domain: DOMAIN, types: GRANT_TYPES, primaryType: "ApiKeyGrant", message });
}

function signRevocation(
  account: string,
  hash: string,
  by: PrivateKeyAccount = OWNER,
  audience = AUDIENCE,
): Promise<string> {
  const message = { audience, account, keyHash: `0x${hash}` as const };
  return by.signTypedData({ domain: DOMAIN, types: REVOCATION_TYPES, primaryType: "ApiKeyRevocation", message });
}

async function register(rig: Rig, consent: Consent, signature?: string): Promise<Response> {
  return rig.ask({ path: "/v1/api-keys", body: { consent, signature: signature ?? (await sign(consent)) } });
}

async function revoke(rig: Rig, account: string, hash: string, signature?: string): Promise<Response> {
  const body = { account, key_hash: hash, signature: signature ?? (await signRevocation(account, hash)) };
  return rig.ask({ path: "/v1/api-keys/revoke", body });
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

describe("registering a key", () => {
  test("answers the key and lets it in; only the hash is stored", async () => {
    const rig = openRig();
    const response = await register(rig, CONSENT);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      object: "api_key",
      account: ACCOUNTS.main,
      network: "exchange_mainnet",
      key_hash: NEW_HASH,
      scopes: ["trading:read", "trading:write"],
      expires_at: null,
    });
    expect((await rig.ask({ path: "/v1/whoami", apiKey: NEW_KEY })).status).toBe(200);
    const stored = new TextDecoder("latin1").decode(rig.deps.store.$client.serialize());
    expect(stored).toContain(NEW_HASH);
    expect(stored).not.toContain(NEW_KEY);
    expect(findBrokenAuditRow(rig.deps.store)).toBeNull();
  });

  test("a grant that registers a key is a row of the audit log, with what it grants", async () => {
    const rig = openRig();
    await register(rig, CONSENT);
    const rows = rig.deps.store.select().from(audit).all();
    expect(rows.map(({ actor, event, reference, detail }) => [actor, event, reference, JSON.parse(detail)])).toEqual([
      [
        "owner",
        "key_registered",
        NEW_HASH,
        { account: ACCOUNTS.main, scopes: "trading:read,trading:write", issued_at: START_MS },
      ],
    ]);
  });

  test("takes what ethers signs", async () => {
    const wallet = new Wallet(`0x${"11".repeat(32)}`);
    const signature = await wallet.signTypedData(
      DOMAIN,
      { ApiKeyGrant: [...GRANT_TYPES.ApiKeyGrant] },
      grantMessage(CONSENT, AUDIENCE),
    );
    expect((await register(openRig(), CONSENT, signature)).status).toBe(201);
  });

  test("takes what the published typed data says, signed as a wallet would", async () => {
    const rig = openRig({ audience: "paper+https://gateway.example" });
    const published = (await (await rig.ask({ path: "/v1/api-keys/typed-data" })).json()) as {
      audience: string;
      domain: { name: string; version: string };
      types: { ApiKeyGrant: { name: string; type: string }[]; ApiKeyRevocation: { name: string; type: string }[] };
      examples: { primary_type: string; message: Record<string, string | number> }[];
    };
    const example = published.examples.find(({ primary_type }) => primary_type === "ApiKeyGrant");
    const message = { ...example?.message, account: ACCOUNTS.main, keyHash: `0x${NEW_HASH}`, issuedAt: START_MS };
    const wallet = new Wallet(`0x${"11".repeat(32)}`);
    const { domain, types } = published;
    const signature = await wallet.signTypedData(domain, { ApiKeyGrant: types.ApiKeyGrant }, message);
    expect((await register(rig, CONSENT, signature)).status).toBe(201);
    const revocation = { audience: published.audience, account: ACCOUNTS.main, keyHash: `0x${NEW_HASH}` };
    const revoking = await wallet.signTypedData(domain, { ApiKeyRevocation: types.ApiKeyRevocation }, revocation);
    expect((await revoke(rig, ACCOUNTS.main, NEW_HASH, revoking)).status).toBe(200);
  });

  test("the same grant again is 201 with the same bytes, also signed anew or stale by then", async () => {
    const rig = openRig();
    const first = await (await register(rig, CONSENT)).text();
    const before = rowCounts(rig);
    const again = await register(rig, { ...CONSENT, policy: { scopes: ["trading:read", "trading:write"] } });
    expect([again.status, await again.text()]).toEqual([201, first]);
    const anew = await register(rig, { ...CONSENT, issued_at: START_MS + 1 });
    expect([anew.status, await anew.text()]).toEqual([201, first]);
    await rig.clock.advance(61 * 60_000);
    const stale = await register(rig, CONSENT);
    expect([stale.status, await stale.text()]).toEqual([201, first]);
    expect(rowCounts(rig)).toEqual(before);
  });

  test("an account in capitals is the same account", async () => {
    const rig = openRig();
    const response = await register(rig, { ...CONSENT, account: ACCOUNTS.main.toUpperCase() });
    expect(((await response.json()) as { account: string }).account).toBe(ACCOUNTS.main);
  });

  test("a subaccount gets a key by the main owner's signature", async () => {
    expect((await register(openRig(), { ...CONSENT, account: ACCOUNTS.subaccount })).status).toBe(201);
  });

  const nil = "00000000-0000-0000-0000-000000000000";
  const refusals: [string, Partial<Consent>, ErrorCode][] = [
    ["testnet", { network: "exchange_testnet" }, "mainnet_required"],
    ["an unknown account", { account: nil }, "account_not_found"],
    ["a copy wallet", { account: ACCOUNTS.copy }, "main_account_required"],
    ["a grant of 60 minutes and a millisecond ago", { issued_at: START_MS - 3_600_001 }, "grant_expired"],
    ["a grant of 60 s and a millisecond ahead", { issued_at: START_MS + 60_001 }, "issued_at_in_future"],
    ["a hash that another account has", { key_hash: keyHash(KEYS.other) }, "key_already_registered"],
    ["a hash that has other scopes", { key_hash: keyHash(KEYS.readOnly) }, "key_already_registered"],
  ];
  test.each(refusals)("refuses %s and stores nothing", async (_what, change, code) => {
    const rig = openRig();
    const before = rowCounts(rig);
    expect(await codeOf(await register(rig, { ...CONSENT, ...change }))).toBe(code);
    expect(rowCounts(rig)).toEqual(before);
  });

  const edges: [string, Partial<Consent>][] = [
    ["60 minutes ago", { issued_at: START_MS - 3_600_000 }],
    ["60 s ahead", { issued_at: START_MS + 60_000 }],
    ["with expires_at null", { expires_at: null }],
    ["with one scope", { policy: { scopes: ["trading:write"] } }],
  ];
  test.each(edges)("takes a grant %s", async (_what, change) => {
    expect((await register(openRig(), { ...CONSENT, ...change })).status).toBe(201);
  });

  // Each row breaks a check and every later one as well: the first is what the client reads.
  const order: [string, Partial<Consent>, boolean, ErrorCode][] = [
    ["shape before network", { policy: { scopes: [] }, network: "exchange_testnet" }, false, "invalid_parameter"],
    ["network before account", { network: "exchange_testnet", account: nil, issued_at: 1 }, false, "mainnet_required"],
    ["account before signature", { account: nil, issued_at: 1 }, false, "account_not_found"],
    ["account kind before signature", { account: ACCOUNTS.copy, issued_at: 1 }, false, "main_account_required"],
    ["signature before freshness", { issued_at: 1, key_hash: keyHash(KEYS.other) }, false, "invalid_signature"],
    ["freshness before conflict", { issued_at: 1, key_hash: keyHash(KEYS.other) }, true, "grant_expired"],
  ];
  test.each(order)("checks %s", async (_what, change, isSigned, code) => {
    const consent = { ...CONSENT, ...change };
    const signature = isSigned ? undefined : await sign(consent, STRANGER);
    expect(await codeOf(await register(openRig(), consent, signature))).toBe(code);
  });
});

describe("a signature", () => {
  const tampered: [string, Consent][] = [
    ["account", { ...CONSENT, account: ACCOUNTS.subaccount }],
    ["key hash", { ...CONSENT, key_hash: "f".repeat(64) }],
    ["scopes", { ...CONSENT, policy: { scopes: ["trading:read"] } }],
    ["issued_at", { ...CONSENT, issued_at: START_MS + 1 }],
  ];
  test.each(tampered)("of another %s is refused", async (_what, consent) => {
    expect(await codeOf(await register(openRig(), consent, await sign(CONSENT)))).toBe("invalid_signature");
  });

  test("of another gateway, of a stranger, or of a revocation is refused", async () => {
    const rig = openRig();
    const signatures = [
      await sign(CONSENT, OWNER, "http://127.0.0.1:8788"),
      await sign(CONSENT, OWNER, `testnet+${AUDIENCE}`),
      await sign(CONSENT, OWNER, `paper+${AUDIENCE}`),
      await sign(CONSENT, STRANGER),
      await signRevocation(ACCOUNTS.main, NEW_HASH),
    ];
    for (const signature of signatures) {
      const response = await register(rig, CONSENT, signature);
      expect([response.status, await codeOf(response)]).toEqual([401, "invalid_signature"]);
    }
  });

  test("of a contract wallet is refused, however long it is", async () => {
    const rig = openRig();
    const before = rowCounts(rig);
    const own = await sign(CONSENT);
    // EIP-1271 and EIP-6492: what a contract would be asked about, an owner's signature within it included.
    for (const signature of [
      "0x",
      "0x01",
      `${own}${"00".repeat(32)}`,
      `${own}${own.slice(2)}`,
      `0x${"ab".repeat(512)}`,
    ]) {
      const response = await register(rig, CONSENT, signature);
      expect([response.status, await codeOf(response)]).toEqual([400, "invalid_parameter"]);
    }
    expect(rowCounts(rig)).toEqual(before);
  });

  test("has a low s, and is kept in one spelling", async () => {
    const rig = openRig();
    const signature = await sign(CONSENT);
    const [r, rs] = [signature.slice(0, 66), signature.slice(0, 130)];
    const [s, v] = [BigInt(`0x${rs.slice(66)}`), Number.parseInt(signature.slice(130), 16)];
    const otherV = (55 - v).toString(16);
    const text = (value: bigint) => value.toString(16).padStart(64, "0");
    const others = [`${r}${text(ORDER_OF_CURVE - s)}${otherV}`, `${rs}${otherV}`, `0x${"f".repeat(128)}1b`];
    for (const other of others) expect(await codeOf(await register(rig, CONSENT, other))).toBe("invalid_signature");
    const compact = `${r}${text(s | (BigInt(v - 27) << 255n))}`;
    const spellings = [`${rs}0${v - 27}`, signature.slice(2), compact];
    for (const spelling of spellings) {
      const other = openRig();
      expect((await register(other, CONSENT, spelling)).status).toBe(201);
      expect(findApiKey(other.deps.store, NEW_HASH)?.grant?.signature).toBe(signature);
    }
  });
});

describe("revoking a key", () => {
  test("stops it at once, says so again, and writes one audit row", async () => {
    const rig = openRig();
    const hash = keyHash(KEYS.both);
    // Asked once before: a key that is known to this process is stopped as well.
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both })).status).toBe(200);
    const before = rowCounts(rig);
    for (let time = 0; time < 3; time += 1) {
      const response = await revoke(rig, ACCOUNTS.main, hash);
      expect([response.status, await response.json()]).toEqual([
        200,
        { object: "api_key", key_hash: hash, revoked: true },
      ]);
    }
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both })).status).toBe(401);
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.readOnly })).status).toBe(200);
    const audit = (before["audit"] ?? 0) + 1;
    const revocations = (before["revocations"] ?? 0) + 1;
    expect(rowCounts(rig)).toEqual({ ...before, audit, revocations });
  });

  test("before it was registered keeps it out for ever", async () => {
    const rig = openRig();
    expect((await revoke(rig, ACCOUNTS.main, NEW_HASH)).status).toBe(200);
    expect(await codeOf(await register(rig, CONSENT))).toBe("key_revoked");
    expect(await codeOf(await rig.ask({ path: "/v1/whoami", apiKey: NEW_KEY }))).toBe("invalid_api_key");
  });

  test("after it was registered keeps it out as well", async () => {
    const rig = openRig();
    await register(rig, CONSENT);
    await revoke(rig, ACCOUNTS.main, NEW_HASH);
    expect(await codeOf(await register(rig, CONSENT))).toBe("key_revoked");
    expect(await codeOf(await register(rig, { ...CONSENT, policy: { scopes: ["trading:read"] } }))).toBe("key_revoked");
  });

  test("has no window: a signature of years ago revokes, and what it revoked stays so", async () => {
    const [rig, years] = [openRig(), 2 * 365 * 86_400_000];
    const signature = await signRevocation(ACCOUNTS.main, keyHash(KEYS.both));
    await rig.clock.advance(years);
    expect((await revoke(rig, ACCOUNTS.main, keyHash(KEYS.both), signature)).status).toBe(200);
    const ask = async () => codeOf(await rig.ask({ path: "/v1/whoami", apiKey: KEYS.both }));
    expect(await ask()).toBe("revoked_api_key");
    await rig.clock.advance(years);
    expect(await ask()).toBe("revoked_api_key");
    const again = { ...CONSENT, key_hash: keyHash(KEYS.both), issued_at: START_MS + 2 * years };
    expect(await codeOf(await register(rig, again))).toBe("key_revoked");
  });

  test("leaves the open orders of its account as they are, and sends nothing", async () => {
    const rig = openRig();
    const body = { account: ACCOUNTS.main, market: "BTC", side: "buy", size: "0.01", price: "50000" };
    const ask = { path: "/v1/orders", apiKey: KEYS.both, idempotencyKey: "before-the-revocation", body };
    const placed = await (await rig.ask(ask)).text();
    await revoke(rig, ACCOUNTS.main, keyHash(KEYS.both));
    const { id } = JSON.parse(placed);
    expect(await (await rig.ask({ path: `/v1/orders/${id}`, apiKey: KEYS.readOnly })).text()).toBe(placed);
    expect(rig.sent).toHaveLength(1);
  });

  test("for one account touches no key of another", async () => {
    const rig = openRig();
    expect((await revoke(rig, ACCOUNTS.main, keyHash(KEYS.other))).status).toBe(200);
    expect((await rig.ask({ path: "/v1/whoami", apiKey: KEYS.other })).status).toBe(200);
    expect((await revoke(rig, ACCOUNTS.subaccount, NEW_HASH)).status).toBe(200);
    expect((await register(rig, CONSENT)).status).toBe(201);
  });

  test("is open to every kind of account", async () => {
    for (const account of Object.values(ACCOUNTS))
      expect((await revoke(openRig(), account, NEW_HASH)).status).toBe(200);
  });

  test("needs an account and its owner's signature of exactly this", async () => {
    const rig = openRig();
    const before = rowCounts(rig);
    const nil = "00000000-0000-0000-0000-000000000000";
    expect(await codeOf(await revoke(rig, nil, NEW_HASH))).toBe("account_not_found");
    const signatures = [
      await signRevocation(ACCOUNTS.main, NEW_HASH, STRANGER),
      await signRevocation(ACCOUNTS.other, NEW_HASH),
      await signRevocation(ACCOUNTS.main, "f".repeat(64)),
      await signRevocation(ACCOUNTS.main, NEW_HASH, OWNER, `testnet+${AUDIENCE}`),
      await sign(CONSENT),
    ];
    for (const signature of signatures) {
      expect(await codeOf(await revoke(rig, ACCOUNTS.main, NEW_HASH, signature))).toBe("invalid_signature");
    }
    expect(rowCounts(rig)).toEqual(before);
  });
});

describe("what the operator says of a key", () => {
  test("a blocked key is not registered again by the same grant", async () => {
    const rig = openRig();
    await register(rig, CONSENT);
    setKeyState(rig.deps.store, NEW_HASH, "blocked", START_MS);
    expect(await codeOf(await register(rig, CONSENT))).toBe("key_revoked");
  });

  test("a key on hold after a restore is released by a fresh grant, not by an old one", async () => {
    const rig = openRig();
    await register(rig, CONSENT);
    setKeyState(rig.deps.store, NEW_HASH, "held", START_MS);
    await rig.clock.advance(61 * 60_000);
    expect(await codeOf(await register(rig, CONSENT))).toBe("grant_expired");
    expect((await rig.ask({ path: "/v1/whoami", apiKey: NEW_KEY })).status).toBe(401);
    expect((await register(rig, { ...CONSENT, issued_at: rig.clock.nowMs() })).status).toBe(201);
    expect((await rig.ask({ path: "/v1/whoami", apiKey: NEW_KEY })).status).toBe(200);
  });
});
