// Who signed an action: MessagePack of the action as it came, Keccak, typed data.
import { concat, keccak256, numberToHex, recoverTypedDataAddress, serializeSignature, toHex } from "viem";

const head = (value, small, forms) => {
  if (value < small.below) return Buffer.from([small.code | value]);
  for (const [limit, code, bytes] of forms) {
    if (value < limit) {
      const out = Buffer.alloc(1 + bytes);
      out[0] = code;
      out.writeUIntBE(value, 1, bytes);
      return out;
    }
  }
  throw new Error("too long");
};

function integer(value) {
  if (value >= 0 && value < 128) return Buffer.from([value]);
  if (value >= 0) {
    for (const [limit, code, bytes] of [
      [2 ** 8, 0xcc, 1],
      [2 ** 16, 0xcd, 2],
      [2 ** 32, 0xce, 4],
    ]) {
      if (value < limit) {
        const out = Buffer.alloc(1 + bytes);
        out[0] = code;
        out.writeUIntBE(value, 1, bytes);
        return out;
      }
    }
    const out = Buffer.alloc(9);
    out[0] = 0xcf;
    out.writeBigUInt64BE(BigInt(value), 1);
    return out;
  }
  if (value >= -32) return Buffer.from([256 + value]);
  for (const [limit, code, bytes] of [
    [-(2 ** 7), 0xd0, 1],
    [-(2 ** 15), 0xd1, 2],
    [-(2 ** 31), 0xd2, 4],
  ]) {
    if (value >= limit) {
      const out = Buffer.alloc(1 + bytes);
      out[0] = code;
      out.writeIntBE(value, 1, bytes);
      return out;
    }
  }
  const out = Buffer.alloc(9);
  out[0] = 0xd3;
  out.writeBigInt64BE(BigInt(value), 1);
  return out;
}

function pack(value) {
  if (value === null) return Buffer.from([0xc0]);
  if (typeof value === "boolean") return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === "number") return integer(value);
  if (typeof value === "string") {
    const bytes = Buffer.from(value);
    return Buffer.concat([
      head(bytes.length, { below: 32, code: 0xa0 }, [
        [256, 0xd9, 1],
        [65536, 0xda, 2],
      ]),
      bytes,
    ]);
  }
  if (Array.isArray(value)) {
    return Buffer.concat([head(value.length, { below: 16, code: 0x90 }, [[65536, 0xdc, 2]]), ...value.map(pack)]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([
    head(entries.length, { below: 16, code: 0x80 }, [[65536, 0xde, 2]]),
    ...entries.flatMap(([key, of]) => [pack(key), pack(of)]),
  ]);
}

export function connectionId({ action, nonce, vaultAddress, expiresAfter }) {
  const parts = [toHex(pack(action)), numberToHex(nonce, { size: 8 })];
  parts.push(vaultAddress ? concat(["0x01", vaultAddress]) : "0x00");
  if (expiresAfter) parts.push("0x00", numberToHex(expiresAfter, { size: 8 }));
  return keccak256(concat(parts));
}

const signatureOf = ({ r, s, v }) =>
  serializeSignature({
    r: numberToHex(BigInt(r), { size: 32 }),
    s: numberToHex(BigInt(s), { size: 32 }),
    v: BigInt(v),
  });

const AGENT = {
  Agent: [
    { name: "source", type: "string" },
    { name: "connectionId", type: "bytes32" },
  ],
};
const NOWHERE = "0x0000000000000000000000000000000000000000";

export async function signerOf(envelope) {
  const { action } = envelope;
  if (action.type === "approveAgent") {
    return (
      await recoverTypedDataAddress({
        domain: {
          name: "HyperliquidSignTransaction",
          version: "1",
          chainId: Number(action.signatureChainId),
          verifyingContract: NOWHERE,
        },
        types: {
          "HyperliquidTransaction:ApproveAgent": [
            { name: "hyperliquidChain", type: "string" },
            { name: "agentAddress", type: "address" },
            { name: "agentName", type: "string" },
            { name: "nonce", type: "uint64" },
          ],
        },
        primaryType: "HyperliquidTransaction:ApproveAgent",
        message: { ...action, agentName: action.agentName ?? "", nonce: BigInt(action.nonce) },
        signature: signatureOf(envelope.signature),
      })
    ).toLowerCase();
  }
  return (
    await recoverTypedDataAddress({
      domain: { name: "Exchange", version: "1", chainId: 1337, verifyingContract: NOWHERE },
      types: AGENT,
      primaryType: "Agent",
      message: { source: "b", connectionId: connectionId(envelope) },
      signature: signatureOf(envelope.signature),
    })
  ).toLowerCase();
}
