// The exchange's log as questions: what was so at a moment.
const LIVE = new Set(["open", "triggered"]);
export const same = (a, b) => Math.abs(Number(a) - Number(b)) < 1e-7;

export class LogReader {
  constructor(engine) {
    this.engine = engine;
    this.byCloid = new Map();
    for (const order of engine.orders.values())
      if (order.cloid) this.byCloid.set(order.cloid, [...(this.byCloid.get(order.cloid) ?? []), order]);
  }

  versionAt(order, at) {
    return (this.engine.versions.get(order.oid) ?? []).filter((version) => version.at <= at).at(-1);
  }

  isLive(order, at) {
    return LIVE.has(this.versionAt(order, at)?.status);
  }

  wasLive(order, from, to) {
    return (
      this.isLive(order, to) ||
      (this.engine.versions.get(order.oid) ?? []).some(
        ({ at, status }) => at >= from && at <= to && LIVE.has(status),
      ) ||
      this.isLive(order, from)
    );
  }

  filled(orders, at = Infinity) {
    const oids = new Set(orders.map(({ oid }) => oid));
    return this.engine.fills.reduce((sum, row) => (oids.has(row.oid) && row.at <= at ? sum + row.sz : sum), 0);
  }

  positionAt(coin, at) {
    const state = this.engine.states.filter((one) => one.at <= at).at(-1) ?? this.engine.states[0];
    return state.positions.find((position) => position.coin === coin)?.szi ?? 0;
  }

  // Every size that a position had in a stretch of time, the one it began with included.
  positionsIn(coin, from, to) {
    const states = this.engine.states.filter((one) => one.at > from && one.at <= to);
    return [
      this.positionAt(coin, from),
      ...states.map((state) => state.positions.find((position) => position.coin === coin)?.szi ?? 0),
    ];
  }

  // Legs of an order of the interface: its own client order id, and those that its story names.
  legs(id, stories) {
    const names = new Set([
      `0x${id.replaceAll("-", "")}`,
      ...(stories.get(id)?.legs ?? []).map((leg) => leg.client_order_id),
    ]);
    return [...names].flatMap((name) => this.byCloid.get(name) ?? []);
  }
}
