/**
 * Checks, when the passphrase has just been given, what the database may be believed of: the seal, the copies of rows
 * that it covers, and then every row against its copy. From then on this connection seals what it changes.
 */
import type { Network } from "../core/account.ts";
import { parseDecimal, ZERO } from "../core/decimal.ts";
import { parseLimitedGrant, readGrantText } from "../core/rails/limited-grant.ts";
import type { Trip } from "../core/rails/trip.ts";
import { findSealedAgent, vouchForAgent } from "../store/agents.ts";
import { sealedKeyState, stricter, vouchForKeyState } from "../store/api-keys.ts";
import { type AuditSeal, findAuditSeal } from "../store/audit-seal.ts";
import { inTransaction } from "../store/commit.ts";
import { sealHold } from "../store/hooks.ts";
import { sealNarrowing } from "../store/narrowings.ts";
import type { Store } from "../store/open.ts";
import { revocationId } from "../store/revocations.ts";
import { listRowFaults } from "../store/row-faults.ts";
import {
  believe,
  digestOfRows,
  listSealed,
  readSealedRows,
  type SealedRow,
  type SignedKey,
  tellFault,
  vouch,
} from "../store/sealed-rows.ts";
import { sealStop } from "../store/stops.ts";
import { sealTrip } from "../store/trips.ts";
import { grantDigest, limitedGrantDigest, signerOf } from "../wire/grant.ts";
import { listTightening } from "./audit-history.ts";
import { type Believing, unbelievable } from "./believing.ts";
import { OperatorError } from "./operator.ts";
import { isGenuineSeal, type MacKeys, putSeal, sealRows } from "./seal-audit.ts";
import { sealRowsFromBefore } from "./seal-rows-from-before.ts";

/**
 * Throws an `OperatorError` where nothing can be believed. Otherwise every row that is not as it was sealed has been
 * told, and is not used. What was taken away meanwhile without the passphrase, by `key block` say, is sealed now.
 */
export function believeRows(believing: Believing): void {
  const { store } = believing;
  const seal = requireSeal(believing);
  if (seal.rowsDigest === null) {
    believe(store, [], sealerOf(believing));
    sealRowsFromBefore(believing, seal);
  } else {
    believe(store, requireCopies(store, seal), sealerOf(believing));
    inTransaction(store, () => obey(store, seal.rowId));
  }
  for (const fault of listRowFaults(store)) tellFault(store, fault);
}

/** What whoever has the passphrase says of the seal, and of each row that is not as it was sealed, in plain words. */
export type SealCheck = { isGenuine: boolean; rowFaults: string[] };

/** For a connection that believes its rows already. */
export function checkSeal(store: Store, { keyring, seal }: { keyring: MacKeys; seal: AuditSeal }): SealCheck {
  return { isGenuine: isGenuineSeal(keyring, seal), rowFaults: listRowFaults(store).map(({ what }) => what) };
}

/** For a connection that only reads; of rows of before they were sealed there is nothing to say. */
export function checkSealBeside(believing: Believing, seal: AuditSeal): SealCheck {
  const { store, keyring } = believing;
  if (seal.rowsDigest === null || !isGenuineSeal(keyring, seal)) return checkSeal(store, { keyring, seal });
  try {
    believe(store, requireCopies(store, seal), sealerOf(believing));
    return checkSeal(store, { keyring, seal });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { isGenuine: true, rowFaults: [error.message] };
  }
}

/** For a database that is being made: what is written from now on is sealed. */
export function believeNothingYet(believing: Believing): void {
  const { store, keyring, clock } = believing;
  believe(store, [], { ...sealerOf(believing), seal: (within) => putSeal(within, keyring, clock.nowMs()) });
}

function sealerOf({ keyring, clock, tell }: Believing) {
  return {
    seal: (store: Store) => sealRows({ store, keyring, clock }),
    isGranted: (row: SignedKey, ownerAddress: string) => isGrantedBy(row, ownerAddress, keyring.network),
    tell,
  };
}

function requireSeal({ store, keyring }: Believing): AuditSeal {
  const seal = findAuditSeal(store);
  if (seal === null) throw unbelievable("its seal is missing, and every set-up makes one");
  if (!isGenuineSeal(keyring, seal)) throw unbelievable("its seal was not made with this passphrase for this network");
  return seal;
}

