import type { WantedAgent } from "../../core/agent-slots.ts";
import { ApiError } from "../../core/errors.ts";
import { agentName } from "../../vault/agent-keys.ts";
import { parseAddress } from "../../wire/hex.ts";
import { agentPrefixOf } from "../name-agents.ts";
import { type SettingUp, setupAccount, setupAgent } from "./setting-up.ts";

/** The agent that the owner of this address is, or would be, asked to approve. Throws `invalid_parameter`. */
export function agentWantedFor({ store }: SettingUp, given: string): { address: string; wanted: WantedAgent } {
  const address = parseAddress(given);
  if (address === null) throw new ApiError("invalid_parameter", "address is 0x and 40 hex characters.");
  const account = setupAccount(store);
  const made = account?.ownerAddress === address ? setupAgent(store, account) : null;
  return { address, wanted: made ?? { name: agentName(agentPrefixOf(store), 1), address: null } };
}
