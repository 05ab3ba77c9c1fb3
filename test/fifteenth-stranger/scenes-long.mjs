// Two questions that need patience: when does an index of fills close its gaps, and when is the end of a stop noticed.
import { exact, heal } from "./ending.mjs";
import { D, S } from "./ledger.mjs";

async function gaps(stage, { doubled, seconds }) {
  const { gw, ex, led, note, wait } = stage;
  const a = await gw.place({ size: "0.05", price: "59000" }, "gaps-0000");
  const o = [...led.orders.values()].at(-1);
  const hide = (list) => list.filter((f) => !(f.tid % 3 === 0 && Date.now() - f.time < 8000));
  ex.edit = (t, x) => (t === "userFillsByTime" ? (doubled ? [...hide(x), ...hide(x).slice(0, 2)] : hide(x)) : x);
  ex.wsEdit = (c, d) =>
    c === "userFills"
      ? d.isSnapshot
        ? { ...d, fills: hide(d.fills) }
        : d.fills.some((f) => f.tid % 3 === 0)
          ? undefined
          : d
      : d;
  for (let i = 0; i < 12; i++) {
    for (let k = 0; k < 3; k++) led.execute(o, D("0.001"), o.px - D(String(k)));
    await gw.get(`/v1/orders/${a.body.id}`);
    await wait(500);
  }
  const c = await gw.post(`/v1/orders/${a.body.id}/cancel`, {}, "gaps-1111");
  note(`cancel ${c.status} ${c.body.status} ${c.body.filled_size}; truly ${S(o.filled)}`);
  await wait(9000);
  heal(ex);
  const began = Date.now();
  let last = -1;
  while (Date.now() - began < seconds * 1000) {
    const list = await gw.get("/v1/fills?limit=500");
    await gw.get("/v1/performance");
    const got = list.body.data.length;
    if (got !== last)
      note(
        `${Math.round((Date.now() - began) / 1000)} s after all stores were whole (as of ${list.note.asOf}): ${got} of ${led.fills.length} fills`,
      );
    last = got;
    if (got === led.fills.length) break;
    await wait(2000);
  }
  const p = await gw.get("/v1/performance");
  note(`performance ${p.raw.slice(0, 300)}`);
  note(
    `order ${(await gw.get(`/v1/orders/${a.body.id}`)).body.filled_size}; asked for fills: ${JSON.stringify(ex.asked.filter((q) => q.type === "userFillsByTime" && q.t > began).map((q) => [Math.round((q.t - began) / 1000), Math.round((q.t - q.startTime) / 1000)])).slice(0, 400)}`,
  );
  await exact(stage, { fills: false });
}
async function stopEnds(stage, { mute, lags = {}, lose = 0, after = 4000 }) {
  const { gw, ex, led, note, wait } = stage;
  let lost = 0;
  ex.lags = lags;
  ex.actionFault = (b) =>
    b.action.type === "order" && b.action.orders[0].t.trigger && lost++ < lose ? { lose: "drop" } : null;
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
    "stopends0",
  );
  for (let i = 0; i < 60; i++) {
    await wait(500);
    const o = [...led.orders.values()].find((x) => !x.trigger && led.live(x));
    if (o) {
      led.execute(o, D("0.004"), o.px);
      break;
    }
  }
  await wait(after);
  ex.wsMute = (c) => mute.includes(c);
  const s = [...led.orders.values()].find((x) => x.trigger && led.live(x));
  led.end(s, "marginCanceled");
  const began = Date.now();
  const asked = () =>
    ex.asked
      .filter((q) => q.t > began && ["orderStatus", "frontendOpenOrders", "historicalOrders"].includes(q.type))
      .map((q) => `${q.type}@${((q.t - began) / 1000).toFixed(0)}`);
  let told = null;
  for (let i = 0; i < 90; i++) {
    const r = await gw.get(`/v1/trades/${t.body.id}`);
    const stops = [...led.orders.values()].filter((x) => x.trigger && led.live(x)).length;
    const line = `protected ${r.body.protected} stop ${r.body.stop_loss.order?.slice(-6)} live stops ${stops}`;
    if (line !== told)
      note(`${Math.round((Date.now() - began) / 1000)} s: ${line} ${r.body.unprotected_because ?? ""}`);
    told = line;
    if (stops && i > 5) break;
    await wait(1000);
  }
  note(`asked meanwhile: ${asked().slice(0, 25)}`);
}

