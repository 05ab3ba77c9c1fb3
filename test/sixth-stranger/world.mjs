// One exchange, one gateway, one client, and the comparison at the end.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, Follower } from "./client.mjs";
import { drawer } from "./codec.mjs";
import { Exchange } from "./exchange.mjs";
import { Gateway } from "./gateway.mjs";
import { Judge } from "./judge.mjs";
import { judgeProtection, judgeRails, judgeStop } from "./rails.mjs";

export const wait = (ms) => new Promise((done) => setTimeout(done, ms));
export const RAILS = {
  "max-order": "500 USD",
  "max-position": "1000 USD",
  "max-exposure": "1500 USD",
  "max-turnover-per-day": "15000 USD",
  "max-open-orders": "6",
  "max-distance": "3 %",
  may: "increase,reduce,modify,cancel,twap,stop,leverage",
  markets: "BTC,ETH,SOL",
};
export const LIMITS = { order: 500, position: 1000, exposure: 1500, turnover: 15000, open: 6 };

export class World {
  constructor(binary, seed, options = {}) {
    Object.assign(this, {
      binary,
      seed,
      options,
      told: [],
      faults: [],
      stops: [],
      notes: [],
      onlyTrades: false,
      bots: new Map(),
    });
    this.draw = drawer(seed);
  }

  async begin() {
    this.gateway = new Gateway(this.binary);
    this.exchange = new Exchange({
      owner: this.gateway.owner,
      draw: this.draw,
      sickness: this.options.sickness ?? 3000,
    });
    this.chain = this.exchange.chain;
    const rate = this.exchange.rate;
    this.exchange.rate = { lost: 0, never: 0, late: 0, slow: 0, info: 0 };
    await this.exchange.start();
    await this.gateway.setUp(this.exchange.url);
    await this.gateway.start();
    await this.gateway.ready();
    this.account = this.gateway.account;
    this.client = new Client(this.gateway, this.draw, this.told);
    this.owner = await this.gateway.grantPlain();
    this.follower = new Follower(this.gateway, this.owner.key);
    this.exchange.rate = this.options.rate ?? rate;
  }

  async grant(bot, rails = {}) {
    const key = await this.gateway.grantBot(bot, { ...RAILS, ...rails });
    this.bots.set(bot, { ...LIMITS, ...(this.options.limits ?? {}) });
    return key;
  }

  note(text) {
    this.notes.push(`${Date.now()} ${text}`);
    if (process.env.STRANGER_NOTES) console.log(new Date().toISOString().slice(14, 23), text);
  }

  async restart() {
    this.note("kill -9");
    await this.gateway.kill();
    await wait(this.draw.between(0, 1500));
    await this.gateway.start();
  }

  async stop(scope, key, body = {}) {
    const answer = await this.client.once("POST", "/v1/stop", { key, body: { scope, ...body } });
    this.note(`stop ${scope} ${answer.status} ${answer.body.status}`);
    return answer.body.id;
  }

  /** Follows a stop until it is `stopped`; keeps the first moment in which that was told. */
  async stopped(id, key, covers, ms = 60_000) {
    const end = Date.now() + ms;
    let last = null;
    while (Date.now() < end) {
      const answer = await this.client.get(`/v1/stops/${id}`, key);
      if (answer.status === 200) last = answer.body;
      if (answer.body.status === "stopped") {
        const one = { id, toldAt: answer.asked, covers, hasTwaps: true, resumedAt: null };
        this.stops.push(one);
        return one;
      }
      await wait(250);
    }
    this.note(`not stopped after ${ms} ms: ${JSON.stringify(last?.waits_for)}`);
    return { id, isLate: true, last };
  }

