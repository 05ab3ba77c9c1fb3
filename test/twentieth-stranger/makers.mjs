// Bots that make markets: each quotes both sides, moves and takes back its quotes, and asks for many things at a time.
import { Clients } from "./client.mjs";
import { ONE, parse, show, sleep } from "./figures.mjs";

const WORK = {
  quote: 30,
  batch: 12,
  move: 40,
  take: 14,
  hedge: 6,
  bigMove: 2,
  stop: 2,
  close: 1,
  trade: 1,
  cancelMarket: 0.4,
  again: 8,
  other: 0.5,
  read: 10,
};
const PATHS = {
  one: 10,
  open: 2,
  positions: 3,
  account: 2,
  fills: 2,
  orders: 1,
  key: 2,
  trades: 0.5,
  status: 0.3,
};
const GONE = new Set(["order_not_modifiable", "order_not_found"]);

export class Makers extends Clients {
  constructor(gateway, truth, draw, world, keys) {
    super(gateway, truth, draw, keys);
    this.load = world.load;
    this.guards = world.guards === true;
    this.byId = new Map();
    this.mine = new Map(keys.map((who) => [who, new Map()]));
    this.open = new Set();
    this.waits = new Map();
    if (this.load.markets !== null) this.markets = this.load.markets;
  }

  async run(who) {
    while (this.running) {
      await sleep(this.draw.whole(1, this.load.pauseMs * 2));
      if (this.gateway.down && this.draw.chance(0.8)) {
        await sleep(50);
        continue;
      }
      const what = this.work(who);
      if (this.slowed(who, what)) continue;
      try {
        await this[what](who);
      } catch (error) {
        console.log("client broke:", what, error.stack);
      }
    }
  }

  /** Who is told to wait asks for nothing new meanwhile, but takes back and reduces. */
  slowed(who, what) {
    return (
      Date.now() < (this.waits.get(who) ?? 0) && !["take", "cancelMarket", "close", "again", "read"].includes(what)
    );
  }

  work(who) {
    const open = this.mine.get(who).size;
    const what = this.draw.weighted(this.guards ? { ...WORK, trade: 5 } : WORK);
    if ((what === "quote" || what === "batch") && open >= this.load.quotes) return "move";
    if ((what === "move" || what === "take" || what === "bigMove") && open < this.load.quotes / 2) return "batch";
    return what;
  }

  send(request) {
    this.open.add(request);
    return super.send(request).then((answer) => {
      if (request.done) this.open.delete(request);
      // What a client is told to wait for it waits for.
      request.notBefore = Date.now() + (answer.retryAfterMs ?? 0);
      if (answer.status === 429) this.waits.set(request.who, request.notBefore);
      request.answers = [...(request.answers ?? []), answer];
      const id = /^\/v1\/orders\/([^/]+)\//.exec(request.path)?.[1];
      if (id !== undefined && GONE.has(answer.value?.error?.code)) this.mine.get(request.who).delete(id);
      return answer;
    });
  }

  learn(value, request) {
    for (const order of value?.object === "order" ? [value] : (value?.orders ?? [])) {
      if (order?.object !== "order") continue;
      request.ids.add(order.id);
      const known = this.byId.get(order.id) ?? { id: order.id, market: order.market, who: request.who };
      Object.assign(known, {
        side: order.side,
        status: order.status,
        native: order.exchange_order_id,
        trigger: order.trigger !== undefined,
        reduce: order.reduce_only,
      });
      this.byId.set(order.id, known);
      this.heard(order);
    }
    if (value?.object === "trade" && !this.trades.some(({ id }) => id === value.id))
      this.trades.push({ id: value.id, who: request.who, side: value.side, market: value.market });
    if (value?.object === "operation") request.ids.add(value.id);
  }

  /** What an answer or an event says of an order decides whether its bot counts it as a quote. */
  heard(order) {
    const known = this.byId.get(order.id);
    if (known === undefined) return;
    known.status = order.status;
    const own = this.mine.get(known.who);
    if (own === undefined || known.trigger) return;
    if (order.status === "open" || order.status === "unknown" || order.status === "processing")
      own.set(order.id, known);
    else own.delete(order.id);
  }

  known(who) {
    const own = [...this.mine.get(who).values()];
    return own.length === 0 ? null : this.draw.of(own);
  }

