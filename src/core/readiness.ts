/** Why an order that makes a position larger is not taken now: the closed list, in words that name nobody. */
export const OBSTACLES = {
  draining: "the gateway is shutting down",
  on_trial: "an upgrade is being checked",
  starting: "what was in flight at the last stop is still being looked up",
  writes_stopped: "writes are stopped",
  trading_stopped: "trading is stopped, until postern resume or the owner's signature: cancels and reductions pass",
  changed_outside: "the database was changed from outside: see postern doctor",
  no_descriptors: "no file descriptor is left (EMFILE): none can be opened to the exchange",
  disk_full: "there is too little room where the database is",
  storage_failing: "the database cannot be written",
  markets_unread: "the markets have not been read from the exchange yet",
  restoring: "what was traded since the restored snapshot is still being read",
  exchange_unreachable: "the exchange has not answered for a minute",
  no_agent: "no agent key is approved, or its approval has ended",
  agent_locked: "the agent key that was approved is not open on this machine",
  agent_unlisted: "the exchange does not list the agent key that signs any more",
  markets_old: "the list of markets is older than five minutes and could not be read again",
  slowed_down: "the exchange has told this gateway to slow down",
  exchange_budget: "what the exchange lets this machine or the account send is used up for the moment",
  not_set_up: "there is no account yet",
} as const satisfies Record<string, string>;

export type ObstacleReason = keyof typeof OBSTACLES;

/** An account, by its place in the list of all (from 1 on), and why its orders are not taken; null when they are. */
export type AccountReadiness = {
  accountId: string;
  place: number;
  reason: ObstacleReason | null;
  detail: string | null;
};

export type Readiness = {
  /** Accounts that have a key which may write; all that may have one, while none has. */
  accounts: readonly AccountReadiness[];
  /** Of all accounts there are. */
  accountsInAll: number;
};

export function isReady({ accounts }: Readiness): boolean {
  return accounts.length > 0 && !accounts.some(isRefused);
}

/** Of these accounts, those in which somebody has stopped trading, and nothing else stands in the way. */
export function countStopped({ accounts }: Readiness): number {
  return accounts.filter(isStopped).length;
}

/** A stop is on purpose: whoever watches the gateway is not to be called for it. */
function isStopped({ reason }: AccountReadiness): boolean {
  return reason === "trading_stopped";
}

function isRefused(account: AccountReadiness): boolean {
  return account.reason !== null && !isStopped(account);
}

/** In one sentence without a name: which accounts' orders are not taken, and why. Null while all are, or are stopped on purpose. */
export function notReadyWords(readiness: Readiness): string | null {
  const { accounts, accountsInAll } = readiness;
  if (accounts.length === 0) return `not_set_up (${OBSTACLES.not_set_up})`;
  const refused = accounts.filter(isRefused);
  const causes = new Set(refused.map(causeOf));
  if (refused.length === 0) return null;
  // With one that counts among several, it has to be said which.
  const isSaid = accounts.length > 1 || accountsInAll === 1;
  if (refused.length === accounts.length && causes.size === 1 && isSaid) return [...causes].join("");
  return refused.map((each) => `account ${each.place} of ${accountsInAll}: ${causeOf(each)}`).join("; ");
}

function causeOf({ reason, detail }: AccountReadiness): string {
  if (reason === null) return "";
  return `${reason} (${OBSTACLES[reason]}${detail === null ? "" : `: ${detail}`})`;
}
