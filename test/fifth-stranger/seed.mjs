// A round drawn from a number: wishes, fates, deaths, moves of the market, and what the exchange does by itself.
import { dec } from "./codec.mjs";
import { scenes } from "./scenes.mjs";
import { sleep } from "./world.mjs";

/** mulberry32 */
export function randomOf(number) {
  let state = (number * 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const FATES = [
  "done:reset",
  "never:reset",
  "done:half",
  "done:garbage",
  "done:html",
  "never:html",
  "done:null",
  "done:other",
  "done:429",
  "never:429",
  "done:500",
  "slow:3000",
  "slow:9000",
  "late:reset:2000",
  "late:429:6000",
];
const MARKETS = {
  BTC: [60000, 3, 5, 0],
  ETH: [3000, 2, 4, 1],
  SOL: [150, 1, 2, 2],
  "xyz:TSLA": [400, 1, 3, 2],
  "@107": [40, 1, 2, 3],
  "@142": [60000, 3, 5, 0],
  "PURR/USDC": [0.2, -2, 0, 4],
};
const WORDS = [
  "marginCanceled",
  "selfTradeCanceled",
  "scheduledCancel",
  "openInterestCapCanceled",
  "aNewWordCanceled",
  "canceled",
];

class Round {
  constructor(world, number) {
    Object.assign(this, { world, number, random: randomOf(number) });
    this.count = 0;
    this.ids = [];
    this.trades = [];
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  /** A size that only this wish has. */
  size(market) {
    const [, digits, decimals] = MARKETS[market];
    const unit = 10 ** -decimals;
    const base = digits < 0 ? 300 : 10 ** -digits * 5;
    return (base + ++this.count * unit).toFixed(decimals);
  }

  price(market, factor) {
    const [, , , decimals] = MARKETS[market];
    const mid = Number(this.world.exchange.markets.byCoin(market).mid) / 1e8;
    return String(Number(Number((mid * factor).toPrecision(4)).toFixed(decimals)));
  }

  order() {
    const market = this.pick(Object.keys(MARKETS));
    const side = this.pick(["buy", "sell"]);
    const kind = this.pick(["rest", "rest", "cross", "ioc", "alo", "stop"]);
    const away = side === "buy" ? 0.96 - this.random() * 0.05 : 1.04 + this.random() * 0.05;
    const through = side === "buy" ? 1.02 : 0.98;
    if (kind === "stop" && !/[@/]/.test(market)) {
      const sells = side === "sell";
      return {
        market,
        side,
        size: this.size(market),
        price: this.price(market, sells ? 0.8 : 1.2),
        reduce_only: this.random() < 0.7,
        trigger: { kind: "stop_loss", market: true, price: this.price(market, sells ? 0.93 : 1.07) },
      };
    }
    const extra = kind === "ioc" ? { time_in_force: "ioc" } : kind === "alo" ? { time_in_force: "alo" } : {};
    return {
      market,
      side,
      size: this.size(market),
      price: this.price(market, kind === "cross" || kind === "ioc" ? through : away),
      ...extra,
    };
  }

  async wish() {
    const { client, gateway } = this.world;
    const account = gateway.account;
    const dice = this.random();
    const id = this.ids.length > 0 ? this.pick(this.ids) : null;
    let row;
    if (dice < 0.45 || id === null) row = await client.write("/v1/orders", { account, ...this.order() });
    else if (dice < 0.6)
      row = await client.write(`/v1/orders/${id.id}/modify`, {
        price: this.price(id.market, id.side === "buy" ? 0.9 + this.random() * 0.12 : 0.98 + this.random() * 0.12),
        ...(this.random() < 0.4 ? { always_place: true } : {}),
      });
    else if (dice < 0.7) row = await client.write(`/v1/orders/${id.id}/cancel`, {});
    else if (dice < 0.75)
      row = await client.write("/v1/twaps", {
        market: "SOL",
        side: "buy",
        size: `${10 + ++this.count}`,
        duration_minutes: 30,
      });
    else if (dice < 0.79)
      row = await client.write("/v1/leverage", {
        market: this.pick(["ETH", "DOGE"]),
        leverage: 1 + Math.floor(this.random() * 9),
        margin_type: "cross",
      });
    else if (dice < 0.83)
      row = await client.write("/v1/positions/close", { account, market: this.pick(["BTC", "ETH", "xyz:TSLA"]) });
    else if (dice < 0.87)
      row = await client.write("/v1/orders/batch", {
        account,
        orders: [this.order(), this.order()].map((order) => ({ ...order, market: order.market })),
      });
    else if (dice < 0.9)
      row = await client.write("/v1/orders/market", {
        account,
        market: "ETH",
        side: this.pick(["buy", "sell"]),
        size: this.size("ETH"),
      });
    else if (dice < 0.94 && client.wants.size > 0) row = await client.repeat(this.pick([...client.wants.keys()]));
    else
      row = await client.get(
        this.pick(["/v1/orders?status=open", "/v1/positions", "/v1/account", "/v1/twaps", "/v1/fills", "/v1/orders"]),
      );
    for (const order of [row.body, ...(Array.isArray(row.body?.data) ? row.body.data : [])])
      if (order?.object === "order" && !this.ids.some((one) => one.id === order.id) && order.market in MARKETS)
        this.ids.push({ id: order.id, market: order.market, side: order.side });
  }

  /** What happens at the exchange without anybody's asking here. */
  event() {
    const { exchange, account } = this.world;
    const live = exchange.truth.live(account);
    const dice = this.random();
    if (dice < 0.45 && live.length > 0) {
      const order = this.pick(live);
      const unit = 10n ** BigInt(8 - exchange.markets.byCoin(order.coin).sizeDecimals);
      const half = (order.sz / 2n / unit) * unit;
      exchange.book.hit(account, order, this.random() < 0.5 || half === 0n ? order.sz : half);
    } else if (dice < 0.55 && live.length > 0) exchange.book.end(account, this.pick(live), this.pick(WORDS));
    else if (dice < 0.65) {
      const coin = this.pick(Object.keys(MARKETS));
      exchange.markets.move(coin, this.pick(["0.98", "0.995", "1.005", "1.02"]));
      exchange.book.sweep(coin);
    } else if (dice < 0.75)
      exchange.book.closeOutside(
        account,
        this.pick(["BTC", "ETH", "xyz:TSLA"]),
        this.pick([{}, { fraction: dec("0.5") }, { liquidation: true, direction: "Liquidated Cross Long" }]),
      );
    else
      for (const twap of exchange.twaps.running(account))
        this.random() < 0.1
          ? exchange.twaps.finish(twap, "terminated")
          : exchange.twaps.slice(account, twap, dec("0.7"));
  }

  fates() {
    const { exchange } = this.world;
    const share = [0.15, 0.35, 0.6][this.number % 3];
    exchange.fate = () => (this.random() < share ? this.pick(FATES) : "well");
    exchange.infoFate = () =>
      this.random() < share / 5
        ? this.pick(["never:reset", "never:html", "never:garbage", "never:429", "never:empty"])
        : "well";
    if (this.number % 2) {
      const most = this.pick([1000, 3000, 6000]);
      exchange.lag.most = {
        order: most,
        open: most,
        history: most,
        fills: most,
        state: most,
        spot: most,
        twap: most,
        leverage: most,
      };
      if (this.random() < 0.5) exchange.lag.fixed = { ws: this.pick([0, 1500, 4000]) };
    }
    if (this.number % 5 === 0) exchange.feeds.open = false;
  }

  async play() {
    const { world } = this;
    this.fates();
    const until = Date.now() + 22_000;
    const wishes = async () => {
      while (Date.now() < until) {
        await this.wish();
        await sleep(this.random() * 500);
      }
    };
    const events = async () => {
      while (Date.now() < until) {
        await sleep(200 + this.random() * 800);
        this.event();
        if (this.random() < 0.05) world.exchange.feeds.cut();
      }
    };
    const deaths = async () => {
      for (let left = [0, 1, 2][this.number % 3]; left > 0; left--) {
        await sleep(5000 + this.random() * 3000);
        await world.gateway.restart();
      }
    };
    await Promise.all([wishes(), wishes(), events(), deaths()]);
    if (this.number % 4 === 3) await scenes.restored.move(world);
  }
}

export function seed(number) {
  const random = randomOf(number ^ 0x5eed);
  const environment = number % 2 ? { POSTERN_EXCHANGE_WEIGHT: "0" } : {};
  return [(world) => new Round(world, number).play(), { random, environment, grace: 12_000 }];
}
