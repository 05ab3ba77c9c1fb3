// What a bot could come to at each acceptance, by the exchange's own books, against its rails; stops; protection.
import { round8 } from "./codec.mjs";

const at = (versions, t) => versions.findLast((v) => v.t <= t) ?? null;

/** Each accepted order that increases: the bot's worst case at that moment. */
export function judgeRails(judge, bot, { oids, twaps: twapIds }, rails) {
  const { chain } = judge;
  const own = [...chain.orders.values()].filter((o) => oids.has(o.oid) || twapIds.has(o.twapId));
  const mine = own.filter((o) => !o.isSlice);
  const fills = chain.fills.filter((f) => own.some((o) => o.oid === f.oid));
  for (const o of mine) {
    if (o.r || /Rejected$/.test(o.versions[0].status)) continue;
    const t = o.ts;
    const place = chain.log.find((l) => l.kind === "place" && l.oid === o.oid);
    const facts = { bot, oid: o.oid, cloid: o.cloid, t, side: o.side, size: o.origSz, px: o.px, coin: o.coin };
    const worth = o.origSz * Math.max(o.px, place.mid);
    if (worth > rails.order * 1.02) judge.find("CRITICAL", "rail max_order exceeded", facts, worth);
    const count = mine.filter((x) => !x.r && at(x.versions, t)?.isOpen).length;
    if (rails.open && count > rails.open) judge.find("CRITICAL", "rail max_open_orders exceeded", facts, count);
    const all = ["BTC", "ETH", "SOL"].map((coin) => worst(chain, { mine, fills, coin, t, twapIds, o }));
    const here = all.find((w) => w.coin === o.coin);
    if (here.usd > rails.position * 1.04) judge.find("CRITICAL", "rail max_position exceeded", facts, here);
    const sum = all.reduce((total, w) => total + w.usd, 0);
    if (sum > rails.exposure * 1.04) judge.find("CRITICAL", "rail max_exposure exceeded", facts, all);
    const done = fills.filter((f) => f.time < t).reduce((total, f) => total + Number(f.sz) * Number(f.px), 0);
    const out = mine
      .filter((x) => !x.r && (x === o || at(x.versions, t)?.isOpen))
      .reduce((total, x) => total + (x === o ? x.origSz : at(x.versions, t).sz) * x.px, 0);
    if (done + out > rails.turnover * 1.04) judge.find("CRITICAL", "rail max_turnover exceeded", facts, { done, out });
  }
}

function worst(chain, { mine, fills, coin, t, twapIds, o }) {
  const net = fills
    .filter((f) => f.coin === coin && f.time < t)
    .reduce((sum, f) => sum + (f.side === "B" ? 1 : -1) * Number(f.sz), 0);
  let buys = 0;
  let sells = 0;
  for (const x of mine) {
    if (x.r || x.coin !== coin) continue;
    const size =
      x === o ? x.origSz : at(x.versions, t - 0.5)?.isOpen && at(x.versions, t)?.isOpen ? at(x.versions, t).sz : 0;
    if (x.side === "B") buys += size;
    else sells += size;
  }
  for (const twap of chain.twaps) {
    const version = at(twap.versions, t);
    if (!twapIds.has(twap.twapId) || twap.coin !== coin || twap.r || version?.status !== "activated") continue;
    if (twap.side === "B") buys += twap.sz - version.executed;
    else sells += twap.sz - version.executed;
  }
  const size = round8(Math.max(Math.abs(net + buys), Math.abs(net - sells)));
  return { coin, net: round8(net), buys, sells, usd: size * chain.mids[coin] };
}