// Every server of fills is behind by the same 8 s, with no gap and nothing lost: what is said to be whole?
async function behind(stage, lag = () => 8000) {
  const { gw, ex, led, note, wait } = stage;
  await gw.place({ size: "0.05", price: "59000" }, "behind-000");
  const o = [...led.orders.values()].at(-1);
  ex.lags = { userFillsByTime: lag, userFills: lag, "ws:userFills": lag };
  await wait(12_000);
  for (let i = 0; i < 10; i++) led.execute(o, D("0.001"), o.px - D(String(i % 3)));
  for (let i = 0; i < 26; i++) {
    if (i < 8) led.execute(o, D("0.001"), o.px - D(String(i % 3)));
    const f = await gw.get("/v1/fills?limit=500");
    const p = await gw.get("/v1/performance");
    const ago = (t) => (t ? `${((f.note.t1 - Date.parse(t)) / 1000).toFixed(1)} s ago` : "now");
    if (i % 3 === 0)
      note(
        `${i} s: fills ${f.body?.data?.length ?? f.status} of ${led.fills.length} as of ${ago(f.note.asOf)}; performance ${p.body?.total?.fills ?? "null"} complete to ${ago(p.body?.complete_to)}`,
      );
    await wait(1000);
  }
  heal(ex);
  await exact(stage);
}
export const scenes = {
  "books-behind": {
    about: "every server of fills is 8 s behind; lists of fills and performance say up to when they are whole",
    limit: 120_000,
    play: (s) => behind(s),
  },
  "books-of-two-servers": {
    about:
      "each page of fills comes from one of two servers, one of now and one 9 s behind; frames of the stream are late one by one, or lost",
    limit: 120_000,
    play: (s) => {
      s.ex.wsEdit = (c, d) => (c === "userFills" && !d.isSnapshot && Math.random() < 0.3 ? undefined : d);
      return behind(s, () => (Math.random() < 0.5 ? 0 : 9000));
    },
  },
  "gaps-in-fills": {
    about: "every third fill is missing for 8 s in every page and on the stream; when is the list of fills whole?",
    limit: 240_000,
    play: (s) => gaps(s, { doubled: false, seconds: 180 }),
  },
  "gaps-and-doubles": {
    about: "the same with fills listed twice in a page",
    limit: 240_000,
    play: (s) => gaps(s, { doubled: true, seconds: 150 }),
  },
  "stop-ends-unheard": {
    about:
      "the exchange cancels a trade's stop (marginCanceled); the channel orderUpdates is silent, lists and records are not",
    limit: 130_000,
    play: (s) => stopEnds(s, { mute: ["orderUpdates"] }),
  },
  "stop-ends-later": {
    about:
      "the same 25 s after the fill, records and lists of now: the channel openOrders says every 1.5 s that the stop is gone",
    limit: 160_000,
    play: (s) => stopEnds(s, { mute: ["orderUpdates"], after: 25_000 }),
  },
  "stop-ends-later-heard": {
    about: "the same 25 s after the fill with every channel alive",
    limit: 160_000,
    play: (s) => stopEnds(s, { mute: [], after: 25_000 }),
  },
  "stop-ends-after-loss": {
    about: "the same where the stop's first answers were lost, records 1 s and lists 2 s late",
    limit: 130_000,
    play: (s) =>
      stopEnds(s, { mute: ["orderUpdates"], lags: { orderStatus: 1000, frontendOpenOrders: 2000 }, lose: 2 }),
  },
  "stop-ends-late-records": {
    about: "the same with records 1 s and lists 2 s late alone",
    limit: 130_000,
    play: (s) => stopEnds(s, { mute: ["orderUpdates"], lags: { orderStatus: 1000, frontendOpenOrders: 2000 } }),
  },
  "stop-ends-heard": {
    about: "the same with every channel alive",
    limit: 130_000,
    play: (s) => stopEnds(s, { mute: [] }),
  },
  "stop-ends-two-silent": {
    about: "the same with orderUpdates and openOrders silent",
    limit: 130_000,
    play: (s) => stopEnds(s, { mute: ["orderUpdates", "openOrders"] }),
  },
};
