import { noticeOf, type WantedAgent } from "../core/agent-slots.ts";
import { isoTime } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { readAgentSlots } from "../exchange/named-agents.ts";
import { balancesOf } from "../settle/account/account-resources.ts";
import { listAgents } from "../store/agents.ts";
import { parseUserRole, type UserRole } from "../wire/answer/account.ts";
import { couldNotAsk } from "./not-asked.ts";

/**
 * What the exchange shows of an address: the first proof, before anything is signed, that all of this works.
 *
 * @param wanted the agent that its owner would be asked to approve
 */
export async function viewAddress(
  deps: With<"exchange" | "reads" | "settings" | "store">,
  address: string,
  wanted: WantedAgent,
): Promise<string> {
  return JSON.stringify(await exchangeView(deps, address, wanted));
}

export async function exchangeView(
  deps: With<"exchange" | "reads" | "settings" | "store">,
  address: string,
  wanted: WantedAgent,
) {
  const [account, role, slots] = await Promise.all([
    deps.reads.account(address, ["", ...deps.settings.dexes], SETTING_UP),
    deps.exchange.info({ type: "userRole", user: address }, { purpose: SETTING_UP }),
    readAgentSlots(deps.exchange, address, SETTING_UP),
  ]);
  if (account.kind === "failed") {
    throw couldNotAsk(deps, "about this address", account, SETTING_UP);
  }
  const known = role.kind === "ok" ? parseUserRole(role.json) : null;
  const own = listAgents(deps.store).map((agent) => agent.address);
  const notice = noticeOf(slots, wanted, own);
  const [problem, whatToDo] = problemOf(known);
  return {
    object: "exchange_view" as const,
    address,
    role: known === null ? ("unknown" as const) : ROLE[known.role],
    can_be_owner: known === null || known.role === "user" || known.role === "missing",
    problem,
    what_to_do: whatToDo,
    ...balancesOf(account.value),
    agents: (slots.listed ?? []).map(({ name, address: agent, validUntilMs }) => ({
      name,
      address: agent,
      is_own: own.includes(agent),
      valid_until: validUntilMs === null ? null : isoTime(validUntilMs),
    })),
    are_agents_known: slots.listed !== null,
    agents_notice: notice?.words ?? null,
    is_agents_notice_warning: notice?.isWarning ?? false,
    as_of: isoTime(account.readAtMs),
  };
}

/** Whoever sets the gateway up has no key yet. */
const SETTING_UP = { reader: "set-up" } as const;

const ROLE = { user: "user", missing: "missing", agent: "agent", subAccount: "subaccount", vault: "vault" } as const;

function problemOf(role: UserRole | null): readonly [string | null, string | null] {
  switch (role?.role) {
    case "missing":
      return [
        "The exchange has never seen this address: nothing was ever deposited from it.",
        "Deposit USDC on the exchange with this wallet; until then it refuses every approval.",
      ];
    case "agent":
      return [`This is an agent (API wallet) of ${role.user}.`, "Choose that address."];
    case "subAccount":
      return [`This is a sub-account of ${role.master}.`, "Choose that address; add the sub-account afterwards."];
    case "vault":
      return ["This is a vault.", "Choose the address of its leader; add the vault afterwards."];
    default:
      return [null, null];
  }
}
