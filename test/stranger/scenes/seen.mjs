// Each kind of falsehood that was once seen, as scenes of its own. `point` numbers the kinds:
// 1 a modify trades too much, 2 "never executed" about what lives, 3 one wrong clock, 4 a whole fill told as canceled,
// 5 a cancel's stored size, 6 shown is not what was asked, 7 silence read as zero, 8 a feed that says nothing,
// 9 open or unknown though it could be known, 10 refusals in unknown words, 11 smaller things.
import { q } from "../exchange/truth.mjs";
import { ended, known, sleep } from "../stage.mjs";

const scenes = [];
const add = (...[point, name, about, run, more = {}]) => scenes.push({ point, name, about, run, ...more });
// One after the other, in a place for one expression.
const all = (...done) => done.length;

// --- 1. A price-only modify trades too much --------------------------------------------------------------------
const fillsAsTheModifyComes = (context, id, size = "0.004") =>
  context.ex.fault({ on: "batchModify", before: () => context.truth.fill(context.oid(id), size) });

const modifyWithLateFill =
  (lags, { recordSz = "live", gapMs = null, wait = 14_000, restMs = 1500 } = {}) =>
  async (context) => {
    const { ex } = context;
    ex.view.recordSz = recordSz;
    ex.setLag(lags);
    const { body } = await context.place();
    await sleep(restMs);
    if (gapMs === null) fillsAsTheModifyComes(context, body.id);
    else {
      context.fill(body.id, "0.004");
      await sleep(gapMs);
    }
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, wait);
  };

add(
  1,
  "modify-price-fills-200ms-late",
  "a part fills as the modify arrives; every list of fills 200 ms behind the record",
  modifyWithLateFill({ fills: 200, streamFills: 200 }),
);
add(1, "modify-price-fills-3s-late", "the same, 3 s", modifyWithLateFill({ fills: 3000, streamFills: 3000 }));
add(
  1,
  "modify-price-fills-9s-late",
  "the same, 9 s, the record keeping the size of its last status",
  modifyWithLateFill({ fills: 9000, streamFills: 9000 }, { recordSz: "frozen", wait: 20_000 }),
);
add(
  1,
  "modify-price-fills-drawn",
  "the same, each answer 0 to 4 s behind",
  modifyWithLateFill(
    { fills: [0, 4000], streamFills: [0, 4000], record: [0, 1000], open: [0, 3000] },
    { wait: 18_000, restMs: 4500 },
  ),
);
add(
  1,
  "modify-price-fill-100ms-before",
  "a part filled 100 ms before the modify is asked for; all stores 1.5 s behind",
  modifyWithLateFill({ fills: 1500, streamFills: 1500, open: 1500, record: 1500, streamOrders: 1500 }, { gapMs: 100 }),
);
add(
  1,
  "modify-price-record-orig-size",
  "the record always shows the original size",
  modifyWithLateFill({ fills: 700, streamFills: 700, open: 700 }, { recordSz: "orig" }),
);

// --- 2. "Never executed" about what lives ----------------------------------------------------------------------
const loseOrder = (ex, how = "reset") => ex.fault({ on: "order", lose: "after", how });
const loseNoops = (ex, lose = "before") => ex.fault({ on: "noop", times: 1000, lose });

const never =
  (set, { ioc = false, wait = 36_000 } = {}) =>
  async (context) => {
    set(context.ex);
    loseOrder(context.ex);
    const said = await context.place(ioc ? { price: "96000", time_in_force: "ioc" } : {});
    if (said.body?.id) await context.watch(said.body.id, wait, { everyMs: 1500 });
  };

