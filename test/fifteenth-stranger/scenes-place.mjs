// Placing: answers that are lost, late, cut or of another order, and stores that lag one another.
import { exact, heal, settled } from "./ending.mjs";
import { D } from "./ledger.mjs";

function only(type, fault) {
  let n = 0;
  return (body) => (body.action.type === type ? fault(body, n++) : null);
}
function brief(r) {
  return `${r.status} ${r.body?.status} filled ${r.body?.filled_size} ${r.body?.error ?? ""}`.slice(0, 260);
}
async function ending(stage, ids, seconds = 30) {
  heal(stage.ex);
  await settled(stage, ids, seconds);
  await exact(stage);
}
// The order, told under its key once more, is judged with the rest.
async function again(gw, idem, fields) {
  return gw.place(fields, idem);
}

export const scenes = {
  "late-answer": {
    about: "the answer comes after 12 s, the order fills in part meanwhile, order record and history lag 15 and 20 s",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.lags = {
        orderStatus: 15_000,
        historicalOrders: 20_000,
        userFillsByTime: 9_000,
        frontendOpenOrders: 7_000,
        "ws:orderUpdates": 6_000,
        "ws:userFills": 11_000,
        "ws:openOrders": 8_000,
      };
      ex.actionFault = only("order", () => ({
        delay: 12_000,
        after: (x) =>
          setTimeout(() => x.ledger.execute([...x.ledger.orders.values()].at(-1), D("0.004"), D("50000")), 300),
      }));
      const r = await gw.place({}, "late-answer-1");
      note(brief(r));
      for (let i = 0; i < 14; i++) {
        await gw.get(`/v1/orders/${r.body.id}`);
        await again(gw, "late-answer-1", {});
        await gw.get("/v1/orders?status=open");
        await wait(1500);
      }
      await ending(stage, [r.body.id]);
    },
  },
  "gtc-crosses-in-part": {
    about:
      "a Gtc order that crosses is answered resting, 0.004 of it filled in the same block; fills and lists come late",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      led.coins.get("BTC").depth = D("0.004");
      ex.lags = {
        userFillsByTime: 4_000,
        "ws:userFills": 5_000,
        frontendOpenOrders: 3_000,
        "ws:openOrders": 3_000,
        orderStatus: 800,
        "ws:allDexsClearinghouseState": 2000,
        "ws:clearinghouseState": 2000,
        clearinghouseState: 2000,
      };
      const r = await gw.place({ price: "61000" }, "gtc-part-1");
      note(brief(r));
      for (let i = 0; i < 6; i++) {
        const g = await gw.get(`/v1/orders/${r.body.id}`);
        note(`${g.body.status} ${g.body.filled_size} as of ${g.note.asOf}`);
        await wait(700);
      }
      await ending(stage, [r.body.id]);
    },
  },
  "ioc-in-part-lost": {
    about:
      "an Ioc fills 0.004 of 0.01 and its answer is lost; the record says filled, fills are 12 s late, or came in two pages",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      led.coins.get("BTC").depth = D("0.004");
      ex.lags = { userFillsByTime: 12_000, "ws:userFills": 14_000, historicalOrders: 3_000 };
      ex.actionFault = only("order", () => ({ drop: true }));
      const r = await gw.place({ price: "61000", time_in_force: "ioc" }, "ioc-part-1");
      note(brief(r));
      for (let i = 0; i < 16; i++) {
        await gw.get(`/v1/orders/${r.body.id}`);
        await wait(1000);
      }
      await ending(stage, [r.body.id]);
      note(brief(await again(gw, "ioc-part-1", { price: "61000", time_in_force: "ioc" })));
    },
  },
  "other-notations": {
    about: "decimals as numbers, with trailing zeros and exponents, in answers, records, fills and lists",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      const odd = (v) =>
        Array.isArray(v)
          ? v.map(odd)
          : v && typeof v === "object"
            ? Object.fromEntries(
                Object.entries(v).map(([k, x]) => [
                  k,
                  ["sz", "origSz", "totalSz"].includes(k)
                    ? `${x}000`
                    : ["px", "avgPx", "limitPx"].includes(k)
                      ? Number(x)
                      : ["szi"].includes(k)
                        ? Number(x).toExponential()
                        : odd(x),
                ]),
              )
            : v;
      ex.edit = (t, a) =>
        ["orderStatus", "frontendOpenOrders", "userFillsByTime", "historicalOrders", "clearinghouseState"].includes(t)
          ? odd(a)
          : a;
      ex.wsEdit = (c, d) => (["orderUpdates", "userFills", "openOrders"].includes(c) ? odd(d) : d);
      ex.actionFault = only("order", () => ({ edit: odd }));
      const a = await gw.place({ price: "61000" }, "odd-00001");
      note(brief(a));
      const b = await gw.place({}, "odd-00002");
      note(brief(b));
      led.execute([...led.orders.values()].at(-1), D("0.003"), D("50000"));
      await wait(1500);
      note(brief(await gw.get(`/v1/orders/${b.body.id}`)));
      await gw.get("/v1/positions");
      await gw.get("/v1/fills");
      const c = await gw.post(`/v1/orders/${b.body.id}/cancel`, {});
      note(brief(c));
      await ending(stage, [a.body.id, b.body.id]);
    },
  },
  "ids-beyond-2-53": {
    about: "native ids from 2^53 + 5 on, odd and even: place, modify, cancel, fills",
    exchange: { firstOid: 9007199254740997n },
    async play(stage) {
      const { gw, led, note, wait } = stage;
      const ids = [];
      for (const i of [1, 2, 3]) {
        const r = await gw.place({ price: String(50000 + i) }, `huge-id-${i}`);
        note(`${brief(r)} ${r.body.exchange_order_id}`);
        ids.push(r.body.id);
      }
      led.execute([...led.orders.values()][1], D("0.003"), D("50002"));
      await wait(800);
      note(brief(await gw.post(`/v1/orders/${ids[1]}/modify`, { price: "50010" })));
      note(brief(await gw.post(`/v1/orders/${ids[0]}/cancel`, {})));
      note(brief(await gw.get(`/v1/orders/${[...led.orders.values()][2].oid}`)));
      note(brief(await gw.post(`/v1/orders/${[...led.orders.values()][2].oid}/cancel`, {})));
      await gw.get("/v1/orders?status=open");
      await ending(stage, ids);
    },
  },
  "answers-change-places": {
    about:
      "two orders at once get each other's answers; then an answer that names another order's native id with our cloid",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      const held = [];
      ex.actionFault = only("order", (body, n) => {
        if (n > 1) return null;
        const cloid = body.action.orders[0].c;
        return {
          delay: 400,
          after: (_x, a) => held.push({ cloid, a }),
          edit: (own) => held.find((h) => h.cloid !== cloid)?.a ?? own,
        };
      });
      const [a, b] = await Promise.all([
        gw.place({ price: "61000", time_in_force: "ioc" }, "swap-aaaa"),
        gw.place({ price: "50000" }, "swap-bbbb"),
      ]);
      note(`${brief(a)} | ${brief(b)}`);
      ex.actionFault = only("order", () => ({
        edit: (x) => JSON.parse(JSON.stringify(x, (k, v) => (k === "oid" ? Number(v) - 1 : v))),
      }));
      const c = await gw.place({ price: "49000" }, "swap-cccc");
      note(`${brief(c)} ${c.body.exchange_order_id}`);
      const d = await gw.post(`/v1/orders/${c.body.id}/cancel`, {});
      note(brief(d));
      await wait(3000);
      await ending(stage, [a.body.id, b.body.id, c.body.id]);
    },
  },
  "new-words": {
    about: "an order ends with a status word nobody knows, without the known endings, after a partial fill",
    async play(stage) {
      const { gw, led, note, wait } = stage;
      const words = ["expired", "auctionCanceled", "retired", "haltRejected"];
      const ids = [];
      for (const [i, w] of words.entries()) {
        const r = await gw.place({ price: String(50000 + i) }, `word-${w}`);
        ids.push(r.body.id);
        const o = [...led.orders.values()].at(-1);
        led.execute(o, D("0.002"), o.px);
        await wait(300);
        led.note(o, w);
      }
      await wait(4000);
      for (const id of ids) note(brief(await gw.get(`/v1/orders/${id}`)));
      note(brief(await gw.post(`/v1/orders/${ids[0]}/cancel`, {})));
      await wait(20_000);
      for (const id of ids) note(`later ${brief(await gw.get(`/v1/orders/${id}`))}`);
      await ending(stage, ids);
    },
  },
  "held-then-relayed": {
    about:
      "502 at once, the order is executed 9 s later (its life is 12 s); all noops are answered 502 as well and not taken",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.lags = { orderStatus: 4_000, historicalOrders: 10_000, frontendOpenOrders: 6_000, "*": 2000 };
      ex.actionFault = (b) =>
        b.action.type === "order"
          ? { late: 9_000, status: 502 }
          : { refuse: { status: 502, text: "<html>bad</html>", type: "text/html" } };
      const r = await gw.place({ price: "61000" }, "relayed-1");
      note(brief(r));
      for (let i = 0; i < 20; i++) {
        const g = await gw.get(`/v1/orders/${r.body.id}`);
        if (i % 4 === 0) note(brief(g));
        await wait(1000);
      }
      await ending(stage, [r.body.id]);
      note(brief(await again(gw, "relayed-1", { price: "61000" })));
    },
  },
  "stores-that-forget": {
    about:
      "an accepted order: record and history know nothing of it for ever (an index lost it), open list and fills do",
    async play(stage) {
      const { gw, ex, led, note, wait } = stage;
      ex.actionFault = only("order", (_b, n) => ({
        drop: n !== 2,
        after: (x) => ([...x.ledger.orders.values()].at(-1).forgotten = true),
      }));
      ex.wsMute = (c) => c === "orderUpdates";
      const a = await gw.place({ price: "61000" }, "forget-1");
      const b = await gw.place({ price: "50000" }, "forget-2");
      note(`${brief(a)} | ${brief(b)}`);
      const c = await gw.place({ price: "50001" }, "forget-3");
      const o = [...led.orders.values()].find((x) => x.px === D("50001"));
      led.execute(o, D("0.01"), o.px);
      await wait(500);
      const p = await gw.post(`/v1/orders/${c.body.id}/cancel`, {});
      note(brief(p));
      await wait(15_000);
      for (const r of [a, b, c]) note(brief(await gw.get(`/v1/orders/${r.body.id}`)));
      await ending(stage, [a.body.id, b.body.id, c.body.id]);
    },
  },
  "batch-mixed": {
    about:
      "a batch of four: one fills, one rests, one is refused, one rests; half an answer, then one error for all with nothing taken, then a list that is too short",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      const orders = (_n) =>
        ["61000", "50000", "60000.5", "49000"].map((price, i) => ({
          market: "BTC",
          side: "buy",
          size: i === 2 ? "0.0001" : "0.01",
          price: i === 2 ? "50001" : price,
          time_in_force: i === 3 ? "alo" : "gtc",
        }));
      const kinds = [
        { half: true },
        null,
        {
          edit: (a) => ({
            ...a,
            response: { ...a.response, data: { statuses: a.response.data.statuses.slice(0, 3) } },
          }),
        },
      ];
      ex.lags = { orderStatus: 1500, historicalOrders: 2500, userFillsByTime: 3000 };
      ex.actionFault = only("order", (_b, n) => kinds[n] ?? null);
      const ids = [];
      for (const i of [1, 2, 3]) {
        if (i === 2)
          ex.actions.rules.push({
            once: true,
            when: (x) => x.type === "order",
            answer: () => ({
              status: "ok",
              response: {
                type: "order",
                data: { statuses: [{ error: "Order price cannot be more than 95% away from the reference price" }] },
              },
            }),
          });
        const r = await gw.post("/v1/orders/batch", { account: gw.account, orders: orders(i) }, `batch-mixed-${i}`);
        const list = r.body.orders ?? r.body.data ?? [];
        note(
          `${r.status} ${list.map((o) => `${o.status}/${o.filled_size}/${(o.error ?? "").slice(0, 60)}`).join(" ; ")} ${list.length ? "" : r.raw.slice(0, 200)}`,
        );
        ids.push(...list.map((o) => o.id));
      }
      await wait(6000);
      await ending(stage, ids, 40);
      for (const i of [1, 2, 3])
        await gw.post("/v1/orders/batch", { account: gw.account, orders: orders(i) }, `batch-mixed-${i}`);
    },
  },
  "unlisted-refusals": {
    about:
      "refusals in words that no list has, nonce used, no record: 'Market is paused for maintenance.', and an order-level error of new words",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.actions.rules.push({
        once: true,
        when: (a) => a.type === "order",
        answer: () => ({ status: "err", response: "Market is paused for maintenance." }),
      });
      const a = await gw.place({}, "words-1aa");
      ex.actions.rules.push({
        once: true,
        when: (x) => x.type === "order",
        answer: () => ({
          status: "ok",
          response: { type: "order", data: { statuses: [{ error: "Circuit breaker is active. asset=0" }] } },
        }),
      });
      const b = await gw.place({}, "words-2aa");
      note(`${brief(a)} | ${brief(b)}`);
      await wait(20_000);
      for (const r of [a, b]) note(brief(await gw.get(`/v1/orders/${r.body.id}`)));
      await ending(stage, [a.body.id, b.body.id], 45);
    },
  },
  "spot-and-dex": {
    about: "spot buys and a builder dex with lists and states of their own lag; reads of balances and positions",
    async play(stage) {
      const { gw, ex, note, wait } = stage;
      ex.lags = {
        "ws:spotState": 4000,
        spotClearinghouseState: 2500,
        clearinghouseState: (b) => (b?.dex === "xyz" ? 5000 : 500),
        "ws:clearinghouseState": (s) => (s?.dex === "xyz" ? 4000 : 300),
        frontendOpenOrders: 2000,
        userFillsByTime: 3000,
        "ws:userFills": 2500,
      };
      const a = await gw.place({ market: "PURR/USDC", size: "200", price: "0.21" }, "spot-1aaa");
      const b = await gw.place({ market: "xyz:TSLA", size: "1", price: "405" }, "dex-1aaaa");
      note(`${brief(a)} | ${brief(b)}`);
      for (let i = 0; i < 8; i++) {
        const acc = await gw.get("/v1/account");
        const token = acc.body?.spot?.find((s) => s.token === "PURR");
        const pos = await gw.get("/v1/positions");
        note(
          `purr ${token?.total ?? "none"} (as of ${acc.note.asOf}, ${acc.status}); tsla ${pos.body?.data?.map((p) => p.size)} ${pos.status} as of ${pos.note.asOf}`,
        );
        await wait(800);
      }
      const c = await gw.post("/v1/positions/close", { account: gw.account, market: "xyz:TSLA" }, "dex-close-1");
      note(brief(c));
      await ending(stage, [a.body.id, b.body.id]);
    },
  },
};
