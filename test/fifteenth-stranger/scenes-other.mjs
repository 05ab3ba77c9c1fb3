// Leverage, margin, TWAP, closing, whole trades, stop and flatten: things that have no client order id, or are made of several orders.
import { after, exact, heal, settled } from "./ending.mjs";
import { D, S } from "./ledger.mjs";

function brief(r) {
  return `${r.status} ${r.body?.status} ${r.body?.filled_size ?? ""} ${r.body?.exchange_id ?? ""} ${r.body?.error ?? r.body?.error?.message ?? ""}`.slice(
    0,
    300,
  );
}
function lost(type, how = { drop: true }) {
  return (b) => (b.action.type === type ? how : null);
}
async function operation({ gw, note, wait }, id, seconds = 30) {
  const began = Date.now();
  let r;
  while (Date.now() - began < seconds * 1000) {
    r = await gw.get(`/v1/operations/${id}`);
    if (r.body?.status !== "unknown" && r.body?.status !== "processing") break;
    await wait(700);
  }
  note(
    `operation after ${((Date.now() - began) / 1000).toFixed(1)} s: ${r.body?.status} ${r.body?.exchange_id ?? ""} ${(r.body?.error ?? "").slice(0, 200)}`,
  );
  return r.body;
}
function never(type) {
  return (b) => (b.action.type === type ? { lose: "drop" } : null);
}