const feedKnows = { knownWithinMs: 12_000 };
add(
  2,
  "never-feed-tells-the-fill",
  "the answer is lost, the feed tells the fill, every index by REST 60 s behind",
  never((ex) => ex.setIndexLag(60_000), { ioc: true }),
  feedKnows,
);
add(
  2,
  "never-feed-late-tells-the-fill",
  "the same, the feed itself 4 s late",
  never((ex) => all(ex.setIndexLag(60_000), ex.setStreamLag(4000)), { ioc: true }),
  feedKnows,
);
add(
  2,
  "never-feed-tells-noops-lost",
  "the same, noops lost",
  never((ex) => all(ex.setIndexLag(60_000), loseNoops(ex)), { ioc: true }),
  feedKnows,
);
add(
  2,
  "never-feed-tells-it-rests",
  "the feed tells that it rests, every index 60 s behind",
  never((ex) => all(ex.setIndexLag(60_000), loseNoops(ex))),
  feedKnows,
);
add(
  2,
  "never-all-behind-feed-tells",
  "the same, the clock of every answer behind as well",
  never((ex) => ex.setRestLag(60_000), { ioc: true }),
  feedKnows,
);
add(
  2,
  "never-noops-lost-rests",
  "the order rests; noops lost on the way, indexes 35 s behind, the feed silent",
  never((ex) => all(ex.setStream({ mode: "silent" }), ex.setIndexLag(35_000), loseNoops(ex))),
);
add(
  2,
  "never-noops-lost-25s",
  "noops lost and 25 s of lag",
  never((ex) => all(ex.setStream({ mode: "silent" }), ex.setIndexLag(25_000), loseNoops(ex)), {
    ioc: true,
    wait: 30_000,
  }),
);
add(
  2,
  "never-noops-refused-rests",
  "noops are answered: the nonce is taken; 60 s behind",
  never((ex) => all(ex.setStream({ mode: "silent" }), ex.setIndexLag(60_000)), { wait: 44_000 }),
);
add(
  2,
  "never-noops-answers-lost",
  "noops arrive, their answers do not; 60 s behind",
  never((ex) => all(ex.setStream({ mode: "silent" }), ex.setIndexLag(60_000), loseNoops(ex, "after")), { ioc: true }),
);
add(
  2,
  "never-drawn-lags",
  "each index 20 to 60 s behind, drawn for each request; the feed refused",
  never((ex) => all(ex.setStream({ isRefused: true }), ex.setIndexLag([20_000, 60_000]), loseNoops(ex)), { ioc: true }),
);
add(
  2,
  "never-fills-show-records-do-not",
  "the record and both lists stuck, the fills 1 s behind",
  never(
    (ex) =>
      all(ex.setStream({ mode: "silent" }), ex.setLag({ record: 90_000, open: 90_000, history: 90_000, fills: 1000 })),
    { ioc: true },
  ),
  { knownWithinMs: 25_000 },
);
add(
  2,
  "never-positions-moved",
  "only the position shows that it executed",
  never(
    (ex) =>
      all(
        ex.setStream({ mode: "silent" }),
        ex.setLag({ record: 90_000, open: 90_000, history: 90_000, fills: 90_000, positions: 0 }),
      ),
    { ioc: true },
  ),
);
add(
  2,
  "never-only-the-open-list-shows-it",
  "record and history stuck, the order stands in the open list",
  never((ex) =>
    all(ex.setStream({ mode: "silent" }), ex.setLag({ record: 90_000, history: 90_000, fills: 90_000 }), loseNoops(ex)),
  ),
  { knownWithinMs: 25_000 },
);
add(
  2,
  "never-every-clock-behind",
  "indexes and clocks 35 s behind, noops lost, the feed silent",
  never((ex) => all(ex.setStream({ mode: "silent" }), ex.setRestLag(35_000), loseNoops(ex))),
);

const neverAfterKill = (ioc, wait) => async (context) => {
  const { ex } = context;
  ex.setStream({ mode: "silent" });
  ex.fault({ on: "order", lose: "after", how: "hang" });
  const asking = context.place(ioc ? { price: "96000", time_in_force: "ioc" } : {}, "stranger-killed-1");
  await sleep(600);
  ex.setIndexLag(150_000);
  await context.restart();
  await asking;
  const said = await context.place(ioc ? { price: "96000", time_in_force: "ioc" } : {}, "stranger-killed-1");
  if (said.body?.id) await context.watch(said.body.id, wait, { everyMs: 1500 });
};
add(
  2,
  "never-after-kill-filled",
  "kill -9 while the answer is awaited; after the start every index is 60 s behind; it had filled",
  neverAfterKill(true, 42_000),
);
add(2, "never-after-kill-rests", "the same, it rests", neverAfterKill(false, 42_000));

add(2, "never-twap-runs", "the answer of a TWAP is lost; its history 60 s behind", async (context) => {
  const { ex } = context;
  ex.setStream({ mode: "silent" });
  ex.setLag({ twaps: 60_000, fills: 60_000 });
  ex.fault({ on: "twapOrder", lose: "after" });
  const said = await context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
  if (said.body?.id) await context.watchOperation(said.body.id, 33_000, () => false);
});
add(
  2,
  "never-leverage-in-force",
  "the answer of a leverage change is lost; what shows it 60 s behind",
  async (context) => {
    const { ex } = context;
    ex.setLag({ leverage: 60_000 });
    ex.fault({ on: "updateLeverage", lose: "after" });
    const said = await context.post("/v1/leverage", { market: "ETH", leverage: 7, margin_type: "isolated" });
    if (said.body?.id) await context.watchOperation(said.body.id, 33_000, () => false);
  },
);
add(2, "never-margin-added", "the answer of a margin change is lost; positions 60 s behind", async (context) => {
  const { ex, truth } = context;
  truth.seedPosition("ETH", "1", "2500", { isCross: false, leverage: 5 });
  await sleep(2500);
  ex.setLag({ leverage: 60_000, positions: { stuckAt: Date.now() }, streamPositions: 60_000 });
  ex.fault({ on: "updateIsolatedMargin", lose: "after" });
  const said = await context.post("/v1/margin", { market: "ETH", amount: "25.5" });
  if (said.body?.id) await context.watchOperation(said.body.id, 33_000, () => false);
});

