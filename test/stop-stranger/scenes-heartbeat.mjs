// Heartbeats, over silences and restarts.
import { now, sleep } from "./random.mjs";
import { body, calm, K, lags, lots, rough, waitUntil } from "./stage.mjs";

export const scenes = {
  // heartbeat
  async heartbeat(A) {
    const r = A.r;
    const [m1] = A.ms;
    A.acc.cfg.fate = rough(r, { lost: 0.05, late: 0.06, answerlost: 0.06, refused: 0.01 });
    lags(A, r, r.pick([0, 2000, 8000]));
    const c = A.c.bota;
    const within = A.variant ?? r.pick([5, 6, 8]);
    A.beats = [];
    A.hb = { within };
    let quiet = false;
    let over = false;
    const beat = async () => {
      while (!over) {
        if (!quiet) {
          const e = await c.req("PUT", "/v1/heartbeat", { within_s: within }, { once: true });
          A.beats.push({ t0: e.t0, t1: e.t1, ok: e.status === 200, st: e.status });
        }
        await sleep(1000);
      }
    };
    const b = beat();
    const ord = (async () => {
      while (!over) {
        const side = r.pick(["buy", "sell"]);
        await c.post("/v1/orders", body(A, m1, [side, lots(m1, 50), side === "buy" ? 0.95 : 1.05]), K("h"));
        await sleep(2500);
      }
    })();
    for (let i = 0; i < 3; i++) {
      await sleep(8000 + r() * 6000);
      if (r.chance(0.7)) {
        quiet = true;
        A.notes.push(`quiet ${new Date().toISOString().slice(14, 23)}`);
        const q = now();
        if (r.chance(0.4)) setTimeout(() => A.kill?.(), r() * within * 1000);
        await sleep(within * 1000 + 14000);
        const live = A.ex.live(A.acc).filter((x) => x.src === "gw" && !x.r && x.ts < q);
        A.notes.push(`after silence ${live.length} of before live; gwkills ${A.gw.kills.filter((k) => k > q).length}`);
        quiet = false;
      }
    }
    over = true;
    await Promise.all([b, ord]);
    await c.req("PUT", "/v1/heartbeat", { within_s: null });
    A.extra = (add) => {
      const missed = new Map();
      for (const x of A.evs)
        if (x.e.type === "heartbeat.missed")
          missed.set(x.e.data.missed_at, { t: Date.parse(x.e.data.missed_at), beat: Date.parse(x.e.data.beat_at) });
      const ok = A.beats.filter((x) => x.ok);
      A.notes.push(`${ok.length} beats, ${missed.size} missed`);
      for (const m of missed.values()) {
        const b4 = ok.filter((x) => x.t0 <= m.t);
        const last = b4[b4.length - 1];
        if (!last) {
          add(false, "hb", "missed with no beat");
          continue;
        }
        if (m.t - last.t0 < within * 1000 - 50)
          add(
            true,
            "heartbeat-false",
            `heartbeat.missed at ${new Date(m.t).toISOString()} ${m.t - last.t0} ms after an answered beat (within ${within} s)`,
            m.t,
          );
      }
      // silences not acted on
      for (let i = 0; i < ok.length; i++) {
        const b = ok[i];
        const nx = ok[i + 1];
        const endT = nx ? nx.t0 : A.endT;
        let due = b.t1 + within * 1000;
        for (const l of A.gw.lives) if (l.from > b.t0 && l.ready && l.from < due) due = l.ready + within * 1000;
        const downAfter = A.gw.lives.some((l) => l.from > due - within * 1000 && l.from > b.t1 && l.from < endT);
        if (endT - due > 3000 && !downAfter && nx) {
          if (![...missed.values()].some((m) => m.t > b.t0 && m.t < endT + 100))
            add(
              true,
              "heartbeat-missed",
              `silence of ${endT - b.t1} ms after beat ${new Date(b.t1).toISOString()} (within ${within} s) never told`,
              due,
            );
        }
      }
    };
    A.endT = now();
  },
  async hbRestart(A) {
    const r = A.r;
    const [m1] = A.ms;
    calm(A);
    lags(A, r, 500);
    const c = A.c.bota;
    const within = 6;
    await c.post("/v1/orders", body(A, m1, ["buy", lots(m1, 60), 0.95]), K("h"));
    const b = await c.req("PUT", "/v1/heartbeat", { within_s: within });
    for (let i = 0; i < 6; i++) {
      await sleep(4500);
      await A.gw.restart(0);
      await waitUntil(() => A.gw.lives[A.gw.lives.length - 1].ready, 10000, 50);
    }
    await sleep(1000);
    const h = await A.c.bota.get("/v1/heartbeat");
    A.notes.push(
      `beat ${new Date(b.t1).toISOString()} then restarts at ${A.gw.kills.slice(-6).map((k) => k - b.t1)}; ${JSON.stringify(h.body)}`,
    );
    const live = A.ex.live(A.acc).filter((x) => x.src === "gw").length;
    A.notes.push(`live ${live}`);
    A.notes.push(
      `lives ${JSON.stringify(A.gw.lives.map((l) => [l.from - b.t1, l.ready && l.ready - b.t1, l.to && l.to - b.t1]))}`,
    );
    if (live) A.soft.push(`30 s without a beat over 6 restarts (within ${within}), the order still lives`);
    await sleep(15000);
    const live2 = A.ex.live(A.acc).filter((x) => x.src === "gw").length;
    const h2 = await A.c.bota.get("/v1/heartbeat");
    A.notes.push(`later live ${live2} ${h2.body?.status} missed ${h2.body?.missed_at}`);
    if (live2) A.hard.push("silence over restarts never heard");
  },
};
