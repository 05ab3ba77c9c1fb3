import { createServer } from "node:http";
import { carryOut } from "./actions.mjs";
import { Engine } from "./engine.mjs";
import { Feed } from "./feed.mjs";
import { answerInfo } from "./info.mjs";
import { Socket } from "./socket.mjs";

const PAGE = "<html><head><title>504 Gateway Time-out</title></head><body>nginx</body></html>";

// The same for all scenes of a run: the gateway's data directory names it.
const kept = { port: 0 };

/** HTTP and websocket in front of the engine. `faults` says what is spoilt, and how. */
export class Exchange {
  constructor() {
    this.engine = new Engine();
    this.feed = new Feed(this);
    this.faults = { lag: () => 0, feedLag: () => 0, hasFeed: true, onAction: () => null, onInfo: () => null };
    this.actions = [];
    this.asked = new Map();
    this.unknown = new Set();
    this.nonces = new Set();
    this.sockets = new Set();
    this.raws = new Set();
  }

  async listen() {
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.on("connection", (raw) => {
      this.raws.add(raw);
      raw.on("close", () => this.raws.delete(raw));
    });
    this.server.on("upgrade", (request, raw) => this.upgrade(request, raw));
    await new Promise((done) => this.server.listen(kept.port, "127.0.0.1", done));
    kept.port = this.server.address().port;
    this.url = `http://127.0.0.1:${kept.port}`;
  }

  upgrade(request, raw) {
    if (!this.faults.hasFeed) {
      raw.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n");
      return;
    }
    const socket = new Socket(request, raw, (text) => this.feed.hear(socket, text));
    socket.subscriptions = [];
    this.sockets.add(socket);
    raw.on("close", () => this.sockets.delete(socket));
  }

  async serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    let body;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return answer(response, 400, "text/plain", "Failed to parse the request body as JSON");
    }
    if (request.url === "/info") return this.info(body, response);
    if (request.url === "/exchange") return this.exchange(body, response, request);
    return answer(response, 404, "text/plain", "");
  }

  async info(body, response) {
    this.asked.set(body.type, (this.asked.get(body.type) ?? 0) + 1);
    const spoilt = this.faults.onInfo(body);
    if (spoilt !== null) return spoil(spoilt, response, "{}");
    let found;
    try {
      found = answerInfo(this.engine, body, (store) => this.engine.now() - this.faults.lag(store, body));
    } catch (error) {
      this.unknown.add(`${body.type}: ${error.message}`);
      return json(response, 500, null);
    }
    if (found === undefined) {
      this.unknown.add(body.type);
      return answer(
        response,
        422,
        "text/plain; charset=utf-8",
        "Failed to deserialize the JSON body into the target type",
      );
    }
    return json(response, 200, found);
  }

  async exchange(body, response) {
    const { action, nonce, vaultAddress, expiresAfter } = body;
    const entry = {
      at: this.engine.now(),
      action,
      nonce,
      vault: vaultAddress ?? null,
      expiresAfter: expiresAfter ?? null,
      ran: null,
      answer: null,
    };
    this.actions.push(entry);
    const fault = this.faults.onAction(entry) ?? {};
    entry.fault = fault;
    if (fault.wait !== undefined) await new Promise((done) => setTimeout(done, fault.wait));
    if (fault.before !== undefined) {
      if (fault.late !== undefined) setTimeout(() => this.run(entry), fault.late);
      return spoil(fault.before, response, "");
    }
    const text = JSON.stringify(this.run(entry));
    if (fault.hang !== undefined) await new Promise((done) => setTimeout(done, fault.hang));
    if (fault.after !== undefined) return spoil(fault.after, response, text);
    return answer(response, 200, "application/json", text);
  }

  /** What the chain does with it, whoever still waits for the answer. */
  run(entry) {
    const now = this.engine.now();
    const user = entry.vault?.toLowerCase() ?? this.master;
    const account = this.engine.accounts.get(user);
    const refuse = (text) => {
      entry.answer = { status: "err", response: text };
      return entry.answer;
    };
    if (entry.action.type === "approveAgent") return this.approve(entry);
    if (account === undefined) return refuse(`Vault not registered: ${user}`);
    if (this.nonces.has(entry.nonce)) return refuse(`Invalid nonce: duplicate nonce ${entry.nonce}`);
    this.nonces.add(entry.nonce);
    if (entry.expiresAfter !== null && entry.expiresAfter < now) return refuse("Action already expired");
    entry.ran = now;
    entry.answer = carryOut(this.engine, account, entry.action);
    return entry.answer;
  }

  approve(entry) {
    const [name, until] = entry.action.agentName.split(" valid_until ");
    const validUntil = until === undefined ? this.engine.now() + 90 * 86_400_000 : Number(until);
    this.engine.agents = [{ name, address: entry.action.agentAddress.toLowerCase(), validUntil }];
    entry.answer = { status: "ok", response: { type: "default" } };
    return entry.answer;
  }

  cutFeeds() {
    for (const socket of this.sockets) socket.end();
  }

  close() {
    this.cutFeeds();
    for (const raw of this.raws) raw.destroy();
    this.feed.close();
    return new Promise((done) => this.server.close(done));
  }
}

function answer(response, status, type, text) {
  if (response.destroyed) return;
  response.writeHead(status, { "Content-Type": type });
  response.end(text);
}

function json(response, status, value) {
  answer(response, status, "application/json", JSON.stringify(value));
}

function spoil(how, response, text) {
  if (how === "reset") response.socket?.destroy();
  else if (how === "hang") setTimeout(() => response.socket?.destroy(), 20_000).unref();
  else if (how === "429") json(response, 429, null);
  else if (how === "500") json(response, 500, null);
  else if (how === "502" || how === "504") answer(response, Number(how), "text/html", PAGE);
  else if (how === "cut") answer(response, 200, "application/json", text.slice(0, Math.floor(text.length / 2)));
  else if (how === "empty") answer(response, 200, "application/json", "");
  else if (how === "torn") tear(response, text);
  else
    answer(
      response,
      200,
      "application/json",
      typeof how === "function" ? JSON.stringify(how(JSON.parse(text || "null"))) : JSON.stringify(how),
    );
}

/** Says how long the answer is, and breaks off in its middle. */
function tear(response, text) {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": text.length });
  response.write(text.slice(0, Math.floor(text.length / 2)));
  setTimeout(() => response.socket?.destroy(), 20);
}
