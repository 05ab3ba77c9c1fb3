/** Streams of events: nothing is kept for a reader but its place in the log. */
import { beginEvents, type EventsReader, listenForEvents, readEvents, type ToldEvent } from "../actions/list-events.ts";
import type { With } from "../deps.ts";
import type { StreamSource } from "./open-streams.ts";

/** Events that are read, and held in memory, at a time. */
const PAGE_EVENTS = 64;
/** Milliseconds that a client waits before it comes back. */
const GREETING = ": Postern\nretry: 1000\n\n";

/** `follows`: goes on with what comes. */
export type EventsAsked = { after: number | null; follows: boolean };

export function eventSource(
  deps: With<"clock" | "store">,
  listener: EventsReader,
  { after, follows }: EventsAsked,
): StreamSource {
  const { position, first } = beginEvents(deps, listener, after);
  let last = position;
  return {
    greeting: GREETING + frame(first),
    ...(follows ? {} : { isWhole: true as const }),
    next() {
      const read = readEvents(deps, listener, { after: last, limit: PAGE_EVENTS });
      // It comes back to where it was; who only wants what there is must not take a part for it.
      if (read === null && follows) return null;
      if (read === null) throw new Error("the place of a reader of events is lost, or its key");
      last = read.last;
      if (read.events.length > 0) return read.events.map(frame).join("");
      return follows ? "" : null;
    },
    listen: (wake) =>
      listenForEvents(deps, (accountIds) => {
        if (accountIds.has(listener.accountId)) wake();
      }),
  };
}

/** JSON has no line breaks, so one line holds all of it. */
function frame({ id, type, text }: ToldEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${text}\n\n`;
}
