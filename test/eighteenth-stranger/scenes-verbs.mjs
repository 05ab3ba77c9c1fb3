import { dec, plain, txt } from "./decimals.mjs";
import { ownSize, spoilAnswers } from "./scenes-story.mjs";
import { sleep } from "./stage.mjs";

const ENV = {
  POSTERN_EXCHANGE_WEIGHT: "0",
  POSTERN_ANSWER_DEADLINE_MS: "2000",
  POSTERN_ACTION_LIFE_MS: "5000",
  POSTERN_LIMIT_WRITES: "0",
};
const LEVERED = ["BTC", "ETH", "xyz:GOLD", "xyz:TSLA", "abc:OIL"];

/** What a client asks for, each with figures that no other has, so that the exchange's log tells what came of it. */
function wishes(stage) {
  const { gateway } = stage;
  const account = gateway.accounts.get("main").id;
  const unused = LEVERED.flatMap((market) => [2, 3, 4, 5, 6, 7, 8, 9].map((leverage) => ({ market, leverage })));
  let cents = 0;
  return {
    leverage: () => {
      const [{ market, leverage }] = unused.splice(stage.between(0, unused.length - 1), 1);
      const isCross = market !== "xyz:TSLA";
      return { path: "/v1/leverage", body: { market, leverage, margin_type: isCross ? "cross" : "isolated" } };
    },
    margin: () => {
      cents += 1;
      return { path: "/v1/margin", body: { market: "xyz:TSLA", amount: `1.${String(cents).padStart(4, "0")}` } };
    },
    twap: () => ({
      path: "/v1/twaps",
      body: { market: "BTC", side: "buy", size: ownSize(stage, "0.1"), duration_minutes: 30 },
    }),
    order: () => ({
      path: "/v1/orders",
      body: { account, market: "BTC", side: "buy", size: ownSize(stage, "0.02"), price: "50000" },
    }),
    batch: () => ({
      path: "/v1/orders/batch",
      body: {
        account,
        orders: [0, 1, 2].map((i) => ({
          market: "BTC",
          side: "buy",
          size: ownSize(stage, "0.02"),
          price: i === 1 ? "61000" : "50000",
          time_in_force: i === 1 ? "ioc" : "gtc",
        })),
      },
    }),
    market: () => ({
      path: "/v1/orders/market",
      body: {
        account,
        market: "ETH",
        side: "buy",
        size: plain(txt(dec("0.1") + dec("0.0001") * BigInt(stage.serial))),
      },
    }),
    close: () => ({ path: "/v1/positions/close", body: { account, market: "ETH" } }),
  };
}

async function verbs(
  stage,
  { chance = 0.3, lag = () => 0, isKilled = false, ms = 20_000, hasFeed = true, others = false },
) {
  await stage.open({ env: ENV });
  const { faults, gateway, judge, engine, main, exchange } = stage;
  engine.place(main, { a: 110001, b: true, p: "500", s: "10", r: false, t: { limit: { tif: "Ioc" } } });
  await gateway.post("/v1/leverage", stage.name("first"), { market: "ETH", leverage: 10, margin_type: "cross" });
  main.leverage.set("xyz:TSLA", { type: "isolated", value: 10 });
  engine.changed(main);
  if (!hasFeed) {
    faults.hasFeed = false;
    exchange.cutFeeds();
  }
  faults.lag = () => lag(stage);
  spoilAnswers(stage, chance);
  if (others) mixUp(stage);
  const make = wishes(stage);
  const asked = [];
  const until = Date.now() + ms;
  const killAt = isKilled ? Date.now() + stage.between(4000, 12_000) : Number.POSITIVE_INFINITY;
  let isDead = false;
  while (Date.now() < until) {
    if (!isDead && Date.now() > killAt) {
      isDead = true;
      await gateway.kill();
      await gateway.start();
    }
    const kind = stage.pick([
      "leverage",
      "leverage",
      "margin",
      "margin",
      "twap",
      "twap",
      "order",
      "batch",
      "market",
      "close",
    ]);
    const wish = { kind, name: stage.name(kind), ...make[kind]() };
    asked.push(wish);
    const answers = await Promise.all([
      gateway.post(wish.path, wish.name, wish.body),
      ...(stage.roll() < 0.3 ? [gateway.post(wish.path, wish.name, wish.body)] : []),
    ]);
    for (const answer of answers) note(stage, wish, answer);
    await sleep(stage.between(0, 200));
  }
  faults.onAction = () => null;
  faults.lag = () => 0;
  faults.hasFeed = true;
  await finish(stage, asked);
  judge.count("end");
}

