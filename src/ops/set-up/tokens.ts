/**
 * Who may set this gateway up. A link is printed to whoever runs the machine and is good once: the page trades it for a
 * session under a token of its own making, so that a link that is found later opens nothing.
 */
import { createHash } from "node:crypto";
import { ApiError } from "../../core/errors.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listAgents } from "../../store/agents.ts";
import { listApiKeys } from "../../store/api-keys.ts";
import { inTransaction } from "../../store/commit.ts";
import type { Store } from "../../store/open.ts";
import {
  deleteSetupTokensBefore,
  findSetupProgress,
  findSetupToken,
  insertSetupToken,
  listSetupTokens,
  type SetupToken,
  updateSetupToken,
} from "../../store/setup.ts";
import { type Operator, OperatorError } from "../operator.ts";

/** A link is dead after this, and a session that nobody uses, milliseconds. */
const LIFE_MS = 30 * 60_000;
/** A session's end is moved only when this much of it is gone: not every question is a write. Milliseconds. */
const RENEWED_AFTER_MS = 60_000;
/** Links and sessions at a time. */
const MAX_TOKENS = 32;
const TOKEN_BYTES = 32;
const TOKEN = /^setup_[0-9a-f]{64}$/;
const BEARER = /^bearer +(\S+)$/i;

type Machine = Pick<Operator, "store" | "clock" | "randomBytes">;

/** Whom the page works under. */
export type SetupSession = Pick<SetupToken, "tokenHash" | "expiresAtMs">;

export type SetupLink = { token: string; expiresAtMs: number };

/** Makes a link's token; only its hash is kept. Throws an `OperatorError` once the gateway is set up. */
export function newSetupLink({ store, clock, randomBytes }: Machine): SetupLink {
  const nowMs = clock.nowMs();
  if (isSetUp(store, nowMs)) throw new OperatorError("this gateway is set up already");
  const token = `setup_${Buffer.from(randomBytes(TOKEN_BYTES)).toString("hex")}`;
  const expiresAtMs = nowMs + LIFE_MS;
  inTransaction(store, (within) => {
    deleteSetupTokensBefore(within, nowMs);
    if (listSetupTokens(within).length >= MAX_TOKENS) {
      throw new OperatorError("too many links are open; each ends after 30 minutes");
    }
    insertSetupToken(within, { tokenHash: hashOf(token), kind: "link", expiresAtMs, sessionHash: null });
  });
  return { token, expiresAtMs };
}

/** The link itself: what stands behind the # never leaves the browser. */
export function setupUrl(pageUrl: string, token: string): string {
  return `${pageUrl}/#setup=${token}`;
}

/**
 * True once the page has finished, or everything was done by the command line: an agent that may trade and a key. While
 * somebody is at the page, only they say when it is done.
 */
export function isSetUp(store: Store, nowMs: number): boolean {
  if (findSetupProgress(store).finishedAtMs !== null) return true;
  const isAtThePage = listSetupTokens(store).some(({ kind, expiresAtMs }) => kind === "session" && expiresAtMs > nowMs);
  if (isAtThePage) return false;
  const owners = new Set(listAgents(store).flatMap((agent) => (agent.state === "new" ? [] : [agent.ownerAddress])));
  return listAccounts(store).some(
    ({ id, ownerAddress }) => owners.has(ownerAddress) && listApiKeys(store, id).length > 0,
  );
}

/** Trades a link for a session. The same link for the same session again changes nothing. */
export function claimSetup({ store, clock }: Machine, authorization: string | null, sessionHash: string): SetupSession {
  const nowMs = clock.nowMs();
  const token = tokenIn(authorization);
  // First without a transaction: a stranger must not take the database's lock.
  requireLink(store, token, nowMs);
  return inTransaction(store, (within) => {
    const link = requireLink(within, token, nowMs);
    const known = findSetupToken(within, sessionHash);
    if (link.sessionHash === sessionHash && known !== null) return known;
    if (link.sessionHash !== null || known !== null) throw invalidToken("This set-up link was used before");
    const session = {
      tokenHash: sessionHash,
      kind: "session",
      expiresAtMs: nowMs + LIFE_MS,
      sessionHash: null,
    } as const;
    updateSetupToken(within, link.tokenHash, { sessionHash });
    insertSetupToken(within, session);
    return session;
  });
}

/** The session behind the Authorization header, with its end moved. Throws `invalid_setup_token` or `setup_done`. */
export function requireSession({ store, clock }: Machine, authorization: string | null): SetupSession {
  const nowMs = clock.nowMs();
  const token = tokenIn(authorization);
  requireOpen(store, nowMs);
  const session = findLiving(store, token, nowMs);
  if (session?.kind !== "session") throw invalidToken("This set-up token is not valid, or was not used for 30 minutes");
  const expiresAtMs = nowMs + LIFE_MS;
  if (expiresAtMs - session.expiresAtMs < RENEWED_AFTER_MS) return session;
  inTransaction(store, (within) => updateSetupToken(within, session.tokenHash, { expiresAtMs }));
  return { ...session, expiresAtMs };
}

function requireOpen(store: Store, nowMs: number): void {
  if (isSetUp(store, nowMs)) throw new ApiError("setup_done", "This gateway is set up already.");
}

function requireLink(store: Store, token: string, nowMs: number): SetupToken {
  requireOpen(store, nowMs);
  const link = findLiving(store, token, nowMs);
  if (link?.kind !== "link") throw invalidToken("This set-up link is not valid, or 30 minutes old");
  return link;
}

function tokenIn(authorization: string | null): string {
  const token = BEARER.exec(authorization ?? "")?.[1];
  if (token === undefined || !TOKEN.test(token)) {
    throw invalidToken("Authorization must be one header: Bearer, setup_ and 64 hex characters");
  }
  return token;
}

/** Looked up by hash: how long it takes tells nothing about a token. */
function findLiving(store: Store, token: string, nowMs: number): SetupToken | null {
  const found = findSetupToken(store, hashOf(token));
  return found === null || found.expiresAtMs <= nowMs ? null : found;
}

function hashOf(token: string): string {
  return createHash("sha256").update(token, "ascii").digest("hex");
}

function invalidToken(what: string): ApiError {
  return new ApiError("invalid_setup_token", `${what}; "postern setup" prints a new link.`);
}