function requireCopies(store: Store, seal: AuditSeal): SealedRow[] {
  const rows = readSealedRows(store);
  if (digestOfRows(rows) !== seal.rowsDigest) {
    throw unbelievable("the sealed copies of its accounts, agents and keys are not those that were sealed");
  }
  return rows;
}

/**
 * What only takes away needs no proof. A row that does is obeyed for as long as it is there; what the audit log tells
 * of commands that had no passphrase is sealed, so that it cannot be taken back.
 */
function obey(store: Store, sealedRowId: number): void {
  for (const { event, reference, account, bot, told, atMs, actor } of listTightening(store, sealedRowId)) {
    if (event === "key_blocked") tighten(store, reference, "blocked");
    if (event === "agent_retired") retire(store, reference);
    if (event === "key_revoked") {
      vouch(store, "revocation", revocationId({ accountId: account, keyHash: reference }), "{}");
    }
    if (event === "trading_stopped") {
      sealStop(store, reference, { accountId: account, scope: bot === null ? "account" : "bot", keyHash: bot });
    }
    if (event === "rail_tripped") sealTrip(store, tripTold(told, { bot: reference, atMs }));
    if (event === "rails_narrowed") {
      const { id, rails } = told;
      const row = { id: String(id), accountId: account, bot: reference, rails: String(rails), actor };
      sealNarrowing(store, { ...row, createdAtMs: atMs });
    }
    if (event === "restored") {
      for (const [keyHash] of listSealed(store, "key")) tighten(store, keyHash, "held");
      sealHold(store);
      for (const [address] of listSealed(store, "agent")) retire(store, address);
    }
  }
}

function tripTold(told: Readonly<Record<string, unknown>>, { bot, atMs }: { bot: string; atMs: number }): Trip {
  const { id, account, cause, day, loss, limit } = told;
  return {
    id: String(id),
    accountId: String(account),
    bot,
    cause: cause === "loss" ? "loss" : "restored",
    day: Number(day),
    loss: parseDecimal(String(loss)) ?? ZERO,
    limit: parseDecimal(String(limit)),
    createdAtMs: atMs,
    clearedAtMs: null,
  };
}

function tighten(store: Store, keyHash: string, state: "active" | "held" | "blocked"): void {
  const sealed = sealedKeyState(store, keyHash);
  if (sealed !== null) vouchForKeyState(store, keyHash, stricter(sealed, state));
}

function retire(store: Store, address: string): void {
  if (findSealedAgent(store, address) !== null) vouchForAgent(store, address, { state: "retired" });
}

/** What an audience of each network begins with: see `config.ts`. */
const AUDIENCE_STARTS = { mainnet: /^https?:/, testnet: /^testnet\+/, paper: /^paper\+/ } as const;

/**
 * Whether the owner signed just this row, for a gateway of this network. The gateway's address may have changed since:
 * that it was this gateway's then is what the seal says.
 */
export function isGrantedBy(row: SignedKey, ownerAddress: string, network: Network): boolean {
  const { audience, signature, expiresAtMs, keyHash, accountId, issuedAtMs } = row;
  if (audience === null || signature === null || row.network === null) return false;
  if (!AUDIENCE_STARTS[network].test(audience)) return false;
  if (row.limitedGrant !== null) return isLimitedGrantBy({ ...row, signature }, ownerAddress, network);
  const scopes = row.scopes.split(",");
  const grant = { audience, accountId, network: row.network, keyHash, scopes, issuedAtMs, expiresAtMs };
  return signerOf(grantDigest(grant), signature) === ownerAddress;
}

/** Its rails are parsed from the text that verifies here, and the row's other columns say nothing else. */
function isLimitedGrantBy(row: SignedKey & { signature: string }, ownerAddress: string, network: Network): boolean {
  const text = row.limitedGrant === null ? null : readGrantText(row.limitedGrant);
  const parsed = text === null ? null : parseLimitedGrant(text);
  if (text === null || parsed?.kind !== "grant") return false;
  const { grant } = parsed;
  const isOfRow =
    grant.keyHash === row.keyHash &&
    grant.accountId === row.accountId &&
    grant.scopes.join(",") === row.scopes &&
    grant.issuedAtMs === row.issuedAtMs &&
    grant.expiresAtMs === row.expiresAtMs &&
    grant.audience === row.audience &&
    grant.network === row.network &&
    grant.network === network &&
    grant.ownerAddress === ownerAddress;
  return isOfRow && signerOf(limitedGrantDigest(text), row.signature) === ownerAddress;
}
