// Names used again, actions in the last second of their life, ends by the exchange, brackets, batches, shared collateral.
import { absolute, least, plain, times, units } from "./decimals.mjs";
import { pause } from "./gateway.mjs";
import { judgeLists, judgeOrders, judgeRest } from "./judge.mjs";
import { busy } from "./scenes-answers.mjs";
import { at } from "./venue.mjs";
import { operated, settled, world } from "./world.mjs";

/** Another program uses the names of our orders again: of a filled, a canceled, a refused, an unknown and an open one. */
async function cloidAgain(binary) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  const say = (severity, text) => w.findings.push({ severity, text });
  const filled = await gateway.order({
    market: "BTC",
    side: "buy",
    size: "0.01",
    price: "61000",
    time_in_force: "ioc",
  });
  const canceled = await gateway.order({ market: "BTC", side: "buy", size: "0.011", price: "50000" });
  await gateway.post(`/v1/orders/${canceled.body.id}/cancel`, {});
  const refused = await gateway.order({
    market: "BTC",
    side: "buy",
    size: "0.012",
    price: "61000",
    time_in_force: "alo",
  });
  const open = await gateway.order({ market: "BTC", side: "buy", size: "0.013", price: "50000" });
  door.actionFate = (action) =>
    action.type === "order" ? { never: true, answer: () => ({ how: "reset" }) } : undefined;
  const never = await gateway.order({ market: "BTC", side: "buy", size: "0.014", price: "50000" });
  door.actionFate = () => undefined;
  const rows = [filled, canceled, refused, open, never];
  const own = venue.orders.get(BigInt(open.body.exchange_order_id));
  for (const row of rows)
    venue.elsewhere("ETH", "B", ["2000", "0.5"], { cloid: `0x${row.body.id.replaceAll("-", "")}` });
  const stop = busy(w);
  venue.meet(own, units("0.003"));
  await pause(6000);
  for (const [row, status, size] of [
    [filled, "filled", "0.01"],
    [canceled, "canceled", "0"],
    [refused, "rejected", null],
    [open, "open", "0.003"],
  ]) {
    const { body } = await gateway.get(`/v1/orders/${row.body.id}`);
    if (body.status !== status || (body.filled_size ?? null) !== size || body.market !== "BTC")
      say(
        "HIGH",
        `its name is used again: told ${body.market} ${body.status} ${body.filled_size}, true BTC ${status} ${size}`,
      );
  }
  venue.meet(own, units("0.01"));
  for (const other of venue.live()) if (other.coin === "ETH" && other.px === "2000") venue.meet(other, units("0.5"));
  await pause(15000);
  stop();
  const last = await gateway.get(`/v1/orders/${open.body.id}`);
  if (last.body.status !== "filled" || last.body.filled_size !== "0.013")
    say(
      "HIGH",
      `its name is used again: ${last.body.status} ${last.body.filled_size} (${last.body.error}), true filled 0.013`,
    );
  const { body } = await settled(gateway, never.body.id, 50000);
  if (body.filled_size !== null && body.filled_size !== "0")
    say(
      "HIGH",
      `never executed, its name used by an order of ETH: told ${body.status} ${body.filled_size} (${body.error})`,
    );
  await w.end();
  return w;
}

/** Actions carried out in the last second of their life, and a little after it (then they are refused). */
async function justInTime(binary) {
  const w = await world(binary);
  const { gateway, door } = w;
  const ids = [];
  const rest = [];
  for (let i = 0; i < 5; i++)
    rest.push(await gateway.order({ market: "BTC", side: "buy", size: `0.02${i + 1}`, price: "50000" }));
  let n = 0;
  door.actionFate = (action, envelope) => {
    if (["noop", "cancel"].includes(action.type)) return { never: true, answer: () => ({ how: "reset" }) };
    const left = Number(envelope.expiresAfter) - w.venue.now();
    return { lateMs: left - [30, 200, 600, 1500, -50][n++ % 5], answer: () => ({ how: ["reset", "hang"][n % 2] }) };
  };
  const jobs = [];
  for (let i = 0; i < 5; i++)
    jobs.push(
      gateway.order({
        market: "BTC",
        side: "buy",
        size: `0.03${i + 1}`,
        price: i % 2 ? "61000" : "50000",
        time_in_force: i % 2 ? "ioc" : "gtc",
      }),
    );
  for (let i = 0; i < 5; i++)
    jobs.push(
      gateway.post(`/v1/orders/${rest[i].body.id}/modify`, {
        price: "51000",
        ...(i % 2 ? { always_place: true } : {}),
      }),
    );
  const rows = await Promise.all(jobs);
  for (const row of [...rest, ...rows])
    if (row.body.id && !ids.some(([id]) => id === row.body.id)) ids.push([row.body.id, `late ${row.body.size}`]);
  const stop = busy(w);
  await pause(8000);
  door.actionFate = () => undefined;
  const until = Date.now() + 80000;
  for (const [id] of ids) await settled(gateway, id, Math.max(1000, until - Date.now()));
  stop();
  await pause(3000);
  judgeOrders(w);
  await judgeRest(w, ids);
  await judgeLists(w);
  await w.end();
  return w;
}

