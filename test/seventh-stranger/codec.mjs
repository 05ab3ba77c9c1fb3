// Decimals as whole numbers, msgpack in the exchange's key order, and who has signed what. Own code, by PROTOCOL 2.
import { hashTypedData, keccak256, recoverAddress } from "viem";

const PLACES = 12;
const ONE = 10n ** BigInt(PLACES);

/** A decimal text as a whole number of 10^-12. */
export function num(text) {
  const m = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text));
  if (!m) throw new Error(`no decimal: ${text}`);
  const fraction = (m[3] ?? "").padEnd(PLACES, "0").slice(0, PLACES);
  const value = BigInt(m[2]) * ONE + BigInt(fraction);
  return m[1] ? -value : value;
}

/** As the exchange prints it: `float` keeps `.0` behind whole numbers. */
export function text(value, float = true) {
  const sign = value < 0n ? "-" : "";
  const abs = value < 0n ? -value : value;
  const fraction = String(abs % ONE)
    .padStart(PLACES, "0")
    .replace(/0+$/, "");
  if (fraction) return `${sign}${abs / ONE}.${fraction}`;
  return `${sign}${abs / ONE}${float ? ".0" : ""}`;
}

export const mul = (a, b) => (a * b) / ONE;
export const div = (a, b) => (a * ONE) / b;
export const abs = (a) => (a < 0n ? -a : a);
/** Of whole numbers, which `Math.min` does not take. */
export function min(a, b) {
  if (a < b) return a;
  return b;
}
export function max(a, b) {
  if (a > b) return a;
  return b;
}
export const cut = (value, places) => value - (value % 10n ** BigInt(PLACES - places));
export const same = (a, b) => num(String(a)) === num(String(b));
/** Plain text without zeros behind it, as the gateway writes figures. */
export const plain = (value) => text(typeof value === "bigint" ? value : num(value), false);

function packInteger(out, value) {
  const n = BigInt(value);
  if (n >= 0n) {
    if (n < 128n) return out.push(Number(n));
    if (n < 256n) return out.push(0xcc, Number(n));
    if (n < 65536n) return out.push(0xcd, ...bytes(n, 2));
    if (n < 4294967296n) return out.push(0xce, ...bytes(n, 4));
    return out.push(0xcf, ...bytes(n, 8));
  }
  if (n >= -32n) return out.push(Number(256n + n));
  if (n >= -128n) return out.push(0xd0, Number(256n + n));
  if (n >= -32768n) return out.push(0xd1, ...bytes(65536n + n, 2));
  if (n >= -2147483648n) return out.push(0xd2, ...bytes(4294967296n + n, 4));
  return out.push(0xd3, ...bytes((1n << 64n) + n, 8));
}

function bytes(value, count) {
  const out = [];
  for (let i = count - 1; i >= 0; i--) out.push(Number((value >> BigInt(8 * i)) & 255n));
  return out;
}

function head(out, count, short, wide) {
  if (count < 16) out.push(short | count);
  else out.push(wide, count >> 8, count & 255);
}

export function pack(value, out = []) {
  if (value === null) out.push(0xc0);
  else if (typeof value === "boolean") out.push(value ? 0xc3 : 0xc2);
  else if (typeof value === "number" || typeof value === "bigint") packInteger(out, value);
  else if (typeof value === "string") {
    const utf8 = Buffer.from(value, "utf8");
    if (utf8.length < 32) out.push(0xa0 | utf8.length);
    else if (utf8.length < 256) out.push(0xd9, utf8.length);
    else out.push(0xda, utf8.length >> 8, utf8.length & 255);
    out.push(...utf8);
  } else if (Array.isArray(value)) {
    head(out, value.length, 0x90, 0xdc);
    for (const item of value) pack(item, out);
  } else {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined);
    head(out, entries.length, 0x80, 0xde);
    for (const [key, v] of entries) {
      pack(key, out);
      pack(v, out);
    }
  }
  return out;
}

const pick = (from, ...keys) => Object.fromEntries(keys.filter((k) => from[k] !== undefined).map((k) => [k, from[k]]));
const wireType = (t) =>
  t.limit ? { limit: pick(t.limit, "tif") } : { trigger: pick(t.trigger, "isMarket", "triggerPx", "tpsl") };
