// Keccak-256, secp256k1 and EIP-712, as far as an owner's wallet needs them. Nothing here is fast.
import { randomBytes } from "node:crypto";

const MASK = (1n << 64n) - 1n;
const ROTATIONS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

function roundConstants() {
  const constants = [];
  let register = 1;
  for (let round = 0; round < 24; round++) {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt((1 << j) - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    constants.push(constant);
  }
  return constants;
}
const ROUNDS = roundConstants();

function rotate(word, by) {
  return by === 0 ? word : ((word << BigInt(by)) | (word >> BigInt(64 - by))) & MASK;
}

function permute(s) {
  for (const constant of ROUNDS) {
    const c = [0, 1, 2, 3, 4].map((x) => s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20]);
    for (let x = 0; x < 5; x++) {
      const d = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1);
      for (let y = 0; y < 25; y += 5) s[x + y] ^= d;
    }
    const b = new Array(25);
    for (let x = 0; x < 5; x++)
      for (let y = 0; y < 5; y++) b[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(s[x + 5 * y], ROTATIONS[x + 5 * y]);
    for (let y = 0; y < 25; y += 5)
      for (let x = 0; x < 5; x++) s[x + y] = b[x + y] ^ (~b[((x + 1) % 5) + y] & MASK & b[((x + 2) % 5) + y]);
    s[0] ^= constant;
  }
}

export function keccak(bytes) {
  const padded = Buffer.alloc(Math.ceil((bytes.length + 1) / 136) * 136);
  Buffer.from(bytes).copy(padded);
  padded[bytes.length] ^= 0x01;
  padded[padded.length - 1] ^= 0x80;
  const state = new Array(25).fill(0n);
  for (let block = 0; block < padded.length; block += 136) {
    for (let lane = 0; lane < 17; lane++) state[lane] ^= padded.readBigUInt64LE(block + lane * 8);
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

function mod(a, m) {
  return ((a % m) + m) % m;
}
function inverse(a, m) {
  let [r0, r1, s0, s1] = [mod(a, m), m, 1n, 0n];
  while (r1 !== 0n) {
    const q = r0 / r1;
    [r0, r1, s0, s1] = [r1, r0 - q * r1, s1, s0 - q * s1];
  }
  return mod(s0, m);
}
function add(a, b) {
  if (a === null) return b;
  if (b === null) return a;
  if (a[0] === b[0] && mod(a[1] + b[1], P) === 0n) return null;
  const slope =
    a[0] === b[0] ? mod(3n * a[0] * a[0] * inverse(2n * a[1], P), P) : mod((b[1] - a[1]) * inverse(b[0] - a[0], P), P);
  const x = mod(slope * slope - a[0] - b[0], P);
  return [x, mod(slope * (a[0] - x) - a[1], P)];
}
function times(point, scalar) {
  let result = null;
  for (let bits = scalar, base = point; bits > 0n; bits >>= 1n, base = add(base, base))
    if (bits & 1n) result = add(result, base);
  return result;
}
function hex32(value) {
  return value.toString(16).padStart(64, "0");
}

export function newWallet() {
  const secret = mod(BigInt(`0x${randomBytes(32).toString("hex")}`), N);
  const [x, y] = times(G, secret);
  const address = `0x${keccak(Buffer.from(hex32(x) + hex32(y), "hex"))
    .subarray(12)
    .toString("hex")}`;
  return { secret, address };
}

function signDigest(wallet, digest) {
  const k = mod(BigInt(`0x${randomBytes(32).toString("hex")}`), N);
  const point = times(G, k);
  const r = mod(point[0], N);
  let s = mod(inverse(k, N) * (BigInt(`0x${digest.toString("hex")}`) + r * wallet.secret), N);
  let parity = Number(point[1] & 1n);
  if (s > N / 2n) [s, parity] = [N - s, 1 - parity];
  return `0x${hex32(r)}${hex32(s)}${(27 + parity).toString(16)}`;
}

function typeText(types, name) {
  const found = new Set();
  const visit = (type) => {
    const base = type.replace(/\[.*$/, "");
    if (!types[base] || found.has(base)) return;
    found.add(base);
    for (const field of types[base]) visit(field.type);
  };
  visit(name);
  const rest = [...found].filter((one) => one !== name).sort();
  return [name, ...rest].map((one) => `${one}(${types[one].map((f) => `${f.type} ${f.name}`).join(",")})`).join("");
}

function encodeField(types, type, value) {
  if (type.endsWith("[]")) {
    return keccak(Buffer.concat(value.map((one) => encodeField(types, type.slice(0, -2), one))));
  }
  if (types[type]) return hashStruct(types, type, value);
  if (type === "string") return keccak(Buffer.from(value, "utf8"));
  if (type === "bytes") return keccak(Buffer.from(value.slice(2), "hex"));
  if (type === "bool") return Buffer.from(hex32(value ? 1n : 0n), "hex");
  if (/^bytes\d+$/.test(type)) return Buffer.from(value.slice(2).padEnd(64, "0"), "hex");
  return Buffer.from(hex32(BigInt(value)), "hex");
}

function hashStruct(types, name, value) {
  const parts = [keccak(Buffer.from(typeText(types, name), "utf8"))];
  for (const field of types[name]) parts.push(encodeField(types, field.type, value[field.name]));
  return keccak(Buffer.concat(parts));
}

export function signTyped(wallet, data) {
  const domain = hashStruct(data.types, "EIP712Domain", data.domain);
  const message = hashStruct(data.types, data.primaryType, data.message);
  return signDigest(wallet, keccak(Buffer.concat([Buffer.from("1901", "hex"), domain, message])));
}
