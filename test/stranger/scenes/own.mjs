// The same spirit as in `seen.mjs`, other combinations.
import { cloidOf } from "../judge.mjs";
import { ended, known, sleep } from "../stage.mjs";

const scenes = [];
const add = (name, about, run, more = {}) => scenes.push({ name, about, run, ...more });
const isCancel = (action) => action.type === "cancel" || action.type === "cancelByCloid";
const silent = (ex) => ex.setStream({ mode: "silent" });
const finding = (kind, what) => ({ kind, what, log: [] });
const openOurs = (context) =>
  [...context.truth.orders.values()].filter((each) => each.ours && each.closedAt === null && each.versions.length > 0);

// --- modify ----------------------------------------------------------------------------------------------------
add(
  "modify-thrice-fills-late",
  "three price-only modifies, a part fills as each arrives, fills 2 s late",
  async (context) => {
    const { ex } = context;
    ex.view.recordSz = "live";
    ex.setLag({ fills: 2000, streamFills: 2000, open: 400 });
    const { body } = await context.place({ size: "0.02" });
    await sleep(900);
    ex.fault({ on: "batchModify", times: 3, before: (action) => context.truth.fill(action.modifies[0].oid, "0.003") });
    for (const price of ["89900", "89800", "89700"]) {
      await context.modify(body.id, { price });
      await sleep(500);
    }
    await context.watch(body.id, 15_000);
  },
);
add(
  "modify-answer-lost-fill-late",
  "the modify executes, its answer is lost, a part had filled, fills 4 s late",
  async (context) => {
    const { ex } = context;
    ex.view.recordSz = "orig";
    ex.setLag({ fills: 4000, streamFills: 4000 });
    const { body } = await context.place();
    await sleep(900);
    ex.fault({ on: "batchModify", before: () => context.fill(body.id, "0.004"), lose: "after" });
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, 18_000);
  },
  { knownWithinMs: 20_000 },
);
add(
  "modify-lost-before-lag",
  "the modify never arrives; records 5 s behind, the feed silent",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    silent(ex);
    ex.fallBehind(5000);
    ex.fault({ on: "batchModify", lose: "before" });
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, 25_000, { everyMs: 1500 });
  },
  { knownWithinMs: 30_000 },
);
add(
  "modify-replacement-fills-at-once",
  "the replacement is filled whole the moment it is there; its answer lost; the feed 3 s late",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(2500);
    ex.setStreamLag(3000);
    ex.setLag({ fills: 5000, open: 1000, record: 1000 });
    ex.fault({ on: "batchModify", lose: "after", after: () => truth.fill(context.oid(body.id)) });
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, 18_000, { everyMs: 900 });
  },
  { knownWithinMs: 20_000 },
);
add(
  "modify-refused-original-gone-lag",
  "post-only replacement refused, original gone; every index 4 s behind",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.fallBehind(4000);
    ex.setStreamLag(4000);
    await context.modify(body.id, { price: "96000" });
    await context.watch(body.id, 12_000, { everyMs: 900 });
  },
);
add(
  "modify-of-what-just-filled",
  "the order fills whole as the modify arrives; everything 2 s late",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.fallBehind(2000);
    ex.setStreamLag(2000);
    ex.fault({ on: "batchModify", before: () => context.fill(body.id) });
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, 12_000, { everyMs: 900 });
  },
);
add(
  "modify-always-place-just-filled",
  "the same with always_place: the replacement is an order of its own",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.fallBehind(2500);
    ex.setStreamLag(2500);
    ex.fault({ on: "batchModify", before: () => truth.fill(truth.find(cloidOf(body.id)).oid) });
    const said = await context.modify(body.id, { price: "89000", always_place: true });
    await context.watch(body.id, 6000, { everyMs: 900 });
    if (said.body?.id && said.body.id !== body.id) await context.watch(said.body.id, 6000, { everyMs: 900 });
  },
);
add("modify-size-up-fills-late", "the size is raised to 0.02 while a part fills; fills 3 s late", async (context) => {
  const { ex } = context;
  ex.view.recordSz = "frozen";
  ex.setLag({ fills: 3000, streamFills: 3000 });
  const { body } = await context.place();
  await sleep(900);
  ex.fault({ on: "batchModify", before: () => context.fill(body.id, "0.004") });
  await context.modify(body.id, { price: "89000", size: "0.02" });
  await context.watch(body.id, 12_000, { everyMs: 900 });
});
add(
  "kill-during-modify-lag",
  "kill -9 while a modify is out; a part had filled; after the start every index is 10 s behind",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.fault({ on: "batchModify", before: () => context.fill(body.id, "0.004"), lose: "after", how: "hang" });
    const asking = context.modify(body.id, { price: "89000" });
    await sleep(500);
    ex.fallBehind(10_000);
    ex.setStreamLag(10_000);
    await context.restart();
    await asking;
    await context.watch(body.id, 26_000, { everyMs: 1500 });
  },
  { knownWithinMs: 30_000 },
);
add(
  "modify-record-stuck-on-original",
  "after a modify the record answers from a server that still has the original open",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.setLag({ record: { stuckAt: Date.now() }, open: { stuckAt: Date.now() }, history: { stuckAt: Date.now() } });
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, 8000, { everyMs: 900 });
    await context.cancel(body.id);
    await context.watch(body.id, 8000, { everyMs: 900 });
  },
);

