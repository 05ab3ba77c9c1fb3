// What happens at the exchange that the gateway did not ask for: makers, other hands, marks, slices, liquidations, restarts.
import { size as abs, parse, show, sleep } from "./figures.mjs";

export class Hands {
  constructor(exchange, draw, world) {
    Object.assign(this, { exchange, draw, world, running: true, restarts: [] });
  }

  get truth() {
    return this.exchange.truth;
  }

  get actions() {
    return this.exchange.actions;
  }

  async run() {
    let turn = 0;
    while (this.running) {
      await sleep(100);
      turn++;
      if (turn % 7 === 0 && this.world.jumps > 0) this.moveMarks();
      this.fire();
      if (this.draw.chance(0.12 * this.world.makers)) this.make();
      if (this.draw.chance(0.03 * this.world.hands)) this.trade();
      if (turn % 12 === 0)
        for (const twap of this.truth.twaps) if (twap.versions.at(-1).status === "activated") this.actions.slice(twap);
      if (this.draw.chance(0.004 * this.world.liquidations)) this.liquidate();
      if (this.world.restarts > 0 && this.draw.chance(0.006 * this.world.restarts)) await this.restart();
    }
  }

  moveMarks() {
    for (const market of this.truth.markets.values()) {
      if (!this.draw.chance(0.6)) continue;
      const mark = this.truth.mark(market.coin);
      const jump = this.draw.chance(this.world.jumps) ? 12 : 1;
      const step = (mark * BigInt(this.draw.whole(-8, 8) * jump)) / 10000n;
      this.truth.moveMark(market.coin, ((mark + step) / market.tick) * market.tick);
    }
  }

  fire() {
    for (const order of this.truth.live()) {
      const mark = this.truth.mark(order.coin);
      const { bid, ask } = this.truth.best(order.coin);
      if (order.trigger && !order.fired) {
        const above = (order.trigger.kind === "tp") === !order.buy;
        if (above ? mark >= order.trigger.price : mark <= order.trigger.price) this.actions.fire(order);
      } else if (order.buy ? order.limit >= ask : order.limit <= bid) this.actions.take(order);
    }
  }

  make() {
    const resting = this.truth.live().filter((order) => !order.trigger || order.fired);
    if (resting.length > 0) this.actions.take(this.draw.of(resting));
  }

  /** Another hand of the same account: an order, a fill, a cancel, on the exchange's own page. */
  trade() {
    const { draw, truth } = this;
    const live = truth.live();
    const what = draw.weighted({ cancel: live.length > 0 ? 3 : 0, market: 2, rest: 2 });
    if (what === "cancel") {
      truth.write(draw.of(live), "canceled", "hand");
      return;
    }
    const market = draw.of([...truth.markets.values()].filter((m) => !m.spot));
    const buy = draw.chance(0.5);
    const worth = draw.whole(50, 600);
    const mark = truth.mark(market.coin);
    const step = 10n ** BigInt(12 - market.sizes);
    const size = ((parse(String(worth)) * 10n ** 12n) / mark / step + 1n) * step;
    const away = what === "market" ? 0n : (mark * BigInt(draw.whole(20, 200))) / 10000n;
    const limit =
      what === "market"
        ? buy
          ? truth.best(market.coin).ask
          : truth.best(market.coin).bid
        : ((buy ? mark - away : mark + away) / market.tick) * market.tick;
    const order = truth.add({
      coin: market.coin,
      asset: market.asset,
      buy,
      limit,
      size,
      reduceOnly: false,
      tif: what === "market" ? "FrontendMarket" : "Gtc",
      trigger: null,
      cloid: null,
      builder: null,
      by: "hand",
    });
    if (what === "rest") truth.write(order, "open");
    else {
      truth.fill(order, size, limit, true);
      truth.write(order, "filled");
    }
  }

  liquidate() {
    const held = [...this.truth.markets.values()].filter((m) => !m.spot && this.truth.position(m.coin).szi !== 0n);
    if (held.length === 0) return;
    const market = this.draw.of(held);
    for (const order of this.truth.live())
      if (order.coin === market.coin) this.truth.write(order, "liquidatedCanceled", "liquidation");
    const { szi } = this.truth.position(market.coin);
    const { bid, ask } = this.truth.best(market.coin);
    const order = this.truth.add({
      coin: market.coin,
      asset: market.asset,
      buy: szi < 0n,
      limit: szi < 0n ? ask : bid,
      size: abs(szi),
      reduceOnly: true,
      tif: "LiquidationMarket",
      trigger: null,
      cloid: null,
      builder: null,
      by: "liquidation",
    });
    this.truth.fill(order, abs(szi), order.limit, true, {
      liquidation: { liquidatedUser: this.exchange.user, markPx: show(this.truth.mark(market.coin)), method: "market" },
    });
    this.truth.write(order, "filled");
  }

  async restart() {
    this.exchange.down = true;
    this.exchange.stream.breakOff();
    await sleep(this.draw.whole(500, 2500));
    this.exchange.down = false;
    this.actions.haltUntil = Date.now() + this.draw.whole(0, 1500);
  }
}