export const scenes = {
  "leverage-lost": {
    about:
      "leverage 7 isolated never reached the exchange while somebody sets the same by hand; then one that landed with the setting 12 s behind",
    async play(stage) {
      const { gw, ex, led, note } = stage;
      ex.actionFault = never("updateLeverage");
      const byHand = () =>
        led.leverages.set("ETH", [...(led.leverages.get("ETH") ?? []), { t: Date.now(), cross: false, value: 7 }]);
      setTimeout(byHand, 600);
      const a = await gw.post("/v1/leverage", { market: "ETH", leverage: 7, margin_type: "isolated" }, "lev-0000");
      note(`never sent: ${brief(a)}`);
      await operation(stage, a.body.id);
      ex.lags = { activeAssetData: 12_000 };
      ex.actionFault = lost("updateLeverage");
      const b = await gw.post("/v1/leverage", { market: "BTC", leverage: 9, margin_type: "cross" }, "lev-1111");
      note(`landed: ${brief(b)}`);
      const e = await operation(stage, b.body.id, 40);
      if (e.status === "rejected") note("FALSE: leverage 9 is in force, and it was told as rejected");
      heal(ex);
      await exact(stage);
    },
  },
  "margin-lost": {
    about:
      "margin +10 lost before the exchange while +10 is added by hand; then -3 landed, answer lost, with a fill and funding at once",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      await gw.post("/v1/leverage", { market: "ETH", leverage: 5, margin_type: "isolated" }, "mar-0000");
      await gw.place({ market: "ETH", size: "0.1", price: "3100" }, "mar-1111");
      await wait(1500);
      const move = (text) =>
        led.setPosition("ETH", { ...led.position("ETH"), margin: led.position("ETH").margin + D(text) });
      ex.actionFault = (b) =>
        b.action.type === "updateIsolatedMargin"
          ? after(() => setTimeout(() => move("10"), 100), { lose: "drop" })
          : null;
      const a = await gw.post("/v1/margin", { market: "ETH", amount: "10" }, "mar-2222");
      note(`never sent: ${brief(a)}`);
      const e = await operation(stage, a.body.id, 25);
      if (e.status === "succeeded") note("FALSE: margin +10 told as succeeded, it never ran");
      ex.lags = {
        activeAssetData: 6000,
        clearinghouseState: 3000,
        "ws:clearinghouseState": 5000,
        userFillsByTime: 4000,
      };
      ex.actionFault = (b) =>
        b.action.type === "updateIsolatedMargin"
          ? {
              drop: true,
              after: () => {
                move("-0.5");
                return ex.actions.place({
                  a: 1,
                  b: true,
                  p: "3100",
                  s: "0.05",
                  r: false,
                  t: { limit: { tif: "Ioc" } },
                });
              },
            }
          : null;
      const b = await gw.post("/v1/margin", { market: "ETH", amount: "-3" }, "mar-3333");
      note(`landed: ${brief(b)}`);
      const f = await operation(stage, b.body.id, 30);
      if (f.status === "rejected") note("FALSE: margin -3 ran, and it was told as rejected");
      heal(ex);
      await exact(stage);
    },
  },
  "twap-twins": {
    about:
      "a TWAP that never reached the exchange while its twin is begun by hand; one that landed with its answer lost and a twin by hand; history 6 s late",
    async play(stage) {
      const { gw, ex, led, note } = stage;
      const body = { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 };
      const twin = () => ex.actions.twap({ a: 0, b: true, s: "0.1", r: false, m: 30, t: false }, {});
      ex.actionFault = (b) =>
        b.action.type === "twapOrder" ? after(() => setTimeout(twin, 150), { lose: "drop" }) : null;
      const a = await gw.post("/v1/twaps", body, "twin-0000");
      note(`never sent: ${brief(a)}`);
      const e = await operation(stage, a.body.id, 25);
      if (e.status === "succeeded") note(`FALSE: the twin ${e.exchange_id} begun by hand is told as ours`);
      ex.lags = { twapHistory: 6000, "ws:userTwapHistory": 7000, "ws:twapStates": 7000 };
      ex.actionFault = (b) => (b.action.type === "twapOrder" ? after(twin, { drop: true }) : null);
      const b = await gw.post("/v1/twaps", body, "twin-1111");
      note(`landed with a twin: ${brief(b)}`);
      const f = await operation(stage, b.body.id, 25);
      if (f.status === "succeeded" && Number(f.exchange_id) !== led.actions.find((x) => x.twap)?.twap.id)
        note(`FALSE: told ${f.exchange_id}, ours is ${led.actions.find((x) => x.twap)?.twap.id}`);
      if (f.status === "rejected") note("FALSE: it runs, and it was told as rejected");
      ex.lags = { twapHistory: 8000, "ws:twapStates": 8000, "ws:userTwapHistory": 8000 };
      ex.actionFault = lost("twapCancel");
      const ours = led.actions.find((x) => x.twap).twap.id;
      const c = await gw.post("/v1/twaps/cancel", { market: "BTC", twap_id: ours }, "twin-2222");
      note(`cancel lost: ${brief(c)}`);
      await operation(stage, c.body.id, 25);
      await gw.get("/v1/twaps");
      heal(ex);
    },
  },
  "close-with-late-positions": {
    about:
      "two closes of one position at once, positions and fills 5 s behind on every store, first answer lost; somebody sells by hand too",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const e = await gw.place({ price: "61000" }, "close-0000");
      await wait(1500);
      ex.lags = {
        clearinghouseState: 5000,
        "ws:clearinghouseState": 5000,
        userFillsByTime: 5000,
        "ws:userFills": 5000,
        orderStatus: 2000,
      };
      let n = 0;
      ex.actionFault = (b) => (b.action.type === "order" && n++ === 0 ? { drop: true } : null);
      const [a, b] = await Promise.all([
        gw.post("/v1/positions/close", { account: gw.account, market: "BTC" }, "close-1111"),
        gw.post("/v1/positions/close", { account: gw.account, market: "BTC" }, "close-2222"),
      ]);
      note(`${brief(a)} | ${b.status} ${b.raw.slice(0, 200)}`);
      for (let i = 0; i < 6; i++) {
        await gw.get("/v1/positions");
        await wait(900);
      }
      const c = await gw.post("/v1/positions/close", { account: gw.account, market: "BTC" }, "close-3333");
      note(`${c.status} ${c.raw.slice(0, 200)}`);
      heal(ex);
      await settled(stage, [e.body.id, a.body.id]);
      await exact(stage);
      note(`position ${S(led.position("BTC").szi)}`);
    },
  },
  "trade-stop-unseen": {
    about:
      "a trade whose stop is answered waitingForTrigger without an id and is in no store for 8 s; the entry fills in two parts; claims of protection",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      ex.lags = {
        orderStatus: 8000,
        frontendOpenOrders: 8000,
        "ws:openOrders": 8000,
        "ws:orderUpdates": 8000,
        historicalOrders: 8000,
        userFillsByTime: 2000,
      };
      ex.actionFault = (b) =>
        b.action.type === "order" && b.action.orders[0].t.trigger
          ? { edit: (a) => ({ ...a, response: { ...a.response, data: { statuses: ["waitingForTrigger"] } } }) }
          : null;
      const t = await gw.post(
        "/v1/trades",
        {
          account: gw.account,
          market: "BTC",
          side: "buy",
          size: "0.01",
          entry: { price: "59900" },
          stop_loss: { trigger_price: "58000" },
          take_profit: { trigger_price: "65000" },
        },
        "trade-0000",
      );
      note(`${t.status} ${t.body.status} ${t.body.path}`);
      const entry = () => [...led.orders.values()].find((o) => !o.trigger && led.live(o));
      for (let i = 0; i < 40; i++) {
        const r = await gw.get(`/v1/trades/${t.body.id}`);
        if (i % 8 === 0)
          note(
            `${r.body.status} held ${r.body.held_size} protected ${r.body.protected} ${r.body.unprotected_because ?? ""} ${r.body.error ?? ""}`,
          );
        const o = entry();
        if (o && i > 10 && o.filled === 0n) led.execute(o, D("0.004"), o.px);
        if (o && i > 25 && o.rest > 0n && o.filled > 0n) led.execute(o, D("0.006"), o.px);
        await wait(800);
      }
      ex.lags = {};
      led.setMark("BTC", "57900");
      await wait(6000);
      const r = await gw.get(`/v1/trades/${t.body.id}`);
      note(
        `${r.body.status} held ${r.body.held_size} protected ${r.body.protected} ${r.body.error ?? ""}; position ${S(led.position("BTC").szi)}`,
      );
      heal(ex);
      await exact(stage);
      note(`live at the end: ${[...led.orders.values()].filter((o) => led.live(o)).length}`);
    },
  },
  "trade-stop-lost": {
    about:
      "the stop's answer is lost and it never ran, noops refused; the entry must not be told protected; then the stop is canceled by the exchange behind its back",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      let n = 0;
      ex.actionFault = (b) =>
        b.action.type === "order" && b.action.orders[0].t.trigger && n++ < 2 ? { lose: "drop" } : null;
      ex.lags = { orderStatus: 1000, frontendOpenOrders: 2000 };
      const t = await gw.post(
        "/v1/trades",
        {
          account: gw.account,
          market: "BTC",
          side: "buy",
          size: "0.01",
          entry: { price: "59900" },
          stop_loss: { trigger_price: "58000" },
        },
        "tsl-00000",
      );
      note(`${t.status} ${t.body.status}`);
      let killed = false;
      for (let i = 0; i < 50; i++) {
        const r = await gw.get(`/v1/trades/${t.body.id}`);
        if (i % 8 === 0)
          note(
            `${r.body.status} held ${r.body.held_size} protected ${r.body.protected} ${r.body.unprotected_because ?? ""} ${r.body.error ?? ""}`,
          );
        const o = [...led.orders.values()].find((x) => !x.trigger && led.live(x));
        if (o && o.filled === 0n) led.execute(o, D("0.004"), o.px);
        const s = [...led.orders.values()].find((x) => x.trigger && led.live(x));
        if (s && o && !killed && i > 25) {
          killed = true;
          ex.wsMute = (c) => c === "orderUpdates";
          led.end(s, "marginCanceled");
        }
        await wait(800);
      }
      heal(ex);
      await wait(4000);
      const r = await gw.get(`/v1/trades/${t.body.id}`);
      note(
        `${r.body.status} held ${r.body.held_size} protected ${r.body.protected} ${r.body.unprotected_because ?? ""}; position ${S(led.position("BTC").szi)}`,
      );
      await exact(stage);
    },
  },
  "stop-with-unknowns": {
    about:
      "stop and flatten with a position, a resting order, a trigger without reduce_only and an order on its way; lists 5 s late",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      await gw.place({ price: "61000" }, "stop-0000");
      const b = await gw.place({}, "stop-1111");
      const g = await gw.place(
        { side: "buy", price: "66000", trigger: { kind: "stop_loss", price: "62000", market: true } },
        "stop-2222",
      );
      note(brief(g));
      await wait(1200);
      ex.lags = {
        frontendOpenOrders: 5000,
        "ws:openOrders": 5000,
        userFillsByTime: 4000,
        "ws:userFills": 4000,
        orderStatus: 2500,
        clearinghouseState: 3000,
        "ws:clearinghouseState": 3500,
      };
      ex.actionFault = (x) => (x.action.type === "order" && !x.action.orders[0].r ? { late: 6000, drop: true } : null);
      const c = gw.place({ price: "50005" }, "stop-3333");
      await wait(700);
      const s = await gw.post("/v1/stop", { scope: "account" }, "stop-4444");
      note(`${s.status} ${s.raw.slice(0, 300)}`);
      const f = await gw.post(`/v1/stops/${s.body.id}/flatten`, {}, "stop-5555");
      note(`${f.status} ${f.raw.slice(0, 200)}`);
      let stopped = null;
      for (let i = 0; i < 35; i++) {
        const r = await gw.get(`/v1/stops/${s.body.id}`);
        if (r.body.status === "stopped" && !stopped) {
          stopped = Date.now();
          note(`stopped after ${i} s; flatten ${JSON.stringify(r.body.flatten).slice(0, 200)}`);
        }
        if (r.body.status === "stopped" && r.body.flatten?.status === "flat") {
          note(`flat told; position ${S(led.position("BTC").szi)}`);
          break;
        }
        await wait(1000);
      }
      if (stopped)
        for (const o of led.orders.values())
          if (!o.reduceOnly && (led.live(o) || o.born > stopped))
            note(`FALSE: told stopped, but ${o.oid} ${o.side} can increase or was taken after`);
      const cc = await c;
      heal(ex);
      await settled(stage, [b.body.id, g.body.id, cc.body.id]);
      await exact(stage);
      const after = await gw.place({}, "stop-6666");
      note(`after: ${after.status} ${after.raw.slice(0, 120)}`);
    },
  },
  "heartbeat-and-proposals": {
    about:
      "a bot with rails goes silent with an order of unknown outcome; and a proposal that is approved twice with the answer lost",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const bot = await gw.grant({
        bot: "grid-1",
        extra: ["--markets", "BTC", "--max-order", "2000 USD", "--max-distance", "50 %"],
      });
      const hb = await gw.call("PUT", "/v1/heartbeat", { within_s: 5 }, { key: bot });
      note(`beat ${hb.status}`);
      ex.actionFault = (b) => (b.action.type === "order" ? { late: 1500, drop: true } : null);
      ex.lags = { frontendOpenOrders: 4000, "ws:openOrders": 4000, orderStatus: 4000, "ws:orderUpdates": 4000 };
      const a = await gw.place({ price: "55000" }, "beat-0000", { key: bot });
      note(brief(a));
      await wait(12_000);
      note(
        `live after the silence: ${[...led.orders.values()].filter((o) => led.live(o)).length}; ${brief(await gw.get(`/v1/orders/${a.body.id}`, { key: bot }))}`,
      );
      heal(ex);
      await settled(stage, [a.body.id]);
      await exact(stage, { seconds: 20 });
    },
  },
};