// --- cancel ----------------------------------------------------------------------------------------------------
add(
  "cancel-then-stale-server",
  "a canceled order is still open on some servers, up to 8 s",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.setLag({ record: [0, 8000], open: [0, 8000], history: [0, 8000], streamOrders: 3000 });
    await context.cancel(body.id);
    await context.watch(body.id, 12_000, { everyMs: 500 });
    await context.read("/v1/orders?status=open");
  },
  { knownWithinMs: 25_000 },
);
add(
  "cancel-lost-before",
  "the cancel never arrives; open lists 6 s behind",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    silent(ex);
    ex.setIndexLag(6000);
    ex.fault({ on: isCancel, lose: "before" });
    await context.cancel(body.id);
    await context.watch(body.id, 26_000, { everyMs: 1500, until: ended });
  },
  { knownWithinMs: 30_000 },
);
add(
  "cancel-never-placed-though-open",
  'the exchange says "never placed" of an order that rests, twice; lists 3 s behind',
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(3000);
    const { body } = await context.place();
    ex.fault({
      on: isCancel,
      times: 2,
      before: (_action, exchange) => {
        const order = exchange.truth.orders.get(context.oid(body.id));
        order.hidden = order.closedAt;
        order.closedAt = 0;
      },
      after: (_action, exchange) => {
        const order = exchange.truth.orders.get(context.oid(body.id));
        order.closedAt = order.hidden ?? null;
      },
    });
    await context.cancel(body.id);
    await context.watch(body.id, 16_000, { everyMs: 1200, until: ended });
  },
  {
    check: (context) =>
      context &&
      openOurs(context).length > 0 &&
      !["open", "unknown"].includes(
        context.gw.statements.filter((each) => each.method === "GET" && each.body?.object === "order").at(-1)?.body
          .status,
      )
        ? [finding("stuck", "told as ended and still open")]
        : [],
  },
);
add(
  "cancel-of-the-unknown-held",
  "an order whose answer is lost is held by a relay for 4 s; the client cancels it meanwhile",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(3000);
    ex.setStreamLag(3000);
    ex.fault({ on: "order", dropEarly: 200, hold: 4000 });
    const asking = context.place({}, "stranger-held-1");
    await sleep(900);
    const list = await context.read("/v1/orders?limit=5");
    const id = list.body?.data?.[0]?.id;
    if (id) await context.cancel(id);
    await asking;
    if (id) await context.watch(id, 24_000, { everyMs: 1500 });
  },
  {
    check: (context) =>
      context && openOurs(context).length > 0 ? [finding("stuck", "a cancel was asked, and the order lives on")] : [],
  },
);
add(
  "cancel-of-the-unknown-noops-lost",
  "the same with the noops lost",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(3000);
    silent(ex);
    ex.fault({ on: "noop", times: 100, lose: "before" });
    ex.fault({ on: "order", dropEarly: 200, hold: 6000 });
    const asking = context.place({}, "stranger-held-2");
    await sleep(900);
    const list = await context.read("/v1/orders?limit=5");
    const id = list.body?.data?.[0]?.id;
    if (id) await context.cancel(id);
    await asking;
    if (id) await context.watch(id, 28_000, { everyMs: 1500 });
  },
  {
    check: (context) =>
      context && openOurs(context).length > 0 ? [finding("stuck", "a cancel was asked, and the order lives on")] : [],
  },
);
add(
  "cancel-as-it-fills",
  "it fills whole as the cancel arrives; everything 5 s late",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.setIndexLag(5000);
    ex.setStreamLag(5000);
    ex.fault({ on: isCancel, before: () => context.fill(body.id) });
    await context.cancel(body.id);
    await context.watch(body.id, 16_000, { everyMs: 900 });
  },
  { knownWithinMs: 15_000 },
);
add(
  "venue-cancels-after-part-fill",
  "the exchange cancels after a part filled; the fill shows 6 s late",
  async (context) => {
    const { ex, truth } = context;
    ex.view.recordSz = "orig";
    ex.setLag({ fills: 6000, streamFills: 6000 });
    const { body } = await context.place();
    await sleep(900);
    context.fill(body.id, "0.004");
    await sleep(100);
    truth.close(context.oid(body.id), "marginCanceled");
    await context.watch(body.id, 14_000, { everyMs: 900 });
  },
);
add(
  "venue-cancels-stream-only-late-fill",
  "the same: the order by the feed at once, the fill by no feed at all",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.stream.drop = (channel) => channel === "userFills" || channel === "user";
    ex.setLag({ fills: 3000 });
    context.fill(body.id, "0.004");
    await sleep(50);
    truth.close(context.oid(body.id), "selfTradeCanceled");
    await context.watch(body.id, 14_000, { everyMs: 900 });
  },
);
add("canceled-by-another-program", "another program of the owner cancels; records 4 s behind", async (context) => {
  const { ex, truth } = context;
  const { body } = await context.place();
  await sleep(900);
  ex.setIndexLag(4000);
  ex.setStreamLag(2000);
  truth.close(context.oid(body.id), "canceled");
  await context.watch(body.id, 10_000, { everyMs: 700 });
});
add(
  "late-open-after-canceled",
  'the feed tells "open" of the order two seconds after it was canceled',
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(900);
    const oid = context.oid(body.id);
    await context.cancel(body.id);
    await sleep(2000);
    const order = truth.orders.get(oid);
    ex.push("orderUpdates", {
      order: {
        coin: "BTC",
        side: "B",
        limitPx: "90000.0",
        sz: "0.01",
        oid,
        timestamp: order.createdAt,
        origSz: "0.01",
        cloid: order.cloid,
      },
      status: "open",
      statusTimestamp: order.createdAt,
    });
    await context.watch(body.id, 5000, { everyMs: 500 });
  },
);

