import { describe, expect, test } from "bun:test";
import { audienceOf } from "../../src/cli/exposure.ts";
import { readConfig } from "../../src/config.ts";
import type { Network } from "../../src/core/account.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { ACCOUNTS, OWNER, openRig, START_MS } from "../http/rig.ts";

const NETWORKS: readonly Network[] = ["mainnet", "testnet", "paper"];
const HASH = keyHash(`api_trade_${"0123456789abcdef".repeat(4)}`);
const CONFIG = readConfig({}, {});
const DOMAIN = { name: "Postern", version: "1" } as const;

const GRANT = [
  { name: "audience", type: "string" },
  { name: "account", type: "string" },
  { name: "network", type: "string" },
  { name: "keyHash", type: "bytes32" },
  { name: "scopes", type: "string" },
  { name: "issuedAt", type: "uint64" },
  { name: "expiresAt", type: "uint64" },
];
const REVOCATION = GRANT.filter(({ name }) => ["audience", "account", "keyHash"].includes(name));

/** What the owner signed for one network, offered to a gateway of another. */
async function offer(signedFor: Network, to: Network, what: "grant" | "revocation"): Promise<number> {
  const rig = openRig({ network: to, audience: audienceOf(CONFIG, to) });
  const account = ACCOUNTS.main;
  const shared = { audience: audienceOf(CONFIG, signedFor), account, keyHash: `0x${HASH}` };
  if (what === "revocation") {
    const types = { ApiKeyRevocation: REVOCATION };
    const signature = await OWNER.signTypedData({
      domain: DOMAIN,
      types,
      primaryType: "ApiKeyRevocation",
      message: shared,
    });
    return (await rig.ask({ path: "/v1/api-keys/revoke", body: { account, key_hash: HASH, signature } })).status;
  }
  const terms = { network: "exchange_mainnet", scopes: "trading:read", issuedAt: BigInt(START_MS), expiresAt: 0n };
  const types = { ApiKeyGrant: GRANT };
  const message = { ...shared, ...terms };
  const signature = await OWNER.signTypedData({ domain: DOMAIN, types, primaryType: "ApiKeyGrant", message });
  const policy = { scopes: ["trading:read"] };
  const consent = { account, network: "exchange_mainnet", key_hash: HASH, policy, issued_at: START_MS };
  return (await rig.ask({ path: "/v1/api-keys", body: { consent, signature } })).status;
}

describe("what is signed for one network is worth nothing on another", () => {
  for (const signedFor of NETWORKS) {
    for (const to of NETWORKS) {
      test(`signed for ${signedFor}, offered to ${to}`, async () => {
        const isSame = signedFor === to;
        expect(await offer(signedFor, to, "grant")).toBe(isSame ? 201 : 401);
        expect(await offer(signedFor, to, "revocation")).toBe(isSame ? 200 : 401);
      });
    }
  }
});
