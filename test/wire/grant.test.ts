import { expect, test } from "bun:test";
import { privateKeyToAccount } from "viem/accounts";
import { grantDigest, keyHash, revocationDigest, signerOf } from "../../src/wire/grant.ts";
import { GRANT_DOMAIN, GRANT_TYPES, grantTypedData, REVOCATION_TYPES } from "../../src/wire/grant-data.ts";

const OWNER = privateKeyToAccount(`0x${"11".repeat(32)}`);
const GRANT = {
  audience: "http://127.0.0.1:8787",
  accountId: "01a1fbc7-0000-7000-8000-000000000000",
  network: "exchange_mainnet",
  keyHash: keyHash(`api_trade_${"0123456789abcdef".repeat(4)}`),
  scopes: ["trading:write", "trading:read"],
  issuedAtMs: 1_795_225_499_827,
  expiresAtMs: null,
};
const MESSAGE = {
  audience: GRANT.audience,
  account: GRANT.accountId,
  network: GRANT.network,
  keyHash: `0x${GRANT.keyHash}`,
  scopes: "trading:read,trading:write",
  issuedAt: BigInt(GRANT.issuedAtMs),
  expiresAt: 0n,
} as const;

test("a key's hash covers the whole text, prefix included", () => {
  expect(GRANT.keyHash).toBe("3c73f719839477b4b8c76ff79c1260ba83255da46dfd703c49305714c70d4f2d");
  expect(keyHash("0123456789abcdef".repeat(4))).not.toBe(GRANT.keyHash);
  expect(keyHash(`api_trade_${"0123456789ABCDEF".repeat(4)}`)).not.toBe(GRANT.keyHash);
});

test("a grant signed by a wallet from the published types recovers its owner", async () => {
  const signature = await OWNER.signTypedData({
    domain: GRANT_DOMAIN,
    types: GRANT_TYPES,
    primaryType: "ApiKeyGrant",
    message: MESSAGE as typeof MESSAGE & { keyHash: `0x${string}` },
  });
  expect(signerOf(grantDigest(GRANT), signature)).toBe(OWNER.address.toLowerCase());
});

test("a revocation signed by a wallet from the published types recovers its owner", async () => {
  const { audience, account, keyHash: hash } = MESSAGE;
  const signature = await OWNER.signTypedData({
    domain: GRANT_DOMAIN,
    types: REVOCATION_TYPES,
    primaryType: "ApiKeyRevocation",
    message: { audience, account, keyHash: hash as `0x${string}` },
  });
  expect(signerOf(revocationDigest(GRANT), signature)).toBe(OWNER.address.toLowerCase());
});

test("everything that a grant says changes what is signed, and the order of scopes does not", () => {
  const others = [
    { ...GRANT, audience: `paper+${GRANT.audience}` },
    { ...GRANT, accountId: "01a1fbc7-0000-7000-8000-000000000001" },
    { ...GRANT, network: "exchange_testnet" },
    { ...GRANT, keyHash: "00".repeat(32) },
    { ...GRANT, scopes: ["trading:read"] },
    { ...GRANT, issuedAtMs: GRANT.issuedAtMs + 1 },
    { ...GRANT, expiresAtMs: 1 },
  ];
  const digests = [GRANT, ...others].map((grant) => Buffer.from(grantDigest(grant)).toString("hex"));
  expect(new Set(digests).size).toBe(digests.length);
  expect(grantDigest({ ...GRANT, scopes: ["trading:read", "trading:write"] })).toEqual(grantDigest(GRANT));
  expect(grantDigest({ ...GRANT, accountId: GRANT.accountId.toUpperCase() })).toEqual(grantDigest(GRANT));
});

test("a grant never verifies as a revocation", () => {
  expect(grantDigest(GRANT)).not.toEqual(revocationDigest(GRANT));
  expect(grantTypedData(GRANT).domain).toEqual({ name: "Postern", version: "1" });
});

test("the hash of a key is the published one", () => {
  const hash = "3c73f719839477b4b8c76ff79c1260ba83255da46dfd703c49305714c70d4f2d";
  expect(keyHash(`api_trade_${"0123456789abcdef".repeat(4)}`)).toBe(hash);
});
