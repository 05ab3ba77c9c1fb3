import { Exchange } from "./exchange.mjs";
import { Gateway } from "./gateway.mjs";
import { Judge } from "./judge.mjs";

export const SUB = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export function dice(seed) {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let t = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    t = Math.imul(t ^ (t >>> 15), 0x735a2d97);
    return ((t ^ (t >>> 15)) >>> 0) / 4294967296;
  };
}

/** Everything that a scene plays with. */
export class Stage {
  constructor(seed) {
    this.seed = seed;
    this.roll = dice(seed);
    this.exchange = new Exchange();
    this.engine = this.exchange.engine;
    this.faults = this.exchange.faults;
    this.judge = new Judge(this.exchange);
    this.said = [];
    this.serial = 0;
    this.isOpen = new Promise((done) => {
      this.opened = done;
    });
  }

  async open({ main = {}, sub = null, env = {}, before = () => {} } = {}) {
    await this.exchange.listen();
    this.gateway = new Gateway({ env });
    this.main = this.engine.addAccount(this.gateway.owner, {
      cash: { "": "100000", xyz: "50000", abc: "3000" },
      spot: { USDC: "20000", PURR: "1000", HYPE: "50" },
      ...main,
    });
    this.sub = this.engine.addAccount(SUB, { master: this.gateway.owner, ...(sub ?? {}) });
    before(this);
    await this.gateway.setUp(this.exchange, [["sub", SUB]]);
    this.opened();
    this.stream = this.gateway.follow("main");
  }

  pick(list) {
    return list[Math.floor(this.roll() * list.length)];
  }

  between(low, high) {
    return low + Math.floor(this.roll() * (high - low + 1));
  }

  name(word) {
    this.serial += 1;
    return `stranger-${word}-${this.seed}-${this.serial}`;
  }

  accountOf(who) {
    return who === "main" ? this.main : this.sub;
  }

  say(text) {
    this.said.push(text);
  }

  async close() {
    await this.gateway?.end();
    await this.exchange.close();
  }
}
