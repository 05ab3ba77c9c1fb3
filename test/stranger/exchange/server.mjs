// The fake exchange at its three doors: /info, /exchange and /ws. Faults are scripted by the scene.
import { createServer } from "node:http";
import { accept } from "./socket.mjs";
import { d, Truth } from "./truth.mjs";
import { Views } from "./views.mjs";
import { isUserSigned, ownerOf, signerOf } from "./wire.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Exchange {
  constructor({ owner }) {
    this.truth = new Truth({ owner });
    this.view = new Views(this.truth);
    this.faults = [];
    this.infoFaults = [];
    this.stream = { mode: "live", drop: () => false, isRefused: false };
    this.peers = new Set();
    this.requests = [];
    this.blockMs = 15;
    this.truth.listeners.add((event) => this.publish(event));
    this.remember();
    this.queue = { orderUpdates: [], userFills: [] };
  }

  get lag() {
    return this.view.lag;
  }

  /** Sets the lag of several stores at once. */
  setLag(lags) {
    Object.assign(this.view.lag, lags);
    this.remember();
    this.truth.note("lag", JSON.stringify(lags));
  }

  /** The stream: `live`, or `silent` (answers pings and says nothing), or `first` (no periodic frames). */
  setStream(changes) {
    Object.assign(this.stream, changes);
    this.remember();
    this.truth.note("stream", JSON.stringify({ mode: this.stream.mode, isRefused: this.stream.isRefused }));
    if (changes.isRefused) for (const peer of this.peers) peer.destroy();
  }

  remember() {
    const isHeard = this.stream.mode !== "silent" && !this.stream.isRefused;
    const worst = {};
    for (const store of Object.keys(this.view.lag)) {
      const lag = this.view.lag[store];
      worst[store] =
        store.startsWith("stream") && !isHeard
          ? Number.POSITIVE_INFINITY
          : lag && typeof lag === "object" && "stuckAt" in lag
            ? lag
            : this.view.worstLag(store);
    }
    this.lagHistory = [...(this.lagHistory ?? []), { t: this.truth.now(), worst }];
  }

  /** A machine that is busy makes everybody late: what our own timers were late by is nobody's fault. */
  watchStrain() {
    this.strains = [];
    let due = Date.now() + 100;
    this.watcher = setInterval(() => {
      const late = Date.now() - due;
      if (late > 40) this.strains.push({ t: Date.now(), late });
      due = Date.now() + 100;
    }, 100);
  }

  strain(from, to) {
    return (
      3 *
      Math.max(
        0,
        ...this.strains.filter((each) => each.t >= from - 1000 && each.t <= to + 1000).map((each) => each.late),
      )
    );
  }

  /** The lag of the freshest of these stores, the worst of it within the time given, in ms. */
  freshest(names, from, to) {
    const history = this.lagHistory ?? [];
    const relevant = history.filter(
      (each, i) => each.t <= to && (history[i + 1]?.t ?? Number.POSITIVE_INFINITY) >= from,
    );
    const behind = relevant.map(({ worst }) =>
      Math.min(...names.map((name) => (typeof worst[name] === "object" ? to - worst[name].stuckAt : worst[name]))),
    );
    return Math.max(0, ...behind.filter((each) => Number.isFinite(each))) + this.strain(from, to);
  }

  /** Every REST index behind by so much; the stream as it is. */
  setRestLag(lag) {
    this.setLag({ record: lag, open: lag, history: lag, fills: lag, positions: lag, twaps: lag, leverage: lag });
  }

  /** The same, but for positions: their answers carry a clock that is right. */
  setIndexLag(lag) {
    this.setLag({ record: lag, open: lag, history: lag, fills: lag, twaps: lag, leverage: lag });
  }

  /** Every index falls behind from now on: it stands still until it is so late, and then goes on as late as that. */
  fallBehind(ms) {
    const from = this.truth.now();
    const lag = () => Math.min(ms, this.truth.now() - from);
    lag.worst = ms;
    this.setIndexLag(lag);
    this.truth.note("lag", `every index falls ${ms} ms behind`);
  }

  setStreamLag(lag) {
    this.setLag({ streamOrders: lag, streamFills: lag, streamOpen: lag, streamPositions: lag, streamTwaps: lag });
  }

  fault(fault) {
    this.faults.push({ times: 1, ...fault });
    return fault;
  }

  async listen() {
    this.server = createServer((request, response) => {
      this.serve(request, response).catch((error) => {
        this.truth.note("bug", `fake exchange: ${error.stack}`);
        response.destroy();
      });
    });
    this.server.keepAliveTimeout = 60_000;
    this.server.on("upgrade", (request, socket) => {
      if (this.stream.isRefused) return socket.destroy();
      socket.setNoDelay(true);
      this.join(accept(request, socket));
    });
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.ticker = setInterval(() => this.tick(), 1000);
    this.watchStrain();
    return this;
  }

  async stop() {
    clearInterval(this.ticker);
    clearInterval(this.watcher);
    for (const peer of this.peers) peer.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    let body;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return this.reply(response, 400, "Failed to parse the request body as JSON");
    }
    if (request.url === "/info") return this.info(body, response);
    if (request.url === "/exchange") return this.exchange(body, response);
    return this.reply(response, 404, "not found");
  }

  reply(response, status, body) {
    if (response.destroyed) return;
    const isText = typeof body === "string" && status !== 200;
    response.sendDate = false;
    response.writeHead(status, {
      "Content-Type": isText ? "text/plain; charset=utf-8" : "application/json",
      Date: new Date(this.view.clock("date", this.truth.now())).toUTCString(),
    });
    response.end(isText ? body : JSON.stringify(body));
  }

  async info(body, response) {
    this.requests.push({ t: Date.now(), type: body.type, oid: body.oid });
    const fault = this.infoFaults.find((each) => each.times > 0 && (each.on === "*" || each.on === body.type));
    if (fault) {
      fault.times--;
      if (fault.delay) await sleep(fault.delay);
      if (fault.how === "reset") return response.destroy();
      if (fault.how === "hang") return undefined;
      if (fault.status) return this.reply(response, fault.status, fault.body ?? null);
      if (fault.answer) return this.reply(response, 200, fault.answer(body, this));
    }
    await sleep(2);
    const answer = this.view.info(body);
    if (answer === undefined)
      return this.reply(response, 422, "Failed to deserialize the JSON body into the target type");
    return this.reply(response, 200, answer);
  }

  lose(response, how = "reset") {
    if (how === "reset") response.destroy();
    if (how === "502") this.reply(response, 502, "<html><body><h1>502 Bad Gateway</h1></body></html>");
    if (how === "504") this.reply(response, 504, "<html><body><h1>504 Gateway Timeout</h1></body></html>");
    if (how === "429") this.reply(response, 429, null);
    if (how === "hang") this.hung = [...(this.hung ?? []), response];
  }

  async exchange(envelope, response) {
    const { type } = envelope.action;
    const fault = this.faults.find(
      (each) =>
        each.times > 0 &&
        (typeof each.on === "function" ? each.on(envelope.action, envelope) : each.on === type || each.on === "*"),
    );
    if (fault) fault.times--;
    await sleep(this.blockMs);
    if (fault?.lose === "before" && !fault.hold) {
      this.truth.note("lost", `${type} nonce ${envelope.nonce}: lost before the exchange saw it`, { type });
      return this.lose(response, fault.how);
    }
    if (fault?.dropEarly !== undefined) {
      setTimeout(() => this.lose(response, fault.how), fault.dropEarly);
      this.truth.note(
        "held",
        `${type} nonce ${envelope.nonce}: connection lost, the relay holds it for ${fault.hold} ms`,
        { type },
      );
    }
    if (fault?.hold) await sleep(typeof fault.hold === "function" ? fault.hold() : fault.hold);
    if (fault?.before) await fault.before(envelope.action, this);
    const answer = this.execute(envelope, fault);
    if (fault?.after) await fault.after(envelope.action, this, answer);
    if (fault?.late) await sleep(fault.late);
    if (fault?.dropEarly !== undefined) return undefined;
    if (fault?.lose === "after") {
      this.truth.note("lost", `${type} nonce ${envelope.nonce}: executed, the answer lost`, { type });
      return this.lose(response, fault.how);
    }
    return this.reply(response, 200, fault?.answer ? fault.answer(answer, envelope.action, this) : answer);
  }

  execute(envelope, fault) {
    const { action, nonce, expiresAfter } = envelope;
    const { truth } = this;
    const err = (text) => {
      truth.note("refused", `${action.type} nonce ${nonce}: ${text}`, { type: action.type, nonce });
      return { status: "err", response: text };
    };
    if (isUserSigned(action.type)) return this.approve(envelope);
    // Reading 300 signatures costs this machine more than the scene does; one in `verifyEvery` is read then.
    this.seen = (this.seen ?? 0) + 1;
    const isRead = this.seen % (this.verifyEvery ?? 1) === 0 || !this.lastSigner;
    const signer = isRead ? signerOf(envelope, truth.source) : this.lastSigner;
    this.lastSigner = signer;
    const agent = truth.agents.get(signer);
    if (!agent && signer !== truth.owner) return err(`User or API Wallet ${signer} does not exist.`);
    const count = (action.orders ?? action.cancels ?? action.modifies ?? [1]).length;
    const taken = truth.takeNonce(signer, nonce, expiresAfter);
    if (taken) return err(taken);
    truth.actions.push({ t: truth.now(), type: action.type, nonce, signer, count, expiresAfter, action });
    if (fault?.refuse) {
      if (fault.refuse.nonce === "free") truth.freeNonce(signer, nonce);
      const { text, shape } = fault.refuse;
      const said = err(text);
      return shape === "status"
        ? { status: "ok", response: { type: "order", data: { statuses: [{ error: text }] } } }
        : said;
    }
    const answer = truth.execute(action, { actionId: `${signer}:${nonce}` });
    const isSaid = ["order", "batchModify", "cancel", "cancelByCloid", "noop"].includes(action.type);
    if (isSaid)
      truth.note(
        "executed",
        `${action.type} nonce ${nonce}: ${JSON.stringify(answer.response?.data?.statuses ?? answer.response ?? answer).slice(0, 240)}`,
        { type: action.type, nonce, answer },
      );
    return answer;
  }

  approve(envelope) {
    const { action } = envelope;
    const owner = ownerOf(envelope);
    const { truth } = this;
    if (owner !== truth.owner)
      return { status: "err", response: `Must deposit before performing actions. User: ${owner}` };
    if (action.type === "approveAgent") {
      const [name] = action.agentName.split(" valid_until ");
      const until = /valid_until (\d+)/.exec(action.agentName);
      for (const [address, agent] of truth.agents) if (agent.name === name) truth.agents.delete(address);
      const address = action.agentAddress.toLowerCase();
      truth.agents.set(address, {
        name,
        address,
        master: owner,
        validUntil: until ? Number(until[1]) : Date.now() + 90 * 86_400_000,
      });
      truth.note("agent", `${address} approved as ${name}`);
    }
    return { status: "ok", response: { type: "default" } };
  }

  // --- the stream ----------------------------------------------------------------------------------------------
  join(peer) {
    this.peers.add(peer);
    peer.subscriptions = [];
    peer.onClose = () => this.peers.delete(peer);
    peer.onText = (text) => {
      this.hear(peer, JSON.parse(text)).catch((error) => this.truth.note("bug", `fake stream: ${error.stack}`));
    };
  }

  async hear(peer, message) {
    const say = (channel, data) => peer.send(JSON.stringify({ channel, data }));
    if (message.method === "ping") return peer.send(JSON.stringify({ channel: "pong" }));
    if (message.method === "subscribe") {
      peer.subscriptions.push(message.subscription);
      say("subscriptionResponse", message);
      if (this.stream.mode === "live" || this.stream.mode === "first") this.snapshot(peer, message.subscription);
      return undefined;
    }
    if (message.method === "unsubscribe") {
      const text = JSON.stringify(message.subscription);
      peer.subscriptions = peer.subscriptions.filter((each) => JSON.stringify(each) !== text);
      return say("subscriptionResponse", message);
    }
    if (message.method === "post") {
      const { id, request } = message;
      const response = {
        destroyed: false,
        writeHead: (status) => (response.status = status),
        end: (body) => {
          const payload = response.status === 200 ? JSON.parse(body) : `${response.status} ${body}`;
          const type = response.status === 200 ? request.type : "error";
          say("post", {
            id,
            response: {
              type,
              payload:
                request.type === "info" && type === "info" ? { type: request.payload.type, data: payload } : payload,
            },
          });
        },
        destroy: () => peer.destroy(),
      };
      return request.type === "action"
        ? this.exchange(request.payload, response)
        : this.info(request.payload, response);
    }
    return undefined;
  }

  tell(peer, channel, data) {
    if (this.stream.mode !== "live" && this.stream.mode !== "first") return;
    if (this.stream.drop(channel, data)) return;
    peer.send(JSON.stringify({ channel, data }));
  }

  isMine(subscription) {
    return String(subscription.user ?? this.truth.owner).toLowerCase() === this.truth.owner;
  }

  snapshot(peer, subscription) {
    const { view, truth } = this;
    const user = String(subscription.user ?? "").toLowerCase();
    const isMine = this.isMine(subscription);
    switch (subscription.type) {
      case "userFills":
        return this.tell(peer, "userFills", {
          isSnapshot: true,
          user,
          fills: isMine
            ? view
                .fillsAt(view.asOf("streamFills"))
                .slice(-2000)
                .map((each) => view.fillRow(each))
            : [],
        });
      case "userTwapHistory":
        return this.tell(peer, "userTwapHistory", {
          isSnapshot: true,
          user,
          history: isMine ? view.twapHistory(view.asOf("streamTwaps")) : [],
        });
      case "userTwapSliceFills":
        return this.tell(peer, "userTwapSliceFills", { isSnapshot: true, user, twapSliceFills: [] });
      case "userHistoricalOrders":
        return this.tell(peer, "userHistoricalOrders", {
          isSnapshot: true,
          user,
          orderHistory: isMine ? view.history() : [],
        });
      case "userFundings":
        return this.tell(peer, "userFundings", { isSnapshot: true, user, fundings: [] });
      case "userNonFundingLedgerUpdates":
        return this.tell(peer, "userNonFundingLedgerUpdates", { isSnapshot: true, user, nonFundingLedgerUpdates: [] });
      default:
        return this.periodic(peer, subscription, truth);
    }
  }

  periodic(peer, subscription) {
    const { view, truth } = this;
    const user = String(subscription.user ?? "").toLowerCase();
    const isMine = this.isMine(subscription);
    const dex = subscription.dex ?? "";
    switch (subscription.type) {
      case "allMids":
        return this.tell(peer, "allMids", { mids: view.mids(dex), ...(dex ? { dex } : {}) });
      case "openOrders":
        return this.tell(peer, "openOrders", {
          dex,
          user,
          orders: isMine ? view.openAt(view.asOf("streamOpen"), dex) : [],
        });
      case "clearinghouseState": {
        const t = view.asOf("streamPositions");
        return this.tell(peer, "clearinghouseState", {
          dex,
          user,
          clearinghouseState: view.clearinghouse(isMine ? t : 0, dex, view.clock("stream", t)),
        });
      }
      case "allDexsClearinghouseState": {
        const t = view.asOf("streamPositions");
        const dexes = Object.keys(truth.lists.at(-1).dexes);
        return this.tell(peer, "allDexsClearinghouseState", {
          user,
          clearinghouseStates: dexes.map((each) => [
            each,
            view.clearinghouse(isMine ? t : 0, each, view.clock("stream", t)),
          ]),
        });
      }
      case "spotState":
        return this.tell(peer, "spotState", { user, spotState: view.spot() });
      case "twapStates":
        return this.tell(peer, "twapStates", {
          dex,
          user,
          states: isMine
            ? view
                .twapsAt(view.asOf("streamTwaps"))
                .filter(([, state]) => (state.coin.includes(":") ? "xyz" : "") === dex)
            : [],
        });
      case "webData3":
        return this.tell(peer, "webData3", {
          userState: {
            agentAddress: null,
            agentValidUntil: null,
            cumLedger: "1000000.0",
            serverTime: Math.floor(view.clock("webData3", truth.now())),
            isVault: false,
            user,
          },
          perpDexStates: Object.keys(truth.lists.at(-1).dexes).map(() => ({ totalVaultEquity: "0.0" })),
        });
      case "activeAssetCtx":
        return this.tell(peer, "activeAssetCtx", { coin: subscription.coin, ctx: view.context(subscription.coin) });
      case "activeAssetData":
        return this.tell(peer, "activeAssetData", view.activeAsset(subscription.coin, view.asOf("leverage")));
      case "l2Book":
      case "bbo":
        return undefined;
      default:
        return undefined;
    }
  }

  tick() {
    if (this.stream.mode !== "live") return;
    this.ticks = (this.ticks ?? 0) + 1;
    const every = {
      allMids: 1,
      openOrders: 3,
      clearinghouseState: 2,
      allDexsClearinghouseState: 2,
      spotState: 3,
      twapStates: 3,
      webData3: 2,
      activeAssetData: 3,
    };
    for (const peer of this.peers)
      for (const subscription of peer.subscriptions)
        if (every[subscription.type] && this.ticks % every[subscription.type] === 0) this.periodic(peer, subscription);
  }

  /** Collects what one turn made and tells it after the channel's own lag. */
  publish(event) {
    if (event.kind === "order") {
      const { order, status, t, sz } = event;
      const shown = this.view.shown(order, sz);
      this.push("orderUpdates", {
        order: {
          coin: shown.coin,
          side: shown.side,
          limitPx: shown.limitPx,
          sz: d(sz),
          oid: shown.oid,
          timestamp: shown.timestamp,
          origSz: shown.origSz,
          ...(shown.cloid ? { cloid: shown.cloid } : {}),
          ...(shown.reduceOnly ? { reduceOnly: true } : {}),
        },
        status: this.view.statusWord(status, order),
        statusTimestamp: t,
      });
    }
    if (event.kind === "fill") this.push("userFills", this.view.fillRow(event.fill));
    const states =
      {
        order: ["openOrders"],
        fill: ["openOrders", "allDexsClearinghouseState", "clearinghouseState"],
        twap: ["twapStates", "userTwapHistory"],
      }[event.kind] ?? [];
    for (const type of states) {
      const lag =
        this.view.draw(
          type === "openOrders"
            ? "streamOpen"
            : type.startsWith("twap") || type === "userTwapHistory"
              ? "streamTwaps"
              : "streamPositions",
        ) || 0;
      setTimeout(() => {
        for (const peer of this.peers)
          for (const subscription of peer.subscriptions)
            if (subscription.type === type) {
              if (type === "userTwapHistory")
                this.tell(peer, type, {
                  user: subscription.user,
                  history: this.view.twapHistory(this.truth.now()).slice(0, 1),
                });
              else this.periodic(peer, subscription);
            }
      }, lag + 5);
    }
  }

  push(channel, item) {
    const queue = this.queue[channel];
    queue.push(item);
    if (queue.length > 1) return;
    queueMicrotask(() => {
      const items = queue.splice(0);
      const lag = this.view.draw(channel === "orderUpdates" ? "streamOrders" : "streamFills") || 0;
      setTimeout(() => {
        for (const peer of this.peers) {
          for (const subscription of peer.subscriptions) {
            if (!this.isMine(subscription)) continue;
            if (subscription.type === channel)
              this.tell(peer, channel, channel === "userFills" ? { user: this.truth.owner, fills: items } : items);
            if (subscription.type === "userEvents" && channel === "userFills")
              this.tell(peer, "user", { fills: items });
          }
        }
      }, lag);
    });
  }
}
