/** What the audit log says of keys, revocations, accounts and agents: each of its rows was written with theirs. */
import { type AuditRow, listAuditOf } from "../store/audit.ts";
import type { Store } from "../store/open.ts";
import { revocationId } from "../store/revocations.ts";

export type ToldKey = { account: string; scopes: string; issuedAtMs: number; state: "active" | "held" | "blocked" };
export type ToldAgent = { owner: string; name: string; state: "new" | "approved" | "retired" };
export type ToldAccount = { kind: string; owner: string; tradingAddress: string };

export type AuditHistory = {
  keys: Map<string, ToldKey>;
  /** By account and key hash, as `revocationId` puts them together. */
  revocations: Set<string>;
  accounts: Map<string, ToldAccount>;
  agents: Map<string, ToldAgent>;
};

type Detail = Readonly<Record<string, unknown>>;

const TELL: Readonly<Record<string, (history: AuditHistory, reference: string, detail: Detail) => void>> = {
  account_added: ({ accounts }, id, detail) => {
    const { kind, owner, trading_address: tradingAddress } = detail;
    accounts.set(id, { kind: String(kind), owner: String(owner), tradingAddress: String(tradingAddress) });
  },
  account_removed: ({ accounts, agents }, id, { owner }) => {
    accounts.delete(id);
    retire(agents, (agent) => agent.owner === owner);
  },
  agent_made: ({ agents }, address, detail) => void agents.set(address, agentOf(detail, "new")),
  agent_imported: ({ agents }, address, detail) =>
    void agents.set(address, agentOf(detail, detail["state"] === "approved" ? "approved" : "new")),
  agent_approved: ({ agents }, address, detail) => {
    const { name, owner } = detail;
    // The exchange forgets whoever had the name.
    retire(agents, (other) => other.owner === owner && other.name === name && other.state === "approved");
    agents.set(address, agentOf(detail, "approved"));
  },
  agent_retired: ({ agents }, address, detail) => void agents.set(address, agentOf(detail, "retired")),
  key_registered: ({ keys }, hash, detail) => void keys.set(hash, keyOf(detail)),
  key_granted_again: ({ keys }, hash, detail) => void keys.set(hash, keyOf(detail)),
  limited_key_granted: ({ keys }, hash, detail) => void keys.set(hash, keyOf(detail)),
  key_released: ({ keys }, hash, detail) => void keys.set(hash, keyOf(detail)),
  key_kept: ({ keys }, hash) => setState(keys, hash, "active"),
  key_blocked: ({ keys }, hash) => setState(keys, hash, "blocked"),
  key_revoked: ({ revocations }, keyHash, { account }) =>
    void revocations.add(revocationId({ accountId: String(account), keyHash })),
  restored: ({ keys, agents }) => {
    for (const [hash, { state }] of keys) if (state === "active") setState(keys, hash, "held");
    retire(agents, () => true);
  },
};

/** Reads the rows behind one row and up to another. Whether the log holds is another question: see `verify-audit`. */
export function readHistory(store: Store, upTo = Number.MAX_SAFE_INTEGER): AuditHistory {
  const history: AuditHistory = { keys: new Map(), revocations: new Set(), accounts: new Map(), agents: new Map() };
  for (const { event, reference, detail } of listAuditOf(store, Object.keys(TELL), { after: 0, upTo })) {
    TELL[event]?.(history, reference, detailOf(detail));
  }
  return history;
}

const TIGHTENING = [
  "key_blocked",
  "key_revoked",
  "agent_retired",
  "restored",
  "trading_stopped",
  "rail_tripped",
  "rails_narrowed",
] as const;

/** The rows behind this one that take something away: these are obeyed without a seal. */
export function listTightening(
  store: Store,
  after: number,
): (AuditRow & { account: string; bot: string | null; told: Detail })[] {
  const rows = listAuditOf(store, TIGHTENING, { after, upTo: Number.MAX_SAFE_INTEGER });
  return rows.map((row) => {
    const told = detailOf(row.detail);
    const { account, key_hash: keyHash } = told;
    return { ...row, told, account: String(account), bot: typeof keyHash === "string" ? keyHash : null };
  });
}

function detailOf(text: string): Detail {
  try {
    const detail: unknown = JSON.parse(text);
    return typeof detail === "object" && detail !== null ? { ...detail } : {};
  } catch {
    // Edited: the chain tells of it.
    return {};
  }
}

function agentOf({ name, owner }: Detail, state: ToldAgent["state"]): ToldAgent {
  return { owner: String(owner), name: String(name), state };
}

function keyOf({ account, scopes, issued_at: issuedAtMs }: Detail): ToldKey {
  return { account: String(account), scopes: String(scopes), issuedAtMs: Number(issuedAtMs), state: "active" };
}

function setState(keys: AuditHistory["keys"], hash: string, state: ToldKey["state"]): void {
  const key = keys.get(hash);
  if (key !== undefined) keys.set(hash, { ...key, state });
}

function retire(agents: AuditHistory["agents"], isMeant: (agent: ToldAgent) => boolean): void {
  for (const [address, agent] of agents) if (isMeant(agent)) agents.set(address, { ...agent, state: "retired" });
}
