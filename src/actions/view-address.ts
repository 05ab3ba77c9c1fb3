import { ApiError } from "../core/errors.ts";
import { isoTime } from "../core/resource.ts";
import type { Deps } from "../deps.ts";
import { parseExtraAgents, parseUserRole, type UserRole } from "../wire/answer/account.ts";
import { parseAddress } from "../wire/hex.ts";
import { balancesOf } from "./get-account.ts";

/** What the exchange shows of any address: the first proof, before anything is signed, that all of this works. */
export async function viewAddress(deps: Deps, given: string): Promise<string> {
  const address = parseAddress(given);
  if (address === null) throw new ApiError("invalid_parameter", "address is 0x and 40 hex characters.");
  const [account, role, agents] = await Promise.all([
    deps.reads.account(address, ["", ...deps.settings.dexes], "read"),
    deps.exchange.info({ type: "userRole", user: address }, { purpose: "read" }),
    deps.exchange.info({ type: "extraAgents", user: address }, { purpose: "read" }),
  ]);
  if (account.kind === "failed") {
    throw new ApiError("exchange_unreachable", "The exchange could not be asked about this address.");
  }
  const known = role.kind === "ok" ? parseUserRole(role.json) : null;
  const listed = (agents.kind === "ok" ? parseExtraAgents(agents.json) : null) ?? [];
  const [problem, whatToDo] = problemOf(known);
  return JSON.stringify({
    object: "exchange_view",
    address,
    role: known === null ? "unknown" : ROLE[known.role],
    can_be_owner: known === null || known.role === "user" || known.role === "missing",
    problem,
    what_to_do: whatToDo,
    ...balancesOf(account.value),
    agents: listed.map(({ name, address: agent, validUntilMs }) => ({
      name,
      address: agent,
      valid_until: validUntilMs === null ? null : isoTime(validUntilMs),
    })),
    as_of: isoTime(account.readAtMs),
  });
}

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
