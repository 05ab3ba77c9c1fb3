// Stops, flattens, closes and cancel-alls with TWAPs, late lists and hands of others; and the story of an order.
import { slice } from "./actions.mjs";
import { pause, until } from "./gateway.mjs";
import { legsText, lieOf, mend, rest, settle, spoilFeed, story, watch } from "./scenes-modify.mjs";

// What can still increase, by the ledger alone: resting orders that are no reduction, and TWAPs that run.
function canIncrease(stage, at, isOurs = () => true) {
  const { ledger } = stage;
  const orders = [...ledger.orders.values()].filter(
    (o) => !o.twapId && !o.reduceOnly && isOurs(o) && ledger.isLiveAt(o, at),
  );
  const twaps = ledger.twaps.filter((w) => !w.reduceOnly && w.log.findLast((e) => e.t <= at)?.status === "activated");
  return [...orders.map((o) => `order ${o.oid}`), ...twaps.map((w) => `twap ${w.id}`)];
}
function judgeStops(stage) {
  const { judge, ledger } = stage;
  for (const said of judge.said) {
    const found =
      said.json?.object === "stop" ? [said.json] : said.json?.data?.object === "stop" ? [said.json.data] : [];
    for (const stop of found) {
      if (stop.status === "stopped") {
        const left = canIncrease(stage, said.t0);
        if (left.length > 0) judge.fail(`told stopped, and ${left} can increase`, said);
        const later = [...ledger.orders.values()].filter((o) => o.log[0].t > said.t1 && !o.reduceOnly && !o.elsewhere);
        if (later.length > 0)
          judge.fail(`told stopped, and later came ${later.map((o) => `${o.twapId ? "slice " : ""}${o.oid}`)}`, said);
      }
      if (stop.flatten?.status === "flat") {
        const held = ["BTC", "ETH", "xyz:TSLA"].filter(
          (coin) => ledger.position(coin, said.t0).szi !== 0 && ledger.position(coin, said.t1).szi !== 0,
        );
        if (held.length > 0)
          judge.fail(`told flat, and ${held.map((c) => `${c} ${ledger.position(c, said.t1).szi}`)} is held`, said);
      }
    }
    if (said.json?.object === "cancel_all" && said.json.status === "done") {
      for (const row of said.json.results) {
        const root = judge.roots.get(row.order_id);
        if (root === undefined) continue;
        const lives = judge.legs(root).filter((o) => ledger.isLiveAt(o, said.t0) && ledger.isLiveAt(o, said.t1));
        if (lives.length > 0) judge.fail(`told done, and ${row.order_id.slice(0, 8)} rests`, said);
        if (row.filled_size !== null && Number(row.filled_size) !== judge.filledAt(root, Infinity))
          judge.fail(
            `told done, ${row.order_id.slice(0, 8)} ${row.status} filled ${row.filled_size}, true ${judge.filledAt(root, Infinity)}`,
            said,
          );
      }
    }
  }
}

async function twapCancelLate(stage) {
  const { gateway, ledger, judge, pick } = stage;
  lateTwaps(stage, 120_000);
  spoilFeed(stage, pick(["up", "down"]));
  const twap = await gateway.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.2", duration_minutes: 30 });
  slice(ledger, ledger.twaps[0], 0.001);
  const listed = await gateway.get("/v1/twaps");
  stage.notes.push(
    `twap ${twap.json.status} ${twap.json.exchange_id}, listed ${JSON.stringify(listed.json.data?.map((t) => [t.status, t.filled_size]))}`,
  );
  const said = await gateway.post("/v1/twaps/cancel", { market: "BTC", twap_id: Number(twap.json.exchange_id) });
  stage.notes.push(`cancel ${said.status} ${said.json.status} ${said.json.error?.message ?? said.json.error}`);
  const w = ledger.twaps[0];
  let after;
  for (let i = 0; i < 8; i++) {
    await pause(2000);
    after = await gateway.get("/v1/twaps");
    for (const t of after.json.data ?? [])
      if (t.status === "canceled" && t.filled_size !== null && t.filled_size !== String(w.executedSz))
        judge.fail(
          `twap told ${t.status}, filled ${t.filled_size}, error ${t.error}, ended_at ${t.ended_at}, true ${w.executedSz}, as of ${after.asOf}`,
          after,
        );
  }
  const fills = await gateway.get("/v1/fills");
  stage.notes.push(
    `feeds ${stage.exchange.connections.size}; fills told ${JSON.stringify(fills.json.data?.map((f) => [f.size, f.twap_id]))} as of ${fills.asOf}`,
  );
  stage.notes.push(
    `listed ${after.status} ${JSON.stringify(after.json.data?.map((t) => [t.status, t.filled_size, t.error]))}, true ${w.log.at(-1).status} ${w.executedSz}`,
  );
  if (!ledger.actions.some((a) => a.action.type === "twapCancel")) judge.fail("no twapCancel was sent");
}

