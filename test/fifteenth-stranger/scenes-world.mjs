// The world around: clocks, market lists, indexes that restart, streams that lie, limits; and a mixture of everything by seed.
import { exact, heal, ordersOf, settled } from "./ending.mjs";
import { D, S } from "./ledger.mjs";

function brief(r) {
  return `${r.status} ${r.body?.status} size ${r.body?.size} filled ${r.body?.filled_size} ${r.body?.error?.message ?? r.body?.error ?? ""}`.slice(
    0,
    300,
  );
}
const TYPES = [
  "orderStatus",
  "historicalOrders",
  "frontendOpenOrders",
  "userFillsByTime",
  "clearinghouseState",
  "activeAssetData",
  "twapHistory",
  "ws:orderUpdates",
  "ws:userFills",
  "ws:openOrders",
  "ws:clearinghouseState",
  "ws:twapStates",
  "ws:spotState",
];

// One step of the mixture: something the client does, or something that befalls its orders.
async function step(stage, k) {
  const { gw, led, rnd } = stage;
  const live = [...led.orders.values()].filter((o) => led.live(o));
  const pick = (list) => list[Math.floor(rnd() * list.length)];
  const mine = (o) => {
    let x = o;
    while (x?.from && x.displaced) x = led.orders.get(x.from);
    return x?.cloid ? x.cloid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") : null;
  };
  const r = rnd();
  const idem = `mixed-${k}`;
  const market = pick(["BTC", "BTC", "ETH", "xyz:TSLA"]);
  const mark = Number(S(led.coins.get(market).mark));
  const price = (f) =>
    String(
      market === "BTC"
        ? Math.round(mark * f)
        : market === "ETH"
          ? Number((mark * f).toFixed(1))
          : Number((mark * f).toFixed(2)),
    );
  const size = { BTC: "0.01", ETH: "0.2", "xyz:TSLA": "1" }[market];
  if (r < 0.3)
    return gw.place({ market, size, price: price(0.9 + rnd() * 0.08), time_in_force: pick(["gtc", "alo"]) }, idem);
  if (r < 0.42) return gw.place({ market, size, price: price(1.01), time_in_force: pick(["gtc", "ioc"]) }, idem);
  if (r < 0.57 && live.length) {
    const o = pick(live);
    const id = mine(o);
    if (id)
      return gw.post(
        `/v1/orders/${id}/modify`,
        rnd() < 0.7
          ? { price: String(Number(S(o.px)) + 1) }
          : { size: { BTC: "0.015", ETH: "0.3", "xyz:TSLA": "1.5" }[o.coin] },
        idem,
      );
  }
  if (r < 0.7 && live.length) {
    const id = mine(pick(live));
    if (id) return gw.post(`/v1/orders/${id}/cancel`, {}, idem);
  }
  if (r < 0.9 && live.length) {
    const o = pick(live);
    if (!o.trigger) led.execute(o, rnd() < 0.5 ? o.rest : (o.rest / 3n / 10n ** 5n) * 10n ** 5n, o.px);
    return null;
  }
  if (r < 0.93) return gw.post("/v1/positions/close", { account: gw.account, market }, idem);
  if (r < 0.96) return gw.get("/v1/positions");
  return gw.get("/v1/orders?status=open");
}
function weather(ex, rnd) {
  for (const t of TYPES) ex.lags[t] = rnd() < 0.4 ? 0 : () => Math.floor(Math.random() * 6000);
  const broken = rnd() * 0.35;
  ex.actionFault = () => {
    const x = rnd();
    if (x > broken) return x > 0.9 ? { delay: Math.floor(rnd() * 3000) } : null;
    const kinds = [
      { drop: true },
      { lose: "drop" },
      { status: 502 },
      { half: true },
      { late: Math.floor(rnd() * 8000), status: 502 },
      { delay: 9000 },
      { refuse: { status: 429 } },
    ];
    return kinds[Math.floor(rnd() * kinds.length)];
  };
  ex.infoFault = () =>
    rnd() < 0.08
      ? [{ status: 500 }, { drop: true }, { half: true }, { status: 502, text: "<html>" }, { delay: 2500 }][
          Math.floor(rnd() * 5)
        ]
      : null;
  ex.wsMute = () => Math.random() < 0.05;
}

