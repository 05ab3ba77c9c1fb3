// What the exchange's own description does not rule out, and nobody had thought of: answers that do not fit what was asked,
// figures that cannot be, and things that end while they are asked for.
import { ended, known, sleep } from "../stage.mjs";

const scenes = [];
const add = (name, about, run, more = {}) => scenes.push({ name, about, run, ...more });
const isCancel = (action) => action.type === "cancel" || action.type === "cancelByCloid";
const silent = (ex) => ex.setStream({ mode: "silent" });
const finding = (kind, what) => ({ kind, what, log: [] });
const ok = (type, data) => ({ status: "ok", response: data === undefined ? { type } : { type, data } });
const answering = (change) => (answer) => ok("order", { statuses: change(answer.response.data.statuses) });
const isOver = (action) => (context) =>
  context &&
  [...context.truth.orders.values()].some((each) => each.ours && each.closedAt === null && each.versions.length > 0)
    ? [finding("stuck", `${action}, and it lives on`)]
    : [];

/** An order whose answer is what the change makes of the true one; then it is watched, canceled where it rests, and watched. */
const placeAnswered =
  (answer, { fields = {}, watchMs = 7000, lags = {} } = {}) =>
  async (context) => {
    context.ex.setLag(lags);
    context.ex.fault({ on: "order", answer });
    const { body } = await context.place(fields);
    if (!body?.id) return;
    await context.watch(body.id, watchMs, { until: (order) => known(order) && order.status !== "open" });
    await context.cancel(body.id);
    await context.watch(body.id, 5000, { until: ended });
  };
const crossing = { price: "96000" };
const ioc = { ...crossing, time_in_force: "ioc" };

