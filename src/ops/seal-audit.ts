/**
 * The hash chain shows what was changed by somebody who does not compute it anew. Who can write the database can do
 * that as well, so its head is sealed now and then under a key that comes of the passphrase and is not on the disk.
 */
import { timingSafeEqual } from "node:crypto";
import { type AuditHead, findAuditChain, findAuditHead, findBrokenAuditRow } from "../store/audit.ts";
import { type AuditSeal, findAuditSeal, putAuditSeal } from "../store/audit-seal.ts";
import { inTransactionNotWaiting } from "../store/commit.ts";
import type { Store } from "../store/open.ts";
import { digestOfBelieved } from "../store/sealed-rows.ts";
import type { Keyring } from "./keyring.ts";
import type { Operator } from "./operator.ts";

/** Rows written since are covered by the chain alone, milliseconds. */
export const SEAL_INTERVAL_MS = 60_000;

/** Of a seal that covers the log alone, as all were once, and of one that covers the sealed rows as well. */
const PURPOSES = { log: "postern-audit-seal-1", rows: "postern-audit-seal-2" } as const;

type AuditSealing = Pick<Operator, "store"> & { clock: Pick<Operator["clock"], "nowMs">; keyring: MacKeys };
export type MacKeys = Pick<Keyring, "mac" | "network">;

export function isGenuineSeal(keyring: MacKeys, seal: AuditSeal): boolean {
  const wanted = Buffer.from(macOfSeal(keyring, seal), "hex");
  const given = Buffer.from(seal.mac, "hex");
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

/**
 * What is wrong with the log since its last seal, in plain words, or null. Quick, however long the log is: what lies
 * before the seal is `postern audit verify`'s.
 */
export function auditFaultSinceSeal(sealing: AuditSealing): string | null {
  const { store } = sealing;
  const seal = findAuditSeal(store);
  if (seal === null) return "its seal is missing";
  if (!isGenuineSeal(sealing.keyring, seal)) return "its seal was not made with this passphrase";
  if (findAuditChain(store, seal.rowId) !== seal.chain) return `row ${seal.rowId} is not the one that was sealed`;
  const broken = findBrokenAuditRow(store, seal);
  return broken === null ? null : `row ${broken} does not follow from the one before it`;
}

/**
 * Seals the head where it has moved, and says what it is. Never over a seal that does not fit, and never where the
 * set-up's is missing: that would wipe the evidence away.
 */
export function sealAudit(sealing: AuditSealing): AuditHead {
  const { store, clock, keyring } = sealing;
  const head = findAuditHead(store);
  const last = findAuditSeal(store);
  const isNews = last !== null && (last.rowId !== head.rowId || last.rowsDigest !== digestOfBelieved(store));
  if (!isNews || !isStillThere(sealing, last)) return head;
  // What the power takes with it is sealed again a minute later.
  inTransactionNotWaiting(store, (within) => putSeal(within, keyring, clock.nowMs()));
  return head;
}

/** Part of the set-up's own transaction: from then on a log without a seal is one whose seal was taken away. */
export function putSeal(store: Store, keyring: MacKeys, sealedAtMs: number): void {
  sealAt(findAuditHead(store), { store, keyring, sealedAtMs });
}

/**
 * Part of a transaction that has changed sealed rows. A log that is not the one that was sealed stays told by the head
 * that the seal has; a seal that is missing, or is not ours, stays so.
 */
export function sealRows({ store, keyring, clock }: AuditSealing): void {
  const last = findAuditSeal(store);
  if (last === null || !isGenuineSeal(keyring, last)) return;
  const { rowId, chain } = isStillThere({ store, keyring }, last) ? findAuditHead(store) : last;
  sealAt({ rowId, chain }, { store, keyring, sealedAtMs: clock.nowMs() });
}

type SealingAt = Pick<AuditSealing, "store" | "keyring"> & { sealedAtMs: number };

function sealAt(head: AuditHead, { store, keyring, sealedAtMs }: SealingAt): void {
  const unsigned = { ...head, sealedAtMs, rowsDigest: digestOfBelieved(store) };
  putAuditSeal(store, { ...unsigned, mac: macOfSeal(keyring, unsigned) });
}

function isStillThere({ store, keyring }: Pick<AuditSealing, "store" | "keyring">, seal: AuditSeal): boolean {
  return isGenuineSeal(keyring, seal) && findAuditChain(store, seal.rowId) === seal.chain;
}

function macOfSeal({ mac, network }: MacKeys, seal: Omit<AuditSeal, "mac">): string {
  const { rowId, chain, sealedAtMs, rowsDigest } = seal;
  const log = [network, rowId, chain, sealedAtMs];
  if (rowsDigest === null) return mac(PURPOSES.log, JSON.stringify(log));
  return mac(PURPOSES.rows, JSON.stringify([...log, rowsDigest]));
}
