// TWAPs: a number, slices that are market orders of their own, and an end.
import { abs, dec, least, mul, plain, wire } from "./codec.mjs";

export class Twaps {
  constructor(truth, book) {
    this.truth = truth;
    this.book = book;
  }

  start(account, market, { b, s, r, m, t }) {
    const size = dec(s);
    if (m < 5 || m > 10080) return { error: `Invalid TWAP duration: ${m} min(s)` };
    if (mul(size, market.mid) < dec("100")) return { error: "TWAP order value too small. Min is $100." };
    const position = this.truth.positionSize(account, market.coin);
    if (r && (position === 0n || position > 0n === b))
      return { error: "Reduce-only TWAP order would increase position." };
    const id = this.truth.nextTwap++;
    const twap = {
      id,
      coin: market.coin,
      side: b ? "B" : "A",
      size,
      executed: 0n,
      notional: 0n,
      minutes: m,
      reduceOnly: r,
      randomize: t,
      timestamp: this.truth.now(),
      status: null,
      description: null,
      history: [],
    };
    account.twaps.set(id, twap);
    this.mark(twap, "activated");
    return { running: { twapId: id } };
  }

  mark(twap, status, description = null) {
    twap.status = status;
    twap.history.push({
      time: this.truth.now(),
      status,
      description,
      executed: twap.executed,
      notional: twap.notional,
    });
  }

  running(account) {
    return [...account.twaps.values()].filter((twap) => twap.status === "activated");
  }

  cancel(account, market, id) {
    const twap = account.twaps.get(id);
    if (twap?.status !== "activated" || twap.coin !== market?.coin)
      return { error: "TWAP was never placed, already canceled, or filled." };
    this.mark(twap, "terminated");
    return "success";
  }

  /** One slice of `size`; ends with the last. */
  slice(account, twap, size) {
    if (twap.status !== "activated") return null;
    const market = this.truth.markets.byCoin(twap.coin);
    let part = least(size, twap.size - twap.executed);
    const position = this.truth.positionSize(account, twap.coin);
    if (twap.reduceOnly)
      part = position !== 0n && position > 0n === (twap.side === "A") ? least(part, abs(position)) : 0n;
    if (part === 0n) {
      this.mark(twap, "error", "Reduce only order would increase position.");
      return null;
    }
    const price = twap.side === "B" ? this.truth.markets.ask(market) : this.truth.markets.bid(market);
    const order = this.truth.create(account, {
      coin: twap.coin,
      side: twap.side,
      limitPx: price,
      origSz: part,
      sz: part,
      cloid: null,
      reduceOnly: twap.reduceOnly,
      tif: "Ioc",
      trigger: null,
      twapId: twap.id,
    });
    const row = this.truth.fill(account, {
      order,
      market,
      side: twap.side,
      size: part,
      price,
      taker: true,
      twapId: twap.id,
    });
    this.truth.mark(account, order, "filled");
    twap.executed += part;
    twap.notional += mul(price, part);
    twap.history.push({ time: this.truth.now(), status: null, executed: twap.executed, notional: twap.notional });
    this.book.afterPosition(account, market);
    if (twap.executed === twap.size) this.mark(twap, "finished");
    return row;
  }

  finish(twap, status = "finished", description = null) {
    if (twap.status === "activated") this.mark(twap, status, description);
  }

  state(account, twap, asOf) {
    let last = null;
    for (const row of twap.history) if (row.time <= asOf) last = row;
    return {
      coin: twap.coin,
      user: account.address,
      side: twap.side,
      sz: wire(twap.size),
      executedSz: wire(last?.executed ?? 0n),
      executedNtl: wire(last?.notional ?? 0n),
      minutes: twap.minutes,
      reduceOnly: twap.reduceOnly,
      randomize: twap.randomize,
      stopPx: null,
      trigger: null,
      timestamp: twap.timestamp,
    };
  }

  rows(account, asOf) {
    const rows = [];
    for (const twap of account.twaps.values()) {
      for (const row of twap.history) {
        if (row.status === null || row.time > asOf) continue;
        const status =
          row.status === "error" ? { status: "error", description: row.description } : { status: row.status };
        rows.push({
          time: Math.floor(row.time / 1000),
          at: row.time,
          state: this.state(account, twap, row.time),
          status,
          twapId: twap.id,
        });
      }
    }
    return rows.sort((left, right) => right.at - left.at).map(({ at, ...row }) => row);
  }

  states(account, asOf) {
    return [...account.twaps.values()]
      .filter((twap) => twap.timestamp <= asOf && this.statusAt(twap, asOf) === "activated")
      .map((twap) => [twap.id, this.state(account, twap, asOf)]);
  }

  statusAt(twap, asOf) {
    let status = null;
    for (const row of twap.history) if (row.time <= asOf && row.status !== null) status = row.status;
    return status;
  }

  describe(twap) {
    return `${twap.id} ${twap.coin} ${twap.side} ${plain(twap.executed)}/${plain(twap.size)} ${twap.status}`;
  }
}
