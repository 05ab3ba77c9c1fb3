// The owner's wallet: Keccak, secp256k1 and EIP-712, by hand, so that nothing of the product signs for the owner here.
import { createHmac, randomBytes } from "node:crypto";

const MASK = (1n << 64n) - 1n;
function roundConstants() {
  const constants = [];
  let register = 1;
  for (let round = 0; round < 24; round++) {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) constant ^= 1n << BigInt((1 << bit) - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    constants.push(constant);
  }
  return constants;
}
const ROUND = roundConstants();
function rotate(word, by) {
  const n = BigInt(by % 64);
  return n === 0n ? word : ((word << n) | (word >> (64n - n))) & MASK;
}
function permute(state) {
  for (const constant of ROUND) {
    const columns = [0, 1, 2, 3, 4].map((x) => state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]);
    for (let x = 0; x < 5; x++) {
      const d = columns[(x + 4) % 5] ^ rotate(columns[(x + 1) % 5], 1);
      for (let y = 0; y < 25; y += 5) state[x + y] ^= d;
    }
    let [x, y] = [1, 0];
    let current = state[1];
    for (let t = 0; t < 24; t++) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = state[x + 5 * y];
      state[x + 5 * y] = rotate(current, ((t + 1) * (t + 2)) / 2);
      current = next;
    }
    for (let row = 0; row < 25; row += 5) {
      const line = state.slice(row, row + 5);
      for (let c = 0; c < 5; c++) state[row + c] = line[c] ^ (~line[(c + 1) % 5] & MASK & line[(c + 2) % 5]);
    }
    state[0] ^= constant;
  }
}
export function keccak(bytes) {
  const state = new Array(25).fill(0n);
  const padded = Buffer.alloc((Math.floor(bytes.length / 136) + 1) * 136);
  Buffer.from(bytes).copy(padded);
  padded[bytes.length] ^= 1;
  padded[padded.length - 1] ^= 0x80;
  for (let offset = 0; offset < padded.length; offset += 136) {
    for (let lane = 0; lane < 17; lane++) state[lane] ^= padded.readBigUInt64LE(offset + lane * 8);
    permute(state);
  }
  const out = Buffer.alloc(32);
  for (let lane = 0; lane < 4; lane++) out.writeBigUInt64LE(state[lane], lane * 8);
  return out;
}

const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
];
function mod(value, m) {
  const r = value % m;
  return r < 0n ? r + m : r;
}
function inverse(value, m) {
  let [a, b, x, y] = [mod(value, m), m, 1n, 0n];
  while (b) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return mod(x, m);
}
function add(p, q) {
  if (!p) return q;
  if (!q) return p;
  if (p[0] === q[0] && p[1] !== q[1]) return null;
  const slope =
    p[0] === q[0] ? mod(3n * p[0] * p[0] * inverse(2n * p[1], P), P) : mod((q[1] - p[1]) * inverse(q[0] - p[0], P), P);
  const x = mod(slope * slope - p[0] - q[0], P);
  return [x, mod(slope * (p[0] - x) - p[1], P)];
}
function multiply(scalar, point) {
  let [result, base] = [null, point];
  for (let k = scalar; k > 0n; k >>= 1n) {
    if (k & 1n) result = add(result, base);
    base = add(base, base);
  }
  return result;
}
function hex64(value) {
  return value.toString(16).padStart(64, "0");
}
export function addressOf(secret) {
  const [x, y] = multiply(secret, G);
  return `0x${keccak(Buffer.from(hex64(x) + hex64(y), "hex"))
    .subarray(12)
    .toString("hex")}`;
}
export function sign(secret, digest) {
  const z = BigInt(`0x${digest.toString("hex")}`);
  for (let attempt = 0; ; attempt++) {
    const k = mod(
      BigInt(`0x${createHmac("sha256", hex64(secret)).update(digest).update(String(attempt)).digest("hex")}`),
      N,
    );
    const [rx, ry] = multiply(k, G);
    const r = mod(rx, N);
    let s = mod(inverse(k, N) * (z + r * secret), N);
    if (!r || !s) continue;
    let v = Number(ry & 1n);
    if (s > N / 2n) [s, v] = [N - s, 1 - v];
    return `0x${hex64(r)}${hex64(s)}${(27 + v).toString(16)}`;
  }
}
function typeText(types, name) {
  const seen = new Set();
  const visit = (n) => {
    if (!types[n] || seen.has(n)) return;
    seen.add(n);
    for (const f of types[n]) visit(f.type.replace(/\[\]$/, ""));
  };
  visit(name);
  const rest = [...seen].filter((n) => n !== name).sort();
  return [name, ...rest].map((n) => `${n}(${types[n].map((f) => `${f.type} ${f.name}`).join(",")})`).join("");
}
function word(types, type, value) {
  if (type === "string") return keccak(Buffer.from(value));
  if (type === "bytes32") return Buffer.from(value.replace(/^0x/, "").padStart(64, "0"), "hex");
  if (type === "address") return Buffer.from(value.replace(/^0x/, "").toLowerCase().padStart(64, "0"), "hex");
  if (type === "bool") return Buffer.from(hex64(value ? 1n : 0n), "hex");
  if (types[type]) return structHash(types, type, value);
  return Buffer.from(hex64(BigInt(value)), "hex");
}
function structHash(types, name, value) {
  return keccak(
    Buffer.concat([
      keccak(Buffer.from(typeText(types, name))),
      ...types[name].map((f) => word(types, f.type, value[f.name])),
    ]),
  );
}
export function signTyped(secret, typed) {
  const order = [
    ["name", "string"],
    ["version", "string"],
    ["chainId", "uint256"],
    ["verifyingContract", "address"],
  ];
  const fields =
    typed.types.EIP712Domain ??
    order.filter(([n]) => typed.domain[n] !== undefined).map(([name, type]) => ({ name, type }));
  const types = { ...typed.types, EIP712Domain: fields };
  const parts = [
    Buffer.from("1901", "hex"),
    structHash(types, "EIP712Domain", typed.domain),
    structHash(types, typed.primaryType, typed.message),
  ];
  return sign(secret, keccak(Buffer.concat(parts)));
}
export function newSecret() {
  return mod(BigInt(`0x${randomBytes(32).toString("hex")}`), N - 1n) + 1n;
}
