// How an order meets the market, and how orders end. The other side is one maker with as much depth as the market says.
import { abs, dec, div, least, mul, ONE, plain, wire } from "./codec.mjs";

export class Book {
  constructor(truth) {
    this.truth = truth;
    this.markets = truth.markets;
    this.metTriggers = "fires"; // or "refused": what a trigger that is met already does
    this.forcedRefusal = null; // (order) => error text or null
  }

  crosses(market, side, price) {
    return side === "B" ? price >= this.markets.ask(market) : price <= this.markets.bid(market);
  }

  /** What is refused before any record is made; null where nothing is. */
  badly(market, spec) {
    if (spec.size === 0n && !(spec.trigger && spec.reduceOnly)) return "Order has zero size.";
    if (spec.size % 10n ** BigInt(8 - market.sizeDecimals) !== 0n) return "Order has invalid size.";
    const reference = market.mid;
    if (
      market.kind === "perp" &&
      (spec.price > mul(reference, dec("1.95")) || spec.price < mul(reference, dec("0.05")))
    )
      return "Order price cannot be more than 95% away from the reference price";
    if (market.kind === "spot" && (spec.price > mul(reference, dec("5")) || spec.price <= mul(reference, dec("0.2"))))
      return "Order price cannot be more than 80% away from the reference price";
    return null;
  }

  /** The refusals that leave a record: [text, status] or null. */
  refusal(account, market, spec) {
    const suffix = ` asset=${this.markets.asset(market)}`;
    const forced = this.forcedRefusal?.(market, spec);
    if (forced) return [forced[0] + suffix, forced[1]];
    if (market.delisted) return [`Trading is halted.${suffix}`, "rejected"];
    if (spec.price % this.markets.tick(market, spec.price) !== 0n && spec.price % ONE !== 0n)
      return [`Price must be divisible by tick size.${suffix}`, "tickRejected"];
    if (market.kind === "spot" && spec.trigger)
      return [`Placing trigger orders is not enabled on spot trading yet.${suffix}`, "rejected"];
    const position = this.truth.positionSize(account, market.coin);
    const reducing = market.kind === "perp" && position !== 0n && position > 0n === (spec.side === "A");
    const whole = spec.reduceOnly && reducing && spec.size >= abs(position);
    if (mul(spec.size, spec.price) < dec("10") && !whole && !(spec.trigger && spec.reduceOnly)) {
      return market.kind === "spot"
        ? [`Order must have minimum value of 10 USDC.${suffix}`, "minTradeNtlRejected"]
        : [`Order must have minimum value of $10.${suffix}`, "minTradeNtlRejected"];
    }
    if (spec.trigger) return this.badTrigger(market, spec, suffix);
    if (spec.reduceOnly && !reducing)
      return [`Reduce only order would increase position.${suffix}`, "reduceOnlyRejected"];
    if (market.kind === "spot") {
      const free = (token) => (account.spot.get(token)?.total ?? 0n) - (this.truth.holds(account).get(token) ?? 0n);
      if (spec.side === "B" ? free(0) < mul(spec.size, spec.price) : free(market.token) < spec.size)
        return [`Insufficient spot balance${suffix}`, "insufficientSpotBalanceRejected"];
    }
    if (spec.tif === "Alo" && this.crosses(market, spec.side, spec.price)) {
      return [
        `Post only order would have immediately matched, bbo was ${plain(this.markets.bid(market))}@${plain(this.markets.ask(market))}.${suffix}`,
        "badAloPxRejected",
      ];
    }
    if (
      (spec.tif === "Ioc" || spec.tif === "FrontendMarket") &&
      (!this.crosses(market, spec.side, spec.price) || market.depth === 0n)
    )
      return [`Order could not immediately match against any resting orders.${suffix}`, "iocCancelRejected"];
    return null;
  }