  /** A bot with rails has no spot yet: for its first five minutes nothing increases there. */
  pick(spot = true) {
    return super.pick(spot) ?? this.truth.markets.get("BTC");
  }

  /** A quote near the mark; each in the market whose turn it is. */
  quoted(market) {
    const buy = this.draw.chance(0.5);
    return this.order(market, buy, this.price(market, buy, this.draw.chance(0.1) ? -3 : 2, 40), {
      time_in_force: this.draw.chance(0.8) ? "alo" : "gtc",
    });
  }

  amount(market, from = 12, to = 60) {
    return super.amount(market, from, Math.min(to, 120));
  }

  quote(who) {
    return this.write(
      who,
      "/v1/orders",
      { account: this.gateway.account, ...this.quoted(this.pick(who.bot === null)) },
      "limit",
    );
  }

  batch(who) {
    const { dex, spot } = this.pick(who.bot === null);
    const like = this.markets
      .map((name) => this.truth.markets.get(name))
      .filter((one) => one.dex === dex && one.spot === spot);
    const orders = [];
    for (let i = this.draw.whole(2, 10); i > 0; i--) orders.push(this.quoted(this.draw.of(like)));
    return this.write(who, "/v1/orders/batch", { account: this.gateway.account, orders }, "batch");
  }

  async move(who, always = false) {
    const order = this.known(who);
    if (order === null) return;
    const market = this.truth.markets.get(order.market);
    const body = { price: this.price(market, order.side === "buy", 2, 40) };
    if (this.draw.chance(0.2)) body.size = this.amount(market);
    if (always) body.always_place = true;
    await this.write(who, `/v1/orders/${order.id}/modify`, body, "modify");
  }

  bigMove(who) {
    return this.move(who, true);
  }

  async take(who) {
    const order = this.known(who);
    if (order !== null) await this.write(who, `/v1/orders/${this.named(order)}/cancel`, {}, "cancel");
  }

  /** What has been filled is sold or bought back. */
  async hedge(who) {
    const market = this.pick(false);
    const { szi } = this.truth.position(market.coin);
    const buy = szi < 0n || (szi === 0n && this.draw.chance(0.5));
    const body = this.order(market, buy, this.price(market, buy, -40, -5), { time_in_force: "ioc" });
    if (szi !== 0n && this.draw.chance(0.6)) body.reduce_only = true;
    await this.write(who, "/v1/orders", { account: this.gateway.account, ...body }, "ioc");
  }

  stop(who) {
    return this.trigger(who);
  }

  cancelMarket(who) {
    return this.write(
      who,
      "/v1/orders/cancel-all",
      { account: this.gateway.account, market: this.pick().coin },
      "cancel_all",
    );
  }

  async again(who) {
    const now = Date.now();
    for (const request of this.open)
      if (request.who === who && !request.sending && (request.notBefore ?? 0) <= now)
        return void (await this.send(request));
  }

  async repeat(until) {
    while (Date.now() < until && this.open.size > 0) {
      const open = [...this.open].filter(({ sending, notBefore = 0 }) => !sending && notBefore <= Date.now());
      await Promise.all(open.slice(0, 16).map((request) => this.send(request)));
      await sleep(100);
    }
  }

  async other(who) {
    for (let i = 0; i < 20; i++) {
      const request = this.draw.of([...this.asked.values()].slice(-200));
      if (request === undefined || request.who !== who || !request.done || request.path !== "/v1/orders") continue;
      if (request.last.status >= 300) continue;
      const { path, body, key } = request;
      const answer = await this.gateway.ask(who, "POST", path, { ...body, size: show(parse(body.size) + ONE) }, key);
      answer.kind = "other";
      return;
    }
  }

  async read(who) {
    const what = this.draw.weighted(PATHS);
    const order = this.known(who);
    const path = {
      one: order && `/v1/orders/${this.named(order)}`,
      open: "/v1/orders?status=open&limit=500",
      positions: "/v1/positions",
      account: "/v1/account",
      fills: "/v1/fills?limit=500",
      orders: "/v1/orders?limit=50",
      key: `/v1/orders?idempotency_key=${[...this.asked.keys()].at(-this.draw.whole(1, 50)) ?? "none-yet"}`,
      trades: "/v1/trades",
      status: "/v1/status",
    }[what];
    if (!path) return;
    const answer = await this.gateway.ask(who, "GET", path);
    answer.kind = what;
    if (what === "one" && answer.status === 200) this.heard(answer.value);
  }
}
