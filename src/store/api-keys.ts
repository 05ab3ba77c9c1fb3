import { asc, eq, sql } from "drizzle-orm";
import type { ApiKey, Scope } from "../core/account.ts";
import type { EventType } from "../core/event.ts";
import {
  inGrantOrder,
  type LimitedGrant,
  type LimitedGrantText,
  NOTHING_GRANTED,
  parseLimitedGrant,
  readGrantText,
} from "../core/rails/limited-grant.ts";
import { type KeyState, listedKeyResource } from "../core/resource.ts";
import { findAccountFault } from "./account-faults.ts";
import { findAccount } from "./accounts.ts";
import { appendEvent } from "./events.ts";
import type { Store } from "./open.ts";
import { assignments, columnsBut, placeholders, prepared } from "./prepared.ts";
import { forget, rememberedAsSettled } from "./remembered.ts";
import { insertRevocation, isRevoked, type StoredRevocation } from "./revocations.ts";
import { apiKeys } from "./schema.ts";
import { findSealed, hasSealedRows, isGranted, type RowFault, tellFault, vouch } from "./sealed-rows.ts";

export type StoredKey = ApiKey & {
  state: KeyState;
  /** To the minute, unix milliseconds; null before its first request. */
  lastUsedAtMs: number | null;
  /** What the owner's signature was given for; null for a key of before signatures were kept. */
  grant: OwnersGrant | null;
  /** Why its row is not believed, and opens nothing, in plain words; null where it is. */
  fault: string | null;
  /** Why nothing is written for its account; null where things are as they were sealed. */
  accountFault: string | null;
  /** What a limited key is held to; null for a plain one. */
  limited: LimitedGrant | null;
};

/** The rest of a grant, besides what a key is, and the owner's signature of all of it. */
export type OwnersGrant = {
  audience: string;
  network: string;
  expiresAtMs: number | null;
  signature: string;
  /** What was signed of a limited key; null for a plain one. */
  limited: LimitedGrantText | null;
};

export type KeyRow = typeof apiKeys.$inferSelect;
/** What the operator or a restore says of a key; each is stricter than the one before it. */
const STATES = ["active", "held", "blocked"] as const;
type RowState = (typeof STATES)[number];

const byHash = prepared((store) =>
  store
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.keyHash, sql.placeholder("keyHash")))
    .prepare(),
);

const keyOf = rememberedAsSettled<StoredKey>((store, keyHash) => {
  const row = byHash(store).get({ keyHash });
  return row === undefined ? null : asBelieved(store, row);
});

/** Null for a hash that nobody registered, whatever the database says. */
export function findApiKey(store: Store, keyHash: string): StoredKey | null {
  return keyOf.find(store, keyHash);
}

const ofAccount = prepared((store) =>
  store
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.accountId, sql.placeholder("accountId")))
    .orderBy(asc(apiKeys.registeredAtMs), asc(apiKeys.keyHash))
    .prepare(),
);

const keysOf = rememberedAsSettled<readonly StoredKey[]>((store, accountId) =>
  ofAccount(store)
    .all({ accountId })
    .flatMap((row) => asBelieved(store, row) ?? [])
    .filter(({ fault }) => fault === null),
);

/** Oldest first; those whose rows are not believed are left out. */
export function listApiKeys(store: Store, accountId: string): readonly StoredKey[] {
  return keysOf.find(store, accountId) ?? [];
}

const active = prepared((store) =>
  store.select({ keyHash: apiKeys.keyHash }).from(apiKeys).where(eq(apiKeys.state, "active")).prepare(),
);

const writing = rememberedAsSettled<ReadonlySet<string>>((store) => {
  const keys = active(store)
    .all()
    .flatMap(({ keyHash }) => findApiKey(store, keyHash) ?? []);
  const mayWrite = keys.filter(
    ({ state, fault, scopes }) => state === "active" && fault === null && scopes.includes("trading:write"),
  );
  return new Set(mayWrite.map(({ accountId }) => accountId));
});

/** Ids of the accounts that have a key which may write now; a row that is not believed is none. */
export function accountsThatWrite(store: Store): ReadonlySet<string> {
  return writing.find(store, "") ?? new Set();
}

/** Keys of an account that open something, may write and are held to nothing. */
export function listUnlimitedKeys(store: Store, accountId: string): readonly StoredKey[] {
  return listApiKeys(store, accountId).filter(
    ({ state, scopes, limited }) => state === "active" && limited === null && scopes.includes("trading:write"),
  );
}

const everyRow = prepared((store) =>
  store.select().from(apiKeys).orderBy(asc(apiKeys.registeredAtMs), asc(apiKeys.keyHash)).prepare(),
);

/** The rows, whoever wrote them. */
export function listKeyRows(store: Store): KeyRow[] {
  return everyRow(store).all();
}