function lateTwaps(stage, ms) {
  const { exchange, faults } = stage;
  faults.lag.twaps = ms;
  const before = faults.info;
  faults.info = (b, a, at) => {
    if (b.type.startsWith("userTwapSliceFills"))
      return exchange.views
        .fills(Date.now() - ms)
        .filter((f) => f.twapId)
        .map((fill) => ({ fill, twapId: fill.twapId }));
    return before?.(b, a, at);
  };
}
async function run(stage, ms, path) {
  const { gateway, ledger } = stage;
  const end = Date.now() + ms;
  let last;
  while (Date.now() < end) {
    last = await gateway.get(path);
    for (const w of ledger.twaps)
      if (w.log.at(-1).status === "activated" && stage.roll() < 0.3) slice(ledger, w, 0.001);
    await pause(700);
    if (stage.isDone?.(last.json)) break;
  }
  return last;
}

async function twapStop(stage, shape = {}) {
  const { gateway, ledger, faults, exchange, roll } = stage;
  const size = "0.2";
  await gateway.order({ market: "BTC", side: "buy", size: "0.01", price: "61000", time_in_force: "ioc" });
  const o = await rest(stage, { price: "59000", size: "0.01" });
  const lost = shape.lost ?? roll() < 0.5;
  if (lost) faults.exchange = (a) => (a.type === "twapOrder" ? { lost: true } : {});
  if (shape.late) lateTwaps(stage, shape.late);
  if (shape.feed) spoilFeed(stage, shape.feed);
  const twap = await gateway.post("/v1/twaps", { market: "BTC", side: "buy", size, duration_minutes: 30 });
  stage.notes.push(`twap ${twap.status} ${twap.json.status} ${twap.json.exchange_id} ${twap.json.error}`);
  for (const w of ledger.twaps) slice(ledger, w, 0.001);
  await pause(shape.wait ?? 0);
  faults.exchange = (a) =>
    a.type === "twapCancel" && roll() < 0.5
      ? { lost: true }
      : a.type === "cancel" && roll() < 0.4
        ? { lost: true }
        : {};
  if (roll() < 0.5) ledger.fill(o.leg, 0.003);
  const stop = await gateway.post("/v1/stop", { scope: "account" });
  stage.notes.push(`stop ${stop.status} ${stop.json.status} ${JSON.stringify(stop.json.remaining)}`);
  if (shape.flatten) await gateway.post(`/v1/stops/${stop.json.id}/flatten`, {});
  stage.isDone = (s) =>
    (shape.flatten ? s.flatten?.status !== "flattening" : s.status === "stopped") && s.outside?.is_done;
  const last = await run(stage, shape.ms ?? 45_000, `/v1/stops/${stop.json.id}`);
  stage.notes.push(
    `at the end ${last.json.status} ${JSON.stringify(last.json.waits_for)} outside ${JSON.stringify(last.json.outside)} flatten ${JSON.stringify(last.json.flatten)}`,
  );
  stage.notes.push(
    `truth: can increase [${canIncrease(stage, Date.now())}], BTC ${ledger.position("BTC").szi}, twaps ${ledger.twaps.map((w) => `${w.log.at(-1).status} ${w.executedSz}`)}, feeds ${exchange.connections.size}`,
  );
  stage.notes.push(
    `actions: ${ledger.actions.map((a) => `${new Date(a.t).toISOString().slice(14, 23)} ${a.action.type} ${JSON.stringify(a.answer?.response?.data ?? a.answer?.response)}`).join("\n      ")}`,
  );
  const twaps = await gateway.get("/v1/twaps");
  for (const t of twaps.json.data ?? []) {
    const w = ledger.twaps.find((one) => String(one.id) === t.exchange_id);
    stage.notes.push(`told twap ${t.status} ${t.filled_size}; true ${w?.log.at(-1).status} ${w?.executedSz}`);
    if (t.status === "canceled" && Number(t.filled_size) !== w.executedSz && !shape.late)
      stage.judge.fail(`twap told canceled with ${t.filled_size}, true ${w.executedSz}`);
  }
  const sent = ledger.actions.some((a) => a.action.type === "twapCancel");
  if (!sent && ledger.twaps.length > 0)
    stage.judge.fail(
      `no twapCancel was sent in the whole of the stop, told waits_for ${JSON.stringify(last.json.waits_for?.map((w) => w.until))}, the TWAP went from 0.001 to ${ledger.twaps[0].executedSz}`,
    );
  judgeStops(stage);
}

