// What the client asks for: orders, batches, cancels and modifies, each repeated with its own key.
import { CLOSED } from "./chains.mjs";
import { MARKETS, sleep } from "./markets.mjs";

export function makeOperations(world, client) {
  const { seed, opt, r, log } = world;
  const { keys, liveIds, last, write } = client;
  const usedPx = new Set();
  function price(m, buy, cross) {
    for (let i = 0; i < 400; i++) {
      const d = r.range(0.0003, 0.012);
      const p = cross ? (buy ? m.ask * (1 + d * 0.6) : m.bid * (1 - d * 0.6)) : buy ? m.bid * (1 - d) : m.ask * (1 + d);
      const q = p.toFixed(m.pxDec);
      if (!usedPx.has(m.coin + q)) {
        usedPx.add(m.coin + q);
        return q;
      }
    }
    throw new Error("no price");
  }
  const size = (m) =>
    m.coin === "BTC"
      ? r.range(0.001, 0.02).toFixed(r.pick([3, 4, 5]))
      : m.coin === "ETH"
        ? r.range(0.02, 0.4).toFixed(r.pick([2, 3, 4]))
        : String(100 + r.int(900));
  let nKey = 0;
  const bg = [];
  const spawnTask = (f) => {
    const p = f().catch((e) => log("clientbug", { e: String(e.stack) }));
    bg.push(p);
    return p;
  };
  // The client's own manners: repeat with the same key.
  async function pursue(key) {
    const first = write(key, r.chance(0.15) ? r.range(50, 1500) : 16000);
    if (r.chance(0.25)) {
      await sleep(r.range(0, 400));
      spawnTask(() => write(key));
    }
    let x = await first;
    for (let i = 0; i < 4 && !(x.status >= 200 && x.status < 300); i++) {
      if (
        x.status >= 400 &&
        x.status < 500 &&
        x.status !== 429 &&
        !(x.status === 409 && x.j?.error?.code === "idempotency_in_progress")
      )
        break;
      if (world.stop && x.status !== 0) break;
      await sleep(Math.min(4000, 1000 * Number(x.retry ?? r.range(0.2, 2))));
      x = await write(key);
    }
    for (let i = 0, n = r.int(3); i < n && !world.stop; i++) {
      await sleep(r.range(800, 9000));
      await write(key);
    }
    return x;
  }
  async function op() {
    const x = r(),
      key = `s${seed}-k${String(nKey++).padStart(4, "0")}`;
    let known = liveIds().filter((id) => {
      const o = last(id);
      return o && !CLOSED.has(o.status);
    });
    if (opt.focus === "hot") known = known.slice(-2);
    const F = opt.focus;
    if (x < (F === "ioc" ? 0.85 : F === "modify" ? 0.35 : F === "hot" ? 0.2 : 0.5) || !known.length) {
      const m =
          F === "ioc"
            ? r.pick([MARKETS.BTC, MARKETS.ETH, MARKETS["PURR/USDC"], MARKETS["PURR/USDC"]])
            : r.pick([MARKETS.BTC, MARKETS.BTC, MARKETS.ETH, MARKETS.ETH, MARKETS["PURR/USDC"]]),
        buy = F === "reduce" ? r.chance(0.25) : r.chance(0.6);
      const y = F === "ioc" ? r() * 0.4 : F === "modify" || F === "hot" ? 0.35 + r() * 0.65 : r();
      const tif = y < 0.35 ? "ioc" : y < 0.75 ? "gtc" : "alo";
      const cross = tif === "ioc" ? r.chance(0.92) : tif === "gtc" ? r.chance(0.2) : r.chance(0.06);
      const px = price(m, buy, cross);
      const body = {
        account: world.account,
        market: m.coin,
        side: buy ? "buy" : "sell",
        size: size(m),
        price: px,
        time_in_force: tif,
      };
      if (!m.spot && (F === "reduce" ? !buy && r.chance(0.8) : tif === "ioc" && r.chance(0.15)))
        body.reduce_only = true;
      keys.set(key, { kind: "place", path: "/v1/orders", body, price: px, m, answers: [] });
    } else if (opt.batch && x > 0.95) {
      const m = r.pick([MARKETS.BTC, MARKETS.ETH]),
        orders = [];
      for (let i = 0, n = 2 + r.int(3); i < n; i++) {
        const buy = r.chance(0.6),
          tif = r.pick(["alo", "gtc", "ioc"]);
        orders.push({
          market: m.coin,
          side: buy ? "buy" : "sell",
          size: size(m),
          price: price(m, buy, tif === "ioc" ? true : r.chance(0.05)),
          time_in_force: tif,
        });
      }
      keys.set(key, {
        kind: "batch",
        path: "/v1/orders/batch",
        body: { account: world.account, orders },
        m,
        prices: orders.map((o) => o.price),
        answers: [],
      });
    } else if (opt.batch && x > 0.94) {
      keys.set(key, {
        kind: "cancel-all",
        path: "/v1/orders/cancel-all",
        body: { account: world.account, market: r.pick(["BTC", "ETH"]) },
        answers: [],
      });
    } else if (x < (F === "modify" ? 0.5 : F === "hot" ? 0.42 : F === "ioc" ? 0.92 : 0.68)) {
      keys.set(key, { kind: "cancel", path: `/v1/orders/${r.pick(known)}/cancel`, body: {}, answers: [] });
    } else {
      const id = r.pick(known),
        o = last(id),
        m = MARKETS[o.market],
        ap = r.chance(0.35);
      const body = { price: price(m, o.side === "buy", ap ? r.chance(0.4) : r.chance(0.08)) };
      if (r.chance(0.4)) body.size = size(m);
      if (ap) body.always_place = true;
      keys.set(key, {
        kind: "modify",
        path: `/v1/orders/${id}/modify`,
        body,
        price: body.price,
        m,
        target: id,
        answers: [],
      });
    }
    await pursue(key);
  }
  return { op, bg, spawnTask };
}
