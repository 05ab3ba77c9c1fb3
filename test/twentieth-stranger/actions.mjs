// What a signed action does to the state, and what the exchange answers to it.

import { least, ONE, parse, show } from "./figures.mjs";
import { at } from "./truth.mjs";

const WORDS = [
  "The tide is out",
  "Order held at customs.",
  "Quota of the moon phase is exceeded",
  "Engine busy, come back",
  "Not in this epoch",
];
const never = (asset) => ({ error: `Order was never placed, already canceled, or filled. asset=${asset}` });
const ok = (type, statuses) => ({ status: "ok", response: { type, data: { statuses } } });
const done = { status: "ok", response: { type: "default" } };

export class Actions {
  constructor(truth, world, draw, limits) {
    Object.assign(this, { truth, world, draw, limits, nonces: new Set(), haltUntil: 0 });
  }

  /** Carries out a signed action; `request` is the envelope. Nonces are burnt by whatever was looked at. */
  run(request) {
    const { action, nonce, expiresAfter } = request;
    if (this.nonces.has(nonce)) return { status: "err", response: `Invalid nonce: duplicate nonce ${nonce}` };
    const tooLow = this.limits.tooLow(nonce);
    if (tooLow !== null) return { status: "err", response: tooLow };
    const exhausted = this.limits.exhausted(action);
    if (exhausted !== null) {
      if (this.world.exhaustedBurns) this.nonces.add(nonce);
      return { status: "err", response: exhausted };
    }
    this.nonces.add(nonce);
    const entry = { t: this.truth.now(), nonce, action, answer: null, expired: false };
    this.truth.actions.push(entry);
    if (expiresAfter != null && Date.now() > expiresAfter) {
      entry.expired = true;
      entry.answer = { status: "err", response: "Action already expired" };
    } else entry.answer = this.truth.inBlock(() => this.carryOut(action, entry));
    return entry.answer;
  }

  carryOut(action, entry) {
    switch (action.type) {
      case "noop":
        return done;
      case "order":
        return ok(
          "order",
          action.orders.map((order) => this.place(order, entry, action.builder)),
        );
      case "cancel":
        return ok(
          "cancel",
          action.cancels.map(({ a, o }) => this.cancel(a, this.truth.orders.get(o))),
        );
      case "cancelByCloid":
        return ok(
          "cancel",
          action.cancels.map(({ asset, cloid }) => this.cancel(asset, this.truth.byCloid.get(cloid)?.at(-1))),
        );
      case "batchModify":
        return ok(
          "order",
          action.modifies.map((modify) => this.modify(modify, action.a === true, entry)),
        );
      case "updateLeverage":
        return this.leverage(action);
      case "updateIsolatedMargin":
        return this.margin(action);
      case "twapOrder":
        return { status: "ok", response: { type: "twapOrder", data: { status: this.twap(action.twap, entry) } } };
      case "twapCancel":
        return { status: "ok", response: { type: "twapCancel", data: { status: this.twapCancel(action) } } };
      default:
        return { status: "err", response: `not modelled: ${action.type}` };
    }
  }

  market(asset) {
    return [...this.truth.markets.values()].find((market) => market.asset === asset);
  }

  place(wanted, entry, builder, modified) {
    const market = this.market(wanted.a);
    const order = this.truth.add({
      coin: market.coin,
      asset: wanted.a,
      buy: wanted.b,
      limit: parse(wanted.p),
      size: parse(wanted.s),
      reduceOnly: wanted.r,
      tif: wanted.t.limit?.tif ?? null,
      trigger: wanted.t.trigger
        ? { price: parse(wanted.t.trigger.triggerPx), market: wanted.t.trigger.isMarket, kind: wanted.t.trigger.tpsl }
        : null,
      cloid: wanted.c?.toLowerCase() ?? null,
      builder: modified ?? builder ?? null,
      by: "gateway",
      nonce: entry.nonce,
    });
    const refused = this.refusal(order, market);
    if (refused !== null) {
      if (refused.status === null) {
        this.truth.orders.delete(order.oid);
        this.truth.byCloid.get(order.cloid)?.pop();
        order.refusedWithoutRecord = true;
      } else this.truth.write(order, refused.status, "refused");
      order.error = refused.text;
      return { error: `${refused.text}${refused.bare ? "" : ` asset=${wanted.a}`}` };
    }
    const atOnce = order.tif === "Ioc" || order.tif === "FrontendMarket";
    if (!atOnce) this.truth.write(order, "open");
    const answer = (kind, more) => ({
      [kind]: { ...more, oid: order.oid, ...(order.cloid ? { cloid: order.cloid } : {}) },
    });
    if (order.trigger) return answer("resting", {});
    const filled = this.cross(order);
    if (order.left === 0n) this.truth.write(order, "filled");
    else if (atOnce) {
      if (filled === 0n) {
        this.truth.write(order, "iocCancelRejected", "refused");
        return { error: `Order could not immediately match against any resting orders. asset=${wanted.a}` };
      }
      this.truth.write(order, "filled");
    } else if (order.reduceOnly && this.truth.most(order) === 0n) {
      this.truth.write(order, filled > 0n ? "filled" : "reduceOnlyCanceled", "rule");
    }
    if (filled > 0n && !this.truth.isLive(order)) {
      const worth = order.fills.reduce((sum, f) => sum + f.size * f.price, 0n);
      return answer("filled", { totalSz: show(filled), avgPx: show(worth / filled) });
    }
    return answer("resting", {});
  }

