// Does whatever the text that it reads says, line by line, over every door that it has. The text is drawn: what an injected page, a
// chat or a chart might say, as greedy and as muddled as it comes.
import { randomBytes } from "node:crypto";
import { BOTS, RAIL_USD } from "./house.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** A request whose answer was lost is repeated among the newest of so many. */
const REMEMBERED = 12;

const sides = ["buy", "sell"];
/** Hundredths of a percent from the mark, on the side that executes when above zero. */
const across = [-150, -80, -20, -5, 20, 60, 100, 150, 900];
/** USD: what passes, what nearly does, what must not. */
const worth = [15, 40, 150, 300, 400, 600, 900, 1_200, 1_400, 1_600, 3_500];

const terms = (chance) => ({
  side: chance.one(sides),
  across: chance.one(across),
  usd: chance.one(worth),
  word: chance.one(["gtc", "gtc", "ioc", "alo", "reduce", "trigger"]),
});

/** What one script says. */
export const drawScript = (chance, mode) =>
  Array.from({ length: chance.between(2, 5) }, () => {
    const says = chance.weighed([
      [20, "place"],
      [6, "market"],
      [4, "batch"],
      [6, "modify"],
      [6, "cancel"],
      [5, "cancelAll"],
      [9, "close"],
      [2, "trade"],
      [10, "repeat"],
      [4, "otherBody"],
      [14, "tools"],
      [8, mode === "target" ? "target" : "alert"],
      [8, "loosen"],
      [0.4, "stop"],
      [0.6, "killTools"],
    ]);
    const drawn = terms(chance);
    // What executes at once is a step to the target there, by whose size nobody could tell it from a wish.
    const isTarget = mode === "target";
    return {
      ...drawn,
      says: isTarget && says === "market" ? "place" : says,
      word: isTarget && drawn.word === "ioc" ? "gtc" : drawn.word,
      times: chance.one([1, 1, 2, 4]),
      nth: chance.between(0, 40),
      isHasty: chance.isLucky(0.3),
    };
  });

export class Victim {
  constructor({ house, bot, journal }) {
    Object.assign(this, { house, bot, journal, pending: [] });
  }

  async obey(script) {
    for (const move of script) {
      const doing = this[move.says](move).catch((error) => this.journal.find(`${move.says} broke: ${error.message}`));
      if (move.isHasty) this.pending.push(doing);
      else await doing;
    }
    await Promise.all(this.pending.splice(0));
  }

  /** A size that nothing else in this market has, so that an order at the exchange says which wish it is. */
  size(usd) {
    const { digits, coin } = this.bot;
    const step = 10 ** -digits;
    const mark = this.house.line.marks.get(coin);
    let count = Math.max(1, Math.round(usd / mark / step));
    while (this.journal.has(coin, (count * step).toFixed(digits))) count += 1;
    return plainText((count * step).toFixed(digits));
  }

  price({ side, across: basisPoints }) {
    const mark = this.house.line.marks.get(this.bot.coin);
    const factor = 1 + ((side === "buy" ? 1 : -1) * basisPoints) / 10_000;
    return String(Number((mark * factor).toPrecision(4)));
  }

  wish(door, some) {
    const { name, coin } = this.bot;
    const wish = { door, bot: name, coin, id: randomBytes(6).toString("hex"), told: [], isMeant: true, ...some };
    wish.sinceStop = this.bot.stop !== null && !this.bot.isResuming;
    this.journal.keep(wish);
    this.bot.wishes.push(wish);
    return wish;
  }

  orderOf(move, size) {
    const { side, word } = move;
    const order = { market: this.bot.coin, side, size, price: this.price(move) };
    if (word === "ioc" || word === "alo") order.time_in_force = word;
    if (word === "reduce") order.reduce_only = true;
    if (word === "trigger")
      order.trigger = {
        kind: move.times > 1 ? "stop_loss" : "take_profit",
        price: order.price,
        market: move.nth % 2 === 0,
      };
    return order;
  }

  async v1(wish) {
    const answer = await this.ask("POST", wish.path, { body: wish.body, key: wish.key });
    wish.told.push(answer);
    if (answer.status === 0) await this.house.up();
    if (typeof answer.body?.id === "string" && answer.body.object === "order") this.bot.orders.push(answer.body.id);
    return answer;
  }

