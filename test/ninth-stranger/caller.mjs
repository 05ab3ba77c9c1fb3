// Who asks the gateway, follows its events, and writes down all that is told.
import { request as ask } from "node:http";
import { sleep } from "./grain.mjs";

export class Tape {
  rows = [];
  add(row) {
    this.rows.push(row);
    return row;
  }
  note(what, more = {}) {
    this.add({ kind: "note", at: Date.now(), what, ...more });
  }
  of(kind) {
    return this.rows.filter((row) => row.kind === kind);
  }
}

/** One request; a failure to hear is an answer without a status. */
export function http({ port, method, path, headers, body, withinMs = 30_000 }) {
  return new Promise((done) => {
    const req = ask({ host: "127.0.0.1", port, method, path, headers, agent: false }, (res) => {
      const parts = [];
      res.on("data", (part) => parts.push(part));
      res.on("end", () =>
        done({ status: res.statusCode, headers: res.headers, text: Buffer.concat(parts).toString() }),
      );
      res.on("error", () => done({ status: 0, headers: {}, text: "" }));
    });
    req.setTimeout(withinMs, () => req.destroy());
    req.on("error", () => done({ status: 0, headers: {}, text: "" }));
    if (body !== undefined) req.write(body);
    req.end();
  });
}

export class Caller {
  lastEvent = "0";
  isFollowing = false;

  constructor(gateway, tape, account, key) {
    Object.assign(this, { gateway, tape, account, key });
  }

  async ask(method, path, { name, body, isOther = false } = {}) {
    const headers = { authorization: `Bearer ${this.key}` };
    if (name) headers["idempotency-key"] = name;
    const sent = body === undefined ? undefined : JSON.stringify(body);
    if (sent !== undefined)
      Object.assign(headers, { "content-type": "application/json", "content-length": Buffer.byteLength(sent) });
    const row = { kind: "told", account: this.account, asked: Date.now(), method, path, name, body, isOther };
    const answer = await http({ port: this.gateway.port, method, path, headers, body: sent });
    let json = null;
    try {
      json = JSON.parse(answer.text);
    } catch {}
    return this.tape.add({
      ...row,
      answered: Date.now(),
      status: answer.status,
      headers: answer.headers,
      text: answer.text,
      json,
    });
  }

  get = (path) => this.ask("GET", path);
  post = (path, name, body, more = {}) => this.ask("POST", path, { name, body, ...more });

  /** Asks until there is an answer that is none of "wait", under the same name. */
  async insist(path, name, body, forMs = 25_000) {
    const until = Date.now() + forMs;
    for (;;) {
      const row = await this.post(path, name, body);
      const isWaiting =
        row.status === 0 ||
        row.status === 429 ||
        row.status === 503 ||
        (row.status === 409 && row.json?.error?.code === "idempotency_in_progress");
      if (!isWaiting || Date.now() > until) return row;
      await sleep(400);
    }
  }

  async pages(path) {
    const rows = [];
    let cursor = null;
    for (let i = 0; i < 40; i++) {
      const page = await this.get(
        path +
          (path.includes("?") ? "&" : "?") +
          (cursor === null ? "limit=200" : `limit=200&cursor=${encodeURIComponent(cursor)}`),
      );
      if (page.status !== 200) return { rows, page };
      rows.push(...page.json.data);
      cursor = page.json.next_cursor;
      if (cursor === null) return { rows, page };
    }
    return { rows, page: null };
  }

  /** Follows the events over broken connections and restarts, from the last one that was told. */
  async follow() {
    this.isFollowing = true;
    while (this.isFollowing) {
      try {
        const stop = new AbortController();
        this.stop = stop;
        const res = await fetch(`http://127.0.0.1:${this.gateway.port}/v1/events?after=${this.lastEvent}`, {
          headers: { authorization: `Bearer ${this.key}` },
          signal: stop.signal,
        });
        if (res.status !== 200) {
          await res.text();
          await sleep(500);
          continue;
        }
        let rest = "";
        for await (const part of res.body.pipeThrough(new TextDecoderStream())) {
          rest += part;
          const blocks = rest.split("\n\n");
          rest = blocks.pop();
          for (const block of blocks) this.hear(block);
        }
      } catch {
        await sleep(200);
      }
    }
  }
  hear(block) {
    const field = (name) => block.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1];
    const type = field("event");
    const data = field("data");
    if (!type || !data) return;
    const id = field("id");
    if (id) this.lastEvent = id;
    this.tape.add({ kind: "event", account: this.account, at: Date.now(), id, type, data: JSON.parse(data) });
  }
  end() {
    this.isFollowing = false;
    this.stop?.abort();
  }
}
