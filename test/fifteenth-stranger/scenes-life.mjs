// Deaths and doubles of the gateway itself: kill -9 at bad moments, a backup that is restored while an order is lost, two of one key.
import fs from "node:fs";
import path from "node:path";
import { exact, heal, settled } from "./ending.mjs";
import { Gateway } from "./gateway.mjs";
import { D, S } from "./ledger.mjs";

function brief(r) {
  return `${r.status} ${r.body?.status} size ${r.body?.size} filled ${r.body?.filled_size} ${r.body?.error?.message ?? r.body?.error ?? ""}`.slice(
    0,
    300,
  );
}
const SLOW = {
  orderStatus: 6000,
  historicalOrders: 9000,
  frontendOpenOrders: 5000,
  userFillsByTime: 8000,
  "ws:userFills": 8000,
  "ws:orderUpdates": 7000,
  "ws:openOrders": 5000,
  clearinghouseState: 2000,
  "ws:clearinghouseState": 2500,
};
// Kills the gateway the instant the exchange has carried the action out, and starts it again.
async function dies(stage, type, act) {
  const { gw, ex } = stage;
  let waits = true;
  let hit;
  const struck = new Promise((r) => {
    hit = r;
  });
  const strike = () => {
    waits = false;
    setTimeout(hit, 0);
  };
  ex.actionFault = (b) => (b.action.type === type && waits ? { drop: true, after: strike } : null);
  const answer = act().catch((e) => ({ status: 0, raw: String(e), body: null }));
  await struck;
  await gw.kill();
  await answer;
  ex.actionFault = () => null;
  await gw.serve();
  gw.follow();
}
async function ready(gw, seconds = 40) {
  await gw.ready(seconds);
}

