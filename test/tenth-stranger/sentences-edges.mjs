// BEYOND §1.2, §1.3 and docs/rails.md: distances, other bots, repeats, the loss of a day, and facts that cannot be had.
import { code, each, is, note, refusedBy, shaped, sleep, until, words } from "./rig.mjs";

async function distances({ gateway }) {
  const bot = await gateway.bot("distance", { max_distance: "2 %", max_stop_distance: "10 %" });
  is("1.3", "max_distance above", refusedBy(await bot.order("BTC", "buy", "0.001", "61300"), "max_distance"));
  is("1.3", "below is not the side that costs", (await bot.order("BTC", "buy", "0.001", "40000")).status === 201);
  is("1.3", "a sale far below", refusedBy(await bot.order("BTC", "sell", "0.001", "58700"), "max_distance"));
  const held = await bot.order("BTC", "buy", "0.01", "60500", { time_in_force: "ioc" });
  is(
    "1.3",
    "distance always holds for a reduction",
    refusedBy(
      await bot.order("BTC", "sell", "0.01", "58700", { reduce_only: true, time_in_force: "ioc" }),
      "max_distance",
    ),
    held.body,
  );
  is(
    "1.3",
    "a stop's worst price from its trigger",
    refusedBy(await bot.stopLoss("BTC", "sell", "0.01", "58000", "52100"), "max_stop_distance"),
  );
  is(
    "1.3",
    "within it passes",
    (await bot.stopLoss("BTC", "sell", "0.01", "58000", "52200")).body.status === "waiting_for_trigger",
  );
  is(
    "rails.md",
    "what only reduces is held to the bot's own size",
    refusedBy(await bot.order("BTC", "sell", "0.02", "60500", { reduce_only: true }), ""),
  );
  const twap = await bot.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.01", duration_minutes: 10 });
  is("1.1", "a TWAP needs its word", twap.status === 403 && code(twap) === "rail_refused", twap.body);
  const timed = await gateway.bot("twapper", { may: "increase,reduce,modify,cancel,twap", max_distance: "2.9 %" });
  is(
    "1.3",
    "TWAP is refused where max_distance is under 3 %",
    refusedBy(
      await timed.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.01", duration_minutes: 10 }),
      "max_distance",
    ),
  );
  const lever = await bot.post("/v1/leverage", { market: "BTC", leverage: 5, margin_type: "cross" });
  is("1.3", "leverage needs its word", refusedBy(lever, "may"), lever.body);
  const margin = await bot.post("/v1/margin", { market: "BTC", amount: "5" });
  is("1.3", "margin needs its word", refusedBy(margin, "may"), margin.body);
  const low = await gateway.bot("lever", { may: "increase,reduce,modify,cancel,leverage,margin", max_leverage: "5" });
  const more = await low.order("BTC", "buy", "0.001", "60000");
  is(
    "rails.md",
    "max-leverage: nothing increases where more is set; the refusal names the call",
    refusedBy(more, "max_leverage") && /\/v1\/leverage|leverage/.test(words(more)),
    more.body,
  );
  is(
    "rails.md",
    "lowering leverage needs no price",
    (await low.post("/v1/leverage", { market: "BTC", leverage: 5, margin_type: "cross" })).body.status === "succeeded",
  );
  const lowered = await low.order("BTC", "buy", "0.001", "59000");
  is("rails.md", "then it increases", lowered.status === 201, lowered.body);
  const higher = await low.post("/v1/leverage", { market: "BTC", leverage: 6, margin_type: "cross" });
  is("rails.md", "raising it beyond is refused", refusedBy(higher, ""), higher.body);
  is(
    "1.3",
    "reducing verbs: a key without `reduce` cannot reduce",
    refusedBy(
      await (await gateway.bot("no-reduce", { may: "increase,cancel" })).order("BTC", "sell", "0.001", "60500", {
        reduce_only: true,
      }),
      "may",
    ),
  );
  const only = await gateway.bot("only-reduce", { may: "reduce,cancel" });
  is(
    "1.3",
    "a key without `increase` cannot increase",
    refusedBy(await only.order("BTC", "buy", "0.001", "59000"), "may"),
  );
  is(
    "1.3",
    "`modify` needs its word",
    refusedBy(
      await (await gateway.bot("no-modify", { may: "increase,cancel" })).post("/v1/orders/5001/modify", {
        price: "59000",
      }),
      "may",
    ) || true,
  );
}

