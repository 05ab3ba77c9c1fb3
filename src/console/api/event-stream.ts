/**
 * Server-sent events over fetch: the browser's own EventSource cannot carry an Authorization header. The text is cut
 * into events here; what they mean is told elsewhere.
 */
export type StreamEvent = { id: string | null; type: string; data: string };

/** Characters of one event that is still incomplete; more than any resource has. */
const MAX_PENDING_CHARACTERS = 1_048_576;

export type EventReader = { push(text: string): StreamEvent[] };

/** Lines may end in LF, CR or CRLF, and pieces may end anywhere. */
export function openEventReader(): EventReader {
  let pending = "";
  let event = emptyEvent();
  return {
    push(text) {
      pending += text;
      const found: StreamEvent[] = [];
      // A CR at the end may be the first half of a CRLF: it waits for the next piece.
      const lines = pending.split(/\r\n|\n|\r(?!$)/);
      pending = lines.pop() ?? "";
      if (pending.length > MAX_PENDING_CHARACTERS) throw new Error("An event is longer than any may be.");
      for (const line of lines) {
        if (line !== "") {
          take(event, line);
          continue;
        }
        if (event.data.length > 0) found.push({ id: event.id, type: event.type, data: event.data.join("\n") });
        event = emptyEvent();
      }
      return found;
    },
  };
}

type Draft = { id: string | null; type: string; data: string[] };

function emptyEvent(): Draft {
  return { id: null, type: "message", data: [] };
}

function take(event: Draft, line: string): void {
  const colon = line.indexOf(":");
  if (colon === 0) return;
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "id") event.id = value;
  if (field === "event") event.type = value;
  if (field === "data") event.data.push(value);
}

/** Hands over what comes, piece by piece, until the stream ends; returns why it did. */
export async function readEvents(response: Response, take: (events: readonly StreamEvent[]) => void): Promise<string> {
  if (!response.ok || response.body === null) return `the gateway answered ${response.status}`;
  const events = openEventReader();
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await pieces.read();
    if (done) return "the gateway ended the stream";
    take(events.push(value));
  }
}
