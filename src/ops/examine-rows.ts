/** Whether keys, revocations, accounts and agents are those that were registered, added and made here. */
import { counted } from "../core/counted.ts";
import { listAccounts } from "../store/accounts.ts";
import { type KeyRow, listKeyRows, shortName } from "../store/api-keys.ts";
import { findInstance } from "../store/instance.ts";
import type { Store } from "../store/open.ts";
import { listRevocations, revocationId } from "../store/revocations.ts";
import { isGrantedBy } from "./believe-rows.ts";
import { compareWithAudit } from "./compare-with-audit.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const TODO = "find out who can write this database, and put a backup in its place: postern restore";

/** `rowFaults`: what whoever has the passphrase says; null when nobody was asked. */
export function examineRows(store: Store, rowFaults: readonly string[] | null): Finding[] {
  const rows = listKeyRows(store);
  const revoked = new Set(listRevocations(store).map(revocationId));
  const opening = rows.filter((row) => row.state !== "blocked" && !revoked.has(revocationId(row)));
  const unsigned = opening.filter(({ signature }) => signature === null);
  const faults = [...(rowFaults ?? []), ...compareWithAudit(store), ...forgedGrants(store, rows)];
  const all = `${counted(rows.length, "API key")}, ${counted(listAccounts(store).length, "account")}`;
  const found = `${all} and the agents are as the audit log says`;
  const whole = ok(
    "rows",
    `${found}${rowFaults === null ? "; not compared with the seal" : ", and as they were sealed"}`,
  );
  return [
    ...(faults.length === 0 ? [whole] : [...new Set(faults)].map((what) => fault("rows", what, TODO))),
    ...(unsigned.length === 0 ? [] : [beforeSignatures(unsigned)]),
  ];
}

function forgedGrants(store: Store, rows: readonly KeyRow[]): string[] {
  const network = findInstance(store)?.network ?? "mainnet";
  const owners = new Map(listAccounts(store).map(({ id, ownerAddress }) => [id, ownerAddress]));
  const forged = rows.filter(
    (row) => row.signature !== null && !isGrantedBy(row, owners.get(row.accountId) ?? "", network),
  );
  return forged.map(({ keyHash }) => `the owner's signature of the grant of ${shortName(keyHash)} does not verify`);
}

function beforeSignatures(rows: readonly KeyRow[]): Finding {
  const names = rows.map(({ keyHash }) => keyHash.slice(0, SHOWN_DIGITS)).join(", ");
  const old = rows.length === 1 ? "1 API key was" : `${rows.length} API keys were`;
  const found = `${old} registered before the owner's signature was kept, with the seal alone to go by: ${names}`;
  return warning(
    "grants",
    found,
    "let the owner grant them again under the same hash: postern key grant --key-hash HASH",
  );
}

const SHOWN_DIGITS = 16;