/** Now and then an answer is the answer to somebody else's action. */
function mixUp(stage) {
  const spoil = stage.faults.onAction;
  stage.faults.onAction = (entry) => {
    if (entry.action.type === "order" && stage.roll() < 0.3) {
      const statuses = entry.action.orders.map(() => ({
        resting: { oid: 555000000 + stage.between(1, 999), cloid: `0x${"ab".repeat(16)}` },
      }));
      return {
        [stage.roll() < 0.7 ? "after" : "before"]: { status: "ok", response: { type: "order", data: { statuses } } },
      };
    }
    if (entry.action.type === "twapOrder" && stage.roll() < 0.3) {
      return {
        after: { status: "ok", response: { type: "twapOrder", data: { status: { running: { twapId: 4321 } } } } },
      };
    }
    return spoil(entry);
  };
}

function note(stage, wish, answer) {
  stage.judge.count(`${wish.kind} ${answer.status} ${answer.value?.status ?? answer.value?.error?.code ?? ""}`);
  if (answer.status !== 0) wish.last = answer;
  hold(stage, wish, answer);
}

/** What the exchange's log holds of it. */
function ran(stage, { kind, body }) {
  const { actions, engine } = stage.exchange;
  const isIt = {
    leverage: (a) =>
      a.type === "updateLeverage" && engine.marketOf(a.asset).coin === body.market && a.leverage === body.leverage,
    margin: (a) => a.type === "updateIsolatedMargin" && BigInt(a.ntli) === dec(body.amount) / 1_000_000n,
    twap: (a) => a.type === "twapOrder" && plain(a.twap.s) === body.size,
  }[kind];
  return isIt === undefined ? null : actions.filter((entry) => isIt(entry.action) && entry.ran !== null);
}

function isFine(answer) {
  if (answer.status !== "ok") return false;
  const status = answer.response.data?.status;
  return status === undefined || status.error === undefined;
}

function hold(stage, wish, answer) {
  const { judge, main } = stage;
  const { value } = answer;
  // Closes have the size of the position, which others may have had: they are held against their own number.
  if (wish.kind === "close") holdClose(stage, value);
  else if (value?.object === "order") judge.order(main, value);
  if (value?.object === "order_batch") for (const order of value.orders) judge.order(main, order);
  if (value?.object !== "operation") return;
  const done = ran(stage, wish);
  if (done === null) return;
  if (done.length > 1) judge.fault(`${wish.kind} ran ${done.length} times under one key`, value, done);
  const word = `${value.status} ${value.exchange_id}`;
  if (wish.final !== undefined && wish.final !== word)
    judge.fault("an operation's final sentence was contradicted", value, wish.final);
  if (value.status !== "succeeded" && value.status !== "rejected") return;
  wish.final = word;
  const isDone = done.some((entry) => isFine(entry.answer));
  if (value.status === "succeeded" && !isDone) judge.fault(`${wish.kind} told succeeded, and never was`, value, done);
  if (value.status === "rejected" && isDone) judge.fault(`${wish.kind} told rejected, and was done`, value, done);
  if (wish.kind !== "twap" || value.status !== "succeeded" || !isDone) return;
  const { twapId } = done[0].answer.response.data.status.running;
  if (value.exchange_id !== String(twapId)) judge.fault("a TWAP is told under another number", value, twapId);
}

function holdClose({ judge, engine }, value) {
  if (value?.object !== "order" || value.status !== "filled") return;
  const filled = engine.log
    .filter((e) => e.kind === "fill" && String(e.oid) === value.exchange_order_id)
    .reduce((sum, e) => sum + dec(e.fill.sz), 0n);
  if (dec(value.filled_size) !== filled) judge.fault("a close is told to have filled otherwise", value, txt(filled));
}