/** Null for a row that was planted. That a key is blocked or on hold is obeyed without any proof. */
function asBelieved(store: Store, row: KeyRow): StoredKey | null {
  const key = toKey(row);
  if (!hasSealedRows(store)) return { ...key, state: stateOf(store, row), fault: null, accountFault: null };
  const content = findSealed(store, "key", row.keyHash);
  const changed = keyRowFault(store, row);
  if (changed !== null) tellFault(store, changed);
  if (content === null) return null;
  const state = stricter(row.state, sealedStateOf(content));
  const isWhole = contentOfKey({ ...row, state: sealedStateOf(content) }) === content;
  const unsigned = isWhole ? grantFault(store, row) : null;
  if (unsigned !== null) tellFault(store, unsigned);
  // One that was only loosened is known for what it is.
  const fault = isWhole ? (unsigned?.what ?? null) : (changed?.what ?? null);
  const accountFault = findAccountFault(store, row.accountId);
  return { ...key, state: stateOf(store, { ...row, state }), fault, accountFault };
}

/** What is wrong with a key's row against what was sealed of it; its signature is not looked at. */
export function keyRowFault(store: Store, row: KeyRow): RowFault | null {
  const content = findSealed(store, "key", row.keyHash);
  const name = shortName(row.keyHash);
  const say = (what: string): RowFault => ({ kind: "key", id: row.keyHash, what });
  if (content === null) return say(`${name} is in the database and was never registered: it opens nothing`);
  const state = sealedStateOf(content);
  if (contentOfKey({ ...row, state }) !== content) {
    return say(`the row of ${name} is not the one that was registered: it opens nothing`);
  }
  if (stricter(row.state, state) === row.state) return null;
  return say(`${name} is ${state}, and its row says ${row.state}: it stays ${state}`);
}

/** Null for a key of before signatures were kept: that it was there then is what the seal says of it. */
function grantFault(store: Store, row: KeyRow): RowFault | null {
  if (row.signature === null) return null;
  const owner = findAccount(store, row.accountId)?.ownerAddress ?? null;
  if (owner !== null && isGranted(store, row, owner)) return null;
  const what = `the owner's signature of the grant of ${shortName(row.keyHash)} does not verify: it opens nothing`;
  return { kind: "key", id: row.keyHash, what };
}

/** A whole hash looks like a secret and is cut out of the log. */
export function shortName(keyHash: string): string {
  return `API key ${keyHash.slice(0, SHOWN_DIGITS)}…`;
}

/** Digits of a hash that are enough to find it by. */
const SHOWN_DIGITS = 16;

function toKey(row: KeyRow): Omit<StoredKey, "state" | "fault" | "accountFault"> {
  const { keyHash, accountId, issuedAtMs, registeredAtMs, lastUsedAtMs, audience, network, signature } = row;
  // The column holds only what `insertApiKey` wrote: scopes joined by commas.
  const scopes = row.scopes.split(",") as Scope[];
  const isSigned = audience !== null && network !== null && signature !== null;
  const limited = row.limitedGrant === null ? null : readGrantText(row.limitedGrant);
  const grant = isSigned ? { audience, network, expiresAtMs: row.expiresAtMs, signature, limited } : null;
  return {
    keyHash,
    accountId,
    scopes,
    issuedAtMs,
    registeredAtMs,
    lastUsedAtMs,
    grant,
    limited: limitedGrantOf(row),
  };
}

/** A limited key whose text cannot be read is never taken for a plain one. */
export function limitedGrantOf({
  keyHash,
  limitedGrant,
}: Pick<KeyRow, "keyHash" | "limitedGrant">): LimitedGrant | null {
  if (limitedGrant === null) return null;
  const grant = grantIn(limitedGrant);
  return grant?.keyHash === keyHash ? grant : NOTHING_GRANTED;
}

/** Texts that were read lately: all rows are read again when any of them has changed, and what was signed never does. */
const READ = new Map<string, LimitedGrant | null>();
const MAX_READ = 1_000;

function grantIn(signed: string): LimitedGrant | null {
  const known = READ.get(signed);
  if (known !== undefined) return known;
  const text = readGrantText(signed);
  const parsed = text === null ? null : parseLimitedGrant(text);
  const grant = parsed?.kind === "grant" ? parsed.grant : null;
  if (READ.size >= MAX_READ) READ.clear();
  READ.set(signed, grant);
  return grant;
}

function stateOf(store: Store, { accountId, keyHash, state }: KeyRow): KeyState {
  return isRevoked(store, accountId, keyHash) ? "revoked" : state;
}

export function stricter(a: RowState, b: RowState): RowState {
  return STATES.indexOf(a) > STATES.indexOf(b) ? a : b;
}

