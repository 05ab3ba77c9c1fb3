import { isIP } from "node:net";
import { Line, type LineOutcome, type LineTarget } from "./line.ts";

export type AskOptions = {
  /** Drops all lines that are idle, and those in use when they come back. */
  isFresh: boolean;
  maxAnswerBytes: number;
  /** Asked in the turn that writes the first byte; where it says no, nothing is sent. */
  mayLeave: () => boolean;
  /** Breaks the line off. */
  signal: AbortSignal;
};

/** Runs its argument in the next turn of the event loop. */
export type Schedule = (run: () => void) => void;

/** Called when a connection is about to open; what it returns, when it has opened or will not. */
export type Opening = () => () => void;

/** Nobody wants to know. */
export function untold(): () => void {
  return () => undefined;
}

/** Sends one request once; never throws. */
export type Lines = (request: Buffer, options: AskOptions) => Promise<LineOutcome>;

/** Opening, in use and idle: for 512 requests of clients at once, and what settles. One more is not sent. */
const MAX_LINES = 640;
/** Given up while they opened, which only the system can end: where nobody answers, after minutes. */
const MAX_LEAVING = 2_048;
/** Kept after a burst. */
const MAX_IDLE = 64;

/** Kept-alive connections to one server. The one that was used last is used next, so that the others may end. */
export function openLines(target: LineTarget, schedule: Schedule, opening: Opening = untold): Lines {
  const all = new Set<Line>();
  const leaving = new Set<Line>();
  const idle: Line[] = [];
  let generation = 0;

  function open(): Line | null {
    if (all.size >= MAX_LINES || leaving.size >= MAX_LEAVING) return null;
    const hasOpened = opening();
    const onGone = (): void => {
      hasOpened();
      all.delete(line);
      leaving.delete(line);
    };
    const line = new Line(target, { onOpen: hasOpened, onGone });
    // An address has its socket by now; a name is looked up first.
    if (isIP(target.hostname) !== 0) hasOpened();
    all.add(line);
    return line;
  }

  function letGo(line: Line): void {
    line.destroy();
    if (all.delete(line)) leaving.add(line);
  }

  /** Those that broke while they were idle, or had an answer too many, are passed over. */
  async function takeIdle(): Promise<Line | null> {
    for (let line = idle.pop(); line !== undefined; line = idle.pop()) {
      await lookedAt(schedule);
      if (line.isFree) return line;
      letGo(line);
    }
    return null;
  }

  return async (request, { isFresh, maxAnswerBytes, mayLeave, signal }) => {
    if (signal.aborted) return { kind: "not_sent", reason: "given up" };
    if (isFresh) {
      generation += 1;
      for (const line of idle.splice(0)) letGo(line);
    }
    const born = generation;
    const reused = await takeIdle();
    if (signal.aborted) {
      if (reused !== null) letGo(reused);
      return { kind: "not_sent", reason: "given up" };
    }
    const line = reused ?? open();
    if (line === null) return { kind: "not_sent", reason: "too many connections" };
    const giveUp = (): void => line.destroy();
    signal.addEventListener("abort", giveUp);
    const delivery = await line.ask(request, { maxAnswerBytes, mayLeave });
    signal.removeEventListener("abort", giveUp);
    if (line.isFree && born === generation && idle.length < MAX_IDLE) idle.push(line);
    else letGo(line);
    return delivery;
  };
}

/**
 * What a socket got while this thread was busy (the end, or an answer too many) is not known before the event loop has
 * looked at it: bytes of before the request would be read as the answer to it. Two turns, because the first may end
 * without a look (Bun 1.4.5, measured).
 */
async function lookedAt(schedule: Schedule): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise<void>((resolve) => schedule(resolve));
}
