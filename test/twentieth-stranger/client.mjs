// What the bots of one account ask for, drawn; and an honest client's repeats of what was not answered.

import { READS, readPath, WRITES } from "./drawn.mjs";
import { ONE, parse, show, sleep } from "./figures.mjs";

export class Clients {
  constructor(gateway, truth, draw, keys) {
    Object.assign(this, { gateway, truth, draw, keys });
    this.running = true;
    this.count = 0;
    this.asked = new Map();
    this.orders = [];
    this.trades = [];
    this.twaps = [];
    this.pauseMs = draw.of([30, 80, 160]);
    this.markets = draw.chance(0.4)
      ? [draw.of(["BTC", "ETH", "SOL", "xyz:GOLD"]), "PURR/USDC"]
      : [...truth.markets.keys()];
  }

  async run(who) {
    while (this.running) {
      await sleep(this.draw.whole(5, this.pauseMs * 2));
      if (this.gateway.down && this.draw.chance(0.8)) {
        await sleep(50);
        continue;
      }
      const what = this.draw.weighted(WRITES);
      try {
        await this[what](who);
      } catch (error) {
        console.log("client broke:", error.stack);
      }
    }
  }

  pick(spot = true) {
    const names = this.markets.filter((name) => spot || !this.truth.markets.get(name).spot);
    return this.truth.markets.get(this.draw.of(names));
  }

  amount(market, from = 15, to = 900) {
    const step = 10n ** BigInt(12 - market.sizes);
    const worth = parse(String(this.draw.whole(from, to)));
    return show(((worth * ONE) / this.truth.mark(market.coin) / step + 1n) * step);
  }

  /** A price that is `from` to `to` hundredths of a percent away from the mark; negative is through it. */
  price(market, buy, from, to) {
    const mark = this.truth.mark(market.coin);
    const away = (mark * BigInt(this.draw.whole(from, to))) / 10000n;
    return show(((buy ? mark - away : mark + away) / market.tick) * market.tick);
  }

  /** A write under a new key; what was asked is kept, so that it can be asked again. */
  async write(who, path, body, kind, method = "POST") {
    const key = `twentieth-${++this.count}-${this.draw.hex(6)}`;
    const request = { who, method, path, body, key, kind, done: false, from: Date.now(), ids: new Set() };
    this.asked.set(key, request);
    return this.send(request);
  }

  async send(request) {
    request.sending = true;
    const answer = await this.gateway.ask(request.who, request.method, request.path, request.body, request.key);
    answer.kind = request.kind;
    request.sending = false;
    if (answer.status >= 200 && answer.status < 300) {
      request.done = true;
      this.learn(answer.value, request);
    } else if (answer.status >= 400 && answer.status < 500 && answer.status !== 429 && answer.status !== 409)
      request.done = true;
    else if (answer.status === 409 && !/in_progress/.test(answer.value?.error?.code)) request.done = true;
    request.last = answer;
    return answer;
  }

  learn(value, request) {
    const list = value?.object === "order" ? [value] : (value?.orders ?? []);
    for (const order of list) {
      if (order?.object !== "order") continue;
      request.ids.add(order.id);
      if (!this.orders.some(({ id }) => id === order.id))
        this.orders.push({
          id: order.id,
          market: order.market,
          who: request.who,
          trigger: order.trigger !== undefined,
        });
      const known = this.orders.find(({ id }) => id === order.id);
      known.status = order.status;
      known.native = order.exchange_order_id;
    }
    if (value?.object === "trade" && !this.trades.some(({ id }) => id === value.id))
      this.trades.push({ id: value.id, who: request.who, side: value.side, market: value.market });
    if (value?.object === "operation") {
      request.ids.add(value.id);
      if (value.action === "twap" && value.exchange_id !== null)
        this.twaps.push({ id: value.exchange_id, market: request.body.market });
    }
  }

  order(market, buy, price, more = {}) {
    return { market: market.coin, side: buy ? "buy" : "sell", size: this.amount(market), price, ...more };
  }

  place(who, market, buy, price, more, kind) {
    return this.write(
      who,
      "/v1/orders",
      { account: this.gateway.account, ...this.order(market, buy, price, more) },
      kind,
    );
  }

