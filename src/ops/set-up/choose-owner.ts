import type { Account } from "../../core/account.ts";
import { newUuid } from "../../core/uuid.ts";
import { deleteAccount, listAccounts } from "../../store/accounts.ts";
import { listAgents, retireAgent } from "../../store/agents.ts";
import { listApiKeys } from "../../store/api-keys.ts";
import { appendAudit } from "../../store/audit.ts";
import { inTransaction } from "../../store/commit.ts";
import type { Store } from "../../store/open.ts";
import { agentName } from "../../vault/agent-keys.ts";
import { parseUserRole } from "../../wire/answer/account.ts";
import { parseAddress } from "../../wire/hex.ts";
import { accountOf, storeAccount } from "../add-account.ts";
import { agentPrefixOf } from "../name-agents.ts";
import { sealedAgent, storeAgent } from "../new-agent.ts";
import { OperatorError } from "../operator.ts";
import { refusedByUs, rejected, type StepOutcome, SUCCEEDED } from "./outcome.ts";
import { type SettingUp, setupAccount, setupAgent } from "./setting-up.ts";

export type ChosenOwner = { address: string; label: string };

/** Makes the account and its agent key. A slip is mended by choosing again, until the owner has approved something. */
export async function chooseOwner(setting: SettingUp, chosen: ChosenOwner): Promise<StepOutcome> {
  const address = parseAddress(chosen.address);
  if (address === null) return rejected("This is no address.", "An address is 0x and 40 hex digits.");
  const before = setupAccount(setting.store);
  if (before?.ownerAddress === address && setupAgent(setting.store, before) !== null) return SUCCEEDED;
  if (before !== null && isBound(setting.store, before)) {
    const whose = `This gateway trades for ${before.ownerAddress} already.`;
    return rejected(whose, 'Use "postern account add" for a second account.');
  }
  const problem = await roleProblem(setting, address);
  if (problem !== null) return problem;
  try {
    setting.follow(await store(setting, before, { address, label: chosen.label }));
    return SUCCEEDED;
  } catch (error) {
    return refusedByUs(error, "Mend it and send it again.");
  }
}

/** True once something of the account cannot be taken back. */
function isBound(store: Store, { id, ownerAddress }: Account): boolean {
  const hasApproved = listAgents(store).some(
    (agent) => agent.ownerAddress === ownerAddress && agent.approvedAtMs !== null,
  );
  const hasOthers = listAccounts(store).some((other) => other.id !== id);
  return hasApproved || hasOthers || listApiKeys(store, id).length > 0;
}

/** An agent, a sub-account or a vault cannot sign for itself. Null too where the exchange cannot be asked now. */
async function roleProblem({ exchange }: SettingUp, address: string): Promise<StepOutcome | null> {
  const answer = await exchange.info({ type: "userRole", user: address }, { purpose: "read" });
  const role = answer.kind === "ok" ? parseUserRole(answer.json) : null;
  switch (role?.role) {
    case "agent":
      return rejected(`This is an agent (API wallet) of ${role.user}.`, "Choose that address.");
    case "subAccount":
      return rejected(
        `This is a sub-account of ${role.master}.`,
        "Choose that address; add the sub-account afterwards.",
      );
    case "vault":
      return rejected("This is a vault.", "Choose the address of its leader; add the vault afterwards.");
    default:
      return null;
  }
}

async function store(setting: SettingUp, before: Account | null, chosen: ChosenOwner): Promise<Account> {
  const { keyring, randomBytes, clock } = setting;
  const nowMs = clock.nowMs();
  const account = inTransaction(setting.store, (within) => {
    // The exchange was asked in between: an approval, a key or another owner may have come.
    const now = setupAccount(within);
    if (now?.id !== before?.id || (now !== null && isBound(within, now))) {
      throw new OperatorError("something else was set up meanwhile");
    }
    if (before !== null) remove(within, before, nowMs);
    const wanted = { label: chosen.label, kind: "main", address: chosen.address, parentId: null } as const;
    const made = accountOf(within, wanted, { id: newUuid(randomBytes(16)), createdAtMs: nowMs });
    storeAccount(within, made);
    const name = agentName(agentPrefixOf(within), 1);
    storeAgent(within, sealedAgent(setting, keyring, { ownerAddress: made.ownerAddress, name }));
    return made;
  });
  keyring.reload();
  return account;
}

/** Nothing was ever signed for it, and nobody has a key to it. */
function remove(store: Store, account: Account, nowMs: number): void {
  deleteAccount(store, account.id);
  for (const agent of listAgents(store)) {
    if (agent.ownerAddress === account.ownerAddress) retireAgent(store, agent.address);
  }
  const detail = { owner: account.ownerAddress };
  appendAudit(store, { atMs: nowMs, actor: "operator", event: "account_removed", reference: account.id, detail });
}