  /** All is well from here on: waits until nothing is open in what is told. */
  async calm(ms = 75_000) {
    this.exchange.heal();
    this.chain.walk = 0;
    const end = Date.now() + ms;
    while (Date.now() < end) {
      await wait(1500);
      const open = await Promise.all(
        ["unknown", "processing"].map((s) => this.client.get(`/v1/orders?status=${s}`, this.owner.key)),
      );
      const operations = await Promise.all(
        ["unknown", "processing"].map((s) => this.client.get(`/v1/operations?status=${s}`, this.owner.key)),
      );
      const trades = await this.client.get("/v1/trades?limit=100", this.owner.key);
      const isBusy =
        [...open, ...operations].some((a) => a.status !== 200 || a.body.data.length > 0) ||
        (trades.body.data ?? []).some((t) => t.status === "arming" || (!t.ended_at && !t.protected));
      if (!isBusy) break;
    }
    await wait(4000);
  }

  async owned(bot) {
    const { rows } = await this.client.list(`/v1/orders?bot=${bot}`, this.owner.key);
    const operations = await this.client.list(`/v1/operations?bot=${bot}`, this.owner.key);
    const oids = new Set();
    for (const row of rows) for (const leg of this.judge.legs(row.id)) oids.add(leg.oid);
    return {
      oids,
      twaps: new Set(
        operations.rows.filter((o) => o.action === "twap" && o.exchange_id).map((o) => Number(o.exchange_id)),
      ),
    };
  }

  async compare() {
    const judge = new Judge(this);
    this.judge = judge;
    const orders = await this.client.list("/v1/orders", this.owner.key);
    if (orders.fault) judge.find("high", "orders cannot be listed at rest", orders.fault, null);
    const fresh = [];
    for (const row of orders.rows)
      fresh.push(
        ["open", "waiting_for_trigger", "unknown"].includes(row.status)
          ? (await this.client.get(`/v1/orders/${row.id}`, this.owner.key)).body
          : row,
      );
    judge.rest(fresh.filter((r) => r.object === "order"));
    const fills = await this.client.list("/v1/fills", this.owner.key);
    judge.fills(fills.rows);
    const positions = await this.client.get("/v1/positions", this.owner.key);
    if (positions.status === 200) judge.positions(positions.body.data);
    judge.performance(await this.booked());
    for (const trade of (await this.client.list("/v1/trades", this.owner.key)).rows)
      if (!trade.ended_at && Number(trade.held_size) > 0 && !trade.protected)
        judge.find("high", "at rest and unprotected", trade, null);
    judge.doubles();
    judge.tellings();
    judge.events();
    for (const [bot, limits] of this.bots) {
      judgeRails(judge, bot, await this.owned(bot), limits);
    }
    for (const stop of this.stops) judgeStop(judge, stop);
    judgeProtection(judge, this);
    for (const fault of [...this.exchange.faults, ...this.faults])
      judge.find("harness", fault.slice(0, 400), null, null);
    return judge.findings;
  }

  /** The performance once it is booked past the last fill; as it is after a minute and a half. */
  async booked() {
    const until = this.chain.fills.at(-1)?.time ?? 0;
    const end = Date.now() + (this.options.patience ?? 5000);
    for (;;) {
      const { body } = await this.client.get("/v1/performance", this.owner.key);
      if (Date.now() > end || (body.complete_to && Date.parse(body.complete_to) > until)) return body;
      await wait(2000);
    }
  }

  keep(directory, name) {
    const orders = [...this.chain.orders.values()];
    const rows = [
      ["log", this.chain.log],
      ["told", this.told],
      ["orders", orders],
      ["fills", this.chain.fills],
      ["events", this.follower.events],
      ["notes", this.notes],
    ];
    for (const [kind, list] of rows)
      writeFileSync(join(directory, `${name}.${kind}.jsonl`), list.map((x) => JSON.stringify(x)).join("\n"));
  }

  async end() {
    this.follower?.end();
    await this.gateway.end(Boolean(process.env.STRANGER_KEEP_DATA));
    await this.exchange.stop();
  }
}