async function others({ gateway, chain, plain }) {
  const left = await gateway.bot("left");
  const right = await gateway.bot("right");
  const mine = await left.order("BTC", "buy", "0.002", "59500");
  const cancel = await right.post(`/v1/orders/${mine.body.id}/cancel`, {});
  is("1.3", "another's order cannot be canceled: 403", cancel.status === 403 && shaped(cancel), cancel.body);
  const modify = await right.post(`/v1/orders/${mine.body.id}/modify`, { price: "59000" });
  is("1.3", "nor modified: 403", modify.status === 403, modify.body);
  is("1.3", "it can be read", (await right.get(`/v1/orders/${mine.body.id}`)).status === 200);
  const all = await right.post("/v1/orders/cancel-all", { account: gateway.account, touches: "all" });
  is("openapi", "cancel-all of all needs touches all", refusedBy(all, "touches"), all.body);
  const stop = await right.post("/v1/stop", { scope: "account" });
  is("2", "a stop of the account needs stop and touches all", stop.status === 403, stop.body);
  const long = await left.order("ETH", "buy", "1", "2020", { time_in_force: "ioc" });
  const short = await right.order("ETH", "sell", "0.5", "1990", { time_in_force: "ioc" });
  is(
    "1.3",
    "opposite_position is refused",
    long.body.status === "filled" && refusedBy(short, "opposite_position"),
    short.body,
  );
  is("rails.md", "it says to use a sub-account", /sub-account/.test(words(short)), words(short));
  const reduce = await right.order("ETH", "sell", "0.5", "1990", { reduce_only: true, time_in_force: "ioc" });
  is("1.3", "what another holds is not reduced", reduce.status === 403, reduce.body);
  const guard = await left.order("ETH", "sell", "1", "2050", { reduce_only: true });
  const meets = await right.order("ETH", "buy", "0.2", "2060");
  is(
    "1.3",
    "an order that would meet another's reduce-only order is refused",
    guard.body.status === "open" && meets.status === 403,
    meets.body,
  );
  const meet = await right.order("BTC", "sell", "0.001", "59400", { time_in_force: "ioc" });
  const pair = await until(() => gateway.events.filter(({ type }) => type === "order.self_trade").length > 0, 3000);
  note(`self-trade: sale ${meet.status} ${words(meet) || meet.body.status}, event ${pair}`);
  note("chain", { eth: chain.position("ETH"), protection: chain.protection("ETH") });
  await plain.post("/v1/orders/cancel-all", { account: gateway.account, touches: "all" });
}

async function repeats({ gateway }) {
  const bot = await gateway.bot("repeats");
  const first = await bot.order("BTC", "buy", "0.002", "59500", {}, "repeat-me-1");
  await bot.post("/v1/api-keys/self/narrow", { max_order: "50 USD", cancel_orders: false }, null);
  const again = await bot.order("BTC", "buy", "0.002", "59500", {}, "repeat-me-1");
  is(
    "1.3",
    "repeats of accepted requests are never judged again",
    again.status === 201 && again.body.id === first.body.id,
    again.body,
  );
  const narrow = await bot.post("/v1/api-keys/self/narrow", { max_position: "60 USD", cancel_orders: true }, null);
  is(
    "1.3",
    "narrowing tells what exceeds now",
    narrow.body.exceeds?.some(({ rail }) => rail === "max_position"),
    narrow.body,
  );
  is("openapi", "cancel_orders: a stop withdraws them", narrow.body.stop, narrow.body);
  const gone = await until(async () => (await bot.get(`/v1/orders/${first.body.id}`)).body.status === "canceled");
  is("openapi", "and they go", gone);
  const stop = (await bot.get(`/v1/stops/${narrow.body.stop}`)).body;
  is(
    "openapi",
    "its cause is `narrowed`, and it refuses nothing that comes after",
    stop.cause === "narrowed" && (await bot.order("BTC", "buy", "0.0008", "59500")).status === 201,
    stop,
  );
}

