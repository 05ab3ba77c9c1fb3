// Asks, repeats with the same key, follows the events, and keeps all that it is told with the time of question and answer.
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class Client {
  constructor(gateway, draw, told) {
    Object.assign(this, { gateway, draw, told });
    this.count = 0;
  }

  async once(method, path, { key, body, idempotency } = {}) {
    const asked = Date.now();
    const headers = { authorization: `Bearer ${key}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (idempotency) headers["idempotency-key"] = idempotency;
    try {
      const response = await fetch(this.gateway.url + path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(15_000),
      });
      const text = await response.text();
      const answer = {
        asked,
        t: Date.now(),
        method,
        path,
        status: response.status,
        body: text?.startsWith("{") ? JSON.parse(text) : text,
        idempotency,
        wish: body,
        age: response.headers.get("x-data-as-of"),
        isReplay: response.headers.get("idempotent-replayed") === "true",
      };
      this.told.push(answer);
      return answer;
    } catch (error) {
      const answer = {
        asked,
        t: Date.now(),
        method,
        path,
        status: 0,
        body: { error: { code: String(error.message) } },
        idempotency,
        wish: body,
      };
      this.told.push(answer);
      return answer;
    }
  }

  get(path, key) {
    return this.once("GET", path, { key });
  }

  /** A write under one key: repeated while no answer came, and sometimes although one came. */
  async write(path, body, key) {
    const idempotency = `${this.draw.integer(1e6, 9e6)}-${Date.now()}-${this.count++}`;
    let answer = null;
    for (let i = 0; i < 6; i++) {
      answer = await this.once("POST", path, { key, body, idempotency });
      if (answer.status !== 0 && answer.status !== 503) break;
      await wait(400);
    }
    if (this.draw.chance(0.15) && answer.status < 300) void this.once("POST", path, { key, body, idempotency });
    return answer;
  }

  async list(path, key) {
    const rows = [];
    let cursor = "";
    for (let i = 0; i < 40; i++) {
      const answer = await this.get(`${path}${path.includes("?") ? "&" : "?"}limit=500${cursor}`, key);
      if (answer.status !== 200) return { rows, fault: answer };
      rows.push(...answer.body.data);
      if (!answer.body.has_more) return { rows };
      cursor = `&cursor=${encodeURIComponent(answer.body.next_cursor)}`;
    }
    return { rows };
  }
}

/** The stream of events, taken up again where it broke. */
export class Follower {
  constructor(gateway, key) {
    Object.assign(this, { gateway, key, events: [], last: null, isEnded: false, resets: [] });
    this.done = this.follow();
  }

  async follow() {
    while (!this.isEnded) {
      await this.connection().catch(() => {});
      await wait(150);
    }
  }

  async connection() {
    this.abort = new AbortController();
    const headers = { authorization: `Bearer ${this.key}`, ...(this.last ? { "last-event-id": this.last } : {}) };
    const response = await fetch(`${this.gateway.url}/v1/events`, { headers, signal: this.abort.signal });
    if (response.status !== 200) return;
    let rest = "";
    const decoder = new TextDecoder();
    for await (const part of response.body) {
      rest += decoder.decode(part, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) this.hear(block);
    }
  }

  hear(block) {
    const fields = {};
    for (const line of block.split("\n")) {
      const at = line.indexOf(":");
      if (at > 0) fields[line.slice(0, at)] = (fields[line.slice(0, at)] ?? "") + line.slice(at + 1).trimStart();
    }
    if (!fields.event) return;
    const data = fields.data ? JSON.parse(fields.data) : null;
    if (fields.event === "reset") this.resets.push({ t: Date.now(), last: this.last, data });
    if (fields.id) this.last = fields.id;
    this.events.push({ t: Date.now(), id: fields.id ?? null, type: fields.event, data });
  }

  cut() {
    this.abort?.abort();
  }

  end() {
    this.isEnded = true;
    this.cut();
  }
}