  badTrigger(market, spec, suffix) {
    const { px, isMarket, tpsl } = spec.trigger;
    if (isMarket && tpsl === "sl" && (spec.side === "A" ? spec.price > px : spec.price < px))
      return [`Invalid TP/SL price.${suffix}`, "badTriggerPxRejected"];
    if (this.metTriggers === "refused" && this.met(market, spec))
      return [`Invalid TP/SL price.${suffix}`, "badTriggerPxRejected"];
    return null;
  }

  met(market, { side, trigger }) {
    const above = (trigger.tpsl === "tp") === (side === "A");
    return above ? market.mid >= trigger.px : market.mid <= trigger.px;
  }

  /** Places; answers the entry of `statuses`, and the order where a record was made. */
  place(account, market, spec, replaces = null) {
    const refused = this.refusal(account, market, spec);
    const order = this.truth.create(account, {
      coin: market.coin,
      side: spec.side,
      limitPx: spec.price,
      origSz: spec.size,
      sz: spec.size,
      cloid: spec.cloid ?? null,
      reduceOnly: spec.reduceOnly,
      tif: spec.trigger ? null : spec.tif,
      trigger: spec.trigger ?? null,
      replaces,
    });
    if (refused) {
      this.truth.mark(account, order, refused[1]);
      return { entry: { error: refused[0] }, order };
    }
    const cloid = order.cloid ? { cloid: order.cloid } : {};
    if (spec.trigger) {
      this.truth.mark(account, order, "open");
      if (this.met(market, spec)) this.fire(account, order);
      return { entry: { resting: { oid: order.oid, ...cloid } }, order };
    }
    if (order.reduceOnly) order.sz = least(order.sz, abs(this.truth.positionSize(account, market.coin)));
    const ioc = order.tif === "Ioc" || order.tif === "FrontendMarket";
    if (!ioc) this.truth.mark(account, order, "open");
    if (this.crosses(market, order.side, order.limitPx)) this.take(account, market, order);
    if (order.filled > 0n && (order.sz === 0n || ioc)) {
      order.sz = 0n;
      this.truth.mark(account, order, "filled");
      this.afterPosition(account, market);
      return {
        entry: {
          filled: {
            totalSz: plain(order.filled),
            avgPx: plain(div(order.notional, order.filled)),
            oid: order.oid,
            ...cloid,
          },
        },
        order,
      };
    }
    this.afterPosition(account, market);
    this.truth.snap(account);
    return { entry: { resting: { oid: order.oid, ...cloid } }, order };
  }

  take(account, market, order) {
    for (const other of this.truth.live(account, market.coin)) {
      if (other.oid === order.oid || (other.trigger && !other.fired) || other.side === order.side) continue;
      if (order.side === "B" ? other.limitPx <= order.limitPx : other.limitPx >= order.limitPx)
        this.end(account, other, "selfTradeCanceled");
    }
    const price = order.side === "B" ? this.markets.ask(market) : this.markets.bid(market);
    const size = market.depth === null ? order.sz : least(order.sz, market.depth);
    if (size === 0n) return;
    // Two executions where it can be halved, so that a fill is not the order.
    const unit = 10n ** BigInt(8 - market.sizeDecimals);
    const first = (size / 2n / unit) * unit;
    for (const part of first > 0n ? [first, size - first] : [size])
      this.truth.fill(account, { order, market, side: order.side, size: part, price, taker: true });
  }

  /** Part of what rests is taken by somebody. */
  hit(account, order, size) {
    const market = this.markets.byCoin(order.coin);
    if (order.status !== "open" || (order.trigger && !order.fired)) return null;
    let part = least(size, order.sz);
    if (order.reduceOnly) part = least(part, abs(this.truth.positionSize(account, order.coin)));
    if (part <= 0n) return null;
    const row = this.truth.fill(account, {
      order,
      market,
      side: order.side,
      size: part,
      price: order.limitPx,
      taker: false,
    });
    this.truth.mark(account, order, order.sz === 0n ? "filled" : "open", order.sz === 0n);
    this.afterPosition(account, market);
    return row;
  }

  end(account, order, status) {
    this.truth.mark(account, order, status);
    this.truth.snap(account);
  }

