// Whose each order at the exchange was, and what each key held and had out at each moment, by the exchange's own log.
import { during, lastAt } from "./truth.mjs";
import { most, size } from "./units.mjs";

const LIVE = new Set(["open", "triggered"]);

export class Books {
  constructor(truth) {
    this.truth = truth;
    this.whose = new Map();
    this.rows = new Map();
    this.twaps = new Map();
  }

  /** Asks the gateway at the end which orders each key has; what modifies have placed stands in the stories. */
  async read(gateway) {
    this.readAtMs = Date.now();
    for (const [who, key] of gateway.keys) {
      let cursor = "";
      do {
        const page = await patient(gateway, who, `/v1/orders?limit=500&key_hash=${key.hash}${cursor}`);
        for (const row of page.data) {
          this.rows.set(row.id, { ...row, readAt: Date.now() });
          this.whose.set(`0x${row.id.replaceAll("-", "")}`, { who, id: row.id });
        }
        cursor = page.has_more ? `&cursor=${page.next_cursor}` : "";
      } while (cursor !== "");
    }
    for (const { who, value } of gateway.told)
      if (value?.object === "operation" && value.exchange_id !== null) this.twaps.set(value.exchange_id, who);
    for (const order of this.truth.orders)
      if (order.by === "gateway" && !this.whose.has(order.cloid)) await this.readStories(gateway, order);
  }

  async readStories(gateway, order) {
    for (const [id, row] of this.rows) {
      if (row.market !== order.coin || (row.side === "buy") !== order.isBuy || this.whose.has(order.cloid)) continue;
      const { who } = this.whose.get(`0x${id.replaceAll("-", "")}`);
      const story = await patient(gateway, who, `/v1/orders/${id}/story`);
      for (const { client_order_id } of story.legs ?? []) this.whose.set(client_order_id, { who, id });
    }
  }

  owner(order) {
    if (order.twapId) return this.twaps.get(String(order.twapId)) ?? "nobody";
    return order.by === "gateway" ? (this.whose.get(order.cloid)?.who ?? "nobody") : order.by;
  }

  legs(id) {
    return this.truth.orders.filter((o) => o.by === "gateway" && this.whose.get(o.cloid)?.id === id);
  }

  net(who, coin, t) {
    return this.truth.fills
      .filter((f) => f.coin === coin && f.t <= t && this.owner(this.truth.byOid.get(String(f.oid))) === who)
      .reduce((a, f) => a + (f.isBuy ? f.sz : -f.sz), 0n);
  }

  others(who, coin, t) {
    return this.truth.held(coin, t) - this.net(who, coin, t);
  }

  out(who, coin, t) {
    return this.truth.orders
      .filter((o) => o.coin === coin && this.owner(o) === who)
      .map((o) => ({ order: o, at: lastAt(o.versions, t) }))
      .filter(({ at }) => at !== undefined && LIVE.has(at.status));
  }

  /** The most that a key may come to hold, by what could still execute and increase at that moment. */
  worst(who, coin, t) {
    const net = this.net(who, coin, t);
    let buys = 0n;
    let sells = 0n;
    for (const { order, at } of this.out(who, coin, t)) {
      if (order.reduce) continue;
      if (order.isBuy) buys += at.sz;
      else sells += at.sz;
    }
    return most(size(net + buys), size(net - sells));
  }

  /** All figures that a reading had between both, of any function of time. */
  values(of, from, to) {
    const times = new Set([from, to]);
    for (const f of this.truth.fills) if (f.t >= from && f.t <= to) times.add(f.t).add(f.t - 1);
    for (const o of this.truth.orders)
      for (const v of o.versions) if (v.t >= from && v.t <= to) times.add(v.t).add(v.t - 1);
    return [...times].map(of);
  }

  marks(coin, from, to) {
    return during(this.truth.market(coin).marks, from, to).map((v) => v.mark);
  }
}

export const isLive = (version) => version !== undefined && LIVE.has(version.status);

async function patient(gateway, who, path) {
  for (let i = 0; i < 60; i++) {
    const told = await gateway.get(who, path);
    if (told.status === 200) return told.value;
    await new Promise((done) => setTimeout(done, 500));
  }
  return { data: [], legs: [] };
}
