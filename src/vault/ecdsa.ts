/**
 * RFC 6979 signatures with low s, by libsecp256k1 where its addon runs and in JavaScript elsewhere. Both give the same
 * bytes; the addon takes a third of the time.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js";

export type Ecdsa = {
  kind: "native" | "javascript";
  /** 65 bytes: the recovery bit (0 or 1), r and s. The arguments are 32 bytes each. */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
};

/** What the addon of npm's secp256k1 shows, of which we use one function. */
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
  };
};

const SCALAR_BYTES = 32;
const SIGNATURE_BYTES = 64;

export const javascriptEcdsa: Ecdsa = {
  kind: "javascript",
  sign(digest, privateKey) {
    requireScalars(digest, privateKey);
    return secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: "recovered" });
  },
};

/** The native library reads 32 bytes wherever it is pointed. */
function requireScalars(digest: Uint8Array, privateKey: Uint8Array): void {
  if (digest.length !== SCALAR_BYTES || privateKey.length !== SCALAR_BYTES) throw new Error("bug: not 32 bytes");
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

/** Null when the addon cannot be loaded (a musl system, a `noexec` /tmp) or does not sign as it should. */
export function openNative(load: () => unknown): Ecdsa | null {
  try {
    const addon = load();
    if (addon === null) return null;
    // Held against a known answer below before anything else is asked of it.
    const native = nativeEcdsa(new (addon as Addon).Secp256k1());
    return signsCorrectly(native) ? native : null;
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
  };
}

/** Key 1 signing the SHA-256 of "Satoshi Nakamoto": a vector of RFC 6979 on this curve that many libraries test. */
const KNOWN = {
  privateKey: `${"0".repeat(63)}1`,
  digest: "a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e",
  signature:
    "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
    "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5",
} as const;

function signsCorrectly(ecdsa: Ecdsa): boolean {
  const signed = ecdsa.sign(Buffer.from(KNOWN.digest, "hex"), Buffer.from(KNOWN.privateKey, "hex"));
  return Buffer.from(signed.subarray(1)).toString("hex") === KNOWN.signature;
}
