/** The gateway under attack, and raw bytes to and from it. */
import { connect, type Socket } from "node:net";

export type Target = {
  hostname: string;
  port: number;
  /** As the gateway wants it in the Host header. */
  host: string;
  apiKey: string;
  account: string;
  /** Everything that was ever answered to anybody. */
  heard: Heard;
};

export type Heard = {
  /** Answers by their status line. */
  statuses: Map<number, number>;
  /** Error codes that were named. */
  codes: Map<string, number>;
  /** Answers that hold what must never be repeated. */
  leaks: string[];
  connections: number;
};

export type Sent = {
  pieces: readonly (string | Uint8Array)[];
  /** Between two pieces, milliseconds. */
  everyMs?: number;
  /** Ends our side after the last piece; the answer may still come. */
  halfClose?: boolean;
  /** Never reads what comes. */
  isDeaf?: boolean;
  /** The longest that is waited for the other side to close, or for an answer, milliseconds. */
  waitMs?: number;
};

export type Got = { text: string; isClosed: boolean; tookMs: number };

/** Bytes of one connection's answers that are looked at. */
const MAX_HEARD_BYTES = 4 * 1024 * 1024;
const WAIT_MS = 3_000;
/** After the first answer, milliseconds: more may follow. */
const AFTER_ANSWER_MS = 40;

/** What must be in no answer: keys, and what stands for a secret in this run. */
export const CANARY = `api_trade_${"ca".repeat(32)}`;

export function newHeard(): Heard {
  return { statuses: new Map(), codes: new Map(), leaks: [], connections: 0 };
}

/** Opens a connection, sends, listens until it is closed or quiet, and notes what came. Never throws. */
export function send(target: Target, { pieces, everyMs = 0, ...how }: Sent): Promise<Got> {
  const startedMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<Got>();
  let text = "";
  let isClosed = false;
  target.heard.connections += 1;
  const socket = connect({ host: target.hostname, port: target.port, allowHalfOpen: how.halfClose === true });
  const end = () => {
    clearTimeout(last);
    socket.destroy();
    note(target, text);
    resolve({ text, isClosed, tookMs: performance.now() - startedMs });
  };
  const last = setTimeout(end, how.waitMs ?? WAIT_MS);
  let quiet: ReturnType<typeof setTimeout> | null = null;
  if (how.isDeaf === true) socket.pause();
  socket.on("data", (data) => {
    if (text.length < MAX_HEARD_BYTES) text += data.toString("latin1");
    if (everyMs > 0) return;
    if (quiet !== null) clearTimeout(quiet);
    quiet = setTimeout(end, AFTER_ANSWER_MS);
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    isClosed = true;
    if (quiet !== null) clearTimeout(quiet);
    end();
  });
  socket.on("connect", () => void write(socket, pieces, { everyMs, halfClose: how.halfClose === true }));
  return promise;
}

async function write(socket: Socket, pieces: Sent["pieces"], how: { everyMs: number; halfClose: boolean }) {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(piece);
    if (how.everyMs > 0) await Bun.sleep(how.everyMs);
  }
  if (how.halfClose) socket.end();
}

function note({ heard, apiKey }: Target, text: string): void {
  const count = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const status of statusesOf(text)) count(heard.statuses, status);
  for (const [, code] of text.matchAll(/"code":"([a-z_]+)"/g)) count(heard.codes, code ?? "");
  for (const secret of [apiKey, CANARY, "ca".repeat(20)]) {
    if (text.includes(secret)) heard.leaks.push(text.slice(0, 300));
  }
}

/** Of all answers but those that say no more than "go on". */
export function statusesOf(text: string): number[] {
  const all = [...text.matchAll(/HTTP\/1\.1 ([0-9]{3})/g)].map(([, status]) => Number(status));
  return all.filter((status) => status !== 100);
}

/** Runs them with so many at one time. */
export async function many(count: number, atOnce: number, run: (nth: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  async function one(): Promise<void> {
    for (let nth = next++; nth < count; nth = next++) await run(nth);
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, one));
}

export type Asking = {
  method?: string;
  path?: string;
  host?: string | null;
  headers?: readonly string[];
  key?: string;
};

/** A request's head, with a valid key unless another is given. */
export function head(target: Target, { method = "GET", path = "/v1/whoami", headers = [], ...rest }: Asking): string {
  const host = rest.host === undefined ? target.host : rest.host;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host}`]),
    `Authorization: Bearer ${rest.key ?? target.apiKey}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** A whole POST; its length is what it says, unless said otherwise. */
export function post(target: Target, body: string | Uint8Array, asking: Asking & { length?: number } = {}) {
  const length = asking.length ?? Buffer.byteLength(body);
  const headers = [
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    `Idempotency-Key: ${CANARY}`,
    ...(asking.headers ?? []),
  ];
  return [head(target, { method: "POST", path: "/v1/orders", ...asking, headers }), body];
}