// --- 3. One wrong reading of the exchange's clock --------------------------------------------------------------
const hourMs = 3_600_000;
const sources = ["exchangeStatus", "clearinghouseState", "date", "webData3", "l2Book", "stream"];
const oneWrongReading =
  ({ aheadMs, from = sources, times = 1, restart = false }) =>
  async (context) => {
    const { ex, truth } = context;
    const first = await context.place();
    let left = times;
    ex.view.clock = (source, t) => {
      if (!from.includes(source) || left <= 0) return t;
      left--;
      truth.note("clock", `${source} is answered ${aheadMs / 1000} s wrong`);
      return t + aheadMs;
    };
    for (let i = 0; i < 30 && left > 0; i++) {
      await context.read("/v1/positions");
      if (i % 3 === 0) await context.read("/v1/account");
      await sleep(700);
    }
    if (restart) await context.restart();
    const placed = [];
    for (let i = 0; i < 5; i++) {
      placed.push(await context.place({ price: String(88000 + i) }));
      await sleep(1500);
    }
    await context.cancel(first.body.id);
    for (const said of placed) if (said.body?.id) await context.cancel(said.body.id);
    await context.read("/readyz");
    if (left > 0) truth.note("clock", "nobody asked for that clock");
  };
const tradesOn = (context) => {
  if (!context) return [];
  const findings = [];
  const answers = context.gw.statements.filter((each) => each.method === "POST" && !each.isReplay);
  const placed = answers.filter((each) => each.path === "/v1/orders").slice(1);
  const took = placed.filter((each) => each.http === 201 && each.body.status === "open").length;
  if (took < placed.length - 1)
    findings.push({
      kind: "stuck",
      what: `after one wrong reading ${placed.length - took} of ${placed.length} orders were not taken: ${placed.map((each) => `${each.http} ${each.body?.error?.code ?? each.body?.status} ${each.body?.error?.message ?? each.body?.error ?? ""}`.slice(0, 160)).at(-1)}`,
      log: [],
    });
  const cancels = answers.filter((each) => each.path.endsWith("/cancel"));
  const bad = cancels.filter((each) => each.http !== 200 || each.body.status !== "canceled");
  if (bad.length > 0)
    findings.push({
      kind: "stuck",
      what: `${bad.length} of ${cancels.length} cancels failed: ${bad[0].http} ${JSON.stringify(bad[0].body).slice(0, 200)}`,
      log: [],
    });
  return findings;
};
const status = ["exchangeStatus"];
add(
  3,
  "clock-a-day-ahead-once",
  "one `exchangeStatus` is 26 hours ahead",
  oneWrongReading({ aheadMs: 26 * hourMs, from: status }),
  { check: tradesOn },
);
add(
  3,
  "clock-six-hours-ahead-once",
  "one `exchangeStatus` is six hours ahead",
  oneWrongReading({ aheadMs: 6 * hourMs, from: status }),
  { check: tradesOn },
);
add(
  3,
  "clock-three-days-ahead-restart",
  "one `exchangeStatus` is three days ahead, then a restart",
  oneWrongReading({ aheadMs: 72 * hourMs, from: status, restart: true }),
  { check: tradesOn },
);
add(
  3,
  "clock-an-hour-behind-once",
  "one `exchangeStatus` is an hour behind",
  oneWrongReading({ aheadMs: -hourMs, from: status }),
  { check: tradesOn },
);
add(
  3,
  "clock-a-minute-ahead-thrice",
  "three answers of any kind in a row are a minute ahead",
  oneWrongReading({ aheadMs: 60_000, times: 3 }),
  { check: tradesOn },
);
add(
  3,
  "clock-of-positions-a-day-ahead",
  "one `clearinghouseState` is 26 hours ahead",
  oneWrongReading({ aheadMs: 26 * hourMs, from: ["clearinghouseState"] }),
  { check: tradesOn },
);
add(
  3,
  "clock-of-positions-ahead-while-held",
  "a relay holds the order for 11 s; one `clearinghouseState` is a minute ahead meanwhile; noops lost",
  async (context) => {
    const { ex, truth } = context;
    ex.fault({ on: "noop", times: 100, lose: "before" });
    ex.fault({ on: "order", dropEarly: 200, hold: 11_000 });
    ex.view.clock = (source, t) =>
      (source === "clearinghouseState" || source === "exchangeStatus") && t - truth.startedAt > 3000 ? t + 60_000 : t;
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 30_000, { everyMs: 1500 });
  },
);
add(
  3,
  "clock-a-day-ahead-at-start",
  "the first reading of all is a day ahead",
  oneWrongReading({ aheadMs: 0, times: 0 }),
  {
    check: tradesOn,
    prepare: (exchange) => {
      let isFirst = true;
      const was = exchange.view.clock;
      exchange.view.clock = (source, t) => {
        if (!isFirst || source === "date") return was(source, t);
        isFirst = false;
        exchange.truth.note("clock", `${source} is answered a day ahead, the first of all`);
        return t + 26 * hourMs;
      };
    },
  },
);

