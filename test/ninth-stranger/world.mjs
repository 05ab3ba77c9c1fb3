// One of each: an exchange, a gateway, accounts with keys; and how it all comes to rest.
import { writeFileSync } from "node:fs";
import { Caller, http, Tape } from "./caller.mjs";
import { Deeds } from "./deeds.mjs";
import { Door } from "./door.mjs";
import { Feed } from "./feed.mjs";
import { Gateway } from "./gateway.mjs";
import { drawn, Past, sleep, text } from "./grain.mjs";
import { judge } from "./judge.mjs";
import { Venue } from "./venue.mjs";

const SUB = `0x${"5b".repeat(20)}`;
const VAULT = `0x${"7a".repeat(20)}`;

export class World {
  tape = new Tape();
  venue = new Venue();
  findings = [];
  count = 0;

  constructor(name, seed, options) {
    Object.assign(this, { title: name, options });
    this.random = drawn(seed);
    this.deeds = new Deeds(this.venue);
  }

  async open({ settings = {}, isAlone = false, offsetMs = 0 } = {}) {
    this.venue.offsetMs = offsetMs;
    this.door = await new Door(this.venue, this.deeds, this.tape).listen();
    this.feed = new Feed(this.venue, this.door, this.tape);
    this.gateway = new Gateway(this.options.binary, `http://127.0.0.1:${this.door.port}`);
    this.gateway.settings = settings;
    const made = await this.gateway.setUp();
    this.owner = made.owner.toLowerCase();
    this.agent = made.agent.toLowerCase();
    this.venue.open(this.owner, "1000000");
    this.deeds.agents.set(this.owner, new Past());
    await this.gateway.approveAgent();
    this.addresses = new Map([[made.account, this.owner]]);
    if (!isAlone) {
      for (const [label, kind, address] of [
        ["sub", "subaccount", SUB],
        ["pool", "vault", VAULT],
      ]) {
        const account = this.venue.open(address, "500000");
        account.master = this.owner;
        const added = await this.gateway.addAccount(label, kind, address);
        this.addresses.set(added.account ?? added.id, address);
      }
    }
    await this.gateway.start();
    this.callers = [];
    for (const account of this.addresses.keys()) {
      const caller = new Caller(this.gateway, this.tape, account, await this.gateway.grant(account));
      caller.address = this.addresses.get(account);
      void caller.follow();
      this.callers.push(caller);
    }
    this.main = this.callers[0];
    if (!(await this.gateway.ready())) this.tape.note("not ready");
    return this;
  }

  truth(caller) {
    return this.venue.accounts.get(caller.address);
  }
  /** A size that no other request of the run has, worth something like $60 and up. */
  size(coin) {
    const market = this.venue.market(coin);
    const step = 10n ** BigInt(8 - market.szDecimals.now);
    const base = (6_000_000_000n * 100_000_000n) / market.mid.now / step;
    this.count++;
    return text((base + BigInt(this.count)) * step);
  }
  /** A price below (or above) the middle by so many thousandths, in whole ticks of four figures. */
  price(coin, isBuy, thousandths) {
    const { mid } = this.venue.market(coin);
    const raw = Number(text(mid.now)) * (1 + ((isBuy ? -1 : 1) * thousandths) / 1000);
    return String(Number(raw.toPrecision(4)));
  }
  name(word) {
    this.count++;
    return `${word}-${this.title}-${this.count}`.replace(/[^!-~]/g, "_").padEnd(8, "0");
  }

  place(caller, coin, side, more = {}) {
    const { thousandths = 20, ...rest } = more;
    const body = {
      account: caller.account,
      market: coin,
      side,
      size: this.size(coin),
      price: this.price(coin, side === "buy", thousandths),
      ...rest,
    };
    return caller.insist("/v1/orders", this.name("place"), body);
  }
  orderOf(row) {
    return this.venue.orders.find((of) => of.cloid === `0x${row.json.id.replaceAll("-", "")}`);
  }

  find(severity, what, more = {}) {
    this.findings.push({ severity, what, ...more });
  }

  async restart() {
    await this.gateway.kill();
    this.tape.note("killed");
    await this.gateway.start();
  }

  /** Everything is well from here on. */
  calm() {
    this.door.fate = () => null;
    this.door.infoFate = () => null;
    this.door.lag = () => 0;
    this.door.skewMs = 0;
    this.feed.way = () => [0];
    this.feed.lag = () => 0;
    this.feed.welcome = () => null;
    this.feed.isShut = false;
    this.tape.note("calm");
  }
  nudge() {
    for (const caller of this.callers) {
      const account = this.truth(caller);
      const at = this.venue.tick();
      const spec = { a: 2, b: true, p: "100", s: "0.5", r: false, t: { limit: { tif: "Gtc" } } };
      this.venue.place(account, spec, { at });
      const placed = account.orders.at(-1);
      this.venue.cancel(account, placed, this.venue.tick());
    }
  }
  async unknowns() {
    const { text: said } = await http({ port: this.gateway.metricsPort, method: "GET", path: "/metrics", headers: {} });
    this.metrics = said;
    const sum = (name) =>
      [...said.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? ([0-9.]+)$`, "gm"))].reduce(
        (all, of) => all + Number(of[1]),
        0,
      );
    return said
      ? sum("postern_unknown_orders") + sum("postern_unknown_operations") + sum("postern_unsettled_actions")
      : -1;
  }

  async rest(forMs = 130_000) {
    this.calm();
    this.calmAt = Date.now();
    await this.gateway.ready(30_000);
    while (Date.now() - this.calmAt < forMs) {
      this.nudge();
      await sleep(1500);
      if ((await this.unknowns()) === 0 && Date.now() - this.calmAt > 6000) break;
    }
    this.restMs = Date.now() - this.calmAt;
    await sleep(4000);
    await this.unknowns();
    await judge(this);
    return this;
  }

  async close() {
    for (const caller of this.callers ?? []) caller.end();
    await this.gateway.kill();
    this.feed.close();
    this.door.close();
    for (const note of new Set(this.door.notes)) this.find("harness", note.slice(0, 300));
    if (this.options.keep) {
      const told = this.tape.rows.map((row) =>
        JSON.stringify(row, (_, of) => (typeof of === "bigint" ? text(of) : of)),
      );
      writeFileSync(`${this.options.keep}/${this.title}.jsonl`, told.join("\n"));
      try {
        const { readFileSync } = await import("node:fs");
        writeFileSync(`${this.options.keep}/${this.title}.log`, readFileSync(this.gateway.log));
      } catch {}
    }
    this.gateway.remove();
  }
}