  refusal(order, market) {
    const { draw, truth } = this;
    if (draw.chance(this.world.strange / 2))
      return {
        text: draw.of(WORDS),
        status: draw.of(["moonRejected", "customsRejected", null]),
        bare: draw.chance(0.5),
      };
    if (Date.now() < this.haltUntil && order.tif !== "Alo")
      return { text: "Only post-only orders allowed immediately after a network upgrade", status: null, bare: true };
    if (this.limits.full(order))
      return { text: "Too many open orders", status: "tooManyOpenOrdersRejected", bare: true };
    const worth = (order.size * (order.trigger ? order.trigger.price : order.limit)) / ONE;
    if (!order.reduceOnly && worth < parse("10"))
      return { text: "Order must have minimum value of $10.", status: "minTradeNtlRejected" };
    const { bid, ask } = truth.best(order.coin);
    if (order.tif === "Alo" && (order.buy ? order.limit >= ask : order.limit <= bid))
      return {
        text: `Post only order would have immediately matched, bbo was ${show(bid)}@${show(ask)}.`,
        status: "badAloPxRejected",
      };
    if (order.reduceOnly && !order.trigger && truth.most(order) === 0n)
      return { text: "Reduce only order would increase position.", status: "reduceOnlyRejected" };
    if (
      market.spot &&
      !order.buy &&
      at(truth.tokens.get(market.base), Infinity).total -
        truth.hold(market.base, Infinity) +
        (truth.isLive(order) ? order.size : 0n) <
        order.size
    )
      return { text: "Insufficient spot balance", status: "insufficientSpotBalanceRejected" };
    return null;
  }

  /** Takes what stands on the other side; now and then only a part is there. */
  cross(order) {
    const { bid, ask } = this.truth.best(order.coin);
    const price = order.buy ? ask : bid;
    if (order.buy ? order.limit < price : order.limit > price) return 0n;
    const most = this.truth.most(order);
    let amount = most;
    if (this.draw.chance(0.25)) amount = this.part(order.coin, most);
    if (amount === 0n) return 0n;
    const two = this.draw.chance(0.2) ? this.part(order.coin, amount) : 0n;
    if (two > 0n && two < amount) this.truth.fill(order, two, price, true);
    this.truth.fill(order, two > 0n && two < amount ? amount - two : amount, price, true);
    return amount;
  }

  /** A drawn part, in whole steps of the market. */
  part(coin, amount) {
    const step = 10n ** BigInt(12 - this.truth.markets.get(coin).sizes);
    const steps = amount / step;
    if (steps < 2n) return amount;
    return ((steps * BigInt(this.draw.whole(20, 80))) / 100n || 1n) * step;
  }

  cancel(asset, order) {
    if (order === undefined || order.asset !== asset || !this.truth.isLive(order)) return never(asset);
    this.truth.write(order, "canceled", "cancel");
    return "success";
  }

  modify({ oid, order: wanted }, always, entry) {
    const target = typeof oid === "string" ? this.truth.byCloid.get(oid)?.at(-1) : this.truth.orders.get(oid);
    const live = target !== undefined && this.truth.isLive(target);
    if (!live && !always) return { error: "Cannot modify canceled or filled order" };
    if (!always && (wanted.t.trigger || wanted.t.limit.tif === "Ioc"))
      return { error: "Attempted to modify to invalid new order" };
    if (live && (target.asset !== wanted.a || target.buy !== wanted.b))
      return { error: "Attempted to modify to invalid new order" };
    if (live) this.truth.write(target, "canceled", "modify");
    const next = always || wanted.t.trigger ? wanted : { ...wanted, t: { limit: { tif: "Alo" } } };
    return this.place(next, entry, null, target?.builder);
  }

  leverage({ asset, isCross, leverage }) {
    const market = this.market(asset);
    const type = isCross ? "cross" : "isolated";
    if (leverage < 1 || leverage > market.maxLeverage) return { status: "err", response: "Invalid leverage value" };
    const now = at(market.leverages, Infinity);
    if (this.truth.position(market.coin).szi !== 0n && now.type !== type)
      return { status: "err", response: "Cannot switch leverage type with open position." };
    market.leverages.push({ t: this.truth.now(), type, value: leverage });
    this.truth.emit("account");
    return done;
  }