// --- answers that do not fit ------------------------------------------------------------------------------------
const known8 = { knownWithinMs: 9000 };
add(
  "answer-of-no-status",
  "the answer to an order that rests has no status at all",
  placeAnswered(answering(() => [])),
  known8,
);
add(
  "answer-of-two-statuses",
  "the answer to one order that rests has two: a refusal, and that it rests",
  placeAnswered(answering((own) => [{ error: "Insufficient margin to place order. asset=0" }, ...own])),
  known8,
);
add(
  "answer-of-two-that-rest",
  "two statuses, and the first is of an order that nobody has placed",
  placeAnswered(answering((own) => [{ resting: { ...own[0].resting, oid: 7_777_777 } }, ...own])),
  known8,
);
add(
  "answer-null",
  "the answer to an order that rests is null",
  placeAnswered(() => null),
  known8,
);
add(
  "answer-without-response",
  "the answer says ok and nothing else",
  placeAnswered(() => ({ status: "ok" })),
  known8,
);
add(
  "answer-default",
  "the answer to an order is that of an action without data",
  placeAnswered(() => ok("default")),
  known8,
);
add(
  "filled-answer-of-twice-the-size",
  "a fill of the whole is answered with twice the size",
  placeAnswered(
    answering(([{ filled }]) => [{ filled: { ...filled, totalSz: "0.02" } }]),
    { fields: crossing },
  ),
  known8,
);
add(
  "filled-answer-of-nothing",
  "an ioc that was filled whole is answered as filled with 0; fills 2 s late",
  placeAnswered(
    answering(([{ filled }]) => [{ filled: { ...filled, totalSz: "0.0", avgPx: "0.0" } }]),
    {
      fields: ioc,
      lags: { fills: 2000, streamFills: 2000 },
    },
  ),
  { knownWithinMs: 12_000 },
);
add(
  "ioc-answered-as-resting",
  "an ioc that was filled whole is answered as resting",
  placeAnswered(
    answering(
      ([
        {
          filled: { oid, cloid },
        },
      ]) => [{ resting: { oid, cloid } }],
    ),
    { fields: ioc },
  ),
  known8,
);
add(
  "expired-answered-though-it-rests",
  "a relay has doubled an order that rests, and the answer is that of the copy: too late",
  placeAnswered(() => ({ status: "err", response: "Action already expired" }), { lags: { record: 1500, open: 1500 } }),
  { knownWithinMs: 15_000 },
);
add(
  "answer-names-another-order-of-ours",
  "the second of two orders is answered under the native id of the first, with its own client order id",
  async (context) => {
    const first = await context.place();
    await sleep(500);
    const oid = context.oid(first.body.id);
    context.ex.fault({ on: "order", answer: answering(([{ resting }]) => [{ resting: { ...resting, oid } }]) });
    const second = await context.place({ price: "89000", size: "0.02" });
    await context.watch(second.body.id, 9000, { everyMs: 1500 });
    await context.cancel(first.body.id);
    await context.get(second.body.id);
    await context.watch(first.body.id, 4000, { until: ended });
  },
);
add(
  "cancel-answer-of-no-status",
  "the answer to a cancel that was carried out has no status",
  async (context) => {
    const { body } = await context.place();
    await sleep(700);
    context.ex.fault({ on: isCancel, answer: () => ok("cancel", { statuses: [] }) });
    await context.cancel(body.id);
    await context.watch(body.id, 9000, { until: ended });
  },
  { knownWithinMs: 12_000 },
);
add(
  "cancel-answer-of-two",
  "the answer to a cancel that was lost on the way says success, and that it found nothing",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place();
    await sleep(700);
    const order = truth.orders.get(context.oid(body.id));
    const error = "Order was never placed, already canceled, or filled. asset=0";
    ex.fault({
      on: isCancel,
      before: () => Object.assign(order, { coin: "none" }),
      after: () => Object.assign(order, { coin: "BTC" }),
      answer: () => ok("cancel", { statuses: ["success", { error }] }),
    });
    await context.cancel(body.id);
    await context.watch(body.id, 9000, { until: ended });
  },
);
add(
  "cancel-succeeds-of-what-had-filled",
  "a cancel is answered with success, and the order had filled whole",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(700);
    ex.setLag({ fills: 4000, streamFills: 4000, record: 1500, streamOrders: 1500 });
    ex.fault({
      on: isCancel,
      before: () => context.fill(body.id),
      answer: () => ok("cancel", { statuses: ["success"] }),
    });
    await context.cancel(body.id);
    await context.watch(body.id, 12_000, { everyMs: 900 });
  },
);
for (const [name, about, change] of [
  ["default", "without a status", () => ok("default")],
  [
    "two-statuses",
    "with a refusal before the true status",
    (own) =>
      ok("order", { statuses: [{ error: "Cannot modify canceled or filled order" }, ...own.response.data.statuses] }),
  ],
  ["no-status", "with no status at all", () => ok("order", { statuses: [] })],
])
  add(
    `modify-answered-${name}`,
    `a modify that was carried out is answered ${about}`,
    async (context) => {
      const { body } = await context.place();
      await sleep(700);
      context.ex.fault({ on: "batchModify", answer: change });
      await context.modify(body.id, { price: "89000" });
      await context.watch(body.id, 8000, { everyMs: 900 });
      await context.cancel(body.id);
      await context.watch(body.id, 5000, { until: ended });
    },
    { knownWithinMs: 12_000, check: isOver("it was canceled") },
  );
add(
  "modify-answered-under-the-old-id",
  "a modify that was carried out is answered under the native id that it replaced",
  async (context) => {
    const { body } = await context.place();
    await sleep(700);
    const oid = context.oid(body.id);
    context.ex.fault({ on: "batchModify", answer: answering(([{ resting }]) => [{ resting: { ...resting, oid } }]) });
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, 8000, { everyMs: 900 });
    await context.cancel(body.id);
    await context.watch(body.id, 5000, { until: ended });
  },
  { check: isOver("it was canceled") },
);