export const scenes = {
  mixed: {
    about:
      "45 s of everything by seed, each store with a lag drawn per request up to 6 s, a third of the answers lost or worse; then health",
    limit: 150_000,
    async play(stage) {
      const { gw, ex, rnd, note, wait } = stage;
      weather(ex, rnd);
      const began = Date.now();
      const running = [];
      for (let k = 0; Date.now() - began < 45_000; k++) {
        running.push(
          step(stage, `${k}-${Math.floor(rnd() * 1e6)}`).catch((e) => note(`client: ${String(e).slice(0, 100)}`)),
        );
        if (k % 6 === 5)
          running.push(
            ...ordersOf(gw)
              .slice(-4)
              .map((id) => gw.get(`/v1/orders/${id}`).catch(() => null)),
          );
        await wait(300 + rnd() * 900);
      }
      await Promise.all(running);
      heal(ex);
      await settled(stage, ordersOf(gw), 50);
      await exact(stage, { seconds: 20 });
      for (const n of gw.told.filter((x) => x.idem && x.status < 300).slice(0, 40))
        await gw.call("POST", n.from.slice(5), n.request, { idem: n.idem });
    },
  },
  "clock-jumps": {
    about:
      "one reading of the exchange's clock is 3 h ahead, later all are 40 s behind, later 70 s ahead: orders and cancels go on, nonces too",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      let once = 2;
      ex.edit = (t, a) =>
        (t === "exchangeStatus" || t === "clearinghouseState") && once-- > 0 ? { ...a, time: a.time + 10_800_000 } : a;
      const a = await gw.place({}, "clock-000");
      note(`one reading ahead: ${brief(a)}`);
      await wait(8000);
      const seen = [];
      for (const [i, skew] of [-40_000, 70_000, 0].entries()) {
        ex.ledger.skew = () => skew;
        await wait(9000);
        const b = await gw.place({ price: String(50001 + i) }, `clock-b${i}0`);
        const c = b.body?.id ? await gw.post(`/v1/orders/${b.body.id}/cancel`, {}, `clock-c${i}0`) : null;
        note(`skew ${skew}: place ${brief(b)} | cancel ${c ? brief(c) : "-"}`);
        if (b.body?.id && b.body.object) seen.push(b.body.id);
        if (i === 1) note(`readyz ${(await gw.get("/readyz")).raw.slice(0, 200)}`);
      }
      heal(ex);
      await settled(stage, [a.body.id, ...seen]);
      await exact(stage);
    },
  },
  "list-moves": {
    about: "TSLA and NVDA of dex xyz change places in the list while orders rest; place, modify, cancel at once after",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({ market: "xyz:TSLA", size: "1", price: "380" }, "moves-000");
      note(brief(a));
      const [t, n] = [led.coins.get("xyz:TSLA"), led.coins.get("xyz:NVDA")];
      [t.asset, n.asset] = [n.asset, t.asset];
      for (const o of led.orders.values()) o.asset = led.coins.get(o.coin).asset;
      const b = await gw.place({ market: "xyz:TSLA", size: "1", price: "150" }, "moves-111");
      note(`${brief(b)}; the exchange took ${[...led.orders.values()].at(-1).coin}`);
      const m = await gw.post(`/v1/orders/${a.body.id}/modify`, { price: "381" }, "moves-222");
      note(`modify ${brief(m)}`);
      for (let i = 0; i < 6; i++) {
        await gw.get(`/v1/orders/${a.body.id}`);
        note(brief(await gw.get(`/v1/orders/${b.body.id}`)));
        await wait(1500);
      }
      for (const [i, x] of [a, b].entries())
        note(`cancel ${brief(await gw.post(`/v1/orders/${x.body.id}/cancel`, {}, `moves-c${i}00`))}`);
      await wait(3000);
      heal(ex);
      await settled(stage, [a.body.id, b.body.id]);
      note(
        `live at the end: ${[...led.orders.values()].filter((o) => led.live(o)).map((o) => `${o.coin} ${S(o.rest)}`)}`,
      );
    },
  },
  "index-restarts": {
    about:
      "history, record and fills lose their last 20 s after they had shown them (an index restarts), twice; the stream replays a late open after the end",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({ price: "61000" }, "restart-0");
      const b = await gw.place({}, "restart-1");
      const o = [...led.orders.values()].at(-1);
      led.execute(o, D("0.004"), o.px);
      await wait(1500);
      note(`${brief(await gw.get(`/v1/orders/${b.body.id}`))}`);
      const back = Date.now();
      for (const t of [
        "orderStatus",
        "historicalOrders",
        "userFillsByTime",
        "frontendOpenOrders",
        "clearinghouseState",
      ])
        ex.lags[t] = () => Math.max(0, 20_000 - (Date.now() - back) * 1.4);
      ex.lags["ws:openOrders"] = 20_000;
      for (const s of ex.sockets) s.raw.destroy();
      const c = await gw.post(`/v1/orders/${b.body.id}/cancel`, {}, "restart-2");
      note(`cancel ${brief(c)}`);
      for (const s of ex.sockets)
        ex.push(s, "orderUpdates", [
          {
            order: {
              coin: "BTC",
              side: "B",
              limitPx: "50000.0",
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
      for (let i = 0; i < 14; i++) {
        await Promise.all([a, b].map((x) => gw.get(`/v1/orders/${x.body.id}`)));
        await gw.get("/v1/positions");
        await gw.get("/v1/fills");
        await gw.get("/v1/orders?status=open");
        await wait(1000);
      }
      heal(ex);
      await settled(stage, [a.body.id, b.body.id]);
      await exact(stage);
      note(brief(await gw.post(`/v1/orders/${b.body.id}/cancel`, {}, "restart-2")));
    },
  },
  "fills-in-disorder": {
    about:
      "pages of fills with gaps (every third fill is missing for 8 s), doubles and no order; many fills of one ms; performance to the digit",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({ size: "0.05", price: "59000" }, "disorder1");
      const o = [...led.orders.values()].at(-1);
      const hide = (list) => list.filter((f) => !(f.tid % 3 === 0 && Date.now() - f.time < 8000));
      ex.edit = (t, x) => (t === "userFillsByTime" ? [...hide(x), ...hide(x).slice(0, 2)] : x);
      ex.wsEdit = (c, d) =>
        c === "userFills"
          ? d.isSnapshot
            ? { ...d, fills: [...hide(d.fills)].reverse() }
            : Math.random() < 0.4
              ? undefined
              : { ...d, fills: [...d.fills, ...d.fills] }
          : d;
      for (let i = 0; i < 12; i++) {
        for (let k = 0; k < 3; k++) led.execute(o, D("0.001"), o.px - D(String(k)));
        await gw.get(`/v1/orders/${a.body.id}`);
        await wait(500);
      }
      const c = await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "disorder2");
      note(`cancel ${brief(c)}; truly ${S(o.filled)}`);
      await wait(9000);
      heal(ex);
      await settled(stage, [a.body.id]);
      await exact(stage, { seconds: 25 });
    },
  },
  "stream-of-another-world": {
    about:
      "the stream tells fills and ends of orders under our client order id that are not ours (side, size, price differ), and REST never shows them",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const a = await gw.place({}, "foreign-1");
      const o = [...led.orders.values()].at(-1);
      const lie = (x) => ({
        coin: "BTC",
        side: "A",
        limitPx: "70000.0",
        sz: "5.0",
        oid: 777_777n,
        timestamp: Date.now(),
        origSz: "5.0",
        cloid: o.cloid,
        ...x,
      });
      for (const s of ex.sockets)
        ex.push(s, "orderUpdates", [{ order: lie({}), status: "filled", statusTimestamp: Date.now() }]);
      await wait(700);
      note(brief(await gw.get(`/v1/orders/${a.body.id}`)));
      ex.edit = (t, x) =>
        t === "orderStatus" && x.status === "order"
          ? {
              ...x,
              order: {
                ...x.order,
                order: { ...x.order.order, ...lie({ oid: x.order.order.oid }), triggerCondition: "N/A" },
                status: "filled",
              },
            }
          : x;
      await wait(1500);
      note(`record speaks of another: ${brief(await gw.get(`/v1/orders/${a.body.id}`))}`);
      const b = await gw.place({ price: "50001" }, "foreign-2");
      note(`next: ${brief(b)}`);
      ex.edit = (_t, x) => x;
      const c = await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "foreign-3");
      note(`cancel ${brief(c)}`);
      await wait(3000);
      heal(ex);
      await settled(stage, [a.body.id]);
      await exact(stage);
    },
  },
  "many-at-once": {
    about:
      "130 orders at once, every third answer lost after execution, every seventh before it, 429s between: one each, all told rightly",
    limit: 260_000,
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      let n = 0;
      ex.lags = { orderStatus: 1500, historicalOrders: 4000, frontendOpenOrders: 2500, "ws:orderUpdates": 800 };
      ex.actionFault = (b) =>
        b.action.type !== "order"
          ? null
          : ++n % 7 === 0
            ? { lose: "drop" }
            : n % 3 === 0
              ? { drop: true }
              : n % 11 === 0
                ? { refuse: { status: 429 } }
                : null;
      const all = await Promise.all(
        Array.from({ length: 130 }, (_, i) => gw.place({ price: String(50000 + i) }, `many-${1000 + i}`)),
      );
      const count = {};
      for (const r of all)
        count[`${r.status} ${r.body?.status ?? r.body?.error?.code}`] =
          (count[`${r.status} ${r.body?.status ?? r.body?.error?.code}`] ?? 0) + 1;
      note(JSON.stringify(count));
      await wait(5000);
      heal(ex);
      const ids = all.filter((r) => r.body?.id).map((r) => r.body.id);
      await settled(stage, ids, 150);
      await exact(stage, { seconds: 10 });
      note(`taken ${led.orders.size}, live ${[...led.orders.values()].filter((o) => led.live(o)).length}`);
      for (let i = 0; i < 130; i += 5) await gw.place({ price: String(50000 + i) }, `many-${1000 + i}`);
    },
  },
};
