/**
 * The open streams of events. Nothing is kept for a reader but its place in the log: the next page is read when it has
 * taken the last one, so one that is slow costs no memory, and one that has stopped reading is let go.
 */
import { beginEvents, type Listener, listenForEvents, readEvents, type ToldEvent } from "../actions/list-events.ts";
import { ApiError } from "../core/errors.ts";
import type { Deps } from "../deps.ts";

export type EventStreams = {
  /** Throws `rate_limited`, `too_many_connections` or `draining`. `follows`: goes on with what comes. */
  open(listener: Listener, asked: { after: number | null; follows: boolean }): ReadableStream<Uint8Array>;
  /** Ends all of them, and refuses new ones. */
  endAll(): void;
};

/** Streams at a time. */
export const MAX_STREAMS = 128;
export const MAX_STREAMS_A_KEY = 8;
/** Seconds after which a place may be free. */
const RETRY_AFTER_S = 5;
/** Events that are read, and held in memory, at a time. */
const PAGE_EVENTS = 64;
/** A comment is sent when there was nothing for this long, milliseconds: half of what proxies wait. */
export const BEAT_MS = 15_000;
/** A reader that takes nothing of what is waiting for it for this long is let go, milliseconds; so does the runtime. */
export const STALLED_MS = 30_000;
/** Streams are looked after this often, milliseconds. */
const CHECK_MS = 5_000;

const BEAT = ": beat\n\n";
/** Milliseconds that a client waits before it comes back. */
const GREETING = ": Postern\nretry: 1000\n\n";

type Stream = Listener & {
  after: number;
  follows: boolean;
  controller: ReadableStreamDefaultController<Uint8Array> | null;
  /** Set while the reader waits for us. */
  wake: (() => void) | null;
  /** When the last text was handed over. */
  writtenMs: number;
  isBeatDue: boolean;
  hasEnded: boolean;
};

export function openEventStreams(deps: Deps): EventStreams {
  const streams = new Set<Stream>();
  const encoder = new TextEncoder();
  let stopListening: (() => void) | null = null;
  let isLooking = false;
  let isClosed = false;

  function enter(stream: Stream): void {
    streams.add(stream);
    if (streams.size > 1) return;
    stopListening = listenForEvents(deps, (accountIds) => {
      for (const one of streams) if (accountIds.has(one.accountId)) one.wake?.();
    });
    void lookAfterThem();
  }

  function leave(stream: Stream): void {
    stream.hasEnded = true;
    if (streams.delete(stream) && streams.size === 0) stopListening?.();
  }

  async function lookAfterThem(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (streams.size > 0) {
      await deps.clock.sleep(CHECK_MS);
      const nowMs = deps.clock.elapsedMs();
      for (const stream of streams) lookAfter(stream, nowMs - stream.writtenMs);
    }
    isLooking = false;
  }

  function lookAfter(stream: Stream, silentMs: number): void {
    if (stream.wake !== null && silentMs >= BEAT_MS) {
      stream.isBeatDue = true;
      stream.wake();
    } else if (stream.wake === null && silentMs >= STALLED_MS) {
      // What it has not taken yet it still gets; then it finds the end, and comes back to where it was.
      leave(stream);
      stream.controller?.close();
    }
  }

  function fail(stream: Stream, error: unknown): never {
    leave(stream);
    deps.log.error({ error: String(error) }, "a stream of events failed");
    throw error;
  }

  function body(stream: Stream, first: string): ReadableStream<Uint8Array> {
    let greeting: string | null = first;
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          stream.controller = controller;
        },
        async pull(controller) {
          const text = greeting ?? (await nextText(deps, stream).catch((error: unknown) => fail(stream, error)));
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

  return {
    open(listener, { after, follows }) {
      if (isClosed) throw new ApiError("draining", "The gateway is shutting down.");
      requirePlace(streams, listener);
      const { position, first } = beginEvents(deps, listener, after);
      const state = { controller: null, wake: null, isBeatDue: false, hasEnded: false };
      const stream = { ...listener, ...state, after: position, follows, writtenMs: deps.clock.elapsedMs() };
      enter(stream);
      return body(stream, GREETING + frame(first));
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

/** The next text of a stream, as soon as there is one; null at its end. */
async function nextText(deps: Deps, stream: Stream): Promise<string | null> {
  while (!stream.hasEnded) {
    const read = readEvents(deps, stream, { after: stream.after, limit: PAGE_EVENTS });
    if (read === null) return null;
    stream.after = read.last;
    if (read.events.length > 0) return read.events.map(frame).join("");
    if (!stream.follows) return null;
    if (stream.isBeatDue) return BEAT;
    await new Promise<void>((wake) => {
      stream.wake = wake;
    });
    stream.wake = null;
  }
  return null;
}

function requirePlace(streams: ReadonlySet<Stream>, { keyHash }: Listener): void {
  const ofKey = [...streams].filter((stream) => stream.keyHash === keyHash).length;
  if (ofKey >= MAX_STREAMS_A_KEY) {
    const message = `This API key has ${MAX_STREAMS_A_KEY} open streams of events already.`;
    throw new ApiError("rate_limited", message, RETRY_AFTER_S);
  }
  if (streams.size >= MAX_STREAMS) {
    throw new ApiError("too_many_connections", "Too many streams of events are open.", RETRY_AFTER_S);
  }
}

/** JSON has no line breaks, so one line holds all of it. */
function frame({ id, type, text }: ToldEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${text}\n\n`;
}