// --- figures that cannot be -------------------------------------------------------------------------------------
const tellFill = (context, order, changes) => {
  const { ex, truth } = context;
  const row = ex.view.fillRow({
    ...{ t: Date.now(), coin: order.coin, px: order.limitPx, sz: 400_000, side: order.side, startPosition: 0 },
    ...{ oid: order.oid, crossed: false, tid: 99, cloid: order.cloid, twapId: null },
  });
  truth.note("fault", `the feed tells a fill that never was: ${JSON.stringify(changes)}`);
  for (const peer of ex.peers) ex.tell(peer, "userFills", { user: truth.owner, fills: [{ ...row, ...changes }] });
};
for (const [name, about, changes] of [
  ["of-the-other-side", "on the other side", { side: "A" }],
  ["of-negative-size", "of a size below zero", { sz: "-0.004" }],
  ["of-no-size", "of no size", { sz: "0.0" }],
  ["larger-than-the-order", "of more than the order asks for", { sz: "5.0" }],
])
  add(`fill-${name}`, `the feed tells a fill under our native id ${about}; no list has it`, async (context) => {
    const { body } = await context.place();
    await sleep(700);
    tellFill(context, context.leg(body.id), changes);
    await context.watch(body.id, 6000);
    await context.cancel(body.id);
    await context.watch(body.id, 6000, { until: ended });
  });
const inSeconds = (record) => ({
  ...record,
  statusTimestamp: Math.floor(record.statusTimestamp / 1000),
  order: { ...record.order, timestamp: Math.floor(record.order.timestamp / 1000) },
});
add(
  "record-times-in-seconds",
  "records of orders carry times in seconds; 0.004 filled before the cancel, fills 3 s late, the feed silent",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    silent(ex);
    ex.view.recordSz = "orig";
    ex.setLag({ fills: 6000, positions: 6000, open: 1000 });
    const honest = ex.view.orderStatus.bind(ex.view);
    ex.view.orderStatus = (reference) => {
      const said = honest(reference);
      return said.status === "order" ? { ...said, order: inSeconds(said.order) } : said;
    };
    context.fill(body.id, "0.004");
    await context.cancel(body.id);
    await context.watch(body.id, 16_000, { everyMs: 900 });
  },
);
add(
  "record-times-an-hour-ahead",
  "records carry times an hour ahead; 0.004 filled before the cancel, fills 3 s late",
  async (context) => {
    const { ex } = context;
    const { body } = await context.place();
    await sleep(900);
    ex.setLag({ fills: 3000, streamFills: 3000 });
    const honest = ex.view.orderStatus.bind(ex.view);
    ex.view.orderStatus = (reference) => {
      const said = honest(reference);
      if (said.status === "order") said.order.statusTimestamp += 3_600_000;
      return said;
    };
    context.fill(body.id, "0.004");
    await context.cancel(body.id);
    await context.watch(body.id, 14_000, { everyMs: 900 });
  },
);
add(
  "updates-in-reverse",
  "the feed tells the end of an order before its beginning, in one frame, and again after 2 s",
  async (context) => {
    const { ex } = context;
    const honest = ex.tell.bind(ex);
    ex.tell = (peer, channel, data) => {
      const said = channel === "orderUpdates" ? data.toReversed() : data;
      honest(peer, channel, said);
      if (channel === "orderUpdates") setTimeout(() => honest(peer, channel, said), 2000);
    };
    const whole = await context.place(crossing);
    await context.watch(whole.body.id, 4000);
    const rests = await context.place();
    await sleep(600);
    await context.cancel(rests.body.id);
    await context.watch(rests.body.id, 6000);
  },
);
add(
  "lists-hold-it-twice",
  "every list of open orders holds each order twice, once as the child of the other",
  async (context) => {
    const { ex } = context;
    ex.view.rows = (type, rows) =>
      type === "openOrders" ? rows.map((row) => ({ ...row, children: [row] })).concat(rows) : rows;
    const { body } = await context.place();
    await sleep(900);
    context.fill(body.id, "0.004");
    await context.watch(body.id, 4000);
    silent(ex);
    const listed = await context.read("/v1/orders?status=open&limit=500");
    const ids = (listed.body?.data ?? []).map(({ id }) => id);
    if (new Set(ids).size !== ids.length) context.truth.note("bug", `listed twice: ${ids}`);
    await context.modify(body.id, { price: "89000" });
    await context.watch(body.id, 6000);
  },
);

