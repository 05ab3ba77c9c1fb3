// Hashes and signatures in plain BigInt: keccak-256, secp256k1, EIP-712, and the msgpack that the exchange hashes.
import { randomBytes } from "node:crypto";

const ROUNDS = [];
{
  let r = 1;
  for (let i = 0; i < 24; i++) {
    let c = 0n;
    for (let j = 0; j < 7; j++) {
      if (r & 1) c |= 1n << BigInt((1 << j) - 1);
      r = r & 0x80 ? ((r << 1) ^ 0x171) & 0xff : r << 1;
    }
    ROUNDS.push(c);
  }
}
const M64 = (1n << 64n) - 1n;
function rot(x, n) {
  return n === 0n ? x : ((x << n) | (x >> (64n - n))) & M64;
}
function permute(s) {
  for (const rc of ROUNDS) {
    const c = [0, 1, 2, 3, 4].map((x) => s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20]);
    for (let x = 0; x < 5; x++) {
      const d = c[(x + 4) % 5] ^ rot(c[(x + 1) % 5], 1n);
      for (let y = 0; y < 25; y += 5) s[x + y] ^= d;
    }
    let [x, y] = [1, 0];
    let held = s[1];
    for (let t = 0; t < 24; t++) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = s[x + 5 * y];
      s[x + 5 * y] = rot(held, BigInt((((t + 1) * (t + 2)) / 2) % 64));
      held = next;
    }
    for (let row = 0; row < 25; row += 5) {
      const a = s.slice(row, row + 5);
      for (let i = 0; i < 5; i++) s[row + i] = a[i] ^ (~a[(i + 1) % 5] & M64 & a[(i + 2) % 5]);
    }
    s[0] ^= rc;
  }
}
export function keccak(bytes) {
  const rate = 136;
  const padded = Buffer.alloc((Math.floor(bytes.length / rate) + 1) * rate);
  Buffer.from(bytes).copy(padded);
  padded[bytes.length] ^= 1;
  padded[padded.length - 1] ^= 0x80;
  const s = new Array(25).fill(0n);
  for (let o = 0; o < padded.length; o += rate) {
    for (let i = 0; i < rate / 8; i++) s[i] ^= padded.readBigUInt64LE(o + 8 * i);
    permute(s);
  }
  const out = Buffer.alloc(32);
  for (let i = 0; i < 4; i++) out.writeBigUInt64LE(s[i], 8 * i);
  return out;
}

