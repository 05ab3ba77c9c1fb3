// The exchange on a port, and what befalls each request on its way there and back.
import http from "node:http";
import { Actions } from "./actions.mjs";
import { Book } from "./book.mjs";
import { Unreadable } from "./codec.mjs";
import { Feeds } from "./feeds.mjs";
import { Info, Lag } from "./info.mjs";
import { Markets } from "./markets.mjs";
import { Truth } from "./truth.mjs";
import { Twaps } from "./twaps.mjs";
import { Views } from "./views.mjs";

const HTML =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.26.2</center></body></html>\r\n";
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Exchange {
  constructor({ random = Math.random } = {}) {
    this.random = random;
    this.markets = new Markets();
    this.truth = new Truth(this.markets);
    this.book = new Book(this.truth);
    this.twaps = new Twaps(this.truth, this.book);
    this.actions = new Actions(this.truth, this.book, this.twaps);
    this.views = new Views(this.truth, this.twaps);
    this.lag = new Lag(random);
    this.info = new Info({ truth: this.truth, views: this.views, twaps: this.twaps, lag: this.lag });
    this.feeds = new Feeds({ truth: this.truth, views: this.views, twaps: this.twaps, lag: this.lag, info: this.info });
    this.fate = () => "well"; // (action) => what becomes of it
    this.infoFate = () => "well";
    this.log = [];
    this.beforeAction = null;
  }

  async listen() {
    this.server = http.createServer((request, response) => {
      this.serve(request, response).catch((error) => this.failed(error, response));
    });
    this.feeds.attach(this.server);
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  failed(error, response) {
    this.log.push({ time: Date.now(), fault: String(error.stack) });
    if (!response.headersSent)
      response
        .writeHead(422, { "content-type": "text/plain; charset=utf-8" })
        .end("Failed to deserialize the JSON body into the target type");
  }

  async serve(request, response) {
    let text = "";
    for await (const part of request) text += part;
    const body = JSON.parse(text);
    if (request.url === "/exchange") return this.act(body, request, response);
    const fate = this.infoFate(body);
    if (fate !== "well") return this.befall(fate, () => this.info.answer(body), request, response);
    try {
      this.reply(response, this.info.answer(body));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.log.push({ time: Date.now(), unmodelled: body.type });
      this.failed(error, response);
    }
  }

  reply(response, value) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  }

  async act(body, request, response) {
    const fate = await this.fate(body.action, body);
    const row = { time: Date.now(), type: body.action.type, nonce: body.nonce, fate, action: body.action };
    this.log.push(row);
    this.beforeAction?.(body);
    const execute = async () => {
      row.answer = await this.actions.execute(body);
      row.executedAt = Date.now();
      return row.answer;
    };
    if (fate === "well") return this.reply(response, await execute());
    return this.befall(fate, execute, request, response);
  }

  /** The ways in which a request goes wrong. `never-` is not executed, `late-` after its answer was lost. */
  async befall(fate, execute, request, response) {
    const [when, how, ms] = fate.split(":");
    if (when === "slow") {
      await sleep(Number(how));
      const value = await execute();
      return this.reply(response, value);
    }
    let value = null;
    if (when === "done") value = await execute();
    if (when === "late")
      sleep(Number(ms ?? 3000))
        .then(execute)
        .catch(() => undefined);
    if (how === "reset") return request.socket.destroy();
    if (how === "hang") return sleep(30_000).then(() => request.socket.destroy());
    if (how === "html") return response.writeHead(502, { "content-type": "text/html" }).end(HTML);
    if (how === "429") return response.writeHead(429, { "content-type": "application/json" }).end("null");
    if (how === "500") return response.writeHead(500, { "content-type": "application/json" }).end("null");
    if (how === "503") return response.writeHead(503, { "content-type": "text/plain" }).end("maintenance");
    if (how === "garbage")
      return response.writeHead(200, { "content-type": "application/json" }).end('{"status":"ok","resp');
    if (how === "empty") return response.writeHead(200, { "content-type": "application/json" }).end("");
    if (how === "null") return this.reply(response, null);
    if (how === "strange")
      return this.reply(response, { status: "ok", response: { type: "order", data: { statuses: ["delayed"] } } });
    if (how === "other") return this.reply(response, foreign(value));
    if (how === "half") {
      const text = JSON.stringify(value ?? { status: "ok", response: { type: "default" } });
      response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
      response.write(text.slice(0, Math.floor(text.length / 2)));
      return setTimeout(() => request.socket.destroy(), 50);
    }
    throw new Error(`fate ${fate}`);
  }

  async close() {
    this.feeds.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The answer of somebody else's order in place of one's own. */
function foreign(value) {
  const text = JSON.stringify(
    value ?? { status: "ok", response: { type: "order", data: { statuses: [{ resting: { oid: 1 } }] } } },
  );
  return JSON.parse(text, (key, item) => {
    if (key === "oid") return 123_456_789;
    if (key === "cloid") return `0x${"fe".repeat(16)}`;
    if (key === "twapId") return 99;
    return item;
  });
}
