import { describe, expect, test } from "bun:test";
import { signDigest } from "../../src/vault/signers.ts";
import {
  type ApprovalAction,
  approvalBody,
  approvalDigest,
  approveAgent,
  approveBuilderFee,
} from "../../src/wire/approval.ts";
import { toHex } from "../../src/wire/hex.ts";
import { bytes, USER_SIGNED_VECTORS } from "./vectors/vectors.ts";

const AGENT = "0x1234567890123456789012345678901234567890";
const BUILDER = "0x8c967e73e6b15087c42a10d344cff4c96d877f1d";
const NONCE = 1_760_000_000_000;

function agent(network: "mainnet" | "testnet" | "paper", agentName: string): ApprovalAction {
  return approveAgent({ network, agentAddress: `0x${AGENT.slice(2).toUpperCase()}`, agentName, nonce: NONCE });
}

function builder(network: "mainnet" | "testnet" | "paper"): ApprovalAction {
  return approveBuilderFee({ network, builder: BUILDER, feeTenthsBps: 50, nonce: NONCE });
}

const MADE: [vector: string, action: ApprovalAction][] = [
  ["gen approveAgent named Mainnet", agent("mainnet", "gateway")],
  ["gen approveAgent unnamed Mainnet", agent("mainnet", "")],
  ["gen approveAgent named Testnet", agent("testnet", "gateway")],
  ["gen approveAgent unnamed Testnet", agent("testnet", "")],
  ["gen approveBuilderFee Mainnet", builder("mainnet")],
  ["gen approveBuilderFee Testnet", builder("testnet")],
];

describe("what the owner signs is what other implementations make of the same approval", () => {
  for (const [name, action] of MADE) {
    test(name, () => {
      const vector = USER_SIGNED_VECTORS.find((candidate) => candidate.name === name);
      if (vector === undefined) throw new Error("vector is missing");
      expect(toHex(approvalDigest(action))).toBe(vector.digest);
      expect<object>(action).toEqual(vector.action);
      expect(Object.keys(action)).toEqual(Object.keys(vector.action));
      const signature = signDigest(approvalDigest(action), bytes(vector.privateKey));
      expect(signature).toEqual(vector.signature);
      expect(JSON.parse(approvalBody(action, signature))).toEqual({ action: vector.action, nonce: NONCE, signature });
    });
  }

  test("a paper directory asks for a testnet signature", () => {
    expect(approvalDigest(agent("paper", "gateway"))).toEqual(approvalDigest(agent("testnet", "gateway")));
    expect(approvalDigest(builder("paper"))).toEqual(approvalDigest(builder("testnet")));
  });
});
