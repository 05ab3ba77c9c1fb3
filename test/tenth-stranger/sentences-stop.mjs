// BEYOND §2 and docs/clients.md: stop, flatten, resume, heartbeat, keys that end.
import { code, each, is, note, shaped, sleep, until, words } from "./rig.mjs";

const stoppedOf = (key, id, ms = 20_000) =>
  until(
    async () =>
      (await key.get(`/v1/stops/${id}`)).body.status === "stopped" ? (await key.get(`/v1/stops/${id}`)).body : null,
    ms,
  );

async function accountStop({ gateway, chain, plain, exchange }) {
  const bot = await gateway.bot("stopped", {
    may: "increase,reduce,modify,cancel,leverage,margin,twap,stop",
    max_order: "any",
  });
  await bot.order("BTC", "buy", "0.01", "61000", { time_in_force: "ioc" });
  const guard = await bot.stopLoss("BTC", "sell", "0.01", "58000", "55000");
  const rest = await bot.order("BTC", "buy", "0.001", "59000");
  const take = await bot.order("BTC", "sell", "0.01", "62000", { reduce_only: true });
  const naked = await bot.order("BTC", "sell", "0.001", "57000", {
    trigger: { kind: "stop_loss", price: "58000", market: true },
  });
  const outside = chain.outside("ETH", "B", 0.1, 1900);
  const twap = await bot.post("/v1/twaps", { market: "ETH", side: "buy", size: "0.5", duration_minutes: 10 });
  is("README", "set", naked.status === 201 && twap.body.status === "succeeded", [naked.body, twap.body]);
  const stop = await plain.post("/v1/stop", { scope: "account" }, null);
  is(
    "2",
    "Idempotency-Key optional; 202 or 200",
    [200, 202].includes(stop.status) && stop.body.object === "stop",
    stop.body,
  );
  is(
    "2",
    "keep_protection is true when left out",
    stop.body.keep_protection === true && stop.body.cause === "asked" && stop.body.key_hash === null,
  );
  const more = await plain.order("BTC", "buy", "0.001", "59000", {}, "after-stop-1");
  is(
    "2",
    "from that commit on no increase passes: 403 trading_stopped",
    more.status === 403 && code(more) === "trading_stopped" && shaped(more),
    more.body,
  );
  for (const [what, answer] of [
    [
      "market order",
      await bot.post("/v1/orders/market", { account: gateway.account, market: "BTC", side: "buy", size: "0.001" }),
    ],
    [
      "batch",
      await bot.post("/v1/orders/batch", {
        account: gateway.account,
        orders: [{ market: "BTC", side: "buy", size: "0.001", price: "59000" }],
      }),
    ],
    ["TWAP", await bot.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.01", duration_minutes: 10 })],
    ["trade", await bot.trade("ETH", "buy", "0.1", "2010", "1900")],
    ["higher leverage", await bot.post("/v1/leverage", { market: "BTC", leverage: 20, margin_type: "cross" })],
    ["margin taken out", await bot.post("/v1/margin", { market: "BTC", amount: "-5" })],
    [
      "increasing trigger",
      await bot.order("BTC", "buy", "0.001", "62000", { trigger: { kind: "stop_loss", price: "61000", market: true } }),
    ],
  ])
    is(
      "clients.md",
      `${what} is 403 trading_stopped`,
      answer.status === 403 && code(answer) === "trading_stopped",
      answer.body,
    );
  const done = await stoppedOf(plain, stop.body.id);
  is("2", "`stopped` is reached", done, (await plain.get(`/v1/stops/${stop.body.id}`)).body);
  const open = chain.open();
  is(
    "2",
    "nothing that was signed here can still increase",
    open.every(({ reduceOnly }) => reduceOnly) && chain.twaps.every(({ status }) => status !== "activated"),
    open.map(({ oid }) => oid),
  );
  is(
    "clients.md",
    "a trigger without reduce_only goes",
    !open.some(({ oid }) => oid === Number(naked.body.exchange_order_id)),
  );
  is(
    "2",
    "what was kept is listed",
    done?.kept.order_ids.includes(guard.body.id) &&
      done.kept.order_ids.includes(take.body.id) &&
      done.kept.orders === 2,
    done?.kept,
  );
  is(
    "2",
    "placed outside are canceled once, listed apart",
    done?.outside.canceled.some(({ exchange_id }) => exchange_id === String(outside.oid)),
    done?.outside,
  );
  is(
    "openapi",
    "remaining and waits_for are empty once it is stopped",
    done?.remaining.orders === 0 && done.remaining.twaps === 0 && done.waits_for.length === 0,
    done,
  );
  is("openapi", "rest is canceled", (await plain.get(`/v1/orders/${rest.body.id}`)).body.status === "canceled");
  const later = chain.outside("ETH", "B", 0.1, 1900);
  await sleep(4000);
  is(
    "2",
    "later ones are no part of the claim: not canceled",
    chain.open("ETH").some(({ oid }) => oid === later.oid),
  );
  const beside = await bot.order("BTC", "sell", "0.002", "59000", { reduce_only: true, time_in_force: "ioc" });
  note("reduced beside a resting reduction of all that is held", { status: beside.status, words: words(beside) });
  is(
    "clients.md",
    "margin that is added passes",
    [200, 202].includes((await bot.post("/v1/margin", { market: "BTC", amount: "1" })).status),
  );
  is(
    "clients.md",
    "lower leverage passes",
    (await bot.post("/v1/leverage", { market: "BTC", leverage: 5, margin_type: "cross" })).body.status === "succeeded",
  );
  is(
    "clients.md",
    "a cancel passes",
    (await bot.post(`/v1/orders/${take.body.id}/cancel`, {})).body.status === "canceled",
  );
  const less = await bot.order("BTC", "sell", "0.002", "59000", { reduce_only: true, time_in_force: "ioc" });
  is("clients.md", "a reduce-only order passes", less.body.status === "filled", less.body);
  const moved = await bot.post(`/v1/orders/${guard.body.id}/modify`, {
    trigger: { kind: "stop_loss", price: "57000", market: true },
    price: "54000",
    always_place: true,
  });
  is("1.2", "a price-only modify of a kept stop passes", moved.status === 200, moved.body);
  const again = await plain.post("/v1/stop", { scope: "account" }, null);
  is(
    "openapi",
    "repeated while such a stop stands it answers with that one",
    again.body.id === stop.body.id,
    again.body.id,
  );
  const ready = await fetch(`${gateway.url}/readyz`);
  const text = await ready.text();
  is(
    "DECISIONS 12",
    "an account stopped on purpose is 200 and says `stopped`",
    ready.status === 200 && text.includes("stopped"),
    text,
  );
  is(
    "metrics.md",
    "postern_stops_standing counts it",
    /postern_stops_standing\{[^}]*\} 1/.test(await gateway.metrics()),
    (await gateway.metrics()).match(/postern_stops_standing.*/g),
  );
  is(
    "2",
    "events tell progress",
    ["stop.created", "stop.updated", "stop.stopped"].filter((type) =>
      gateway.events.some((event) => event.type === type),
    ).length >= 1 &&
      gateway.events.some(
        (event) => event.type.startsWith("stop.") && JSON.stringify(event.data).includes('"stopped"'),
      ),
    [...new Set(gateway.events.map(({ type }) => type))],
  );
  await gateway.kill();
  await gateway.start();
  is(
    "2",
    "stands after kill -9",
    await until(async () => code(await plain.order("BTC", "buy", "0.001", "59000")) === "trading_stopped", 10_000, 500),
    (await plain.order("BTC", "buy", "0.001", "59000")).body,
  );
  const resumed = await plain.post(
    `/v1/stops/${stop.body.id}/resume`,
    { account: gateway.account, signature: `0x${"1".repeat(130)}` },
    null,
  );
  is("2", "never an API key", resumed.status === 401, resumed.body);
  const signature = await gateway.sign("TradingResumption", { account: gateway.account, stop: stop.body.id });
  const ended = await gateway.post(`/v1/stops/${stop.body.id}/resume`, { account: gateway.account, signature });
  is("2", "the owner's signature resumes", ended.status === 200 && ended.body.status === "resumed", ended.body);
  is(
    "openapi",
    "said again it answers the same",
    (await gateway.post(`/v1/stops/${stop.body.id}/resume`, { account: gateway.account, signature })).status === 200,
  );
  is(
    "2",
    "what can increase is taken again, under the refused name too",
    await until(
      async () => (await plain.order("BTC", "buy", "0.001", "59000", {}, "after-stop-1")).status === 201,
      8000,
      500,
    ),
  );
  is(
    "openapi",
    "what was canceled stays canceled",
    (await plain.get(`/v1/orders/${rest.body.id}`)).body.status === "canceled",
  );
  const audit = JSON.stringify((await plain.get("/v1/audit?limit=200")).body.data);
  is(
    "clients.md",
    "the audit tells of stop and resumption",
    audit.includes("stop") && audit.includes("resum"),
    audit.slice(0, 500),
  );
  note("unknown /info", exchange.seen.filter(({ unknown }) => unknown).length);
}

