// What goes on while the client asks: the market moves, orders are polled, lists are read, events are heard, the gateway is killed.
import { brief, CLOSED } from "./chains.mjs";
import { MARKETS, sleep } from "./markets.mjs";

export async function hearEvents({ ex, base, log }, { AUTH, tell }, signal) {
  const exNow = () => ex.now();
  let lastId = "0";
  while (!signal.aborted) {
    try {
      const x = await fetch(`${base}/v1/events`, { headers: { ...AUTH, "last-event-id": lastId }, signal });
      let buf = "";
      for await (const c of x.body) {
        buf += Buffer.from(c).toString();
        for (let i = buf.indexOf("\n\n"); i >= 0; i = buf.indexOf("\n\n")) {
          const b = buf.slice(0, i);
          buf = buf.slice(i + 2);
          const id = /^id: (.*)$/m.exec(b)?.[1],
            d = /^data: (.*)$/m.exec(b)?.[1];
          if (id) lastId = id;
          if (!d) continue;
          const e = JSON.parse(d);
          const t = exNow();
          if (e.data?.object === "order") {
            tell(`event:${e.type}`, e.data, { t0: t, t1: t, status: 200 });
            log("event", { type: e.type, o: brief(e.data) });
          } else
            log("event", {
              type: e.type,
              d:
                e.data?.object === "fill"
                  ? { oid: e.data.exchange_order_id, sz: e.data.size, order: e.data.order_id }
                  : undefined,
            });
        }
      }
    } catch {
      if (!signal.aborted) {
        await sleep(300);
      }
    }
  }
}

export async function moveMarket(world) {
  const { seed, opt, r, ex } = world;
  while (!world.stop) {
    await sleep(opt.focus === "hot" ? r.range(60, 500) : r.range(150, 900));
    const open = ex.orders.filter((o) => ex.live(o));
    if (open.length && r.chance(0.6)) {
      const o = r.pick(open);
      ex.blockT = null;
      ex.blockT = ex.tick();
      try {
        const u = r.chance(opt.focus === "hot" ? 0.1 : 0.35)
          ? o.rem
          : Math.max(1, Math.floor(o.rem * r.range(0.02, opt.focus === "hot" ? 0.3 : 0.9)));
        ex.fill(o, u, Number(o.px), false);
        if (o.rem === 0) ex.hist(o, "filled");
        ex.settle();
      } finally {
        ex.blockT = null;
      }
    }
    if (open.length && r.chance(0.02)) {
      const o = r.pick(open);
      if (ex.live(o)) ex.cancelOrder(o, r.pick(["marginCanceled", "selfTradeCanceled", "canceled"]));
    }
    if (r.chance(seed >= 30 ? 0.12 : 0.05))
      ex.place({ m: MARKETS.BTC, buy: true, px: 59000 - r.int(50), u: 500 + r.int(500), tif: "Gtc", via: "outside" });
  }
}

export async function pollOrders(world, { liveIds, last, get }) {
  const { opt, r } = world;
  while (!world.stop) {
    const list = liveIds().filter((id) => {
      const o = last(id);
      return !o || !CLOSED.has(o.status) || r.chance(0.08);
    });
    for (const id of list) {
      if (world.stop) break;
      await get(id);
      await sleep(opt.weight === "1200" ? r.range(150, 400) : r.range(30, 150));
    }
    await sleep(500);
  }
}

export async function readListsNowAndThen(world, { readLists }) {
  const { r } = world;
  while (!world.stop) {
    await sleep(r.range(1500, 5000));
    if (!world.stop) await readLists();
  }
}

export async function killNowAndThen({ r, log, gateway }) {
  for (let i = 0, n = 1 + r.int(2); i < n; i++) {
    await sleep(r.range(5000, 10000));
    log("KILL", {});
    await gateway.kill();
    await sleep(r.range(50, 2500));
    log("START", {});
    gateway.start();
  }
}