/** What is sealed of a key: all but when it was used last. */
export function contentOfKey(row: Omit<KeyRow, "lastUsedAtMs">): string {
  const { keyHash, accountId, scopes, issuedAtMs, registeredAtMs, state } = row;
  const { audience, network, expiresAtMs, signature, limitedGrant } = row;
  const signed = { audience, network, expiresAtMs, signature };
  // Plain keys are sealed as they were before there were others.
  const limited = limitedGrant === null ? {} : { limitedGrant };
  return JSON.stringify({ keyHash, accountId, scopes, issuedAtMs, registeredAtMs, ...signed, ...limited, state });
}

function sealedStateOf(content: string): RowState {
  // Only `contentOfKey` makes what the seal covers.
  return (JSON.parse(content) as Pick<KeyRow, "state">).state;
}

const put = prepared((store) => {
  const set = assignments(apiKeys, columnsBut(apiKeys, ["keyHash", "lastUsedAtMs"]));
  return store
    .insert(apiKeys)
    .values(placeholders(apiKeys))
    .onConflictDoUpdate({ target: apiKeys.keyHash, set })
    .prepare();
});

/** Replaces a row of this hash, of which the caller has made sure that it may go. */
export function putApiKey(store: Store, key: ApiKey, grant: OwnersGrant | null = null): void {
  const scopes = [...key.scopes].sort().join(",");
  const { keyHash, accountId, issuedAtMs, registeredAtMs } = key;
  const { audience = null, network = null, expiresAtMs = null, signature = null } = grant ?? {};
  const limitedGrant = grant?.limited == null ? null : JSON.stringify(inGrantOrder(grant.limited));
  const signed = { audience, network, expiresAtMs, signature, limitedGrant };
  const row = { keyHash, accountId, scopes, issuedAtMs, registeredAtMs, ...signed, state: "active" as const };
  put(store).run({ ...row, lastUsedAtMs: null });
  vouch(store, "key", keyHash, contentOfKey(row));
  forget(store);
}

export function insertApiKey(store: Store, key: ApiKey, grant: OwnersGrant | null = null): void {
  putApiKey(store, key, grant);
  tellKey(store, key.keyHash, "key.registered", key.registeredAtMs);
}

/** For callers that know the key. */
function tellKey(store: Store, keyHash: string, type: EventType, atMs: number): void {
  const key = findApiKey(store, keyHash);
  if (key === null) return;
  const payload = JSON.stringify(listedKeyResource(key));
  appendEvent(store, { accountId: key.accountId, atMs, type, resourceId: keyHash, payload });
}

/** One-way; works before the key was registered, and again. */
export function revokeApiKey(store: Store, revocation: StoredRevocation): void {
  if (!insertRevocation(store, revocation)) return;
  const { accountId, keyHash, revokedAtMs: atMs } = revocation;
  const key = findApiKey(store, keyHash);
  // A hash that was never registered for this account has nothing to show but itself.
  const isOwn = key !== null && key.accountId === accountId;
  const shown = isOwn
    ? listedKeyResource(key)
    : { object: "api_key", account: accountId, key_hash: keyHash, state: "revoked" };
  const payload = JSON.stringify(shown);
  appendEvent(store, { accountId, atMs, type: "key.revoked", resourceId: keyHash, payload });
}

/** Notes that a key was used; callers do so once a minute at most. */
export function noteKeyUse(store: Store, keyHash: string, lastUsedAtMs: number): void {
  store.update(apiKeys).set({ lastUsedAtMs }).where(eq(apiKeys.keyHash, keyHash)).run();
  // Nothing else has changed: all keys' rows need not be read and compared anew for it.
  const known = keyOf.find(store, keyHash);
  if (known === null) return;
  keyOf.put(store, keyHash, { ...known, lastUsedAtMs });
  keysOf.drop(store, known.accountId);
}

const STATE_EVENT = { active: "key.released", blocked: "key.blocked", held: "key.held" } as const;

/** Sets what the operator, or a restore, says of a key. A revocation is a row of its own and outlives this. */
export function setKeyState(store: Store, keyHash: string, state: RowState, atMs: number): void {
  store.update(apiKeys).set({ state }).where(eq(apiKeys.keyHash, keyHash)).run();
  vouchForKeyState(store, keyHash, state);
  forget(store);
  tellKey(store, keyHash, STATE_EVENT[state], atMs);
}

/** What was sealed of a key's state, whatever became of its row; null for one that was never registered. */
export function sealedKeyState(store: Store, keyHash: string): RowState | null {
  const content = findSealed(store, "key", keyHash);
  return content === null ? null : sealedStateOf(content);
}

/** Of what was sealed, and never of the row, only the state has changed. */
export function vouchForKeyState(store: Store, keyHash: string, state: RowState): void {
  const content = findSealed(store, "key", keyHash);
  // Only `contentOfKey` makes what the seal covers.
  if (content !== null) vouch(store, "key", keyHash, contentOfKey({ ...(JSON.parse(content) as KeyRow), state }));
}
