// An account that has traded before the gateway came: orders that were filled, page after page, and orders that rest.
import { ONE, parse } from "./figures.mjs";

/** Within the minute before now; each has a moment of its own. */
export function fillPast(truth, { filled, open }) {
  const span = Date.now() - 500 - truth.began;
  const count = filled + open;
  for (let i = 0; i < count; i++) {
    // Several share a moment: a page may end within one.
    const moment = i - (i % 6);
    truth.block = truth.began + 1 + Math.floor((moment * span) / (count + 1));
    truth.changes.push(truth.block);
    if (i < filled) trade(truth, i);
    else rest(truth, i);
  }
  truth.last = truth.block;
  truth.block = null;
}

/** One buys, the next sells: nothing is held at the end of an even number. */
function trade(truth, i) {
  const market = truth.markets.get(["BTC", "ETH"][(i >> 1) % 2]);
  const order = add(truth, market, { buy: i % 2 === 0, limit: truth.mark(market.coin), tif: "FrontendMarket" });
  truth.fill(order, order.size, order.limit, true);
  truth.write(order, "filled");
}

function rest(truth, i) {
  const market = truth.markets.get(["BTC", "ETH", "SOL"][i % 3]);
  const buy = i % 2 === 0;
  const mark = truth.mark(market.coin);
  const away = (mark * BigInt(1000 + (i % 1500))) / 10_000n;
  const limit = ((buy ? mark - away : mark + away) / market.tick) * market.tick;
  truth.write(add(truth, market, { buy, limit, tif: "Gtc" }), "open");
}

function add(truth, market, { buy, limit, tif }) {
  const step = 10n ** BigInt(12 - market.sizes);
  return truth.add({
    coin: market.coin,
    asset: market.asset,
    buy,
    limit,
    size: ((parse("30") * ONE) / limit / step + 1n) * step,
    reduceOnly: false,
    tif,
    trigger: null,
    cloid: null,
    builder: null,
    by: "hand",
  });
}
