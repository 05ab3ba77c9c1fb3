// What stands between the gateway and the exchange: it loses, delays and doubles what is sent, and looks into the exchange's
// books after each action that was carried out, before anything else is let through.
import { Agent, createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";

const UNIT = 8;
/** Of what is written in USD; the mark moves between two looks. */
const TOLERANCE_PERCENT = 1n;

/** Decimal text in 10^-8. */
export const units = (text) => {
  const [whole, fraction = ""] = String(text).replace("-", "").split(".");
  const size = BigInt(whole) * 10n ** BigInt(UNIT) + BigInt(fraction.padEnd(UNIT, "0").slice(0, UNIT));
  return String(text).startsWith("-") ? -size : size;
};

const abs = (a) => (a < 0n ? -a : a);

export class Line {
  /** `railUsd`: what each market may come to, by its name. */
  constructor({ exchangeUrl, user, railUsd, chance }) {
    Object.assign(this, { exchangeUrl, user: user.toLowerCase(), railUsd, chance });
    this.onOrder = () => {};
    this.findings = [];
    this.isHealthy = true;
    this.lowest = new Map();
    this.marks = new Map();
    this.cloids = new Set();
    this.counts = { actions: 0, lost: 0, neverArrived: 0, late: 0, doubled: 0, looks: 0 };
    /** Percent of its rail that a market came to. */
    this.mostUse = 0;
    this.turn = Promise.resolve();
    this.agent = new Agent({ keepAlive: true });
  }

  async listen() {
    await this.see();
    this.server = createServer(
      (request, response) => void this.pass(request, response).catch(() => response.destroy()),
    );
    this.server.on("upgrade", (request, socket, head) => this.tunnel(request, socket, head));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  close() {
    this.server?.closeAllConnections();
    this.server?.close();
    this.agent.destroy();
  }

  tunnel(request, socket, head) {
    const { hostname, port } = new URL(this.exchangeUrl);
    const other = connect(Number(port), hostname, () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let at = 0; at < request.rawHeaders.length; at += 2)
        lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
      other.write(`${lines.join("\r\n")}\r\n\r\n`);
      other.write(head);
      other.pipe(socket).pipe(other);
    });
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ]) {
      one.on("error", () => two.destroy());
      one.on("close", () => two.destroy());
    }
  }

  async pass(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    if (request.url !== "/exchange") return this.answer(response, await this.forward(request.url, body));
    const { action } = JSON.parse(body.toString("utf8"));
    const fate = this.isHealthy ? "plain" : this.chance.fate();
    if (fate === "neverArrived") {
      this.counts.neverArrived += 1;
      return response.destroy();
    }
    if (fate === "late") {
      this.counts.late += 1;
      response.destroy();
      await new Promise((resolve) => setTimeout(resolve, this.chance.between(200, 2_500)));
    }
    let answer = await this.carryOut(body, action);
    if (fate === "doubled") {
      this.counts.doubled += 1;
      answer = await this.carryOut(body, action);
    }
    if (fate === "lost") this.counts.lost += 1;
    if (fate === "lost" || fate === "late") return response.destroy();
    return this.answer(response, answer);
  }

  /** One at a time, and the books in between. */
  carryOut(body, action) {
    const done = this.turn.then(async () => {
      const answer = await this.forward("/exchange", body);
      this.counts.actions += 1;
      if (answer.status === 200) this.note(action, JSON.parse(answer.text));
      await this.see();
      return answer;
    });
    this.turn = done.catch(() => {});
    return done;
  }

  note(action, { status, response }) {
    if (status !== "ok") return;
    const asked = action.type === "order" ? action.orders : (action.modifies ?? []).map(({ order }) => order);
    const statuses = response?.data?.statuses ?? [];
    asked.forEach((order, at) => {
      const said = statuses[at];
      if (said === undefined || (typeof said === "object" && "error" in said)) return;
      if (order.c !== undefined && this.cloids.has(order.c))
        this.findings.push(`one client order id was taken twice: ${order.c}`);
      this.cloids.add(order.c);
      this.onOrder({
        how: `${action.type} ${order.c} ${JSON.stringify(said)}`,
        coin: this.coins[order.a] ?? `asset ${order.a}`,
        size: order.s,
        cloid: order.c,
        isReduceOnly: order.r,
        isAtOnce: order.t.limit?.tif === "Ioc",
      });
    });
  }

  /** Position and open orders of one moment: what they may come to at worst is never above the rail. */
  async see() {
    const body = Buffer.from(JSON.stringify({ type: "webData2", user: this.user }));
    const { text } = await this.forward("/info", body);
    const { clearinghouseState, openOrders, meta, assetCtxs } = JSON.parse(text);
    this.coins = meta.universe.map(({ name }) => name);
    this.counts.looks += 1;
    for (const [coin, usd] of Object.entries(this.railUsd)) {
      const mark = units(assetCtxs[this.coins.indexOf(coin)].markPx);
      const lowest = this.lowest.get(coin) ?? mark;
      this.marks.set(coin, Number(mark) / 10 ** UNIT);
      if (mark <= lowest) this.lowest.set(coin, mark);
      const held = clearinghouseState.assetPositions.find(({ position }) => position.coin === coin)?.position.szi;
      this.judge(coin, usd, {
        net: held === undefined ? 0n : units(held),
        open: openOrders.filter((order) => order.coin === coin && !order.reduceOnly),
      });
    }
    this.strangers = openOrders.filter(({ coin }) => !(coin in this.railUsd)).length;
    if (this.strangers > 0) this.findings.push(`${this.strangers} orders in markets that no bot may trade`);
  }

  judge(coin, usd, { net, open }) {
    const sum = (side) => open.reduce((all, order) => (order.side === side ? all + units(order.sz) : all), 0n);
    const worst = [abs(net + sum("B")), abs(net - sum("A"))].sort((a, b) => Number(a - b)).at(-1);
    const value = (worst * this.lowest.get(coin)) / 10n ** BigInt(UNIT);
    const rail = units(usd);
    this.mostUse = Math.max(this.mostUse, Number((value * 1_000n) / rail) / 10);
    if (value * 100n <= rail * (100n + TOLERANCE_PERCENT)) return;
    this.findings.push(`${coin}: ${Number(value / 10n ** 6n) / 100} USD at worst, where ${usd} are allowed`);
  }

  forward(path, body) {
    const { hostname, port } = new URL(this.exchangeUrl);
    const headers = { "Content-Type": "application/json", "Content-Length": body.length };
    return new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, path, method: "POST", headers, agent: this.agent }, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          resolve({ status: response.statusCode, text: Buffer.concat(parts).toString("utf8") });
        });
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  /** What the exchange itself says of an order. */
  async statusOf(cloid) {
    const body = Buffer.from(JSON.stringify({ type: "orderStatus", user: this.user, oid: cloid }));
    const { text } = await this.forward("/info", body);
    return JSON.parse(text).order?.status ?? null;
  }

  answer(response, { status, text }) {
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  }
}
