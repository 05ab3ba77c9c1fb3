// One scene: an exchange, the gateway before it, its clients, and the judge.
import { Books } from "./books.mjs";
import { Exchange } from "./exchange.mjs";
import { Gateway, owner, RAILS, usual } from "./gateway.mjs";
import { Judge } from "./judge.mjs";
import { parse, random, rest } from "./units.mjs";

export class Stage {
  constructor(seed, scene) {
    this.seed = seed;
    this.draw = random(seed + [...scene].reduce((a, c) => a * 31 + c.charCodeAt(0), 7));
    this.grace = 1_500;
    this.names = new Map();
    this.narrowed = [];
    this.isAlone = true;
    this.isPlain = false;
    this.isRested = false;
    this.count = 0;
    this.polls = [];
    this.judge = new Judge(this);
  }

  async open() {
    const known = usual();
    this.exchange = new Exchange(owner, known.directory === null ? [] : known.agents, known.at ?? 0);
    await this.exchange.open();
    this.exchange.seed(this.draw(1e9));
    this.truth = this.exchange.truth;
    this.books = new Books(this.truth);
    this.gateway = new Gateway();
    await this.gateway.setUp(this.exchange);
    this.account = this.gateway.account;
  }

  /** How far each store, and the stream, may be behind; the judge gives as much. */
  lags(lags, stream = [0, 0]) {
    this.exchange.setLags(lags);
    this.exchange.feed.waits = stream;
    this.grace = 1_500 + Math.max(stream[1], ...Object.values(lags).map(([, most]) => most));
  }

  name() {
    this.count += 1;
    return `n${this.seed}-${this.count}-scene`;
  }

  order(who, ...terms) {
    const [market, side, size, price, more = {}, name = this.name()] = terms;
    return this.gateway.post(who, "/v1/orders", name, { account: this.account, market, side, size, price, ...more });
  }

  market(who, ...terms) {
    const [market, side, size, more = {}] = terms;
    return this.gateway.post(who, "/v1/orders/market", this.name(), {
      account: this.account,
      market,
      side,
      size,
      max_slippage_bps: 100,
      ...more,
    });
  }

  close(who, market, more = {}) {
    return this.gateway.post(who, "/v1/positions/close", this.name(), { account: this.account, market, ...more });
  }

  trade(who, ...terms) {
    const [market, side, size, entry, stop, profit, name = this.name()] = terms;
    const body = {
      account: this.account,
      market,
      side,
      size,
      entry: { price: entry },
      stop_loss: { trigger_price: stop },
    };
    if (profit !== undefined) body.take_profit = { trigger_price: profit };
    return this.gateway.post(who, "/v1/trades", name, body);
  }

  cancel(who, id) {
    return this.gateway.post(who, `/v1/orders/${id}/cancel`, this.name());
  }

  modify(who, id, body, name = this.name()) {
    return this.gateway.post(who, `/v1/orders/${id}/modify`, name, body);
  }

  async narrow(who, rails) {
    const body = Object.fromEntries(
      Object.entries(rails).map(([k, v]) => [
        k === "open" ? "max_open_orders" : `max_${k}`,
        k === "open" ? String(v) : `${v} USD`,
      ]),
    );
    const told = await this.gateway.post(who, "/v1/api-keys/self/narrow", undefined, body);
    if (told.status === 200) this.narrowed.push({ who, t: told.to, rails });
    return told;
  }

  railsAt(bot, t) {
    const parts = this.narrowed.filter((n) => n.who === bot && n.t < t).map((n) => n.rails);
    return Object.assign({}, RAILS[bot], ...parts);
  }

  /** Since when an order of the key has been told to be unknown, and was not told settled before `t`. */
  unsettledSince(who, t) {
    const open = new Map();
    let since = null;
    for (const told of this.gateway.told) {
      if (told.who !== who || told.to > t || told.value?.object !== "order") continue;
      const { id, status } = told.value;
      if (status === "unknown" || status === "processing") open.set(id, open.get(id) ?? told.from);
      else open.delete(id);
    }
    for (const told of this.gateway.told)
      if (told.who === who && told.status === 0 && told.method === "POST" && told.from < t)
        open.set(told.name, told.from);
    for (const from of open.values()) since = Math.min(since ?? from, from);
    return since === null ? null : since - 1_000;
  }

  /** What a key has asked for that was under way, or taken without a final answer, in a window. */
  asked(who, coin, from, to) {
    const isOrder = (t) =>
      t.method === "POST" && t.who === who && t.body?.size !== undefined && t.from <= to && t.to >= from;
    return this.gateway.told.filter(
      (t) =>
        isOrder(t) && (coin === null || (t.body.market ?? this.marketOf(t)) === coin) && (t.status < 300 || t.to >= to),
    );
  }

  tradesOf(who) {
    return this.gateway.told.filter(
      (t) => t.who === who && t.path === "/v1/trades" && t.method === "POST" && t.status < 300,
    ).length;
  }

  marketOf(told) {
    const id = told.path.split("/")[3];
    return (
      this.books.rows.get(id)?.market ??
      this.gateway.told.find((t) => t.value?.id === id && t.value.market)?.value.market
    );
  }

  /** How much more a request asks for, at the most. */
  wished(told) {
    if (told.body?.size !== undefined) return parse(told.body.size);
    const row = this.books.rows.get(told.path.split("/")[3]);
    return row === undefined ? 0n : parse(row.size);
  }

  /** Reads again and again meanwhile, as a client that watches would. */
  watch(who, path, everyMs = 250) {
    const poll = { isOver: false };
    poll.done = (async () => {
      while (!poll.isOver) {
        await this.gateway.get(who, path);
        await rest(everyMs);
      }
    })();
    this.polls.push(poll);
    return poll;
  }

  until(what, ms = 20_000) {
    return (async () => {
      const end = Date.now() + ms;
      while (Date.now() < end) {
        const is = await what();
        if (is) return is;
        await rest(150);
      }
      return null;
    })();
  }

  async tradeUntil(who, id, isSo, ms) {
    return this.until(async () => {
      const { value } = await this.gateway.get(who, `/v1/trades/${id}`);
      return value?.object === "trade" && isSo(value) ? value : null;
    }, ms);
  }

  /** Everything told once more at the end, and the stories of all orders; then the judge. */
  async finish() {
    for (const poll of this.polls) poll.isOver = true;
    await Promise.all(this.polls.map((p) => p.done));
    await rest(1_500 + this.grace);
    await this.books.read(this.gateway);
    for (const [id, row] of this.books.rows) {
      const { who } = this.books.whose.get(`0x${id.replaceAll("-", "")}`);
      const story = await this.until(async () => {
        const told = await this.gateway.get(who, `/v1/orders/${id}/story`);
        return told.status === 200 ? told.value : null;
      }, 8_000);
      if (story !== null) this.names.set(id, story.attempts[0]?.idempotency_key ?? "");
      void row;
    }
    for (const who of this.gateway.keys.keys()) await this.gateway.get(who, "/v1/trades");
    this.isRested = true;
    this.judge.all();
  }

  async end() {
    for (const poll of this.polls) poll.isOver = true;
    await this.gateway?.end();
    await this.exchange?.close();
  }
}
