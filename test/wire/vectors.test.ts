import { describe, expect, test } from "bun:test";
import { addressOfKey, openSigners, signDigest } from "../../src/vault/signers.ts";
import { actionJson, canonicalAction, parseAction } from "../../src/wire/action/index.ts";
import { actionHash, agentDigest } from "../../src/wire/digest.ts";
import { toHex } from "../../src/wire/hex.ts";
import { encodeMsgpack, type MsgpackValue } from "../../src/wire/msgpack.ts";
import { recoverAddress } from "../../src/wire/recover.ts";
import { typedDataDigest } from "../../src/wire/typed-data.ts";
import { AGENT_ONLY_VECTORS, bytes, L1_VECTORS, type SignedDigest, USER_SIGNED_VECTORS } from "./vectors/vectors.ts";

const NETWORKS = [
  ["mainnet", "a"],
  ["testnet", "b"],
] as const;

/** Types that the gateway signs; the other vectors check hashing only. */
const SIGNED_HERE = new Set([
  "order",
  "cancel",
  "cancelByCloid",
  "batchModify",
  "updateLeverage",
  "updateIsolatedMargin",
  "twapOrder",
  "twapCancel",
  "noop",
]);

function expectSignature(digest: Uint8Array, privateKey: string, want: Omit<SignedDigest, "digest">, address: string) {
  const { r, s, v } = want;
  expect(signDigest(digest, bytes(privateKey))).toEqual({ r, s, v });
  expect(recoverAddress(digest, { r, s, v })).toBe(address);
}

test("every vector of the file is looked at", () => {
  expect(L1_VECTORS.length + AGENT_ONLY_VECTORS.length + USER_SIGNED_VECTORS.length).toBe(66);
  expect(L1_VECTORS.filter((vector) => vector.negative === true)).toHaveLength(2);
});

describe("actions hash, sign and recover as other implementations do", () => {
  for (const vector of L1_VECTORS) {
    test(vector.name, () => {
      expect(toHex(encodeMsgpack(vector.action))).toBe(vector.msgpack);
      const connectionId = actionHash(vector);
      expect(toHex(connectionId)).toBe(vector.connectionId);
      expect(addressOfKey(bytes(vector.privateKey))).toBe(vector.address);
      for (const [network, source] of NETWORKS) {
        const digest = agentDigest(connectionId, source);
        expect(toHex(digest)).toBe(vector.signatures[network].digest);
        expectSignature(digest, vector.privateKey, vector.signatures[network], vector.address);
      }
    });
  }
});

describe("a given connectionId signs as other implementations do", () => {
  for (const vector of AGENT_ONLY_VECTORS) {
    test(vector.name, () => {
      for (const [network, source] of NETWORKS) {
        const digest = agentDigest(bytes(vector.connectionId), source);
        expect(toHex(digest)).toBe(vector.signatures[network].digest);
        expectSignature(digest, vector.privateKey, vector.signatures[network], vector.address);
      }
    });
  }
});

describe("the owner's typed data hashes as other implementations do", () => {
  for (const vector of USER_SIGNED_VECTORS) {
    test(vector.name, () => {
      const digest = typedDataDigest({ ...vector, message: vector.action });
      expect(toHex(digest)).toBe(vector.digest);
      expectSignature(digest, vector.privateKey, vector.signature, vector.address);
    });
  }
});

/** The value with the members of every object turned round. */
function reversed(value: MsgpackValue): MsgpackValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("actions that we sign are put back into signing order whatever order they come in", () => {
  const ours = L1_VECTORS.filter(
    // One published vector hashes "2000.0" as written; we only sign normalised decimals.
    (vector) => SIGNED_HERE.has(vector.action.type) && !vector.msgpack.includes("a6323030302e30"),
  );
  for (const vector of ours.filter(({ negative }) => negative !== true)) {
    test(vector.name, () => {
      const action = parseAction(reversed(vector.action));
      if (action === null) throw new Error("not parsed");
      expect(toHex(actionHash({ ...vector, action: canonicalAction(action) }))).toBe(vector.connectionId);
      expect(JSON.parse(actionJson(action))).toEqual(vector.action);
    });
  }
});

describe("what was signed over other bytes than the exchange rebuilds recovers somebody else", () => {
  test("an order signed in the wrong key order", () => {
    const vector = L1_VECTORS.find(({ name }) => name === "negative order signed in wrong key order");
    const action = parseAction(vector?.action);
    if (vector === undefined || action === null) throw new Error("vector is missing");
    const rebuilt = actionHash({ ...vector, action: canonicalAction(action) });
    expect(recoverAddress(agentDigest(rebuilt, "a"), vector.signatures.mainnet)).not.toBe(vector.address);
  });

  test("a flag written as false has no place in an action that we sign", () => {
    const order = { a: 0, b: true, p: "1", s: "1", r: false, t: { limit: { tif: "Gtc" } } };
    expect(parseAction({ type: "batchModify", modifies: [{ oid: 1, order }], a: true })).not.toBeNull();
    expect(parseAction({ type: "batchModify", modifies: [{ oid: 1, order }], a: false })).toBeNull();
    expect(parseAction({ type: "cancel", cancels: [{ a: 0, o: 1 }], f: false })).toBeNull();
  });
});

describe("the signed body", () => {
  for (const vector of L1_VECTORS.filter(({ action, negative }) => SIGNED_HERE.has(action.type) && negative !== true)) {
    const { expiresAfter } = vector;
    if (expiresAfter === null) continue;
    test(`carries the published signature: ${vector.name}`, () => {
      const action = parseAction(vector.action);
      if (action === null) throw new Error("not parsed");
      for (const network of ["mainnet", "testnet"] as const) {
        const signers = openSigners({
          network,
          keys: [{ address: vector.address, privateKey: bytes(vector.privateKey) }],
        });
        const { nonce, vaultAddress } = vector;
        const body = signers.sign({ agentAddress: vector.address, action, nonce, vaultAddress, expiresAfter });
        const { r, s, v } = vector.signatures[network];
        const want = { action: vector.action, nonce, signature: { r, s, v }, vaultAddress, expiresAfter };
        expect(JSON.parse(body)).toEqual(want);
      }
    });
  }
});
