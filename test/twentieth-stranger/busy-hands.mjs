// What befalls a maker: fills all the time, several in one moment where the mark goes through its quotes, and both guards of a trade at once.
import { sleep } from "./figures.mjs";
import { Hands } from "./hands.mjs";

export class BusyHands extends Hands {
  async run() {
    let turn = 0;
    while (this.running) {
      await sleep(50);
      turn++;
      if (turn % 14 === 0 && this.world.jumps > 0) this.moveMarks();
      if (turn % 2 === 0) this.fire();
      const each = this.world.load.fillsASecond / 20;
      for (let n = each; n > 0; n--) if (this.draw.chance(Math.min(1, n))) this.luck();
      if (this.draw.chance(each / 15)) this.sweep();
      if (this.world.guards && this.draw.chance(0.03)) this.bothGuards();
      if (this.draw.chance(0.02 * this.world.hands)) this.trade();
      if (turn % 24 === 0)
        for (const twap of this.truth.twaps) if (twap.versions.at(-1).status === "activated") this.actions.slice(twap);
      if (this.world.restarts > 0 && this.draw.chance(0.003 * this.world.restarts)) await this.restart();
    }
  }

  /** Somebody takes a quote that stands near the mark. */
  luck() {
    const near = this.truth.live().filter((order) => {
      if ((order.trigger && !order.fired) || order.by === "hand") return false;
      const mark = this.truth.mark(order.coin);
      const away = order.buy ? mark - order.limit : order.limit - mark;
      return away < mark / 100n;
    });
    if (near.length > 0) this.actions.take(this.draw.of(near));
  }

  /** The mark goes through some quotes of a market, and all of them are filled in one moment. */
  sweep() {
    const market = this.draw.of([...this.truth.markets.values()]);
    const mark = this.truth.mark(market.coin);
    const step = (mark * BigInt(this.draw.whole(8, 40))) / 10_000n;
    const to = this.draw.chance(0.5) ? mark + step : mark - step;
    this.truth.moveMark(market.coin, (to / market.tick) * market.tick);
    this.fire();
    if (this.draw.chance(0.7)) this.truth.moveMark(market.coin, mark);
  }

  /** The mark comes to a stop and to a profit of one market within a millisecond. */
  bothGuards() {
    const waiting = this.truth.live().filter((order) => order.trigger && !order.fired && order.by === "gateway");
    if (waiting.length === 0) return;
    const one = this.draw.of(waiting);
    const mark = this.truth.mark(one.coin);
    const other = waiting.find((order) => order.coin === one.coin && order.trigger.kind !== one.trigger.kind);
    for (const guard of [one, other]) {
      if (guard === undefined) continue;
      this.truth.moveMark(guard.coin, guard.trigger.price);
      this.fire();
    }
    this.truth.moveMark(one.coin, mark);
  }
}
