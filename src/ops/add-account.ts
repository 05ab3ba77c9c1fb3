import type { Account, AccountKind } from "../core/account.ts";
import { newUuid } from "../core/uuid.ts";
import { findAccount, insertAccount, listAccounts } from "../store/accounts.ts";
import { isAgentAddress } from "../store/agents.ts";
import { appendAudit } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { parseAddress } from "../wire/hex.ts";
import { type Operator, OperatorError } from "./operator.ts";

export type NewAccount = {
  label: string;
  kind: AccountKind;
  /** The owner of a main account; the trading address of every other kind. */
  address: string;
  /** The main account behind every other kind. */
  parentId: string | null;
};

/** Characters of a label. */
const MAX_LABEL = 64;
/** Accounts of one gateway. */
const MAX_ACCOUNTS = 1_000;

export function addAccount(operator: Operator, wanted: NewAccount): Account {
  const nowMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const account = accountOf(store, wanted, { id: newUuid(operator.randomBytes(16)), createdAtMs: nowMs });
    storeAccount(store, account);
    return account;
  });
}

/** Stores a new account and says so in the audit log; for callers that are in a transaction already. */
export function storeAccount(store: Store, account: Account): void {
  insertAccount(store, account);
  appendAudit(store, {
    atMs: account.createdAtMs,
    actor: "operator",
    event: "account_added",
    reference: account.id,
    detail: { kind: account.kind, owner: account.ownerAddress, trading_address: account.tradingAddress },
  });
}

type Birth = Pick<Account, "id" | "createdAtMs">;

/** The account that is wanted, checked against those there are. */
export function accountOf(store: Store, wanted: NewAccount, birth: Birth): Account {
  const address = parseAddress(wanted.address);
  if (address === null) throw new OperatorError("an address is 0x and 40 hex digits");
  if (!/^[\x20-\x7e]+$/.test(wanted.label) || wanted.label.length > MAX_LABEL) {
    throw new OperatorError(`a label has 1 to ${MAX_LABEL} printable ASCII characters`);
  }
  if (isAgentAddress(store, address)) {
    throw new OperatorError(`${address} is or was an agent here: an account's own key is never kept`);
  }
  const known = listAccounts(store);
  if (known.length >= MAX_ACCOUNTS) throw new OperatorError(`there are ${MAX_ACCOUNTS} accounts already`);
  const owner = wanted.kind === "main" ? address : parentOf(store, wanted).ownerAddress;
  const twin = known.find((account) => account.tradingAddress === address && account.kind === wanted.kind);
  if (twin !== undefined) throw new OperatorError(`account ${twin.id} has this address already`);
  const { label, kind, parentId } = wanted;
  return { ...birth, label, kind, parentId, ownerAddress: owner, tradingAddress: address };
}

function parentOf(store: Store, wanted: NewAccount): Account {
  const parent = wanted.parentId === null ? null : findAccount(store, wanted.parentId.toLowerCase());
  if (parent === null || parent.kind !== "main") {
    throw new OperatorError(`a ${wanted.kind} account belongs to a main account: name it with --parent`);
  }
  return parent;
}
