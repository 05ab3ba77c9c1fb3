/** Whether the rows that an account trades by are as they were sealed: this directory's own, the account's, its owner's agents'. */
import { contentOfAccount, findAccountRow } from "./accounts.ts";
import { believed, findAgentRow, listAgentRows, listSealedAgents } from "./agents.ts";
import { contentOfInstance, findInstance, INSTANCE_ID } from "./instance.ts";
import type { Store } from "./open.ts";
import { findSealed, hasSealedRows, type RowFault, tellFault } from "./sealed-rows.ts";

/** Why nothing may be written for an account, in plain words; null while all is as it was sealed. */
export function findAccountFault(store: Store, accountId: string): string | null {
  if (!hasSealedRows(store)) return null;
  const fault = findInstanceFault(store) ?? accountRowFault(store, accountId) ?? agentFaultOf(store, accountId);
  if (fault === null) return null;
  tellFault(store, fault);
  return fault.what;
}

export function findInstanceFault(store: Store): RowFault | null {
  const row = findInstance(store);
  if (row !== null && contentOfInstance(row) === findSealed(store, "instance", INSTANCE_ID)) return null;
  const what = "the row that says what this directory is (network, exchange, secret) was changed from outside";
  return { kind: "instance", id: INSTANCE_ID, what };
}

export function accountRowFault(store: Store, id: string): RowFault | null {
  const row = findAccountRow(store, id);
  const content = findSealed(store, "account", id);
  if (content === null) {
    return { kind: "account", id, what: `account ${id} is in the database and was never added here: it is not used` };
  }
  if (row === null) return { kind: "account", id, what: `the row of account ${id} was deleted from outside` };
  if (contentOfAccount(row) === content) return null;
  return { kind: "account", id, what: `the row of account ${id} was changed from outside` };
}

function agentFaultOf(store: Store, accountId: string): RowFault | null {
  const owner = ownerOf(store, accountId);
  return listAgentFaults(store, (agent) => agent.ownerAddress === owner)[0] ?? null;
}

/** The owner of an account by its seal: the row itself is what is in question. */
function ownerOf(store: Store, accountId: string): string | null {
  const content = findSealed(store, "account", accountId);
  // Only `contentOfAccount` makes what the seal covers.
  return content === null ? null : (JSON.parse(content) as { ownerAddress: string }).ownerAddress;
}

/** Faults of the agents that `isAsked` picks, each by its row or, where that is gone, by its seal. */
export function listAgentFaults(
  store: Store,
  isAsked: (agent: { ownerAddress: string }) => boolean = () => true,
): RowFault[] {
  const asRows = listAgentRows(store).filter(isAsked);
  const asSealed = listSealedAgents(store).filter(isAsked);
  const addresses = new Set([...asRows, ...asSealed].map(({ address }) => address));
  return [...addresses].flatMap((address) => agentFault(store, address) ?? []);
}

/** What is wrong with an agent's row; null while it says what was sealed. An agent that is retired by its seal stays so, whatever its row says. */
function agentFault(store: Store, address: string): RowFault | null {
  const row = findAgentRow(store, address);
  const sealed = findSealed(store, "agent", address) !== null;
  const say = (what: string) => ({ kind: "agent" as const, id: address, what });
  if (!sealed) return say(`agent ${address} is in the database and was never made here: it does not sign`);
  if (row === null) return say(`the row of agent ${address} was deleted from outside`);
  const agent = believed(store, row);
  if (agent === null) return say(`the row of agent ${address} was changed from outside: it does not sign`);
  if (agent.state === row.state) return null;
  return say(`agent ${address} is retired, and its row says ${row.state}: it stays retired`);
}