/** Each word with which the exchange ends an order that is filled in part; a trigger that fires, rests and ends. */
async function ends(binary) {
  const w = await world(binary);
  const { gateway, venue } = w;
  await gateway.order({ market: "ETH", side: "buy", size: "2", price: "3100", time_in_force: "ioc" });
  const ids = [];
  for (const [i, word] of [
    "selfTradeCanceled",
    "scheduledCancel",
    "liquidatedCanceled",
    "internalCancel",
    "openInterestCapCanceled",
    "delistedCanceled",
    "autoDeleveragedCanceled",
  ].entries()) {
    const made = await gateway.order({ market: "BTC", side: "buy", size: `0.02${i + 1}`, price: "50000" });
    ids.push([made.body.id, word]);
    const order = venue.orders.get(BigInt(made.body.exchange_order_id));
    venue.meet(order, units("0.01"));
    if (i % 2) venue.frameless = true;
    venue.end(order, word);
  }
  const trigger = await gateway.order({
    market: "ETH",
    side: "sell",
    size: "1",
    price: "2500",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "2800", market: false },
  });
  ids.push([trigger.body.id, "trigger"]);
  const fired = venue.orders.get(BigInt(trigger.body.exchange_order_id ?? [...venue.orders.keys()].at(-1)));
  await pause(1500);
  venue.set(fired, "triggered");
  await pause(1500);
  const between = (await gateway.get(`/v1/orders/${trigger.body.id}`)).body;
  if (["filled", "canceled", "rejected"].includes(between.status))
    w.findings.push({ severity: "HIGH", text: `a stop that has fired: ${between.status}` });
  fired.v.push({ t: venue.now(), status: "open", sz: fired.sz });
  venue.meet(fired, units("0.3"));
  await pause(1500);
  venue.end(fired, "reduceOnlyCanceled");
  await pause(30000);
  judgeOrders(w);
  await judgeRest(w, ids);
  await judgeLists(w);
  await w.end();
  return w;
}

/** Batches: one leg refused, the whole answered with one error, an answer too short, lost, turned round. */
async function batches(binary) {
  const w = await world(binary);
  const { gateway, door } = w;
  const ids = [];
  let k = 0;
  const list = (right) => right.response.data.statuses;
  const changed = (statuses) => ({
    body: JSON.stringify({ status: "ok", response: { type: "order", data: { statuses } } }, (_, v) =>
      typeof v === "bigint" ? Number(v) : v,
    ),
  });
  const fates = [
    () => undefined,
    () => ({ answer: () => ({ how: "reset" }) }),
    () => ({ answer: (right) => changed(list(right).slice(0, 3)) }),
    () => ({ answer: (right) => changed([...list(right)].reverse()) }),
    () => ({
      answer: (right) =>
        changed(
          right,
          list(right).map((s, i) => (i === 1 ? null : s)),
        ),
    }),
    () => ({
      never: true,
      answer: () => ({
        body: '{"status":"ok","response":{"type":"order","data":{"statuses":[{"error":"Order price cannot be more than 95% away from the reference price"}]}}}',
      }),
    }),
    () => ({ answer: (right) => changed([list(right)[3]]) }),
  ];
  door.actionFate = (action) => (action.type === "order" && action.orders.length > 1 ? fates[k++]() : undefined);
  for (let i = 0; i < fates.length; i++) {
    const size = (n) => `0.0${i + 2}${n}`;
    const orders = [
      { market: "BTC", side: "buy", size: size(1), price: "50000" },
      { market: "BTC", side: "buy", size: size(2), price: "61000", time_in_force: "ioc" },
      { market: "ETH", side: "buy", size: size(3), price: "3100", time_in_force: "alo" },
      { market: "ETH", side: "sell", size: "90.5", price: "3500", reduce_only: true },
    ];
    const row = await gateway.post("/v1/orders/batch", { account: gateway.account, orders });
    for (const [n, o] of (row.body.orders ?? []).entries()) ids.push([o.id, `batch ${i} leg ${n}`]);
    if (!row.body.orders)
      w.findings.push({ severity: "LOW", text: `batch ${i}: ${row.status} ${JSON.stringify(row.body)}` });
    await pause(800);
  }
  const stop = busy(w);
  const until = Date.now() + 90000;
  for (const [id] of ids) await settled(gateway, id, Math.max(1000, until - Date.now()));
  stop();
  await pause(3000);
  judgeOrders(w);
  await judgeRest(w, ids);
  await judgeLists(w);
  await w.end();
  return w;
}

