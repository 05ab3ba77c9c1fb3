import { type AnswerReading, MAX_HEAD_BYTES, readAnswer } from "./http-answer.ts";
import { describeError } from "./network-error.ts";

/** `address`: where its name leads, found out before; looked up by the system where left out. */
export type LineTarget = { hostname: string; port: number; isSecure: boolean; address?: string };

/** What became of one request on a connection of our own. */
export type LineOutcome =
  | { kind: "whole"; httpStatus: number; body: Uint8Array }
  /** No byte of it was handed to the socket. */
  | { kind: "not_sent"; reason: string }
  | { kind: "unknown"; reason: string };

export type LineEvents = {
  /** It has its socket. */
  onOpen(): void;
  /** The system has let go of it; also when it never opened. */
  onGone(): void;
};

/** What an answer may be, and until when the question may be put. */
export type AnswerLimits = {
  maxAnswerBytes: number;
  /** Asked in the turn that writes the first byte. */
  mayLeave: () => boolean;
};

type LineRequest = AnswerLimits & {
  request: Buffer;
  /** From here on nobody can say any more that nothing has left. */
  hasBegun: boolean;
  writtenBytes: number;
  pieces: Buffer[];
  receivedBytes: number;
  /** The answer is looked at again when there are so many bytes of it. */
  lookAtBytes: number;
  resolve(delivery: LineOutcome): void;
};

/**
 * Seconds after which an idle connection is closed. The runtime's timer counts steps of 4 s that begin at any time: 8 to
 * 12 s pass (Bun 1.4.5, measured). That is more than the 5 s between two measurements of the clock, which keep one line
 * young, and less than the 15 s after which the server may have closed it and a POST on it would be an unknown outcome.
 */
const IDLE_TIMEOUT_S = 10;

/** As RFC 7301 writes it: each name after its length. */
const ALPN_HTTP_1_1 = Buffer.from("\x08http/1.1", "latin1");
const TLS_VERSIONS = ["TLSv1.2", "TLSv1.3"];

/**
 * One connection to the exchange: one request at a time, each written once. The certificate's chain and host name are
 * checked whatever the environment says, before the first byte of a request is written.
 */
export class Line {
  #socket: Bun.Socket | null = null;
  #state: "opening" | "open" | "closed" = "opening";
  #asked: LineRequest | null = null;
  readonly #events: LineEvents;

  constructor(target: LineTarget, events: LineEvents) {
    this.#events = events;
    const { hostname, port, isSecure, address = hostname } = target;
    const secure = { rejectUnauthorized: true, serverName: hostname, ALPNProtocols: ALPN_HTTP_1_1 };
    Bun.connect({
      hostname: address,
      port,
      ...(isSecure ? { tls: secure } : {}),
      socket: {
        open: (socket) => this.#opened(socket, isSecure),
        handshake: (socket, isVerified, error) => this.#shookHands(socket, isVerified, error),
        data: (_, bytes) => this.#received(bytes),
        drain: () => this.#write(),
        end: () => this.#break("ECONNRESET"),
        error: (_, error) => this.#break(describeError(error)),
        close: (_, error) => this.#gone(error === undefined ? "ECONNRESET" : describeError(error)),
        timeout: () => {
          if (this.#asked === null) this.destroy();
        },
      },
    }).catch((error: unknown) => this.#gone(describeError(error)));
  }

  get isFree(): boolean {
    return this.#state === "open" && this.#asked === null;
  }

  /** Never throws. Only for a new line or a free one. */
  ask(request: Buffer, limits: AnswerLimits): Promise<LineOutcome> {
    const { promise, resolve } = Promise.withResolvers<LineOutcome>();
    const progress = { hasBegun: false, writtenBytes: 0, pieces: [], receivedBytes: 0, lookAtBytes: 0 };
    if (this.#state === "closed") resolve({ kind: "not_sent", reason: "the connection is closed" });
    else this.#asked = { request, ...limits, ...progress, resolve };
    this.#write();
    return promise;
  }

  /** Whatever is under way has failed. */
  destroy(): void {
    this.#break("the connection was given up");
  }

  #opened(socket: Bun.Socket, isSecure: boolean): void {
    this.#events.onOpen();
    this.#socket = socket;
    socket.setNoDelay(true);
    if (this.#state === "closed") socket.terminate();
    else if (!isSecure) this.#begin();
  }

  #shookHands(socket: Bun.Socket, isVerified: boolean, error: Error | null): void {
    if (this.#state !== "opening") return;
    if (!isVerified || error !== null || !socket.authorized) this.#break(describeError(error));
    else if (TLS_VERSIONS.includes(socket.getTLSVersion())) this.#begin();
    else this.#break("EPROTO");
  }

  #begin(): void {
    this.#state = "open";
    this.#write();
  }

  /** From where the last write ended; called again when the socket takes more. */
  #write(): void {
    const asked = this.#asked;
    if (asked === null || this.#socket === null || this.#state !== "open") return;
    if (asked.writtenBytes === asked.request.length) return;
    if (!asked.hasBegun && !asked.mayLeave()) {
      this.#asked = null;
      asked.resolve({ kind: "not_sent", reason: "it could not be sent in time" });
      return;
    }
    asked.hasBegun = true;
    const count = this.#socket.write(asked.request.subarray(asked.writtenBytes));
    if (count < 0) this.#break("ECONNRESET");
    else asked.writtenBytes += count;
  }

  #received(bytes: Buffer): void {
    const asked = this.#asked;
    if (asked === null) {
      this.#break("bytes that nobody has asked for");
      return;
    }
    asked.pieces.push(bytes);
    asked.receivedBytes += bytes.length;
    if (asked.receivedBytes > asked.maxAnswerBytes + MAX_HEAD_BYTES) this.#break(tooLarge(asked));
    else if (asked.receivedBytes >= asked.lookAtBytes) this.#look(asked);
  }

  #look(asked: LineRequest): void {
    const [only] = asked.pieces;
    const bytes = asked.pieces.length === 1 && only !== undefined ? only : Buffer.concat(asked.pieces);
    asked.pieces = [bytes];
    const reading = readAnswer(bytes);
    if (reading.kind === "unreadable") this.#break(reading.reason);
    else if (reading.kind === "incomplete") asked.lookAtBytes = reading.atLeast;
    else if (reading.body.length > asked.maxAnswerBytes) this.#break(tooLarge(asked));
    else this.#finish(asked, reading);
  }

  #finish(asked: LineRequest, { httpStatus, body, isLast }: Extract<AnswerReading, { kind: "whole" }>): void {
    const isHalf = asked.writtenBytes < asked.request.length;
    // What has not left whole cannot have been done.
    if (isHalf && httpStatus < 300) {
      this.#break("answered before it was sent");
      return;
    }
    this.#asked = null;
    // An answer to half a request leaves its other half to be taken for the next one.
    if (isLast || isHalf) this.destroy();
    else this.#socket?.timeout(IDLE_TIMEOUT_S);
    asked.resolve({ kind: "whole", httpStatus, body });
  }

  /** The end of the line, and of what was asked on it; once. */
  #break(reason: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    const asked = this.#asked;
    this.#asked = null;
    this.#socket?.terminate();
    asked?.resolve({ kind: asked.hasBegun ? "unknown" : "not_sent", reason });
  }

  #gone(reason: string): void {
    this.#break(reason);
    this.#events.onGone();
  }
}

function tooLarge({ maxAnswerBytes }: LineRequest): string {
  return `answer over ${maxAnswerBytes} bytes`;
}