// --- lost and delayed ------------------------------------------------------------------------------------------
add(
  "relay-holds-ten-seconds",
  "the connection is lost, the relay brings the order 10 s later; noops lost",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(2000);
    silent(ex);
    ex.fault({ on: "noop", times: 100, lose: "before" });
    ex.fault({ on: "order", dropEarly: 300, hold: 10_000 });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 26_000, { everyMs: 1500 });
  },
  { knownWithinMs: 30_000 },
);
add("relay-holds-past-expiry", "the relay brings it after its time", async (context) => {
  const { ex } = context;
  ex.fault({ on: "noop", times: 100, lose: "before" });
  ex.fault({ on: "order", dropEarly: 300, hold: 16_000 });
  const { body } = await context.place();
  if (body?.id) await context.watch(body.id, 26_000, { everyMs: 1500 });
});
add(
  "answer-after-deadline",
  "the answer comes 11 s late and says resting; indexes 20 s behind",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(20_000);
    ex.fault({ on: "order", late: 11_000 });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 16_000, { everyMs: 1200 });
  },
  { knownWithinMs: 16_000 },
);
add(
  "answer-cut-in-the-middle",
  "the answer is a page of a proxy although it executed; indexes drawn up to 6 s",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag([0, 6000]);
    ex.fault({ on: "order", lose: "after", how: "502" });
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" });
    if (body?.id) await context.watch(body.id, 18_000, { everyMs: 1000 });
  },
  { knownWithinMs: 20_000 },
);
add(
  "rate-limited-but-executed",
  "429 answered although it executed; indexes 8 s behind, the feed silent",
  async (context) => {
    const { ex } = context;
    silent(ex);
    ex.setIndexLag(8000);
    ex.fault({ on: "order", lose: "after", how: "429" });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 24_000, { everyMs: 1500 });
  },
  { knownWithinMs: 26_000 },
);
add(
  "same-key-twenty-times",
  "one key twenty times at once, the answer lost, indexes 4 s behind",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(4000);
    ex.setStreamLag(4000);
    ex.fault({ on: "order", lose: "after" });
    const all = await Promise.all(Array.from({ length: 20 }, () => context.place({}, "stranger-twenty-1")));
    await context.watch(all[0].body.id, 10_000);
  },
  { knownWithinMs: 15_000 },
);
add(
  "kill-twice-same-key",
  "kill -9 twice while it is unknown; the key is repeated after each start; indexes 12 s behind",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(12_000);
    ex.setStreamLag(12_000);
    ex.fault({ on: "order", lose: "after", how: "hang" });
    const asking = context.place({}, "stranger-twice-1");
    await sleep(500);
    await context.restart();
    await context.place({}, "stranger-twice-1");
    await context.restart();
    const { body } = await context.place({}, "stranger-twice-1");
    await asking;
    if (body?.id) await context.watch(body.id, 15_000, { everyMs: 1500 });
  },
  { knownWithinMs: 32_000 },
);
add(
  "term-while-unknown",
  "SIGTERM while it is unknown, two seconds down, indexes 15 s behind",
  async (context) => {
    const { ex } = context;
    silent(ex);
    ex.setIndexLag(15_000);
    ex.fault({ on: "order", lose: "after" });
    const asking = context.place({ price: "96000", time_in_force: "ioc" }, "stranger-term-1");
    await sleep(700);
    await context.restart("SIGTERM", 2000);
    await asking;
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" }, "stranger-term-1");
    if (body?.id) await context.watch(body.id, 26_000, { everyMs: 1500 });
  },
  { knownWithinMs: 34_000 },
);
add(
  "stuck-server-of-before",
  "every index answers from a server that stopped before the order; clocks go on",
  async (context) => {
    const { ex } = context;
    silent(ex);
    const stuckAt = Date.now();
    ex.setLag({ record: { stuckAt }, open: { stuckAt }, history: { stuckAt }, fills: { stuckAt } });
    ex.fault({ on: "noop", times: 100, lose: "before" });
    ex.fault({ on: "order", lose: "after" });
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" });
    if (body?.id) await context.watch(body.id, 38_000, { everyMs: 1500 });
  },
);
add(
  "half-the-servers-stuck",
  "every second answer of each index comes from a stuck server",
  async (context) => {
    const { ex } = context;
    silent(ex);
    ex.setIndexLag(() => (Math.random() < 0.5 ? 90_000 : 300));
    ex.fault({ on: "order", lose: "after" });
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" });
    if (body?.id) await context.watch(body.id, 20_000, { everyMs: 1500 });
  },
  { knownWithinMs: 20_000 },
);
add(
  "half-stuck-then-part-fills",
  "the same while a resting order fills in parts",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    silent(ex);
    ex.setIndexLag(() => (Math.random() < 0.5 ? 6000 : 100));
    for (const size of ["0.002", "0.003", "0.001"]) {
      context.fill(body.id, size);
      await context.watch(body.id, 3500, { everyMs: 700 });
    }
    context.fill(body.id);
    await context.watch(body.id, 9000, { everyMs: 700 });
  },
  { allowStaleMs: 7500 },
);

