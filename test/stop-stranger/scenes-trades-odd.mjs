// Protected trades whose stop or entry is refused and executed all the same, or whose stop fires before the entry is filled.
import { now, sleep } from "./random.mjs";
import { calm, K, lags, lots, PX, rough, S, waitUntil } from "./stage.mjs";

export const scenes = {
  async tradeRefused(A) {
    const r = A.r;
    A.trades = [];
    calm(A);
    A.protectedCoins = A.ms.map((m) => m.coin);
    lags(A, r, A.variant ?? 400);
    for (const m of A.ms) {
      const which = r.pick(["entry", "stop", "both"]);
      A.acc.cfg.fate = (a) => {
        if (a.type !== "order") return rough(r)();
        const isStop = a.orders[0].r;
        if ((isStop && which !== "entry") || (!isStop && which !== "stop"))
          return { kind: r.pick(["refused", "refused", "late"]), late: 5000 + r() * 6900, delay: 30 };
        return { kind: "ok", delay: 30 };
      };
      const s = r.pick([1, -1]);
      const e = await A.c[r.pick(["plain", "bota"])].post(
        "/v1/trades",
        {
          account: A.id,
          market: m.coin,
          side: s > 0 ? "buy" : "sell",
          size: S(m, lots(m, 400)),
          entry: { price: PX(m, 1 + s * 0.01) },
          stop_loss: { trigger_price: PX(m, 1 - s * 0.05) },
          take_profit: { trigger_price: PX(m, 1 + s * 0.08) },
        },
        K("tr"),
      );
      A.notes.push(`${m.coin} ${which} ${e.status} ${e.body?.path} ${e.body?.status}`);
      const t0 = now();
      let last;
      while (now() - t0 < 26000) {
        const x = await A.c.plain.get(`/v1/trades/${e.body.id}`);
        const d = `${x.body?.status} prot ${x.body?.protected} held ${x.body?.held_size} ${x.body?.error ?? ""}`;
        if (d !== last) {
          A.notes.push(`  +${now() - t0} ${d}`);
          last = d;
        }
        await sleep(400);
        if (now() - t0 > 14000) A.acc.cfg.fate = null;
      }
      A.trades.push({ id: e.body.id, m, s });
    }
    await sleep(15000);
    for (const t of A.trades) await A.c.plain.get(`/v1/trades/${t.id}`);
    A.extra = (add) => {
      for (const t of A.trades) {
        const last = A.told.filter((x) => x.path === `/v1/trades/${t.id}` && x.status === 200).pop()?.body;
        const p = A.ex.posOf(A.acc, t.m.coin);
        const l = A.ex
          .live(A.acc)
          .filter((x) => x.coin === t.m.coin && x.trigger?.tpsl === "sl")
          .reduce((q, x) => q + x.sz, 0);
        A.notes.push(`${t.m.coin} end ${last.status} prot ${last.protected}; truth pos ${p} stops ${l}`);
        if (Math.abs(p) > l)
          add(
            true,
            "trade-unprotected",
            `trade ${t.id} told ${last.status} protected ${last.protected}; true position ${p}, stops ${l}`,
          );
        if (Math.abs(p) < l)
          add(true, "trade-stop-size", `trade ${t.id} told ${last.status}; stops ${l} of position ${p} at rest`);
        if (["closed", "rejected", "canceled"].includes(last.status) && p)
          add(true, "trade-told", `trade told ${last.status} and position ${p}`);
      }
      for (const u of A.unprot)
        add(
          u.ms > 45000,
          "unprotected",
          `${u.coin} ${u.need} held, stops ${u.c}, for ${u.ms} ms${u.open ? " (to the end)" : ""}`,
          u.from,
        );
    };
  },
  // the stop fires while part of the entry rests, and the rest of the entry fills after it
  async tradeFire(A) {
    const r = A.r;
    calm(A);
    await sleep(1000);
    A.trades = [];
    A.protectedCoins = A.ms.map((m) => m.coin);
    for (const m of A.ms) {
      calm(A);
      const s = r.pick([1, -1]);
      const e = await A.c[r.pick(["plain", "bota"])].post(
        "/v1/trades",
        {
          account: A.id,
          market: m.coin,
          side: s > 0 ? "buy" : "sell",
          size: S(m, lots(m, 600)),
          entry: { price: PX(m, 1 - s * 0.01) },
          stop_loss: {
            trigger_price: PX(m, 1 - s * 0.05),
            ...(r.chance(0.2) ? { limit_price: PX(m, 1 - s * 0.06) } : {}),
          },
        },
        K("tr"),
      );
      A.trades.push({ id: e.body?.id, m, s });
      const ent = () => A.ex.live(A.acc).find((x) => x.coin === m.coin && x.live === "book" && !x.r && x.src === "gw");
      await waitUntil(ent, 8000, 50);
      const o = ent();
      A.notes.push(`${m.coin} ${e.status} ${e.body?.path} entry ${!!o}`);
      if (!o) continue;
      A.ex.worldFill(A.acc, o.oid, Math.floor(o.sz * 0.4));
      await sleep(r.pick([200, 3000]));
      lags(A, r, A.variant ?? r.pick([400, 5000, 15000]));
      A.acc.cfg.fate = r.chance(0.5)
        ? rough(r)
        : (a) =>
            a.type.startsWith("cancel")
              ? { kind: r.pick(["late", "lost", "ok", "slow"]), late: 2000 + r() * 5000, delay: 50 }
              : { kind: "ok", delay: 50 };
      const m0 = m.mark;
      A.ex.markOnly(m.coin, Number(PX(m, 1 - s * 0.055)));
      const t0 = now();
      await sleep(r.pick([0, 300, 1500, 4000]));
      const o2 = ent();
      if (o2) A.ex.worldFill(A.acc, o2.oid, Math.floor(o2.sz * r.pick([0.5, 1])));
      A.notes.push(
        `  stop fired, +${now() - t0} ms entry ${o2 ? "filled" : "gone"}; position ${A.ex.posOf(A.acc, m.coin)}`,
      );
      if (r.chance(0.5)) {
        await sleep(1000);
        A.ex.markOnly(m.coin, m0);
        A.notes.push("  mark back");
      }
      if (r.chance(0.3)) A.kill?.();
      let last;
      while (now() - t0 < 30000) {
        const x = (await A.c.plain.get(`/v1/trades/${e.body.id}`)).body;
        const d = `${x?.status} prot ${x?.protected} held ${x?.held_size} ${x?.unprotected_because ?? ""}`;
        if (d !== last) {
          A.notes.push(
            `  +${now() - t0} ${d}; true pos ${A.ex.posOf(A.acc, m.coin)} stops ${A.ex
              .live(A.acc)
              .filter((q) => q.coin === m.coin && q.live === "trigger")
              .map((q) => q.sz)}`,
          );
          last = d;
        }
        await sleep(400);
      }
      calm(A);
      m.mark !== m0 && A.ex.markOnly(m.coin, m0);
    }
    await sleep(10000);
    for (const t of A.trades) await A.c.plain.get(`/v1/trades/${t.id}`);
    A.extra = (add) => {
      for (const t of A.trades) {
        const last = A.told.filter((x) => x.path === `/v1/trades/${t.id}` && x.status === 200).pop()?.body;
        const p = A.ex.posOf(A.acc, t.m.coin);
        const l = A.ex
          .live(A.acc)
          .filter((x) => x.coin === t.m.coin && x.trigger?.tpsl === "sl")
          .reduce((q, x) => q + x.sz, 0);
        A.notes.push(`${t.m.coin} end ${last?.status} prot ${last?.protected}; truth pos ${p} stops ${l}`);
        if (Math.abs(p) > l)
          add(
            true,
            "trade-unprotected",
            `trade ${t.id} told ${last?.status} protected ${last?.protected}; true position ${p}, stops ${l}`,
          );
        if (
          Math.abs(p) < l &&
          !A.ex.live(A.acc).some((x) => x.coin === t.m.coin && x.live === "book" && !x.r && x.src === "gw")
        )
          add(true, "trade-stop-size", `trade ${t.id} told ${last?.status}; stops ${l} of position ${p} at rest`);
      }
      for (const u of A.unprot)
        add(
          u.ms > 45000,
          "unprotected",
          `${u.coin} ${u.need} held, stops ${u.c}, for ${u.ms} ms${u.open ? " (to the end)" : ""}`,
          u.from,
        );
    };
  },
};
