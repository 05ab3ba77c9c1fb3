// Sums over time: funding and balances, and the same order of magnitude told by every door at once.
import { exact, heal } from "./ending.mjs";
import { D, S } from "./ledger.mjs";

function brief(r) {
  return `${r.status} ${r.body?.status} size ${r.body?.size} filled ${r.body?.filled_size} ${r.body?.error?.message ?? r.body?.error ?? ""}`.slice(
    0,
    220,
  );
}

export const scenes = {
  "every-door-at-once": {
    about:
      "an order fills in steps while events, reads, lists, its story, the command line, exports and performance are read at once; stores 0 to 4 s behind, each by itself",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({ size: "0.05", price: "59000" }, "doors-0000");
      const o = [...led.orders.values()].at(-1);
      for (const t of [
        "orderStatus",
        "frontendOpenOrders",
        "userFillsByTime",
        "clearinghouseState",
        "ws:userFills",
        "ws:orderUpdates",
        "ws:openOrders",
        "ws:clearinghouseState",
      ])
        ex.lags[t] = () => Math.floor(Math.random() * 4000);
      for (let i = 0; i < 14; i++) {
        led.execute(o, D("0.002"), o.px);
        await Promise.all(
          [
            `/v1/orders/${a.body.id}`,
            "/v1/orders?status=open",
            "/v1/orders",
            "/v1/fills?limit=500",
            "/v1/positions",
            "/v1/performance",
          ].map((r) => gw.get(r)),
        );
        if (i % 5 === 0) {
          const csv = await gw.get("/v1/exports/fills.jsonl");
          const story = await gw.cli(["order", "explain", a.body.id, "--data-dir", gw.dir]);
          note(
            `${i}: export ${csv.raw.trim().split("\n").filter(Boolean).length} fills of ${led.fills.length}; explained: ${story
              .split("\n")
              .find((l) => /filled/i.test(l))
              ?.trim()
              .slice(0, 120)}`,
          );
        }
        await wait(900);
      }
      const c = await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "doors-1111");
      note(`${brief(c)}; truly ${S(o.filled)}`);
      await wait(5000);
      heal(ex);
      await exact(stage, { seconds: 20 });
      note(brief(await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "doors-1111")));
    },
  },
  "fills-unheard": {
    about:
      "0.004 of a resting order fills; every server of fills is 25 s behind, open lists and positions are of now: what is told of the size, and of another order that crosses in part",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "unheard-00");
      const o = [...led.orders.values()].at(-1);
      await wait(2000);
      ex.lags = { userFillsByTime: 25_000, "ws:userFills": 25_000, userFills: 25_000 };
      led.execute(o, D("0.004"), o.px);
      led.coins.get("BTC").depth = D("0.003");
      const b = await gw.place({ price: "61000" }, "unheard-11");
      note(`crosses in part: ${brief(b)}`);
      const began = Date.now();
      let told = "";
      for (let i = 0; i < 26; i++) {
        const [x, y] = await Promise.all([a, b].map((r) => gw.get(`/v1/orders/${r.body.id}`)));
        const line = `rested ${x.body.status} ${x.body.filled_size} ${x.body.error ?? ""}; crossed ${y.body.status} ${y.body.filled_size} ${y.body.error ?? ""}`;
        if (i > 3 && !x.note.asOf && x.body.filled_size === "0")
          stage.now = [...(stage.now ?? []), ((Date.now() - began) / 1000).toFixed(0)];
        if (line !== told) note(`${((Date.now() - began) / 1000).toFixed(1)} s: ${line} (as of ${x.note.asOf})`);
        told = line;
        await wait(900);
      }
      note(
        `told as of now (no X-Data-As-Of) that nothing of it was filled, at s ${stage.now ?? "never"}; open list ${JSON.stringify(ex.views.open(Date.now(), "").map((r) => [r.sz, r.origSz]))}`,
      );
      heal(ex);
      await exact(stage);
    },
  },
  "cancel-all-over-fills": {
    about:
      "cancel-all over six orders while three fill, one in part; fills 5 s late; the results that it tells, and whether they change after `done`",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const ids = [];
      for (let i = 0; i < 6; i++) ids.push((await gw.place({ price: String(50000 + i) }, `over-${i}000`)).body.id);
      await wait(1500);
      const os = [...led.orders.values()];
      ex.lags = {
        userFillsByTime: 5000,
        "ws:userFills": 5000,
        orderStatus: 1000,
        "ws:orderUpdates": 1500,
        frontendOpenOrders: 2000,
        "ws:openOrders": 2000,
      };
      led.execute(os[0], D("0.01"), os[0].px);
      led.execute(os[1], D("0.004"), os[1].px);
      const r = await gw.post("/v1/orders/cancel-all", { account: gw.account }, "over-all-0");
      led.execute(os[2], os[2].rest, os[2].px);
      const tell = (b) => b.results.map((x) => `${x.status}/${x.filled_size}`).join(" ");
      note(`${r.status} ${r.body.status}: ${tell(r.body)}`);
      let done = null;
      for (let i = 0; i < 20; i++) {
        const g = await gw.get(`/v1/cancel-alls/${r.body.id}`);
        for (const x of g.body.results) {
          const leg = led.byCloid.get(`0x${x.order_id.replaceAll("-", "")}`)[0];
          if (["filled", "canceled"].includes(x.status) && (led.live(leg) || D(x.filled_size ?? "0") !== leg.filled))
            note(
              `FALSE ${i} s: ${x.order_id.slice(-4)} told ${x.status} ${x.filled_size}, truly ${leg.hist.at(-1).status} ${S(leg.filled)}`,
            );
        }
        if (g.body.status === "done") {
          if (done && done !== g.raw) note("changed after done");
          done = g.raw;
        }
        await wait(800);
      }
      note(done ? `done: ${tell(JSON.parse(done))}` : "not done in 16 s");
      heal(ex);
      await exact(stage);
    },
  },
};
