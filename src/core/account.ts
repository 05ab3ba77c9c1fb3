/** Which network a data directory is bound to, for good. */
export type Network = "mainnet" | "testnet" | "paper";

export type AccountKind = "main" | "subaccount" | "vault" | "copy";

export type Account = {
  id: string;
  label: string;
  kind: AccountKind;
  /** Signs grants; lower-case address. */
  ownerAddress: string;
  /** Whose positions and orders these are; lower-case address. */
  tradingAddress: string;
  /** The main account that a subaccount, vault or copy belongs to. */
  parentId: string | null;
  createdAtMs: number;
};

export type Scope = "trading:read" | "trading:write";

export type ApiKey = {
  keyHash: string;
  accountId: string;
  /** Sorted. */
  scopes: readonly Scope[];
  issuedAtMs: number;
  registeredAtMs: number;
};

/** The network word that requests and answers of the API carry, whatever the true network. */
export const API_NETWORK = "exchange_mainnet" as const;

/** `vaultAddress` of actions for this account, or null where the agent's master is the trader itself. */
export function vaultAddressOf(account: Account): string | null {
  return account.kind === "subaccount" || account.kind === "vault" ? account.tradingAddress : null;
}

/** An agent (API wallet) key that signs for one owner. The private key is sealed and not in here. */
export type Agent = {
  address: string;
  ownerAddress: string;
  /** `postern-k7q2m-1`, `…-2` …: the exchange's slot. */
  name: string;
  state: "new" | "approved" | "retired";
  createdAtMs: number;
  approvedAtMs: number | null;
  validUntilMs: number | null;
};

/** What the exchange said of an agent when it was last asked. */
export type AgentStanding = "listed" | "missing" | "not_asked";
