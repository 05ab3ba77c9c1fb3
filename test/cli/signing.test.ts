/** Everything that is printed to be signed, signed as it is printed: by ethers, by viem, and as a wallet does it. */
import { expect, test } from "bun:test";
import { type TypedDataEncoder, Wallet } from "ethers";
import type { hashTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { signable } from "../../src/cli/output.ts";
import { approvalTypedData, approveAgent, approveBuilderFee } from "../../src/wire/approval.ts";
import { signerOf } from "../../src/wire/grant.ts";
import { grantTypedData, revocationTypedData } from "../../src/wire/grant-data.ts";
import { typedDataDigest } from "../../src/wire/typed-data.ts";
import type { TypedData } from "../../src/wire/wallet-form.ts";
import { KEYS, openRig } from "../http/rig.ts";
import { makeWorkplace, runHere } from "./outside.ts";

const PRIVATE_KEY = `0x${"11".repeat(32)}` as const;
const OWNER = new Wallet(PRIVATE_KEY);

type Printed = { typed_data: Parameters<typeof hashTypedData>[0]; ethers: ReturnType<typeof signable>["ethers"] };

/** Who signed, by our own reckoning: ethers' way, viem's, and a wallet's that is handed the text. */
async function signersOf(printed: Printed, digest: Uint8Array): Promise<(string | null)[]> {
  const { domain, types, message } = printed.ethers;
  const plain = JSON.parse(JSON.stringify({ domain, types, message })) as Parameters<typeof TypedDataEncoder.hash>[];
  const parts = plain as unknown as {
    domain: object;
    types: Record<string, { name: string; type: string }[]>;
    message: object;
  };
  const byEthers = await OWNER.signTypedData(parts.domain, parts.types, parts.message);
  const byViem = await privateKeyToAccount(PRIVATE_KEY).signTypedData(printed.typed_data as never);
  return [byEthers, byViem].map((signature) => signerOf(digest, signature));
}

function digestOf({ typed_data: data }: Printed): Uint8Array {
  const { EIP712Domain: _domain, ...types } = data.types as Record<string, never>;
  return typedDataDigest({ ...(data as unknown as TypedData), types });
}

const OWN = OWNER.address.toLowerCase();

test("what the commands print is signed as it is printed, by ethers and by viem", async () => {
  const workplace = makeWorkplace();
  const place = { POSTERN_DATA_DIR: workplace.dataDirectory, POSTERN_PASSPHRASE_FILE: workplace.passphraseFile };
  try {
    const made = await runHere(
      ["init", "--network", "paper", "--owner", OWN, "--exchange-url", "http://127.0.0.1:9"],
      place,
    );
    expect(made.exitCode).toBe(0);
    const hash = ["--key-hash", "ab".repeat(32)];
    for (const words of [
      ["agent", "approval"],
      ["key", "grant", ...hash],
      ["key", "revoke", ...hash],
    ]) {
      const printed = JSON.parse((await runHere([...words, "--json"], place)).out) as Printed;
      expect([words, await signersOf(printed, digestOf(printed))]).toEqual([words, [OWN, OWN]]);
    }
  } finally {
    workplace.remove();
  }
});

const AUDIENCE = {
  audience: "https://a.example",
  accountId: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90",
  keyHash: "ab".repeat(32),
};
const GRANT = { ...AUDIENCE, network: "exchange_mainnet", scopes: ["trading:read"], issuedAtMs: 1, expiresAtMs: null };
const NONCE = 1_760_000_000_000;

test.each([
  [
    "an agent",
    approvalTypedData(approveAgent({ network: "mainnet", agentAddress: OWN, agentName: "postern-1", nonce: NONCE })),
  ],
  [
    "a builder's fee",
    approvalTypedData(approveBuilderFee({ network: "mainnet", builder: OWN, feeTenthsBps: 50, nonce: NONCE })),
  ],
  ["a grant", grantTypedData(GRANT)],
  ["a revocation", revocationTypedData(AUDIENCE)],
])("the typed data of %s name one type, and hash alike everywhere", async (_what, data) => {
  expect(Object.keys(data.types)).toEqual([data.primaryType]);
  const printed = signable(data) as unknown as Printed;
  expect(await signersOf(printed, typedDataDigest(data))).toEqual([OWN, OWN]);
  // As eth_signTypedData_v4 hashes it, from the types that are there and no others.
  const { EIP712Domain: domain } = printed.typed_data.types as Record<string, { name: string }[]>;
  expect(domain?.map(({ name }) => name)).toEqual(Object.keys(data.domain));
});

test("the examples of the interface are signed as they are, each with its own type", async () => {
  const answer = await openRig().ask({ path: "/v1/api-keys/typed-data", apiKey: KEYS.both });
  const told = (await answer.json()) as {
    domain: { name: string; version: string };
    examples: { primary_type: string; types: TypedData["types"]; message: TypedData["message"] }[];
  };
  expect(told.examples.map((example) => example.primary_type)).toContain("LimitedKeyGrant");
  for (const { primary_type: primaryType, types, message } of told.examples) {
    const data = { domain: told.domain, types, primaryType, message };
    expect(await signersOf(signable(data) as unknown as Printed, typedDataDigest(data))).toEqual([OWN, OWN]);
  }
});