export const scenes = {
  "killed-in-place": {
    about:
      "kill -9 as the exchange takes an Ioc, a Gtc that crosses in part and a batch; stores 5 to 9 s behind after the start",
    limit: 120_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      led.coins.get("BTC").depth = D("0.004");
      ex.lags = SLOW;
      await dies(stage, "order", () => gw.place({ price: "61000", time_in_force: "ioc" }, "kill-ioc-1"));
      await ready(gw);
      const a = await gw.place({ price: "61000", time_in_force: "ioc" }, "kill-ioc-1");
      note(`ioc ${brief(a)}`);
      await dies(stage, "order", () => gw.place({ price: "61000" }, "kill-gtc-1"));
      await ready(gw);
      const b = await gw.place({ price: "61000" }, "kill-gtc-1");
      note(`gtc ${brief(b)}`);
      const batch = {
        account: gw.account,
        orders: ["50000", "61000"].map((price) => ({ market: "BTC", side: "buy", size: "0.01", price })),
      };
      await dies(stage, "order", () => gw.post("/v1/orders/batch", batch, "kill-batch-1"));
      await ready(gw);
      const c = await gw.post("/v1/orders/batch", batch, "kill-batch-1");
      const list = c.body.orders ?? c.body.data ?? [];
      note(`batch ${c.status} ${list.map((o) => `${o.status}/${o.filled_size}`)}`);
      await wait(4000);
      heal(ex);
      await settled(stage, [a.body.id, b.body.id, ...list.map((o) => o.id)]);
      await exact(stage);
      note(`orders taken ${led.orders.size} (asked 4)`);
    },
  },
  "killed-in-modify": {
    about:
      "kill -9 as the exchange carries a modify out, 0.004 filled just before it; then as it carries a cancel out; stores behind",
    limit: 120_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "killmod-0");
      const o = [...led.orders.values()][0];
      await wait(1000);
      ex.lags = SLOW;
      led.execute(o, D("0.004"), o.px);
      await dies(stage, "batchModify", () =>
        gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50100" }, "killmod-1"),
      );
      await ready(gw);
      note(`modify ${brief(await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50100" }, "killmod-1"))}`);
      await wait(6000);
      note(brief(await gw.get(`/v1/orders/${a.body.id}`)));
      const live = [...led.orders.values()].find((x) => led.live(x));
      led.execute(live, D("0.001"), live.px);
      await dies(stage, "cancel", () => gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "killcan-1"));
      await ready(gw);
      note(`cancel ${brief(await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "killcan-1"))}`);
      heal(ex);
      await settled(stage, [a.body.id]);
      await exact(stage);
      const filled = led.fills.reduce((x, f) => x + f.sz, 0n);
      note(`filled ${S(filled)}, live ${[...led.orders.values()].filter((x) => led.live(x)).length}`);
      await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50100" }, "killmod-1");
      await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "killcan-1");
    },
  },
  "killed-in-trade": {
    about: "kill -9 as the stop of a trade is taken, again as its entry is; the entry fills while nobody is there",
    limit: 120_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const body = {
        account: gw.account,
        market: "BTC",
        side: "buy",
        size: "0.01",
        entry: { price: "59900" },
        stop_loss: { trigger_price: "58000" },
      };
      ex.lags = { ...SLOW, orderStatus: 3000, frontendOpenOrders: 3000 };
      await dies(stage, "order", () => gw.post("/v1/trades", body, "killtrade-1"));
      let deaths = 0;
      const second = new Promise(
        (r) =>
          (ex.actionFault = (b) =>
            b.action.type === "order" && !b.action.orders[0].t.trigger && deaths++ === 0
              ? { drop: true, after: r }
              : null),
      );
      await ready(gw);
      const t = await gw.post("/v1/trades", body, "killtrade-1");
      note(`${t.status} ${t.body.status}`);
      await Promise.race([second, wait(20_000)]);
      await gw.kill();
      const o = [...led.orders.values()].find((x) => !x.trigger && led.live(x));
      if (o) led.execute(o, D("0.01"), o.px);
      note(`entry ${o ? "filled while nobody was there" : "was not sent in 20 s"}`);
      await gw.serve();
      gw.follow();
      for (let i = 0; i < 25; i++) {
        const r = await gw.get(`/v1/trades/${t.body.id}`);
        if (i % 6 === 0)
          note(
            `${r.body?.status} held ${r.body?.held_size} protected ${r.body?.protected} ${r.body?.unprotected_because ?? ""}`,
          );
        await wait(900);
      }
      heal(ex);
      await wait(3000);
      const r = await gw.get(`/v1/trades/${t.body.id}`);
      note(
        `${r.body?.status} held ${r.body?.held_size} protected ${r.body?.protected}; orders taken ${led.orders.size}, position ${S(led.position("BTC").szi)}`,
      );
      await exact(stage);
    },
  },
  "restored-while-lost": {
    about:
      "backup, then an order whose answer is lost and one that fills; the machine dies; restored elsewhere, the keys repeated, stores behind",
    limit: 150_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      await gw.place({ price: "48000" }, "restore-0");
      const file = path.join(gw.root, "backup.db");
      await gw.cli(["backup", file, "--data-dir", gw.dir]);
      ex.actionFault = (b) => (b.action.type === "order" ? { drop: true } : null);
      const lost = gw.place({}, "restore-1").catch(() => null);
      await wait(600);
      await gw.kill();
      await lost;
      ex.actionFault = () => null;
      const was = [...led.orders.values()].at(-1);
      led.execute(was, D("0.004"), was.px);
      gw.dir = path.join(gw.root, "elsewhere");
      ex.lags = { orderStatus: 2000, historicalOrders: 5000, userFillsByTime: 6000, frontendOpenOrders: 3000 };
      await gw.cli(["restore", file, "--data-dir", gw.dir, "--unofficial-exchange"]);
      await gw.cli(["agent", "rotate", "--data-dir", gw.dir, "--passphrase-file", gw.pass]);
      await gw.approveAgent();
      await gw.serve({ POSTERN_AUDIENCE: gw.base });
      const key = gw.key;
      gw.key = await gw.grant();
      gw.follow();
      const began = Date.now();
      let r;
      for (let i = 0; i < 60; i++) {
        r = await gw.place({}, "restore-1");
        if (r.status < 300) break;
        if (i % 10 === 0) note(`${r.status} ${r.raw.slice(0, 160)}`);
        await wait(1000);
      }
      note(`after ${Math.round((Date.now() - began) / 1000)} s: ${brief(r)}`);
      note(`old key: ${(await gw.get("/v1/whoami", { key })).status}`);
      heal(ex);
      await settled(stage, [r.body.id]);
      await exact(stage, { seconds: 20 });
      note(`orders taken ${led.orders.size} (asked 2)`);
    },
  },
  "two-of-one-directory": {
    about:
      "a copy of the directory serves beside the original, the same Idempotency-Key and others asked of both; modifies and fills of one seen by the other",
    limit: 120_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "two-00000");
      const twin = new Gateway(ex, gw.wallet, gw.told);
      await gw.kill();
      fs.cpSync(gw.dir, twin.dir, { recursive: true, filter: (f) => !fs.statSync(f).isSocket() });
      fs.chmodSync(twin.dir, 0o700);
      fs.copyFileSync(gw.pass, twin.pass);
      fs.chmodSync(twin.pass, 0o600);
      stage.others.push(twin);
      await gw.serve();
      await twin.serve({ POSTERN_AUDIENCE: gw.base });
      twin.key = gw.key;
      twin.account = gw.account;
      gw.follow();
      await Promise.all([gw.ready(), twin.ready().catch((e) => note(`twin: ${String(e).slice(0, 200)}`))]);
      await twin.place({ price: "50002" }, "two-22222");
      const [x, y] = await Promise.all([
        gw.place({ price: "50001" }, "two-11111"),
        twin.place({ price: "50001" }, "two-11111"),
      ]);
      note(`${brief(x)} | ${y.status} ${y.raw.slice(0, 200)}`);
      const o = led.orders.get(BigInt(a.body.exchange_order_id));
      led.execute(o, D("0.004"), o.px);
      await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50100" }, "two-33333");
      await wait(1500);
      note(
        `twin sees ${brief(await twin.get(`/v1/orders/${a.body.id}`))}; truly ${[...led.orders.values()].map((q) => `${q.oid}:${q.hist.at(-1).status}`)}`,
      );
      for (let i = 0; i < 20; i++) {
        const [p, q] = await Promise.all([gw, twin].map((g) => fetch(`${g.base}/readyz`).then((r) => r.status)));
        if (i % 5 === 0) note(`readyz ${p} ${q}`);
        if (p !== 200 || q !== 200) break;
        await wait(1000);
      }
      await exact(stage);
    },
  },
};
