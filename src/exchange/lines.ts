import { type Delivery, Line, type Target } from "./line.ts";

export type AskOptions = {
  /** Drops all lines that are idle, and those in use when they come back. */
  isFresh: boolean;
  maxAnswerBytes: number;
  /** Breaks the line off. */
  signal: AbortSignal;
};

/** Sends one request once; never throws. */
export type Lines = (request: Buffer, options: AskOptions) => Promise<Delivery>;

/** Opening, in use and idle: for 512 requests of clients at once, and what settles. One more is not sent. */
const MAX_LINES = 640;
/** Kept after a burst. */
const MAX_IDLE = 64;

/** Kept-alive connections to one server. The one that was used last is used next, so that the others may end. */
export function openLines(target: Target): Lines {
  const all = new Set<Line>();
  const idle: Line[] = [];
  let generation = 0;

  function open(): Line | null {
    if (all.size >= MAX_LINES) return null;
    const line = new Line(target, () => all.delete(line));
    all.add(line);
    return line;
  }

  /** Those that broke while they were idle are passed over. */
  function takeIdle(): Line | null {
    for (let line = idle.pop(); line !== undefined; line = idle.pop()) if (line.isFree) return line;
    return null;
  }

  return async (request, { isFresh, maxAnswerBytes, signal }) => {
    if (signal.aborted) return { kind: "not_sent", reason: "given up" };
    if (isFresh) {
      generation += 1;
      for (const line of idle.splice(0)) line.destroy();
    }
    const born = generation;
    const line = takeIdle() ?? open();
    if (line === null) return { kind: "not_sent", reason: "too many connections" };
    const giveUp = (): void => line.destroy();
    signal.addEventListener("abort", giveUp);
    const delivery = await line.ask(request, maxAnswerBytes);
    signal.removeEventListener("abort", giveUp);
    if (line.isFree && born === generation && idle.length < MAX_IDLE) idle.push(line);
    else line.destroy();
    return delivery;
  };
}
