import type { Account } from "../core/account.ts";
import { listAccountRows } from "../store/accounts.ts";
import { listAgentRows, type StoredAgent } from "../store/agents.ts";
import { type KeyRow, listKeyRows, shortName, stricter } from "../store/api-keys.ts";
import { inSnapshot } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { listRevocations, revocationId } from "../store/revocations.ts";
import { type AuditHistory, readHistory } from "./audit-history.ts";

/**
 * What of keys, revocations, accounts and agents the audit log does not tell, or tells otherwise, in plain words. Needs
 * no passphrase, and proves nothing where the log was written anew: that is what its seal is for.
 */
export function compareWithAudit(store: Store): string[] {
  // What a running gateway writes in between would be a row without its audit row.
  return inSnapshot(store, () => {
    const history = readHistory(store);
    return [
      ...compareKeys(history, listKeyRows(store)),
      ...compareRevocations(history, listRevocations(store).map(revocationId)),
      ...compareAccounts(history, listAccountRows(store)),
      ...compareAgents(history, listAgentRows(store)),
    ];
  });
}

function compareKeys({ keys }: AuditHistory, rows: readonly KeyRow[]): string[] {
  const there = new Set(rows.map(({ keyHash }) => keyHash));
  const gone = [...keys.keys()].filter((hash) => !there.has(hash));
  return [
    ...rows.flatMap((row) => keyDifference({ keys }, row) ?? []),
    ...gone.map((hash) => `${shortName(hash)} was registered, and its row is gone`),
  ];
}

/** Null where the log tells of this key as it is, or as it was before it was restricted. */
export function keyDifference({ keys }: Pick<AuditHistory, "keys">, row: KeyRow): string | null {
  const told = keys.get(row.keyHash);
  const name = shortName(row.keyHash);
  if (told === undefined) return `${name} is in the database, and the audit log has no registration of it`;
  const isSame = told.account === row.accountId && told.scopes === row.scopes && told.issuedAtMs === row.issuedAtMs;
  if (!isSame) return `${name} is not as the audit log says that it was registered`;
  if (stricter(row.state, told.state) === row.state) return null;
  return `${name} is ${row.state}, and the audit log says that it is ${told.state}`;
}

function compareRevocations({ revocations }: AuditHistory, rows: readonly string[]): string[] {
  const there = new Set(rows);
  const gone = [...revocations].filter((id) => !there.has(id));
  return gone.map((id) => `the revocation of ${shortName(id.split(" ")[1] ?? "")} is gone`);
}

function compareAccounts({ accounts }: AuditHistory, rows: readonly Account[]): string[] {
  const there = new Set(rows.map(({ id }) => id));
  const gone = [...accounts.keys()].filter((id) => !there.has(id));
  return [
    ...rows.flatMap((row) => accountDifference({ accounts }, row) ?? []),
    ...gone.map((id) => `account ${id} was added, and its row is gone`),
  ];
}

export function accountDifference({ accounts }: Pick<AuditHistory, "accounts">, row: Account): string | null {
  const told = accounts.get(row.id);
  if (told === undefined)
    return `account ${row.id} is in the database, and the audit log does not say that it was added`;
  const { kind, owner, tradingAddress } = told;
  const isSame = kind === row.kind && owner === row.ownerAddress && tradingAddress === row.tradingAddress;
  return isSame ? null : `account ${row.id} is not as the audit log says that it was added`;
}

function compareAgents({ agents }: AuditHistory, rows: readonly StoredAgent[]): string[] {
  const there = new Set(rows.map(({ address }) => address));
  const gone = [...agents.keys()].filter((address) => !there.has(address));
  return [
    ...rows.flatMap((row) => agentDifference({ agents }, row) ?? []),
    ...gone.map((address) => `agent ${address} was made, and its row is gone`),
  ];
}

/** Retired is as good as whatever the log says. */
export function agentDifference({ agents }: Pick<AuditHistory, "agents">, row: StoredAgent): string | null {
  const told = agents.get(row.address);
  if (told === undefined)
    return `agent ${row.address} is in the database, and the audit log does not say that it was made`;
  if (told.owner !== row.ownerAddress || told.name !== row.name) {
    return `agent ${row.address} is not as the audit log says that it was made`;
  }
  if (row.state === "retired" || row.state === told.state) return null;
  return `agent ${row.address} is ${row.state}, and the audit log says that it is ${told.state}`;
}