// --- fills -----------------------------------------------------------------------------------------------------
add(
  "ioc-part-filled-lost",
  "an ioc takes 0.004 of 0.01, the answer lost, fills drawn up to 8 s",
  async (context) => {
    const { ex, truth } = context;
    truth.liquidity.set("BTC", 400_000);
    ex.view.recordSz = "orig";
    ex.setLag({ fills: [0, 8000], streamFills: 8000 });
    ex.fault({ on: "order", lose: "after" });
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" });
    if (body?.id) await context.watch(body.id, 20_000, { everyMs: 1000 });
  },
  { knownWithinMs: 25_000 },
);
add(
  "ioc-two-fills-one-late",
  "an ioc fills in two parts, the second shows 7 s after the first; the answer lost",
  async (context) => {
    const { ex, truth } = context;
    truth.liquidity.set("BTC", 400_000);
    let second = 0;
    ex.view.rows = (type, rows) =>
      type === "fills" && Date.now() < second + 7000 ? rows.filter((row) => row.time < second) : rows;
    ex.stream.drop = (channel) => channel === "userFills" || channel === "user";
    ex.fault({
      on: "order",
      lose: "after",
      after: (_action, exchange) => {
        const order = [...exchange.truth.orders.values()].at(-1);
        second = Date.now() + 2;
        return sleep(3).then(() => exchange.truth.record(order, 600_000, order.limitPx, true));
      },
    });
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" });
    if (body?.id) await context.watch(body.id, 20_000, { everyMs: 1000 });
  },
);
add("gtc-part-filled-at-once", "a gtc takes 0.004 at once and rests; fills 3 s late", async (context) => {
  const { ex, truth } = context;
  truth.liquidity.set("BTC", 400_000);
  ex.setLag({ fills: 3000, streamFills: 3000 });
  const { body } = await context.place({ price: "96000" });
  await context.watch(body.id, 9000, { everyMs: 700 });
});
add("gtc-part-filled-answer-filled", 'the same, the answer says "filled" with less than asked', async (context) => {
  const { ex, truth } = context;
  truth.liquidity.set("BTC", 400_000);
  ex.setLag({ fills: 3000, streamFills: 3000, open: 2000, record: 2000 });
  ex.fault({
    on: "order",
    answer: (answer) => {
      const { oid, cloid } = answer.response.data.statuses[0].resting;
      return {
        status: "ok",
        response: {
          type: "order",
          data: { statuses: [{ filled: { totalSz: "0.004", avgPx: "95019.0", oid, cloid } }] },
        },
      };
    },
  });
  const { body } = await context.place({ price: "96000" });
  await context.watch(body.id, 10_000, { everyMs: 700 });
});
add(
  "two-thousand-parts",
  "an order fills in 2,500 parts within two milliseconds each page holds, while we are down",
  async (context) => {
    const { truth } = context;
    const { body } = await context.place({ market: "DOGE", size: "5000", price: "0.1" });
    await sleep(900);
    await context.gw.kill();
    const order = context.leg(body.id);
    for (let i = 0; i < 2500; i++) truth.record(order, 100_000_000, order.limitPx, false);
    const at = Date.now();
    truth.fills.forEach((fill, i) => {
      if (fill.oid === order.oid) fill.t = at - 10 + Math.floor(i / 500) * 2;
    });
    await context.restart();
    await context.watch(body.id, 12_000, { everyMs: 900 });
  },
  { allowStaleMs: 12_000 },
);
add(
  "three-thousand-in-one-ms",
  "two orders fill in 1,500 parts each, all of them in one millisecond",
  async (context) => {
    const { truth } = context;
    const one = await context.place({ market: "DOGE", size: "5000", price: "0.1" });
    const two = await context.place({ market: "DOGE", size: "4000", price: "0.11" });
    await sleep(900);
    await context.gw.kill();
    const at = Date.now();
    for (const id of [one.body.id, two.body.id]) {
      const order = context.leg(id);
      for (let i = 0; i < 1500; i++) truth.record(order, 100_000_000, order.limitPx, false);
      for (const fill of truth.fills) if (fill.oid === order.oid) fill.t = at;
    }
    await context.restart();
    await context.watch(one.body.id, 7000, { everyMs: 900 });
    await context.watch(two.body.id, 7000, { everyMs: 900 });
  },
  { allowStaleMs: 12_000 },
);
add("fills-told-twice", "the feed tells every fill three times and again as a snapshot", async (context) => {
  const { ex, truth } = context;
  const { body } = await context.place();
  await sleep(600);
  context.fill(body.id, "0.004");
  const fill = ex.view.fillRow(truth.fills.at(-1));
  for (let i = 0; i < 3; i++) {
    await sleep(300);
    for (const peer of ex.peers)
      ex.tell(peer, "userFills", { user: truth.owner, fills: [fill], ...(i === 2 ? { isSnapshot: true } : {}) });
  }
  await context.watch(body.id, 4000);
});
add(
  "foreign-fill-under-our-id",
  "the feed tells a fill of another order that carries our client order id",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(600);
    const ours = context.leg(body.id);
    const foreign = truth.foreign({ coin: "BTC", side: "A", origSz: "5", limitPx: "99000" });
    foreign.cloid = ours.cloid;
    truth.record(foreign, 200_000_000, foreign.limitPx, false);
    await sleep(500);
    void ex;
    await context.watch(body.id, 6000);
  },
);
add(
  "fills-without-client-id",
  "no fill carries a client order id; the answer was lost; indexes 2 s behind",
  async (context) => {
    const { ex } = context;
    ex.view.hidesCloidInFills = true;
    ex.setIndexLag(2000);
    ex.setStreamLag(500);
    ex.fault({ on: "order", lose: "after" });
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" });
    if (body?.id) await context.watch(body.id, 12_000);
  },
  { knownWithinMs: 15_000 },
);
add(
  "reduce-only-shrinks",
  "a reduce-only order shrinks without a fill: the record is smaller, nothing was filled",
  async (context) => {
    const { ex, truth } = context;
    truth.seedPosition("BTC", "0.05", "94000");
    await sleep(1500);
    ex.view.recordSz = "live";
    const { body } = await context.place({ side: "sell", size: "0.02", price: "99000", reduce_only: true });
    await sleep(600);
    context.leg(body.id).shrunk = 1_000_000;
    truth.note("shrunk", "the order shrinks to 0.01 without a fill");
    await context.watch(body.id, 5000);
    await context.modify(body.id, { price: "99500" });
    await context.watch(body.id, 5000);
  },
);
add(
  "stream-gap-part-fill",
  "the feed breaks, a part fills in the gap, every index 3 s behind",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.setIndexLag(3000);
    ex.setStream({ isRefused: true });
    context.fill(body.id, "0.004");
    await sleep(1500);
    ex.setStream({ isRefused: false });
    await context.watch(body.id, 12_000, { everyMs: 700 });
  },
  { allowStaleMs: 5000 },
);
add(
  "stream-snapshot-behind",
  "after a break the feed begins with a snapshot 10 s old and goes on",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    context.fill(body.id, "0.002");
    await sleep(500);
    ex.setStream({ isRefused: true });
    context.fill(body.id, "0.003");
    ex.setStreamLag(10_000);
    await sleep(600);
    ex.setStream({ isRefused: false });
    await context.watch(body.id, 12_000, { everyMs: 700 });
  },
  { allowStaleMs: 3000 },
);

