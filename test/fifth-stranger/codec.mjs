// Decimals as bigint in units of 1e-8, msgpack, and who has signed an action.
import { concat, hashTypedData, hexToBytes, keccak256, recoverAddress, toHex } from "viem";

export const ONE = 100_000_000n;

export function dec(text) {
  if (typeof text !== "string" || !/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text))
    throw new Unreadable(`decimal ${JSON.stringify(text)}`);
  const negative = text.startsWith("-");
  const [whole, fraction = ""] = text.replace("-", "").split(".");
  if (/[1-9]/.test(fraction.slice(8))) throw new Unreadable(`ninth decimal ${text}`);
  const value = BigInt(whole) * ONE + BigInt(fraction.slice(0, 8).padEnd(8, "0"));
  return negative ? -value : value;
}

export class Unreadable extends Error {}

export function plain(value) {
  const negative = value < 0n;
  const size = negative ? -value : value;
  const fraction = (size % ONE).toString().padStart(8, "0").replace(/0+$/, "");
  return `${negative ? "-" : ""}${size / ONE}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The way the exchange prints: an integer keeps `.0`. */
export function wire(value) {
  const text = plain(value);
  return text.includes(".") ? text : `${text}.0`;
}

export const mul = (left, right) => (left * right) / ONE;
export const div = (left, right) => (right === 0n ? 0n : (left * ONE) / right);
export const abs = (value) => (value < 0n ? -value : value);
/** Of bigints, which `Math.min` does not take. */
export function least(left, right) {
  if (left < right) return left;
  return right;
}

/** Cut to six decimals, as money is printed. */
export const usd = (value) => wire((value / 100n) * 100n);

function head(small, limit, codes, length) {
  if (length < limit) return [small | length];
  if (codes.one !== undefined && length < 256) return [codes.one, length];
  if (length < 65536) return [codes.two, length >> 8, length & 255];
  return [codes.four, ...[24, 16, 8, 0].map((shift) => (length >>> shift) & 255)];
}

function packNumber(value, out) {
  const big = BigInt(value);
  const put = (code, bytes) => {
    out.push(code);
    for (let at = bytes - 1; at >= 0; at--) out.push(Number((BigInt.asUintN(64, big) >> BigInt(at * 8)) & 255n));
  };
  if (big >= 0n) {
    if (big < 128n) out.push(Number(big));
    else if (big < 256n) put(0xcc, 1);
    else if (big < 65536n) put(0xcd, 2);
    else if (big < 4294967296n) put(0xce, 4);
    else put(0xcf, 8);
  } else if (big >= -32n) out.push(Number(256n + big));
  else if (big >= -128n) put(0xd0, 1);
  else if (big >= -32768n) put(0xd1, 2);
  else if (big >= -2147483648n) put(0xd2, 4);
  else put(0xd3, 8);
}

function pack(value, out) {
  if (value === null) out.push(0xc0);
  else if (typeof value === "boolean") out.push(value ? 0xc3 : 0xc2);
  else if (typeof value === "number") packNumber(value, out);
  else if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    out.push(...head(0xa0, 32, { one: 0xd9, two: 0xda, four: 0xdb }, bytes.length), ...bytes);
  } else if (Array.isArray(value)) {
    out.push(...head(0x90, 16, { two: 0xdc, four: 0xdd }, value.length));
    for (const item of value) pack(item, out);
  } else {
    const entries = Object.entries(value);
    out.push(...head(0x80, 16, { two: 0xde, four: 0xdf }, entries.length));
    for (const [key, item] of entries) {
      pack(key, out);
      pack(item, out);
    }
  }
}

const eight = (value) => hexToBytes(toHex(BigInt(value), { size: 8 }));

/** Address of the agent that has signed an action of the trade kind, as the testnet has it. */
export async function signerOf({ action, nonce, signature, vaultAddress, expiresAfter }) {
  const bytes = [];
  pack(action, bytes);
  const parts = [Uint8Array.from(bytes), eight(nonce)];
  parts.push(vaultAddress ? concat([Uint8Array.of(1), hexToBytes(vaultAddress)]) : Uint8Array.of(0));
  if (expiresAfter) parts.push(Uint8Array.of(0), eight(expiresAfter));
  const hash = hashTypedData({
    domain: { name: "Exchange", version: "1", chainId: 1337, verifyingContract: `0x${"0".repeat(40)}` },
    types: {
      Agent: [
        { name: "source", type: "string" },
        { name: "connectionId", type: "bytes32" },
      ],
    },
    primaryType: "Agent",
    message: { source: "b", connectionId: keccak256(concat(parts)) },
  });
  return (await recoverAddress({ hash, signature: whole(signature) })).toLowerCase();
}

const whole = ({ r, s, v }) => `0x${r.slice(2).padStart(64, "0")}${s.slice(2).padStart(64, "0")}${v.toString(16)}`;

const OWNED = {
  approveAgent: [
    "ApproveAgent",
    [
      ["hyperliquidChain", "string"],
      ["agentAddress", "address"],
      ["agentName", "string"],
      ["nonce", "uint64"],
    ],
  ],
  approveBuilderFee: [
    "ApproveBuilderFee",
    [
      ["hyperliquidChain", "string"],
      ["maxFeeRate", "string"],
      ["builder", "address"],
      ["nonce", "uint64"],
    ],
  ],
};

/** Address of the owner who has signed an action of the account's own kind; null for a kind that is not known. */
export async function ownerOf({ action, signature }) {
  const kind = OWNED[action.type];
  if (kind === undefined) return null;
  const fields = kind[1].map(([name, type]) => ({ name, type }));
  const hash = hashTypedData({
    domain: {
      name: "HyperliquidSignTransaction",
      version: "1",
      chainId: Number(action.signatureChainId),
      verifyingContract: `0x${"0".repeat(40)}`,
    },
    types: { [`HyperliquidTransaction:${kind[0]}`]: fields },
    primaryType: `HyperliquidTransaction:${kind[0]}`,
    message: { ...action, agentName: action.agentName ?? "" },
  });
  return (await recoverAddress({ hash, signature: whole(signature) })).toLowerCase();
}
