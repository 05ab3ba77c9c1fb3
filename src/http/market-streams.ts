import type { MarketReader, ToldMarket } from "../actions/follow-markets.ts";
import type { StreamSource } from "./open-streams.ts";

/** Milliseconds that a client waits before it comes back. */
const GREETING = [
  ": Postern",
  ": market data: the newest figures only, not in the log of events; what was missed is not told again",
  "retry: 1000",
].join("\n");

/** Streams of market data: what has changed is looked up when the reader takes it. */
export function marketSource(reader: MarketReader): StreamSource {
  return {
    greeting: `${GREETING}\n\n`,
    next: () => reader.next()?.map(frame).join("") ?? null,
    listen: reader.listen,
  };
}

/** JSON has no line breaks, so one line holds all of it. */
function frame({ type, text }: ToldMarket): string {
  return `event: ${type}\ndata: ${text}\n\n`;
}
