// The wire: /info, /exchange and /ws, over one exchange.
import { createServer } from "node:http";
import { d, wire } from "./decimal.mjs";
import { Sockets } from "./sockets.mjs";

const DEFAULT = { status: "ok", response: { type: "default" } };
function batch(type, statuses) {
  return { status: "ok", response: { type, data: { statuses } } };
}
export class Server extends Sockets {
  constructor(exchange) {
    super(exchange);
    this.asked = [];
  }
  async listen(port) {
    this.http = createServer((request, response) => void this.take(request, response));
    this.http.on("upgrade", (request, socket) => this.upgrade(request, socket));
    await new Promise((done, fail) => this.http.listen(port, "127.0.0.1", done).on("error", fail));
    this.timer = setInterval(() => this.spread("periodic"), 2000);
  }
  close() {
    clearInterval(this.timer);
    for (const c of this.sockets) c.socket.destroy();
    this.http.closeAllConnections();
    return new Promise((done) => this.http.close(done));
  }
  async take(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = (status, body) => {
      if (response.destroyed) return;
      response.writeHead(status, {
        "content-type": typeof body === "string" && status !== 200 ? "text/plain" : "application/json",
      });
      response.end(status === 200 ? JSON.stringify(body) : body);
    };
    let body;
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return answer(400, "Failed to parse the request body as JSON");
    }
    if (request.url === "/info") {
      this.asked.push({ t: Date.now(), ...body });
      const fault = this.x.infoFault?.(body);
      if (fault === "cut") return response.destroy();
      if (fault) await new Promise((done) => setTimeout(done, fault));
      const shown = this.shown.info(body);
      if (shown === undefined) this.x.note("unknown info", { body });
      return shown === undefined
        ? answer(422, "Failed to deserialize the JSON body into the target type")
        : answer(200, shown);
    }
    if (request.url !== "/exchange") return answer(404, "");
    await this.exchange(body, answer, response);
  }
  async exchange(body, answer, response) {
    const fate = (await this.x.before?.(body)) ?? "run";
    if (fate === "swallow") return response.destroy();
    const result = this.act(body);
    this.x.note("action", { action: body.action, nonce: body.nonce, result });
    const end = (await this.x.after?.(body, result)) ?? fate;
    if (end === "lose") return response.destroy();
    if (end === "502") return answer(502, "<html>502 Bad Gateway</html>");
    answer(200, result);
  }
  act({ action, nonce, expiresAfter }) {
    const x = this.x;
    if (action.type === "approveAgent") {
      const [name, until] = (action.agentName ?? "").split(" valid_until ");
      x.agents = [
        ...x.agents.filter((a) => a.name !== name),
        {
          name,
          address: action.agentAddress.toLowerCase(),
          validUntil: until ? Number(until) : x.now() + 90 * 86400e3,
        },
      ];
      return DEFAULT;
    }
    if (x.nonces.has(nonce)) return { status: "err", response: `Invalid nonce: duplicate nonce ${nonce}` };
    x.nonces.add(nonce);
    if (expiresAfter && x.now() > expiresAfter) return { status: "err", response: "Action already expired" };
    switch (action.type) {
      case "noop":
        return DEFAULT;
      case "order":
        return batch("order", this.orders(action));
      case "cancel":
        return batch(
          "cancel",
          action.cancels.map((c) => this.cancel(x.orders.get(c.o), c.a)),
        );
      case "cancelByCloid":
        return batch(
          "cancel",
          action.cancels.map((c) => this.cancel(x.orders.get(x.cloids.get(c.cloid.toLowerCase())), c.asset)),
        );
      case "batchModify":
        return batch(
          "order",
          action.modifies.map((m) => this.modify(m, action.a)),
        );
      case "updateLeverage":
        return this.setLeverage(action);
      case "updateIsolatedMargin":
        return DEFAULT;
      case "twapOrder":
        return this.twap(action.twap);
      case "twapCancel":
        return this.twapCancel(action);
      case "scheduleCancel":
        return DEFAULT;
      default:
        return { status: "err", response: `not modelled: ${action.type}` };
    }
  }
  orders(action) {
    const x = this.x;
    for (const w of action.orders) {
      const m = x.market(w.a);
      if (!m) return [{ error: `Invalid asset. asset=${w.a}` }];
      const decimals = (w.s.split(".")[1] ?? "").length;
      if (decimals > m.sz) return [{ error: "Order has invalid size." }];
    }
    return action.orders.map((w) => x.place(w, action.builder, action.grouping));
  }
  cancel(order, asset) {
    const gone = { error: `Order was never placed, already canceled, or filled. asset=${asset}` };
    if (!order || this.x.markets.get(order.coin).a !== asset) return gone;
    return this.x.cancelOne(order) ? "success" : gone;
  }
  modify({ oid, order: w }, always) {
    const x = this.x;
    const old = typeof oid === "string" ? x.orders.get(x.cloids.get(oid)) : x.orders.get(oid);
    if (!always && (w.t.trigger || w.t.limit.tif === "Ioc"))
      return { error: "Attempted to modify to invalid new order" };
    const canceled = x.cancelOne(old);
    if (!canceled && !always) return { error: "Cannot modify canceled or filled order" };
    const want = always || w.t.trigger ? w : { ...w, t: { limit: { tif: "Alo" } } };
    const status = x.place(want, old?.builder, "na");
    const made = x.oid;
    if (canceled) x.replacedBy.set(old.oid, made);
    return status;
  }
  setLeverage({ asset, isCross, leverage }) {
    const m = this.x.market(asset);
    if (leverage < 1 || leverage > m.lev) return { status: "err", response: "Invalid leverage value" };
    this.x.leverage.set(m.coin, { type: isCross ? "cross" : "isolated", value: leverage });
    this.x.note("leverage", { coin: m.coin, isCross, leverage });
    this.x.snap();
    return DEFAULT;
  }
  twapRow(twap, status) {
    this.x.twapRows.push({
      t: Date.now(),
      row: {
        time: Math.floor(this.x.now() / 1000),
        state: { ...twap.state },
        status: typeof status === "string" ? { status } : status,
        twapId: twap.id,
      },
    });
    twap.status = status;
    this.x.note("twap", { id: twap.id, status });
    this.x.tell("twap", twap);
  }
  twap(w) {
    const x = this.x;
    const m = x.market(w.a);
    if (m.halted || m.delisted)
      return { status: "ok", response: { type: "twapOrder", data: { status: { error: "Trading is halted." } } } };
    const id = 77_000_000 + x.twaps.size;
    const twap = {
      id,
      state: {
        coin: m.coin,
        user: x.owner,
        side: w.b ? "B" : "A",
        sz: wire(d(w.s)),
        executedSz: "0.0",
        executedNtl: "0.0",
        minutes: w.m,
        reduceOnly: w.r,
        randomize: w.t,
        stopPx: null,
        trigger: null,
        timestamp: x.now(),
      },
    };
    x.twaps.set(id, twap);
    this.twapRow(twap, "activated");
    return { status: "ok", response: { type: "twapOrder", data: { status: { running: { twapId: id } } } } };
  }
  twapCancel({ t }) {
    const twap = this.x.twaps.get(t);
    const done = twap?.status === "activated";
    if (done) this.twapRow(twap, "terminated");
    return {
      status: "ok",
      response: {
        type: "twapCancel",
        data: { status: done ? "success" : { error: "TWAP was never placed, already canceled, or filled." } },
      },
    };
  }
}
