// How the exchange reads a signed action: msgpack in the venue's own key order, keccak, EIP-712. Written from
// the public description alone; `node test/stranger/run.mjs --self-test` compares it with two published vectors.
import { concat, getBytes, hexlify, keccak256, recoverAddress, TypedDataEncoder, toUtf8Bytes } from "ethers";

const orders = {
  order: ["type", "orders", "grouping", "builder"],
  cancel: ["type", "cancels", "f"],
  cancelByCloid: ["type", "cancels", "f"],
  modify: ["type", "oid", "order", "a"],
  batchModify: ["type", "modifies", "a"],
  updateLeverage: ["type", "asset", "isCross", "leverage"],
  updateIsolatedMargin: ["type", "asset", "isBuy", "ntli"],
  topUpIsolatedOnlyMargin: ["type", "asset", "leverage"],
  twapOrder: ["type", "twap", "details"],
  twapCancel: ["type", "a", "t"],
  scheduleCancel: ["type", "time"],
  noop: ["type"],
  reserveRequestWeight: ["type", "weight", "destination"],
  agentSetAbstraction: ["type", "abstraction"],
};
const parts = {
  orders: ["a", "b", "p", "s", "r", "t", "c"],
  order: ["a", "b", "p", "s", "r", "t", "c"],
  modifies: ["oid", "order"],
  twap: ["a", "b", "s", "r", "m", "t"],
  builder: ["b", "f"],
  trigger: ["isMarket", "triggerPx", "tpsl"],
  limit: ["tif"],
  details: ["t", "s"],
};

const inOrder = (value, name, keys) => {
  if (Array.isArray(value)) return value.map((each) => inOrder(each, name, keys));
  if (value === null || typeof value !== "object") return value;
  const wanted =
    keys ??
    (name === "cancels" ? ("cloid" in value ? ["asset", "cloid"] : ["a", "o"]) : (parts[name] ?? Object.keys(value)));
  const result = {};
  for (const key of wanted) if (key in value && value[key] !== undefined) result[key] = inOrder(value[key], key);
  return result;
};

const bigEndian = (n, bytes) =>
  Array.from({ length: bytes }, (_, i) => Number((n >> BigInt(8 * (bytes - 1 - i))) & 255n));

/** The head of a string, array or map: [fix code, highest fix length, code for one byte or null, code for two]. */
const head = (n, [fix, highest, one, two]) => {
  if (n <= highest) return [fix | n];
  return n < 256 && one !== null ? [one, n] : [two, n >> 8, n & 255];
};

const integer = (n) => {
  if (n >= 0n) {
    if (n < 128n) return [Number(n)];
    if (n < 1n << 8n) return [0xcc, Number(n)];
    if (n < 1n << 16n) return [0xcd, ...bigEndian(n, 2)];
    if (n < 1n << 32n) return [0xce, ...bigEndian(n, 4)];
    return [0xcf, ...bigEndian(n, 8)];
  }
  if (n >= -32n) return [Number(n + 256n)];
  if (n >= -128n) return [0xd0, Number(n + 256n)];
  if (n >= -32768n) return [0xd1, ...bigEndian(n + (1n << 16n), 2)];
  if (n >= -(1n << 31n)) return [0xd2, ...bigEndian(n + (1n << 32n), 4)];
  return [0xd3, ...bigEndian(n + (1n << 64n), 8)];
};

const packed = (value) => {
  if (value === null) return [0xc0];
  if (typeof value === "boolean") return [value ? 0xc3 : 0xc2];
  if (typeof value === "number") return integer(BigInt(value));
  if (typeof value === "string") {
    const bytes = toUtf8Bytes(value);
    return [...head(bytes.length, [0xa0, 31, 0xd9, 0xda]), ...bytes];
  }
  if (Array.isArray(value)) return [...head(value.length, [0x90, 15, null, 0xdc]), ...value.flatMap(packed)];
  const keys = Object.keys(value);
  return [
    ...head(keys.length, [0x80, 15, null, 0xde]),
    ...keys.flatMap((key) => [...packed(key), ...packed(value[key])]),
  ];
};

export const msgpack = (value) => Uint8Array.from(packed(value));

const eight = (n) => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(n));
  return bytes;
};

export const connectionId = ({ action, nonce, vaultAddress, expiresAfter }) => {
  const pieces = [msgpack(inOrder(action, null, orders[action.type])), eight(nonce)];
  pieces.push(vaultAddress ? concat(["0x01", vaultAddress]) : "0x00");
  if (expiresAfter !== null && expiresAfter !== undefined) pieces.push("0x00", eight(expiresAfter));
  return keccak256(concat(pieces));
};

const zero = "0x0000000000000000000000000000000000000000";
const agentTypes = {
  Agent: [
    { name: "source", type: "string" },
    { name: "connectionId", type: "bytes32" },
  ],
};
const agentDomain = { name: "Exchange", version: "1", chainId: 1337, verifyingContract: zero };

export const agentDigest = (envelope, source) =>
  TypedDataEncoder.hash(agentDomain, agentTypes, { source, connectionId: connectionId(envelope) });

const padded = (hex) => hexlify(getBytes(`0x${hex.slice(2).padStart(64, "0")}`));

export const signerOf = (envelope, source) =>
  recoverAddress(agentDigest(envelope, source), {
    r: padded(envelope.signature.r),
    s: padded(envelope.signature.s),
    v: envelope.signature.v,
  }).toLowerCase();

const userTypes = {
  approveAgent: {
    "HyperliquidTransaction:ApproveAgent": [
      { name: "hyperliquidChain", type: "string" },
      { name: "agentAddress", type: "address" },
      { name: "agentName", type: "string" },
      { name: "nonce", type: "uint64" },
    ],
  },
  approveBuilderFee: {
    "HyperliquidTransaction:ApproveBuilderFee": [
      { name: "hyperliquidChain", type: "string" },
      { name: "maxFeeRate", type: "string" },
      { name: "builder", type: "address" },
      { name: "nonce", type: "uint64" },
    ],
  },
};

export const isUserSigned = (type) => type in userTypes;

export const ownerOf = ({ action, signature }) => {
  const types = userTypes[action.type];
  const message = {};
  for (const { name } of Object.values(types)[0]) message[name] = action[name] ?? "";
  const domain = {
    name: "HyperliquidSignTransaction",
    version: "1",
    chainId: Number(action.signatureChainId),
    verifyingContract: zero,
  };
  return recoverAddress(TypedDataEncoder.hash(domain, types, message), {
    r: padded(signature.r),
    s: padded(signature.s),
    v: signature.v,
  }).toLowerCase();
};
