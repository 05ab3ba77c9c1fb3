// A bot: it asks, repeats what was not answered under the same key, and writes down everything that it was told, and when.

import { setTimeout as sleep } from "node:timers/promises";
import { MARKETS } from "./markets.mjs";

const TICKS = { BTC: 1, ETH: 0.1, SOL: 0.01, "xyz:TSLA": 0.01, "xyz:GOLD": 0.1, "PURR/USDC": 0.0001, "@107": 0.001 };
const DIGITS = { BTC: 0, ETH: 1, SOL: 2, "xyz:TSLA": 2, "xyz:GOLD": 1, "PURR/USDC": 4, "@107": 3 };

/** Whether an order is over and how much of it was filled is told. */
export function isKnown(order) {
  return order?.status === "rejected" || (["filled", "canceled"].includes(order?.status) && order.filled_size !== null);
}

export class Client {
  told = []; // {from, to, via, order}
  answers = []; // {status, ms, path}
  orders = new Map(); // what is known of each, by the gateway's id
  cancelAlls = [];
  #next = {};
  #keys = 0;
  isOver = false;

  constructor(gateway, random) {
    Object.assign(this, { gateway, random });
    this.name = `s21-${random.whole(1, 1e9)}`;
  }

  /** A price of its market and side that no other order of this play has. */
  price(coin, isBuy) {
    const name = `${coin} ${isBuy}`;
    this.#next[name] = (this.#next[name] ?? 0) + 1;
    return (MARKETS[coin].mid * (isBuy ? 0.9 : 1.1) + this.#next[name] * TICKS[coin]).toFixed(DIGITS[coin]);
  }

  async ask(method, path, body, key) {
    for (let tries = 0; ; tries += 1) {
      const from = Date.now();
      const answer = await this.#once(method, path, body, key).catch(() => null);
      const to = Date.now();
      if (answer && answer.status !== 429 && answer.status !== 503) {
        this.answers.push({ status: answer.status, ms: to - from, path: path.replace(/[0-9a-f-]{36}/, "{id}") });
        if (answer.status >= 400 && process.env.STRANGER_ASKED)
          console.log(method, path, answer.status, JSON.stringify(answer.body).slice(0, 300));
        // An answer that says of when it is claims nothing of later.
        const claimed = answer.asOf ? Math.min(from, Date.parse(answer.asOf)) : from;
        this.#hear({ from: claimed, to, via: `${method} ${path}` }, answer.body);
        return answer;
      }
      if (answer)
        this.answers.push({
          status: answer.status,
          ms: to - from,
          path: path.replace(/[0-9a-f-]{36}/, "{id}"),
          code: answer.body?.error?.code,
        });
      if (this.isOver || tries > 60) return answer ?? { status: 0, body: null };
      await sleep(answer ? 1000 * Number(answer.retryAfter ?? 1) : 300);
    }
  }

  async #once(method, path, body, key) {
    const headers = { authorization: `Bearer ${this.gateway.key}` };
    if (body) headers["content-type"] = "application/json";
    if (key) headers["idempotency-key"] = key;
    const signal = AbortSignal.timeout(30_000);
    const answer = await fetch(this.gateway.url + path, {
      method,
      headers,
      body: body && JSON.stringify(body),
      signal,
    });
    const text = await answer.text();
    return {
      status: answer.status,
      retryAfter: answer.headers.get("retry-after"),
      asOf: answer.headers.get("x-data-as-of"),
      body: text ? JSON.parse(text) : null,
    };
  }

  #hear(when, body) {
    if (!body) return;
    if (body.object === "order") this.#note(when, body);
    if (body.object === "cancel_all") this.cancelAlls.push({ ...when, body });
    for (const one of body.data ?? body.orders ?? []) if (one?.object === "order") this.#note(when, one);
  }

  #note(when, order) {
    this.told.push({ ...when, order });
    if (!isKnown(this.orders.get(order.id)) || isKnown(order)) this.orders.set(order.id, order);
  }

  key() {
    this.#keys += 1;
    return `${this.name}-${this.#keys}`;
  }

  body(coin, isBuy, more = {}) {
    const { factor = 1, ...rest } = more;
    const size = (Number(MARKETS[coin].lot) * factor).toFixed(MARKETS[coin].decimals);
    return { market: coin, side: isBuy ? "buy" : "sell", size, price: this.price(coin, isBuy), ...rest };
  }

  async place(coin, isBuy, more) {
    const answer = await this.ask(
      "POST",
      "/v1/orders",
      { account: this.gateway.account, ...this.body(coin, isBuy, more) },
      this.key(),
    );
    return answer.body?.id ? answer.body : null;
  }

  async placeBatch(bodies) {
    const answer = await this.ask(
      "POST",
      "/v1/orders/batch",
      { account: this.gateway.account, orders: bodies },
      this.key(),
    );
    return (answer.body?.data ?? answer.body?.orders ?? []).filter((order) => order?.id);
  }

  cancel(id) {
    return this.ask("POST", `/v1/orders/${id}/cancel`, {}, this.key());
  }

  modify(order, more = {}) {
    const body = { price: this.price(order.market, order.side === "buy"), ...more };
    return this.ask("POST", `/v1/orders/${order.id}/modify`, body, this.key());
  }

  cancelAll(more = {}) {
    return this.ask(
      "POST",
      "/v1/orders/cancel-all",
      { account: this.gateway.account, keep_protection: false, ...more },
      this.key(),
    );
  }

  read(id) {
    return this.ask("GET", `/v1/orders/${id}`);
  }

  async list(path) {
    const rows = [];
    for (let cursor = ""; ; ) {
      const { body } = await this.ask("GET", `${path}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      rows.push(...(body?.data ?? []));
      if (!body?.has_more) return rows;
      cursor = body.next_cursor;
    }
  }

  /** Follows the events over the gateway's deaths. */
  async follow() {
    let last = "0";
    while (!this.isOver) {
      try {
        const answer = await fetch(`${this.gateway.url}/v1/events`, {
          headers: { authorization: `Bearer ${this.gateway.key}`, "last-event-id": last },
        });
        let kept = "";
        for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
          kept += chunk;
          const blocks = kept.split("\n\n");
          kept = blocks.pop();
          for (const block of blocks) last = this.#event(block) ?? last;
          if (this.isOver) return;
        }
      } catch {
        await sleep(200);
      }
    }
  }

  #event(block) {
    const lines = block.split("\n");
    const data = lines
      .filter((line) => line.startsWith("data: "))
      .map((line) => line.slice(6))
      .join("\n");
    const id = lines.find((line) => line.startsWith("id: "))?.slice(4);
    if (!data || !id) return id;
    const event = JSON.parse(data);
    const to = Date.now();
    if (event.data?.object === "order")
      this.#note({ from: Date.parse(event.created_at), to, via: "event" }, event.data);
    return id;
  }
}