async function botStop({ gateway, chain, plain }) {
  const one = await gateway.bot("one");
  const two = await gateway.bot("two");
  const mine = await one.order("BTC", "buy", "0.001", "59000");
  const theirs = await two.order("BTC", "buy", "0.001", "59000");
  const stop = await one.post("/v1/stop", { scope: "bot" });
  is(
    "openapi",
    "a key with rails stops its own bot without the word `stop`",
    [200, 202].includes(stop.status) && stop.body.scope === "bot",
    stop.body,
  );
  is(
    "openapi",
    "the account only where may names stop and it touches all",
    (await one.post("/v1/stop", { scope: "account" })).status === 403,
  );
  await stoppedOf(plain, stop.body.id);
  is(
    "2",
    "scope bot: its orders alone",
    (await plain.get(`/v1/orders/${mine.body.id}`)).body.status === "canceled" &&
      (await plain.get(`/v1/orders/${theirs.body.id}`)).body.status === "open",
  );
  is("2", "another bot goes on", (await two.order("BTC", "buy", "0.001", "58900")).status === 201);
  is(
    "2",
    "a new key under the same name is stopped too",
    code(await (await gateway.bot("one")).order("BTC", "buy", "0.001", "59000")) === "trading_stopped",
  );
  const cli = await gateway.json("stop", "--key-hash", two.hash);
  is("commands", "postern stop --key-hash", cli.code === 0, cli);
  is("2", "and it holds", code(await two.order("BTC", "buy", "0.001", "58800")) === "trading_stopped");
  const list = (await plain.get("/v1/stops")).body.data;
  is(
    "openapi",
    "GET /v1/stops lists those in force",
    list.filter(({ status }) => status !== "resumed").length >= 2,
    list,
  );
  const resume = await gateway.json("resume");
  is(
    "commands",
    "postern resume ends all that stand",
    resume.code === 0 &&
      (await until(async () => (await one.order("BTC", "buy", "0.001", "58700")).status === 201, 5000)),
    resume,
  );
  for (const body of [{}, { scope: "all" }, { scope: "bot", extra: 1 }, { scope: "bot", keep_protection: "yes" }]) {
    const answer = await one.post("/v1/stop", body);
    is("openapi", `a wrong body is 400: ${JSON.stringify(body)}`, answer.status === 400 && shaped(answer), answer.body);
  }
  const none = await plain.get("/v1/stops/01a22323-c436-7f96-b987-e5f81d65fbc1");
  is("DECISIONS 8", "404 stop_not_found", none.status === 404 && code(none) === "stop_not_found", none.body);
  const all = await one.post("/v1/stop", { scope: "bot", keep_protection: false });
  await one.order("BTC", "sell", "0.001", "59000");
  is("2", "keep_protection false is told", all.body.keep_protection === false);
  note("left", chain.open().length);
}

export async function stops() {
  await each([accountStop, botStop]);
}
