// Whole trades: each step filled in part, lost, refused, late or killed, and what is told of protection meanwhile.
import { behind } from "./scenes-refusals.mjs";
import { now } from "./truth.mjs";
import { parse, rest, size } from "./units.mjs";

const names = {};
const ENDED = new Set(["closed", "canceled", "rejected", "closed_outside", "withdrawn"]);

async function begin(
  s,
  { who = "alpha", market = "ETH", side = "buy", amount = "0.5", entry = "1990", stop = "1950", profit = "2100" } = {},
) {
  s.gateway.follow(who);
  const told = await s.trade(who, market, side, amount, entry, stop, profit);
  const id = told.value?.id;
  if (id !== undefined) s.watch(who, `/v1/trades/${id}`, 300);
  return { id, who, told };
}

const entryOf = (s) => s.truth.orders.filter((o) => o.by === "gateway" && !o.reduce).at(-1);
const stopsOf = (s, market = "ETH") =>
  s.truth.live(market).filter((o) => o.by === "gateway" && o.trigger?.tpsl === "sl");

async function entered(s) {
  return s.until(async () => {
    const order = entryOf(s);
    return order !== undefined && now(order).status === "open" ? order : null;
  }, 12_000);
}

async function filledInParts(s, parts) {
  const order = await entered(s);
  if (order === null) return;
  for (const part of parts) {
    s.truth.fill(order, parse(part), order.px, false);
    await rest(200 + s.draw(1_800));
  }
}

async function settled(s, trade, ms = 15_000) {
  return s.tradeUntil(trade.who, trade.id, (t) => (t.status === "open" && t.protected) || ENDED.has(t.status), ms);
}

names["trade-parts"] = async (s) => {
  behind(s);
  const trade = await begin(s);
  await filledInParts(s, ["0.1", "0.15", "0.25"]);
  await settled(s, trade);
  s.truth.setMark("ETH", "1940");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status));
};

names["trade-parts-held"] = async (s) => {
  behind(s);
  await s.market("beta", "ETH", "buy", "0.3");
  s.isAlone = false;
  const trade = await begin(s);
  await filledInParts(s, ["0.1", "0.05", "0.2"]);
  await s.gateway.post(trade.who, `/v1/trades/${trade.id}/cancel`, s.name());
  await settled(s, trade);
  s.truth.setMark("ETH", "2110");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status));
};

names["trade-stop-lost"] = async (s) => {
  behind(s);
  s.exchange.spoil(["before", "after", "late", "html"][s.draw(4)], { type: "order", ms: 2_000 });
  const trade = await begin(s);
  await filledInParts(s, ["0.2", "0.3"]);
  await settled(s, trade, 25_000);
};

names["trade-entry-lost"] = async (s) => {
  behind(s);
  s.exchange.spoil(["before", "after", "late"][s.draw(3)], { type: "order", ms: 3_000, when: (a) => !a.orders[0].r });
  const trade = await begin(s);
  await rest(4_000);
  await filledInParts(s, ["0.2", "0.3"]);
  await settled(s, trade, 25_000);
};

names["trade-stop-refused"] = async (s) => {
  behind(s);
  s.truth.takesLonelyStops = false;
  const trade = await begin(s);
  await filledInParts(s, ["0.1", "0.4"]);
  await settled(s, trade);
  s.truth.setMark("ETH", "2110");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status));
};

names["trade-guards-refused"] = async (s) => {
  behind(s);
  let left = 2 + s.draw(2);
  s.truth.takesLonelyStops = false;
  s.truth.refuse = (given) => {
    if (given.trigger === null || s.truth.held("ETH") === 0n || left-- <= 0) return null;
    return {
      status: "openInterestIncreaseRejected",
      text: "Open interest is increasing too quickly. Try again in a few seconds. asset=1",
    };
  };
  const trade = await begin(s);
  await filledInParts(s, ["0.5"]);
  await s.tradeUntil(trade.who, trade.id, (t) => t.status === "open" && t.protected, 35_000);
};

names["trade-profit-in-parts"] = async (s) => {
  behind(s);
  const trade = await begin(s);
  await filledInParts(s, ["0.5"]);
  await settled(s, trade);
  s.truth.market("ETH").depth.sell = parse("0.2");
  s.truth.setMark("ETH", "2110");
  await rest(5_000);
  s.truth.market("ETH").depth.sell = null;
  s.truth.setMark("ETH", "1940");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status));
};

names["trade-stop-in-parts"] = async (s) => {
  behind(s);
  const trade = await begin(s, { entry: "2010" });
  await settled(s, trade);
  s.truth.market("ETH").depth.sell = parse("0.2");
  s.truth.setMark("ETH", "1945");
  await rest(3_000);
  s.truth.market("ETH").depth.sell = null;
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status) || t.protected, 20_000);
  await rest(2_000);
};

names["trade-killed"] = async (s) => {
  behind(s);
  const trade = await begin(s);
  await rest(s.draw(400));
  await s.gateway.restart();
  const order = await entered(s);
  if (order === null) return;
  s.truth.fill(order, parse("0.2"), order.px, false);
  await rest(s.draw(600));
  await s.gateway.restart();
  if (now(order).status === "open") s.truth.fill(order, parse("0.3"), order.px, false);
  await rest(s.draw(600));
  await s.gateway.restart();
  await settled(s, trade, 20_000);
  s.truth.setMark("ETH", "1940");
  await rest(s.draw(300));
  await s.gateway.restart();
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status));
};

names["trade-killed-lost"] = async (s) => {
  behind(s, 1_000);
  s.exchange.spoil(["before", "after", "late"][s.draw(3)], { type: "order", ms: 1_500 });
  const asked = begin(s);
  await rest(300 + s.draw(500));
  await s.gateway.restart();
  const trade = await asked;
  await filledInParts(s, ["0.25", "0.25"]);
  if (trade.id !== undefined) await settled(s, trade, 25_000);
};

