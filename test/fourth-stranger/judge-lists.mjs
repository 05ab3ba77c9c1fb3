// Lists and positions against what had been told before they were asked for.
import { brief, CLOSED, isRefusedElsewhere } from "./chains.mjs";
import { MARKETS, units } from "./markets.mjs";

export function judgeOpenLists({ ex, C, byId, openSeen, find }) {
  for (const b of openSeen) {
    const have = new Set(b.j.data.map((o) => o.exchange_order_id));
    for (const [id, xs] of byId) {
      const before = xs.filter((x) => !x.replay && x.t1 < b.t0).sort((a, b2) => a.t1 - b2.t1);
      const c = C.get(id);
      if (!before.length || !c) continue;
      const L = before[before.length - 1].o;
      if (before.some((x) => CLOSED.has(x.o.status)) && c.legs.some((l) => have.has(String(l.oid))))
        find(isRefusedElsewhere(ex, c) ? "documented" : "high", "open list has an order that was told closed before", {
          id,
          told: brief(L),
          asOf: b.asOf,
        });
      if (
        L.status === "open" &&
        c.legs.some(
          (l) => l.hist.some((h) => h.status === "open" && h.t < b.t0) && ex.at(l, b.t1)?.status === "open",
        ) &&
        !c.legs.some((l) => have.has(String(l.oid))) &&
        c.status(b.t0) === "open"
      )
        find("high", "open list lacks an order that was told open before and is open", {
          id,
          told: brief(L),
          toldAt: before[before.length - 1].t1,
          listAt: b.t0,
          asOf: b.asOf,
          now: b.j.data.map((o) => [o.id, o.status]),
        });
    }
  }
}

export function judgePositions({ ex, C, byId, positionsSeen, find }) {
  for (const p of positionsSeen)
    for (const m of [MARKETS.BTC, MARKETS.ETH]) {
      const row = p.j.data.find((x) => x.market === m.coin),
        told = row ? (row.side === "short" ? -1 : 1) * units(m, row.size) : 0;
      // the least time at which everything told before had happened
      let low = 0,
        why = null;
      for (const [id, xs] of byId) {
        const c = C.get(id);
        if (!c || c.m() !== m) continue;
        for (const x of xs) {
          if (x.t1 >= p.t0 || !x.o.filled_size) continue;
          const F = units(m, x.o.filled_size);
          let s = 0;
          const fs = c.legs.flatMap((l) => l.fills).sort((a, b) => a.time - b.time);
          for (const f of fs) {
            if (s >= F) break;
            s += f.u;
            if (f.time > low) {
              low = f.time;
              why = { id, src: x.src, f: x.o.filled_size, at: x.t1 };
            }
          }
        }
      }
      let ok = ex.pos(m.coin, low) === told;
      for (const f of ex.fills)
        if (f.coin === m.coin && f.time > low && f.time <= p.t1 && ex.pos(m.coin, f.time) === told) ok = true;
      if (!ok) {
        const past =
          told === 0 || ex.fills.some((f) => f.coin === m.coin && f.time <= low && ex.pos(m.coin, f.time) === told);
        find(
          past ? "high" : "CRITICAL",
          past ? "a position older than what had been told" : "a position that never was",
          {
            id: m.coin,
            told,
            low,
            why,
            at: p.t0,
            asOf: p.asOf,
            truthAtLow: ex.pos(m.coin, low),
            truthNow: ex.pos(m.coin, p.t1),
          },
        );
      }
    }
}
