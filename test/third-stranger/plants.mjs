// Is the judge to be trusted? Each plant puts one lie into what was told, or one fact into the log, and has to be found.
import { post, sleep, trade, until } from "./stage.mjs";

async function honest(world) {
  const { tape, account, key } = world;
  world.wanted = new Map();
  const place = (body) => tape.want(key, "/v1/orders", { account, ...body });
  await place({ market: "ETH", side: "buy", size: "0.5", price: "2010", time_in_force: "ioc" });
  const rests = await place({ market: "SOL", side: "buy", size: "3", price: "95" });
  world.engine.hit(Number(rests.answer.exchange_order_id), 1);
  await sleep(500);
  await post(world, `/v1/orders/${rests.answer.id}/cancel`, {});
  await place({ market: "BTC", side: "buy", size: "0.00001", price: "50000" });
  const made = await trade(world, {
    market: "BTC",
    side: "buy",
    size: "0.01",
    entry: { price: "60010" },
    stop_loss: { trigger_price: "58000" },
  });
  await until(async () => (await tape.get(key, `/v1/trades/${made.answer.id}`)).answer.status === "open");
  const leverage = await tape.want(key, "/v1/leverage", { market: "SOL", leverage: 7, margin_type: "cross" });
  world.wanted.set(leverage.answer.id, { body: {}, matches: (row) => row.kind === "leverage" && row.leverage === 7 });
  const refused = await tape.want(key, "/v1/leverage", { market: "SOL", leverage: 99, margin_type: "cross" });
  world.wanted.set(refused.answer.id, { body: {}, matches: (row) => row.kind === "leverage" && row.leverage === 99 });
  await place({ market: "ETH", side: "buy", size: "0.1", price: "1900" });
  const all = await tape.want(key, "/v1/orders/cancel-all", { account, market: "ETH" });
  await until(async () => (await tape.get(key, `/v1/cancel-alls/${all.answer.id}`)).answer.status === "done");
  await tape.want(key, "/v1/twaps", { market: "ETH", side: "buy", size: "0.2", duration_minutes: 5 });
  await sleep(3_500);
  const stop = await tape.want(key, "/v1/stop", { scope: "account" });
  await until(async () => (await tape.get(key, `/v1/stops/${stop.answer.id}`)).answer.status === "stopped");
  await tape.get(key, "/v1/positions");
  await sleep(500);
}

// Every resource of a kind that was told, changed in place; what undoes it is given back.
function change(world, fits, how) {
  const undo = [];
  const visit = (value) => {
    if (value === null || typeof value !== "object") return;
    if (value.object && fits(value)) {
      undo.push([value, { ...value }]);
      Object.assign(value, how(value));
    }
    Object.values(value).forEach(visit);
  };
  for (const row of world.tape.told) visit(row.kind === "event" ? row.data?.data : row.answer);
  if (undo.length === 0) throw new Error("nothing was changed");
  return () => {
    for (const [value, before] of undo.reverse()) Object.assign(value, before);
  };
}

const isOrder = (status) => (one) => one.object === "order" && one.status === status && !one.reduce_only;
const told = (fits, how) => (world) => change(world, fits, how);

const log = (edit) => (world) => edit(world.engine);

