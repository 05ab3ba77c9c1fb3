// The door of the exchange: HTTP, what befalls each request, and the lag of each store, drawn for each request.
import { createServer } from "node:http";
import { sleep } from "./grain.mjs";
import { signerOf } from "./seals.mjs";
import { STORE, shows } from "./shows.mjs";

const HTML =
  "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>";

/** How an answer can go wrong. The words before the colon of a fate say whether the action is carried out: `done`, `never`, `late`. */
const ENDINGS = {
  429: (res) => send(res, 429, "null"),
  "429-empty": (res) => send(res, 429, ""),
  500: (res) => send(res, 500, "null"),
  502: (res) => send(res, 502, HTML, "text/html"),
  503: (res) => send(res, 503, "", "text/plain"),
  504: (res) => send(res, 504, HTML, "text/html"),
  html: (res) => send(res, 200, HTML, "text/html"),
  empty: (res) => send(res, 200, ""),
  null: (res) => send(res, 200, "null"),
  cut: (res, body) => send(res, 200, body.slice(0, Math.floor(body.length / 2))),
  short: (res, body) => {
    res.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    res.write(body.slice(0, Math.floor(body.length / 2)), () => res.socket?.resetAndDestroy());
  },
  reset: (res) => res.socket?.resetAndDestroy(),
  hang: () => {},
  redirect: (res, _body, door) => {
    res.writeHead(307, { location: `http://127.0.0.1:${door.port}/elsewhere` });
    res.end();
  },
  308: (res, _body, door) => {
    res.writeHead(308, { location: `http://127.0.0.1:${door.port}/elsewhere` });
    res.end();
  },
  text: (res, body) => send(res, 200, body, "text/plain"),
  trickle: async (res, body) => {
    res.writeHead(200, { "content-type": "application/json" });
    const pieces = 30;
    const step = Math.ceil(body.length / pieces);
    for (let i = 0; i < body.length; i += step) {
      if (res.destroyed) return;
      res.write(body.slice(i, i + step));
      await sleep(1000);
    }
    res.end();
  },
};
export const WAYS = Object.keys(ENDINGS);

function send(res, status, body, type = "application/json") {
  res.writeHead(status, { "content-type": type, date: new Date().toUTCString() });
  res.end(body);
}

export class Door {
  /** What befalls an action: `(envelope) => null | { run: "done"|"never"|"late", way, afterMs, refuse }`. */
  fate = () => null;
  /** What befalls a question: `(request) => null | way`. */
  infoFate = () => null;
  /** How far behind the store of a question is, for this request alone. */
  lag = () => 0;
  skewMs = 0;
  elsewhere = 0;
  asked = [];
  notes = [];

  constructor(venue, deeds, tape) {
    Object.assign(this, { venue, deeds, tape });
  }

  async listen() {
    this.server = createServer((req, res) => {
      const parts = [];
      req.on("data", (part) => parts.push(part));
      req.on("end", () => {
        this.take(req, res, Buffer.concat(parts).toString()).catch((why) => this.notes.push(String(why.stack)));
      });
      res.on("error", () => {});
    });
    this.server.keepAliveTimeout = 60_000;
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.port = this.server.address().port;
    return this;
  }

  async take(req, res, body) {
    if (req.url === "/elsewhere") {
      this.elsewhere++;
      this.tape.note("elsewhere", { body: body.slice(0, 200) });
      return send(res, 200, '{"status":"ok","response":{"type":"default"}}');
    }
    const request = JSON.parse(body);
    if (req.url === "/info") return this.info(request, res);
    if (req.url === "/exchange") return this.exchange(request, res);
    send(res, 404, "null");
  }

  async info(request, res) {
    const way = this.infoFate(request);
    const at = Date.now() - this.lag(STORE[request.type] ?? "other", request);
    const answer = shows(this.venue, this.deeds, at, request);
    if (answer === undefined) {
      this.notes.push(`not modelled: ${JSON.stringify(request)}`);
      return send(res, 422, "Failed to deserialize the JSON body into the target type", "text/plain");
    }
    if (request.type === "exchangeStatus") answer.time += this.skewMs;
    const text = JSON.stringify(answer);
    this.tape.add({ kind: "info", request, at, way, text: text.length < 3000 ? text : text.slice(0, 3000) });
    if (way) return ENDINGS[way](res, text, this);
    send(res, 200, text);
  }

  async exchange(envelope, res) {
    const arrived = Date.now();
    const signer = await signerOf(envelope);
    const fate = this.fate(envelope, signer);
    this.tape.add({
      kind: "sent",
      at: arrived,
      action: envelope.action,
      nonce: envelope.nonce,
      expires: envelope.expiresAfter,
      vault: envelope.vaultAddress,
      signer,
      fate,
    });
    if (!fate) {
      const answer = this.run(envelope, signer);
      return send(res, 200, JSON.stringify(answer));
    }
    if (fate.beforeMs) await sleep(fate.beforeMs);
    let answer = { status: "ok", response: { type: "default" } };
    if (fate.run === "done" || fate.run === undefined) answer = this.run(envelope, signer);
    if (fate.run === "late") setTimeout(() => this.run(envelope, signer), fate.afterMs).unref();
    if (fate.answer) answer = fate.answer(answer, envelope);
    if (fate.pauseMs) await sleep(fate.pauseMs);
    if (fate.way) return ENDINGS[fate.way](res, JSON.stringify(answer), this);
    send(res, 200, JSON.stringify(answer));
  }

  run(envelope, signer) {
    const answer = this.deeds.run(envelope, signer);
    this.tape.add({ kind: "ran", at: this.venue.clock, nonce: envelope.nonce, type: envelope.action.type, answer });
    return answer;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
