// Stops in the middle of everything: a storm, lost and refused orders, batches, a gateway that dies.

import { ACCOUNTS } from "./markets.mjs";
import { now, sleep } from "./random.mjs";
import { body, calm, K, lags, lots, rough, S, waitUntil } from "./stage.mjs";
import { flow, world } from "./traffic.mjs";

const resumeTries = async (A, id) => {
  for (const w of Object.keys(A.c)) {
    const c = A.c[w];
    for (const [p, b] of [
      [`/v1/stops/${id}/resume`, {}],
      [`/v1/stops/${id}/resume`, { account: A.id, signature: `0x${"11".repeat(64)}1b` }],
    ]) {
      const e = await c.post(p, b, undefined, { retry503: false });
      if (e.status >= 200 && e.status < 300) A.hard.push(`resume by API key ${w}: ${e.status}`);
    }
    const e = await c.req("DELETE", `/v1/stops/${id}`, null, { retry503: false });
    if (e.status >= 200 && e.status < 300) A.hard.push(`DELETE stop ${e.status}`);
  }
  // an owner's signature of another account or another stop
  const other = await A.gw.resumption((A.i + 1) % ACCOUNTS, A.id, id);
  const e2 = await A.c.plain.post(`/v1/stops/${id}/resume`, { account: A.id, signature: other }, undefined, {
    retry503: false,
  });
  if (e2.status === 200) A.hard.push("resume by another owner's signature");
  const s3 = await A.gw.resumption(A.i, A.id, "00000000-0000-7000-8000-000000000000");
  const e3 = await A.c.plain.post(`/v1/stops/${id}/resume`, { account: A.id, signature: s3 }, undefined, {
    retry503: false,
  });
  if (e3.status === 200) A.hard.push("resume by signature of another stop");
};
export const scenes = {
  // stop in the middle of a storm, bots' orders unknown
  async stopStorm(A) {
    const r = A.r;
    A.mayFlip = true;
    const [m1, m2] = A.ms;
    lags(A, r, null);
    A.acc.cfg.fate = rough(r, r.chance(0.5) ? { lost: 0.2, late: 0.35, answerlost: 0.15 } : {});
    A.acc.cfg.infoFail = 0.05;
    let end = now() + 12000 + r() * 8000;
    const U = () => end;
    const fl = [
      flow(A.c.plain, m1, U),
      flow(A.c.bota, m2, U, { stops: false }),
      flow(A.c.botb, m1, U, { stops: false }),
    ];
    await sleep(6000 + r() * 8000);
    const scope = r.chance(0.65) ? "account" : "bot";
    const by = scope === "account" ? r.pick(["plain", "botall"]) : r.pick(["bota", "plain"]);
    A.askedStop = { scope, by };
    const e = await A.c[by].post("/v1/stop", { scope }, r.chance(0.5) ? K("stop") : undefined);
    A.notes.push(`stop ${scope} by ${by}: ${e.status} ${e.body?.status ?? JSON.stringify(e.body)}`);
    end = Math.max(end, now() + 6000);
    const id = e.body?.id;
    if (!id) return;
    const wd = world(A, r, 45000);
    if (r.chance(0.5)) setTimeout(() => A.gw.up && A.kill?.(), r() * 4000);
    await Promise.all(fl);
    const got = await waitUntil(
      async () => {
        const x = await A.c.plain.get(`/v1/stops/${id}`);
        return x.body?.status === "stopped" && x;
      },
      60000,
      700,
    );
    A.notes.push(`stopped after ${got ? now() - e.t0 : "never"} ms`);
    if (r.chance(0.4)) await resumeTries(A, id);
    if (scope === "account" && got && r.chance(0.6)) {
      const f = await A.c.plain.post(`/v1/stops/${id}/flatten`, { max_slippage_bps: 100 });
      const z = await waitUntil(
        async () => {
          const x = await A.c.plain.get(`/v1/stops/${id}`);
          return ["flat", "left"].includes(x.body?.flatten?.status) && x;
        },
        60000,
        700,
      );
      A.flat = z?.body?.flatten;
      A.flatT = z?.t1;
      A.notes.push(`flatten ${f.status} -> ${z?.body?.flatten?.status} ${JSON.stringify(z?.body?.flatten?.left)}`);
      if (z?.body?.flatten?.status === "flat") {
        const p = [...A.ex.posAt(A.acc, z.t0 - 1)].filter(([, x]) => x.szi);
        if (p.length) A.hard.push(`flatten told flat while held: ${JSON.stringify(p)}`);
      }
    }
    await wd;
    if (r.chance(0.5) && id) {
      const sig = await A.gw.resumption(A.i, A.id, id);
      const x = await A.c.plain.post(`/v1/stops/${id}/resume`, { account: A.id, signature: sig });
      A.notes.push(`resume ${x.status} ${x.body?.status}`);
      if (x.status === 200) {
        calm(A);
        const y = await A.c[by].post("/v1/orders", body(A, m1, ["buy", lots(m1, 50), 0.95]), K("after"));
        A.notes.push(`order after resume: ${y.status} ${y.body?.status ?? y.body?.error?.code}`);
      }
    }
  },
  // batch
  async batch(A) {
    const r = A.r;
    A.mayFlip = true;
    A.batches = [];
    const [m1, m2] = A.ms;
    lags(A, r, null);
    A.acc.cfg.fate = rough(r, { late: 0.2, twice: 0.1 });
    A.acc.cfg.infoFail = 0.05;
    const js = [];
    for (let i = 0; i < 7; i++) {
      const c = A.c[r.pick(["plain", "plain2", "plain", "bota"])];
      const nOrd = r.pick([1, 2, 5, 12, 39]);
      const orders = [];
      for (let j = 0; j < nOrd; j++) {
        const m = r.pick([m1, m2]);
        const side = r.pick(["buy", "sell"]);
        const { account, ...b } = body(
          A,
          m,
          [side, lots(m, r.int(15, 100)), side === "buy" ? r.pick([0.97, 0.95, 1.01]) : r.pick([1.03, 1.05, 0.99])],
          r.chance(0.15) ? { time_in_force: "alo" } : r.chance(0.2) ? { time_in_force: "ioc" } : {},
        );
        if (r.chance(0.08)) {
          b.reduce_only = true;
        }
        orders.push(b);
      }
      const idem = K("b");
      js.push(
        (async () => {
          const e = await c.post("/v1/orders/batch", { account: A.id, orders }, idem);
          await sleep(r() * 4000);
          const e2 = await c.post("/v1/orders/batch", { account: A.id, orders }, idem);
          A.batches.push({ idem, n: nOrd, e, e2 });
        })(),
      );
      await sleep(500 + r() * 3000);
      if (r.chance(0.2)) A.kill?.();
    }
    if (r.chance(0.5)) {
      await A.c.plain.post("/v1/stop", { scope: "account" });
    }
    await Promise.all(js);
    await world(A, r, 15000);
    A.extra = (add) => {
      for (const b of A.batches) {
        const a1 = b.e.body?.orders?.map((o) => o.id),
          a2 = b.e2.body?.orders?.map((o) => o.id);
        A.notes.push(`batch ${b.n}: ${b.e.status}/${b.e2.status} ${b.e.body?.error?.code ?? ""}`);
        if (a1 && a2 && JSON.stringify(a1) !== JSON.stringify(a2))
          add(true, "batch-ids", `batch ${b.idem} answered other ids`);
        if (a1 && a1.length !== b.n) add(true, "batch-ids", "length");
      }
    };
  },
  // an order that one server refuses and another carries out, and a stop meanwhile
  async stopRefused(A) {
    const r = A.r;
    A.mayFlip = true;
    const [m1, m2] = A.ms;
    calm(A);
    lags(A, r, A.variant ?? 400);
    for (let i = 0; i < 4; i++) {
      let stopId;
      A.acc.cfg.fate = (a) =>
        a.type === "order"
          ? { kind: r.pick(["refused", "refused", "late"]), late: 5000 + r() * 7000, delay: 30 }
          : a.type === "noop"
            ? { kind: r.pick(["ok", "lost", "answerlost", "refused"]), late: 6000 }
            : { kind: "ok", delay: 30 };
      const w = r.pick(["plain", "bota"]);
      const e = await A.c[w].post(
        "/v1/orders",
        body(A, m1, ["buy", lots(m1, 60), r.pick([0.97, 1.02])], r.chance(0.3) ? { time_in_force: "ioc" } : {}),
        K("rf"),
        { once: true },
      );
      const bt = r.chance(0.4)
        ? A.c[w].post(
            "/v1/orders/batch",
            {
              account: A.id,
              orders: [1, 2].map(() => {
                const { account, ...b } = body(A, m2, ["sell", lots(m2, 60), 1.03]);
                return b;
              }),
            },
            K("rfb"),
            { once: true },
          )
        : 0;
      await sleep(r() * 1500);
      await bt;
      const s = await A.c[w].post("/v1/stop", { scope: r.chance(0.6) && w === "plain" ? "account" : "bot" }, K("stop"));
      stopId = s.body.id;
      A.notes.push(
        `${w} order ${e.status} ${e.body?.status} "${(e.body?.error?.message ?? e.body?.error ?? "").slice(0, 60)}" stop ${s.body.scope} ${s.status} ${s.body.status}`,
      );
      const got = await waitUntil(
        async () => {
          const x = await A.c.plain.get(`/v1/stops/${stopId}`);
          return x.body?.status === "stopped" && x;
        },
        45000,
        300,
      );
      A.notes.push(`stopped after ${got ? got.t1 - s.t0 : "never"}`);
      await sleep(14000);
      A.acc.cfg.fate = null;
      const sig = await A.gw.resumption(A.i, A.id, stopId);
      await A.c.plain.post(`/v1/stops/${stopId}/resume`, { account: A.id, signature: sig });
    }
  },
  // dies while orders are on their way, stop at once
  async stopKill(A) {
    const r = A.r;
    A.mayFlip = true;
    const [m1, m2] = A.ms;
    calm(A);
    for (let i = 0; i < 4; i++) {
      calm(A);
      lags(A, r, null);
      A.acc.cfg.fate = (a) =>
        a.type === "order" || a.type === "twapOrder" || a.type === "batchModify"
          ? { kind: r.pick(["late", "answerlost", "lost"]), late: 3000 + r() * 9000, delay: 20, answer: "hang" }
          : rough(r)();
      const js = [0, 1, 2].map((k) =>
        A.c[["plain", "bota", "botb"][k]].post("/v1/orders", body(A, m1, ["buy", lots(m1, 60), 0.98]), K("sk"), {
          once: true,
        }),
      );
      js.push(
        A.c.plain.post(
          "/v1/twaps",
          { market: m2.coin, side: "buy", size: S(m2, lots(m2, 2000)), duration_minutes: 5 },
          K("tw"),
          { once: true },
        ),
      );
      await sleep(r.pick([30, 80, 150, 400, 2000]));
      await A.gw.restart(r.int(0, 500));
      const s = await A.c.plain.post("/v1/stop", { scope: "account" }, K("stop"));
      const id = s.body.id;
      A.notes.push(`stop ${s.status} ${s.body.status}`);
      if (r.chance(0.4)) {
        await sleep(r() * 3000);
        await A.gw.restart(0);
      }
      const got = await waitUntil(
        async () => {
          const x = await A.c.plain.get(`/v1/stops/${id}`);
          return x.body?.status === "stopped" && x;
        },
        60000,
        300,
      );
      A.notes.push(`stopped after ${got ? got.t1 - s.t0 : "never"}`);
      await Promise.all(js);
      await sleep(13000);
      const sig = await A.gw.resumption(A.i, A.id, id);
      await A.c.plain.post(`/v1/stops/${id}/resume`, { account: A.id, signature: sig });
    }
  },
};
