// What happens by itself: prices, resting orders that are met, triggers, slices of TWAPs, liquidation, funding.

import { figure, round8, usd } from "./codec.mjs";
import { MARKETS } from "./markets.mjs";

export function tick(chain) {
  const t = Date.now();
  if (chain.walk)
    for (const m of MARKETS)
      setMid(chain, m.name, chain.mids[m.name] * (1 + chain.draw.between(-chain.walk, chain.walk)));
  for (const o of chain.living()) {
    if (o.trigger && !o.isResting) {
      if (chain.isMet(o)) {
        chain.fire(o, t);
        chain.snapshot(t);
      }
    } else if (chain.crosses(o)) meetMarket(chain, o, t);
  }
  for (const twap of chain.twaps) if (chain.twapStatus(twap) === "activated" && t >= twap.next) slice(chain, twap, t);
}

export function setMid(chain, coin, price) {
  chain.mids[coin] = Number(price.toPrecision(5));
}

function meetMarket(chain, o, t) {
  if (o.fillAfter && t < o.fillAfter) return;
  const room = o.r ? Math.min(o.sz, Math.abs(chain.net(o.coin))) : o.sz;
  let size = room;
  if (!o.fillAfter && chain.draw.chance(chain.partial))
    size = chain.cut(room * chain.draw.between(0.2, 0.8), o.coin) || room;
  o.fillAfter = t + chain.draw.between(300, 4000);
  chain.fill(o, size, o.px, { isTaker: false, t });
  if (o.sz === 0 || (o.r && chain.net(o.coin) === 0)) chain.mark(o, "filled", t);
  else o.versions.push({ t, status: o.status, sz: o.sz, snap: o.snapshotSize, isOpen: true });
  chain.snapshot(t);
}

function slice(chain, twap, t) {
  const rest = round8(twap.sz - twap.executed);
  let size = Math.min(rest, chain.cut(twap.sz / twap.slices, twap.coin) || rest);
  if (twap.r) {
    const net = chain.net(twap.coin);
    if (twap.side === "B" ? net >= 0 : net <= 0) return chain.endTwap(twap, "finished", t);
    size = Math.min(size, Math.abs(net));
  }
  const order = {
    oid: chain.nextOid++,
    cloid: null,
    coin: twap.coin,
    a: MARKETS.find((m) => m.name === twap.coin).a,
    side: twap.side,
    px: chain.touch({ side: twap.side, coin: twap.coin }),
    sz: size,
    origSz: size,
    r: twap.r,
    tif: "Ioc",
    trigger: null,
    ts: t,
    status: "",
    versions: [],
    isSlice: true,
    twapId: twap.twapId,
  };
  chain.orders.set(order.oid, order);
  const price = order.px;
  chain.fill(order, size, price, { isTaker: true, t });
  chain.mark(order, "filled", t);
  twap.executed = round8(twap.executed + size);
  twap.ntl += size * price;
  twap.next = t + twap.every;
  if (twap.executed >= twap.sz) chain.endTwap(twap, "finished", t);
  else chain.endTwap(twap, "activated", t);
  chain.snapshot(t);
}

/** The exchange closes a position by itself. */
export function liquidate(chain, coin) {
  const t = Date.now();
  const net = chain.net(coin);
  if (net === 0) return;
  for (const o of chain.living(coin)) chain.mark(o, "liquidatedCanceled", t);
  const side = net > 0 ? "A" : "B";
  const order = {
    oid: chain.nextOid++,
    cloid: null,
    coin,
    a: MARKETS.find((m) => m.name === coin).a,
    side,
    px: chain.mids[coin],
    sz: Math.abs(net),
    origSz: Math.abs(net),
    r: true,
    tif: "LiquidationMarket",
    trigger: null,
    ts: t,
    status: "",
    versions: [],
    liquidation: { liquidatedUser: chain.owner, markPx: figure(chain.mids[coin]), method: "market" },
  };
  chain.orders.set(order.oid, order);
  chain.fill(order, order.sz, chain.mids[coin], { isTaker: true, t });
  chain.mark(order, "filled", t);
}

/** What somebody does by hand on the exchange's own page. */
export function byHand(chain, wish) {
  const t = Date.now();
  const reply = chain.place({ c: undefined, ...wish }, t, null);
  chain.snapshot(t);
  return reply;
}

export function payFunding(chain, coin, rate) {
  const t = Date.now();
  const szi = chain.net(coin);
  if (szi === 0) return;
  const cost = round8(szi * chain.mids[coin] * rate);
  chain.cash = round8(chain.cash - cost);
  chain.funding.push({
    time: t,
    hash: `0x${"0".repeat(64)}`,
    delta: { type: "funding", coin, usdc: usd(-cost), szi: figure(szi), fundingRate: figure(rate), nSamples: null },
  });
  chain.snapshot(t);
}