const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
  1n,
];
function mod(a, m = P) {
  const r = a % m;
  return r < 0n ? r + m : r;
}
function power(b, e, m) {
  let r = 1n;
  for (b = mod(b, m); e > 0n; e >>= 1n) {
    if (e & 1n) r = (r * b) % m;
    b = (b * b) % m;
  }
  return r;
}
function invert(a, m = P) {
  return power(a, m - 2n, m);
}
function twice([x, y, z]) {
  const s = mod(4n * x * y * y);
  const m = mod(3n * x * x);
  const nx = mod(m * m - 2n * s);
  return [nx, mod(m * (s - nx) - 8n * y ** 4n), mod(2n * y * z)];
}
function plus(p, q) {
  if (!p) return q;
  if (!q) return p;
  const [z1, z2] = [mod(p[2] * p[2]), mod(q[2] * q[2])];
  const [u1, u2] = [mod(p[0] * z2), mod(q[0] * z1)];
  const [s1, s2] = [mod(p[1] * z2 * q[2]), mod(q[1] * z1 * p[2])];
  if (u1 === u2) return s1 === s2 ? twice(p) : null;
  const [h, r] = [mod(u2 - u1), mod(s2 - s1)];
  const h2 = mod(h * h);
  const [h3, v] = [mod(h * h2), mod(u1 * h2)];
  const x = mod(r * r - h3 - 2n * v);
  return [x, mod(r * (v - x) - s1 * h3), mod(h * p[2] * q[2])];
}
function times(p, k) {
  let r = null;
  for (; k > 0n; k >>= 1n) {
    if (k & 1n) r = plus(r, p);
    p = twice(p);
  }
  return r;
}
function flat([x, y, z]) {
  const i = invert(z);
  return [mod(x * i * i), mod(y * i * i * i)];
}
function big(bytes) {
  return BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`);
}
function word(n) {
  return Buffer.from(n.toString(16).padStart(64, "0"), "hex");
}
function addressOf([x, y]) {
  return `0x${keccak(Buffer.concat([word(x), word(y)]))
    .subarray(12)
    .toString("hex")}`;
}
export function wallet(seed) {
  const d = mod(big(keccak(Buffer.from(seed))), N);
  return { d, address: addressOf(flat(times(G, d))) };
}
export function sign(d, digest) {
  const z = big(digest);
  const k = mod(big(randomBytes(32)), N);
  const [x, y] = flat(times(G, k));
  const r = x % N;
  let s = mod(invert(k, N) * (z + r * d), N);
  let v = Number(y & 1n);
  if (s > N / 2n) [s, v] = [N - s, 1 - v];
  return `0x${word(r).toString("hex")}${word(s).toString("hex")}${(27 + v).toString(16)}`;
}
export function recover(digest, { r, s, v }) {
  const x = BigInt(r);
  const y0 = power(x ** 3n + 7n, (P + 1n) / 4n, P);
  const y = (y0 & 1n) === BigInt(v - 27) ? y0 : P - y0;
  const i = invert(x, N);
  const q = plus(times([x, y, 1n], mod(BigInt(s) * i, N)), times(G, mod(-big(digest) * i, N)));
  return addressOf(flat(q));
}

function atom(type, value, types) {
  if (types[type]) return structHash(type, value, types);
  if (type === "string") return keccak(Buffer.from(value));
  if (type === "bytes") return keccak(Buffer.from(value.slice(2), "hex"));
  if (type === "bytes32") return Buffer.from(value.slice(2), "hex");
  return word(BigInt(value));
}
export function structHash(name, value, types) {
  const shape = `${name}(${types[name].map((f) => `${f.type} ${f.name}`).join(",")})`;
  return keccak(
    Buffer.concat([keccak(Buffer.from(shape)), ...types[name].map((f) => atom(f.type, value[f.name], types))]),
  );
}
const DOMAIN = [
  ["name", "string"],
  ["version", "string"],
  ["chainId", "uint256"],
  ["verifyingContract", "address"],
];
export function typedDigest({ domain, types, primaryType, message }) {
  const fields = DOMAIN.filter(([n]) => domain[n] !== undefined).map(([name, type]) => ({ name, type }));
  const all = { ...types, EIP712Domain: fields };
  return keccak(
    Buffer.concat([
      Buffer.from([0x19, 1]),
      structHash("EIP712Domain", domain, all),
      structHash(primaryType, message, all),
    ]),
  );
}

function numberBytes(n) {
  const b = BigInt(n);
  if (b >= 0n && b < 128n) return Buffer.from([Number(b)]);
  if (b < 0n) {
    if (b >= -32n) return Buffer.from([256 + Number(b)]);
    const size = b >= -(2n ** 7n) ? 1 : b >= -(2n ** 15n) ? 2 : b >= -(2n ** 31n) ? 4 : 8;
    const out = Buffer.alloc(9);
    out[0] = { 1: 0xd0, 2: 0xd1, 4: 0xd2, 8: 0xd3 }[size];
    const raw = BigInt.asUintN(size * 8, b)
      .toString(16)
      .padStart(size * 2, "0");
    return Buffer.concat([out.subarray(0, 1), Buffer.from(raw, "hex")]);
  }
  const size = b < 256n ? 1 : b < 65536n ? 2 : b < 2n ** 32n ? 4 : 8;
  const head = { 1: 0xcc, 2: 0xcd, 4: 0xce, 8: 0xcf }[size];
  return Buffer.concat([Buffer.from([head]), Buffer.from(b.toString(16).padStart(size * 2, "0"), "hex")]);
}
function head(n, fix, b16) {
  return n < 16 ? Buffer.from([fix | n]) : Buffer.from([b16, n >> 8, n & 255]);
}
export function msgpack(v) {
  if (v === null) return Buffer.from([0xc0]);
  if (typeof v === "boolean") return Buffer.from([v ? 0xc3 : 0xc2]);
  if (typeof v === "number" || typeof v === "bigint") return numberBytes(v);
  if (typeof v === "string") {
    const b = Buffer.from(v);
    const h =
      b.length < 32 ? [0xa0 | b.length] : b.length < 256 ? [0xd9, b.length] : [0xda, b.length >> 8, b.length & 255];
    return Buffer.concat([Buffer.from(h), b]);
  }
  if (Array.isArray(v)) return Buffer.concat([head(v.length, 0x90, 0xdc), ...v.map(msgpack)]);
  const e = Object.entries(v);
  return Buffer.concat([head(e.length, 0x80, 0xde), ...e.flatMap(([k, x]) => [msgpack(k), msgpack(x)])]);
}
export function signerOf({ action, nonce, signature, vaultAddress, expiresAfter }, source) {
  const tail = Buffer.alloc(8);
  tail.writeBigUInt64BE(BigInt(nonce));
  const parts = [
    msgpack(action),
    tail,
    vaultAddress ? Buffer.from(`01${vaultAddress.slice(2)}`, "hex") : Buffer.from([0]),
  ];
  if (expiresAfter) {
    const e = Buffer.alloc(8);
    e.writeBigUInt64BE(BigInt(expiresAfter));
    parts.push(Buffer.from([0]), e);
  }
  const digest = typedDigest({
    domain: { name: "Exchange", version: "1", chainId: 1337, verifyingContract: `0x${"0".repeat(40)}` },
    types: {
      Agent: [
        { name: "source", type: "string" },
        { name: "connectionId", type: "bytes32" },
      ],
    },
    primaryType: "Agent",
    message: { source, connectionId: `0x${keccak(Buffer.concat(parts)).toString("hex")}` },
  });
  return recover(digest, signature);
}
