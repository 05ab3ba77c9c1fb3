// Protected trades: entries and stops that are lost, taken away, or fire in the middle.
import { now, sleep } from "./random.mjs";
import { calm, K, lags, lots, PX, rough, S } from "./stage.mjs";
import { seedPos } from "./traffic.mjs";

export const scenes = {
  // protected trades
  async trades(A) {
    const r = A.r;
    const [m1, m2, m3] = A.ms;
    calm(A);
    A.trades = [];
    const prior = r.chance(0.6);
    if (prior) await seedPos(A.c.plain2, m2, ["buy", 300], true);
    A.protectedCoins = [m1.coin, ...(m3 ? [m3.coin] : [])];
    A.acc.cfg.fate = rough(r);
    lags(A, r, null);
    A.acc.cfg.infoFail = 0.05;
    A.ex.refuseMet = false;
    const mk = async (m, side, usd) => {
      const s = side === "buy" ? 1 : -1;
      const cross = r.chance(0.4);
      const b = {
        account: A.id,
        market: m.coin,
        side,
        size: S(m, lots(m, usd)),
        entry: { price: PX(m, cross ? 1 + s * 0.005 : 1 - s * 0.01) },
        stop_loss: { trigger_price: PX(m, 1 - s * 0.05) },
      };
      if (r.chance(0.5)) b.take_profit = { trigger_price: PX(m, 1 + s * 0.06) };
      const e = await A.c[r.pick(["plain", "bota"])].post("/v1/trades", b, K("tr"));
      A.notes.push(
        `trade ${m.coin} ${side} ${cross ? "cross" : "rest"} ${e.status} ${e.body?.path ?? e.body?.error?.code} ${e.body?.status ?? ""}`,
      );
      if (e.body?.object === "trade") {
        const t = { id: e.body.id, m, side, s };
        A.trades.push(t);
        return t;
      }
    };
    const ts = [
      await mk(m1, r.pick(["buy", "sell"]), 600),
      await mk(m2, "buy", 500),
      await mk(m3, r.pick(["buy", "sell"]), 400),
    ].filter(Boolean);
    let over = false;
    const poll = (async () => {
      while (!over) {
        for (const t of ts) await A.c.plain.get(`/v1/trades/${t.id}`, { retry503: false });
        await sleep(900);
      }
    })();
    const act = async (t) => {
      await sleep(3000 + r() * 8000);
      const entry = () =>
        A.ex.live(A.acc).filter((x) => x.coin === t.m.coin && x.live === "book" && !x.r && x.src === "gw");
      for (let i = 0; i < 4; i++) {
        for (const o of entry())
          A.ex.worldFill(A.acc, o.oid, Math.max(1, Math.floor(o.origSz * r.pick([0.2, 0.4, 1]))));
        await sleep(2000 + r() * 5000);
      }
      const k = A.variant ?? r.pick(["fire", "outside", "stoptaken", "tp", "cancel", "modify", "none", "firemid"]);
      A.notes.push(`${t.m.coin} act ${k}`);
      const p = A.ex.posOf(A.acc, t.m.coin);
      if (k === "firemid") {
        const m0 = t.m.mark;
        A.ex.markOnly(t.m.coin, Number(PX(t.m, 1 - t.s * 0.055)));
        t.fired = now();
        await sleep(r() * 2500);
        for (const o of entry()) A.ex.worldFill(A.acc, o.oid, o.sz);
        A.notes.push(`${t.m.coin} after firemid pos ${A.ex.posOf(A.acc, t.m.coin)}`);
        await sleep(2500);
        A.ex.markOnly(t.m.coin, m0);
      }
      if (k === "fire") {
        A.ex.setMark(t.m.coin, Number(PX(t.m, 1 - t.s * 0.055)));
        t.fired = now();
      }
      if (k === "tp") A.ex.setMark(t.m.coin, Number(PX(t.m, 1 + t.s * 0.065)));
      if (k === "outside" && p)
        A.ex.outside(A.acc, [
          {
            a: t.m.asset,
            b: p < 0,
            p: PX(t.m, p < 0 ? 1.03 : 0.97),
            s: S(t.m, r.chance(0.5) ? Math.abs(p) : Math.ceil(Math.abs(p) / 2)),
            r: true,
            t: { limit: { tif: "Ioc" } },
          },
        ]);
      if (k === "stoptaken") {
        for (const o of A.ex.live(A.acc))
          if (o.coin === t.m.coin && o.trigger?.tpsl === "sl") {
            A.ex.outsideCancel(A.acc, o.oid);
            t.taken = now();
          }
      }
      if (k === "cancel") await A.c.plain.post(`/v1/trades/${t.id}/cancel`, {}, K("tc"));
      if (k === "modify")
        for (let i = 0; i < 3; i++) {
          await A.c.plain.post(
            `/v1/trades/${t.id}/modify`,
            { stop_loss: { trigger_price: PX(t.m, 1 - t.s * (0.04 - i * 0.005)) } },
            K("tm"),
          );
          await sleep(1500);
        }
    };
    if (r.chance(0.7)) setTimeout(() => A.kill?.(), r() * 15000);
    await Promise.all(ts.map(act));
    await sleep(20000);
    calm(A);
    await sleep(25000);
    over = true;
    await poll;
    A.extra = (add) => {
      for (const t of ts) {
        const last = A.told.filter((x) => x.path === `/v1/trades/${t.id}` && x.status === 200).pop()?.body;
        t.last = last;
        if (!last) continue;
        A.notes.push(
          `${t.m.coin} end ${last.path} ${last.status} filled ${last.filled_size} held ${last.held_size} prot ${last.protected} ${last.error ?? ""} ${last.unprotected_because ?? ""}`,
        );
        const p = A.ex.posOf(A.acc, t.m.coin);
        const liveSL = A.ex
          .live(A.acc)
          .filter((x) => x.coin === t.m.coin && x.trigger?.tpsl === "sl" && x.src === "gw");
        const sum = liveSL.reduce((s, x) => s + x.sz, 0);
        const whole = t.m.coin !== m2.coin || !prior;
        if (["open"].includes(last.status) && whole && sum !== Math.abs(p))
          add(
            sum < Math.abs(p),
            "trade-stop-size",
            `trade ${t.id} at rest: stops ${sum}, position ${p}, told ${last.status} protected ${last.protected}`,
          );
        if (["closed", "canceled", "rejected", "closed_outside"].includes(last.status) && whole) {
          if (sum || A.ex.live(A.acc).some((x) => x.coin === t.m.coin && x.src === "gw"))
            add(
              true,
              "trade-left",
              `trade ${t.id} told ${last.status}; orders left: ${A.ex
                .live(A.acc)
                .filter((x) => x.coin === t.m.coin && x.src === "gw")
                .map((x) => `${x.oid} ${x.side} ${x.sz} ${x.live} ${x.trigger?.tpsl ?? ""}`)}`,
            );
          if (p) add(true, "trade-left", `trade ${t.id} told ${last.status} while position ${p}`);
        }
        const m = t.m;
        let bad = null; // told protected against truth
        for (const x of [
          ...A.told
            .filter((x) => x.path === `/v1/trades/${t.id}` && x.status === 200)
            .map((x) => ({ t: x.t0, b: x.body })),
          ...A.evs.filter((x) => x.e.data?.id === t.id).map((x) => ({ t: Date.parse(x.e.created_at), b: x.e.data })),
        ].sort((a, b) => a.t - b.t)) {
          const T = x.t;
          const held = Math.round(Number(x.b.held_size) * m.f);
          const c = A.ex
            .openAt(A.acc, T)
            .filter((o) => o.coin === m.coin && o.trigger?.tpsl === "sl" && o.r && o.live === "trigger")
            .reduce((s, o) => s + o.sz, 0);
          const truePos = Math.abs(A.ex.posAt(A.acc, T).get(m.coin)?.szi ?? 0);
          const lie =
            x.b.protected === true &&
            held > 0 &&
            c < Math.min(held, truePos) &&
            !A.ex.openAt(A.acc, T).some((o) => o.coin === m.coin && o.status === "triggered");
          if (lie && !bad) bad = { T, c, held, truePos };
          if ((!lie || x === null) && bad) {
            if (T - bad.T > 0)
              add(
                T - bad.T > 25000,
                "told-protected",
                `trade ${t.id} told protected (held ${bad.held}) with stops ${bad.c}, position ${bad.truePos}; for ${T - bad.T} ms`,
                bad.T,
              );
            bad = null;
          }
        }
        if (bad)
          add(
            true,
            "told-protected",
            `trade ${t.id} told protected to the end (held ${bad.held}) with stops ${bad.c}`,
            bad.T,
          );
        if (t.fired) {
          const f = A.acc.log.find((e) => e.kind === "fire" && e.coin === m.coin && e.t >= t.fired);
          if (f)
            for (const e of A.acc.log)
              if (e.kind === "place" && e.src === "gw" && e.coin === m.coin && !e.r && e.nonce > f.t + 20000)
                add(true, "entered-after-stop", `entry signed ${e.nonce - f.t} ms after the stop fired`, e.t);
        }
      }
      for (const u of A.unprot)
        if (u.ms > 20000)
          add(
            u.ms > 45000,
            "unprotected",
            `${u.coin} ${u.need} held, stops ${u.c}, for ${u.ms} ms${u.open ? " (to the end)" : ""}`,
            u.from,
          );
    };
  },
};
