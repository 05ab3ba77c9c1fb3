// Changing and ending: modify, cancel, cancel-all, with fills under way and every store behind by its own measure.
import { exact, heal, settled } from "./ending.mjs";
import { D, S } from "./ledger.mjs";

function brief(r) {
  return `${r.status} ${r.body?.status} size ${r.body?.size} filled ${r.body?.filled_size} ${r.body?.error ?? ""}`.slice(
    0,
    260,
  );
}
function last(led) {
  return [...led.orders.values()].at(-1);
}
function on(type, fault) {
  let n = 0;
  return (b) => (b.action.type === type ? fault(b, n++) : null);
}
async function ending(stage, ids, seconds = 30) {
  heal(stage.ex);
  await settled(stage, ids, seconds);
  await exact(stage);
}
// What an account holds beyond what it asked for: an order of `size` never fills more than that.
function excess({ led, note }, size) {
  const filled = led.fills.reduce((a, f) => a + f.sz, 0n);
  const rest = [...led.orders.values()].filter((o) => led.live(o)).reduce((a, o) => a + o.rest, 0n);
  note(`filled ${S(filled)}, rests ${S(rest)}${filled + rest > D(size) ? `: MORE than ${size}` : ""}`);
}

export const scenes = {
  "modify-price-in-flight": {
    about: "price-only modify; 0.004 fills in the instant before; fills 5 s late, record frozen, lists 3 s late",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "mod-price-0");
      const o = last(led);
      ex.lags = {
        userFillsByTime: 5000,
        "ws:userFills": 6000,
        frontendOpenOrders: 3000,
        "ws:openOrders": 3500,
        "ws:orderUpdates": 1500,
        historicalOrders: 4000,
        clearinghouseState: 3000,
        "ws:clearinghouseState": 3000,
      };
      const fault = on("batchModify", () => ({}));
      ex.actionFault = (b) => {
        if (b.action.type === "batchModify" && o.filled === 0n) led.execute(o, D("0.004"), o.px);
        return fault(b);
      };
      const m = await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50100" }, "mod-price-1");
      note(brief(m));
      for (let i = 0; i < 12; i++) {
        const g = await gw.get(`/v1/orders/${a.body.id}`);
        if (i % 3 === 0) note(brief(g));
        await wait(1000);
      }
      excess(stage, "0.01");
      await ending(stage, [a.body.id]);
      excess(stage, "0.01");
    },
  },
  "modify-twice-fill-between": {
    about: "two price-only modifies at once and a fill of each leg just before it goes; answers of both lost",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "mod-two-0");
      ex.lags = {
        userFillsByTime: 3000,
        "ws:userFills": 3500,
        orderStatus: 900,
        historicalOrders: 5000,
        "ws:openOrders": 2000,
        frontendOpenOrders: 2500,
      };
      ex.actionFault = (b) => {
        if (b.action.type !== "batchModify") return null;
        const live = [...led.orders.values()].find((x) => led.live(x));
        if (live) led.execute(live, D("0.003"), live.px);
        return { drop: true };
      };
      const [m, n] = await Promise.all([
        gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50100" }, "mod-two-1"),
        gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50200" }, "mod-two-2"),
      ]);
      note(`${brief(m)} | ${brief(n)}`);
      await wait(12_000);
      note(brief(await gw.get(`/v1/orders/${a.body.id}`)));
      excess(stage, "0.01");
      await ending(stage, [a.body.id]);
      excess(stage, "0.01");
      await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50100" }, "mod-two-1");
      await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50200" }, "mod-two-2");
    },
  },
  "modify-size-down-filled": {
    about:
      "size-only modify from 0.01 to 0.003 while 0.006 fills; then size up with always_place after the order was filled whole",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "mod-size-0");
      const o = last(led);
      ex.lags = { userFillsByTime: 4000, "ws:userFills": 4500, frontendOpenOrders: 2000 };
      ex.actionFault = (b) => {
        if (b.action.type === "batchModify" && o.filled === 0n) led.execute(o, D("0.006"), o.px);
        return null;
      };
      note(brief(await gw.post(`/v1/orders/${a.body.id}/modify`, { size: "0.003" }, "mod-size-1")));
      await wait(6000);
      note(brief(await gw.get(`/v1/orders/${a.body.id}`)));
      const b = await gw.place({ price: "49000" }, "mod-size-2");
      const q = last(led);
      ex.actionFault = (x) => {
        if (x.action.type === "batchModify" && q.filled === 0n) led.execute(q, D("0.01"), q.px);
        return x.action.type === "batchModify" ? { drop: true } : null;
      };
      const m = await gw.post(`/v1/orders/${b.body.id}/modify`, { size: "0.02", always_place: true }, "mod-size-3");
      note(`${brief(m)} ${m.body.id === b.body.id ? "same" : "new"} id`);
      await wait(8000);
      note(brief(await gw.get(`/v1/orders/${b.body.id}`)));
      await ending(stage, [a.body.id, b.body.id, m.body.id]);
      note(brief(await gw.post(`/v1/orders/${b.body.id}/modify`, { size: "0.02", always_place: true }, "mod-size-3")));
    },
  },
  "modify-refused-original-gone": {
    about:
      "the replacement would cross: original gone, replacement refused; the old record says open and the list lists it for 4 s",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "mod-gone-0");
      await wait(1200);
      ex.lags = {
        orderStatus: 4000,
        frontendOpenOrders: 4000,
        "ws:openOrders": 4000,
        "ws:orderUpdates": 4000,
        historicalOrders: 5000,
      };
      ex.actionFault = on("batchModify", (_b, n) =>
        n === 0 ? { after: () => led.execute([...led.orders.values()][0], 0n, 0n) } : { drop: true },
      );
      note(brief(await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "61000" }, "mod-gone-1")));
      note(brief(await gw.get(`/v1/orders/${a.body.id}`)));
      const b = await gw.place({ price: "50500" }, "mod-gone-2");
      await wait(5000);
      note(brief(await gw.post(`/v1/orders/${b.body.id}/modify`, { price: "61000" }, "mod-gone-3")));
      for (let i = 0; i < 8; i++) {
        await gw.get(`/v1/orders/${b.body.id}`);
        await wait(800);
      }
      await ending(stage, [a.body.id, b.body.id]);
    },
  },
  "cancel-races-fill": {
    about:
      "cancel answered success, 0.004 filled in the instant before; every source of fills 7 s late, and the record keeps sz = origSz",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const ids = [];
      for (const [i, mode] of ["answer", "lost"].entries()) {
        const a = await gw.place({ price: String(50000 + i) }, `cancel-race-${i}`);
        ids.push(a.body.id);
        const o = last(led);
        await wait(1500);
        ex.lags = {
          userFillsByTime: 7000,
          "ws:userFills": 7500,
          clearinghouseState: 7000,
          "ws:clearinghouseState": 7000,
        };
        ex.edit = (t, x) =>
          t === "orderStatus" && x.status === "order"
            ? { ...x, order: { ...x.order, order: { ...x.order.order, sz: x.order.order.origSz } } }
            : x;
        ex.wsEdit = (c, d) =>
          c === "orderUpdates" ? d.map((u) => ({ ...u, order: { ...u.order, sz: u.order.origSz } })) : d;
        ex.actionFault = (b) => {
          if (/^cancel/.test(b.action.type) && o.filled === 0n) led.execute(o, D("0.004"), o.px);
          return /^cancel/.test(b.action.type) && mode === "lost" ? { drop: true } : null;
        };
        note(brief(await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, `cancel-race-c${i}`)));
        for (let k = 0; k < 5; k++) {
          await gw.get(`/v1/orders/${a.body.id}`);
          await wait(500);
        }
      }
      await wait(7000);
      await ending(stage, ids);
      for (const [i, id] of ids.entries())
        note(brief(await gw.post(`/v1/orders/${id}/cancel`, {}, `cancel-race-c${i}`)));
    },
  },
  "cancel-double-lap": {
    about:
      "for 2.5 s after its ack a cancel answers 'never placed' although the order rests; records know nothing for 3 s",
    async play(stage) {
      const { gw, ex, led, note } = stage;
      ex.lags = { orderStatus: 3000, frontendOpenOrders: 3000, "ws:openOrders": 3000, "ws:orderUpdates": 3000 };
      ex.actions.rules.push({
        when: (a) => /^cancel/.test(a.type) && Date.now() - last(led).born < 2500,
        answer: (a) => ({
          status: "ok",
          response: {
            type: "cancel",
            data: {
              statuses: a.cancels.map((c) => ({
                error: `Order was never placed, already canceled, or filled. asset=${c.a ?? c.asset}`,
              })),
            },
          },
        }),
      });
      const a = await gw.place({}, "lap-0000");
      const c = await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "lap-1111");
      note(`${brief(c)} after ${c.note.t1 - c.note.t0} ms`);
      const b = await gw.place({ price: "50001" }, "lap-2222");
      const d = await gw.post("/v1/orders/cancel-all", { account: gw.account }, "lap-3333");
      note(`${d.status} ${d.raw.slice(0, 300)}`);
      await stage.wait(5000);
      note((await gw.get(`/v1/cancel-alls/${d.body.id}`)).raw.slice(0, 400));
      await ending(stage, [a.body.id, b.body.id]);
    },
  },
  "cancel-all-with-unknown": {
    about:
      "cancel-all while one order rests, one is of unknown outcome and on its way (relayed after 5 s), one fills in part; noops lost too",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "call-0000");
      const b = await gw.place({ price: "50001" }, "call-1111");
      ex.lags = {
        frontendOpenOrders: 6000,
        "ws:openOrders": 6000,
        userFillsByTime: 5000,
        "ws:userFills": 5500,
        orderStatus: 2000,
      };
      ex.actionFault = on("order", () => ({ late: 5000, drop: true }));
      const c = gw.place({ price: "50002" }, "call-2222");
      await wait(800);
      const q = led.byCloid.get(`0x${b.body.id.replaceAll("-", "")}`)[0];
      led.execute(q, D("0.004"), q.px);
      const lost = ex.actionFault;
      ex.actionFault = (x) =>
        x.action.type === "noop" ? { refuse: { status: 502, text: "<html>", type: "text/html" } } : lost(x);
      const d = await gw.post("/v1/orders/cancel-all", { account: gw.account }, "call-3333");
      note(`${d.status} ${d.raw.slice(0, 500)}`);
      const cc = await c;
      for (let i = 0; i < 14; i++) {
        await gw.get(`/v1/cancel-alls/${d.body.id}`);
        await gw.get("/v1/orders?status=open");
        await wait(1000);
      }
      note((await gw.get(`/v1/cancel-alls/${d.body.id}`)).raw.slice(0, 700));
      await ending(stage, [a.body.id, b.body.id, cc.body.id]);
      note(`live at the end: ${[...led.orders.values()].filter((o) => led.live(o)).length}`);
    },
  },
  "modify-and-cancel-at-once": {
    about: "a modify whose answer is held for 6 s, a cancel in between; the old record says open",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "mc-00000");
      await wait(1500);
      ex.lags = {
        orderStatus: 3000,
        frontendOpenOrders: 4000,
        "ws:openOrders": 4000,
        "ws:orderUpdates": 3000,
        userFillsByTime: 3000,
      };
      ex.actionFault = on("batchModify", () => ({ late: 2500, delay: 6000, drop: true }));
      const m = gw.post(`/v1/orders/${a.body.id}/modify`, { price: "50100" }, "mc-11111");
      await wait(400);
      const c = await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "mc-22222");
      note(`cancel ${brief(c)}`);
      note(`modify ${brief(await m)}`);
      await wait(6000);
      await ending(stage, [a.body.id]);
      note(`live at the end: ${[...led.orders.values()].filter((o) => led.live(o)).length}`);
    },
  },
  "trigger-moved-as-it-fires": {
    about: "a stop is moved with always_place in the instant in which it fires; its record and fills are 4 s late",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const e = await gw.place({ price: "61000" }, "trig-0000");
      const s = await gw.place(
        {
          side: "sell",
          reduce_only: true,
          price: "50000",
          trigger: { kind: "stop_loss", price: "59000", market: true },
        },
        "trig-1111",
      );
      note(brief(s));
      await wait(1200);
      ex.lags = {
        orderStatus: 4000,
        userFillsByTime: 4500,
        "ws:userFills": 4000,
        "ws:orderUpdates": 4200,
        frontendOpenOrders: 4000,
        "ws:openOrders": 4000,
        clearinghouseState: 3000,
        "ws:clearinghouseState": 3500,
      };
      ex.actionFault = on("batchModify", () => {
        led.setMark("BTC", "58900");
        return { delay: 300 };
      });
      const m = await gw.post(
        `/v1/orders/${s.body.id}/modify`,
        { trigger: { kind: "stop_loss", price: "58000", market: true }, always_place: true },
        "trig-2222",
      );
      note(`${brief(m)} ${m.body.id === s.body.id}`);
      for (let i = 0; i < 7; i++) {
        await gw.get(`/v1/orders/${s.body.id}`);
        await gw.get("/v1/positions");
        await wait(900);
      }
      await ending(stage, [e.body.id, s.body.id, m.body.id]);
    },
  },
};
