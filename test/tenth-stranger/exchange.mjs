// The exchange's door: HTTP and websocket on one port, and what befalls a request on its way.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";
import { act, frontend } from "./acts.mjs";
import { wire } from "./chain.mjs";
import { frame, info } from "./views.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Exchange {
  fates = [];
  lag = 0;
  lies = false;
  twist = null;
  frameLag = 0;
  frameTwist = null;
  dead = false;
  infoDown = null;
  seen = [];
  sockets = new Set();

  constructor(chain) {
    this.chain = chain;
    this.server = createServer(
      (request, response) => void this.answer(request, response).catch(() => response.destroy()),
    );
    this.ws = new WebSocketServer({ server: this.server, path: "/ws" });
    this.ws.on("connection", (socket) => this.connected(socket));
    chain.listeners.push((kind, data) => this.push(kind, data));
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.timer = setInterval(() => this.beat(), 1000);
    return this;
  }

  close() {
    clearInterval(this.timer);
    for (const { socket } of this.sockets) socket.terminate();
    this.ws.close();
    this.server.closeAllConnections();
    this.server.close();
  }

  // The next action that `test` picks takes this fate; `times` of them.
  fate(kind, test = () => true, more = {}) {
    const item = { kind, test, times: 1, ...more };
    this.fates.push(item);
    return item;
  }

  pick(action) {
    const found = this.fates.find((item) => item.times > 0 && item.test(action));
    if (found) found.times -= 1;
    return found;
  }

  async answer(request, response) {
    let text = "";
    for await (const part of request) text += part;
    const body = JSON.parse(text || "{}");
    if (request.url === "/info") {
      if (this.infoDown?.(body)) return response.destroy();
      let view = info(this.chain, { ...body, lies: this.lies }, this.lag);
      if (this.twist) view = this.twist(body, view);
      if (view === undefined) this.seen.push({ at: Date.now(), unknown: body });
      return this.reply(response, view === undefined ? 422 : 200, view ?? null);
    }
    return this.exchange(body, response);
  }

  reply(response, status, value) {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(value));
  }

  async exchange(body, response) {
    const fate = this.pick(body.action);
    const entry = {
      at: Date.now(),
      action: body.action,
      nonce: body.nonce,
      expires: body.expiresAfter,
      fate: fate?.kind ?? "ok",
    };
    this.seen.push(entry);
    const run = () => {
      entry.ran = Date.now();
      entry.answer = act(this.chain, body);
      fate?.after?.(this.chain);
      return entry.answer;
    };
    switch (fate?.kind) {
      case "lost":
        run();
        return response.destroy();
      case "never":
        return response.destroy();
      case "hang":
        run();
        return undefined;
      case "late":
        response.destroy();
        await sleep(fate.ms ?? 4000);
        return void run();
      case "slow":
        await sleep(fate.ms ?? 4000);
        return this.reply(response, 200, run());
      case "html":
        run();
        response.writeHead(502, { "Content-Type": "text/html" });
        return response.end("<html>502</html>");
      case "words":
        return this.reply(response, 200, { status: "err", response: fate.words });
      default:
        return this.reply(response, 200, run());
    }
  }

  connected(socket) {
    if (this.dead === "cut") return socket.terminate();
    const client = { socket, subscriptions: [] };
    this.sockets.add(client);
    socket.on("close", () => this.sockets.delete(client));
    socket.on("error", () => {});
    socket.on("message", (raw) => this.heard(client, JSON.parse(raw.toString())));
  }

  send(client, channel, data) {
    if (this.dead || data === undefined) return;
    client.socket.send(JSON.stringify({ channel, data }));
  }

  heard(client, message) {
    if (this.dead) return;
    if (message.method === "ping") return client.socket.send(JSON.stringify({ channel: "pong" }));
    if (message.method === "subscribe") {
      client.subscriptions.push(message.subscription);
      this.send(client, "subscriptionResponse", { method: "subscribe", subscription: message.subscription });
      const { type, user } = message.subscription;
      if (type === "userFills")
        this.send(client, "userFills", { user, isSnapshot: true, fills: this.chain.fills.slice(-100) });
      else if (type.startsWith("user") && type !== "userEvents")
        this.send(client, type, {
          user,
          isSnapshot: true,
          fundings: [],
          nonFundingLedgerUpdates: [],
          orderHistory: [],
          twapSliceFills: [],
          history: [],
        });
      else this.send(client, type, this.show(message.subscription));
    } else if (message.method === "unsubscribe") {
      const key = JSON.stringify(message.subscription);
      client.subscriptions = client.subscriptions.filter((item) => JSON.stringify(item) !== key);
    } else if (message.method === "post") {
      this.post(client, message);
    }
  }

  post(client, { id, request }) {
    const response = new Proxy(
      {},
      {
        get: (_, name) =>
          name === "writeHead" ? () => {} : name === "end" ? (text) => this.posted(client, id, text) : () => {},
      },
    );
    if (request.type === "action") void this.exchange(request.payload, response);
  }

  posted(client, id, text) {
    this.send(client, "post", { id, response: { type: "action", payload: JSON.parse(text) } });
  }

  show(subscription) {
    const view = frame(this.chain, subscription, this.frameLag);
    return this.frameTwist ? this.frameTwist(subscription, view) : view;
  }

  each(type, make) {
    for (const client of this.sockets)
      for (const subscription of client.subscriptions)
        if (subscription.type === type) this.send(client, type === "userEvents" ? "user" : type, make(subscription));
  }

  push(kind, data) {
    if (kind === "order") {
      const order = { ...frontend(data), origSz: wire(data.size) };
      this.each("orderUpdates", () => [{ order, status: data.status, statusTimestamp: data.statusAt }]);
      this.each("openOrders", (subscription) => this.show(subscription));
    } else if (kind === "fill") {
      this.each("userFills", ({ user }) => ({ user, fills: [data] }));
      this.each("userEvents", () => ({ fills: [data] }));
    } else if (kind === "price") {
      for (const type of ["bbo", "activeAssetCtx", "l2Book"])
        this.each(type, (subscription) => this.show(subscription));
    }
    setTimeout(() => this.account(), 20);
  }

  account() {
    for (const type of [
      "clearinghouseState",
      "allDexsClearinghouseState",
      "openOrders",
      "twapStates",
      "webData3",
      "spotState",
    ])
      this.each(type, (subscription) => this.show(subscription));
  }

  beat() {
    this.account();
    for (const type of ["allMids", "bbo", "activeAssetCtx", "l2Book", "activeAssetData"])
      this.each(type, (subscription) => this.show(subscription));
  }

  feed(state) {
    this.dead = state;
    if (state === "cut") for (const { socket } of this.sockets) socket.terminate();
    if (!state) for (const { socket } of this.sockets) socket.terminate();
  }
}
