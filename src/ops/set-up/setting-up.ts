import type { Account, Agent } from "../../core/account.ts";
import type { WantedAgent } from "../../core/agent-slots.ts";
import { ApiError } from "../../core/errors.ts";
import type { Deps } from "../../deps.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listAgents } from "../../store/agents.ts";
import type { Store } from "../../store/open.ts";
import { agentName } from "../../vault/agent-keys.ts";
import { parseAddress } from "../../wire/hex.ts";
import type { Keyring } from "../keyring.ts";
import { agentPrefixOf } from "../name-agents.ts";

/** What the owner's page may touch while it sets a running gateway up. */
export type SettingUp = Deps & {
  keyring: Keyring;
  /** An account is new: its feed, fills and allowances are read from now on. */
  follow(account: Account): void;
};

/** The account that the set-up is about: the first main one. */
export function setupAccount(store: Store): Account | null {
  return listAccounts(store).find(({ kind }) => kind === "main") ?? null;
}

/** Its agent: the newest that is approved, else the newest that waits for it. */
export function setupAgent(store: Store, { ownerAddress }: Account): Agent | null {
  const living = listAgents(store).filter((agent) => agent.ownerAddress === ownerAddress && agent.state !== "retired");
  const found = living.findLast(({ state }) => state === "approved") ?? living.at(-1);
  if (found === undefined) return null;
  const { sealedKey: _sealed, ...agent } = found;
  return agent;
}

/** The agent that the owner of this address is, or would be, asked to approve. Throws `invalid_parameter`. */
export function agentWantedFor({ store }: SettingUp, given: string): { address: string; wanted: WantedAgent } {
  const address = parseAddress(given);
  if (address === null) throw new ApiError("invalid_parameter", "address is 0x and 40 hex characters.");
  const account = setupAccount(store);
  const made = account?.ownerAddress === address ? setupAgent(store, account) : null;
  return { address, wanted: made ?? { name: agentName(agentPrefixOf(store), 1), address: null } };
}