const wireOrder = (o) => ({ ...pick(o, "a", "b", "p", "s", "r"), t: wireType(o.t), ...pick(o, "c") });

/** The canonical map of an action, as PROTOCOL 2.3 lists its keys. Throws for what the exchange does not know. */
export function canonical(action) {
  switch (action.type) {
    case "order":
      return {
        type: "order",
        orders: action.orders.map(wireOrder),
        grouping: action.grouping,
        ...(action.builder ? { builder: pick(action.builder, "b", "f") } : {}),
      };
    case "cancel":
      return { type: "cancel", cancels: action.cancels.map((c) => pick(c, "a", "o")), ...pick(action, "f") };
    case "cancelByCloid":
      return {
        type: "cancelByCloid",
        cancels: action.cancels.map((c) => pick(c, "asset", "cloid")),
        ...pick(action, "f"),
      };
    case "batchModify":
      return {
        type: "batchModify",
        modifies: action.modifies.map((m) => ({ oid: m.oid, order: wireOrder(m.order) })),
        ...pick(action, "a"),
      };
    case "updateLeverage":
      return pick(action, "type", "asset", "isCross", "leverage");
    case "updateIsolatedMargin":
      return pick(action, "type", "asset", "isBuy", "ntli");
    case "twapOrder":
      return { type: "twapOrder", twap: pick(action.twap, "a", "b", "s", "r", "m", "t") };
    case "twapCancel":
      return pick(action, "type", "a", "t");
    case "noop":
      return { type: "noop" };
    default:
      throw new Error(`unknown action ${action.type}`);
  }
}

const hex = (signature) =>
  `0x${signature.r.slice(2).padStart(64, "0")}${signature.s.slice(2).padStart(64, "0")}${signature.v.toString(16)}`;
const ZERO = "0x0000000000000000000000000000000000000000";

/** The address that has signed an L1 action (source "b": what is not mainnet). */
export async function signer(envelope) {
  const { nonce, vaultAddress, expiresAfter, signature } = envelope;
  const data = [...pack(canonical(envelope.action)), ...bytes(BigInt(nonce), 8)];
  if (vaultAddress) data.push(1, ...Buffer.from(vaultAddress.slice(2), "hex"));
  else data.push(0);
  if (expiresAfter) data.push(0, ...bytes(BigInt(expiresAfter), 8));
  const hash = hashTypedData({
    domain: { name: "Exchange", version: "1", chainId: 1337, verifyingContract: ZERO },
    types: {
      Agent: [
        { name: "source", type: "string" },
        { name: "connectionId", type: "bytes32" },
      ],
    },
    primaryType: "Agent",
    message: { source: "b", connectionId: keccak256(Uint8Array.from(data)) },
  });
  return (await recoverAddress({ hash, signature: hex(signature) })).toLowerCase();
}

/** The owner who has approved an agent. */
export async function approver(envelope) {
  const { action } = envelope;
  const fields = [
    ["hyperliquidChain", "string"],
    ["agentAddress", "address"],
    ["agentName", "string"],
    ["nonce", "uint64"],
  ];
  const hash = hashTypedData({
    domain: {
      name: "HyperliquidSignTransaction",
      version: "1",
      chainId: Number(action.signatureChainId),
      verifyingContract: ZERO,
    },
    types: { "HyperliquidTransaction:ApproveAgent": fields.map(([name, type]) => ({ name, type })) },
    primaryType: "HyperliquidTransaction:ApproveAgent",
    message: {
      hyperliquidChain: action.hyperliquidChain,
      agentAddress: action.agentAddress,
      agentName: action.agentName ?? "",
      nonce: BigInt(action.nonce),
    },
  });
  return (await recoverAddress({ hash, signature: hex(envelope.signature) })).toLowerCase();
}

/** Numbers that a seed draws: mulberry32. */
export function draws(seed) {
  let a = (seed * 2654435761) >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    chance: (p) => next() < p,
    from: (list) => list[Math.floor(next() * list.length)],
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
  };
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