// --- 4. A whole fill told as canceled --------------------------------------------------------------------------
const wholeFillLate =
  (lagMs, { lost = true, fields = {}, seed = null, recordSz = "frozen" } = {}) =>
  async (context) => {
    const { ex, truth } = context;
    if (seed) truth.seedPosition(...seed);
    if (seed) await sleep(1500);
    ex.view.recordSz = recordSz;
    ex.setLag({ fills: lagMs, streamFills: lagMs });
    if (lost) loseOrder(ex);
    const said = await context.place({ price: "96000", time_in_force: "ioc", ...fields });
    if (said.body?.id) await context.watch(said.body.id, lagMs + 6000, { everyMs: 900 });
  };
add(4, "filled-ioc-fills-12s-late", "an ioc filled whole, its answer lost, fills 12 s late", wholeFillLate(12_000));
add(4, "filled-ioc-fills-25s-late", "the same, 25 s", wholeFillLate(25_000));
add(
  4,
  "filled-ioc-record-orig-size",
  "the same, the record with sz = origSz, fills 9 s late",
  wholeFillLate(9000, { recordSz: "orig" }),
);
add(
  4,
  "filled-reduce-only-fills-12s-late",
  "a reduce-only sell filled whole, its answer lost",
  wholeFillLate(12_000, {
    seed: ["BTC", "0.05", "94000"],
    fields: { side: "sell", price: "94000", reduce_only: true, size: "0.02" },
  }),
);
add(4, "filled-resting-fills-12s-late", "a resting order is filled whole, fills 12 s late", async (context) => {
  const { ex } = context;
  ex.setLag({ fills: 12_000, streamFills: 12_000 });
  const { body } = await context.place();
  await sleep(800);
  context.fill(body.id);
  await context.watch(body.id, 17_000, { everyMs: 900 });
});
add(4, "filled-stop-fills-12s-late", "a market stop fires and fills whole, fills 12 s late", async (context) => {
  const { ex, truth } = context;
  truth.seedPosition("ETH", "1", "2500");
  await sleep(1500);
  const { body } = await context.place({
    market: "ETH",
    side: "sell",
    size: "0.1",
    price: "1500",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "1800", market: true },
  });
  ex.setLag({ fills: 12_000, streamFills: 12_000 });
  truth.fire(context.oid(body.id), { size: "0.1" });
  await context.watch(body.id, 17_000, { everyMs: 900 });
});

// --- 5. A cancel's stored answer -------------------------------------------------------------------------------
const cancelWithLateFill =
  (lags, { recordSz = "live", gapMs = 0, answerLost = false, wait = 8000 } = {}) =>
  async (context) => {
    const { ex } = context;
    ex.view.recordSz = recordSz;
    ex.setLag(lags);
    const { body } = await context.place();
    await sleep(1200);
    if (gapMs) {
      context.fill(body.id, "0.004");
      await sleep(gapMs);
    } else
      ex.fault({
        on: (action) => action.type === "cancel" || action.type === "cancelByCloid",
        before: () => context.fill(body.id, "0.004"),
        ...(answerLost ? { lose: "after" } : {}),
      });
    await context.cancel(body.id);
    await context.watch(body.id, wait);
  };
add(
  5,
  "cancel-fills-200ms-late",
  "0.004 fills as the cancel arrives, fills 200 ms late",
  cancelWithLateFill({ fills: 200, streamFills: 200 }),
);
add(
  5,
  "cancel-fills-200ms-late-orig-size",
  "the same, the record with sz = origSz",
  cancelWithLateFill({ fills: 200, streamFills: 200 }, { recordSz: "orig" }),
);
add(
  5,
  "cancel-fills-5s-late",
  "the same, 5 s",
  cancelWithLateFill({ fills: 5000, streamFills: 5000 }, { recordSz: "orig", wait: 14_000 }),
);
add(
  5,
  "cancel-fills-12s-late-frozen",
  "12 s, a record frozen at its last status",
  cancelWithLateFill({ fills: 12_000, streamFills: 12_000 }, { recordSz: "frozen", wait: 18_000 }),
);
add(
  5,
  "cancel-answer-lost-fills-late",
  "the cancel executes, its answer is lost, fills 3 s late",
  cancelWithLateFill({ fills: 3000, streamFills: 3000 }, { answerLost: true, recordSz: "orig", wait: 14_000 }),
);
add(
  5,
  "cancel-fill-before-by-300ms",
  "the fill is 300 ms old when the cancel is asked; fills and lists 2 s behind",
  cancelWithLateFill({ fills: 2000, streamFills: 2000, open: 2000 }, { gapMs: 300, recordSz: "orig" }),
);

