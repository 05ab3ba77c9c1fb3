import type { Network } from "../core/account.ts";
import { listAgents } from "../store/agents.ts";
import { schemaVersion, writeProbe } from "../store/health.ts";
import type { Store } from "../store/open.ts";
import { listWriteFaults } from "../store/row-faults.ts";
import type { Keyring } from "./keyring.ts";

/** What an upgrade asks a started gateway before it opens writes. Whether the exchange can be reached is no part of it. */
export type UpgradeStatus = {
  version: string;
  network: Network;
  on_trial: boolean;
  schema: number;
  agents: number;
  /** Plain words; none is well. */
  problems: string[];
};

export type Examined = { store: Store; network: Network; keyring: Keyring; version: string; isOnTrial: boolean };

export function upgradeStatus({ store, network, keyring, version, isOnTrial }: Examined): UpgradeStatus {
  const living = listAgents(store).filter(({ state }) => state !== "retired");
  const locked = living.filter(({ address }) => !keyring.signers.has(address));
  const { found, newest } = schemaVersion(store);
  const problems = [
    ...(found === newest ? [] : [`the database has schema ${found}, this version needs ${newest}`]),
    ...locked.map(({ address }) => `the key of agent ${address} is locked`),
    ...listWriteFaults(store).map(({ what }) => what),
    ...writeProblems(store),
  ];
  return { version, network, on_trial: isOnTrial, schema: found, agents: living.length, problems };
}

function writeProblems(store: Store): string[] {
  try {
    writeProbe(store);
    return [];
  } catch (error) {
    return [`the database cannot be written: ${error instanceof Error ? error.message : "unknown"}`];
  }
}
