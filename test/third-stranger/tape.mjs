// A client that keeps everything it is told: each answer and each event, with the millisecond.
import { sleep } from "./server.mjs";

let names = 0;

export class Tape {
  constructor(gateway) {
    this.gateway = gateway;
    this.told = [];
    this.writes = 0;
    this.begun = Date.now().toString(36);
  }

  name(prefix = "k") {
    return `${prefix}-${this.begun}-${String(++names).padStart(5, "0")}`;
  }

  // biome-ignore lint/complexity/useMaxParams: spelled as a request is.
  async ask(key, method, route, body, { name, timeoutMs = 15_000 } = {}) {
    const row = { kind: "answer", sentAt: Date.now(), method, route, body, name, keyHash: key?.hash };
    const headers = {
      ...(key ? { authorization: `Bearer ${key.text}` } : {}),
      ...(name ? { "idempotency-key": name } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    try {
      const answer = await fetch(this.gateway.url + route, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await answer.text();
      row.status = answer.status;
      row.asOf = answer.headers.get("x-data-as-of");
      row.isReplay = answer.headers.get("idempotent-replayed") === "true";
      row.retryAfter = Number(answer.headers.get("retry-after") ?? 0);
      row.answer = parse(text);
    } catch (error) {
      row.status = 0;
      row.answer = { lost: String(error?.cause?.code ?? error?.name ?? error) };
    }
    row.at = Date.now();
    if (method !== "GET") this.writes++;
    this.told.push(row);
    return row;
  }

  get(key, route) {
    return this.ask(key, "GET", route);
  }

  // One thing that is wanted: repeated under its name until it is answered with anything but "wait" and silence.
  async want(key, route, body, { name = this.name(), tries = 6, method = "POST" } = {}) {
    let row;
    for (let k = 0; k < tries; k++) {
      row = await this.ask(key, method, route, body, { name });
      if (
        row.status !== 0 &&
        row.status !== 429 &&
        row.status !== 503 &&
        !(row.status === 409 && row.answer.error?.code === "idempotency_in_progress")
      )
        return row;
      await sleep(Math.min(3_000, Math.max(300, row.retryAfter * 1000)));
    }
    return row;
  }

  // Follows events until `leave()`; comes back with the last id, and is told what it has missed.
  follow(key) {
    let isOver = false;
    let last;
    const loop = async () => {
      while (!isOver) {
        try {
          const headers = {
            authorization: `Bearer ${key.text}`,
            ...(last === undefined ? {} : { "last-event-id": last }),
          };
          const answer = await fetch(`${this.gateway.url}/v1/events`, { headers });
          if (answer.status !== 200) throw new Error(String(answer.status));
          for await (const event of events(answer.body)) {
            if (isOver) return;
            last = event.id ?? last;
            this.told.push({ kind: "event", at: Date.now(), keyHash: key.hash, ...event });
          }
        } catch {
          // The gateway was killed, or is not there yet.
        }
        await sleep(400);
      }
    };
    void loop();
    return { leave: () => (isOver = true) };
  }
}

async function* events(body) {
  let rest = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    rest += part;
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split("\n")
          .filter((line) => !line.startsWith(":"))
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
      );
      if (fields.data) yield { id: fields.id, type: fields.event, data: parse(fields.data) };
    }
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { notJson: text.slice(0, 200) };
  }
}