// --- 6. Nothing that is shown is compared with what was asked --------------------------------------------------
add(6, "dex-swap-then-place", "two markets of a dex change places; then one is ordered", async (context) => {
  context.truth.swap("xyz:TSLA", "xyz:NVDA");
  const { body } = await context.place({ market: "xyz:TSLA", size: "1", price: "150" });
  if (body?.id) await context.watch(body.id, 5000);
});
add(
  6,
  "dex-swap-then-place-crossing",
  "the same with an order that would execute in the other market",
  async (context) => {
    context.truth.swap("xyz:TSLA", "xyz:NVDA");
    const { body } = await context.place({ market: "xyz:TSLA", size: "1", price: "250" });
    if (body?.id) await context.watch(body.id, 5000);
  },
);
add(6, "native-swap-then-place", "the same among the native markets", async (context) => {
  context.truth.swap("ATOM", "DOGE");
  const { body } = await context.place({ market: "ATOM", size: "200", price: "0.1" });
  if (body?.id) await context.watch(body.id, 5000);
});
add(
  6,
  "dex-swap-then-cancel",
  "the market of a resting order moves; then it is canceled",
  async (context) => {
    const { body } = await context.place({ market: "xyz:TSLA", size: "1", price: "150" });
    await sleep(800);
    context.truth.swap("xyz:TSLA", "xyz:NVDA");
    await context.cancel(body.id);
    await context.watch(body.id, 9000, { until: ended });
  },
  {
    check: (context) =>
      context && [...context.truth.orders.values()].some((each) => each.ours && each.closedAt === null)
        ? [{ kind: "stuck", what: "an order whose market moved could not be canceled", log: [] }]
        : [],
  },
);
add(6, "dex-swap-then-modify", "the market of a resting order moves; then it is modified", async (context) => {
  const { body } = await context.place({ market: "xyz:TSLA", size: "1", price: "150" });
  await sleep(800);
  context.truth.swap("xyz:TSLA", "xyz:NVDA");
  await context.modify(body.id, { price: "140" });
  await context.watch(body.id, 6000);
});
const underOurId =
  (fields, { lose = "before", how = "reset" } = {}) =>
  async (context) => {
    const { ex, truth } = context;
    ex.fault({ on: "order", lose, how, times: 1 });
    const asking = context.place();
    let cloid = null;
    ex.faults[0].on = (action) => {
      if (action.type !== "order") return false;
      cloid = action.orders[0].c;
      return true;
    };
    for (let i = 0; i < 100 && cloid === null; i++) await sleep(5);
    truth.foreign({ coin: "BTC", side: "A", origSz: "5", limitPx: "99000", cloid, ...fields });
    const said = await asking;
    if (said.body?.id) await context.watch(said.body.id, 22_000, { everyMs: 1500 });
  };
add(
  6,
  "foreign-sell-under-our-id",
  "our order is lost on the way; a sell of 5 by somebody else carries its client order id",
  underOurId({}),
);
add(
  6,
  "foreign-other-coin-under-our-id",
  "the same in another market",
  underOurId({ coin: "ETH", side: "B", origSz: "0.01", limitPx: "2000" }),
);
add(
  6,
  "foreign-other-size-under-our-id",
  "the same market and side, another size",
  underOurId({ side: "B", origSz: "3", limitPx: "90000" }),
);
add(
  6,
  "answer-of-another-order",
  "the answer names an order of somebody else, without a client order id",
  async (context) => {
    const { ex, truth } = context;
    const foreign = truth.foreign({ coin: "BTC", side: "A", origSz: "5", limitPx: "99000" });
    ex.fault({
      on: "order",
      answer: () => ({
        status: "ok",
        response: { type: "order", data: { statuses: [{ resting: { oid: foreign.oid } }] } },
      }),
    });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 8000);
  },
);
add(
  6,
  "answer-of-another-fill",
  "the answer tells a fill of somebody else, without a client order id",
  async (context) => {
    const { ex, truth } = context;
    const foreign = truth.foreign({ coin: "BTC", side: "B", origSz: "0.01", limitPx: "95100" });
    ex.fault({
      on: "order",
      answer: () => ({
        status: "ok",
        response: {
          type: "order",
          data: { statuses: [{ filled: { totalSz: "0.01", avgPx: "95019.0", oid: foreign.oid } }] },
        },
      }),
    });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 8000);
  },
);