async function cancelAll(stage) {
  const { gateway, ledger, faults, judge, pick, roll } = stage;
  const rows = [];
  for (let i = 0; i < 4; i++) rows.push(await rest(stage, { price: String(58000 + i * 100) }));
  ledger.fill(rows[0].leg, 0.004);
  const lie = lieOf(rows[1].root, "canceled", 1, roll);
  for (const store of ["open", "fills", "history"]) faults.lag[store] = pick([0, 3000, 6000]);
  faults.info = lie;
  spoilFeed(stage, pick(["up", "down", "late"]));
  let left = 2;
  faults.exchange = (a) => {
    if (!a.type.startsWith("cancel") || left-- <= 0) return {};
    return { before: () => rows[2].leg.status === "open" && ledger.fill(rows[2].leg, 0.005), lost: true };
  };
  const said = await gateway.post("/v1/orders/cancel-all", { account: gateway.account, market: "BTC" });
  stage.notes.push(
    `told ${said.status} ${said.json.status} ${JSON.stringify(said.json.results?.map((r) => [r.status, r.filled_size]))}`,
  );
  stage.isDone = (s) => s.status === "done";
  const last = await run(stage, 40_000, `/v1/cancel-alls/${said.json.id}`);
  stage.notes.push(
    `at the end ${last.json.status} ${JSON.stringify(last.json.results?.map((r) => [r.status, r.filled_size, r.error]))}`,
    legsText(stage),
  );
  if (last.json.status !== "done")
    judge.fail(`not done 40 s after: ${JSON.stringify(last.json.results?.map((r) => [r.status, r.error]))}`);
  mend(stage);
  judgeStops(stage);
}

async function close(stage) {
  const { gateway, ledger, faults, judge, pick } = stage;
  await gateway.order({ market: "BTC", side: "buy", size: "0.02", price: "61000", time_in_force: "ioc" });
  await rest(stage, {
    side: "sell",
    size: "0.02",
    price: "56000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "57000", market: true },
  });
  faults.lag.state = pick([0, 4000]);
  faults.lag.fills = pick([0, 6000]);
  spoilFeed(stage, pick(["up", "down", "late"]));
  faults.exchange = (a) => (a.type === "order" ? pick([{ lost: true }, { hang: true }, {}]) : {});
  const body = { account: gateway.account, market: "BTC" };
  const first = await gateway.post("/v1/positions/close", body);
  const second = await gateway.post("/v1/positions/close", body);
  for (const s of [first, second])
    stage.notes.push(
      `close ${s.status} ${s.json.status ?? s.json.error?.code} ${s.json.filled_size}/${s.json.size} ${s.json.error?.message ?? s.json.error}`,
    );
  await pause(6000);
  mend(stage);
  const said = await until(
    async () => {
      const list = await gateway.get("/v1/positions");
      return list.status === 200 && list.json.data.length === 0 ? list : null;
    },
    30_000,
    1000,
  );
  if (ledger.position("BTC").szi !== 0) judge.fail(`held after a close: ${ledger.position("BTC").szi}`);
  if (!said) judge.fail("positions still told 30 s after the close and health");
  const began = Date.now();
  const trigger = [...ledger.orders.values()].find((o) => o.trigger);
  const isGone = await until(() => trigger.status !== "open", 30_000, 500);
  if (!isGone) judge.fail("30 s after the close was settled and nothing is held, the reduce-only trigger still rests");
  else stage.notes.push(`trigger gone ${Date.now() - began} ms after`);
  stage.notes.push(legsText(stage), first.json.id ? await story(stage, first.json.id) : "");
}