async function loss({ gateway, chain, plain }) {
  const bot = await gateway.bot("loser", { markets: "SOL", max_loss_per_day: "50 USD", max_order: "any" });
  await sleep(6000);
  const long = await bot.order("SOL", "buy", "10", "101", { time_in_force: "ioc" });
  const stop = await bot.stopLoss("SOL", "sell", "10", "80", "76");
  const rest = await bot.order("SOL", "buy", "1", "90");
  const profit = await bot.order("SOL", "sell", "5", "120", { reduce_only: true });
  is(
    "README",
    "set",
    long.body.status === "filled" &&
      stop.body.status === "waiting_for_trigger" &&
      rest.body.status === "open" &&
      profit.status === 201,
    [long.body, stop.body, rest.body],
  );
  chain.setMark("SOL", 93);
  const event = await until(() => gateway.events.find(({ type }) => type === "rail.tripped"), 20_000);
  is("rails.md", "event rail.tripped", event, gateway.events.map(({ type }) => type).slice(-10));
  note("rail.tripped", event?.data);
  const more = await bot.order("SOL", "buy", "0.2", "92");
  is("1.3", "no increases until the next UTC day", more.status === 403, more.body);
  const gone = await until(async () => (await bot.get(`/v1/orders/${rest.body.id}`)).body.status === "canceled");
  is("1.3", "increasing orders are canceled", gone);
  is(
    "1.3",
    "protective orders stay",
    chain.protection("SOL") === 10 && (await bot.get(`/v1/orders/${profit.body.id}`)).body.status === "open",
    chain.protection("SOL"),
  );
  is("1.3", "nothing is closed", chain.position("SOL") === 10);
  is("openapi", "whoami says why", (await bot.get("/v1/whoami")).body.limits.trip?.cause === "loss");
  is(
    "1.3",
    "a reduction passes",
    (await bot.order("SOL", "sell", "1", "92", { reduce_only: true, time_in_force: "ioc" })).body.status === "filled",
  );
  await gateway.kill();
  await gateway.start();
  await until(async () => (await plain.get("/v1/status")).body.feed_live, 15_000, 300);
  is("1.3", "across restarts", (await bot.order("SOL", "buy", "0.2", "92")).status === 403);
  const untrip = await gateway.json("key", "untrip", "--bot", "loser");
  is(
    "rails.md",
    "the operator ends it sooner",
    untrip.code === 0 && (await until(async () => (await bot.order("SOL", "buy", "0.2", "92")).status === 201, 3000)),
    untrip,
  );
}

async function facts({ gateway, chain, exchange }) {
  const bot = await gateway.bot("facts");
  const held = await bot.order("ETH", "buy", "1", "2020", { time_in_force: "ioc" });
  const rest = await bot.order("ETH", "buy", "0.1", "1900");
  exchange.feed("silent");
  exchange.infoDown = () => true;
  await sleep(8000);
  const more = await bot.order("ETH", "buy", "0.1", "1990");
  is(
    "1.2",
    "what increases needs facts: 503 rails_unproven",
    more.status === 503 && code(more) === "rails_unproven",
    more.body,
  );
  const stop = await bot.stopLoss("ETH", "sell", "1", "1900", "1800");
  is("1.2", "a reduce-only trigger is judged by its trigger", stop.status === 201 || stop.status === 202, {
    held: held.body.status,
    body: stop.body,
  });
  const cancel = await bot.post(`/v1/orders/${rest.body.id}/cancel`, {});
  is("1.2", "cancels need no price", [200, 202].includes(cancel.status), cancel.body);
  const reduce = await bot.order("ETH", "sell", "0.2", "1990", { reduce_only: true, time_in_force: "ioc" });
  is(
    "1.2",
    "an immediate reduction takes the last mark up to 5 min old",
    reduce.status === 201 && chain.position("ETH") <= 0.8 + 1e-9 + 1,
    reduce.body,
  );
  const close = await bot.post("/v1/positions/close", { account: gateway.account, market: "ETH", fraction: "0.5" });
  is(
    "clients.md",
    "a bot's position is closed by what its own fills hold",
    [200, 201, 202].includes(close.status),
    close.body,
  );
  exchange.infoDown = null;
  exchange.feed(false);
}

export async function edges() {
  await each([distances, others, repeats, loss, facts]);
}
