// The exchange's doors: /info, /exchange and its stream, each request with a lag and a fate of its own.
import { createServer } from "node:http";
import { Actions } from "./actions.mjs";
import { sleep } from "./figures.mjs";
import { answer } from "./info.mjs";
import { Limits } from "./limits.mjs";
import { signerOf } from "./sign.mjs";
import { Stream } from "./stream.mjs";
import { Truth } from "./truth.mjs";
import { Views } from "./views.mjs";

export class Exchange {
  constructor() {
    this.user = null;
    this.agent = null;
    this.unknown = new Set();
    this.badSigners = [];
    this.sent = [];
    this.down = false;
    this.server = createServer((request, response) => void this.serve(request, response));
    this.stream = new Stream(this);
    this.server.on("upgrade", (request, socket, head) => this.stream.upgrade(request, socket, head));
  }

  async listen(port) {
    await new Promise((done) => this.server.listen(port, "127.0.0.1", done));
  }

  /** A new state for a new seed. */
  begin(draw, world) {
    this.stream.end();
    Object.assign(this, { draw, world, down: false, sent: [], badSigners: [], asked: [] });
    this.truth = new Truth(draw);
    this.views = new Views(this.truth);
    this.limits = new Limits(this.truth, world);
    this.actions = new Actions(this.truth, world, draw, this.limits);
    this.stream.begin();
  }

  moment(store) {
    const { draw, world } = this;
    const lagMs = world.stores?.[store] ?? world.lagMs;
    const behind = draw.chance(world.fresh) ? 0 : draw.next() * lagMs;
    return Math.max(this.truth.began, Math.floor(Date.now() - behind));
  }

  async serve(request, response) {
    if (this.down) return request.socket.destroy();
    const parts = [];
    for await (const part of request) parts.push(part);
    let body;
    try {
      body = JSON.parse(Buffer.concat(parts).toString());
    } catch {
      return send(response, 400, "Failed to parse the request body as JSON");
    }
    try {
      if (request.url === "/info") await this.info(body, response);
      else if (request.url === "/exchange") await this.take(body, response);
      else send(response, 404, null);
    } catch (error) {
      console.log("exchange broke:", error.stack);
      send(response, 500, null);
    }
  }

  async info(body, response) {
    const { draw, world } = this;
    const fate = draw.chance(world.infoFaults)
      ? draw.weighted({ limited: 2, broken: 3, cut: 2, slow: 2, half: 1 })
      : "ok";
    if (fate === "limited") return send(response, 429, null);
    if (fate === "broken") return send(response, draw.of([500, 502, 503]), "<html>bad gateway</html>");
    if (fate === "cut") return response.socket.destroy();
    if (!this.limits.weighs(body)) return send(response, 429, null);
    this.asked.push({ t: Date.now(), type: body.type });
    const value = answer(this, body, this.moment(body.type));
    this.limits.rows(body, value);
    await sleep(fate === "slow" ? draw.whole(1000, 6000) : draw.whole(0, 20));
    if (fate === "half") return half(response, value);
    return value === undefined
      ? send(response, 422, "Failed to deserialize the JSON body into the target type")
      : send(response, 200, value);
  }

  async take(body, response) {
    if (body.action.type === "approveAgent" || body.action.type === "approveBuilderFee")
      return send(response, 200, { status: "ok", response: { type: "default" } });
    // A busy exchange looks at one signature in so many: what it costs is this process's own time.
    const signer = this.draw.chance(this.world.checked ?? 1) ? await signerOf(body) : this.agent;
    if (signer !== this.agent) {
      this.badSigners.push({ signer, body });
      return send(response, 200, { status: "err", response: `User or API Wallet ${signer} does not exist.` });
    }
    if (!this.limits.weighs(body)) return send(response, 429, null);
    const { draw, world, truth } = this;
    const fate = draw.chance(world.sendFaults)
      ? draw.weighted({
          lostBefore: 2,
          lostLater: 2,
          lostAfter: 4,
          slow: 2,
          slowAnswer: 2,
          brokenBefore: 1,
          brokenAfter: 2,
          brokenLater: 1,
          limited: 1,
          half: 2,
        })
      : "ok";
    this.sent.push({ t: Date.now(), fate, nonce: body.nonce, action: body.action, expiresAfter: body.expiresAfter });
    const run = () => (truth === this.truth ? this.actions.run(body) : null);
    await sleep(draw.whole(1, 60));
    if (fate === "limited") return send(response, 429, null);
    if (fate === "lostBefore") return response.socket?.destroy();
    if (fate === "brokenBefore") return send(response, draw.of([500, 502, 503]), "<html>bad gateway</html>");
    if (fate === "lostLater" || fate === "brokenLater") {
      setTimeout(run, draw.whole(200, 7000));
      return fate === "lostLater" ? response.socket?.destroy() : send(response, 502, "<html>bad gateway</html>");
    }
    if (fate === "slow") await sleep(draw.whole(500, 6000));
    const value = run();
    if (fate === "lostAfter") return response.socket?.destroy();
    if (fate === "brokenAfter") return send(response, draw.of([500, 502, 504]), null);
    if (fate === "half") return half(response, value);
    if (fate === "slowAnswer") await sleep(draw.whole(1000, 11000));
    return send(response, 200, value);
  }
}

function send(response, status, value) {
  if (response.destroyed) return;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  response.writeHead(status, { "Content-Type": typeof value === "string" ? "text/plain" : "application/json" });
  response.end(text);
}

function half(response, value) {
  const text = JSON.stringify(value ?? null);
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": text.length });
  response.write(text.slice(0, text.length >> 1), () => response.socket?.destroy());
}