// A story through a lost answer, a kill, and a restart, each step held against the log of actions.
async function storyOf(stage) {
  const { gateway, ledger, faults, pick, roll } = stage;
  const kind = pick(["lost", "swallow", "hang"]);
  faults.exchange = (a) => (a.type === "order" ? { [kind]: true } : {});
  for (const store of ["open", "history", "fills"]) faults.lag[store] = pick([0, 5000]);
  const wait = gateway
    .order({ market: "ETH", side: "buy", size: "0.1", price: "1900" }, { name: "story-of-one" })
    .catch(() => null);
  await pause(pick([300, 2000, 6000]));
  gateway.stream?.abort();
  await gateway.kill();
  await wait;
  if (roll() < 0.5) for (const o of ledger.orders.values()) if (o.status === "open") ledger.fill(o, 0.03);
  await gateway.start();
  gateway.follow();
  const again = await gateway.order(
    { market: "ETH", side: "buy", size: "0.1", price: "1900" },
    { name: "story-of-one" },
  );
  await watch(stage, [again.json.id], 6000);
  mend(stage);
  await settle(stage, [again.json.id], 40_000);
  stage.notes.push(
    `${kind}: ${again.status}`,
    JSON.stringify((await gateway.get(`/v1/orders/${again.json.id}`)).json),
    await story(stage, again.json.id),
    await gateway.cliLater(["order", "explain", again.json.id]),
  );
  stage.notes.push(
    ...ledger.actions.map(
      (a) => `${new Date(a.t).toISOString().slice(14, 23)} ${a.action.type} ${a.nonce} -> ${JSON.stringify(a.answer)}`,
    ),
    legsText(stage),
  );
}

// Positions of others' in the account, which come while it is flattened.
async function others(stage) {
  const { gateway, ledger } = stage;
  await gateway.order({ market: "BTC", side: "buy", size: "0.01", price: "61000", time_in_force: "ioc" });
  stage.faults.lag.state = 3000;
  const stop = await gateway.post("/v1/stop", { scope: "account" });
  await gateway.post(`/v1/stops/${stop.json.id}/flatten`, {});
  let bought = 0;
  stage.isDone = (s) => {
    if (s.flatten?.order_ids?.length > bought && bought < 2) {
      bought++;
      const o = ledger.create({
        coin: "ETH",
        side: "B",
        limitPx: 2010,
        sz: 0.5,
        reduceOnly: false,
        tif: "Ioc",
        trigger: null,
        elsewhere: true,
      });
      ledger.note(o, "open");
      ledger.fill(o, 0.5, 2001, true);
    }
    return s.flatten?.status !== "flattening";
  };
  const last = await run(stage, 50_000, `/v1/stops/${stop.json.id}`);
  stage.notes.push(
    `${last.json.status} ${JSON.stringify(last.json.flatten)}`,
    `BTC ${ledger.position("BTC").szi} ETH ${ledger.position("ETH").szi}`,
  );
  judgeStops(stage);
}

export const scenes = {
  "twap-stop": (stage) => twapStop(stage, { feed: stage.pick(["up", "down", "late"]) }),
  "twap-cancel-late": twapCancelLate,
  "twap-stop-late": (stage) => twapStop(stage, { late: 120_000, lost: false, ms: 50_000 }),
  "twap-stop-20-s-late": (stage) => twapStop(stage, { late: 20_000, lost: false, ms: 45_000 }),
  "twap-stop-old": (stage) => twapStop(stage, { late: 120_000, lost: false, ms: 30_000, wait: 12_000 }),
  "twap-flatten": (stage) => twapStop(stage, { flatten: true, ms: 55_000 }),
  "twap-flatten-late": (stage) => twapStop(stage, { flatten: true, late: 120_000, feed: "down", ms: 55_000 }),
  "cancel-all": cancelAll,
  close,
  story: storyOf,
  others,
};
