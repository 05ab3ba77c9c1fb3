import { describe, expect, test } from "bun:test";
import { TypedDataEncoder } from "ethers";
import fc from "fast-check";
import { hashTypedData } from "viem";
import { approvalTypedData, approveAgent, approveBuilderFee, feeRatePercent } from "../../src/wire/approval.ts";
import { grantTypedData, revocationTypedData } from "../../src/wire/grant-data.ts";
import { toHex } from "../../src/wire/hex.ts";
import { typedDataDigest } from "../../src/wire/typed-data.ts";
import type { TypedData } from "../../src/wire/wallet-form.ts";

/** Two wallets' libraries hash the same typed data. */
function expectSameDigest(data: TypedData): void {
  const digest = toHex(typedDataDigest(data));
  const { domain, types, primaryType, message } = data;
  const fields = types[primaryType];
  if (fields === undefined) throw new Error("no type");
  const own = { [primaryType]: [...fields] };
  expect(TypedDataEncoder.hash(domain, own, message)).toBe(digest);
  // viem infers literal types that this general form cannot have.
  expect(
    hashTypedData({ domain, types: own, primaryType, message } as unknown as Parameters<typeof hashTypedData>[0]),
  ).toBe(digest as `0x${string}`);
}

function hex(length: number): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: length, maxLength: length })
    .map((list) => list.map((digit) => digit.toString(16)).join(""));
}

const time = fc.integer({ min: 1, max: 8_640_000_000_000_000 });
const words = fc.string({ maxLength: 60, unit: "grapheme" });

describe("typed data hashes as viem and ethers hash it", () => {
  test("grants", () => {
    const grant = fc.record({
      audience: words,
      accountId: fc.uuid(),
      network: fc.constantFrom("exchange_mainnet", "exchange_testnet"),
      keyHash: hex(64),
      scopes: fc.constantFrom(["trading:read"], ["trading:write", "trading:read"]),
      issuedAtMs: time,
      expiresAtMs: fc.option(time),
    });
    fc.assert(fc.property(grant, (consent) => expectSameDigest(grantTypedData(consent))));
  });

  test("revocations", () => {
    fc.assert(
      fc.property(words, fc.uuid(), hex(64), (audience, accountId, keyHash) => {
        expectSameDigest(revocationTypedData({ audience, accountId, keyHash }));
      }),
    );
  });

  test("approvals of agents and builder fees", () => {
    fc.assert(
      fc.property(hex(40), words, time, fc.integer({ min: 0, max: 1000 }), (digits, agentName, nonce, feeTenthsBps) => {
        for (const network of ["mainnet", "testnet", "paper"] as const) {
          expectSameDigest(approvalTypedData(approveAgent({ network, agentAddress: `0x${digits}`, agentName, nonce })));
          expectSameDigest(
            approvalTypedData(approveBuilderFee({ network, builder: `0x${digits}`, feeTenthsBps, nonce })),
          );
        }
      }),
    );
  });
});

test("typed data that lacks a member or does not fit its type is refused", () => {
  const base = revocationTypedData({ audience: "a", accountId: "b", keyHash: "00".repeat(32) });
  expect(() => typedDataDigest({ ...base, primaryType: "Other" })).toThrow("bug:");
  expect(() => typedDataDigest({ ...base, message: { audience: "a", account: "b" } })).toThrow("bug:");
  expect(() => typedDataDigest({ ...base, message: { ...base.message, keyHash: "0x00" } })).toThrow("bug:");
  const approval = approvalTypedData(
    approveAgent({ network: "paper", agentAddress: `0x${"0".repeat(40)}`, agentName: "", nonce: 1 }),
  );
  expect(() => typedDataDigest({ ...approval, message: { ...approval.message, nonce: 2 ** 64 } })).toThrow("bug:");
  expect(() => typedDataDigest({ ...approval, message: { ...approval.message, nonce: -1 } })).toThrow("bug:");
  expect(() => typedDataDigest({ ...approval, message: { ...approval.message, agentAddress: "0x12" } })).toThrow(
    "bug:",
  );
});

test("a fee is spelled as the exchange spells rates", () => {
  const table = [
    [0, "0%"],
    [1, "0.001%"],
    [10, "0.01%"],
    [50, "0.05%"],
    [55, "0.055%"],
    [100, "0.1%"],
    [1000, "1%"],
    [1050, "1.05%"],
  ] as const;
  for (const [fee, want] of table) expect(feeRatePercent(fee)).toBe(want);
  expect(() => feeRatePercent(0.5)).toThrow("bug:");
});

test("only a mainnet directory ever asks the owner for a mainnet signature", () => {
  const agent = { agentAddress: `0x${"a".repeat(40)}`, agentName: "postern-1", nonce: 1 };
  expect(approveAgent({ network: "mainnet", ...agent }).hyperliquidChain).toBe("Mainnet");
  expect(approveAgent({ network: "testnet", ...agent }).hyperliquidChain).toBe("Testnet");
  expect(approveAgent({ network: "paper", ...agent }).hyperliquidChain).toBe("Testnet");
});
