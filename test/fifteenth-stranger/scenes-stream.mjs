// What the stream alone tells, and what is concluded of it.
import { exact, heal, settled } from "./ending.mjs";
import { D } from "./ledger.mjs";

function brief(r) {
  return `${r.status} ${r.body?.status} size ${r.body?.size} filled ${r.body?.filled_size} ${r.body?.error?.message ?? r.body?.error ?? ""}`.slice(
    0,
    300,
  );
}
async function ending(stage, ids, seconds = 30) {
  heal(stage.ex);
  await settled(stage, ids, seconds);
  await exact(stage);
}

export const scenes = {
  "taker-lost": {
    about:
      "a Gtc that crosses fills whole in the block that takes it, the answer is lost; the stream tells open and filled in one array (PROTOCOL §5); fills late or not",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      const ids = [];
      for (const [i, lags] of [
        {},
        { userFillsByTime: 3000, "ws:userFills": 3000 },
        {
          orderStatus: 4000,
          historicalOrders: 6000,
          userFillsByTime: 9000,
          "ws:userFills": 9000,
          frontendOpenOrders: 4000,
        },
      ].entries()) {
        ex.lags = lags;
        ex.actionFault = (b) => (b.action.type === "order" ? { drop: true } : null);
        const fields = { price: "61000", size: i === 1 ? "0.02" : "0.01" };
        const r = await gw.place(fields, `taker-lost-${i}`);
        note(`${i}: ${brief(r)} after ${r.note.t1 - r.note.t0} ms`);
        ids.push(r.body.id);
        await wait(10_000);
        note(
          `${i}: now ${brief(await gw.get(`/v1/orders/${r.body.id}`))}; key again: ${brief(await gw.place(fields, `taker-lost-${i}`))}`,
        );
      }
      await ending(stage, ids);
    },
  },
  "taker-relayed": {
    about: "the same, executed 9 s after a 502 with noops lost: 202, then what the key is answered with for ever",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.lags = { orderStatus: 4_000, historicalOrders: 10_000, frontendOpenOrders: 6_000, "*": 2000 };
      ex.actionFault = (b) =>
        b.action.type === "order"
          ? { late: 9_000, status: 502 }
          : { refuse: { status: 502, text: "<html>", type: "text/html" } };
      const r = await gw.place({ price: "61000" }, "taker-relayed");
      note(brief(r));
      for (let i = 0; i < 18; i++) {
        const g = await gw.place({ price: "61000" }, "taker-relayed");
        if (g.status !== 202) {
          note(`key after ${i} s: ${brief(g)}; order ${brief(await gw.get(`/v1/orders/${r.body.id}`))}`);
          break;
        }
        await wait(1000);
      }
      await ending(stage, [r.body.id]);
      note(`key at the end: ${brief(await gw.place({ price: "61000" }, "taker-relayed"))}`);
    },
  },
  "stream-before-answer": {
    about:
      "nothing is lost: the answer comes 900 ms after the stream has told open and filled; Gtc, Ioc, a batch, an always_place modify; fills 3 s late",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.lags = { userFillsByTime: 3000, "ws:userFills": 3000, historicalOrders: 2000 };
      ex.actionFault = () => ({ delay: 900 });
      const a = await gw.place({ price: "61000" }, "before-000");
      const b = await gw.place({ price: "61000", time_in_force: "ioc" }, "before-111");
      const c = await gw.post(
        "/v1/orders/batch",
        {
          account: gw.account,
          orders: ["61000", "50000"].map((price) => ({ market: "BTC", side: "buy", size: "0.01", price })),
        },
        "before-222",
      );
      note(`${brief(a)} | ${brief(b)} | ${c.body.orders.map((o) => `${o.status}/${o.filled_size}`)}`);
      const m = await gw.post(
        `/v1/orders/${c.body.orders[1].id}/modify`,
        { price: "61000", always_place: true },
        "before-333",
      );
      note(`modify ${brief(m)}`);
      await wait(5000);
      await ending(stage, [a.body.id, b.body.id, ...c.body.orders.map((o) => o.id)]);
    },
  },
  "taker-slow": {
    about:
      "a taker's answer comes 3, 6 and 10 s late and says filled; the stream told open and filled at once, fills come 4 s late",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.lags = { userFillsByTime: 4000, "ws:userFills": 4000 };
      const ids = [];
      for (const delay of [3000, 6000, 10_000]) {
        ex.actionFault = (b) => (b.action.type === "order" ? { delay } : null);
        const r = await gw.place({ price: "61000" }, `slow-${delay}`);
        note(`${delay} ms: ${brief(r)} after ${r.note.t1 - r.note.t0} ms`);
        ids.push(r.body.id);
        await wait(5000);
        note(`key again: ${brief(await gw.place({ price: "61000" }, `slow-${delay}`))}`);
      }
      await ending(stage, ids);
    },
  },
  "modify-taker-lost": {
    about:
      "a modify with always_place crosses and fills whole at once, its answer is lost; fills 3 s late; and one that fills 0.004 and rests",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const ids = [];
      for (const [i, depth] of ["1000000", "0.004"].entries()) {
        const a = await gw.place({ price: String(50000 + i) }, `modtake-${i}0`);
        ids.push(a.body.id);
        led.coins.get("BTC").depth = D(depth);
        ex.lags = { userFillsByTime: 3000, "ws:userFills": 3000 };
        ex.actionFault = (b) => (b.action.type === "batchModify" ? { drop: true } : null);
        const m = await gw.post(
          `/v1/orders/${a.body.id}/modify`,
          { price: "61000", always_place: true },
          `modtake-${i}1`,
        );
        note(`${i}: ${m.body.id === a.body.id ? "same" : "NEW"} id ${brief(m)} after ${m.note.t1 - m.note.t0} ms`);
        await wait(7000);
        note(
          `${i}: now ${brief(await gw.get(`/v1/orders/${a.body.id}`))}; key again ${brief(await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "61000", always_place: true }, `modtake-${i}1`))}`,
        );
      }
      await ending(stage, ids);
    },
  },
  "open-of-an-ioc": {
    about:
      "the stream tells an Ioc as open in a frame of its own before filled [C]; 0.004 of 0.01 filled, answer lost, fills 6 s late",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      led.coins.get("BTC").depth = D("0.004");
      ex.lags = { userFillsByTime: 6000, "ws:userFills": 6000, "ws:orderUpdates": 700 };
      ex.actionFault = (b) =>
        b.action.type === "order"
          ? {
              drop: true,
              after: (x) => {
                const o = [...led.orders.values()].at(-1);
                for (const s of x.sockets)
                  x.push(s, "orderUpdates", [
                    {
                      order: {
                        coin: "BTC",
                        side: "B",
                        limitPx: "61000.0",
                        sz: "0.01",
                        oid: o.oid,
                        timestamp: o.born,
                        origSz: "0.01",
                        cloid: o.cloid,
                      },
                      status: "open",
                      statusTimestamp: o.born,
                    },
                  ]);
              },
            }
          : null;
      const r = await gw.place({ price: "61000", time_in_force: "ioc" }, "ioc-open-1");
      note(brief(r));
      for (let i = 0; i < 12; i++) {
        const g = await gw.get(`/v1/orders/${r.body.id}`);
        if (i % 3 === 0) note(brief(g));
        await wait(1000);
      }
      await ending(stage, [r.body.id], 40);
      note(brief(await gw.place({ price: "61000", time_in_force: "ioc" }, "ioc-open-1")));
    },
  },
  "word-nobody-knows": {
    about:
      "an order that ended with 'expired' while the account is quiet; canceled after: within six minutes that tells (README)",
    limit: 420_000,
    async play(stage) {
      const { gw, led, note, wait } = stage;
      const a = await gw.place({}, "nobody-0");
      const o = [...led.orders.values()].at(-1);
      led.execute(o, D("0.002"), o.px);
      await wait(300);
      led.note(o, "expired");
      await wait(2000);
      note(brief(await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "nobody-1")));
      for (let i = 0; i < 48; i++) {
        const g = await gw.get(`/v1/orders/${a.body.id}`);
        if (g.body.status !== "unknown") {
          note(`after ${i * 8} s ${brief(g)}`);
          break;
        }
        await wait(8000);
      }
      await ending(stage, [a.body.id], 5);
    },
  },
};
