// Decimals, msgpack, signatures: what the exchange needs to know who has asked.
import { concat, hashTypedData, keccak256, recoverAddress, toHex } from "viem";

export const round8 = (x) => Math.round(x * 1e8) / 1e8;

/** A number in the exchange's style: plain, no trailing zeros, integers with `.0`. */
export function figure(x) {
  const text = round8(x).toFixed(8).replace(/0+$/, "");
  return text.endsWith(".") ? `${text}0` : text === "-0.0" ? "0.0" : text;
}

/** The same, cut to six decimals, as USD amounts are. */
export const usd = (x) => figure(Math.trunc(round8(x) * 1e6) / 1e6);

export function significant(price) {
  return String(price).replace(".", "").replace(/^0+/, "").replace(/0+$/, "").length;
}

export function pack(value, out = []) {
  if (value === null) out.push(0xc0);
  else if (value === true || value === false) out.push(value ? 0xc3 : 0xc2);
  else if (typeof value === "number") packInteger(value, out);
  else if (typeof value === "string") packText(value, out);
  else if (Array.isArray(value)) {
    packLength(value.length, 0x90, 0xdc, out);
    for (const each of value) pack(each, out);
  } else {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    packLength(keys.length, 0x80, 0xde, out);
    for (const key of keys) {
      packText(key, out);
      pack(value[key], out);
    }
  }
  return out;
}

function packLength(length, short, long, out) {
  if (length < 16) out.push(short | length);
  else out.push(long, length >> 8, length & 255);
}

function packText(text, out) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length < 32) out.push(0xa0 | bytes.length);
  else if (bytes.length < 256) out.push(0xd9, bytes.length);
  else out.push(0xda, bytes.length >> 8, bytes.length & 255);
  for (const byte of bytes) out.push(byte);
}

function bigEndian(value, bytes, out) {
  for (let i = bytes - 1; i >= 0; i--) out.push(Number((BigInt(value) >> BigInt(8 * i)) & 255n));
}

function tagged(tag, value, [bytes, out]) {
  out.push(tag);
  bigEndian(value, bytes, out);
}

function packInteger(value, out) {
  if (value >= 0 && value < 128) out.push(value);
  else if (value >= 0 && value < 256) out.push(0xcc, value);
  else if (value >= 0 && value < 65536) tagged(0xcd, value, [2, out]);
  else if (value >= 0 && value < 2 ** 32) tagged(0xce, value, [4, out]);
  else if (value >= 0) tagged(0xcf, value, [8, out]);
  else if (value >= -32) out.push(value & 255);
  else if (value >= -128) out.push(0xd0, value & 255);
  else if (value >= -32768) tagged(0xd1, value & 0xffff, [2, out]);
  else if (value >= -(2 ** 31)) tagged(0xd2, BigInt.asUintN(32, BigInt(value)), [4, out]);
  else tagged(0xd3, BigInt.asUintN(64, BigInt(value)), [8, out]);
}

const hex32 = (text) => `0x${text.slice(2).padStart(64, "0")}`;
const joined = (s) => concat([hex32(s.r), hex32(s.s), toHex(s.v)]);

/** Who has signed this action of the exchange's first layer (testnet). */
export async function signerOfAction(body) {
  const bytes = pack(body.action);
  bigEndian(body.nonce, 8, bytes);
  if (body.vaultAddress) bytes.push(1, ...Buffer.from(body.vaultAddress.slice(2), "hex"));
  else bytes.push(0);
  if (body.expiresAfter) {
    bytes.push(0);
    bigEndian(body.expiresAfter, 8, bytes);
  }
  const hash = hashTypedData({
    domain: { name: "Exchange", version: "1", chainId: 1337, verifyingContract: `0x${"0".repeat(40)}` },
    types: {
      Agent: [
        { name: "source", type: "string" },
        { name: "connectionId", type: "bytes32" },
      ],
    },
    primaryType: "Agent",
    message: { source: "b", connectionId: keccak256(Uint8Array.from(bytes)) },
  });
  return (await recoverAddress({ hash, signature: joined(body.signature) })).toLowerCase();
}

/** Who has signed that an agent may trade. */
export async function signerOfApproval(body) {
  const a = body.action;
  const hash = hashTypedData({
    domain: {
      name: "HyperliquidSignTransaction",
      version: "1",
      chainId: Number(a.signatureChainId),
      verifyingContract: `0x${"0".repeat(40)}`,
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
    message: {
      hyperliquidChain: a.hyperliquidChain,
      agentAddress: a.agentAddress,
      agentName: a.agentName ?? "",
      nonce: BigInt(a.nonce),
    },
  });
  return (await recoverAddress({ hash, signature: joined(body.signature) })).toLowerCase();
}

/** Numbers from a seed. */
export function drawer(seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    between: (a, b) => a + next() * (b - a),
    integer: (a, b) => Math.floor(a + next() * (b - a + 1)),
    chance: (p) => next() < p,
    pick: (list) => list[Math.floor(next() * list.length)],
  };
}
