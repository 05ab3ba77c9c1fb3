import type { LineOutcome, LineTarget } from "./line.ts";
import { type Lines, type Opening, openLines, type Schedule, untold } from "./lines.ts";

/** What one POST needs to know about its connection. Transports without connections (tests) ignore it. */
export type ConnectionChoice =
  /** Any kept-alive one, or a new one that is kept alive afterwards. `isFresh` drops all that are idle first. */
  | { kind: "shared"; isFresh: boolean }
  /** A new one, closed after the answer. */
  | { kind: "single" }
  /**
   * The one connection of this lane: the caller makes a lane's requests one after the other, so each goes where the
   * last one went. `isFresh` drops what the lane had and opens a new one.
   */
  | { kind: "lane"; lane: number; isFresh: boolean }
  /**
   * A kept-alive one of our own, or a new one that is kept alive afterwards: half the way of the runtime's `fetch`, for
   * signed bodies and small answers. `isFresh` drops all that are idle first.
   */
  | { kind: "own"; isFresh: boolean };

export type TransportInit = {
  method: "POST";
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
  /** More than that is of no interest, and need not be read. */
  maxAnswerBytes: number;
  /** Asked before the first byte, on connections of our own; where it says no, nothing is sent. */
  mayLeave: () => boolean;
  redirect: "manual";
  connection: ConnectionChoice;
};

/** Sends one request once and gives back whatever answer came; throws, or says so, when none did. */
export type Transport = (url: string, init: TransportInit) => Promise<Response | LineOutcome>;

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
 * environment says: either would let somebody read or hold back signed orders. `schedule` runs its argument in the next
 * turn of the event loop (`setImmediate`); `opening` is told of each connection of our own that opens.
 */
export function openTransport(schedule: Schedule, opening: Opening = untold): Transport {
  const sessions = new Map<number | "shared", Bun.FetchSession>();
  const ways = new Map<string, ConnectionWay>();
  return (url, { connection, maxAnswerBytes, mayLeave, ...init }) => {
    if (connection.kind === "own") {
      const { lines, start } = ways.get(url) ?? openWay(ways, url, { schedule, opening });
      const { signal } = init;
      return lines(requestBytes(start, init), { isFresh: connection.isFresh, maxAnswerBytes, mayLeave, signal });
    }
    const isSingle = connection.kind === "single";
    const key = connection.kind === "lane" ? connection.lane : "shared";
    const session = (isSingle || !connection.isFresh ? sessions.get(key) : undefined) ?? renew(sessions, key);
    return session.fetch(url, isSingle ? { ...init, keepalive: false } : init);
  };
}

/** Where a URL leads: the lines to its server, and how a request to it begins. */
type ConnectionWay = { origin: string; lines: Lines; start: string };

/** All URLs of a server share its lines. */
function openWay(
  ways: Map<string, ConnectionWay>,
  url: string,
  { schedule, opening }: { schedule: Schedule; opening: Opening },
): ConnectionWay {
  const { origin, host, pathname, search } = new URL(url);
  const known = [...ways.values()].find((way) => way.origin === origin);
  const start = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n`;
  const way = { origin, lines: known?.lines ?? openLines(targetOf(url), schedule, opening), start };
  ways.set(url, way);
  return way;
}

export function targetOf(url: string): LineTarget {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol !== "http:";
  // A URL's brackets around an address are not part of the name that a certificate is for.
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (isSecure ? 443 : 80)), isSecure };
}

/** No coding of the answer is asked for. */
function requestBytes(start: string, { headers, body }: Pick<TransportInit, "headers" | "body">): Buffer {
  let head = start;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
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
