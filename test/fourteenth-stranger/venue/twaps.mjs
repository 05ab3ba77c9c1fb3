// TWAPs: slices are cut by the scene's own word, so that a minute holds what a day does.

import { cut, dec, min, mul, wire } from "./decimal.mjs";
import { Engine } from "./engine.mjs";

export class Venue extends Engine {
  twapState(twap) {
    return {
      coin: twap.coin,
      user: this.user,
      side: twap.isBuy ? "B" : "A",
      sz: wire(twap.sz),
      executedSz: wire(twap.done),
      executedNtl: wire(cut(twap.value, 6)),
      minutes: twap.minutes,
      reduceOnly: twap.reduceOnly,
      randomize: twap.randomize,
      stopPx: null,
      trigger: null,
      timestamp: twap.ts,
    };
  }

  twapRow(twap, status) {
    const t = this.now();
    const row = { time: Math.floor(t / 1000), state: this.twapState(twap), status: { status }, twapId: twap.id };
    this.twapRows.push({ t, wire: row });
    this.emit("twapHistory", [row]);
  }

  startTwap(wanted) {
    const twap = {
      coin: wanted.coin,
      isBuy: wanted.isBuy,
      sz: dec(wanted.sz),
      reduceOnly: wanted.reduceOnly,
      minutes: wanted.minutes,
      randomize: wanted.randomize,
      done: 0n,
      value: 0n,
      id: this.nextTwap++,
      ts: this.now(),
    };
    this.twaps.set(twap.id, twap);
    this.twapRow(twap, "activated");
    this.snap();
    return twap;
  }

  slice(id, size) {
    const twap = this.twaps.get(id);
    if (twap === undefined) return null;
    const market = this.markets.get(twap.coin);
    const part = min(dec(size), twap.sz - twap.done);
    const px = twap.isBuy ? this.ask(market) : this.bid(market);
    const order = {
      coin: twap.coin,
      isBuy: twap.isBuy,
      px,
      sz: part,
      origSz: part,
      oid: this.nextOid++,
      ts: this.now(),
      reduceOnly: twap.reduceOnly,
      trigger: null,
      tif: "Ioc",
      cloid: null,
    };
    const fill = this.fill(order, px, part, { isTaker: true, twapId: id });
    this.record(order, "filled");
    twap.done += part;
    twap.value += mul(px, part);
    if (twap.done === twap.sz) this.endTwap(id, "finished");
    this.prune();
    this.snap();
    return fill;
  }

  endTwap(id, status) {
    const twap = this.twaps.get(id);
    if (twap === undefined) return false;
    this.twaps.delete(id);
    this.twapRow(twap, status);
    this.snap();
    return true;
  }
}
