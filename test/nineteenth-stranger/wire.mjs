// What was signed: msgpack of an action in the exchange's order of members, its hash, and who signed it.
import { concat, keccak256, numberToHex, recoverTypedDataAddress, stringToBytes, toBytes } from "viem";

export function pack(value) {
  if (value === true) return [0xc3];
  if (value === false) return [0xc2];
  if (value === null) return [0xc0];
  if (typeof value === "number") return integer(value);
  if (typeof value === "string") {
    const bytes = [...stringToBytes(value)];
    return [...(bytes.length < 32 ? [0xa0 | bytes.length] : [0xd9, bytes.length]), ...bytes];
  }
  if (Array.isArray(value)) return [...head(0x90, 0xdc, value.length), ...value.flatMap(pack)];
  const members = Object.entries(value);
  return [...head(0x80, 0xde, members.length), ...members.flatMap(([k, v]) => [...pack(k), ...pack(v)])];
}

function head(small, large, length) {
  return length < 16 ? [small | length] : [large, length >> 8, length & 255];
}

function integer(value) {
  if (value < -(2 ** 31)) return [0xd3, ...toBytes(BigInt(value) + 2n ** 64n, { size: 8 })];
  if (value < -32_768) return [0xd2, ...toBytes(value + 2 ** 32, { size: 4 })];
  if (value < -128) return [0xd1, ...toBytes(value + 65_536, { size: 2 })];
  if (value < -32) return [0xd0, value + 256];
  if (value < 0) return [value + 256];
  if (value < 128) return [value];
  if (value < 256) return [0xcc, value];
  if (value < 65_536) return [0xcd, value >> 8, value & 255];
  const bytes = value < 2 ** 32 ? 4 : 8;
  return [bytes === 4 ? 0xce : 0xcf, ...toBytes(BigInt(value), { size: bytes })];
}

const ORDER = ["a", "b", "p", "s", "r", "t", "c"];
const MEMBERS = {
  order: ["type", "orders", "grouping", "builder"],
  cancel: ["type", "cancels", "f"],
  cancelByCloid: ["type", "cancels", "f"],
  modify: ["type", "oid", "order", "a"],
  batchModify: ["type", "modifies", "a"],
  updateLeverage: ["type", "asset", "isCross", "leverage"],
  updateIsolatedMargin: ["type", "asset", "isBuy", "ntli"],
  twapOrder: ["type", "twap"],
  twapCancel: ["type", "a", "t"],
  scheduleCancel: ["type", "time"],
  noop: ["type"],
};

const pick = (value, names) => Object.fromEntries(names.filter((n) => n in value).map((n) => [n, value[n]]));

function sorted(action) {
  const made = pick(action, MEMBERS[action.type]);
  if (made.orders) made.orders = made.orders.map((o) => sortedOrder(o));
  if (made.order) made.order = sortedOrder(made.order);
  if (made.modifies) made.modifies = made.modifies.map((m) => ({ oid: m.oid, order: sortedOrder(m.order) }));
  if (made.cancels) made.cancels = made.cancels.map((c) => pick(c, ["a", "o", "asset", "cloid"]));
  if (made.twap) made.twap = pick(made.twap, ["a", "b", "s", "r", "m", "t"]);
  if (made.builder) made.builder = pick(made.builder, ["b", "f"]);
  return made;
}

function sortedOrder(order) {
  const made = pick(order, ORDER);
  if (made.t.trigger) made.t = { trigger: pick(made.t.trigger, ["isMarket", "triggerPx", "tpsl"]) };
  return made;
}

export async function signerOf({ action, nonce, signature, vaultAddress, expiresAfter }) {
  const eight = (n) => toBytes(BigInt(n), { size: 8 });
  const parts = [new Uint8Array(pack(sorted(action))), eight(nonce)];
  parts.push(vaultAddress ? concat([new Uint8Array([1]), toBytes(vaultAddress)]) : new Uint8Array([0]));
  if (expiresAfter) parts.push(new Uint8Array([0]), eight(expiresAfter));
  const message = { source: "b", connectionId: keccak256(concat(parts)) };
  const types = {
    Agent: [
      { name: "source", type: "string" },
      { name: "connectionId", type: "bytes32" },
    ],
  };
  const domain = { name: "Exchange", version: "1", chainId: 1337, verifyingContract: `0x${"0".repeat(40)}` };
  const hex = `0x${signature.r.slice(2).padStart(64, "0")}${signature.s.slice(2).padStart(64, "0")}${numberToHex(signature.v).slice(2)}`;
  const address = await recoverTypedDataAddress({ domain, types, primaryType: "Agent", message, signature: hex });
  return address.toLowerCase();
}
