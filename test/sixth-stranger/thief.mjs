// Who holds a bot's key and wants more than its rails give.
import { MARKETS } from "./markets.mjs";

const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const unit = (m) => 10 ** m.decimals;

export class Thief {
  constructor(world, bot, keys, taste = {}) {
    Object.assign(this, { world, bot, keys, taste, orders: [], trades: [], isOver: false });
    this.draw = world.draw;
  }

  key() {
    return this.draw.pick(this.keys).key;
  }

  market() {
    const name = this.draw.pick(this.taste.markets ?? ["BTC", "ETH"]);
    return MARKETS.find((m) => m.name === name);
  }

  size(market, usd) {
    return String(Math.max(1, Math.floor((usd / this.world.chain.mids[market.name]) * unit(market))) / unit(market));
  }

  price(market, factor) {
    const px = this.world.chain.mids[market.name] * factor;
    return String(Number(px.toPrecision(px > 10_000 ? 5 : 4)));
  }

  async loop() {
    while (!this.isOver) {
      const act = this.draw.pick(
        this.taste.acts ?? [
          "place",
          "place",
          "ioc",
          "marketOrder",
          "modify",
          "modify",
          "cancel",
          "batch",
          "twap",
          "trade",
          "close",
          "reduce",
          "trigger",
          "pair",
          "cancelAll",
          "tradeEnd",
        ],
      );
      const work = Promise.resolve(this[act]()).catch((error) => this.world.faults.push(`${act}: ${error.stack}`));
      if (this.draw.chance(0.6)) await work;
      await wait(this.draw.between(50, this.taste.pause ?? 700));
    }
  }

  async write(path, body) {
    const answer = await this.world.client.write(path, body, this.key());
    if (answer.status < 300 && answer.body.object === "order") this.orders.push(answer.body.id);
    if (answer.status < 300 && answer.body.object === "trade") this.trades.push(answer.body.id);
    return answer;
  }

  wish(usd = this.draw.between(100, 700)) {
    const market = this.market();
    const side = this.draw.chance(this.taste.buys ?? 0.6) ? "buy" : "sell";
    const away = this.draw.between(-0.004, 0.003);
    return {
      market: market.name,
      side,
      size: this.size(market, usd),
      price: this.price(market, side === "buy" ? 1 + away : 1 - away),
    };
  }

  place() {
    return this.write("/v1/orders", {
      account: this.world.account,
      ...this.wish(),
      time_in_force: this.draw.pick(["gtc", "gtc", "alo"]),
    });
  }

  ioc() {
    const market = this.market();
    const side = this.draw.chance(this.taste.buys ?? 0.6) ? "buy" : "sell";
    return this.write("/v1/orders", {
      account: this.world.account,
      market: market.name,
      side,
      size: this.size(market, this.draw.between(100, 600)),
      price: this.price(market, side === "buy" ? 1.01 : 0.99),
      time_in_force: "ioc",
    });
  }

  /** Several at once, so that they race for what is left. */
  pair() {
    const wish = { account: this.world.account, ...this.wish(480) };
    return Promise.all([1, 2, 3].map(() => this.write("/v1/orders", wish)));
  }

  reduce() {
    const market = this.market();
    const net = this.world.chain.net(market.name);
    const side = net > 0 ? "sell" : "buy";
    const body = {
      account: this.world.account,
      market: market.name,
      side,
      size: this.size(market, this.draw.between(50, 900)),
      price: this.price(market, side === "buy" ? this.draw.between(0.997, 1.01) : this.draw.between(0.99, 1.003)),
      reduce_only: true,
    };
    return this.write("/v1/orders", body);
  }

