// Executions that nobody asked for one by one: slices of a TWAP, a liquidation, fills of elsewhere; and whose they are in the books.
import { after, exact, heal, settled } from "./ending.mjs";
import { D, S } from "./ledger.mjs";

function slice(led, w, size, px) {
  const order = led.make(
    { a: led.coins.get(w.coin).asset, b: w.side === "B", p: S(px), s: S(size), r: false, t: { limit: { tif: "Ioc" } } },
    led.coins.get(w.coin),
  );
  led.execute(order, size, px, { crossed: true, twapId: w.id });
  w.executed += size;
  w.ntl += (size * px) / 10n ** 8n;
}
function ends(led, w, status) {
  w.hist.push({ t: Date.now(), status });
  led.tell({ kind: "twap", twap: w });
}
function truth(led, id) {
  return led.fills.filter((f) => f.twapId === Number(id)).reduce((a, f) => a + f.sz, 0n);
}

export const scenes = {
  "twap-slices": {
    about:
      "two TWAPs: one finishes short of its size, one is canceled as a slice fills, answer lost; history 5 s and fills 7 s behind: sizes told of what has ended",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.post(
        "/v1/twaps",
        { market: "BTC", side: "buy", size: "0.1", duration_minutes: 5 },
        "slices-00",
      );
      const b = await gw.post(
        "/v1/twaps",
        { market: "BTC", side: "sell", size: "0.2", duration_minutes: 30 },
        "slices-11",
      );
      const [x, y] = [a, b].map((r) => led.twaps.get(Number(r.body.exchange_id)));
      ex.lags = {
        twapHistory: 5000,
        "ws:userTwapHistory": 5000,
        "ws:twapStates": 4000,
        userFillsByTime: 7000,
        "ws:userFills": 7500,
        userTwapSliceFills: 7000,
        clearinghouseState: 2000,
      };
      for (let i = 0; i < 5; i++) {
        slice(led, x, D("0.011"), D("60012"));
        slice(led, y, D("0.02"), D("59988"));
        await wait(700);
      }
      ends(led, x, "finished");
      ex.actionFault = (q) =>
        q.action.type === "twapCancel" ? after(() => slice(led, y, D("0.015"), D("59988")), { drop: true }) : null;
      const c = await gw.post("/v1/twaps/cancel", { market: "BTC", twap_id: y.id }, "slices-22");
      note(`cancel ${c.status} ${c.body.status} ${c.body.error ?? ""}`);
      for (let i = 0; i < 16; i++) {
        const list = (await gw.get("/v1/twaps")).body?.data ?? [];
        for (const t of list) {
          const id = t.exchange_id ?? t.twap_id;
          const real = truth(led, id);
          const over = !["running", "activated"].includes(t.status);
          if (over && D(t.filled_size) !== real)
            note(`FALSE? ${t.status} twap ${id} told filled ${t.filled_size}, truly ${S(real)} (error ${t.error})`);
          if (D(t.filled_size) > real) note(`FALSE twap ${id} told filled ${t.filled_size}, truly ${S(real)}`);
          if (i % 5 === 0) note(`${i} s: ${id} ${t.status} ${t.filled_size} (truly ${S(real)}) ended ${t.ended_at}`);
        }
        await wait(1000);
      }
      heal(ex);
      await exact(stage);
      const list = (await gw.get("/v1/twaps")).body.data;
      note(`end: ${list.map((t) => `${t.status} ${t.filled_size}/${S(truth(led, t.exchange_id ?? t.twap_id))}`)}`);
      const fills = (await gw.get("/v1/fills?limit=500")).body.data;
      note(
        `fills ${fills.length} of ${led.fills.length}, of a key ${fills.filter((f) => f.key_hash).length}, of a twap ${fills.filter((f) => f.twap_id).length}`,
      );
    },
  },
  liquidated: {
    about:
      "a trade is open with its stop; the exchange liquidates half, then all, and cancels the stop (liquidatedCanceled); records 5 s behind",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const t = await gw.post(
        "/v1/trades",
        {
          account: gw.account,
          market: "BTC",
          side: "buy",
          size: "0.01",
          entry: { price: "61000" },
          stop_loss: { trigger_price: "55000" },
        },
        "liquid-00",
      );
      note(`${t.status} ${t.body.status}`);
      await wait(6000);
      ex.lags = {
        orderStatus: 5000,
        "ws:orderUpdates": 5000,
        userFillsByTime: 4000,
        "ws:userFills": 4000,
        frontendOpenOrders: 5000,
        "ws:openOrders": 5000,
        "ws:clearinghouseState": 1500,
        clearinghouseState: 1500,
      };
      for (const size of ["0.005", "0.005"]) {
        const o = led.make(
          { a: 0, b: false, p: "56000", s: size, r: true, t: { limit: { tif: "Ioc" } } },
          led.coins.get("BTC"),
        );
        led.execute(o, D(size), D("56000"), { crossed: true, liquidation: true });
        for (let i = 0; i < 7; i++) {
          const r = await gw.get(`/v1/trades/${t.body.id}`);
          if (i === 6)
            note(
              `${r.body.status} held ${r.body.held_size} protected ${r.body.protected} ${r.body.error ?? ""}; truly ${S(led.position("BTC").szi)}`,
            );
          await gw.get("/v1/positions");
          await wait(900);
        }
      }
      const s = [...led.orders.values()].find((o) => o.trigger && led.live(o));
      if (s) led.end(s, "liquidatedCanceled");
      await wait(8000);
      heal(ex);
      await wait(3000);
      const r = await gw.get(`/v1/trades/${t.body.id}`);
      note(`${r.body.status} held ${r.body.held_size} ${r.body.error ?? ""}`);
      await exact(stage);
    },
  },
  "orders-of-elsewhere": {
    about:
      "orders placed by hand (no client order id, and a foreign one): listed, filled in part, modified and canceled here with answers lost, stores behind",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const put = (p, c) =>
        ex.actions.place({ a: 0, b: true, p, s: "0.01", r: false, t: { limit: { tif: "Gtc" } }, ...(c ? { c } : {}) });
      put("50000");
      put("50001", "0x000000000000000000000000000000ff");
      const [a, b] = [...led.orders.values()];
      await wait(2500);
      const list = await gw.get("/v1/orders?status=open");
      note(`listed ${list.body.data.map((o) => `${o.id.slice(-6)} ${o.status} ${o.filled_size}`)}`);
      led.execute(a, D("0.004"), a.px);
      ex.lags = {
        orderStatus: 2000,
        frontendOpenOrders: 3000,
        "ws:openOrders": 2500,
        userFillsByTime: 3500,
        "ws:userFills": 3500,
      };
      ex.actionFault = () => ({ drop: true });
      const m = await gw.post(`/v1/orders/${a.oid}/modify`, { price: "50100" }, "hand-0000");
      note(
        `modify ${m.status} ${m.body.status} size ${m.body.size} filled ${m.body.filled_size} ${m.body.error ?? ""}`,
      );
      const c = await gw.post(`/v1/orders/${b.oid}/cancel`, {}, "hand-1111");
      note(`cancel ${c.status} ${c.body.status} filled ${c.body.filled_size} ${c.body.error ?? ""}`);
      await wait(6000);
      const g = await gw.get(`/v1/orders/${m.body.id}`);
      note(
        `now ${g.body.status} size ${g.body.size} filled ${g.body.filled_size} ${g.body.error ?? ""}; live ${[...led.orders.values()].filter((o) => led.live(o)).map((o) => S(o.rest))}`,
      );
      heal(ex);
      await settled(stage, [m.body.id, c.body.id]);
      await exact(stage);
    },
  },
};
