// What was wished, what reached the exchange, and what was told of it: held against one another.
import { plainText } from "./victim.mjs";

export class Journal {
  constructor() {
    Object.assign(this, { wishes: new Map(), accepted: new Map(), ways: new Map(), cloids: new Map(), findings: [] });
  }

  find(what) {
    this.findings.push(what);
  }

  has(coin, size) {
    return this.wishes.has(`${coin} ${plainText(size)}`);
  }

  keep(wish) {
    for (const size of wish.sizes ?? []) this.wishes.set(`${wish.coin} ${size}`, wish);
  }

  /** The exchange has taken an order. */
  taken({ coin, size, isReduceOnly, isAtOnce, how, cloid }, bots) {
    // What closes a position, or goes to a target, is sized by what is held.
    if (isReduceOnly) return;
    const name = `${coin} ${plainText(size)}`;
    const wish = this.wishes.get(name);
    const bot = bots.find((each) => each.coin === coin);
    // Such a bot wishes for nothing that executes at once or not at all: that is a step to its target.
    if (isAtOnce && bot?.hook.mode === "target") return;
    this.cloids.set(name, cloid);
    this.accepted.set(name, (this.accepted.get(name) ?? 0) + 1);
    this.ways.set(name, [...(this.ways.get(name) ?? []), how]);
    if (wish === undefined) return this.find(`${name} is at the exchange, and nobody has asked for it`);
    if (!wish.isMeant) this.find(`${name} was proposed, and never placed; it is at the exchange`);
    if (wish.sinceStop)
      this.find(`${name} (${wish.door}, ${wish.kind}) was wished after its bot was stopped; it is at the exchange`);
    if (this.accepted.get(name) > 1)
      this.find(
        `${name} (${wish.door}, ${wish.kind}) was taken ${this.accepted.get(name)} times: ${this.ways.get(name).join(", ")}`,
      );
  }

  count(wish) {
    return wish.sizes.reduce((sum, size) => sum + (this.accepted.get(`${wish.coin} ${size}`) ?? 0), 0);
  }

  /** What was told last of each, when nothing is open any more. */
  async compare(line) {
    for (const wish of new Set(this.wishes.values())) {
      if (wish.kind !== "order") continue;
      const taken = this.count(wish);
      const last = wish.told.at(-1);
      const what = `${wish.coin} ${wish.sizes[0]} (${wish.door})`;
      if (wish.door === "tools" && wish.told.some(({ outcome }) => outcome === "order") && taken === 0)
        this.find(`${what} was told to be an order; the exchange has none`);
      if (wish.door !== "v1" || last === undefined) continue;
      const { status, body } = last;
      // No answer at all, to the last: that is told where it was waited for, and says nothing.
      if (status === 0) continue;
      const isTold = status < 300 && (["open", "filled"].includes(body.status) || Number(body.filled_size ?? 0) > 0);
      if (isTold && taken === 0) this.find(`${what} was told to be ${body.status}; the exchange has none`);
      if (status >= 400 && taken > 0) this.find(`${what} was told ${status} ${body.error?.code}; the exchange has it`);
      // A trigger rests, and is refused by the exchange when it has fired: then its own record says so.
      const isRejectedThere = async () =>
        (await line.statusOf(this.cloids.get(`${wish.coin} ${wish.sizes[0]}`)))?.endsWith("ejected") === true;
      if (status < 300 && body.status === "rejected" && taken > 0 && !(await isRejectedThere()))
        this.find(
          `${what} was told to be rejected; the exchange has it: ${JSON.stringify(body)} ${this.ways.get(`${wish.coin} ${wish.sizes[0]}`)}`,
        );
    }
  }
}
