// Who signed an action: msgpack in the exchange's order of keys, keccak, EIP-712. Written from the protocol's section 2.
import { keccak256, recoverTypedDataAddress } from "viem";

const ORDER = {
  order: ["type", "orders", "grouping", "builder"],
  cancel: ["type", "cancels", "f"],
  cancelByCloid: ["type", "cancels", "f"],
  modify: ["type", "oid", "order", "a"],
  batchModify: ["type", "modifies", "a"],
  updateLeverage: ["type", "asset", "isCross", "leverage"],
  updateIsolatedMargin: ["type", "asset", "isBuy", "ntli"],
  twapOrder: ["type", "twap", "details"],
  twapCancel: ["type", "a", "t"],
  scheduleCancel: ["type", "time"],
  noop: ["type"],
};
const INNER = {
  orders: ["a", "b", "p", "s", "r", "t", "c"],
  order: ["a", "b", "p", "s", "r", "t", "c"],
  modifies: ["oid", "order"],
  cancels: ["a", "o", "asset", "cloid"],
  twap: ["a", "b", "s", "r", "m", "t"],
  t: ["limit", "trigger"],
  limit: ["tif"],
  trigger: ["isMarket", "triggerPx", "tpsl"],
  builder: ["b", "f"],
};

function bytes(...numbers) {
  return Uint8Array.from(numbers);
}

function join(parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function big(value, length) {
  const out = new Uint8Array(length);
  let rest = BigInt.asUintN(length * 8, BigInt(value));
  for (let at = length - 1; at >= 0; at -= 1) {
    out[at] = Number(rest & 255n);
    rest >>= 8n;
  }
  return out;
}

function packNumber(value) {
  if (value >= 0) {
    if (value < 128) return bytes(value);
    if (value < 256) return join([bytes(0xcc), big(value, 1)]);
    if (value < 65536) return join([bytes(0xcd), big(value, 2)]);
    if (value < 2 ** 32) return join([bytes(0xce), big(value, 4)]);
    return join([bytes(0xcf), big(value, 8)]);
  }
  if (value >= -32) return big(value, 1);
  if (value >= -128) return join([bytes(0xd0), big(value, 1)]);
  if (value >= -32768) return join([bytes(0xd1), big(value, 2)]);
  if (value >= -(2 ** 31)) return join([bytes(0xd2), big(value, 4)]);
  return join([bytes(0xd3), big(value, 8)]);
}

function packText(text) {
  const data = new TextEncoder().encode(text);
  if (data.length < 32) return join([bytes(0xa0 | data.length), data]);
  if (data.length < 256) return join([bytes(0xd9, data.length), data]);
  return join([bytes(0xda), big(data.length, 2), data]);
}

function pack(value, name, top) {
  if (value === null) return bytes(0xc0);
  if (typeof value === "boolean") return bytes(value ? 0xc3 : 0xc2);
  if (typeof value === "number") return packNumber(value);
  if (typeof value === "string") return packText(value);
  if (Array.isArray(value)) {
    const head = value.length < 16 ? bytes(0x90 | value.length) : join([bytes(0xdc), big(value.length, 2)]);
    return join([head, ...value.map((item) => pack(item, name))]);
  }
  const order = top ?? INNER[name] ?? Object.keys(value);
  const keys = order.filter((key) => value[key] !== undefined);
  return join([bytes(0x80 | keys.length), ...keys.flatMap((key) => [packText(key), pack(value[key], key)])]);
}

export async function signerOf(body, isMainnet) {
  const { action, nonce, signature, vaultAddress, expiresAfter } = body;
  const parts = [pack(action, "action", ORDER[action.type]), big(nonce, 8)];
  parts.push(vaultAddress ? join([bytes(1), Uint8Array.from(Buffer.from(vaultAddress.slice(2), "hex"))]) : bytes(0));
  if (expiresAfter !== undefined && expiresAfter !== null) parts.push(bytes(0), big(expiresAfter, 8));
  const connectionId = keccak256(join(parts));
  const recovered = await recoverTypedDataAddress({
    domain: { name: "Exchange", version: "1", chainId: 1337, verifyingContract: `0x${"0".repeat(40)}` },
    types: {
      Agent: [
        { name: "source", type: "string" },
        { name: "connectionId", type: "bytes32" },
      ],
    },
    primaryType: "Agent",
    message: { source: isMainnet ? "a" : "b", connectionId },
    signature: joined(signature),
  });
  return recovered.toLowerCase();
}

export async function approverOf(action, signature) {
  const recovered = await recoverTypedDataAddress({
    domain: {
      name: "HyperliquidSignTransaction",
      version: "1",
      chainId: Number(action.signatureChainId),
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
    message: { ...action, agentName: action.agentName ?? "", nonce: BigInt(action.nonce) },
    signature: joined(signature),
  });
  return recovered.toLowerCase();
}

function joined({ r, s, v }) {
  return `0x${r.slice(2).padStart(64, "0")}${s.slice(2).padStart(64, "0")}${v.toString(16)}`;
}
