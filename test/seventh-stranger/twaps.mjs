// Native TWAPs: slices of an order over time, each with a number of its own. Slices come faster here than at the exchange.
import { abs, cut, min, mul, num, text } from "./codec.mjs";
import { isWhole, levels, onGrid } from "./markets.mjs";
import { snapshot } from "./snapshots.mjs";

export const GONE = "TWAP was never placed, already canceled, or filled.";

export function startTwap(chain, account, wire) {
  const market = chain.lists.asset(wire.a);
  if (market?.kind !== "perp" || !isWhole(market, num(wire.s))) return { error: "Order has invalid size." };
  if (wire.m < 5 || wire.m > 10080) return { error: `Invalid TWAP duration: ${wire.m} min(s)` };
  const size = num(wire.s);
  if (mul(size, market.price) < num("100")) return { error: "TWAP order value too small. Min is $100." };
  const szi = account.positions.get(market.name)?.szi ?? 0n;
  if (wire.r && (szi === 0n || szi > 0n === wire.b))
    return { error: "Reduce-only TWAP order would increase position." };
  const at = Date.now();
  const twap = {
    id: chain.nextTwap++,
    account,
    market,
    isBuy: wire.b,
    size,
    reduceOnly: wire.r,
    minutes: wire.m,
    randomize: wire.t,
    at,
    done: 0n,
    value: 0n,
    running: true,
    slices: chain.twapSlices ?? 6,
  };
  twap.state = () => ({
    coin: market.name,
    user: account.address,
    side: twap.isBuy ? "B" : "A",
    sz: text(size),
    executedSz: text(twap.done),
    executedNtl: text(cut(twap.value, 6)),
    minutes: wire.m,
    reduceOnly: wire.r,
    randomize: wire.t,
    stopPx: null,
    trigger: null,
    timestamp: at,
  });
  account.twaps.set(twap.id, twap);
  row(twap, { status: "activated" });
  chain.log.push({
    t: at,
    what: "twap",
    account: account.address,
    id: twap.id,
    market: market.name,
    isBuy: twap.isBuy,
    sz: wire.s,
    m: wire.m,
  });
  return { running: { twapId: twap.id } };
}

function row(twap, status) {
  twap.status = status;
  const t = Date.now();
  twap.account.twapRows.push({ t, row: { time: Math.floor(t / 1000), state: twap.state(), status, twapId: twap.id } });
}

export function endTwap(chain, twap, status) {
  if (!twap.running) return;
  twap.running = false;
  twap.endedAt = Date.now();
  row(twap, status);
  snapshot(chain, twap.account);
}

export function stopTwap(chain, account, action) {
  const twap = account.twaps.get(action.t);
  if (!twap?.running || chain.lists.asset(action.a) !== twap.market) return { error: GONE };
  endTwap(chain, twap, { status: "terminated" });
  return "success";
}

/** One slice of each TWAP that runs. */
export function slice(chain) {
  for (const account of chain.accounts.values()) {
    for (const twap of [...account.twaps.values()]) if (twap.running) one(chain, account, twap);
  }
}

function one(chain, account, twap) {
  const { market } = twap;
  const szi = account.positions.get(market.name)?.szi ?? 0n;
  let sz = cut(twap.size / BigInt(twap.slices), market.szDecimals);
  if (sz === 0n || sz > twap.size - twap.done) sz = twap.size - twap.done;
  if (twap.reduceOnly) {
    if (szi === 0n || szi > 0n === twap.isBuy)
      return endTwap(chain, twap, { status: "error", description: "Reduce-only TWAP order would increase position." });
    sz = min(sz, abs(szi));
  }
  const away = mul(market.price, num("0.03"));
  const px = onGrid(market, twap.isBuy ? market.price + away : market.price - away);
  const need = mul(sz, market.price) / BigInt(chain.setting(account, market).value);
  if (!twap.reduceOnly && need > chain.free(account, chain.lists.dexOf(market).name))
    return endTwap(chain, twap, { status: "error", description: "Insufficient margin" });
  const order = chain.make(account, market, {
    b: twap.isBuy,
    p: text(px),
    s: text(sz),
    r: twap.reduceOnly,
    t: { limit: { tif: "Ioc" } },
  });
  order.twapId = twap.id;
  account.orders.set(order.oid, order);
  const best = levels(market, twap.isBuy)[0].px;
  chain.fill(order, { sz, px: best, crossed: true });
  chain.status(order, "filled");
  twap.done += sz;
  twap.value += mul(sz, best);
  if (twap.done >= twap.size) endTwap(chain, twap, { status: "finished" });
  chain.settle(account);
  return undefined;
}
