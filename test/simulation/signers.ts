import { addressOfKey, openSigners, type Signers } from "../../src/vault/signers.ts";
import { canonicalAction } from "../../src/wire/action/index.ts";
import { writeJson } from "../../src/wire/json.ts";

/** Agents of a run: key bytes from 0x41 on, one for each owner. */
export const AGENTS = [0x41, 0x42].map((byte) => {
  const privateKey = new Uint8Array(32).fill(byte);
  return { address: addressOfKey(privateKey), privateKey };
});

export function trueSigners(): Signers {
  return openSigners({
    network: "paper",
    keys: AGENTS.map(({ address, privateKey }) => ({ address, privateKey: privateKey.slice() })),
  });
}

/**
 * Bodies whose signature says who signed instead of proving it: signing and recovering take most of the time of a
 * run and never decide anything. A share of the seeds signs truly.
 */
export function fakeSigners(): Signers {
  return signersOf(AGENTS.map(({ address }) => address));
}

/** The same for these agents. */
export function signersOf(agents: readonly string[]): Signers {
  const addresses = new Set(agents);
  return {
    sign({ agentAddress, action, nonce, vaultAddress, expiresAfter }) {
      const signature = { r: `0x${agentAddress.slice(2).padStart(64, "0")}`, s: `0x${"01".repeat(32)}`, v: 27 };
      return writeJson({ action: canonicalAction(action), nonce, signature, vaultAddress, expiresAfter });
    },
    has: (address) => addresses.has(address),
    addresses: () => [...addresses],
    lock: () => undefined,
  };
}

/** Notes for every body who signed it. */
export function noteSigners(signers: Signers, signerOf: Map<string, string>): Signers {
  return {
    ...signers,
    sign(input) {
      const body = signers.sign(input);
      signerOf.set(body, input.agentAddress);
      return body;
    },
  };
}