// --- operations ------------------------------------------------------------------------------------------------
add(
  "twap-lost-lookalike-runs",
  "our TWAP never arrives; one of somebody else is the same but for randomize",
  async (context) => {
    const { ex, truth } = context;
    ex.fault({ on: "twapOrder", lose: "before", after: () => {} });
    const asking = context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
    await sleep(300);
    const t = Date.now();
    truth.twaps.set(5, {
      twapId: 5,
      coin: "BTC",
      side: "B",
      sz: 10_000_000,
      minutes: 30,
      reduceOnly: false,
      randomize: true,
      createdAt: t,
      isForeign: true,
      versions: [{ t, status: "activated" }],
    });
    truth.note("twap", "5 of somebody else runs: buy 0.1 BTC over 30 min, randomized");
    const said = await asking;
    if (said.body?.id) await context.watchOperation(said.body.id, 30_000);
  },
  { knownWithinMs: 33_000 },
);
add(
  "twap-lost-twin-runs",
  "our TWAP never arrives; one of somebody else is the same in everything",
  async (context) => {
    const { ex, truth } = context;
    ex.fault({ on: "twapOrder", lose: "before" });
    const asking = context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
    await sleep(300);
    const t = Date.now();
    truth.twaps.set(6, {
      twapId: 6,
      coin: "BTC",
      side: "B",
      sz: 10_000_000,
      minutes: 30,
      reduceOnly: false,
      randomize: false,
      createdAt: t,
      isForeign: true,
      versions: [{ t, status: "activated" }],
    });
    truth.note("twap", "6 of somebody else runs: the same in everything");
    const said = await asking;
    if (said.body?.id) await context.watchOperation(said.body.id, 30_000);
  },
);
add(
  "twap-found-late",
  "the answer of a TWAP is lost; its history 8 s behind, the feed silent",
  async (context) => {
    const { ex } = context;
    silent(ex);
    ex.setLag({ twaps: 8000 });
    ex.fault({ on: "twapOrder", lose: "after" });
    const said = await context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
    if (said.body?.id) await context.watchOperation(said.body.id, 25_000);
  },
  { knownWithinMs: 25_000 },
);
add(
  "twap-cancel-lost-lag",
  "the answer of a TWAP cancel is lost; history 25 s behind, the feed silent",
  async (context) => {
    const { ex } = context;
    const made = await context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
    await sleep(900);
    silent(ex);
    ex.setLag({ twaps: 25_000 });
    ex.fault({ on: "twapCancel", lose: "after" });
    const said = await context.post("/v1/twaps/cancel", { market: "BTC", twap_id: Number(made.body.exchange_id) });
    if (said.body?.id) await context.watchOperation(said.body.id, 33_000);
  },
);
add("twap-cancel-never-arrives", "a TWAP cancel is lost on the way; history 10 s behind", async (context) => {
  const { ex } = context;
  const made = await context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
  await sleep(900);
  silent(ex);
  ex.setLag({ twaps: 10_000 });
  ex.fault({ on: "twapCancel", lose: "before" });
  const said = await context.post("/v1/twaps/cancel", { market: "BTC", twap_id: Number(made.body.exchange_id) });
  if (said.body?.id) await context.watchOperation(said.body.id, 30_000);
});
add("leverage-other-margin-type", "a change to 7x isolated never arrives; 7x cross was in force", async (context) => {
  const { ex, truth } = context;
  truth.leverages.push({ t: Date.now(), coin: "ETH", isCross: true, leverage: 7 });
  await sleep(300);
  ex.fault({ on: "updateLeverage", lose: "before" });
  const said = await context.post("/v1/leverage", { market: "ETH", leverage: 7, margin_type: "isolated" });
  if (said.body?.id) await context.watchOperation(said.body.id, 30_000);
});
add(
  "leverage-stale-in-force",
  'another program changed the leverage back; what shows it is 20 s behind: "already in force" is not',
  async (context) => {
    const { ex, truth } = context;
    await context.post("/v1/leverage", { market: "ETH", leverage: 7, margin_type: "cross" });
    await sleep(1000);
    ex.setLag({ leverage: { stuckAt: Date.now() } });
    await sleep(300);
    truth.leverages.push({ t: Date.now(), coin: "ETH", isCross: true, leverage: 3 });
    truth.note("leverage", "ETH 3x cross by another program");
    await sleep(300);
    const said = await context.post("/v1/leverage", { market: "ETH", leverage: 7, margin_type: "cross" });
    if (said.body?.id) await context.watchOperation(said.body.id, 6000);
  },
);
add("leverage-lost-before-lag", "a change never arrives; what shows it 8 s behind", async (context) => {
  const { ex } = context;
  ex.setLag({ leverage: 8000 });
  ex.fault({ on: "updateLeverage", lose: "before" });
  const said = await context.post("/v1/leverage", { market: "ETH", leverage: 7, margin_type: "isolated" });
  if (said.body?.id) await context.watchOperation(said.body.id, 30_000);
});
add(
  "margin-twice-first-lost",
  "margin is added twice, the first answer lost; positions 6 s behind",
  async (context) => {
    const { ex, truth } = context;
    truth.seedPosition("ETH", "1", "2500", { isCross: false, leverage: 5 });
    await sleep(2000);
    ex.setLag({ positions: 6000, streamPositions: 6000, leverage: 6000 });
    ex.fault({ on: "updateIsolatedMargin", lose: "after" });
    const one = context.post("/v1/margin", { market: "ETH", amount: "25" });
    await sleep(800);
    const two = context.post("/v1/margin", { market: "ETH", amount: "25" });
    for (const said of [await one, await two]) if (said.body?.id) await context.watchOperation(said.body.id, 14_000);
  },
);
add(
  "margin-lost-while-fill-moves-it",
  "margin never arrives; a fill of another program moves the collateral meanwhile",
  async (context) => {
    const { ex, truth } = context;
    truth.seedPosition("ETH", "1", "2500", { isCross: false, leverage: 5 });
    await sleep(2000);
    ex.fault({ on: "updateIsolatedMargin", lose: "before" });
    const asking = context.post("/v1/margin", { market: "ETH", amount: "25" });
    await sleep(300);
    truth.margins.push({ t: Date.now(), coin: "ETH", ntli: 25_000_000, by: "another" });
    truth.note("margin", "ETH 25 USDC by another program");
    truth.margins.at(-1).isForeign = true;
    const said = await asking;
    if (said.body?.id) await context.watchOperation(said.body.id, 30_000);
  },
);