  /** Resting reduce-only orders shrink with the position, or end with it. */
  afterPosition(account, market) {
    if (market.kind === "spot") return;
    const position = this.truth.positionSize(account, market.coin);
    for (const order of this.truth.live(account, market.coin)) {
      if (!order.reduceOnly || (order.trigger && !order.fired)) continue;
      const room = position !== 0n && position > 0n === (order.side === "A") ? abs(position) : 0n;
      if (room === 0n) this.end(account, order, "reduceOnlyCanceled");
      else if (order.sz > room) {
        order.sz = room;
        this.truth.mark(account, order, "open", false);
      }
    }
  }

  fire(account, order) {
    const market = this.markets.byCoin(order.coin);
    this.truth.mark(account, order, "triggered");
    order.fired = true;
    const position = this.truth.positionSize(account, order.coin);
    const room = !order.reduceOnly
      ? order.sz
      : position !== 0n && position > 0n === (order.side === "A")
        ? abs(position)
        : 0n;
    if (room === 0n) return this.end(account, order, "reduceOnlyRejected");
    order.sz = order.sz === 0n ? room : least(order.sz, room);
    if (this.crosses(market, order.side, order.limitPx) && market.depth !== 0n) this.take(account, market, order);
    if (order.sz === 0n || (order.trigger.isMarket && order.filled > 0n)) {
      order.sz = 0n;
      this.truth.mark(account, order, "filled");
    } else if (order.trigger.isMarket) this.end(account, order, "marketOrderNoLiquidityRejected");
    else this.truth.mark(account, order, "open");
    this.afterPosition(account, market);
  }

  /** The price has moved: what it met is filled, what it has touched fires. */
  sweep(coin) {
    const market = this.markets.byCoin(coin);
    for (const account of this.truth.accounts.values()) {
      for (const order of this.truth.live(account, coin)) {
        if (order.status !== "open") continue;
        if (order.trigger && !order.fired) {
          if (this.met(market, order)) this.fire(account, order);
        } else if (order.side === "B" ? market.mid < order.limitPx : market.mid > order.limitPx)
          this.hit(account, order, order.sz);
      }
      this.truth.snap(account);
    }
  }

  /** Cancels; answers the entry of `statuses`. */
  cancel(account, market, order) {
    if (!order || order.coin !== market?.coin || !["open", "triggered"].includes(order.status)) {
      return {
        error: `Order was never placed, already canceled, or filled. asset=${market ? this.markets.asset(market) : "?"}`,
      };
    }
    this.end(account, order, "canceled");
    return "success";
  }

  /** Somebody else, or the exchange, takes the position away. */
  closeOutside(account, coin, { fraction = ONE, liquidation = false, direction = null } = {}) {
    const market = this.markets.byCoin(coin);
    const position = this.truth.positionSize(account, coin);
    if (position === 0n) return null;
    if (liquidation) for (const order of this.truth.live(account, coin)) this.end(account, order, "liquidatedCanceled");
    const unit = 10n ** BigInt(8 - market.sizeDecimals);
    const size = fraction === ONE ? abs(position) : (mul(abs(position), fraction) / unit) * unit;
    const side = position > 0n ? "A" : "B";
    const order =
      liquidation || direction
        ? null
        : this.truth.create(account, {
            coin,
            side,
            limitPx: market.mid,
            origSz: size,
            sz: size,
            cloid: null,
            reduceOnly: true,
            tif: "Ioc",
            trigger: null,
          });
    const row = this.truth.fill(account, {
      order,
      market,
      side,
      size,
      price: side === "A" ? this.markets.bid(market) : this.markets.ask(market),
      taker: true,
      direction,
      oid: order ? null : this.truth.nextOid++,
      liquidation: liquidation ? { liquidatedUser: account.address, markPx: wire(market.mid), method: "market" } : null,
    });
    if (order) this.truth.mark(account, order, "filled");
    this.afterPosition(account, market);
    return row;
  }
}