/** Everything is well again: each key is repeated until it tells an end. */
async function finish(stage, asked) {
  const { gateway, judge } = stage;
  let open = asked;
  for (const until = Date.now() + 30_000; Date.now() < until && open.length > 0; await sleep(1000)) {
    const left = [];
    for (const wish of open) {
      const answer = await gateway.post(wish.path, wish.name, wish.body);
      note(stage, wish, answer);
      if (!isOver(answer)) left.push(wish);
      if (answer.status === 429) await sleep(500);
    }
    open = left;
  }
  for (const wish of open) {
    const done = ran(stage, wish);
    stage.say(
      `${wish.kind} ${wish.name} is ${wish.last?.status} ${wish.last?.value?.status ?? wish.last?.text} at the end (${wish.last?.value?.error}); ran ${done?.length ?? "?"} times`,
    );
    const saysWhen = /at the latest from|stays unknown after ten minutes|as asked for it shows/.test(
      wish.last?.value?.error ?? "",
    );
    if (done !== null && done.length > 0 && !saysWhen)
      judge.fault("unknown 30 s after all is well, and the exchange has it", wish.last?.value, done);
  }
}

function isOver({ status, value }) {
  if (status === 200 || status === 201) return true;
  return (
    status >= 400 &&
    status < 500 &&
    status !== 429 &&
    value?.error?.code !== "idempotency_in_progress" &&
    value?.error?.code !== "close_in_progress"
  );
}

/** Stop, flatten and cancel-all while answers are lost: what is told as done is so at the exchange. */
async function halt(stage, { verb, chance = 0.4, isKilled = false, lag = () => 0 }) {
  await stage.open({ env: ENV });
  const { gateway, faults, judge } = stage;
  const account = gateway.accounts.get("main").id;
  faults.lag = () => lag(stage);
  spoilAnswers(stage, chance);
  for (let i = 0; i < 8; i++) {
    await gateway.place(stage.name("rest"), {
      market: "BTC",
      side: "buy",
      size: ownSize(stage, "0.02"),
      price: "50000",
    });
    if (i % 3 === 0)
      await gateway.post("/v1/twaps", stage.name("twap"), {
        market: "ETH",
        side: "buy",
        size: plain(txt(dec("1") + dec("0.0001") * BigInt(i))),
        duration_minutes: 30,
      });
    if (i % 4 === 0)
      await gateway.place(stage.name("take"), {
        market: "xyz:GOLD",
        side: "buy",
        size: "0.1",
        price: "4100",
        time_in_force: "ioc",
      });
  }
  const path = verb === "stop" ? "/v1/stop" : "/v1/orders/cancel-all";
  const body = verb === "stop" ? { scope: "account" } : { account, touches: "all" };
  const name = stage.name(verb);
  let told = null;
  let killed = !isKilled;
  let healed = false;
  const began = Date.now();
  for (const until = Date.now() + 45_000; Date.now() < until; await sleep(500)) {
    if (Date.now() - began > 12_000 && !healed) {
      healed = true;
      faults.onAction = () => null;
      faults.lag = () => 0;
    }
    const got =
      told === null
        ? await gateway.post(path, name, body)
        : await gateway.get(verb === "stop" ? `/v1/stops/${told.id}` : `/v1/cancel-alls/${told.id}`);
    if (got.value?.id !== undefined) told = got.value;
    judge.count(`${verb} ${got.status} ${got.value?.status ?? ""}`);
    if (!killed && told !== null) {
      killed = true;
      await gateway.kill();
      await gateway.start();
    }
    if (told?.status === "stopped" || told?.status === "done") break;
  }
  holdHalt(stage, verb, told);
  if (verb === "stop") await flatten(stage, told);
}

function holdHalt(stage, verb, told) {
  const { judge, engine, main } = stage;
  const live = [...main.orders.values()].filter((o) => !o.reduceOnly).map((o) => `${o.oid} ${o.coin} ${txt(o.left)}`);
  const twaps = main.twaps.filter((t) => t.isRunning).map((t) => t.twapId);
  const isDone = told?.status === "stopped" || told?.status === "done";
  if (!isDone) judge.fault(`${verb} is not done 33 s after all is well`, told, { live, twaps });
  else if (live.length > 0) judge.fault(`${verb} is told done, and orders live`, told, live);
  if (isDone && verb === "stop" && twaps.length > 0) judge.fault("told stopped, and TWAPs run", told, twaps);
  const later = engine.log.filter(
    (e) => e.kind === "placed" && !e.wire.r && e.at > Date.parse(told?.stopped_at ?? told?.done_at ?? "9999"),
  );
  if (later.length > 0) judge.fault("placed after it was told done", told, later);
}

