/** What one POST needs to know about its connection. Transports without connections (tests) ignore it. */
export type Connection =
  /** Any kept-alive one, or a new one that is kept alive afterwards. `isFresh` drops all that are idle first. */
  | { kind: "shared"; isFresh: boolean }
  /** A new one, closed after the answer. */
  | { kind: "single" }
  /**
   * The one connection of this lane: the caller makes a lane's requests one after the other, so each goes where the
   * last one went. `isFresh` drops what the lane had and opens a new one.
   */
  | { kind: "lane"; lane: number; isFresh: boolean };

export type TransportInit = {
  method: "POST";
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
  redirect: "manual";
  connection: Connection;
};

/** Sends one request once and gives back whatever answer came; throws when none did. */
export type Transport = (url: string, init: TransportInit) => Promise<Response>;

/**
 * Seconds after which an idle connection may be closed. The runtime's timer is coarse: it closes at most two steps of
 * 4 s later (Bun 1.4.5, `FetchSessionInit.keepAlive`; measured 8 to 12 s). So none is used after 15 s of idling, by
 * when the server may have closed it and a POST on it would be an unknown outcome.
 */
const IDLE_TIMEOUT_S = 6;

/** Idle connections kept after a burst. */
const MAX_IDLE_SHARED = 64;

/**
 * The real network. Proxies named in the environment are ignored and certificates are checked whatever the
 * environment says: either would let somebody read or hold back signed orders.
 */
export function openTransport(): Transport {
  const sessions = new Map<number | "shared", Bun.FetchSession>();
  return (url, { connection, ...init }) => {
    const isSingle = connection.kind === "single";
    const key = connection.kind === "lane" ? connection.lane : "shared";
    const session = (isSingle || !connection.isFresh ? sessions.get(key) : undefined) ?? renew(sessions, key);
    return session.fetch(url, isSingle ? { ...init, keepalive: false } : init);
  };
}

/** A session in place of the old one: a connection that is just coming back from use would escape `close()`. */
function renew(sessions: Map<number | "shared", Bun.FetchSession>, key: number | "shared"): Bun.FetchSession {
  const session = openSession(key === "shared" ? MAX_IDLE_SHARED : 1);
  sessions.get(key)?.close();
  sessions.set(key, session);
  return session;
}

function openSession(maxIdleSockets: number): Bun.FetchSession {
  return new Bun.FetchSession({
    proxy: false,
    tls: { rejectUnauthorized: true },
    keepAlive: { idleTimeout: IDLE_TIMEOUT_S, maxIdleSockets },
  });
}

/**
 * True for errors that come up before the first byte of a request can leave: the name was not found, nobody listens,
 * or the certificate was refused in the handshake.
 *
 * Not among them: ECONNRESET (the same code whether the request was unread, read or half answered), timeouts, and
 * EPROTO, which Bun 1.4.5 also reports for a TLS stream that breaks after the request was received.
 */
export function provesNothingLeft(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && BEFORE_FIRST_BYTE.has(code);
}

/** Short and safe to log; never the server's text. */
export function describeError(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.name : "unknown error");
}

function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** System codes of a failed look-up or connect, and the certificate errors of X509_verify_cert_error_string(3). */
const BEFORE_FIRST_BYTE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
