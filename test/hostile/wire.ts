/** One connection at a time, over which raw requests are asked one after the other. */
import { connect, type Socket } from "node:net";

/** `events`: of a stream. */
export type Heard = { status: number; events: number };

export type Wire = {
  /** Sends it and waits for the whole answer, on another connection where one ended first. Throws where none comes. */
  ask(request: Buffer): Promise<Heard>;
  /** What was begun and not ended of answers whose connection was closed, each with its request. */
  brokenOff: readonly string[];
  close(): void;
};

const DEADLINE_MS = 60_000;
/** Of a request, or of an answer that was broken off. */
const SHOWN_BYTES = 400;

export function openWire({ hostname, port }: { hostname: string; port: number }): Wire {
  let socket: Socket | null = null;
  const brokenOff: string[] = [];

  async function opened(): Promise<Socket> {
    if (socket !== null && !socket.destroyed && socket.writable) return socket;
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const made = connect({ host: hostname, port, noDelay: true }, () => resolve(made));
    // Also later: an answer may come before all of the request has left.
    made.on("error", reject);
    socket = await promise;
    return socket;
  }

  return {
    async ask(request) {
      const before = socket;
      const line = await opened();
      // Whoever keeps a connection may meet its end: what met it was not read, and is asked once more on another.
      const heard = await askOn(line, request).catch(async (error: unknown) => {
        if (!(error instanceof Unanswered) || (line !== before && error.part === "")) throw error;
        if (error.part !== "") brokenOff.push(error.message);
        line.destroy();
        return askOn(await opened(), request);
      });
      if (heard.isLast) socket?.destroy();
      return heard;
    },
    brokenOff,
    close: () => void socket?.destroy(),
  };
}

/** The connection was closed before the answer was whole; `part` is what had come of it. */
class Unanswered extends Error {
  readonly part: string;
  constructor(request: Buffer, part: string) {
    super(`closed after ${part === "" ? "nothing" : JSON.stringify(part)} of an answer to ${shown(request)}`);
    this.part = part;
  }
}

function askOn(line: Socket, request: Buffer): Promise<Heard & { isLast: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<Heard & { isLast: boolean }>();
  const pieces: Buffer[] = [];
  const late = setTimeout(() => done(() => reject(new Error(`no answer to ${shown(request)}`))), DEADLINE_MS);
  const onData = (piece: Buffer) => {
    pieces.push(piece);
    const heard = wholeAnswer(Buffer.concat(pieces));
    if (heard !== null) done(() => resolve(heard));
  };
  const onClose = () => {
    const heard = wholeAnswer(Buffer.concat(pieces));
    const part = Buffer.concat(pieces).toString("latin1", 0, SHOWN_BYTES);
    done(() => (heard === null ? reject(new Unanswered(request, part)) : resolve(heard)));
  };
  function done(tell: () => void): void {
    clearTimeout(late);
    line.off("data", onData);
    line.off("close", onClose);
    tell();
  }
  line.on("data", onData);
  line.on("close", onClose);
  line.write(request);
  return promise;
}

function shown(request: Buffer): string {
  return request.toString("latin1", 0, SHOWN_BYTES).replaceAll("\r\n", " ");
}

/** What begins each that a stream or a file tells, by its type. */
const EACH = [
  ["text/event-stream", "\nid: "],
  ["text/csv", "\r\n"],
  ["application/jsonl", "\n"],
] as const;

function wholeAnswer(bytes: Buffer): (Heard & { isLast: boolean }) | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = bytes.toString("latin1", 0, end).toLowerCase();
  const status = Number(head.slice("http/1.1 ".length, "http/1.1 200".length));
  const length = /\r\ncontent-length: ([0-9]+)/.exec(head)?.[1];
  const isChunked = head.includes("\r\ntransfer-encoding: chunked");
  const isWhole = isChunked
    ? bytes.subarray(-5).toString("latin1") === "0\r\n\r\n"
    : bytes.length >= end + 4 + Number(length ?? 0);
  // A long one comes in many pieces, and is looked through once.
  if (!isWhole) return null;
  const told = EACH.find(([type]) => head.includes(`content-type: ${type}`));
  const events = told === undefined ? 0 : bytes.toString("latin1").split(told[1]).length;
  return { status, events, isLast: head.includes("connection: close") || status === 413 };
}