// --- markets, clocks, the exchange itself ----------------------------------------------------------------------
add("market-list-flickers", "two markets swap; each answer is the old list or the new one", async (context) => {
  const { ex, truth } = context;
  truth.swap("xyz:TSLA", "xyz:NVDA");
  ex.setLag({ markets: () => (Math.random() < 0.5 ? 600_000 : 0) });
  for (let i = 0; i < 6; i++) {
    await context.place({ market: i % 2 ? "xyz:NVDA" : "xyz:TSLA", size: "1", price: String(140 + i) });
    await sleep(900);
  }
  for (const id of context.ids) await context.get(id);
});
add(
  "market-list-swap-while-trading",
  "orders in both markets, a swap, then modify and cancel of each",
  async (context) => {
    const { truth } = context;
    const one = await context.place({ market: "xyz:TSLA", size: "1", price: "150" });
    const two = await context.place({ market: "xyz:NVDA", size: "1", price: "140" });
    await sleep(600);
    truth.swap("xyz:TSLA", "xyz:NVDA");
    await context.modify(one.body.id, { price: "149" });
    await context.cancel(two.body.id);
    await context.watch(one.body.id, 5000);
    await context.watch(two.body.id, 5000);
    await context.cancel(one.body.id);
    await context.watch(one.body.id, 6000, { until: ended });
  },
  {
    check: (context) =>
      context && openOurs(context).length > 0 ? [finding("stuck", "a cancel was asked, and an order lives on")] : [],
  },
);
add("market-inserted", "a market is inserted in the middle: all after it move by one", async (context) => {
  const { truth } = context;
  truth.changeList((dexes) =>
    dexes.xyz.splice(1, 0, { szDecimals: 1, name: "xyz:META", maxLeverage: 5, marginTableId: 5 }),
  );
  truth.prices.set("xyz:META", 700);
  const one = await context.place({ market: "xyz:NVDA", size: "1", price: "150" });
  const two = await context.place({ market: "xyz:GOLD", size: "0.1", price: "3000" });
  for (const said of [one, two]) if (said.body?.id) await context.watch(said.body.id, 4000);
});
add("twap-after-swap", "two markets swap, then a TWAP and a leverage change are asked", async (context) => {
  const { truth } = context;
  truth.swap("xyz:TSLA", "xyz:NVDA");
  const one = await context.post("/v1/leverage", { market: "xyz:TSLA", leverage: 3, margin_type: "isolated" });
  const two = await context.post("/v1/twaps", { market: "xyz:TSLA", side: "buy", size: "10", duration_minutes: 30 });
  for (const said of [one, two]) if (said.body?.id) await context.watchOperation(said.body.id, 6000);
});
add(
  "restart-between-swap-and-cancel",
  "a swap while we are down; the old order is canceled after the start",
  async (context) => {
    const { truth } = context;
    const { body } = await context.place({ market: "xyz:TSLA", size: "1", price: "150" });
    await sleep(600);
    await context.gw.kill();
    truth.swap("xyz:TSLA", "xyz:NVDA");
    await context.restart();
    await context.cancel(body.id);
    await context.watch(body.id, 6000, { until: ended });
  },
  {
    check: (context) =>
      context && openOurs(context).length > 0 ? [finding("stuck", "a cancel was asked, and the order lives on")] : [],
  },
);
add(
  "restart-with-clocks-apart",
  "after a restart the first clock is 5 minutes ahead, the others are right",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    let isFirst = true;
    ex.view.clock = (source, t) => {
      if (!isFirst || source === "date") return t;
      isFirst = false;
      truth.note("clock", `${source} is answered 5 minutes ahead`);
      return t + 300_000;
    };
    await context.restart();
    ex.setIndexLag(3000);
    ex.fault({ on: "order", lose: "after" });
    const said = await context.place({ price: "89500" });
    if (said.body?.id) await context.watch(said.body.id, 14_000);
    await context.cancel(body.id);
    if (said.body?.id) await context.cancel(said.body.id);
  },
  {
    check: (context) =>
      context && openOurs(context).length > 0 ? [finding("stuck", "cancels were asked, and an order lives on")] : [],
  },
);
add(
  "exchange-time-runs-ahead",
  "clocks of all answers run 20 s ahead; the order is lost on the way back; indexes 10 s behind",
  async (context) => {
    const { ex } = context;
    ex.view.clock = (_source, t) => t + 20_000;
    silent(ex);
    ex.setIndexLag(10_000);
    ex.fault({ on: "noop", times: 100, lose: "before" });
    ex.fault({ on: "order", lose: "after" });
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" });
    if (body?.id) await context.watch(body.id, 30_000, { everyMs: 1500 });
  },
);
add(
  "held-while-clocks-run-ahead",
  "clocks run 20 s ahead; a relay holds the order for 11 s; noops lost",
  async (context) => {
    const { ex } = context;
    ex.view.clock = (_source, t) => t + 20_000;
    ex.fault({ on: "noop", times: 100, lose: "before" });
    ex.fault({ on: "order", dropEarly: 200, hold: 11_000 });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 30_000, { everyMs: 1500 });
  },
);
add(
  "info-answers-null",
  "every read answers 500 null for 12 s while a part fills by the feed alone",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    const fault = { on: "*", times: 100_000, status: 500, body: null };
    ex.infoFaults.push(fault);
    context.fill(body.id, "0.004");
    await context.watch(body.id, 8000, { everyMs: 800 });
    await context.cancel(body.id);
    await context.watch(body.id, 4000, { everyMs: 800 });
    fault.times = 0;
    await context.watch(body.id, 4000, { everyMs: 800 });
  },
);
add("record-of-another", "the record of our client order id is for a moment that of another order", async (context) => {
  const { ex, truth } = context;
  const foreign = truth.foreign({ coin: "ETH", side: "A", origSz: "5", limitPx: "3000" });
  ex.view.recordOf = (reference) => {
    if (typeof reference !== "string") return undefined;
    return {
      status: "order",
      order: { order: ex.view.shown(foreign, foreign.origSz), status: "open", statusTimestamp: foreign.createdAt },
    };
  };
  silent(ex);
  ex.setLag({ open: 9000, history: 9000, fills: 9000 });
  ex.fault({ on: "order", lose: "before" });
  const { body } = await context.place();
  if (body?.id) await context.watch(body.id, 20_000, { everyMs: 1500 });
});
add(
  "spot-sell-lost-lag",
  "a spot sell is lost on the way back; indexes 20 s behind, the feed silent, noops lost",
  async (context) => {
    const { ex } = context;
    silent(ex);
    ex.setIndexLag(20_000);
    ex.fault({ on: "noop", times: 100, lose: "before" });
    ex.fault({ on: "order", lose: "after" });
    const { body } = await context.place({
      market: "PURR/USDC",
      side: "sell",
      size: "100",
      price: "0.19",
      time_in_force: "ioc",
    });
    if (body?.id) await context.watch(body.id, 30_000, { everyMs: 1500 });
  },
);
add(
  "refused-by-record-lost",
  "the answer of a refused post-only order is lost; indexes 5 s behind",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(5000);
    ex.setStreamLag(1000);
    ex.fault({ on: "order", lose: "after" });
    const { body } = await context.place({ price: "96000", time_in_force: "alo" });
    if (body?.id) await context.watch(body.id, 15_000, { until: known });
  },
  { knownWithinMs: 15_000 },
);
add(
  "static-refusal-answer-lost",
  "a refusal that leaves no record is lost on the way back; everything else is quick",
  async (context) => {
    const { ex } = context;
    ex.fault({
      on: "order",
      refuse: {
        text: "Order price cannot be more than 95% away from the reference price",
        shape: "err",
        nonce: "used",
      },
      lose: "after",
    });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 30_000, { everyMs: 1500 });
  },
);
add(
  "forty-lost-at-once",
  "40 orders at once, the answers of all lost, half executed; indexes drawn up to 10 s",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag([0, 10_000]);
    silent(ex);
    let n = 0;
    ex.fault({ on: (action) => action.type === "order" && n++ % 2 === 0, times: 20, lose: "after" });
    ex.fault({ on: "order", times: 20, lose: "before" });
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => context.place({ price: String(80_000 + i), size: "0.001" })),
    );
    await sleep(14_000);
    for (const id of context.ids) await context.get(id);
  },
  { settings: { POSTERN_LIMIT_ORDERS: "0", POSTERN_LIMIT_READS: "0" } },
);
add(
  "positions-after-fill-lag",
  "positions 4 s behind: a read after an answered fill shows it or its age",
  async (context) => {
    const { ex } = context;
    ex.setLag({ positions: 4000, streamPositions: 4000 });
    await context.place({ price: "96000", time_in_force: "ioc" });
    for (let i = 0; i < 10; i++) {
      await context.read("/v1/positions");
      await sleep(600);
    }
  },
  {
    check: (context) => {
      if (!context) return [];
      const filledAt = context.truth.fills.at(-1)?.t;
      const old = context.gw.statements.filter(
        (each) =>
          each.path === "/v1/positions" &&
          each.http === 200 &&
          each.t0 > filledAt + 200 &&
          each.body.data.length === 0 &&
          !each.asOf,
      );
      return old.length > 0
        ? [
            finding(
              "false",
              `${old.length} reads of the positions leave out what an answer had told before, without an age`,
            ),
          ]
        : [];
    },
  },
);