/** What protects a trade, whenever it is told: the stops that live then, against what is held. */
async function bracket(binary, faults) {
  const w = await world(binary);
  const { gateway, venue, door } = w;
  let n = 0;
  door.actionFate = (action) => {
    n += 1;
    if (faults && n % 3 === 0) return { answer: () => ({ how: "reset" }) };
    return action.type === "order" && action.orders[0].t.trigger
      ? {
          answer: (right) => ({
            body: JSON.stringify(
              right.response.data.statuses[0].resting
                ? { status: "ok", response: { type: "order", data: { statuses: ["waitingForTrigger"] } } }
                : right,
              (_, v) => (typeof v === "bigint" ? Number(v) : v),
            ),
          }),
        }
      : undefined;
  };
  const made = await gateway.post("/v1/trades", {
    account: gateway.account,
    market: "BTC",
    side: "buy",
    size: "0.05",
    entry: { price: "55000" },
    stop_loss: { trigger_price: "50000" },
    take_profit: { trigger_price: "70000" },
  });
  const watch = async (ms) => {
    const until = Date.now() + ms;
    while (Date.now() < until) {
      const row = await gateway.get(`/v1/trades/${made.body.id}`);
      const held = (t) => absolute(venue.position("BTC", t).szi);
      const stops = (t) =>
        [...venue.orders.values()]
          .filter((o) => o.trigger?.tpsl === "sl" && at(o.v, t)?.status === "open")
          .reduce((s, o) => s + o.sz, 0n);
      const bare = (t) => stops(t) < held(t);
      if (row.body.protected && held(row.t) > 0n && bare(row.asked) && bare(row.t))
        w.findings.push({
          severity: "HIGH",
          text: `told protected: stops of ${plain(stops(row.t))}, held ${plain(held(row.t))}`,
        });
      if (units(row.body.filled_size ?? "0") > held(row.t) && row.body.status !== "closed" && n < 0)
        w.findings.push({ severity: "HIGH", text: "held" });
      await pause(600);
    }
  };
  await watch(12000);
  for (let i = 0; i < 3; i++) {
    const entry = venue.live().find((o) => o.coin === "BTC" && !o.trigger && o.side === "B");
    if (entry) venue.meet(entry, units("0.01"));
    await watch(6000);
  }
  const entry = venue.live().find((o) => o.coin === "BTC" && !o.trigger && o.side === "B");
  if (entry) venue.end(entry, "marginCanceled");
  await watch(15000);
  venue.elsewhere("BTC", "A", ["59000", "0.01"], { tif: "Ioc" });
  await watch(15000);
  for (const stop of venue.live().filter((o) => o.trigger?.tpsl === "sl" && o.coin === "BTC")) {
    venue.set(stop, "triggered");
    const held = absolute(venue.position("BTC").szi);
    if (held > 0n) venue.fill(stop, least(held, stop.sz), units("49950"));
    venue.set(stop, "filled", venue.now(), 0n);
  }
  await pause(20000);
  const last = (await gateway.get(`/v1/trades/${made.body.id}`)).body;
  console.log(
    "  ",
    last.status,
    last.filled_size,
    last.held_size,
    last.protected,
    last.error,
    "left",
    venue
      .live()
      .filter((o) => o.coin === "BTC")
      .map((o) => `${o.trigger?.tpsl} ${o.origSz}`),
  );
  if (last.filled_size !== "0.03")
    w.findings.push({ severity: "HIGH", text: `trade ${last.status} filled ${last.filled_size}, true 0.03` });
  if (venue.live().some((o) => o.coin === "BTC"))
    w.findings.push({
      severity: "MEDIUM",
      text: `trade ${last.status}: left open ${venue
        .live()
        .filter((o) => o.coin === "BTC")
        .map((o) => o.oid)}`,
    });
  judgeOrders(w);
  await judgeLists(w);
  await w.end();
  return w;
}

/** A unified account: native positions on USDC, those of a dex on USDE. */
async function unified(binary) {
  const w = await world(binary, {
    before: ({ venue }) => {
      venue.abstraction = "unifiedAccount";
      venue.collateral = 235;
      venue.balances.set("USDE", [{ t: 0, total: units("5000") }]);
    },
  });
  const { gateway, venue } = w;
  await gateway.order({ market: "BTC", side: "buy", size: "0.1", price: "61000", time_in_force: "ioc" });
  await gateway.order({ market: "xyz:TSLA", side: "buy", size: "10", price: "410", time_in_force: "ioc" });
  venue.markets.BTC.mark = "60500";
  venue.markets["xyz:TSLA"].mark = "405";
  venue.hold = { USDC: units("605"), USDE: units("405") };
  venue.heard("position", {});
  venue.heard("spot", {});
  await pause(8000);
  const { body } = await gateway.get("/v1/account");
  console.log("  ", JSON.stringify(body));
  const usdc = venue.balances.get("USDC").at(-1).total;
  const right = usdc + times(units("0.1"), units("60500") - units("60001"));
  if (units(body.equity) !== right)
    w.findings.push({ severity: "HIGH", text: `unified equity ${body.equity}, by DECISIONS §4 ${plain(right)}` });
  await operated(gateway, "00000000-0000-0000-0000-000000000000", 1);
  await w.end();
  return w;
}

export const scenes = {
  cloidAgain,
  justInTime,
  ends,
  batches,
  bracket: (b) => bracket(b, false),
  bracketLost: (b) => bracket(b, true),
  unified,
};
