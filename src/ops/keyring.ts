import type { Agent, Network } from "../core/account.ts";
import { listAgents, type StoredAgent } from "../store/agents.ts";
import type { Instance } from "../store/instance.ts";
import type { Store } from "../store/open.ts";
import {
  CANNOT_OPEN,
  deriveVaultKey,
  macOf,
  openKey,
  type SealedKey,
  sealKey,
  type VaultKey,
  type VaultParams,
  wipe,
} from "../vault/seal-key.ts";
import { openText, sealText } from "../vault/seal-text.ts";
import { type OpenKey, openSigners, type Signers } from "../vault/signers.ts";
import { OperatorError } from "./operator.ts";

/** The open agent keys of one data directory, and what seals a new one. */
export type Keyring = {
  network: Network;
  /** Signs with every agent that is not retired, those that came after the start included. */
  signers: Signers;
  /** The sealed form of a new agent's key. */
  seal(agent: Pick<Agent, "address" | "ownerAddress">, privateKey: Uint8Array): Uint8Array;
  /** Hex MAC of a text under a key that only this directory's passphrase gives. */
  mac(purpose: string, text: string): string;
  /** A secret text as it is kept, and back; null for one that is not what was sealed under this name. */
  sealText(name: string, text: string): string;
  openText(name: string, sealed: string): string | null;
  /** Reads the agents again, after one was added or retired. */
  reload(): void;
};

export type KeyringInput = {
  store: Store;
  network: Network;
  vaultKey: VaultKey;
  randomBytes(count: number): Uint8Array;
};

const SEAL_NONCE_BYTES = 12;

/** Throws an `OperatorError` when the passphrase behind `vaultKey` is not this directory's. */
export function openKeyring({ store, network, vaultKey, randomBytes }: KeyringInput): Keyring {
  let open = openSigners({ network, keys: openAgentKeys(store, network, vaultKey) });
  return {
    network,
    signers: {
      sign: (input) => open.sign(input),
      has: (agentAddress) => open.has(agentAddress),
      addresses: () => open.addresses(),
      lock() {
        open.lock();
        wipe(vaultKey);
      },
    },
    seal(agent, privateKey) {
      const purpose = { network, ownerAddress: agent.ownerAddress, address: agent.address };
      const sealed = sealKey({ vaultKey, purpose, privateKey, randomNonce: randomBytes(SEAL_NONCE_BYTES) });
      return new TextEncoder().encode(JSON.stringify(sealed));
    },
    mac: (purpose, text) => macOf(vaultKey, purpose, text),
    sealText: (name, text) => JSON.stringify(sealText(vaultKey, name, text, randomBytes(SEAL_NONCE_BYTES))),
    // The column holds what `sealText` wrote; `openText` refuses anything else.
    openText: (name, sealed) => openText(vaultKey, name, JSON.parse(sealed) as SealedKey),
    reload() {
      const before = open;
      open = openSigners({ network, keys: openAgentKeys(store, network, vaultKey) });
      before.lock();
    },
  };
}

/** The key that seals this directory's agent keys. Slow on purpose. */
export function vaultKeyOf(instance: Instance, passphrase: string): Promise<VaultKey> {
  // The column holds what `newVaultParams` made at set-up; `deriveVaultKey` refuses parameters out of bounds.
  return deriveVaultKey(passphrase, JSON.parse(instance.vault) as VaultParams);
}

function openAgentKeys(store: Store, network: Network, vaultKey: VaultKey): OpenKey[] {
  const agents = listAgents(store);
  const living = agents.filter((agent) => agent.state !== "retired");
  // After a restore none lives: an old one still tells whether the passphrase is this directory's.
  const witness = living.length === 0 ? agents.at(-1) : undefined;
  if (witness !== undefined) openAgentKey(witness, network, vaultKey).fill(0);
  return living.map((agent) => ({ address: agent.address, privateKey: openAgentKey(agent, network, vaultKey) }));
}

function openAgentKey(agent: StoredAgent, network: Network, vaultKey: VaultKey): Uint8Array {
  const purpose = { network, ownerAddress: agent.ownerAddress, address: agent.address };
  // The column holds what `seal` wrote; `openKey` refuses anything else.
  const sealed = JSON.parse(new TextDecoder().decode(agent.sealedKey)) as SealedKey;
  const privateKey = openKey(vaultKey, purpose, sealed);
  if (privateKey === null) throw new OperatorError(CANNOT_OPEN);
  return privateKey;
}