  limit(who) {
    const market = this.pick();
    const buy = this.draw.chance(0.5);
    const reduce = !market.spot && this.draw.chance(0.15);
    return this.place(
      who,
      market,
      buy,
      this.price(market, buy, this.draw.chance(0.25) ? -30 : 3, 150),
      reduce ? { reduce_only: true } : {},
      "limit",
    );
  }

  alo(who) {
    const market = this.pick();
    const buy = this.draw.chance(0.5);
    return this.place(who, market, buy, this.price(market, buy, -2, 60), { time_in_force: "alo" }, "alo");
  }

  ioc(who) {
    const market = this.pick();
    const buy = this.draw.chance(0.5);
    return this.place(who, market, buy, this.price(market, buy, -40, 5), { time_in_force: "ioc" }, "ioc");
  }

  async market(who) {
    const market = this.pick();
    const { szi } = this.truth.position(market.coin);
    const reduce = !market.spot && szi !== 0n && this.draw.chance(0.4);
    const side = reduce ? (szi > 0n ? "sell" : "buy") : this.draw.of(["buy", "sell"]);
    return this.write(
      who,
      "/v1/orders/market",
      {
        account: this.gateway.account,
        market: market.coin,
        side,
        size: this.amount(market),
        ...(reduce ? { reduce_only: true } : {}),
      },
      "market",
    );
  }

  trigger(who) {
    const market = this.pick(false);
    const buy = this.draw.chance(0.5);
    const kind = this.draw.of(["stop_loss", "take_profit"]);
    const above = (kind === "take_profit") === !buy;
    const trigger = this.price(market, !above, 15, 200);
    const price = this.worst(market, trigger, buy);
    return this.place(
      who,
      market,
      buy,
      price,
      { reduce_only: this.draw.chance(0.8), trigger: { price: trigger, kind, market: this.draw.chance(0.7) } },
      "trigger",
    );
  }

  worst(market, trigger, buy) {
    const at = parse(trigger);
    return show(((buy ? at + at / 20n : at - at / 20n) / market.tick) * market.tick);
  }

  batch(who) {
    const orders = [];
    const { dex, spot } = this.pick();
    const like = this.markets
      .map((name) => this.truth.markets.get(name))
      .filter((one) => one.dex === dex && one.spot === spot);
    for (let i = this.draw.whole(2, 4); i > 0; i--) {
      const market = this.draw.of(like);
      const buy = this.draw.chance(0.5);
      orders.push(this.order(market, buy, this.price(market, buy, -10, 100)));
    }
    return this.write(who, "/v1/orders/batch", { account: this.gateway.account, orders }, "batch");
  }

  known(who) {
    const own = this.orders.filter((order) => who.bot === null || order.who === who);
    const fresh = own.filter(
      (order) => order.status === "open" || order.status === "waiting_for_trigger" || order.status === "unknown",
    );
    const list = fresh.length > 0 && this.draw.chance(0.85) ? fresh : own;
    return list.length === 0 ? null : this.draw.of(list.slice(-15));
  }

  named(order) {
    const how = this.draw.weighted({ id: 6, cloid: 2, native: order.native ? 1 : 0 });
    return how === "native" ? order.native : how === "cloid" ? `0x${order.id.replaceAll("-", "")}` : order.id;
  }

  async modify(who) {
    const order = this.known(who);
    if (order === null) return;
    const market = this.truth.markets.get(order.market);
    const buy = this.draw.chance(0.5);
    const body = this.draw.chance(0.7)
      ? { price: this.price(market, buy, 5, 100) }
      : { size: this.amount(market), price: this.price(market, buy, 5, 100) };
    if (order.trigger) {
      if (this.draw.chance(0.5)) return;
      body.always_place = true;
    } else if (this.draw.chance(0.2)) body.always_place = true;
    await this.write(who, `/v1/orders/${order.id}/modify`, body, "modify");
  }

  async cancel(who) {
    const order = this.known(who);
    if (order !== null) await this.write(who, `/v1/orders/${this.named(order)}/cancel`, {}, "cancel");
  }

  cancelAll(who) {
    const body = { account: this.gateway.account, keep_protection: this.draw.chance(0.7) };
    if (this.draw.chance(0.6)) body.market = this.pick().coin;
    return this.write(who, "/v1/orders/cancel-all", body, "cancel_all");
  }