// --- answers and frames that are not for us ----------------------------------------------------------------------
add("answers-swapped", "two orders at once, each gets the answer of the other", async (context) => {
  const { ex } = context;
  const waiting = [];
  ex.fault({
    on: "order",
    times: 2,
    after: (_action, _exchange, answer) =>
      new Promise((resolve) => {
        waiting.push({ answer: structuredClone(answer), target: answer, resolve });
        if (waiting.length < 2) return;
        const [one, two] = waiting;
        one.target.response = two.answer.response;
        two.target.response = one.answer.response;
        one.resolve();
        two.resolve();
      }),
  });
  const [one, two] = await Promise.all([
    context.place({ price: "90001" }),
    context.place({ price: "89001", size: "0.02" }),
  ]);
  for (const said of [one, two]) if (said.body?.id) await context.watch(said.body.id, 6000);
});
add(
  "cancel-answers-swapped",
  "a cancel gets the answer of another cancel: success, and it is still open",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.fault({
      on: isCancel,
      before: () => {
        const order = context.leg(body.id);
        order.kept = true;
        order.closedAt = 0;
      },
      after: (_action, exchange, answer) => {
        exchange.truth.orders.get(context.oid(body.id)).closedAt = null;
        answer.response.data.statuses = ["success"];
      },
    });
    truth.note("fault", "the next cancel is answered success and does nothing");
    await context.cancel(body.id);
    await context.watch(body.id, 12_000, { everyMs: 900 });
  },
);
add("frames-of-another-user", "the feed brings fills of another user that carry our native id", async (context) => {
  const { ex, truth } = context;
  const { body } = await context.place();
  await sleep(700);
  const order = context.leg(body.id);
  const fill = {
    ...ex.view.fillRow({
      t: Date.now(),
      coin: "BTC",
      px: order.limitPx,
      sz: 400_000,
      side: "B",
      startPosition: 0,
      oid: order.oid,
      crossed: false,
      tid: 77,
      cloid: order.cloid,
      twapId: null,
    }),
  };
  truth.note("fault", "a userFills frame of another user with our native id");
  for (const peer of ex.peers) ex.tell(peer, "userFills", { user: `0x${"7".repeat(40)}`, fills: [fill] });
  await context.watch(body.id, 6000);
});
add(
  "fill-of-another-market-under-our-native-id",
  "the feed brings a fill in another market under our native id",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(700);
    const order = context.leg(body.id);
    const fill = ex.view.fillRow({
      t: Date.now(),
      coin: "ETH",
      px: 250_000_000_000,
      sz: 400_000,
      side: "A",
      startPosition: 0,
      oid: order.oid,
      crossed: false,
      tid: 78,
      cloid: null,
      twapId: null,
    });
    truth.note("fault", "a fill in ETH under our native id");
    for (const peer of ex.peers) ex.tell(peer, "userFills", { user: truth.owner, fills: [fill] });
    await context.watch(body.id, 6000);
  },
);
add(
  "lists-in-any-order",
  "fills and history come in any order; an order fills in 30 parts while we are down",
  async (context) => {
    const { ex } = context;
    ex.view.rows = (_type, rows) => [...rows].sort(() => Math.random() - 0.5);
    const { body } = await context.place({ size: "0.03" });
    await sleep(700);
    await context.gw.kill();
    for (let i = 0; i < 29; i++) {
      context.fill(body.id, "0.001");
      await sleep(4);
    }
    await context.restart();
    await context.watch(body.id, 8000);
    await context.cancel(body.id);
    await context.watch(body.id, 4000);
  },
  { allowStaleMs: 8000 },
);
add("record-open-with-nothing-left", "the record of a living order says sz 0", async (context) => {
  const { ex } = context;
  const { body } = await context.place();
  await sleep(700);
  ex.view.recordSize = () => 0;
  await context.watch(body.id, 5000);
  await context.modify(body.id, { price: "89000" });
  await context.watch(body.id, 5000);
});

// --- what was told stays told --------------------------------------------------------------------------------------
add(
  "killed-after-the-answer",
  "kill -9 right after an ioc was told as filled; indexes 30 s behind after the start",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place({ price: "96000", time_in_force: "ioc" }, "stranger-told-1");
    silent(ex);
    ex.setIndexLag(30_000);
    await context.restart();
    await context.place({ price: "96000", time_in_force: "ioc" }, "stranger-told-1");
    await context.watch(body.id, 8000);
    await context.read("/v1/fills");
  },
);
add(
  "killed-after-the-cancel",
  "kill -9 right after a cancel was told; the open list still shows the order after the start",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.setLag({ open: { stuckAt: Date.now() }, record: { stuckAt: Date.now() }, history: { stuckAt: Date.now() } });
    await context.cancel(body.id);
    await context.restart();
    await context.watch(body.id, 10_000);
    await context.read("/v1/orders?status=open");
  },
);
add(
  "killed-between-fills",
  "kill -9 after a part was told; after the start the fills are 20 s behind and do not show it",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(700);
    context.fill(body.id, "0.004");
    await context.watch(body.id, 2500);
    silent(ex);
    ex.setIndexLag(20_000);
    await context.restart();
    await context.watch(body.id, 6000);
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, 10_000);
  },
  { allowStaleMs: 1500 },
);

