/**
 * A directory of before rows were sealed: at its first start under this version each row that the audit log tells of is
 * sealed, once. Only the part of the log that the old seal covers may speak for a row, so that whoever can write the
 * database, or has an older copy of it, cannot have a row of their own taken in.
 */
import { contentOfAccount, listAccountRows } from "../store/accounts.ts";
import { contentOfAgent, listAgentRows } from "../store/agents.ts";
import { contentOfKey, listKeyRows, stricter } from "../store/api-keys.ts";
import { appendAudit, findAuditChain, findBrokenAuditRow, listAuditOf } from "../store/audit.ts";
import type { AuditSeal } from "../store/audit-seal.ts";
import { inTransaction } from "../store/commit.ts";
import { contentOfInstance, findInstance, INSTANCE_ID } from "../store/instance.ts";
import type { Store } from "../store/open.ts";
import { findSealed, listSealed, readSealedRows, vouch } from "../store/sealed-rows.ts";
import { type AuditHistory, readHistory } from "./audit-history.ts";
import { type Believing, unbelievable } from "./believing.ts";
import { accountDifference, agentDifference, keyDifference } from "./compare-with-audit.ts";

/** Written with the first seal over rows: a log that has it was sealed already. */
export const ROWS_SEALED = "rows_sealed";

/** Throws an `OperatorError` where the log cannot speak for the rows. */
export function sealRowsFromBefore({ store, clock }: Believing, seal: AuditSeal): void {
  requireNeverSealed(store);
  if (findBrokenAuditRow(store) !== null || findAuditChain(store, seal.rowId) !== seal.chain) {
    throw unbelievable("its audit log does not hold, and nothing else speaks for its accounts, agents and keys");
  }
  const told = readHistory(store, seal.rowId);
  const now = readHistory(store);
  inTransaction(store, () => {
    sealInstance(store);
    sealAccounts(store, told);
    sealAgents(store, told, now);
    sealKeys(store, told, now);
    for (const id of now.revocations) vouch(store, "revocation", id, "{}");
    const count = (kind: "account" | "agent" | "key") => listSealed(store, kind).length;
    const detail = { accounts: count("account"), agents: count("agent"), keys: count("key") };
    const entry = { atMs: clock.nowMs(), actor: "gateway", event: ROWS_SEALED, reference: "instance", detail };
    appendAudit(store, entry);
  });
}

function requireNeverSealed(store: Store): void {
  const sealed = listAuditOf(store, [ROWS_SEALED], { after: 0, upTo: Number.MAX_SAFE_INTEGER });
  if (sealed.length > 0 || readSealedRows(store).length > 0) {
    throw unbelievable("its seal is one of before its rows were sealed, and they have been");
  }
}

/** Nothing else tells of it: the network is in the seal and in every agent key, the rest is taken as it is found. */
function sealInstance(store: Store): void {
  const instance = findInstance(store);
  if (instance !== null) vouch(store, "instance", INSTANCE_ID, contentOfInstance(instance));
}

function sealAccounts(store: Store, told: AuditHistory): void {
  for (const account of listAccountRows(store)) {
    if (accountDifference(told, account) === null) vouch(store, "account", account.id, contentOfAccount(account));
  }
}

/** What came after the old seal may only have taken away. */
function sealAgents(store: Store, told: AuditHistory, now: AuditHistory): void {
  for (const agent of listAgentRows(store)) {
    const isRetired = now.agents.get(agent.address)?.state === "retired";
    const state = isRetired ? "retired" : agent.state;
    if (agentDifference(told, { ...agent, state }) !== null) continue;
    vouch(store, "agent", agent.address, contentOfAgent({ ...agent, state }));
  }
}

function sealKeys(store: Store, told: AuditHistory, now: AuditHistory): void {
  for (const row of listKeyRows(store)) {
    const hasAccount = findSealed(store, "account", row.accountId) !== null;
    const strict = stricter(
      now.keys.get(row.keyHash)?.state ?? "active",
      told.keys.get(row.keyHash)?.state ?? "active",
    );
    const state = stricter(row.state, strict);
    if (!hasAccount || row.signature !== null || keyDifference(told, { ...row, state }) !== null) continue;
    vouch(store, "key", row.keyHash, contentOfKey({ ...row, state }));
  }
}