  close(who) {
    const market = this.pick(false);
    const body = { account: this.gateway.account, market: market.coin };
    if (this.draw.chance(0.3)) body.fraction = "0.5";
    return this.write(who, "/v1/positions/close", body, "close");
  }

  trade(who) {
    const market = this.pick(false);
    const buy = this.draw.chance(0.5);
    const entry = { price: this.price(market, buy, -15, 40) };
    const body = {
      account: this.gateway.account,
      market: market.coin,
      side: buy ? "buy" : "sell",
      size: this.amount(market, 100, 900),
      entry,
      stop_loss: { trigger_price: this.price(market, buy, 150, 300) },
    };
    if (this.draw.chance(0.6)) body.take_profit = { trigger_price: this.price(market, !buy, 100, 300) };
    return this.write(who, "/v1/trades", body, "trade");
  }

  async tradeModify(who) {
    const own = this.trades.filter((trade) => trade.who === who);
    if (own.length === 0) return;
    const trade = this.draw.of(own);
    const market = this.truth.markets.get(trade.market);
    await this.write(
      who,
      `/v1/trades/${trade.id}/modify`,
      { stop_loss: { trigger_price: this.price(market, trade.side === "buy", 150, 350) } },
      "trade_modify",
    );
  }

  async tradeCancel(who) {
    const own = this.trades.filter((trade) => trade.who === who);
    if (own.length > 0) await this.write(who, `/v1/trades/${this.draw.of(own).id}/cancel`, {}, "trade_cancel");
  }

  twap(who) {
    const market = this.pick(false);
    return this.write(
      who,
      "/v1/twaps",
      {
        market: market.coin,
        side: this.draw.of(["buy", "sell"]),
        size: this.amount(market, 400, 4000),
        duration_minutes: this.draw.whole(5, 60),
      },
      "twap",
    );
  }

  async twapCancel(who) {
    if (this.twaps.length === 0) return;
    const { id, market } = this.draw.of(this.twaps);
    await this.write(who, "/v1/twaps/cancel", { market, twap_id: Number(id) }, "twap_cancel");
  }

  leverage(who) {
    const market = this.pick(false);
    return this.write(
      who,
      "/v1/leverage",
      {
        market: market.coin,
        leverage: this.draw.whole(1, market.maxLeverage),
        margin_type: this.draw.of(["cross", "cross", "isolated"]),
      },
      "leverage",
    );
  }

  margin(who) {
    const market = this.pick(false);
    return this.write(
      who,
      "/v1/margin",
      { market: market.coin, amount: `${this.draw.whole(1, 40)}.${String(this.draw.whole(100000, 999999))}` },
      "margin",
    );
  }

  async again(who) {
    const own = [...this.asked.values()].filter((request) => request.who === who && !request.sending);
    const open = own.filter((request) => !request.done);
    const request = open.length > 0 ? this.draw.of(open) : own.length > 0 ? this.draw.of(own) : null;
    if (request !== null) await this.send(request);
  }

  /** The same key with another body: must be 409, and nothing is sent. */
  async other(who) {
    const own = [...this.asked.values()].filter(
      (request) => request.who === who && request.done && request.path === "/v1/orders" && request.last.status < 300,
    );
    if (own.length === 0) return;
    const { path, body, key } = this.draw.of(own);
    const answer = await this.gateway.ask(who, "POST", path, { ...body, size: show(parse(body.size) * 2n) }, key);
    answer.kind = "other";
  }

  async read(who) {
    const what = this.draw.weighted(READS);
    const order = this.known(who);
    const path = readPath(what, {
      order,
      named: order && this.named(order),
      key: this.draw.of([...this.asked.keys(), "none-yet"]),
    });
    if (!path) return;
    const answer = await this.gateway.ask(who, "GET", path);
    answer.kind = what;
    if (what === "order" && answer.status === 200) order.status = answer.value.status;
  }

  /** Until every request has been answered: an honest client repeats under the same key. */
  async repeat(until) {
    while (Date.now() < until) {
      const open = [...this.asked.values()].filter((request) => !request.done && !request.sending);
      if (open.length === 0) return;
      for (const request of open) await this.send(request);
      await sleep(200);
    }
  }
}
