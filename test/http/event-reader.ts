/** Reads a stream of events as a client does. */
export type Received = { id: string; type: string; data: Record<string, unknown> };

export type EventReader = {
  /** The next event; null at the end of the stream. */
  next(): Promise<Received | null>;
  /** Every event until the stream ends. */
  rest(): Promise<Received[]>;
  /** Text of comments so far. */
  comments: string[];
  cancel(): Promise<void>;
};

export function readEvents(body: ReadableStream<Uint8Array> | null): EventReader {
  if (body === null) throw new Error("no body");
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const comments: string[] = [];
  let text = "";
  async function next(): Promise<Received | null> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end !== -1) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = parse(block);
        if (event !== null) return event;
        comments.push(...block.split("\n").filter((line) => line.startsWith(":")));
        continue;
      }
      const { done, value } = await reader.read();
      if (done) return null;
      text += decoder.decode(value, { stream: true });
    }
  }
  return {
    next,
    async rest() {
      const events: Received[] = [];
      for (let event = await next(); event !== null; event = await next()) events.push(event);
      return events;
    },
    comments,
    cancel: () => reader.cancel(),
  };
}

/** Null for a block of comments. */
function parse(block: string): Received | null {
  const fields = new Map(
    block
      .split("\n")
      .filter((line) => !line.startsWith(":"))
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
  );
  const data = fields.get("data");
  if (data === undefined) return null;
  const event = { id: fields.get("id") ?? "", type: fields.get("event") ?? "", data: JSON.parse(data) };
  // What is not in the log has no id.
  if (!fields.has("id")) return event;
  if (event.data.id !== event.id || event.data.type !== event.type)
    throw new Error(`an event says two things: ${block}`);
  return event;
}
