import { API_NETWORK } from "../core/account.ts";
import { auditFacts, isKeyHash } from "../core/audit-words.ts";
import { ApiError } from "../core/errors.ts";
import { pageLooked } from "../core/page.ts";
import { isoTime, listText } from "../core/resource.ts";
import type { With } from "../deps.ts";
import { findAccount, listAccounts } from "../store/accounts.ts";
import { findAgentRow } from "../store/agents.ts";
import { findApiKey } from "../store/api-keys.ts";
import { type AuditPlace, type AuditRow, listToldAudit } from "../store/audit.ts";
import { botOf } from "../store/bots.ts";
import type { Looked } from "../store/looked-through.ts";
import type { Store } from "../store/open.ts";
import { findOrder } from "../store/orders.ts";
import { findStop } from "../store/stops.ts";
import type { Caller } from "../write/caller.ts";
import type { ReadAnswer } from "./answer.ts";
import { filterOf, type ListFilter, type WantedFilter } from "./list-filter.ts";

export type ListAudit = {
  cursor: string | null;
  /** 1 to 500. */
  limit: number;
  filter: WantedFilter;
};

/** `GET /v1/audit`: newest first; a row's id is its time and its number. */
export function listAudit(deps: With<"markets" | "store">, caller: Caller, wanted: ListAudit): ReadAnswer {
  const { cursor, limit } = wanted;
  const filter = filterOf(deps, caller, wanted.filter);
  const after = requirePlace(cursor);
  const looked = lookForAudit(deps.store, { accountId: caller.account.id, after, limit, filter });
  const page = pageLooked(looked, limit, idOf);
  const data = page.rows.map((row) => auditResource(deps, caller.account.id, row));
  return { body: listText(data, page.nextCursor), asOfMs: null };
}

const PLACE = /^([0-9]{1,15})-([0-9]{1,15})$/;

function requirePlace(cursor: string | null): AuditPlace | null {
  const place = cursor === null ? null : placeOf(cursor);
  if (cursor === null || place !== null) return place;
  throw new ApiError("invalid_cursor", "`cursor` is the `next_cursor` of an earlier page of this list.");
}

/** Of an id; null where it is none. */
export function placeOf(id: string): AuditPlace | null {
  const [, atMs, number] = PLACE.exec(id) ?? [];
  return atMs === undefined || number === undefined ? null : { atMs: Number(atMs), id: Number(number) };
}

function idOf({ atMs, id }: AuditRow): string {
  return `${atMs}-${id}`;
}

/** Rows that one page looks through: some milliseconds. */
const MAX_LOOKED_THROUGH = 1_000;

export type AuditPage = { accountId: string; after: AuditPlace | null; limit: number; filter: ListFilter | null };

/** Rows of this account, and one more than the limit: what is of the machine and of no account its operator reads. */
export function lookForAudit(
  store: Store,
  { accountId, after, limit, filter }: AuditPage,
  most = MAX_LOOKED_THROUGH,
): Looked<AuditRow> {
  const { sinceMs = null, untilMs = null, market = null, keyHashes = null } = filter ?? {};
  const rows = listToldAudit(store, { sinceMs, untilMs, after }, most);
  const isIt = (row: AuditRow) =>
    accountOf(store, row) === accountId &&
    (market === null || factOf(row, "market") === market) &&
    (keyHashes === null || keyHashes.some((hash) => isOfKey(store, row, hash)));
  const last = rows.length === most ? rows.at(-1) : undefined;
  const lookedTo = last === undefined ? null : { atMs: last.atMs, id: idOf(last) };
  return { rows: rows.filter(isIt).slice(0, limit + 1), lookedTo };
}

function factOf({ detail }: AuditRow, name: string): string | null {
  return auditFacts(detail).find((fact) => fact.name === name)?.value ?? null;
}

/** Every event says whose it is in one of these ways; null for one of no account. */
function accountOf(store: Store, row: AuditRow): string | null {
  const { actor, reference } = row;
  const said = factOf(row, "account");
  if (said !== null) return said;
  const key = findApiKey(store, actor) ?? findApiKey(store, reference);
  if (key !== null) return key.accountId;
  return (
    findAccount(store, reference)?.id ??
    findOrder(store, reference)?.accountId ??
    findStop(store, reference)?.accountId ??
    accountOfAgent(store, reference)
  );
}

/** An agent is of its owner, whose account may be several: then it is told to none. */
function accountOfAgent(store: Store, address: string): string | null {
  const owner = findAgentRow(store, address)?.ownerAddress;
  const own = listAccounts(store).filter(({ ownerAddress }) => ownerAddress === owner);
  return own.length === 1 ? (own[0]?.id ?? null) : null;
}

/** By it, about it, or about its bot. */
function isOfKey(store: Store, row: AuditRow, keyHash: string): boolean {
  if (row.actor === keyHash || row.reference === keyHash || factOf(row, "key_hash") === keyHash) return true;
  const bot = botOf(store, keyHash);
  return bot !== null && (row.reference === bot || factOf(row, "bot") === bot);
}

export function auditResource({ store }: With<"store">, account: string, row: AuditRow) {
  return {
    object: "audit_entry" as const,
    id: idOf(row),
    account,
    network: API_NETWORK,
    actor: row.actor,
    key_hash: isKeyHash(row.actor) ? row.actor : null,
    event: row.event,
    reference: row.reference,
    order_id: findOrder(store, row.reference) === null ? null : row.reference,
    facts: auditFacts(row.detail),
    created_at: isoTime(row.atMs),
  };
}
