// A client that writes down all it is told, with the milliseconds between which it was true.
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Client {
  constructor(gateway, { log }) {
    this.gateway = gateway;
    this.log = log; // everything told: {kind, t0, t1, ...}
    this.key = gateway.key;
    this.wants = new Map(); // Idempotency-Key → {path, body, answers}
    this.number = 0;
  }

  async ask(method, path, body, headers = {}) {
    const t0 = Date.now();
    try {
      const response = await fetch(`${this.gateway.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      const row = {
        kind: "answer",
        method,
        path,
        t0,
        t1: Date.now(),
        status: response.status,
        asOf: response.headers.get("x-data-as-of"),
        body: text === "" ? null : JSON.parse(text),
        ...(headers["idempotency-key"] ? { key: headers["idempotency-key"] } : {}),
      };
      this.log.push(row);
      return row;
    } catch (error) {
      const row = {
        kind: "answer",
        method,
        path,
        t0,
        t1: Date.now(),
        status: 0,
        lost: String(error),
        body: null,
        ...(headers["idempotency-key"] ? { key: headers["idempotency-key"] } : {}),
      };
      this.log.push(row);
      return row;
    }
  }

  get(path) {
    return this.ask("GET", path);
  }

  /** A read that is asked again while it is refused for the moment. */
  async insistGet(path, most = 30_000) {
    const until = Date.now() + most;
    let row = await this.get(path);
    while (row.status !== 200 && Date.now() < until) {
      await sleep(1000);
      row = await this.get(path);
    }
    if (row.status !== 200) throw new Error(`${path} was ${row.status} for ${most} ms: ${JSON.stringify(row.body)}`);
    return row;
  }

  /** One wish under one key; `repeat` asks again for the same. */
  write(path, body, key = `w-${process.pid}-${++this.number}-${Date.now()}`) {
    if (!this.wants.has(key)) this.wants.set(key, { path, body, answers: [] });
    return this.repeat(key);
  }

  async repeat(key) {
    const want = this.wants.get(key);
    const row = await this.ask("POST", want.path, want.body, { "idempotency-key": key });
    want.answers.push(row);
    return row;
  }

  /** Asks until it is a 2xx, as a careful client does. */
  async insist(path, body, key = undefined, most = 45_000) {
    let row = await this.write(path, body, key);
    const name = row.key;
    const until = row.t0 + most;
    while ((row.status === 0 || row.status === 429 || row.status === 503) && Date.now() < until) {
      await sleep(700);
      row = await this.repeat(name);
    }
    return row;
  }

  order(fields, key) {
    return this.insist("/v1/orders", { account: this.gateway.account, ...fields }, key);
  }

  /** Follows the events over every death of the gateway. */
  follow() {
    this.following = true;
    this.follower = this.read();
  }

  async read() {
    while (this.following) {
      this.abort = new AbortController();
      try {
        const response = await fetch(`${this.gateway.url}/v1/events`, {
          headers: { authorization: `Bearer ${this.key}`, ...(this.lastId ? { "last-event-id": this.lastId } : {}) },
          signal: this.abort.signal,
        });
        if (response.status === 200) await this.drain(response);
      } catch {}
      if (this.following) await sleep(300);
    }
  }

  async drain(response) {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        this.event(rest.slice(0, end));
        rest = rest.slice(end + 2);
      }
    }
  }

  event(block) {
    const fields = Object.fromEntries(
      block
        .split("\n")
        .filter((line) => line.includes(": "))
        .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
    );
    if (fields.id) this.lastId = fields.id;
    if (!fields.data) return;
    const data = JSON.parse(fields.data);
    this.log.push({
      kind: "event",
      type: fields.event ?? data.type,
      t0: Date.now(),
      t1: Date.now(),
      id: fields.id,
      body: data.data ?? data,
      whole: data,
    });
  }

  async close() {
    this.following = false;
    this.abort?.abort();
    await this.follower;
  }
}