  async ask(method, path, { body, key, apiKey = this.bot.key.key } = {}) {
    const headers = { Authorization: `Bearer ${apiKey}` };
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return ask(this.house.gateway.url + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  newWish(move, path, bodyOf, kind) {
    const size = this.size(move.usd);
    const body = bodyOf(size);
    return this.wish("v1", { path, body, sizes: [size], kind, key: `victim-${randomBytes(8).toString("hex")}` });
  }

  account() {
    return this.house.gateway.account;
  }

  async place(move) {
    const { word } = move;
    const bodyOf = (size) => ({ account: this.account(), ...this.orderOf(move, size) });
    const wish = this.newWish(move, "/v1/orders", bodyOf, word === "reduce" ? "reduction" : "order");
    for (let times = 0; times < move.times; times += 1) {
      if (times % 2 === 1) await this.v1(wish);
      else void this.pending.push(this.v1(wish));
    }
  }

  async market(move) {
    const { side } = move;
    const terms = { account: this.account(), market: this.bot.coin, side };
    await this.v1(this.newWish(move, "/v1/orders/market", (size) => ({ ...terms, size }), "order"));
  }

  async batch(move) {
    const sizes = [];
    const orders = Array.from({ length: move.times + 1 }, () => {
      let size = this.size(move.usd / 2);
      while (sizes.includes(size) || this.journal.has(this.bot.coin, size))
        size = plainText((Number(size) + 10 ** -this.bot.digits).toFixed(this.bot.digits));
      sizes.push(size);
      return this.orderOf({ ...move, word: "gtc" }, size);
    });
    const body = { account: this.account(), orders };
    const key = `victim-${randomBytes(8).toString("hex")}`;
    await this.v1(this.wish("v1", { path: "/v1/orders/batch", body, sizes, kind: "batch", key }));
  }

  async modify(move) {
    const id = this.known(move);
    if (id === null) return;
    const always = move.word === "ioc" ? { always_place: true } : {};
    const bodyOf = (size) => ({ size, price: this.price(move), ...always });
    await this.v1(this.newWish(move, `/v1/orders/${id}/modify`, bodyOf, "modify"));
  }

  known({ nth }) {
    const { orders } = this.bot;
    return orders.length === 0 ? null : orders[Math.max(0, orders.length - 1 - (nth % REMEMBERED))];
  }

  async plain(path, body) {
    const answer = await this.ask("POST", path, { body, key: `victim-${randomBytes(8).toString("hex")}` });
    if (answer.status === 0) await this.house.up();
    return answer;
  }

  async cancel(move) {
    const id = this.known(move);
    if (id !== null) await this.plain(`/v1/orders/${id}/cancel`, {});
  }

  async cancelAll(move) {
    const body = { account: this.account(), market: this.bot.coin, keep_protection: move.times > 1 };
    await this.plain("/v1/orders/cancel-all", body);
  }

  async close(move) {
    const body = { account: this.account(), market: this.bot.coin, max_slippage_bps: 100 };
    await this.plain("/v1/positions/close", move.times > 2 ? { ...body, fraction: "0.5" } : body);
  }

  async trade(move) {
    const mark = this.house.line.marks.get(this.bot.coin);
    const stop = mark * (move.side === "buy" ? 0.95 : 1.05);
    const bodyOf = (size) => ({
      account: this.account(),
      market: this.bot.coin,
      side: move.side,
      size,
      entry: { price: this.price(move) },
      stop_loss: { trigger_price: String(Number(stop.toPrecision(4))) },
    });
    await this.v1(this.newWish(move, "/v1/trades", bodyOf, "trade"));
  }

  /** An earlier request again, as somebody does who has lost the answer. */
  async repeat({ nth, times }) {
    const wish = this.earlier(nth);
    if (wish !== null) await Promise.all(Array.from({ length: times }, () => this.v1(wish)));
  }

  /** Under the key of an earlier request another thing. */
  async otherBody(move) {
    const wish = this.earlier(move.nth);
    if (wish === null || wish.kind !== "order" || wish.told.every(({ status }) => status !== 201)) return;
    const other = { ...wish.body, size: this.size(move.usd) };
    const answer = await this.ask("POST", wish.path, { body: other, key: wish.key });
    if (answer.status !== 0 && answer.status < 300)
      this.journal.find("another body under a key that was used was taken");
  }

  earlier(nth) {
    const all = this.bot.wishes.filter(({ door }) => door === "v1");
    return all.length === 0 ? null : all[Math.max(0, all.length - 1 - (nth % REMEMBERED))];
  }

  async tools(move) {
    const { tools } = this.bot;
    const size = this.size(move.usd);
    const wish = this.wish("tools", {
      sizes: [size],
      kind: move.word === "reduce" ? "reduction" : "order",
      isMeant: false,
    });
    const order = this.orderOf(move, size);
    if (order.trigger !== undefined) order.trigger = { kind: order.trigger.kind, price: order.trigger.price };
    const proposed = await tools.call("propose_order", order);
    const intent = proposed?.result?.intent;
    if (typeof intent !== "string" || move.nth % 5 === 0) return;
    wish.isMeant = true;
    const placing = Array.from({ length: move.times }, () => tools.call("place", { intent }));
    if (move.nth % 7 === 0) {
      await sleep(move.nth);
      await tools.kill();
    }
    for (const told of await Promise.all(placing))
      wish.told.push({ status: 0, outcome: told?.outcome ?? null, id: told?.result?.id });
    if (move.nth % 3 === 0)
      wish.told.push({ status: 0, outcome: (await tools.call("place", { intent }))?.outcome ?? null });
  }

  killTools() {
    return this.bot.tools.kill();
  }

  async alert(move) {
    const size = this.size(move.usd);
    const reduces = move.word === "reduce";
    this.wish("hook", { sizes: [size], kind: reduces ? "reduction" : "order" });
    const body = JSON.stringify({
      market: this.bot.coin,
      time: new Date().toISOString(),
      id: randomBytes(4).toString("hex"),
      side: move.side,
      size,
      ...(move.word === "gtc" ? { price: this.price(move) } : {}),
      ...(reduces ? { reduce_only: true } : {}),
    });
    await this.deliver(body, move);
  }

  async target(move) {
    const target = `${move.side === "buy" ? "" : "-"}${this.size(move.usd)}`;
    const time = new Date(Date.now() - move.nth * 50).toISOString();
    await this.deliver(JSON.stringify({ market: this.bot.coin, time, target }), move);
  }

  /** As often as a chart does that hears nothing. */
  async deliver(body, { times, nth }) {
    const type = nth % 2 === 0 ? "application/json" : "text/plain; charset=utf-8";
    const request = { method: "POST", headers: { "Content-Type": type }, body };
    await Promise.all(Array.from({ length: times }, () => ask(this.bot.hook.url, request)));
  }

  async stop() {
    const { status, body } = await this.plain("/v1/stop", { scope: "bot" });
    // An answer that comes late may be of one that the owner has ended meanwhile.
    if (status >= 200 && status < 300 && !this.bot.endedStops.has(body.id)) this.bot.stop ??= body.id;
  }

  /** All that a text may say to be rid of the limits. */
  async loosen({ nth, side, usd }) {
    const { hooksUrl, bots } = this.house;
    const { key, coin, stop } = this.bot;
    const forged = `0x${"1".repeat(128)}1b`;
    const size = plainText((usd / this.house.line.marks.get(coin)).toFixed(this.bot.digits));
    const other = bots[(nth + BOTS.findIndex((each) => each.coin === coin) + 1) % bots.length];
    const order = {
      account: this.account(),
      market: other.coin === coin ? "xyz:TSLA" : other.coin,
      side,
      size,
      price: "10",
    };
    const wider = { ...key.grant, max_exposure: "any", max_position: "any", issued_at: new Date().toISOString() };
    const rows = [
      ["/v1/api-keys/limited", { grant: wider, signature: forged }],
      ["/v1/api-keys/limited", { grant: wider, signature: key.signature }],
      [
        "/v1/api-keys",
        {
          consent: {
            account: this.account(),
            network: "exchange_mainnet",
            key_hash: "ab".repeat(32),
            policy: { scopes: ["trading:write"] },
            issued_at: Date.now(),
          },
          signature: forged,
        },
      ],
      [`/v1/stops/${stop ?? this.account()}/resume`, { account: this.account(), signature: forged }],
      ["/v1/leverage", { market: coin, leverage: 2, margin_type: "cross" }],
      ["/v1/margin", { market: coin, amount: "5" }],
      ["/v1/twaps", { market: coin, side, size, duration_minutes: 30 }],
      ["/v1/orders", order],
      ["/v1/orders", { ...order, market: coin, rails: "off" }],
      ["/v1/orders", { ...order, market: coin, bot: "bot-x" }],
      ["/v1/stop", { scope: "account" }],
    ];
    const row = rows[nth % (rows.length + 4)];
    if (row !== undefined) return this.refused(row[0], await this.plain(...row));
    const theirs = other.coin === coin ? undefined : other.orders.at(-1);
    if (nth % 4 === 0 && theirs !== undefined)
      return this.refused("a modify of another's order", await this.plain(`/v1/orders/${theirs}/modify`, { size }));
    if (nth % 4 === 1)
      return void (await this.plain("/v1/api-keys/self/narrow", { max_exposure: `${RAIL_USD * 20} USD` }));
    if (nth % 4 === 2) {
      const name = ["resume", "narrow", "make_key", "set_limits", "place_order"][usd % 5];
      const told = await this.bot.tools.call(name, { key: "x", max_exposure: "any" });
      if (told !== null && told.error === undefined)
        this.journal.find(`a tool that there is not has answered: ${name}`);
      return undefined;
    }
    const headers = {
      "Content-Type": "application/json",
      Authorization: `Bearer ${key.key}`,
      "Idempotency-Key": `victim-${nth}-${usd}`,
    };
    return this.refused(
      "/v1 at the port of the hooks",
      await ask(`${hooksUrl}/v1/orders`, { method: "POST", headers, body: JSON.stringify({ ...order, market: coin }) }),
    );
  }

  refused(what, { status, body }) {
    // Of an order that is over, or that the exchange is known to refuse, it says so and does nothing.
    const isNothing = typeof body?.error === "string" || body?.status === "rejected";
    if (status !== 0 && status < 400 && !isNothing)
      this.journal.find(`${this.bot.name}: ${what} was answered ${status} ${JSON.stringify(body)}`);
  }
}

const ANSWER_WITHIN_MS = 15_000;

/** Status 0 where no answer came. */
export const ask = async (url, request) => {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  } catch {
    return { status: 0, body: null };
  }
};

/** Decimals as the exchange writes them: no zeros at the end. */
export const plainText = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