  margin({ asset, ntli }) {
    const market = this.market(asset);
    const position = this.truth.position(market.coin);
    if (position.szi === 0n) return { status: "err", response: "Cannot update margin for empty position." };
    if (at(market.leverages, Infinity).type === "cross")
      return { status: "err", response: "Position does not use isolated margin." };
    const margin = position.margin + BigInt(ntli) * 1_000_000n;
    const value = ((position.szi < 0n ? -position.szi : position.szi) * this.truth.mark(market.coin)) / ONE;
    if (ntli < 0 && margin < value / BigInt(at(market.leverages, Infinity).value))
      return { status: "err", response: "Position does not have sufficient margin for reduction." };
    market.positions.push({ ...position, t: this.truth.now(), margin });
    this.truth.emit("account");
    return done;
  }

  twap({ a, b, s, r, m, t }, entry) {
    const market = this.market(a);
    const size = parse(s);
    if ((size * this.truth.mark(market.coin)) / ONE < parse("100"))
      return { error: "TWAP order value too small. Min is $100." };
    const { szi } = this.truth.position(market.coin);
    if (r && (b ? szi >= 0n : szi <= 0n)) return { error: "Reduce-only TWAP order would increase position." };
    const twap = {
      id: 900_000 + this.truth.twaps.length,
      coin: market.coin,
      buy: b,
      size,
      reduceOnly: r,
      minutes: m,
      randomize: t,
      t: this.truth.now(),
      executed: 0n,
      worth: 0n,
      fills: [],
      nonce: entry.nonce,
      versions: [],
    };
    this.truth.twaps.push(twap);
    this.writeTwap(twap, "activated");
    return { running: { twapId: twap.id } };
  }

  writeTwap(twap, status) {
    twap.versions.push({ t: this.truth.now(), status, executed: twap.executed, worth: twap.worth });
    this.truth.emit("twap", twap);
  }

  twapCancel({ t }) {
    const twap = this.truth.twaps.find((x) => x.id === t);
    if (twap === undefined || twap.versions.at(-1).status !== "activated")
      return { error: "TWAP was never placed, already canceled, or filled." };
    this.writeTwap(twap, "terminated");
    return "success";
  }

  /** One slice: an order of its own, executed at once. */
  slice(twap) {
    const { bid, ask } = this.truth.best(twap.coin);
    const price = twap.buy ? ask : bid;
    const order = this.truth.add({
      coin: twap.coin,
      asset: this.truth.markets.get(twap.coin).asset,
      buy: twap.buy,
      limit: price,
      size: this.part(twap.coin, twap.size - twap.executed),
      reduceOnly: twap.reduceOnly,
      tif: "Ioc",
      trigger: null,
      cloid: null,
      by: "twap",
      slice: true,
    });
    const amount = this.truth.most(order);
    this.truth.orders.delete(order.oid);
    if (amount === 0n) return;
    this.truth.orders.set(order.oid, order);
    const fill = this.truth.fill(order, amount, price, true, { twapId: twap.id });
    twap.fills.push(fill);
    twap.executed += amount;
    twap.worth += (amount * price) / ONE;
    this.truth.write(order, "filled");
    this.writeTwap(twap, twap.executed === twap.size ? "finished" : "activated");
  }

  /** A trigger whose price the mark has come to. */
  fire(order) {
    this.truth.write(order, "triggered");
    const limited = this.truth.most(order);
    if (limited === 0n)
      return this.truth.write(
        order,
        order.reduceOnly ? "reduceOnlyRejected" : "marketOrderNoLiquidityRejected",
        "rule",
      );
    const filled = this.cross(order);
    if (order.left === 0n || (filled > 0n && (order.trigger.market || order.reduceOnly)))
      return this.truth.write(order, "filled");
    if (order.trigger.market) return this.truth.write(order, "marketOrderNoLiquidityRejected", "rule");
    order.fired = true;
    return this.truth.write(order, "open");
  }

  /** Somebody takes a resting order, or a part of it. */
  take(order) {
    const most = this.truth.most(order);
    if (most === 0n) return;
    const amount = this.draw.chance(0.5) ? most : this.part(order.coin, most);
    this.truth.fill(order, least(amount, most), order.limit, false);
    if (order.left === 0n) this.truth.write(order, "filled");
    else if (order.reduceOnly && this.truth.most(order) === 0n) this.truth.write(order, "reduceOnlyCanceled", "rule");
    else {
      // A resting order keeps the record that it had: its `sz` is of its last change of status.
      order.versions.push({ ...this.truth.state(order), t: this.truth.now(), left: order.left, part: true });
      this.truth.emit("part", order);
    }
  }
}