// --- 7. Silence read as zero -----------------------------------------------------------------------------------
const modifySoon =
  (lags, gapMs, fields = { price: "89000" }) =>
  async (context) => {
    const { ex } = context;
    ex.setLag(lags);
    const { body } = await context.place();
    await sleep(gapMs);
    await context.modify(body.id, fields);
    await context.watch(body.id, 7000);
  };
add(
  7,
  "modify-open-list-800ms-behind",
  "a modify 0.4 s after the answer, open orders 0.8 s behind",
  modifySoon({ open: 800 }, 400),
);
add(
  7,
  "modify-open-list-3s-behind",
  "the same, 3 s, the record too",
  modifySoon({ open: 3000, record: 3000, streamOrders: 3000 }, 400),
);
add(
  7,
  "modify-at-once-everything-behind",
  "a modify at once, everything 2 s behind",
  modifySoon({ open: 2000, record: 2000, history: 2000, fills: 2000, streamOrders: 2000, streamFills: 2000 }, 0),
);
add(7, "cancel-open-list-3s-behind", "a cancel at once, everything 3 s behind", async (context) => {
  context.ex.setLag({ open: 3000, record: 3000, history: 3000, fills: 3000, streamOrders: 3000 });
  const { body } = await context.place();
  await context.cancel(body.id);
  await context.watch(body.id, 7000);
});

// --- 8. A feed that pings and says nothing ---------------------------------------------------------------------
const silentFeed =
  (happens, { watchMs = 14_000, mode = "silent" } = {}) =>
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(1500);
    ex.setStream({ mode });
    await sleep(300);
    happens(context, body.id);
    await context.watch(body.id, watchMs, { everyMs: 800 });
    await context.read("/v1/orders?status=open");
    await context.read("/v1/positions");
  };
add(
  8,
  "silent-feed-part-fills",
  "the feed answers pings and tells nothing; 0.004 fills",
  silentFeed((context, id) => context.fill(id, "0.004")),
);
add(
  8,
  "silent-feed-fills-whole",
  "the same, filled whole",
  silentFeed((context, id) => context.fill(id)),
);
add(
  8,
  "silent-feed-canceled",
  "the same, canceled by the exchange",
  silentFeed((context, id) => context.truth.close(context.oid(id), "marginCanceled")),
);
add(
  8,
  "silent-feed-record-orig-size",
  "a record with sz = origSz; the open list and the fills tell the part",
  silentFeed((context, id) => {
    context.ex.view.recordSz = "orig";
    context.fill(id, "0.004");
  }),
);
add(8, "feed-drops-fills", "the feed tells orders and drops fills", async (context) => {
  const { ex } = context;
  const { body } = await context.place();
  await sleep(1000);
  ex.stream.drop = (channel) => channel === "userFills" || channel === "user";
  ex.truth.note("stream", "fills are dropped from here");
  context.fill(body.id, "0.004");
  await context.watch(body.id, 14_000, { everyMs: 800 });
});