const PLANTS = {
  "an open order is told to be filled": told(isOrder("open"), (one) => ({ status: "filled", filled_size: one.size })),
  "a filled order is told to be canceled": told(isOrder("filled"), () => ({ status: "canceled", filled_size: "0" })),
  "a filled order is told to be rejected": told(isOrder("filled"), () => ({ status: "rejected", filled_size: null })),
  "a canceled order is told to be open": told(isOrder("canceled"), () => ({ status: "open" })),
  "an open order is told to be canceled": told(isOrder("open"), () => ({ status: "canceled" })),
  "more is told to be filled": told(isOrder("canceled"), () => ({ filled_size: "1.5" })),
  "less is told to be filled": told(isOrder("canceled"), () => ({ filled_size: "0.5" })),
  "a fill is told twice as large": told(
    (one) => one.object === "fill",
    ({ size }) => ({ size: String(Number(size) * 2) }),
  ),
  "a fill's fee is wrong": told(
    (one) => one.object === "fill",
    () => ({ fee: "0.01" }),
  ),
  "a position is told twice as large": told(
    (one) => one.object === "position" && one.size !== "0",
    ({ size }) => ({ size: String(Number(size) * 2) }),
  ),
  "a trade is told to be canceled": told(
    (one) => one.object === "trade" && one.status === "open",
    () => ({ status: "canceled" }),
  ),
  "a trade tells more filled": told(
    (one) => one.object === "trade",
    () => ({ filled_size: "0.02" }),
  ),
  "what was done is told to be rejected": told(
    (one) => one.object === "operation" && one.action === "leverage" && one.status === "succeeded",
    () => ({ status: "rejected" }),
  ),
  "what was refused is told to have succeeded": told(
    (one) => one.object === "operation" && one.action === "leverage" && one.status === "rejected",
    () => ({ status: "succeeded" }),
  ),
  "stopped is told before it is so": told(
    (one) => one.object === "stop" && one.status === "stopping",
    () => ({ status: "stopped", stopped_at: new Date(0).toISOString() }),
  ),
  "done is told before it is so": told(
    (one) => one.object === "cancel_all" && one.results.length > 0,
    ({ results }) => ({ status: "done", done_at: new Date(0).toISOString(), results }),
  ),
  "an order is executed twice": log((engine) => {
    const order = [...engine.orders.values()].find(({ cloid }) => cloid);
    engine.orders.set(1, { ...order, oid: 1 });
    return () => engine.orders.delete(1);
  }),
  "an order is there that nobody tells of": log((engine) => {
    const order = [...engine.orders.values()].find(({ cloid }) => cloid);
    engine.orders.set(1, { ...order, oid: 1, cloid: `0x${"1".repeat(32)}` });
    return () => engine.orders.delete(1);
  }),
  "a fill is there that nobody tells of": log((engine) => {
    engine.fills.push({ ...engine.fills[0], tid: 1, px: 1 });
    return () => engine.fills.pop();
  }),
  "a fill comes after stopped": log((engine) => {
    const order = [...engine.orders.values()].find(({ ro, origin }) => !ro && origin === "gateway");
    engine.fills.push({ ...engine.fills[0], oid: order.oid, at: Date.now() + 1000, tid: 2 });
    return () => engine.fills.pop();
  }),
  "a TWAP goes on after stopped": log((engine) => {
    const slice = engine.fills.find(({ twapId }) => twapId);
    engine.fills.push({ ...slice, at: Date.now() + 1000, tid: 3 });
    return () => engine.fills.pop();
  }),
  "an order that increases comes after stopped": log((engine) => {
    const order = [...engine.orders.values()].find(({ ro, origin }) => !ro && origin === "gateway");
    engine.orders.set(1, { ...order, oid: 1, madeAt: engine.now() });
    return () => engine.orders.delete(1);
  }),
  "an action that increases is signed after the answer of a stop": (world) => {
    const found = world.exchange.arrivals.find(({ envelope }) => envelope.action.orders?.some(({ r }) => !r));
    const envelope = { ...found.envelope, nonce: Date.now() + 10_000 };
    world.exchange.arrivals.push({ ...found, at: Date.now() + 10_000, envelope });
    return () => world.exchange.arrivals.pop();
  },
  "a stop is gone and a trade is told to be protected": log((engine) => {
    const stop = [...engine.orders.values()].find(({ ro, trigger }) => ro && trigger);
    const before = engine.versions.get(stop.oid);
    engine.versions.set(stop.oid, [{ ...before[0], status: "canceled" }]);
    return () => engine.versions.set(stop.oid, before);
  }),
  "a leverage is set twice": log((engine) => {
    const row = engine.log.find(({ kind, leverage }) => kind === "leverage" && leverage === 7);
    engine.log.push({ ...row });
    return () => engine.log.pop();
  }),
};

export async function plant({ binary, makeWorld, settle, judge }) {
  const world = await makeWorld({ binary });
  await honest(world);
  const { stories } = await settle(world);
  const hardOf = () => judge(world, { stories }).filter(({ level }) => level === "hard");
  const clean = hardOf();
  console.log(
    `without a plant: ${clean.length} hard`,
    clean
      .slice(0, 3)
      .map((one) => JSON.stringify(one))
      .join("\n"),
  );
  let missed = clean.length;
  for (const [name, make] of Object.entries(PLANTS)) {
    const undo = make(world);
    const rules = [...new Set(hardOf().map(({ rule }) => rule))];
    undo();
    if (rules.length === 0) missed++;
    console.log(`${rules.length > 0 ? "found " : "MISSED"} ${name}: ${rules.join("; ")}`);
  }
  await world.end();
  return missed;
}