async function flatten(stage, stop) {
  const { gateway, main, judge } = stage;
  let told = null;
  await gateway.post(`/v1/stops/${stop.id}/flatten`, undefined, {});
  for (const until = Date.now() + 12_000; Date.now() < until; await sleep(500)) {
    told = (await gateway.get(`/v1/stops/${stop.id}`)).value;
    if (told.flatten?.status === "flat" || told.flatten?.status === "left") break;
  }
  judge.count(`flatten ${told.flatten?.status}`);
  if (told.flatten?.status === "flat" && main.positions.size > 0)
    judge.fault(
      "told flat, and held",
      told.flatten,
      [...main.positions].map(([coin, p]) => `${coin} ${txt(p.szi)}`),
    );
}

/** The answer to a TWAP names somebody else's number; then the key's own trading is stopped. */
async function otherNumber(stage, { scope, late = 0 }) {
  await stage.open({ env: ENV });
  const { gateway, faults, judge, main } = stage;
  faults.lag = () => late;
  faults.feedLag = () => late;
  faults.onAction = (entry) =>
    entry.action.type === "twapOrder"
      ? { after: { status: "ok", response: { type: "twapOrder", data: { status: { running: { twapId: 4321 } } } } } }
      : null;
  const made = await gateway.post("/v1/twaps", stage.name("twap"), {
    market: "BTC",
    side: "buy",
    size: "0.1",
    duration_minutes: 30,
  });
  stage.say(`twap: ${made.status} ${made.text}`);
  await sleep(4000);
  stage.say(`twaps: ${(await gateway.get("/v1/twaps")).text}`);
  const operation = (await gateway.get(`/v1/operations/${made.value.id}`)).value;
  const listed = (await gateway.get("/v1/twaps")).value.data;
  const ghosts = listed.filter((t) => !main.twaps.some((own) => String(own.twapId) === t.exchange_id));
  if (operation.status === "succeeded" && ghosts.length > 0)
    judge.fault(
      "a TWAP that never was is told to have begun, and listed",
      { operation, ghosts },
      main.twaps.map((t) => t.twapId),
    );
  let told = (await gateway.post("/v1/stop", stage.name("stop"), { scope })).value;
  for (const until = Date.now() + 30_000; Date.now() < until && told.status !== "stopped"; await sleep(500))
    told = (await gateway.get(`/v1/stops/${told.id}`)).value;
  stage.say(`stop: ${JSON.stringify(told)}`);
  const twaps = main.twaps.filter((t) => t.isRunning).map((t) => t.twapId);
  if (told.status === "stopped" && twaps.length > 0)
    judge.fault("told stopped, and what this key has started runs", told, twaps);
  judge.count("other number");
}

const behind = (most) => (stage) => (stage.roll() < 0.6 ? 0 : stage.between(0, most));

export const scenes = {
  "verbs-lost": (stage) => verbs(stage, {}),
  "verbs-behind": (stage) => verbs(stage, { lag: behind(1500) }),
  "verbs-no-feed": (stage) => verbs(stage, { lag: behind(1000), hasFeed: false }),
  "verbs-killed": (stage) => verbs(stage, { lag: behind(800), isKilled: true }),
  "verbs-others": (stage) => verbs(stage, { lag: behind(800), others: true, chance: 0.15 }),
  "twap-other-number": (stage) => otherNumber(stage, { scope: "bot" }),
  "twap-other-number-late": (stage) => otherNumber(stage, { scope: "bot", late: 1000 }),
  "twap-other-number-account": (stage) => otherNumber(stage, { scope: "account" }),
  "halt-stop": (stage) => halt(stage, { verb: "stop", lag: behind(1000) }),
  "halt-stop-killed": (stage) => halt(stage, { verb: "stop", isKilled: true }),
  "halt-cancel-all": (stage) => halt(stage, { verb: "cancel-all", lag: behind(1000) }),
  "halt-cancel-all-killed": (stage) => halt(stage, { verb: "cancel-all", isKilled: true }),
};