// --- 9. Left open or unknown though it could be known ----------------------------------------------------------
add(
  9,
  "new-status-word",
  "the exchange ends an order with a word that is new",
  async (context) => {
    const { ex, truth } = context;
    ex.view.statusWord = (status) => (status === "withdrawnByVenue" ? "venueWithdrawn" : status);
    const { body } = await context.place();
    await sleep(1000);
    truth.close(context.oid(body.id), "withdrawnByVenue");
    await context.watch(body.id, 25_000, { everyMs: 1500, until: ended });
  },
  { allowStaleMs: 15_000 },
);
add(
  9,
  "new-status-word-filled",
  "the exchange calls a filled order by a new word",
  async (context) => {
    const { ex } = context;
    ex.view.statusWord = (status) => (status === "filled" ? "completed" : status);
    const { body } = await context.place();
    await sleep(1000);
    context.fill(body.id);
    await context.watch(body.id, 25_000, { everyMs: 1500, until: ended });
  },
  { allowStaleMs: 15_000 },
);
add(
  9,
  "forgotten-short-history",
  "the exchange forgot a closed order, its history is short; its fills are there",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(1000);
    await context.gw.kill();
    const oid = context.oid(body.id);
    context.fill(body.id, "0.01");
    truth.forgotten.add(oid);
    ex.view.historyCap = 50;
    truth.addForeignOrders(60);
    await context.restart();
    await context.watch(body.id, 28_000, { everyMs: 1500, until: ended });
  },
  {
    allowStaleMs: 20_000,
    check: (context) => notEnded(context, "filled while we were down, forgotten by the exchange"),
  },
);
add(
  9,
  "forgotten-canceled",
  "the exchange forgot an order that was canceled while we were down; a list of open orders holds a newer one",
  async (context) => {
    const { body } = await forgetCanceled(context);
    // What was signed for the first may be executed no more.
    await sleep(15_000);
    await context.place({ price: "89000" });
    await context.watch(body.id, 95_000, { everyMs: 3000, until: ended });
  },
  {
    allowStaleMs: 20_000,
    check: (context) => notEnded(context, "canceled while we were down, forgotten by the exchange"),
  },
);
add(
  9,
  "forgotten-canceled-quiet",
  "the same in an account in which nothing newer is shown: an empty list proves nothing, so it is told with its age",
  async (context) => {
    const { body } = await forgetCanceled(context);
    await context.watch(body.id, 28_000, { everyMs: 1500, until: ended });
  },
);
add(
  9,
  "fired-under-a-new-id",
  "a stop fires and lives on under a new native id",
  async (context) => {
    const { truth } = context;
    truth.seedPosition("ETH", "1", "2500");
    await sleep(1500);
    const { body } = await context.place({
      market: "ETH",
      side: "sell",
      size: "0.1",
      price: "1500",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "1800", market: false },
    });
    await sleep(800);
    truth.fire(context.oid(body.id), { asNewOid: true });
    await sleep(3000);
    truth.fill(context.oid(body.id), "0.1");
    await context.watch(body.id, 22_000, { everyMs: 1500, until: ended });
  },
  { allowStaleMs: 12_000 },
);
add(
  9,
  "seven-thousand-fills-since",
  "an order fills after 7,000 fills of another program",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(1000);
    ex.setStream({ mode: "silent" });
    truth.addForeignFills(7000, { fromMs: 900, stepMs: 0.1 });
    context.fill(body.id, "0.004");
    await sleep(500);
    await context.cancel(body.id);
    await context.watch(body.id, 25_000, { everyMs: 1500 });
  },
  { allowStaleMs: 20_000, check: (context) => notEnded(context, "canceled after 7,000 foreign fills") },
);
add(
  9,
  "seven-thousand-fills-restart",
  "the same across a restart",
  async (context) => {
    const { truth } = context;
    const { body } = await context.place();
    await sleep(1000);
    await context.gw.kill();
    truth.addForeignFills(7000, { fromMs: 900, stepMs: 0.1 });
    context.fill(body.id);
    await context.restart();
    await context.watch(body.id, 25_000, { everyMs: 1500, until: ended });
  },
  { allowStaleMs: 20_000, check: (context) => notEnded(context, "filled after 7,000 foreign fills") },
);
/** An order that rested is canceled while the gateway is down, and its record and its row of the history are gone. */
const forgetCanceled = async (context) => {
  const { ex, truth } = context;
  const placed = await context.place();
  await sleep(1000);
  await context.gw.kill();
  const oid = context.oid(placed.body.id);
  truth.close(oid);
  truth.forgotten.add(oid);
  ex.view.historyCap = 50;
  truth.addForeignOrders(60);
  await context.restart();
  context.soughtId = placed.body.id;
  return placed;
};
const notEnded = (context, what) => {
  if (!context) return [];
  const last = context.gw.statements
    .filter((each) => each.method === "GET" && /^\/v1\/orders\/[^?]+$/.test(each.path))
    .filter((each) => !context.soughtId || each.path.endsWith(context.soughtId))
    .at(-1);
  return last?.body?.status && !ended(last.body)
    ? [{ kind: "stuck", what: `${what}: still told as ${last.body.status}, filled ${last.body.filled_size}`, log: [] }]
    : [];
};

// --- 10. A refusal in words that are not in our list -----------------------------------------------------------
const unlisted =
  (refuse, fields = {}) =>
  async (context) => {
    context.ex.fault({ on: "order", refuse });
    const { body } = await context.place(fields);
    if (body?.id) await context.watch(body.id, 25_000, { until: known });
  };
add(
  10,
  "unlisted-refusal-nonce-used",
  "an unlisted refusal of the whole action, the nonce used",
  unlisted({ text: "Orders in this market are paused for maintenance.", shape: "err", nonce: "used" }),
  { knownWithinMs: 10_000 },
);
add(
  10,
  "unlisted-refusal-in-statuses",
  "an unlisted refusal in the statuses, the nonce used",
  unlisted({
    text: "Account is temporarily restricted from opening positions. asset=0",
    shape: "status",
    nonce: "used",
  }),
  { knownWithinMs: 10_000 },
);
add(
  10,
  "unlisted-refusal-nonce-free",
  "an unlisted refusal that leaves the nonce free",
  unlisted({ text: "Please try again later", shape: "err", nonce: "free" }),
  { knownWithinMs: 10_000 },
);
add(
  10,
  "unlisted-refusal-ioc-lag",
  "an unlisted refusal, the nonce used, every index 5 s behind",
  async (context) => {
    context.ex.setRestLag(5000);
    await unlisted(
      { text: "Margin engine busy", shape: "err", nonce: "used" },
      { price: "96000", time_in_force: "ioc" },
    )(context);
  },
  { knownWithinMs: 15_000 },
);
add(
  10,
  "unlisted-text-but-executed",
  "an unlisted text is answered although the order rests",
  async (context) => {
    context.ex.fault({
      on: "order",
      answer: () => ({ status: "err", response: "Internal relay error, please check your orders" }),
    });
    context.ex.setLag({ record: 3000, open: 3000, history: 3000 });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 20_000, { everyMs: 1500 });
  },
  { knownWithinMs: 20_000 },
);