// --- what ends while it is asked for ----------------------------------------------------------------------------
add(
  "noops-answers-lost-of-what-never-arrived",
  "the order never arrives; the empty action takes its number, and every answer to one is lost; indexes 4 s behind",
  async (context) => {
    const { ex } = context;
    ex.setIndexLag(4000);
    ex.fault({ on: "noop", times: 1, lose: "after" });
    ex.fault({ on: "order", lose: "before" });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 20_000, { everyMs: 1500 });
  },
);
const revoke = ({ truth }) => {
  truth.agents.clear();
  truth.note("agent", "all agents are removed");
};
add(
  "agent-revoked-after-it-rests",
  "the answer of an order that rests is lost, and then the agent is removed: nothing that is signed counts; indexes 3 s behind",
  async (context) => {
    const { ex, truth } = context;
    ex.setIndexLag(3000);
    ex.fault({ on: "order", lose: "after", after: () => revoke(context) });
    const { body } = await context.place();
    await context.watch(body.id, 9000, { everyMs: 1200 });
    await context.cancel(body.id);
    await context.watch(body.id, 3000);
    truth.fill(context.oid(body.id));
    await context.watch(body.id, 7000, { everyMs: 900 });
  },
  { knownWithinMs: 15_000 },
);
add(
  "agent-revoked-while-it-is-held",
  "a relay holds an order for 5 s, and the agent is removed meanwhile: it is refused when it comes, and its answer lost",
  async (context) => {
    const { ex } = context;
    ex.fault({ on: "noop", times: 2, lose: "before" });
    ex.fault({ on: "order", dropEarly: 200, hold: 5000, before: () => revoke(context) });
    const { body } = await context.place();
    if (body?.id) await context.watch(body.id, 20_000, { everyMs: 1500 });
  },
);
add(
  "twap-ends-as-it-is-canceled",
  "a TWAP is finished when its cancel arrives; its history 6 s behind, the feed silent",
  async (context) => {
    const { ex, truth } = context;
    const made = await context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
    await sleep(900);
    silent(ex);
    ex.setLag({ twaps: 6000 });
    const twap = truth.twaps.get(Number(made.body.exchange_id));
    ex.fault({ on: "twapCancel", before: () => twap.versions.push({ t: Date.now(), status: "finished" }) });
    const said = await context.post("/v1/twaps/cancel", { market: "BTC", twap_id: twap.twapId });
    if (said.body?.id) await context.watchOperation(said.body.id, 25_000);
  },
);
add("twap-ends-by-itself-as-its-cancel-is-lost", "the same, and the answer to the cancel is lost", async (context) => {
  const { ex, truth } = context;
  const made = await context.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 });
  await sleep(900);
  ex.setLag({ twaps: 3000 });
  const twap = truth.twaps.get(Number(made.body.exchange_id));
  ex.fault({
    on: "twapCancel",
    lose: "after",
    before: () => twap.versions.push({ t: Date.now(), status: "finished" }),
  });
  const said = await context.post("/v1/twaps/cancel", { market: "BTC", twap_id: twap.twapId });
  if (said.body?.id) await context.watchOperation(said.body.id, 25_000);
});
add(
  "liquidated-with-a-part",
  "a part of an order fills, then the account is liquidated: the order is canceled, the position closed by a fill of nobody; fills 2 s late",
  async (context) => {
    const { ex, truth } = context;
    truth.seedPosition("BTC", "0.1", "95000");
    const { body } = await context.place();
    await sleep(900);
    ex.setLag({ fills: 2000, streamFills: 2000 });
    context.fill(body.id, "0.004");
    truth.close(context.oid(body.id), "liquidatedCanceled");
    const [oid, t, tid] = [truth.nextOid++, Date.now(), 31];
    truth.fills.push({
      t,
      coin: "BTC",
      px: 9_400_000_000_000,
      sz: 10_400_000,
      side: "A",
      startPosition: 10_400_000,
      oid,
      crossed: true,
      tid,
      cloid: null,
      ours: false,
      twapId: null,
    });
    await context.watch(body.id, 9000, { everyMs: 900 });
    await context.read("/v1/positions");
  },
);
add(
  "deleveraged-beside-a-cancel",
  "another's liquidation takes a part of the position as an untouched order is canceled; the fill of that 4 s late",
  async (context) => {
    const { ex, truth } = context;
    truth.seedPosition("BTC", "0.1", "95000");
    const { body } = await context.place();
    await sleep(900);
    ex.setLag({ fills: 4000, streamFills: 4000 });
    const [oid, t, tid] = [truth.nextOid++, Date.now(), 37];
    truth.fills.push({
      t,
      coin: "BTC",
      px: 9_400_000_000_000,
      sz: 3_000_000,
      side: "A",
      startPosition: 10_000_000,
      oid,
      crossed: false,
      tid,
      cloid: null,
      ours: false,
      twapId: null,
    });
    await context.cancel(body.id);
    await context.watch(body.id, 9000, { everyMs: 900, until: ended });
  },
  { knownWithinMs: 12_000 },
);
add(
  "dust-is-swept",
  "two rests of a spot balance are swept in one millisecond, by fills without a number or an order of ours",
  async (context) => {
    const { ex, truth } = context;
    const { body } = await context.place({ market: "PURR/USDC", side: "sell", size: "100", price: "0.3" });
    await sleep(900);
    const dust = {
      coin: "PURR/USDC",
      px: 20_000_000,
      sz: 50_000_000,
      side: "A",
      startPosition: 0,
      oid: 0,
      crossed: true,
      tid: 0,
      cloid: null,
      ours: false,
      twapId: null,
    };
    const t = Date.now();
    for (const startPosition of [100_000_000, 50_000_000]) truth.fills.push({ ...dust, t, startPosition });
    for (const peer of ex.peers)
      ex.tell(peer, "userFills", {
        user: truth.owner,
        fills: truth.fills.slice(-2).map((each) => ({ ...ex.view.fillRow(each), dir: "Spot Dust Conversion" })),
      });
    await context.watch(body.id, 3000);
    await context.cancel(body.id);
    await context.watch(body.id, 9000, { until: ended });
    const { body: fills } = await context.read("/v1/fills?limit=500");
    const ids = new Set((fills?.data ?? []).map(({ id }) => id));
    if (ids.size !== 2) truth.note("bug", `${ids.size} of 2 fills are told`);
  },
  { isBeyond: true },
);
add(
  "marked-rejected-after-it-rested",
  "an order that rests is ended by the exchange in the word of a refusal",
  async (context) => {
    const { body } = await context.place();
    await sleep(900);
    context.fill(body.id, "0.004");
    await sleep(300);
    context.truth.close(context.oid(body.id), "perpMarginRejected");
    await context.watch(body.id, 9000, { everyMs: 900 });
  },
);

// Nothing that is known of the exchange says that it does these.
const beyond = new Set([
  "answer-of-two-statuses",
  "answer-of-two-that-rest",
  "filled-answer-of-twice-the-size",
  "filled-answer-of-nothing",
  "ioc-answered-as-resting",
  "answer-names-another-order-of-ours",
  "cancel-answer-of-two",
  "cancel-succeeds-of-what-had-filled",
  "modify-answered-under-the-old-id",
  "fill-of-the-other-side",
  "fill-of-negative-size",
  "fill-of-no-size",
  "fill-larger-than-the-order",
  "lists-hold-it-twice",
]);

export const odd = scenes.map((scene) => ({ ...scene, isBeyond: scene.isBeyond === true || beyond.has(scene.name) }));
