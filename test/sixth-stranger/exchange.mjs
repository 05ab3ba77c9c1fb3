// HTTP and websocket of the exchange, and the fate of each request on its way there and back.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { Chain } from "./chain.mjs";
import { figure, signerOfAction, signerOfApproval } from "./codec.mjs";
import { frame } from "./frames.mjs";
import { tick } from "./market.mjs";
import { answer, Server } from "./views.mjs";

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const FACES = ["reset", "hang", "html", "500", "half", "empty"];

export class Exchange {
  constructor({ owner, draw, sickness = 3000 }) {
    this.chain = new Chain({ owner, draw });
    Object.assign(this, { draw, sickness, links: new Set(), isDown: false, faults: [], questions: {} });
    this.servers = [0, 1, 2].map(() => new Server(this.chain, sickness));
    this.rate = { lost: 0.08, never: 0.08, late: 0.06, slow: 0.15, info: 0.06 };
    this.chain.listeners.push((event) => this.stream(event));
  }

  async start() {
    this.http = createServer((request, response) => {
      void this.serve(request, response).catch((e) => this.fault(e, response));
    });
    this.sockets = new WebSocketServer({ server: this.http, path: "/ws" });
    this.sockets.on("connection", (socket) => this.connect(socket));
    await new Promise((done) => this.http.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.http.address().port}`;
    this.timers = [
      setInterval(() => tick(this.chain), 200),
      setInterval(() => this.pulse(), 700),
      setInterval(() => this.draw.pick(this.servers).change(), 2500),
    ];
    return this.url;
  }

  fault(error, response) {
    this.faults.push(String(error.stack ?? error));
    if (!response.headersSent) response.writeHead(422).end("Failed to deserialize the JSON body into the target type");
  }

  /** No lags, no losses: what is told from here on has to be the truth soon. */
  heal() {
    this.rate = { lost: 0, never: 0, late: 0, slow: 0, info: 0 };
    this.isDown = false;
    this.sickness = 300;
    for (const server of this.servers) {
      server.sickness = 300;
      server.change();
    }
    this.chain.refuseOnce = null;
    this.chain.refuseLeverage = false;
  }

  async serve(request, response) {
    let text = "";
    for await (const part of request) text += part;
    if (this.isDown) return request.socket.destroy();
    const body = JSON.parse(text);
    const server = this.draw.pick(this.servers);
    if (request.url === "/info") return this.inform(body, server, request, response);
    return this.act(body, request, response);
  }

  async inform(query, server, request, response) {
    this.questions[query.type] = (this.questions[query.type] ?? 0) + 1;
    if (this.draw.chance(this.rate.info)) return this.show(this.draw.pick(FACES), request, response);
    const reply = answer(this.chain, server, query);
    await wait(this.draw.between(5, 60));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
  }

  drawFate(body) {
    const scripted = this.script?.(body);
    if (scripted) return scripted;
    const x = this.draw.next();
    const { lost, never, late, slow } = this.rate;
    if (x < lost) return "lost";
    if (x < lost + never) return "never";
    if (x < lost + never + late) return "late";
    return x < lost + never + late + slow ? "slow" : "ok";
  }

  async act(body, request, response) {
    const send = (reply) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
    if (body.action.type === "approveAgent") return send(await this.approve(body));
    const signer = await signerOfAction(body);
    const fate = this.drawFate(body);
    this.chain.note("arrives", { nonce: body.nonce, fate, type: body.action.type, expires: body.expiresAfter });
    await wait(this.draw.between(10, 250));
    const face = this.draw.pick(FACES);
    if (fate === "never") return this.show(face, request, response);
    if (fate === "late") {
      setTimeout(() => this.chain.execute(body, signer), this.draw.between(500, 14_000));
      return this.show(face, request, response);
    }
    const reply = this.chain.execute(body, signer);
    if (fate === "lost") return this.show(face, request, response);
    if (fate === "slow") await wait(this.draw.between(500, 5000));
    return send(reply);
  }

  async approve(body) {
    const signer = await signerOfApproval(body);
    if (signer !== this.chain.owner)
      return { status: "err", response: `Must deposit before performing actions. User: ${signer}` };
    const name = (body.action.agentName ?? "").split(" ")[0];
    for (const [address, agent] of this.chain.agents) if (agent.name === name) this.chain.agents.delete(address);
    this.chain.agents.set(body.action.agentAddress.toLowerCase(), { name, validUntil: Date.now() + 90 * 86_400_000 });
    return { status: "ok", response: { type: "default" } };
  }

  async show(face, request, response) {
    if (face === "reset") return request.socket.destroy();
    if (face === "hang") return setTimeout(() => request.socket.destroy(), 20_000).unref();
    if (face === "html")
      return response.writeHead(502, { "content-type": "text/html" }).end("<html>502 Bad Gateway</html>");
    if (face === "429") return response.writeHead(429, { "content-type": "application/json" }).end("null");
    if (face === "500") return response.writeHead(500, { "content-type": "application/json" }).end("null");
    if (face === "half")
      return response.writeHead(200, { "content-type": "application/json" }).end('{"status":"ok","resp');
    return response.writeHead(200, { "content-type": "application/json" }).end("");
  }

  connect(socket) {
    if (this.isDown) return socket.terminate();
    const link = { socket, server: this.draw.pick(this.servers), subs: [], due: 0 };
    this.links.add(link);
    socket.on("close", () => this.links.delete(link));
    socket.on("error", () => {});
    socket.on("message", (raw) => this.hear(link, JSON.parse(raw)));
  }

  send(link, channel, data) {
    if (link.socket.readyState === 1 && data !== null) link.socket.send(JSON.stringify({ channel, data }));
  }

  hear(link, message) {
    if (message.method === "ping") return link.socket.send('{"channel":"pong"}');
    if (message.method === "unsubscribe")
      link.subs = link.subs.filter((s) => JSON.stringify(s) !== JSON.stringify(message.subscription));
    this.send(link, "subscriptionResponse", { method: message.method, subscription: message.subscription });
    if (message.method !== "subscribe") return;
    link.subs.push(message.subscription);
    this.send(link, message.subscription.type, frame(this.chain, link.server, message.subscription));
  }

  /** States again and again, as the exchange sends them. */
  pulse() {
    this.beat = (this.beat ?? 0) + 1;
    for (const link of this.links) {
      if (link.isSilent) continue;
      for (const sub of link.subs) {
        if (sub.type.startsWith("user") || sub.type === "orderUpdates") continue;
        const isQuick = [
          "bbo",
          "l2Book",
          "activeAssetCtx",
          "openOrders",
          "clearinghouseState",
          "allDexsClearinghouseState",
        ].includes(sub.type);
        if (isQuick || this.beat % 4 === 0) this.send(link, sub.type, frame(this.chain, link.server, sub));
      }
    }
  }

  stream(event) {
    for (const link of this.links) {
      if (link.isSilent) continue;
      link.due = Math.max(link.due + 0.01, Date.now() + link.server.lags.stream);
      setTimeout(() => this.deliver(link, event), link.due - Date.now()).unref();
    }
  }

  deliver(link, event) {
    for (const sub of link.subs) {
      if (event.kind === "fill" && sub.type === "userFills")
        this.send(link, "userFills", { user: this.chain.owner, fills: [event.fill] });
      if (event.kind === "fill" && sub.type === "userEvents") this.send(link, "user", { fills: [event.fill] });
      if (event.kind === "order" && sub.type === "orderUpdates") {
        const o = event.order;
        const row = {
          coin: o.coin,
          side: o.side,
          limitPx: figure(o.px),
          sz: figure(o.sz),
          oid: o.oid,
          timestamp: o.ts,
          origSz: figure(o.origSz),
          ...(o.cloid ? { cloid: o.cloid } : {}),
          ...(o.r ? { reduceOnly: true } : {}),
        };
        this.send(link, "orderUpdates", [{ order: row, status: o.status, statusTimestamp: event.t }]);
      }
    }
  }

  cutStreams() {
    for (const link of this.links) link.socket.terminate();
  }

  async stop() {
    for (const timer of this.timers) clearInterval(timer);
    this.cutStreams();
    this.http.closeAllConnections();
    await new Promise((done) => this.http.close(done));
  }
}