// --- 11. Smaller -----------------------------------------------------------------------------------------------
const readsFewSignatures = (exchange) => {
  exchange.verifyEvery = 25;
};
const manyAtOnce =
  (count, { slow = false } = {}) =>
  async (context) => {
    const { ex } = context;
    if (slow) ex.fault({ on: "order", times: count, hold: () => Math.random() * 1000 });
    await Promise.all(
      Array.from({ length: count }, (_, i) =>
        context.place({ price: String(80_000 + i), size: "0.001" }, `stranger-many-${String(i).padStart(4, "0")}`),
      ),
    );
    await sleep(6000);
    const ids = [...context.ids];
    for (let i = 0; i < ids.length; i++) {
      if (i % 15 === 0) await sleep(400);
      if (i % 3 === 0) await context.get(ids[i]);
    }
  };
const noneFailed = (context) => {
  if (!context) return [];
  const first = context.gw.statements.filter(
    (each) => each.method === "POST" && each.path === "/v1/orders" && !each.isReplay,
  );
  const bad = first.filter((each) => each.http !== 201 || each.body.status !== "open");
  return bad.length > 0
    ? [
        {
          kind: "slow",
          what: `${bad.length} of ${first.length} orders at once were not simply open: ${[...new Set(bad.map((each) => `${each.http} ${each.body?.status ?? each.body?.error?.code} ${each.body?.error ?? ""}`.slice(0, 120)))].join("; ")}`,
          log: [],
        },
      ]
    : [];
};
const unlimited = {
  POSTERN_LIMIT_ORDERS: "0",
  POSTERN_LIMIT_READS: "0",
  POSTERN_LIMIT_CANCELS: "0",
  POSTERN_EXCHANGE_WEIGHT: "0",
};
add(11, "three-hundred-at-once", "300 orders at once; the exchange answers as they come", manyAtOnce(300), {
  settings: unlimited,
  check: noneFailed,
  prepare: readsFewSignatures,
  knownWithinMs: 25_000,
});
add(
  11,
  "three-hundred-at-once-shuffled",
  "300 at once; a relay brings them in any order within a second: 60 at a time, all inside the four that each may wait",
  manyAtOnce(300, { slow: true }),
  { settings: unlimited, check: noneFailed, prepare: readsFewSignatures, knownWithinMs: 25_000 },
);
add(
  11,
  "size-rule-grew",
  "the exchange allows finer sizes than before",
  async (context) => {
    context.truth.changeList((dexes) => {
      dexes[""].find((each) => each.name === "SOL").szDecimals = 4;
    });
    const said = await context.place({ market: "SOL", size: "0.1234", price: "120" });
    if (said.body?.id) await context.watch(said.body.id, 2000);
  },
  {
    check: (context) => {
      const said = context?.gw.statements.find((each) => each.path === "/v1/orders" && each.method === "POST");
      return said?.body?.status === "rejected"
        ? [
            {
              kind: "false",
              what: `a size that the exchange takes is refused by the old rule, and the key is used up: ${said.body.error}`,
              log: [],
            },
          ]
        : [];
    },
  },
);
add(
  11,
  "size-rule-shrank",
  "the exchange allows coarser sizes only",
  async (context) => {
    context.truth.changeList((dexes) => {
      dexes[""].find((each) => each.name === "SOL").szDecimals = 0;
    });
    const said = await context.place({ market: "SOL", size: "1.5", price: "120" });
    if (said.body?.id) await context.watch(said.body.id, 12_000, { until: known });
  },
  { knownWithinMs: 15_000 },
);
add(
  11,
  "blames-the-right-limit",
  "after a 429 of the exchange the next refusal does not blame our own limit",
  async (context) => {
    const { ex } = context;
    ex.infoFaults.push({ on: "*", times: 10, status: 429, body: null });
    ex.fault({ on: "order", lose: "before", how: "429", times: 3 });
    await context.place();
    for (let i = 0; i < 4; i++) await context.place({ price: String(88_000 + i) });
  },
  {
    check: (context) => {
      const said = context?.gw.statements.find((each) => each.http === 429);
      const message = said?.body?.error?.message ?? "";
      return said && !/exchange/i.test(message)
        ? [{ kind: "false", what: `after a 429 of the exchange: "${message}"`, log: [] }]
        : [];
    },
    knownWithinMs: 30_000,
  },
);

export const seen = scenes;
void q;