/** After `stopped` was told, nothing that was signed here increases. */
export function judgeStop(judge, stop) {
  const { chain } = judge;
  const until = stop.resumedAt ?? Infinity;
  for (const o of chain.orders.values()) {
    if (!o.cloid || o.r || !stop.covers(o)) continue;
    const isAfter = o.ts > stop.toldAt && o.ts < until && !/Rejected$/.test(o.versions[0].status);
    if (isAfter)
      judge.find("CRITICAL", "landed after it was told stopped", stop.id, [o.oid, o.cloid, o.ts - stop.toldAt]);
    const filled = chain.fills.filter((f) => f.oid === o.oid && f.time > stop.toldAt && f.time < until);
    if (filled.length > 0 && o.ts <= stop.toldAt)
      judge.find("CRITICAL", "filled after it was told stopped", stop.id, [o.oid, o.cloid, filled]);
  }
  for (const twap of chain.twaps) {
    if (
      !twap.r &&
      stop.hasTwaps &&
      twap.ts < until &&
      (twap.ts > stop.toldAt || at(twap.versions, stop.toldAt + 50)?.status === "activated")
    )
      judge.find("CRITICAL", "a TWAP runs after it was told stopped", stop.id, [twap.twapId, twap.ts - stop.toldAt]);
  }
}

/** How much of a coin stops stand for at a moment, those that buy below zero. */
export function cover(chain, coin, t) {
  return round8(coverBy(chain, coin, t, "A") - coverBy(chain, coin, t, "B"));
}

/** The same of those of one side: what only reduces does not take from what those of the other protect. */
function coverBy(chain, coin, t, side) {
  let sum = 0;
  for (const o of chain.orders.values()) {
    if (o.coin !== coin || !o.r || o.trigger?.tpsl !== "sl" || o.side !== side) continue;
    const version = at(o.versions, t);
    if (version?.isOpen) sum += version.sz;
  }
  return round8(sum);
}

export function netAt(chain, coin, t) {
  return round8(
    chain.fills
      .filter((f) => f.coin === coin && f.time <= t)
      .reduce((sum, f) => sum + (f.side === "B" ? 1 : -1) * Number(f.sz), 0),
  );
}

/** A trade told protected, against the stops that there were in the two seconds before, in a market where nothing else trades. */
export function judgeProtection(judge, world) {
  const { chain } = judge;
  for (const one of world.told) {
    const rows =
      one.body?.object === "trade"
        ? [one.body]
        : one.path.startsWith("/v1/trades") && one.body?.object === "list"
          ? one.body.data
          : [];
    const markets = new Set(rows.map((r) => r.market));
    for (const coin of markets) {
      const here = rows.filter((r) => r.market === coin && !r.ended_at && Number(r.held_size) > 0);
      if (here.length === 0 || !here.every((r) => r.protected) || !world.onlyTrades) continue;
      const held = here.reduce((sum, r) => sum + Number(r.held_size) * (r.side === "buy" ? 1 : -1), 0);
      const times = Array.from({ length: 21 }, (_, i) => one.t - i * 150);
      const isTrue = times.some((t) => {
        const net = netAt(chain, coin, t);
        const closing = coverBy(chain, coin, t, net > 0 ? "A" : "B");
        return closing + 1e-9 >= Math.min(Math.abs(net), Math.abs(held)) || net === 0;
      });
      if (!isTrue)
        judge.find(
          "CRITICAL",
          "told protected, and no stop stands for it",
          { at: one.t, path: one.path, trades: here.map((r) => [r.id, r.status, r.held_size]) },
          { net: netAt(chain, coin, one.t), cover: cover(chain, coin, one.t) },
        );
    }
  }
}

/** The longest time for which a position of trades had less stop than size. */
export function bareTime(world, coin) {
  const { chain } = world;
  const times = [...chain.orders.values()]
    .filter((o) => o.coin === coin)
    .flatMap((o) => o.versions.map((v) => v.t))
    .concat(chain.fills.filter((f) => f.coin === coin).map((f) => f.time))
    .sort((a, b) => a - b);
  let since = null;
  let longest = { ms: 0 };
  for (const t of [...times, Date.now()]) {
    const net = netAt(chain, coin, t);
    const isBare =
      Math.abs(net) > 1e-9 &&
      (Math.abs(cover(chain, coin, t)) + 1e-9 < Math.abs(net) || Math.sign(cover(chain, coin, t)) !== Math.sign(net));
    if (since && t - since > longest.ms) longest = { ms: t - since, since, net };
    if (isBare) since ??= t;
    else since = null;
  }
  return longest;
}