// --- what else is told ---------------------------------------------------------------------------------------------
add(
  "fills-complete-to",
  "fills 6 s behind, the feed without fills: /v1/status says up to when the index is complete",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place({ size: "0.02" });
    await sleep(700);
    ex.stream.drop = (channel) => channel === "userFills" || channel === "user";
    ex.setLag({ fills: 6000 });
    for (let i = 0; i < 6; i++) {
      context.fill(body.id, "0.001");
      await sleep(1500);
      await context.read("/v1/status");
      await context.read("/v1/fills?limit=500");
    }
  },
  {
    allowStaleMs: 8000,
    check: (context) => {
      if (!context) return [];
      const { statements } = context.gw;
      for (const [i, status] of statements.entries()) {
        if (status.path !== "/v1/status" || !status.body?.fills_complete_to) continue;
        const list = statements.slice(i).find((each) => each.path?.startsWith("/v1/fills") && each.http === 200);
        const to = Date.parse(status.body.fills_complete_to);
        const left = context.truth.fills.find(
          (fill) => fill.t < to && !list?.body.data.some((each) => each.id === `${fill.t}-${fill.coin}-${fill.tid}`),
        );
        if (list && left)
          return [
            finding(
              "false",
              `/v1/status says that fills are complete to ${status.body.fills_complete_to}; that of ${new Date(left.t).toISOString()} is not in the list`,
            ),
          ];
      }
      return [];
    },
  },
);
add(
  "twaps-list-after-cancel",
  "a TWAP is canceled and told so; the list of TWAPs comes from a server of before",
  async (context) => {
    const { ex } = context;
    const made = await context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
    await sleep(1500);
    ex.setLag({ twaps: { stuckAt: Date.now() }, streamTwaps: 20_000 });
    await context.post("/v1/twaps/cancel", { market: "BTC", twap_id: Number(made.body.exchange_id) });
    for (let i = 0; i < 5; i++) {
      await context.read("/v1/twaps");
      await sleep(900);
    }
  },
  {
    check: (context) => {
      const cancel = context?.gw.statements.find(
        (each) => each.path === "/v1/twaps/cancel" && each.body?.status === "succeeded",
      );
      const later =
        cancel &&
        context.gw.statements.find(
          (each) =>
            each.path === "/v1/twaps" &&
            each.t0 > cancel.t1 &&
            !each.asOf &&
            each.body?.data?.some((twap) => twap.status === "running"),
        );
      return later
        ? [finding("false", "a TWAP whose cancel was told as succeeded is listed as running, without an age")]
        : [];
    },
  },
);
add(
  "two-modifies-at-once-first-lost",
  "two modifies at once, the answer of the first lost, a part fills between, fills 2 s late",
  async (context) => {
    const { ex } = context;
    ex.setLag({ fills: 2000, streamFills: 2000 });
    const { body } = await context.place({ size: "0.02" });
    await sleep(900);
    ex.fault({ on: "batchModify", lose: "after", after: () => context.fill(body.id, "0.004") });
    const one = context.modify(body.id, { price: "89000" });
    await sleep(50);
    const two = context.modify(body.id, { price: "88000" });
    await Promise.all([one, two]);
    await context.watch(body.id, 16_000, { everyMs: 900 });
  },
  { knownWithinMs: 25_000 },
);
add(
  "cancel-while-always-place-is-out",
  "a cancel while a modify with always_place is held by a relay; noops lost; indexes 3 s behind",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.fallBehind(3000);
    ex.fault({ on: "noop", times: 100, lose: "before" });
    ex.fault({ on: "batchModify", dropEarly: 200, hold: 3000 });
    const moving = context.modify(body.id, { price: "89000", always_place: true });
    await sleep(600);
    await context.cancel(body.id);
    await moving;
    await context.watch(body.id, 24_000, { everyMs: 1500, until: ended });
  },
  {
    check: (context) =>
      context && openOurs(context).length > 0 ? [finding("stuck", "a cancel was asked, and a leg lives on")] : [],
  },
);
add(
  "agent-list-flickers",
  "every second list of agents is empty, as a server behind would answer",
  async (context) => {
    const { ex } = context;
    let n = 0;
    const was = ex.view.info.bind(ex.view);
    ex.view.info = (body) => (body.type === "extraAgents" && n++ % 2 === 0 ? [] : was(body));
    await context.restart();
    for (let i = 0; i < 5; i++) {
      await context.place({ price: String(88_000 + i) });
      await sleep(1500);
    }
  },
  {
    check: (context) => {
      const placed =
        context?.gw.statements.filter(
          (each) => each.path === "/v1/orders" && each.method === "POST" && !each.isReplay,
        ) ?? [];
      const bad = placed.filter((each) => each.http !== 201);
      return bad.length > 2
        ? [
            finding(
              "stuck",
              `${bad.length} of ${placed.length} orders refused: ${bad[0].http} ${bad[0].body?.error?.code}`,
            ),
          ]
        : [];
    },
  },
);
add(
  "dex-missing-in-one-answer",
  "after a restart one server does not know the dex yet; then all do",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place({ market: "xyz:TSLA", size: "1", price: "150" });
    let n = 0;
    const was = ex.view.info.bind(ex.view);
    ex.view.info = (asked) =>
      asked.type === "perpDexs" && n++ === 0
        ? [null]
        : asked.type === "frontendOpenOrders" && asked.dex === "xyz" && n < 3
          ? []
          : was(asked);
    await context.restart();
    await context.watch(body.id, 5000);
    await context.read("/v1/orders?status=open");
    await context.cancel(body.id);
    await context.watch(body.id, 6000, { until: ended });
  },
  {
    check: (context) =>
      context && openOurs(context).length > 0 ? [finding("stuck", "a cancel was asked, and the order lives on")] : [],
  },
);
add("empty-open-list-once", "one answer of the open list is empty though orders rest", async (context) => {
  const { ex } = context;
  const one = await context.place();
  await context.place({ price: "89500" });
  await sleep(1500);
  let left = 2;
  ex.view.rows = (type, rows) => (type === "openOrders" && rows.length > 0 && left-- > 0 ? [] : rows);
  silent(ex);
  await context.read("/v1/orders?status=open");
  await context.watch(one.body.id, 4000);
  await context.modify(one.body.id, { price: "88000" });
  await context.read("/v1/orders?status=open");
  await context.watch(one.body.id, 5000);
});

// Nothing that is known of the exchange says that it does these.
const beyond = new Set([
  "answers-swapped",
  "cancel-answers-swapped",
  "frames-of-another-user",
  "fill-of-another-market-under-our-native-id",
  "record-open-with-nothing-left",
  "record-of-another",
]);

export const own = scenes.map((scene) => ({ ...scene, isBeyond: beyond.has(scene.name) }));
