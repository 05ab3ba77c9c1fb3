// Who asks: each request and each answer is kept, and so is each event. Sockets of its own for what no client library sends.
import { connect } from "node:net";
import { sleep } from "./codec.mjs";

/** A client of one account. `told` holds everything that it has heard. */
export function makeClient(gateway, name, told) {
  const key = gateway.keys[name];
  const client = { name, account: key.account, address: gateway.accounts[name].address, key: key.key };
  client.ask = async (method, path, body, idempotency) => {
    const headers = {
      Authorization: `Bearer ${client.key}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(idempotency ? { "Idempotency-Key": idempotency } : {}),
    };
    const asked = Date.now();
    const entry = { t: asked, client: name, method, path, body, idempotency, status: 0, answer: null };
    try {
      const response = await fetch(gateway.url + path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(30000),
      });
      entry.status = response.status;
      entry.replayed = response.headers.get("idempotent-replayed") === "true";
      entry.retryAfter = Number(response.headers.get("retry-after") ?? 0);
      entry.asOf = response.headers.get("x-data-as-of");
      const raw = await response.text();
      entry.raw = raw;
      entry.answer = raw ? JSON.parse(raw) : null;
    } catch (error) {
      entry.fault = String(error?.cause ?? error);
    }
    entry.done = Date.now();
    told.push(entry);
    return entry;
  };
  client.get = (path) => client.ask("GET", path);
  client.post = (path, body, idempotency) => client.ask("POST", path, body, idempotency);
  /** Reads until it is not told to wait; for comparisons at rest. */
  client.surely = async (path, attempts = 30) => {
    for (let i = 0; ; i++) {
      const entry = await client.get(path);
      if (entry.status === 200 || i >= attempts) return entry;
      await sleep(Math.min(5000, Math.max(300, entry.retryAfter * 1000)));
    }
  };
  client.all = async (path) => {
    const rows = [];
    for (let cursor = null; ; ) {
      const entry = await client.surely(
        `${path}${path.includes("?") ? "&" : "?"}limit=500${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
      );
      if (entry.status !== 200) return { rows, entry };
      rows.push(...entry.answer.data);
      cursor = entry.answer.next_cursor;
      if (!cursor) return { rows, entry };
    }
  };
  return client;
}

/** Follows the events from `after`; `stop()` ends it. */
export function followEvents(gateway, client, events, after = null) {
  const state = { last: after, isOver: false, resets: 0, error: null };
  const controller = new AbortController();
  state.stop = () => {
    state.isOver = true;
    controller.abort();
  };
  const once = async () => {
    const headers = { Authorization: `Bearer ${client.key}`, ...(state.last ? { "Last-Event-ID": state.last } : {}) };
    const response = await fetch(`${gateway.url}/v1/events`, { headers, signal: controller.signal });
    if (response.status !== 200) throw new Error(String(response.status));
    let buffer = "";
    for await (const chunk of response.body) {
      buffer += Buffer.from(chunk).toString("utf8");
      for (let cut = buffer.indexOf("\n\n"); cut >= 0; cut = buffer.indexOf("\n\n")) {
        take(buffer.slice(0, cut), state, events, client);
        buffer = buffer.slice(cut + 2);
      }
    }
  };
  state.done = (async () => {
    while (!state.isOver) {
      await once().catch((error) => {
        state.error = String(error);
      });
      if (!state.isOver) await sleep(700);
    }
  })();
  return state;
}

function take(block, state, events, client) {
  const fields = Object.fromEntries(
    block
      .split("\n")
      .filter((l) => !l.startsWith(":") && l.includes(":"))
      .map((l) => [l.slice(0, l.indexOf(":")), l.slice(l.indexOf(":") + 1).trim()]),
  );
  if (fields.id) state.last = fields.id;
  if (fields.event === "reset") state.resets += 1;
  if (fields.data)
    events.push({
      t: Date.now(),
      client: client.name,
      id: fields.id,
      type: fields.event,
      event: JSON.parse(fields.data),
    });
}

/** Sends bytes as they are and gathers what comes back for `ms`. */
export function raw(gateway, bytes, ms = 2000, hangUp = null) {
  return new Promise((done) => {
    let heard = "";
    const socket = connect(gateway.port, "127.0.0.1", () => {
      for (const part of Array.isArray(bytes) ? bytes : [bytes]) socket.write(part);
      if (hangUp !== null) setTimeout(() => socket.destroy(), hangUp);
    });
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on("close", () => {
      clearTimeout(timer);
      done(heard);
    });
  });
}

/** The bytes of a request. */
export function bytesOf(world, client, line, request = {}) {
  const { body, headers = {} } = request;
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  const lines = [`${line} HTTP/1.1`, `Host: 127.0.0.1:${world.gateway.port}`, `Authorization: Bearer ${client.key}`];
  const all = {
    ...(text ? { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) } : {}),
    ...headers,
  };
  for (const [name, value] of Object.entries(all)) if (value !== null) lines.push(`${name}: ${value}`);
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}
