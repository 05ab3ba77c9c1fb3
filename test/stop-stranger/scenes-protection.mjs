// What protects a position must stay: under stops, cancel-alls, blocks and missed heartbeats, and for brackets of elsewhere.
import { sleep } from "./random.mjs";
import { body, calm, K, lags, lots, PX, rough, waitUntil, wire } from "./stage.mjs";
import { seedPos, world } from "./traffic.mjs";

export const scenes = {
  // protection under stop, cancel-all, block, heartbeat; outside parents with children
  async protect(A) {
    const r = A.r;
    const [m1, m2, m3] = A.ms;
    calm(A);
    await seedPos(A.c.plain, m1, ["buy", 500]);
    await seedPos(A.c.bota, m2, ["sell", 500]);
    // the owner's own bracket on the exchange's page, partly filled
    const pm = m3;
    const par = A.ex.outside(
      A.acc,
      [
        wire(pm, [true, 0.98, lots(pm, 400)], { limit: { tif: "Gtc" } }),
        wire(
          pm,
          [false, 0.85, lots(pm, 400)],
          { trigger: { isMarket: true, triggerPx: PX(pm, 0.9), tpsl: "sl" } },
          true,
        ),
      ],
      "normalTpsl",
    );
    const early = r.chance(0.5);
    if (early) A.ex.worldFill(A.acc, par[0].oid, lots(pm, 150));
    await A.c.plain.post("/v1/orders", body(A, m1, ["buy", lots(m1, 200), 0.97]), K("r"));
    await A.c.bota.post("/v1/orders", body(A, m2, ["sell", lots(m2, 200), 1.03]), K("r"));
    const half = A.ex.live(A.acc).filter((x) => x.live === "book" && x.src === "gw");
    for (const o of half) A.ex.worldFill(A.acc, o.oid, Math.floor(o.sz / 2));
    // a reduce-only limit that rests as take profit
    await A.c.plain.post("/v1/orders", body(A, m1, ["sell", lots(m1, 100), 1.05], { reduce_only: true }), K("tp"));
    // a stop whose answer is lost
    A.acc.cfg.fate = rough(r);
    lags(A, r, null);
    A.acc.cfg.infoFail = 0.05;
    const sp = A.c.plain.post(
      "/v1/orders",
      body(A, m1, ["sell", lots(m1, 200), 0.86], {
        reduce_only: true,
        trigger: { kind: "stop_loss", price: PX(m1, 0.92), market: true },
      }),
      K("s2"),
    );
    await sleep(r() * 3000);
    const kind = A.variant ?? r.pick(["stopAccount", "stopBot", "cancelAll", "cancelAllTouch", "block", "heartbeat"]);
    A.notes.push(kind + (early ? " early" : " lateparent"));
    if (kind === "block") {
      A.onlyBots = ["plain2", "bota"];
      await A.c.botall.post("/v1/orders", body(A, m1, ["buy", lots(m1, 100), 0.96]), K("fo"));
      await A.c.plain2.post("/v1/orders", body(A, m1, ["buy", lots(m1, 100), 0.96]), K("fo"));
    }
    if (kind === "heartbeat" || kind === "stopBot") {
      A.onlyBots = ["plain", "bota"];
      await A.c.botall.post("/v1/orders", body(A, m1, ["buy", lots(m1, 100), 0.96]), K("fo"));
      await A.c.plain2.post("/v1/orders", body(A, m1, ["buy", lots(m1, 100), 0.96]), K("fo"));
    }
    if (!early) setTimeout(() => A.ex.worldFill(A.acc, par[0].oid, lots(pm, 150)), r() * 2500);
    if (kind === "stopAccount") await A.c.plain.post("/v1/stop", { scope: "account" });
    if (kind === "stopBot") {
      await A.c.plain.post("/v1/stop", { scope: "bot" });
      await A.c.bota.post("/v1/stop", { scope: "bot" });
    }
    if (kind.startsWith("cancelAll")) {
      const b = { account: A.id, ...(kind === "cancelAllTouch" ? { touches: "all" } : {}) };
      const idem = K("all");
      const e = await A.c.plain.post("/v1/orders/cancel-all", b, idem);
      const e2 = await A.c.botall.post("/v1/orders/cancel-all", { account: A.id, touches: "all" }, K("all"));
      for (const x of [e, e2]) {
        const z = await waitUntil(
          async () => {
            const q = await A.c.plain.get(`/v1/cancel-alls/${x.body?.id}`);
            return q.body?.status === "done" && q;
          },
          60000,
          800,
        );
        A.notes.push(`cancel-all ${x.status} -> ${z?.body?.status}`);
        if (z) {
          for (const o of z.body.results) {
            const cl = `0x${o.order_id.replaceAll("-", "")}`;
            for (const oid of A.acc.cloids.get(cl) ?? []) {
              const q = A.ex.at(A.acc, oid, z.t1);
              if (q?.live && !q.r) A.hard.push(`cancel-all ${x.body.id} told done while ${o.order_id} lives`);
            }
          }
        }
      }
    }
    if (kind === "block") {
      for (const w of ["plain2", "bota"]) {
        const told = await A.gw
          .command(["key", "block", A.c[w].hash, "--cancel-orders"])
          .then(JSON.stringify, (error) => error.message);
        A.notes.push(`block ${w}: ${told.slice(0, 400)}`);
      }
    }
    if (kind === "heartbeat") {
      await A.c.plain.req("PUT", "/v1/heartbeat", { within_s: 5 });
      await A.c.bota.req("PUT", "/v1/heartbeat", { within_s: 5 });
      await sleep(12000);
    }
    if (r.chance(0.6)) setTimeout(() => A.kill?.(), r() * 5000);
    await world(A, r, 40000, 0.2);
    await sp;
  },
  // the owner's own bracket, filled in part shortly before (or while) all is stopped or canceled
  async parentRace(A) {
    const r = A.r;
    calm(A);
    await sleep(1500);
    const [kind, lag] = (A.variant ?? "stop-15000").split("-");
    for (const m of A.ms) {
      const par = A.ex.outside(
        A.acc,
        [
          wire(m, [true, 0.98, lots(m, 400)], { limit: { tif: "Gtc" } }),
          wire(
            m,
            [false, 0.85, lots(m, 400)],
            { trigger: { isMarket: true, triggerPx: PX(m, 0.9), tpsl: "sl" } },
            true,
          ),
        ],
        "normalTpsl",
      );
      await sleep((Number(lag) || 15000) + 3000);
      if (lag === "known") {
        lags(A, r, 0);
        A.acc.cfg.lag.open = 15000;
      } else lags(A, r, Number(lag));
      const oid = par[0].oid;
      const before = lag === "known" || r.chance(0.66);
      const dt = lag === "known" ? 1500 + r() * 2500 : before ? r() * Math.min(4000, Number(lag)) : 0;
      if (before) {
        A.ex.worldFill(A.acc, oid, lots(m, 150));
        await sleep(dt);
      } else
        A.acc.cfg.fate = (a) => {
          if (a.type.startsWith("cancel") && a.cancels.some((c) => c.o === oid))
            A.ex.worldFill(A.acc, oid, lots(m, 150));
          return { kind: "ok", delay: 30 };
        };
      const e =
        kind === "stop"
          ? await A.c.plain.post("/v1/stop", { scope: "account" }, K("st"))
          : await A.c.plain.post("/v1/orders/cancel-all", { account: A.id, touches: "all" }, K("ca"));
      await sleep(20000);
      A.acc.cfg.fate = null;
      const q = A.ex.cur(A.acc, oid);
      A.notes.push(
        `${m.coin} ${kind} ${before ? `filled ${Math.round(dt)} ms before` : "filled as the cancel arrives"}: parent ${q.status} live ${q.live} why ${q.why}, got ${q.got}, position ${A.ex.posOf(A.acc, m.coin)}, standing stops ${A.ex
          .live(A.acc)
          .filter((o) => o.coin === m.coin && o.trigger && o.live === "trigger")
          .map((o) => o.sz)}`,
      );
      if (kind === "stop") {
        const x = await A.c.plain.get(`/v1/stops/${e.body.id}`);
        A.notes.push(`  outside ${JSON.stringify(x.body.outside)}`);
        const sig = await A.gw.resumption(A.i, A.id, e.body.id);
        await A.c.plain.post(`/v1/stops/${e.body.id}/resume`, { account: A.id, signature: sig });
      }
      calm(A);
    }
  },
};
