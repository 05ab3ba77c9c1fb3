/** Accounts and their money. In the unified modes one spot balance per token is the collateral of every perp dex. */
import type { Address, LedgerDelta, PerpDex, Venue, VenueAccount, VenueSpotBalance } from "./state.ts";
import type { Turn } from "./turn.ts";

/** Ledger rows kept per account. */
const MAX_LEDGER_ROWS = 10_000;

export function openAccount(venue: Venue, address: Address): VenueAccount {
  const known = venue.accounts.get(address);
  if (known !== undefined) return known;
  const account: VenueAccount = {
    address,
    role: "user",
    master: null,
    name: "",
    mode: "default",
    cash: new Map(),
    spot: new Map(),
    positions: new Map(),
    leverages: new Map(),
    fundingPaid: new Map(),
    openOids: new Set(),
    resting: new Map(),
    cloids: new Map(),
    records: new Map(),
    history: [],
    fills: [],
    fundings: [],
    ledger: [],
    twapHistory: [],
    builderApprovals: new Map(),
    referrer: null,
    volume: 0n,
    volumes: [],
    requests: { used: 0, reserved: 0, freeAtMs: 0 },
    scheduledCancelMs: null,
    scheduledCancels: { dayStartMs: 0, fired: 0 },
    subAccounts: [],
    agentRemovalUntilMs: 0,
    liquidationAfterMs: new Map(),
  };
  venue.accounts.set(address, account);
  return account;
}

export function isUnified(account: VenueAccount): boolean {
  return account.mode === "unifiedAccount" || account.mode === "portfolioMargin";
}

export function dexOf(venue: Venue, index: number): PerpDex {
  const dex = venue.dexes[index];
  if (dex === undefined) throw new Error(`bug: no perp dex ${index}`);
  return dex;
}

export function dexNamed(venue: Venue, name: string): PerpDex | null {
  return venue.dexes.find((dex) => dex.name === name) ?? null;
}

export function collateralOf(venue: Venue, dex: number): number {
  return dexOf(venue, dex).collateralToken;
}

export function spotBalance(account: VenueAccount, token: number): VenueSpotBalance {
  const known = account.spot.get(token);
  if (known !== undefined) return known;
  const fresh: VenueSpotBalance = { total: 0n, entryNotional: 0n };
  account.spot.set(token, fresh);
  return fresh;
}

export function spotTotal(account: VenueAccount, token: number): bigint {
  return account.spot.get(token)?.total ?? 0n;
}

/** Perp cash without entry legs. */
export function cashOf(venue: Venue, account: VenueAccount, dex: number): bigint {
  if (isUnified(account)) return spotTotal(account, collateralOf(venue, dex));
  return account.cash.get(dex) ?? 0n;
}

export function addCash(venue: Venue, account: VenueAccount, dex: number, amount: bigint): void {
  if (isUnified(account)) spotBalance(account, collateralOf(venue, dex)).total += amount;
  else account.cash.set(dex, (account.cash.get(dex) ?? 0n) + amount);
}

/** Notes what came in from outside (or went out, negative), for the sum over everything. */
export function noteDeposit(venue: Venue, token: number, amount: bigint): void {
  addTo(venue.pools.netDeposits, token, amount);
}

export function addTo(amounts: Map<number, bigint>, key: number, amount: bigint): void {
  amounts.set(key, (amounts.get(key) ?? 0n) + amount);
}

/** Takes a fee for the venue's pool; the caller has already charged it. */
export function collectFee(venue: Venue, token: number, amount: bigint): void {
  addTo(venue.pools.fees, token, amount);
}

export function writeLedger(turn: Turn, account: VenueAccount, delta: LedgerDelta): void {
  const row = { timeMs: turn.nowMs, hash: turn.hash, delta };
  account.ledger.push(row);
  if (account.ledger.length > MAX_LEDGER_ROWS) account.ledger.shift();
  turn.events.push({ kind: "ledger", user: account.address, row });
}
