/** Commands that the state of a directory asks for, as they are typed: with an account named where there are several. */
import { listAccounts } from "../store/accounts.ts";
import { listAgents } from "../store/agents.ts";
import { listApiKeys } from "../store/api-keys.ts";
import { listHooks } from "../store/hooks.ts";
import type { Store } from "../store/open.ts";

/** The command that makes an owner's next agent. */
export function rotateFor(store: Store, ownerAddress: string): string {
  const accounts = listAccounts(store);
  const own = accounts.find((account) => account.ownerAddress === ownerAddress);
  return `postern agent rotate${accounts.length > 1 && own !== undefined ? ` --account ${own.id}` : ""}`;
}

/** The commands that make the next agent of each owner without one that signs; of every owner where each has one. */
export function rotations(store: Store): string[] {
  const owners = [...new Set(listAccounts(store).map(({ ownerAddress }) => ownerAddress))];
  const signing = new Set(
    listAgents(store).flatMap((agent) => (agent.state === "approved" ? [agent.ownerAddress] : [])),
  );
  const without = owners.filter((owner) => !signing.has(owner));
  return (without.length > 0 ? without : owners).map((owner) => rotateFor(store, owner));
}

/** The commands that stop everything. */
export function stops(store: Store): string[] {
  const accounts = listAccounts(store);
  return accounts.map(({ id }) => `postern stop${accounts.length > 1 ? ` --account ${id}` : ""}`);
}

/** For each API key that a restore put on hold, the one that releases it. */
export function releases(store: Store): string[] {
  const held = listAccounts(store).flatMap(({ id }) => listApiKeys(store, id).filter(({ state }) => state === "held"));
  return held.map(
    ({ keyHash, limited }) => `postern key keep ${keyHash}${limited === null ? "" : " --accept-older-rails"}`,
  );
}

/** The same of each hook on hold. */
export function hookReleases(store: Store): string[] {
  const accounts = listAccounts(store);
  return accounts.flatMap(({ id }) =>
    listHooks(store, id)
      .filter(({ state }) => state === "held")
      .map(({ name }) => `postern hook keep ${name}${accounts.length > 1 ? ` --account ${id}` : ""}`),
  );
}
