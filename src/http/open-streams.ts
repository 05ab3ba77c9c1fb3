/**
 * All open streams, of events and of files. A source is asked for its next text only when the reader has taken the last one, so a
 * slow reader costs no memory. A reader that has stopped reading is disconnected.
 */
import { ApiError } from "../core/errors.ts";
import type { With } from "../deps.ts";

export type StreamSource = {
  /** Sent at once. */
  greeting: string;
  /** What there is to tell now: `""` where nothing is, null at the end. */
  next(): string | null;
  /** Set where the stream has an end of its own, as a file has: one that stops early ends with an error, so that nobody takes a part for it. */
  isWhole?: true;
  /** Calls `wake` when there may be something; what is returned is called once, at the end. */
  listen(wake: () => void): () => void;
};

export type OpenStreams = {
  /** Throws `rate_limited`, `too_many_connections` or `draining`. Otherwise calls `begin`, which may throw a refusal of its own. */
  open(keyHash: string, begin: () => StreamSource): ReadableStream<Uint8Array>;
  /** Ends all of them, and refuses new ones. */
  endAll(): void;
};

/** Streams at a time. */
export const MAX_STREAMS = 128;
export const MAX_STREAMS_A_KEY = 8;
/** Seconds after which a place may be free. */
const RETRY_AFTER_S = 5;
/** A comment is sent after this long without a text, milliseconds: half of the time after which proxies close a silent connection. */
export const BEAT_MS = 15_000;
/** A reader that takes nothing for this long although something waits for it is disconnected, milliseconds; the runtime does the same. */
export const STALLED_MS = 30_000;
/** How often streams are checked for silence and for readers that have stopped, milliseconds. */
const CHECK_MS = 5_000;

const BEAT = ": beat\n\n";
const BROKEN_OFF = "broken off before its end";

const encoder = new TextEncoder();

type Stream = {
  keyHash: string;
  source: StreamSource;
  controller: ReadableStreamDefaultController<Uint8Array> | null;
  /** Set while the reader waits for us. */
  wake: (() => void) | null;
  /** When the last text was handed over. */
  writtenMs: number;
  isBeatDue: boolean;
  hasEnded: boolean;
  stopListening: () => void;
};

export function openStreams(deps: With<"clock" | "log">): OpenStreams {
  const streams = new Set<Stream>();
  let isChecking = false;
  let isClosed = false;

  function enter(keyHash: string, source: StreamSource): Stream {
    const state = { controller: null, wake: null, isBeatDue: false, hasEnded: false, stopListening: () => undefined };
    const stream: Stream = { keyHash, source, ...state, writtenMs: deps.clock.elapsedMs() };
    stream.stopListening = source.listen(() => stream.wake?.());
    streams.add(stream);
    void checkStreams();
    return stream;
  }

  function leave(stream: Stream): void {
    stream.hasEnded = true;
    if (streams.delete(stream)) stream.stopListening();
  }

  async function checkStreams(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    while (streams.size > 0) {
      await deps.clock.sleep(CHECK_MS);
      const nowMs = deps.clock.elapsedMs();
      for (const stream of streams) checkStream(stream, nowMs - stream.writtenMs, leave);
    }
    isChecking = false;
  }

  return {
    open(keyHash, begin) {
      if (isClosed) throw new ApiError("draining", "The gateway is shutting down.");
      requirePlace(streams, keyHash);
      return bodyOf(enter(keyHash, begin()), deps, leave);
    },
    endAll() {
      isClosed = true;
      for (const stream of streams) {
        leave(stream);
        stream.wake?.();
      }
    },
  };
}

function requirePlace(streams: ReadonlySet<Stream>, keyHash: string): void {
  const ofKey = [...streams].filter((stream) => stream.keyHash === keyHash).length;
  if (ofKey >= MAX_STREAMS_A_KEY) {
    const message = `This API key has ${MAX_STREAMS_A_KEY} open streams already.`;
    throw new ApiError("rate_limited", message, RETRY_AFTER_S);
  }
  if (streams.size >= MAX_STREAMS) {
    throw new ApiError("too_many_connections", "Too many streams are open.", RETRY_AFTER_S);
  }
}

type Leave = (stream: Stream) => void;

function checkStream(stream: Stream, silentMs: number, leave: Leave): void {
  // A beat is a comment of an event stream, and would be a line of a file.
  if (stream.wake !== null && silentMs >= BEAT_MS && stream.source.isWhole !== true) {
    stream.isBeatDue = true;
    stream.wake();
  } else if (stream.wake === null && silentMs >= STALLED_MS) {
    // What it has not taken yet it still gets; then it finds the end, and comes back to where it was.
    leave(stream);
    if (stream.source.isWhole === true) stream.controller?.error(new Error(BROKEN_OFF));
    else stream.controller?.close();
  }
}

function bodyOf(stream: Stream, deps: With<"clock" | "log">, leave: Leave): ReadableStream<Uint8Array> {
  const fail = (error: unknown): never => {
    leave(stream);
    deps.log.error({ error: String(error) }, "a stream failed");
    throw error;
  };
  let greeting: string | null = stream.source.greeting;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream.controller = controller;
      },
      async pull(controller) {
        const text = greeting ?? (await nextText(stream).catch(fail));
        greeting = null;
        stream.isBeatDue = false;
        stream.writtenMs = deps.clock.elapsedMs();
        if (text !== null) return controller.enqueue(encoder.encode(text));
        leave(stream);
        controller.close();
      },
      cancel: () => leave(stream),
    },
    // Nothing is read ahead: `pull` is called when the connection takes more.
    { highWaterMark: 0 },
  );
}

/** The next text of a stream, as soon as there is one; null at its end. */
async function nextText(stream: Stream): Promise<string | null> {
  while (!stream.hasEnded) {
    const text = stream.source.next();
    if (text !== "") return text;
    if (stream.isBeatDue) return BEAT;
    await new Promise<void>((wake) => {
      stream.wake = wake;
    });
    stream.wake = null;
  }
  if (stream.source.isWhole === true) throw new Error(BROKEN_OFF);
  return null;
}
