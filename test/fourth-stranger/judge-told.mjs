// Each order that was told, against the truth of the millisecond; then one telling against those before it.
import { brief, CLOSED, isRefusedElsewhere, near } from "./chains.mjs";
import { MARKETS, szStr, units } from "./markets.mjs";

export function judgeEachTelling({ ex, C, byId, find }) {
  for (const [id, xs] of byId) {
    const c = C.get(id);
    for (const x of xs) {
      const o = x.o,
        T = x.t1,
        d = {
          id,
          src: x.src,
          at: x.t1,
          told: brief(o),
          truthThen: c ? { status: c.status(T), filled: szStr(c.m(), c.filled(T)) } : "absent",
          truthLater: c?.brief(),
        };
      if (!c) {
        if (o.status === "open" || o.status === "filled" || Number(o.filled_size) > 0)
          find("CRITICAL", `told ${o.status}, never on the exchange`, d);
        continue;
      }
      const m = c.m();
      if (o.status === "rejected" && c.status() !== "rejected") {
        find(isRefusedElsewhere(ex, c) ? "documented" : "CRITICAL", `told rejected, truly ${c.status()}`, d);
      }
      if (o.status === "canceled") {
        if (c.status() !== "canceled" || c.status(T) !== "canceled")
          find("CRITICAL", `told canceled, truly ${c.status(T)} then, ${c.status()} later`, d);
        else if (units(m, o.filled_size ?? "0") !== c.filled())
          find("CRITICAL", "told canceled with a filled size that is not the truth", d);
        else if (!near(o.average_price, c.avg())) find("high", "told canceled with a wrong average price", d);
      }
      if (o.status === "filled") {
        if (c.status() !== "filled") find("CRITICAL", `told filled, truly ${c.status()}`, d);
        else if (units(m, o.filled_size ?? "0") !== c.filled())
          find("CRITICAL", "told filled with a filled size that is not the truth", d);
        else if (!near(o.average_price, c.avg())) find("high", "told filled with a wrong average price", d);
      }
      if (o.filled_size !== null && units(m, o.filled_size) > c.filled(T))
        find("CRITICAL", "told more filled than was", d);
      if (o.status === "open" && !c.legs.some((l) => l.hist.some((h) => h.status === "open" && h.t <= T)))
        find("CRITICAL", "told open, was never open", d);
      if (o.exchange_order_id && !c.legs.some((l) => String(l.oid) === o.exchange_order_id))
        find("high", "told a foreign exchange id", d);
      if (CLOSED.has(o.status) && o.status !== "rejected" && units(m, o.size) !== c.size())
        find("soft", "size of a closed order is not filled before + size of the replacement", {
          ...d,
          want: szStr(m, c.size()),
        });
    }
  }
}

export function judgeInOrder({ ex, C, byId, find }) {
  for (const [id, xs] of byId) {
    const c = C.get(id);
    const seq = xs.filter((x) => !x.replay).sort((a, b) => a.t1 - b.t1);
    let closed = null,
      most = 0,
      mostAt = null;
    for (const x of seq) {
      const m = c?.m() ?? MARKETS[x.o.market];
      if (
        closed &&
        x.t0 > closed.t1 &&
        !x.src.startsWith("event") &&
        !(x.src === "write:modify" && x.o.status === "unknown") &&
        (x.o.status !== closed.o.status || x.o.filled_size !== closed.o.filled_size)
      )
        find(
          closed.o.status === "rejected" && c && isRefusedElsewhere(ex, c) ? "documented" : "high",
          `a final state changed: ${closed.o.status} ${closed.o.filled_size} → ${x.o.status} ${x.o.filled_size}`,
          { id, src: x.src, first: brief(closed.o), firstSrc: closed.src, next: brief(x.o), truth: c?.brief() },
        );
      const F = x.o.filled_size === null ? null : units(m, x.o.filled_size);
      if (mostAt && F !== null && F < most && x.t0 > mostAt.t1 && !x.src.startsWith("event"))
        find("high", "a filled size shrank", {
          id,
          src: x.src,
          first: brief(mostAt.o),
          firstSrc: mostAt.src,
          next: brief(x.o),
          asOf: x.asOf,
        });
      if (mostAt && F === null && most > 0 && x.t0 > mostAt.t1 && x.o.status !== "unknown")
        find("high", "a filled size vanished", { id, src: x.src, first: brief(mostAt.o), next: brief(x.o) });
      if (F !== null && F > most) {
        most = F;
        mostAt = x;
      }
      if (CLOSED.has(x.o.status) && !closed) closed = x;

      if (x.o.status === "processing" && seq.some((y) => y.t1 < x.t0 && y.o.status !== "processing"))
        find("high", "back to processing", { id, src: x.src });
    }
  }
}