  trigger() {
    const market = this.market();
    const side = this.draw.pick(["buy", "sell"]);
    const at = side === "buy" ? this.draw.between(1.0005, 1.01) : this.draw.between(0.99, 0.9995);
    const worst = side === "buy" ? at * 1.01 : at * 0.99;
    const isProtective = this.draw.chance(0.5);
    return this.write("/v1/orders", {
      account: this.world.account,
      market: market.name,
      side,
      size: this.size(market, this.draw.between(100, 480)),
      price: this.price(market, worst),
      reduce_only: isProtective,
      trigger: { price: this.price(market, at), kind: "stop_loss", market: true },
    });
  }

  batch() {
    const orders = [1, 2, 3].map(() => this.wish(this.draw.between(50, 490)));
    return this.write("/v1/orders/batch", { account: this.world.account, orders });
  }

  async modify() {
    const id = this.draw.pick(this.orders.slice(-8));
    if (!id) return;
    const market = this.market();
    const body = {
      price: this.price(market, this.draw.between(0.995, 1.005)),
      ...(this.draw.chance(0.6) ? { size: this.size(market, this.draw.between(50, 500)) } : {}),
      ...(this.draw.chance(0.4) ? { always_place: true } : {}),
    };
    return this.write(`/v1/orders/${id}/modify`, body);
  }

  async cancel() {
    const id = this.draw.pick(this.orders.slice(-6));
    if (id) return this.write(`/v1/orders/${id}/cancel`, {});
  }

  async twap() {
    const market = this.market();
    return this.write("/v1/twaps", {
      market: market.name,
      side: this.draw.pick(["buy", "sell"]),
      size: this.size(market, this.draw.between(120, 480)),
      duration_minutes: 5,
      reduce_only: this.draw.chance(0.2),
    });
  }

  async twapEnd() {
    const twap = this.draw.pick(this.world.chain.twaps);
    if (twap) return this.write("/v1/twaps/cancel", { market: twap.coin, twap_id: twap.twapId });
  }

  trade() {
    const market = this.market();
    const side = this.draw.chance(this.taste.buys ?? 0.6) ? "buy" : "sell";
    const way = side === "buy" ? 1 : -1;
    const body = {
      account: this.world.account,
      market: market.name,
      side,
      size: this.size(market, this.draw.between(100, 480)),
      entry: {
        price: this.price(market, 1 + way * this.draw.between(-0.003, 0.004)),
        ...(this.draw.chance(0.3) ? { time_in_force: "ioc" } : {}),
      },
      stop_loss: { trigger_price: this.price(market, 1 - way * this.draw.between(0.003, 0.02)) },
    };
    if (this.draw.chance(0.6))
      body.take_profit = { trigger_price: this.price(market, 1 + way * this.draw.between(0.005, 0.02)) };
    return this.write("/v1/trades", body);
  }

  async tradeEnd() {
    const id = this.draw.pick(this.trades.slice(-4));
    if (id) return this.write(`/v1/trades/${id}/cancel`, {});
  }

  async tradeMove() {
    const id = this.draw.pick(this.trades.slice(-4));
    if (!id) return;
    const market = this.market();
    return this.write(`/v1/trades/${id}/modify`, {
      stop_loss: {
        trigger_price: this.price(
          market,
          this.draw.chance(0.7) ? this.draw.between(0.985, 0.997) : this.draw.between(1.003, 1.015),
        ),
      },
    });
  }

  close() {
    const market = this.market();
    return this.write("/v1/positions/close", {
      account: this.world.account,
      market: market.name,
      ...(this.draw.chance(0.5) ? { fraction: "0.5" } : {}),
    });
  }

  cancelAll() {
    return this.write("/v1/orders/cancel-all", { account: this.world.account, keep_protection: this.draw.chance(0.8) });
  }
}

Thief.prototype.marketOrder = function marketOrder() {
  const market = this.market();
  return this.write("/v1/orders/market", {
    account: this.world.account,
    market: market.name,
    side: this.draw.chance(this.taste.buys ?? 0.6) ? "buy" : "sell",
    size: this.size(market, this.draw.between(50, 600)),
  });
};
