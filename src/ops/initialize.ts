import type { Account, Agent, Network } from "../core/account.ts";
import type { Clock } from "../core/clock.ts";
import { newUuid } from "../core/uuid.ts";
import { inTransaction } from "../store/commit.ts";
import { isOfDisk } from "../store/heard-writes.ts";
import { type Instance, insertInstance } from "../store/instance.ts";
import { takeLock } from "../store/lock.ts";
import { closeStore, openStore, type Store } from "../store/open.ts";
import { agentName, agentPrefix } from "../vault/agent-keys.ts";
import { newVaultParams, type VaultCost } from "../vault/seal-key.ts";
import { accountOf, storeAccount } from "./add-account.ts";
import { believeNothingYet } from "./believe-rows.ts";
import { isVacant, makeDirectory, type Places, removeDatabase } from "./data-directory.ts";
import { openKeyring, vaultKeyOf } from "./keyring.ts";
import { sealedAgent, storeAgent } from "./new-agent.ts";
import { OperatorError } from "./operator.ts";

export type SetUp = NewDatabase & { processId: number };

export type NewDatabase = {
  places: Places;
  network: Network;
  exchangeUrl: string;
  /** Address of the main account's owner. */
  owner: string;
  label: string;
  /** Seals the agent keys; kept nowhere. */
  passphrase: string;
  /** Who chose the passphrase. */
  vaultCost: VaultCost;
  clock: Clock;
  randomBytes(count: number): Uint8Array;
};

export type Initialized = { account: Account; agent: Agent };

const SALT_BYTES = 32;
const SECRET_BYTES = 32;
const TAG_MASK = 0xfff;

/** Makes a data directory with its first account and agent key: all of it, or nothing that a second try minds. */
export async function initialize(setUp: SetUp): Promise<Initialized> {
  return inNewDirectory(setUp, () => makeDatabase(setUp));
}

/** Makes a data directory without an account and an agent key: the owner's page makes them. */
export async function initializeBare(setUp: Omit<SetUp, "owner" | "label">): Promise<void> {
  await inNewDirectory(setUp, () =>
    withNewStore(setUp, async (store) => {
      const instance = newInstance(setUp);
      // Too short a passphrase, or one that cannot be used, is told now and not at the first start.
      const vaultKey = await vaultKeyOf(instance, setUp.passphrase);
      const keyring = openKeyring({ store, network: setUp.network, vaultKey, randomBytes: setUp.randomBytes });
      try {
        believeNothingYet({ store, keyring, clock: setUp.clock, tell: () => undefined });
        inTransaction(store, (within) => insertInstance(within, instance));
      } finally {
        keyring.signers.lock();
      }
    }),
  );
}

async function inNewDirectory<T>(
  { places, processId }: Pick<SetUp, "places" | "processId">,
  work: () => Promise<T>,
): Promise<T> {
  if (!isVacant(places)) throw new OperatorError(`${places.directory} is not empty`);
  try {
    makeDirectory(places);
    const lock = takeLock(places.directory, processId);
    try {
      return await work();
    } finally {
      lock.release();
    }
  } catch (error) {
    throw isOfDisk(error) ? noRoom(places, error) : error;
  }
}

function noRoom({ directory }: Places, { message }: Error): OperatorError {
  const todo = "make room on its disk, or choose another with --data-dir, and run the same command again";
  return new OperatorError(`${directory} cannot be written: ${message}. Nothing was made: ${todo}`);
}

/** The part of it below the directory's lock. */
export async function makeDatabase(setUp: NewDatabase): Promise<Initialized> {
  return withNewStore(setUp, (store) => fill(store, setUp));
}

async function withNewStore<T>(
  { places }: Pick<NewDatabase, "places">,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  try {
    const store = openStore(places.database);
    try {
      return await work(store);
    } finally {
      closeStore(store);
    }
  } catch (error) {
    // Of one that could not even be opened as well: what is left of it would stand in the way of the next try.
    removeDatabase(places);
    throw error;
  }
}

async function fill(store: Store, setUp: NewDatabase): Promise<Initialized> {
  const { network, randomBytes, clock } = setUp;
  const instance = newInstance(setUp);
  const vaultKey = await vaultKeyOf(instance, setUp.passphrase);
  const keyring = openKeyring({ store, network, vaultKey, randomBytes });
  const wanted = { label: setUp.label, kind: "main", address: setUp.owner, parentId: null } as const;
  const birth = { id: newUuid(randomBytes(16)), createdAtMs: clock.nowMs() };
  try {
    const account = accountOf(store, wanted, birth);
    const name = agentName(agentPrefix(instance.secret), 1);
    const made = sealedAgent(setUp, keyring, { ownerAddress: account.ownerAddress, name });
    believeNothingYet({ store, keyring, clock, tell: () => undefined });
    inTransaction(store, (within) => {
      insertInstance(within, instance);
      storeAccount(within, account);
      storeAgent(within, made);
    });
    const { sealedKey: _sealed, ...agent } = made;
    return { account, agent };
  } finally {
    keyring.signers.lock();
  }
}

type InstanceParts = Pick<NewDatabase, "network" | "exchangeUrl" | "vaultCost" | "randomBytes" | "clock">;

function newInstance({ network, exchangeUrl, vaultCost, randomBytes, clock }: InstanceParts): Instance {
  const [high = 0, low = 0] = randomBytes(2);
  return {
    network,
    exchangeUrl,
    tag: ((high << 8) | low) & TAG_MASK,
    secret: randomBytes(SECRET_BYTES),
    vault: JSON.stringify(newVaultParams(randomBytes(SALT_BYTES), vaultCost)),
    createdAtMs: clock.nowMs(),
  };
}
