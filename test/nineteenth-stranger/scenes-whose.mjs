// Who did it: you, another key, a hand elsewhere, the exchange's rule, a liquidation, a stop; and what orders, events and stories say of it.
import { behind } from "./scenes-refusals.mjs";
import { parse, rest } from "./units.mjs";

const names = {};

const newest = (s) => s.truth.orders.filter((o) => o.by === "gateway").at(-1);

async function look(s, who, id) {
  await rest(300 + s.draw(2_500));
  await s.gateway.get(who, `/v1/orders/${id}`);
  await s.gateway.get(who, `/v1/orders/${id}/story`);
}

names["whose-cancel"] = async (s) => {
  behind(s);
  for (const who of ["main", "alpha", "beta"]) s.gateway.follow(who);
  for (const how of ["elsewhere", "gateway", "second", "all"]) {
    const { value } = await s.order("main", "BTC", "buy", "0.01", "59000");
    const order = newest(s);
    await rest(s.draw(500));
    if (how === "elsewhere") s.truth.cancel(order, "elsewhere");
    if (how === "gateway") await s.cancel("main", value.id);
    if (how === "second") await s.cancel("second", value.id);
    if (how === "all") await s.gateway.post("main", "/v1/orders/cancel-all", s.name(), { account: s.account });
    await look(s, "main", value.id);
  }
};

names["whose-rule"] = async (s) => {
  behind(s);
  s.gateway.follow("main");
  await s.market("main", "BTC", "buy", "0.02");
  const first = await s.order("main", "BTC", "sell", "0.02", "61000", { reduce_only: true });
  await s.order("main", "BTC", "sell", "0.02", "61500", { reduce_only: true });
  await look(s, "main", first.value.id);
  s.truth.elsewhere("BTC", false, "0.02");
  await rest(1_500);
  const rests = await s.order("main", "ETH", "buy", "0.1", "1995");
  await s.order("main", "ETH", "sell", "0.1", "1990");
  await look(s, "main", rests.value.id);
  const margin = await s.order("main", "SOL", "buy", "2", "95");
  s.truth.cancel(newest(s), "rule", "marginCanceled");
  await look(s, "main", margin.value.id);
};

names["whose-liquidation"] = async (s) => {
  behind(s);
  for (const who of ["main", "alpha"]) s.gateway.follow(who);
  await s.market("alpha", "BTC", "buy", "0.02");
  const stop = await s.order("alpha", "BTC", "sell", "0.02", "52000", {
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "55000", market: true },
  });
  const buy = await s.order("alpha", "BTC", "buy", "0.005", "59000");
  await rest(1_000);
  s.truth.liquidate("BTC");
  await rest(200);
  await s.close("alpha", "BTC");
  await s.order("alpha", "BTC", "sell", "0.01", "59000", { reduce_only: true, time_in_force: "ioc" });
  await look(s, "alpha", stop.value.id);
  await look(s, "alpha", buy.value.id);
  await rest(2_000);
  await s.close("main", "BTC");
};

names["whose-modify"] = async (s) => {
  behind(s);
  s.gateway.follow("main");
  const { value } = await s.order("main", "BTC", "buy", "0.02", "59000");
  s.truth.fill(newest(s), parse("0.005"), parse("59000"), false);
  await s.modify("main", value.id, { price: "59100" });
  s.exchange.spoil(["before", "after", "late"][s.draw(3)], { type: "batchModify", ms: 1_000 });
  await s.modify("main", value.id, { price: "59200" });
  await rest(1_500);
  await s.modify("main", value.id, { price: "61000" });
  await look(s, "main", value.id);
  const next = await s.order("main", "ETH", "buy", "0.2", "1950");
  s.truth.cancel(newest(s), "elsewhere");
  await s.modify("main", next.value.id, { price: "1960", always_place: true });
  await look(s, "main", next.value.id);
};

names["whose-stop"] = async (s) => {
  behind(s);
  for (const who of ["alpha", "beta"]) s.gateway.follow(who);
  const a = await s.order("alpha", "BTC", "buy", "0.01", "59000");
  const b = await s.order("beta", "BTC", "buy", "0.01", "58900");
  if (s.draw(2)) s.exchange.spoil(["before", "after"][s.draw(2)], { type: "cancel" });
  await s.gateway.post("alpha", "/v1/stop", s.name(), { scope: "bot" });
  await look(s, "alpha", a.value.id);
  await look(s, "beta", b.value.id);
  await s.gateway.post("main", "/v1/stop", s.name(), { scope: "account" });
  await look(s, "beta", b.value.id);
};

names["whose-heartbeat"] = async (s) => {
  behind(s);
  s.gateway.follow("alpha");
  const { value } = await s.order("alpha", "BTC", "buy", "0.01", "59000");
  await s.gateway.ask("alpha", "PUT", "/v1/heartbeat", { within_s: 5 });
  await rest(7_500);
  await look(s, "alpha", value.id);
};

names["whose-lost"] = async (s) => {
  behind(s);
  for (const how of ["before", "after", "late", "html", "limit"]) {
    s.exchange.spoil(how, { type: "order", ms: 1_500 });
    const told = await s.order("alpha", "BTC", "buy", "0.004", "59000");
    if (told.status < 300) await s.gateway.get("alpha", `/v1/orders/${told.value.id}/story`);
    if (told.status < 300 && s.draw(2)) await s.cancel("alpha", told.value.id);
    if (told.status < 300) await look(s, "alpha", told.value.id);
  }
  await rest(4_000);
};

names["whose-killed"] = async (s) => {
  behind(s);
  for (const how of ["slow", "after", "late"]) {
    s.exchange.spoil(how, { type: "order", ms: 1_500 });
    const name = s.name();
    const asked = s.order("alpha", "ETH", "buy", "0.1", ["1950", "2010"][s.draw(2)], {}, name);
    await rest(100 + s.draw(300));
    await s.gateway.restart();
    await asked;
    const told = await s.order("alpha", "ETH", "buy", "0.1", asked.price ?? "1950", {}, name);
    if (told.status < 300 && told.value?.id) await look(s, "alpha", told.value.id);
  }
};

names["whose-trigger"] = async (s) => {
  behind(s);
  s.gateway.follow("alpha");
  await s.market("alpha", "BTC", "buy", "0.02");
  const stop = await s.order("alpha", "BTC", "sell", "0.02", "57000", {
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59000", market: true },
  });
  const profit = await s.order("alpha", "BTC", "sell", "0.02", "61000", {
    reduce_only: true,
    trigger: { kind: "take_profit", price: "61000", market: false },
  });
  await rest(s.draw(1_000));
  s.truth.market("BTC").depth.sell = s.draw(2) ? parse("0.008") : null;
  s.truth.setMark("BTC", "58900");
  await look(s, "alpha", stop.value.id);
  s.truth.market("BTC").depth.sell = null;
  s.truth.setMark("BTC", "61500");
  await look(s, "alpha", profit.value.id);
  await s.close("alpha", "BTC");
};

export const scenes = names;
