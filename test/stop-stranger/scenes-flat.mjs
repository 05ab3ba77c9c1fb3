// Flattening and closing, among answers that are lost and books that are thin.

import { readAll } from "./finish.mjs";
import { sleep } from "./random.mjs";
import { body, calm, K, lags, lots, netOf, PX, rough, S, waitUntil } from "./stage.mjs";
import { seedPos } from "./traffic.mjs";

export const scenes = {
  // flatten
  async flatten(A) {
    const r = A.r;
    const [m1, m2, m3] = A.ms;
    calm(A);
    await seedPos(A.c.plain, m1, ["buy", 600]);
    await seedPos(A.c.bota, m2, ["sell", 500]);
    await seedPos(A.c.botb, m2, ["sell", 300], false);
    A.ex.outside(A.acc, [
      { a: m3.asset, b: true, p: PX(m3, 1.02), s: S(m3, lots(m3, 400)), r: false, t: { limit: { tif: "Ioc" } } },
    ]);
    for (const m of A.ms)
      if (r.chance(0.6)) {
        m.liq = Math.max(1, lots(m, r.pick([60, 120])));
        m.refill = r.chance(0.7) ? m.liq : 0;
      }
    lags(A, r, null);
    A.acc.cfg.fate = rough(r);
    A.acc.cfg.infoFail = 0.05;
    const scope = A.variant ?? r.pick(["account", "account", "bot"]);
    const c = scope === "account" ? A.c.plain : A.c.bota;
    const e = await c.post("/v1/stop", { scope });
    const id = e.body?.id;
    const f = await c.post(`/v1/stops/${id}/flatten`, { max_slippage_bps: r.pick([50, 200]) });
    A.notes.push(`${scope} stop ${e.status} flatten ${f.status}`);
    if (r.chance(0.7)) setTimeout(() => A.kill?.(), r() * 8000);
    if (r.chance(0.5))
      setTimeout(() => {
        const p = A.ex.posOf(A.acc, m1.coin);
        if (p > 0) {
          A.ex.outside(A.acc, [
            {
              a: m1.asset,
              b: false,
              p: PX(m1, 0.97),
              s: S(m1, Math.ceil(p / 2)),
              r: true,
              t: { limit: { tif: "Ioc" } },
            },
          ]);
          A.touched = true;
        }
      }, r() * 9000);
    for (let i = 0; i < 3; i++) {
      await sleep(3000 + r() * 3000);
      await c.post(`/v1/stops/${id}/flatten`, { max_slippage_bps: 100 });
    }
    const z = await waitUntil(
      async () => {
        const x = await c.get(`/v1/stops/${id}`);
        return ["flat", "left"].includes(x.body?.flatten?.status) && x;
      },
      80000,
      700,
    );
    A.notes.push(`-> ${z?.body?.flatten?.status ?? "never ended"} ${JSON.stringify(z?.body?.flatten?.left)}`);
    if (z) {
      const p = [...A.ex.posAt(A.acc, z.t0 - 1)].filter(([, x]) => x.szi);
      if (scope === "account") {
        if (z.body.flatten.status === "flat" && p.length)
          A.hard.push(`flatten told flat while held: ${JSON.stringify(p)}`);
      }
      for (const l of z.body.flatten.left) {
        const m = A.ex.byCoin.get(l.market);
        const tp = A.ex.posAt(A.acc, z.t0 - 1).get(l.market)?.szi ?? 0;
        if (scope === "account" && Math.round(Number(l.size) * m.f) !== tp)
          A.soft.push(`flatten left says ${l.size} of ${l.market}, true ${tp / m.f}`);
      }
      if (scope === "bot") {
        const net = netOf(A, "bota", m2.coin);
        A.notes.push(`bota net ${net}`);
      }
    }
    A.extra = (add) => {
      if (scope === "bot") {
        const net = netOf(A, "bota", m2.coin);
        if (net > 0) add(true, "flatten-more", `bot's flatten traded past own net: net ${net}`);
      }
    };
    await sleep(5000);
  },
  // close
  async close(A) {
    const r = A.r;
    const [m1, m2] = A.ms;
    calm(A);
    await seedPos(A.c.plain, m1, ["buy", 900]);
    await seedPos(A.c.bota, m2, ["buy", 500]);
    await seedPos(A.c.botb, m2, ["buy", 400]);
    for (const m of [m1, m2])
      if (r.chance(0.4)) {
        m.liq = lots(m, 150);
        m.refill = m.liq;
      }
    lags(A, r, null);
    A.acc.cfg.fate = rough(r);
    A.acc.cfg.infoFail = 0.05;
    A.closes = [];
    A.noProtectRule = false;
    const go = async (c, m, fraction) => {
      const idem = K("cl");
      const b = { account: A.id, market: m.coin, ...(fraction ? { fraction } : {}), max_slippage_bps: 100 };
      const js = [c.post("/v1/positions/close", b, idem)];
      if (r.chance(0.6)) {
        await sleep(r() * 2500);
        js.push(c.post("/v1/positions/close", b, idem));
      }
      const es = await Promise.all(js);
      const again = await c.post("/v1/positions/close", b, idem);
      A.closes.push({ who: c.name, m, fraction, es: [...es, again], idem });
      A.notes.push(
        `close ${c.name} ${m.coin} ${fraction ?? 1}: ${[...es, again].map((e) => `${e.status} ${e.body?.status ?? e.body?.error?.code} ${e.body?.size ?? ""}/${e.body?.filled_size ?? ""}`).join(" | ")}`,
      );
    };
    if (r.chance(0.7)) setTimeout(() => A.kill?.(), r() * 8000);
    await Promise.all([
      go(A.c.plain, m1, "0.5"),
      go(A.c.bota, m2, r.pick(["0.5", undefined])),
      (async () => {
        await sleep(r() * 3000);
        await go(A.c.botb, m2);
      })(),
      (async () => {
        await sleep(r() * 2000);
        await go(A.c.plain, m1, "0.3");
      })(),
    ]);
    if (r.chance(0.5)) await go(A.c.bota, m2);
    if (r.chance(0.5)) await go(A.c.plain, m1);
    await sleep(15000);
    A.extra = (add) => {
      for (const w of ["bota", "botb"]) {
        const net = netOf(A, w, m2.coin);
        A.notes.push(`${w} net ${net}`);
        if (net < 0) add(true, "close-more", `${w} closed more than own: net ${net}`);
      }
      for (const c of A.closes) {
        const ids = new Set(c.es.filter((e) => e.body?.object === "order").map((e) => e.body.id));
        if (ids.size > 1) add(true, "close-twice", `one key, ${ids.size} orders`);
      }
      if (A.ex.posOf(A.acc, m1.coin) < 0) add(true, "close-more", "plain close reversed");
    };
  },
  async closeRefused(A) {
    const r = A.r;
    const [m1] = A.ms;
    calm(A);
    await seedPos(A.c.bota, m1, ["buy", 500]);
    await seedPos(A.c.botb, m1, ["buy", 900]);
    await sleep(2500);
    lags(A, r, A.variant ?? 400);
    A.closes = [];
    for (let i = 0; i < 3; i++) {
      A.acc.cfg.fate = (a) =>
        a.type === "order"
          ? { kind: r.pick(["refused", "late", "lost"]), late: 4000 + r() * 8000, delay: 30 }
          : rough(r)();
      const a = await A.c.bota.post(
        "/v1/positions/close",
        { account: A.id, market: m1.coin, fraction: r.pick(["1", "0.6"]) },
        K("c1"),
        { once: true },
      );
      A.notes.push(
        `close 1: ${a.status} ${a.body?.status ?? a.body?.error?.code} ${String(a.body?.error ?? "").slice(0, 80)}`,
      );
      if (r.chance(0.6)) A.acc.cfg.fate = null;
      for (let j = 0; j < 5; j++) {
        await sleep(r() * 2500);
        const b = await A.c.bota.post("/v1/positions/close", { account: A.id, market: m1.coin }, K("c2"), {
          once: true,
        });
        A.notes.push(`  again: ${b.status} ${b.body?.status ?? b.body?.error?.code} ${b.body?.size ?? ""}`);
      }
      await sleep(14000);
      A.acc.cfg.fate = null;
      if (netOf(A, "bota", m1.coin) <= 0 || i < 2) {
        await readAll(A);
        if (netOf(A, "bota", m1.coin) <= 0) {
          await seedPos(A.c.bota, m1, ["buy", 500], false);
        }
      }
      await sleep(2000);
    }
    A.extra = (add) => {
      for (const w of ["bota", "botb"]) {
        const net = netOf(A, w, m1.coin);
        A.notes.push(`${w} net ${net}`);
        if (net < 0) add(true, "close-more", `${w} closed more than own: net ${net}`);
      }
    };
  },
  // close, and the same key enters again while the close cleans up its triggers
  async closeReopen(A) {
    const r = A.r;
    calm(A);
    lags(A, r, A.variant ?? null);
    for (const m of A.ms) {
      await seedPos(A.c.plain, m, ["buy", 300], true);
      await sleep(2000);
      lags(A, r, A.variant ?? null);
      if (r.chance(0.5)) A.acc.cfg.fate = rough(r, { lost: 0.05, late: 0.05, refused: 0 });
      const cl = A.c.plain.post("/v1/positions/close", { account: A.id, market: m.coin }, K("cl"));
      await waitUntil(() => A.ex.posOf(A.acc, m.coin) === 0, 20000, 20);
      await sleep(r.pick([0, 50, 300, 1500, 4000]));
      const c = A.c[r.pick(["plain", "plain", "plain2"])];
      const ord = r.chance(0.5);
      const sl = () =>
        c.post(
          "/v1/orders",
          body(A, m, ["sell", lots(m, 300), 0.8], {
            reduce_only: true,
            trigger: { kind: "stop_loss", price: PX(m, 0.85), market: true },
          }),
          K("ns"),
        );
      const en = () => c.post("/v1/orders", body(A, m, ["buy", lots(m, 300), 1.02], { time_in_force: "ioc" }), K("ne"));
      A.acc.cfg.fate = null;
      const x = ord ? [await sl(), await en()] : [await en(), await sl()];
      const k = await cl;
      A.notes.push(
        `${m.coin} close ${k.status} ${k.body?.status}; reopened by ${c.name} ${ord ? "stop first" : "entry first"}: ${x.map((e) => `${e.status} ${e.body?.status ?? e.body?.error?.code}`)}`,
      );
      await sleep(12000);
      A.notes.push(
        `  pos ${A.ex.posOf(A.acc, m.coin)} stops ${A.ex
          .live(A.acc)
          .filter((o) => o.coin === m.coin && o.trigger)
          .map((o) => o.sz)}`,
      );
    }
  },
};
