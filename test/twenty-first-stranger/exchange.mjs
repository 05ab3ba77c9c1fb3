// The exchange on loopback: what is signed it carries out in blocks, what is asked each server answers as of its own moment.

import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ONE, text, units } from "./decimal.mjs";
import { answerInfo, weightOf } from "./info.mjs";
import { coinOf, MARKETS } from "./markets.mjs";

const GONE = "Order was never placed, already canceled, or filled.";

export class Exchange {
  weights = []; // {at, weight, type}
  refused429 = 0;
  asked = new Map();
  #nonces = new Set();

  constructor({ ledger, servers, random, world }) {
    Object.assign(this, { ledger, servers, random, world });
    this.server = createServer((request, response) => {
      this.#take(request, response).catch((error) => {
        console.error("exchange", error);
        response.destroy();
      });
    });
  }

  async #take(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const isAction = request.url === "/exchange";
    const type = isAction ? body.action.type : body.type;
    this.asked.set(type, (this.asked.get(type) ?? 0) + 1);
    if (this.#isOverWeight()) {
      this.refused429 += 1;
      return send(response, 429, null);
    }
    return isAction ? this.#act(body, response) : this.#tell(body, response);
  }

  #isOverWeight() {
    return this.world.weightLimit && this.weightSince(Date.now() - 60_000) >= this.world.weightLimit;
  }

  weightSince(from) {
    let sum = 0;
    for (let index = this.weights.length - 1; index >= 0 && this.weights[index].at >= from; index--)
      sum += this.weights[index].weight;
    return sum;
  }

  /** The most that was asked for in any minute, and in all. */
  mostWeight() {
    let most = 0;
    let sum = 0;
    let first = 0;
    let all = 0;
    for (const { at, weight } of this.weights) {
      sum += weight;
      all += weight;
      while (this.weights[first].at <= at - 60_000) sum -= this.weights[first++].weight;
      most = Math.max(most, sum);
    }
    return { most, all };
  }

  async #tell(body, response) {
    const moments = (store) => this.servers.moment(store);
    const answer = answerInfo(body, this.ledger, moments, this.world);
    if (answer === undefined) {
      console.error("exchange: not known", body.type);
      return send(response, 422, "Failed to deserialize the JSON body into the target type");
    }
    this.weights.push({ at: Date.now(), weight: weightOf(body.type, answer), type: body.type });
    if (process.env.STRANGER_SENT)
      console.log(
        Date.now(),
        JSON.stringify(body),
        Array.isArray(answer) ? answer.length : JSON.stringify(answer).slice(0, 300),
      );
    await sleep(this.random.between(1, 15));
    const hang = this.world.hang?.[body.type];
    if (hang && this.random.chance(hang.share)) await sleep(this.random.between(...hang.ms));
    return send(response, 200, answer);
  }

  async #act(body, response) {
    const { action, nonce } = body;
    const list = action.orders ?? action.cancels ?? action.modifies ?? [];
    this.weights.push({ at: Date.now(), weight: 1 + Math.floor(list.length / 40), type: action.type });
    this.world.actions += Math.max(1, list.length);
    await sleep(this.random.between(1, this.world.blockMs ?? 80));
    const answer = this.#run(body, nonce, action);
    if (this.random.chance(this.world.lost ?? 0) && action.type !== "approveAgent") return response.destroy();
    await sleep(this.random.between(...(this.world.answerMs ?? [1, 60])));
    return send(response, 200, answer);
  }

  #run(body, nonce, action) {
    if (action.type === "approveAgent") return this.#approve(action);
    if (this.#nonces.has(nonce)) return { status: "err", response: `Invalid nonce: duplicate nonce ${nonce}` };
    this.#nonces.add(nonce);
    if (body.expiresAfter && body.expiresAfter < Date.now())
      return { status: "err", response: "Action already expired" };
    if (action.type === "order")
      return this.#statuses("order", () => action.orders.map((order) => this.#place(order).word));
    if (action.type === "cancel")
      return this.#statuses("cancel", () =>
        action.cancels.map((one) => this.#cancel(this.ledger.orders.get(one.o), one.a)),
      );
    if (action.type === "cancelByCloid") {
      return this.#statuses("cancel", () =>
        action.cancels.map((one) => this.#cancel(this.ledger.byCloid.get(one.cloid), one.asset)),
      );
    }
    if (action.type === "batchModify")
      return this.#statuses("order", () => action.modifies.map((one) => this.#modify(one, action.a)));
    return { status: "ok", response: { type: "default" } };
  }

  #statuses(type, run) {
    const statuses = this.ledger.block(run);
    this.world.onBlock?.();
    return { status: "ok", response: { type, data: { statuses } } };
  }

  #approve(action) {
    const [name] = (action.agentName || "").split(" ");
    this.world.agents.push({
      name,
      address: action.agentAddress.toLowerCase(),
      validUntil: Date.now() + 90 * 86_400_000,
    });
    return { status: "ok", response: { type: "default" } };
  }

  #place(wire, replaces) {
    const coin = coinOf(wire.a);
    const tif = wire.t.limit?.tif ?? "Gtc";
    const order = this.ledger.place({
      coin,
      isBuy: wire.b,
      px: wire.p,
      sz: wire.s,
      tif,
      cloid: wire.c,
      reduceOnly: wire.r,
      owner: "gateway",
      rests: tif !== "Ioc",
    });
    order.replaces = replaces ?? null;
    if (replaces) replaces.replacedBy = order;
    const cloid = wire.c ? { cloid: wire.c } : {};
    const plan = this.world.onPlaced?.(order);
    if (plan?.fill) this.ledger.fill(order, plan.fill);
    if (tif === "Ioc" && order.filled < order.size) {
      this.ledger.end(order, order.filled ? "filled" : "iocCancelRejected");
      if (!order.filled)
        return {
          order,
          word: { error: `Order could not immediately match against any resting orders. asset=${wire.a}` },
        };
    }
    if (order.filled === order.size || tif === "Ioc") {
      return {
        order,
        word: { filled: { totalSz: text(order.filled), avgPx: text(order.px), oid: order.oid, ...cloid } },
      };
    }
    return { order, word: { resting: { oid: order.oid, ...cloid } } };
  }

  #cancel(order, asset) {
    if (!order || MARKETS[order.coin].asset !== asset || !this.ledger.isOpen(order))
      return { error: `${GONE} asset=${asset}` };
    this.world.beforeCancel?.(order);
    if (!this.ledger.isOpen(order)) return { error: `${GONE} asset=${asset}` };
    order.byGateway = true;
    this.ledger.end(order);
    return "success";
  }

  #modify({ oid, order: wire }, always) {
    const old = typeof oid === "string" ? this.ledger.byCloid.get(oid) : this.ledger.orders.get(oid);
    const isThere = old && this.ledger.isOpen(old);
    if (!isThere && !always) return { error: "Cannot modify canceled or filled order" };
    if (isThere) this.world.beforeCancel?.(old);
    if (isThere && !this.ledger.isOpen(old))
      return always ? this.#place(wire, old).word : { error: "Cannot modify canceled or filled order" };
    if (isThere) this.ledger.end(old);
    const tif = always ? wire.t.limit.tif : "Alo";
    return this.#place({ ...wire, t: { limit: { tif } } }, old).word;
  }

  listen(port) {
    return new Promise((resolve) => this.server.listen(port, "127.0.0.1", () => resolve(this.server.address().port)));
  }
}

function send(response, status, body) {
  if (response.destroyed) return;
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/plain; charset=utf-8" : "application/json" });
  response.end(isText ? body : JSON.stringify(body));
}

/** A part of a size, in whole lots of its market. */
export function part(order, share) {
  const lot = ONE / 10n ** BigInt(MARKETS[order.coin].decimals);
  const wanted = (order.size * BigInt(Math.round(share * 1000))) / 1000n;
  return wanted < lot ? lot : wanted - (wanted % lot);
}

export function pxOf(number) {
  return units(String(number));
}
