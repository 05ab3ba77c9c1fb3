// Who signed an action: msgpack as the exchange hashes it, and the signature's recovery.
import { concatHex, keccak256, numberToHex, recoverTypedDataAddress, toHex } from "viem";

function pack(value, out) {
  if (value === null) out.push(0xc0);
  else if (value === true || value === false) out.push(value ? 0xc3 : 0xc2);
  else if (typeof value === "number") packNumber(value, out);
  else if (typeof value === "string") packText(value, out);
  else if (Array.isArray(value)) {
    packLength(value.length, 0x90, 0xdc, out);
    for (const item of value) pack(item, out);
  } else {
    const entries = Object.entries(value);
    packLength(entries.length, 0x80, 0xde, out);
    for (const [key, item] of entries) {
      pack(key, out);
      pack(item, out);
    }
  }
}

function packLength(length, small, large, out) {
  if (length < 16) out.push(small | length);
  else out.push(large, length >> 8, length & 255);
}

function packText(text, out) {
  const bytes = Buffer.from(text);
  if (bytes.length < 32) out.push(0xa0 | bytes.length);
  else if (bytes.length < 256) out.push(0xd9, bytes.length);
  else out.push(0xda, bytes.length >> 8, bytes.length & 255);
  out.push(...bytes);
}

function packNumber(value, out) {
  const put = (head, bytes, n) => {
    out.push(head);
    for (let i = bytes - 1; i >= 0; i--) out.push(Number((n >> BigInt(8 * i)) & 255n));
  };
  const n = BigInt(value);
  if (value >= 0) {
    if (value < 128) out.push(value);
    else if (value < 256) put(0xcc, 1, n);
    else if (value < 65536) put(0xcd, 2, n);
    else if (value < 4294967296) put(0xce, 4, n);
    else put(0xcf, 8, n);
  } else if (value >= -32) out.push(256 + value);
  else if (value >= -128) put(0xd0, 1, BigInt.asUintN(8, n));
  else if (value >= -32768) put(0xd1, 2, BigInt.asUintN(16, n));
  else if (value >= -2147483648) put(0xd2, 4, BigInt.asUintN(32, n));
  else put(0xd3, 8, BigInt.asUintN(64, n));
}

export async function signerOf({ action, nonce, signature, vaultAddress, expiresAfter }) {
  const out = [];
  pack(action, out);
  const parts = [toHex(Uint8Array.from(out)), numberToHex(nonce, { size: 8 })];
  parts.push(vaultAddress == null ? "0x00" : concatHex(["0x01", vaultAddress]));
  if (expiresAfter != null) parts.push("0x00", numberToHex(expiresAfter, { size: 8 }));
  const found = await recoverTypedDataAddress({
    domain: { name: "Exchange", version: "1", chainId: 1337, verifyingContract: `0x${"0".repeat(40)}` },
    types: {
      Agent: [
        { name: "source", type: "string" },
        { name: "connectionId", type: "bytes32" },
      ],
    },
    primaryType: "Agent",
    message: { source: "a", connectionId: keccak256(concatHex(parts)) },
    signature: concatHex(
      [signature.r, signature.s, numberToHex(signature.v, { size: 1 })].map((x, i) =>
        i < 2 ? `0x${x.slice(2).padStart(64, "0")}` : x,
      ),
    ),
  });
  return found.toLowerCase();
}
