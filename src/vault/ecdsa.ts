/**
 * RFC 6979 signatures with low s and public keys, by libsecp256k1 where its addon runs and in JavaScript elsewhere. Both give
 * the same bytes. The addon signs in a third of the time, and for its first public key JavaScript makes tables, which takes it
 * as much processor time as a hundred signatures.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex } from "@noble/hashes/utils.js";

export type Ecdsa = {
  kind: "native" | "javascript";
  /** 65 bytes: the recovery bit (0 or 1), r and s. The arguments are 32 bytes each. */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** 65 bytes, uncompressed, the first of them 04. Throws when the bytes are no key. */
  publicKey(privateKey: Uint8Array): Uint8Array;
};

/** What the addon of npm's secp256k1 shows, of which we use two functions. */
type Addon = {
  Secp256k1: new () => {
    /** 0 when it signed. No data and no function: the nonce of RFC 6979. */
    ecdsaSign(
      into: { signature: Uint8Array; recid: number },
      digest: Uint8Array,
      privateKey: Uint8Array,
      data: undefined,
      nonceFunction: undefined,
    ): number;
    /** 0 when these bytes are a key; 65 bytes to write into ask for the uncompressed form. */
    publicKeyCreate(into: Uint8Array, privateKey: Uint8Array): number;
  };
};

const SCALAR_BYTES = 32;
const SIGNATURE_BYTES = 64;
const PUBLIC_KEY_BYTES = 65;

export const javascriptEcdsa: Ecdsa = {
  kind: "javascript",
  sign(digest, privateKey) {
    requireScalars(digest, privateKey);
    return secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: "recovered" });
  },
  publicKey(privateKey) {
    requireScalars(privateKey);
    return secp256k1.getPublicKey(privateKey, false);
  },
};

/** The native library reads 32 bytes wherever it is pointed. */
function requireScalars(...scalars: readonly Uint8Array[]): void {
  if (scalars.some(({ length }) => length !== SCALAR_BYTES)) throw new Error("bug: not 32 bytes");
}

/** The fastest that signs correctly on this machine; decided at the first call, and the same from then on. */
export function chooseEcdsa(): Ecdsa {
  chosen ??= openNative(loadAddon) ?? javascriptEcdsa;
  return chosen;
}

let chosen: Ecdsa | null = null;

/** The addon that is embedded for this system, and no other file of any name. */
function loadAddon(): unknown {
  if (process.platform !== "linux" || process.arch !== "x64") return null;
  return require("secp256k1/prebuilds/linux-x64/secp256k1.glibc.node");
}

/** Null when the addon cannot be loaded (a musl system, a `noexec` /tmp) or does not give what it should. */
export function openNative(load: () => unknown): Ecdsa | null {
  try {
    const addon = load();
    if (addon === null) return null;
    // Held against a known answer below before anything else is asked of it.
    const native = nativeEcdsa(new (addon as Addon).Secp256k1());
    return isCorrect(native) ? native : null;
  } catch {
    return null;
  }
}

function nativeEcdsa(library: InstanceType<Addon["Secp256k1"]>): Ecdsa {
  return {
    kind: "native",
    sign(digest, privateKey) {
      requireScalars(digest, privateKey);
      const bytes = new Uint8Array(1 + SIGNATURE_BYTES);
      const into = { signature: bytes.subarray(1), recid: 0 };
      if (library.ecdsaSign(into, digest, privateKey, undefined, undefined) !== 0) {
        throw new Error("bug: a digest could not be signed with this key");
      }
      bytes[0] = into.recid;
      return bytes;
    },
    publicKey(privateKey) {
      requireScalars(privateKey);
      const bytes = new Uint8Array(PUBLIC_KEY_BYTES);
      if (library.publicKeyCreate(bytes, privateKey) !== 0) throw new Error("bug: these bytes are no private key");
      return bytes;
    },
  };
}

/** Key 1, whose point is the curve's own base, signing the SHA-256 of "Satoshi Nakamoto": a vector of RFC 6979 that many libraries test. */
const KNOWN = {
  privateKey: `${"0".repeat(63)}1`,
  publicKey:
    "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" +
    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
  digest: "a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e",
  signature:
    "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
    "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5",
} as const;

function isCorrect(ecdsa: Ecdsa): boolean {
  const privateKey = Buffer.from(KNOWN.privateKey, "hex");
  const signed = ecdsa.sign(Buffer.from(KNOWN.digest, "hex"), privateKey);
  return (
    bytesToHex(signed.subarray(1)) === KNOWN.signature && bytesToHex(ecdsa.publicKey(privateKey)) === KNOWN.publicKey
  );
}