names["trade-cancel-under-way"] = async (s) => {
  behind(s);
  for (let i = 0; i < 3; i++) {
    const trade = await begin(s, { amount: `0.${3 + i}` });
    await rest(s.draw(1_500));
    if (s.draw(2)) s.exchange.spoil(["before", "after"][s.draw(2)], { type: ["cancel", "order"][s.draw(2)] });
    const canceling = s.gateway.post(trade.who, `/v1/trades/${trade.id}/cancel`, s.name());
    const order = entryOf(s);
    if (order !== undefined && now(order).status === "open" && s.draw(2))
      s.truth.fill(order, parse("0.1"), order.px, false);
    await canceling;
    await settled(s, trade, 20_000);
    await s.close("alpha", "ETH");
    await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status), 12_000);
    for (const poll of s.polls) poll.isOver = true;
  }
};

names["trade-hand-cancels-stop"] = async (s) => {
  behind(s);
  const trade = await begin(s, { entry: "2010" });
  await settled(s, trade);
  s.truth.cancel(stopsOf(s)[0], "elsewhere");
  await rest(8_000);
  s.truth.cancel(stopsOf(s)[0], "elsewhere");
  await rest(6_000);
};

names["trade-hand-cancels-first"] = async (s) => {
  behind(s);
  const trade = await begin(s);
  await entered(s);
  s.truth.cancel(stopsOf(s)[0], "elsewhere");
  await rest(s.draw(700));
  const order = entryOf(s);
  if (now(order).status === "open") s.truth.fill(order, parse("0.2"), order.px, false);
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status) || (t.protected && t.status === "open"), 20_000);
};

names["trade-hand-closes"] = async (s) => {
  behind(s);
  const trade = await begin(s, { entry: "2010" });
  await settled(s, trade);
  s.truth.elsewhere("ETH", false, "0.2");
  await rest(2_500);
  s.truth.elsewhere("ETH", false, "0.3");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status), 20_000);
};

names["trade-bot-sells"] = async (s) => {
  behind(s);
  await s.market("beta", "ETH", "buy", "0.4");
  s.isAlone = false;
  const trade = await begin(s, { entry: "2010" });
  await settled(s, trade);
  await s.order("alpha", "ETH", "sell", "0.2", "1990", { reduce_only: true, time_in_force: "ioc" });
  await rest(6_000);
  await s.close("alpha", "ETH");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status), 25_000);
};

names["trade-withdrawn"] = async (s) => {
  behind(s);
  const trade = await begin(s);
  await filledInParts(s, ["0.2"]);
  const stop = await s.gateway.post("alpha", "/v1/stop", s.name(), { scope: "bot", keep_protection: s.draw(2) === 0 });
  await s.until(async () => (await s.gateway.get("alpha", `/v1/stops/${stop.value.id}`)).value?.status === "stopped");
  await rest(2_500);
  await s.gateway.get("alpha", `/v1/trades/${trade.id}`);
  await s.gateway.post("alpha", `/v1/stops/${stop.value.id}/flatten`, s.name(), {});
  await rest(6_000);
};

names["trade-moved"] = async (s) => {
  behind(s);
  const trade = await begin(s, { entry: "2010" });
  await settled(s, trade);
  const move = (body) => s.gateway.post("alpha", `/v1/trades/${trade.id}/modify`, s.name(), body);
  await move({ stop_loss: { trigger_price: "1960" } });
  await move({ stop_loss: { trigger_price: "2005" } });
  await move({ take_profit: { trigger_price: "1990" } });
  s.exchange.spoil(["before", "after"][s.draw(2)], { type: "order" });
  await move({ stop_loss: { trigger_price: "1970" } });
  await rest(3_000);
  await move({ take_profit: { trigger_price: "2080" } });
  await rest(3_000);
  s.truth.setMark("ETH", "1965");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status));
  await move({ stop_loss: { trigger_price: "1900" } });
};

names["trade-two-bots"] = async (s) => {
  behind(s);
  s.isAlone = false;
  const [a, b] = await Promise.all([
    begin(s, { entry: "2010" }),
    begin(s, { who: "beta", amount: "0.4", entry: "2010", stop: "1960" }),
  ]);
  await Promise.all([settled(s, a), settled(s, b)]);
  s.truth.setMark("ETH", "1955");
  await s.tradeUntil("beta", b.id, (t) => ENDED.has(t.status));
  await rest(1_000);
  await s.gateway.get("alpha", `/v1/trades/${a.id}`);
  s.truth.elsewhere("ETH", false, "0.2");
  await rest(4_000);
  s.truth.setMark("ETH", "1940");
  await s.tradeUntil("alpha", a.id, (t) => ENDED.has(t.status));
};

names["trade-short"] = async (s) => {
  behind(s);
  const trade = await begin(s, {
    market: "BTC",
    side: "sell",
    amount: "0.02",
    entry: "60100",
    stop: "61000",
    profit: "58000",
  });
  await filledInParts(s, ["0.005", "0.015"]);
  await settled(s, trade);
  s.truth.setMark("BTC", "57900");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status));
  void size;
};

names["trade-met-meanwhile"] = async (s) => {
  behind(s);
  const trade = await begin(s);
  const order = await entered(s);
  s.exchange.spoil("slow", { ms: 1_200, type: "order" });
  s.truth.fill(order, parse("0.2"), order.px, false);
  s.truth.setMark("ETH", "1945");
  await s.tradeUntil(trade.who, trade.id, (t) => ENDED.has(t.status), 20_000);
};

export const scenes = names;
