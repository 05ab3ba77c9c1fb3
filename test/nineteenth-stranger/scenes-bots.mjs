// Several keys of one account in one market: what the rails of each promise, whatever is lost, late or killed, and orders by hand beside.
import { behind, tryLargest } from "./scenes-refusals.mjs";
import { parse, rest } from "./units.mjs";

const names = {};

names["bots-opposite"] = async (s) => {
  behind(s);
  for (let i = 0; i < 4; i++) {
    await s.market("alpha", "BTC", "buy", "0.02");
    await s.order("beta", "BTC", "sell", "0.01", "59500", { time_in_force: "ioc" });
    await rest(s.draw(1_500));
    await s.order("beta", "BTC", "sell", "0.01", "59500", { time_in_force: "ioc" });
    await s.close("alpha", "BTC");
    await s.order("beta", "BTC", "sell", "0.01", "59500", { time_in_force: "ioc" });
    await s.order("alpha", "BTC", "buy", "0.01", "60500", { time_in_force: "ioc" });
    await s.close("beta", "BTC");
    await rest(s.draw(1_000));
  }
};

names["bots-opposite-lost"] = async (s) => {
  behind(s);
  for (let i = 0; i < 3; i++) {
    s.exchange.spoil(["before", "after", "late"][s.draw(3)], { type: "order", ms: s.draw(2_500) });
    const asked = s.order("alpha", "BTC", "buy", "0.02", "60500", { time_in_force: "ioc" });
    await rest(100);
    await s.order("beta", "BTC", "sell", "0.01", "59500", { time_in_force: "ioc" });
    const told = await asked;
    await s.order("beta", "BTC", "sell", "0.01", "59500", { time_in_force: "ioc" });
    await s.until(
      async () => (await s.gateway.get("alpha", `/v1/orders/${told.value.id}`)).value?.status !== "unknown",
      15_000,
    );
    await s.order("beta", "BTC", "sell", "0.01", "59500", { time_in_force: "ioc" });
    await s.close("alpha", "BTC");
    await s.close("beta", "BTC");
  }
};

names["bots-opposite-hand"] = async (s) => {
  behind(s);
  for (let i = 0; i < 4; i++) {
    s.truth.elsewhere("BTC", i % 2 === 0, "0.03");
    await rest(s.draw(1_200));
    await s.order("alpha", "BTC", i % 2 ? "buy" : "sell", "0.01", i % 2 ? "60500" : "59500", { time_in_force: "ioc" });
    s.truth.elsewhere("BTC", i % 2 !== 0, "0.03");
    await rest(s.draw(1_000));
    await s.order("alpha", "BTC", i % 2 ? "buy" : "sell", "0.01", i % 2 ? "60500" : "59500", { time_in_force: "ioc" });
    await rest(2_500);
    await s.order("alpha", "BTC", i % 2 ? "buy" : "sell", "0.005", i % 2 ? "60500" : "59500", { time_in_force: "ioc" });
    await s.close("alpha", "BTC");
  }
};

names["bots-stop-one"] = async (s) => {
  behind(s);
  for (const who of ["alpha", "beta", "gamma"]) {
    await s.market(who, "BTC", "buy", "0.01");
    await s.order(who, "BTC", "buy", "0.005", "59000");
    await s.order(who, "BTC", "sell", "0.01", "55000", {
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "58000", market: true },
    });
  }
  s.truth.elsewhere("BTC", true, "0.01", { px: "58500", tif: "Gtc" });
  s.exchange.spoil(["before", "after"][s.draw(2)], { type: "cancel" });
  const stop = await s.gateway.post("alpha", "/v1/stop", s.name(), { scope: "bot" });
  await Promise.all(["alpha", "beta", "gamma"].map((who) => s.order(who, "BTC", "buy", "0.004", "59100")));
  await s.until(async () => (await s.gateway.get("alpha", `/v1/stops/${stop.value.id}`)).value.status === "stopped");
  const theirs = s.books;
  void theirs;
  await s.gateway.post("alpha", `/v1/stops/${stop.value.id}/flatten`, s.name(), {});
  await s.until(
    async () => (await s.gateway.get("alpha", `/v1/stops/${stop.value.id}`)).value.flatten?.status === "flat",
    15_000,
  );
  await s.order("alpha", "BTC", "buy", "0.004", "59100");
  await s.close("beta", "BTC");
};

names["bots-narrow-one"] = async (s) => {
  behind(s);
  await s.market("alpha", "BTC", "buy", "0.02");
  await s.market("beta", "BTC", "buy", "0.02");
  await s.order("alpha", "BTC", "buy", "0.01", "59000");
  await s.narrow("alpha", { position: 1000 });
  const told = await s.order("alpha", "BTC", "buy", "0.001", "59900");
  s.judge.claim("narrowed is narrowed", told.status === 403, told.value, null);
  await tryLargest(s, await s.order("beta", "BTC", "buy", "0.033", "59900"), "beta", "BTC", "buy", "59900", "0.001");
  await s.order("alpha", "BTC", "sell", "0.005", "59500", { reduce_only: true, time_in_force: "ioc" });
  await s.close("alpha", "BTC", { fraction: "0.5" });
  await s.gateway.get("alpha", "/v1/whoami");
  await s.close("alpha", "BTC");
  await tryLargest(s, await s.order("alpha", "BTC", "buy", "0.02", "59900"), "alpha", "BTC", "buy", "59900", "0.001");
};

names["bots-hand-beside"] = async (s) => {
  behind(s);
  for (const who of ["alpha", "beta"]) await s.market(who, "ETH", "buy", "0.5");
  for (let i = 0; i < 5; i++) {
    s.truth.elsewhere("ETH", s.draw(2) === 0, ["0.2", "0.6", "1.3"][s.draw(3)]);
    await rest(s.draw(900));
    const who = ["alpha", "beta"][s.draw(2)];
    if (i % 2) await s.order(who, "ETH", "sell", "0.3", "1980", { reduce_only: true, time_in_force: "ioc" });
    else await s.order(who, "ETH", "buy", "0.2", "2020", { time_in_force: "ioc" });
  }
  await Promise.all([s.close("alpha", "ETH"), s.close("beta", "ETH")]);
  await rest(1_500);
  await s.close("main", "ETH");
};

/** A storm: what three bots ask for at random while answers are lost; the rails are judged at every placing. */
async function storm(s, { rounds, kills = 0 }) {
  const bots = ["alpha", "beta", "gamma"];
  const open = [];
  for (let i = 0; i < rounds; i++) {
    if (s.draw(3) === 0)
      s.exchange.spoil(["before", "after", "late", "slow", "html"][s.draw(5)], { ms: s.draw(3_000) });
    await Promise.all(bots.map((who) => deed(s, who, open)));
    if (s.draw(4) === 0) s.truth.setMark("BTC", String(59_400 + s.draw(1_200)));
    if (s.draw(5) === 0) s.truth.elsewhere("BTC", s.draw(2) === 0, "0.01");
    if (kills > 0 && s.draw(Math.ceil(rounds / kills)) === 0) await s.gateway.restart();
    await rest(s.draw(300));
  }
}

async function deed(s, who, open) {
  const what = s.draw(10);
  const market = ["BTC", "ETH"][s.draw(2)];
  const at = Number(s.truth.mark(market)) / 1e8;
  const isBuy = s.draw(2) === 0;
  const price = (part) => (market === "BTC" ? String(Math.round(at * part)) : (at * part).toFixed(1));
  const size = market === "BTC" ? `0.0${1 + s.draw(3)}` : `0.${2 + s.draw(7)}`;
  if (what < 3)
    return s.order(who, market, isBuy ? "buy" : "sell", size, price(isBuy ? 1.01 : 0.99), { time_in_force: "ioc" });
  if (what < 6) {
    const told = await s.order(who, market, isBuy ? "buy" : "sell", size, price(isBuy ? 0.995 : 1.005));
    if (told.status < 300) open.push({ who, id: told.value.id, market, isBuy });
    return told;
  }
  const one = open[s.draw(Math.max(1, open.length))];
  if (what === 6 && one?.who === who) return s.cancel(who, one.id);
  if (what === 7 && one?.who === who) return s.modify(who, one.id, { size: one.market === "BTC" ? "0.02" : "0.5" });
  if (what === 8) return s.close(who, market);
  return s.gateway.get(who, "/v1/whoami");
}

names["bots-storm"] = async (s) => {
  behind(s);
  await storm(s, { rounds: 22 });
  await rest(3_000);
};

names["bots-storm-lost"] = async (s) => {
  behind(s, 2_500);
  for (let i = 0; i < 6; i++)
    s.exchange.spoil(["before", "after", "late"][s.draw(3)], { type: "order", ms: 2_000, when: () => s.draw(2) === 0 });
  await storm(s, { rounds: 18 });
  await rest(4_000);
};

names["bots-storm-killed"] = async (s) => {
  behind(s);
  await storm(s, { rounds: 16, kills: 4 });
  await rest(4_000);
};

names["bots-touch"] = async (s) => {
  behind(s);
  const { value } = await s.order("alpha", "BTC", "buy", "0.01", "59000");
  for (const who of ["beta", "gamma"]) {
    await s.cancel(who, value.id);
    await s.modify(who, value.id, { price: "59100" });
    await s.gateway.get(who, `/v1/orders/${value.id}`);
  }
  await s.market("alpha", "BTC", "buy", "0.02");
  await s.order("alpha", "BTC", "sell", "0.02", "60300", { reduce_only: true });
  await s.market("beta", "BTC", "buy", "0.02");
  await s.order("beta", "BTC", "sell", "0.02", "60300", { reduce_only: true });
  await s.order("beta", "BTC", "buy", "0.005", "60350");
  await s.order("beta", "BTC", "sell", "0.01", "59000", { time_in_force: "ioc" });
  s.truth.setMark("BTC", "60200");
  await s.order("beta", "BTC", "buy", "0.005", "60400", { time_in_force: "ioc" });
  await rest(1_500);
};

names["bots-flatten-all"] = async (s) => {
  behind(s);
  await s.market("alpha", "BTC", "buy", "0.02");
  await s.market("beta", "ETH", "sell", "0.5");
  s.truth.elsewhere("SOL", true, "5");
  await s.order("gamma", "SOL", "buy", "3", "98");
  s.exchange.spoil(["before", "after", "slow"][s.draw(3)], { type: "order", ms: 2_000 });
  void s.order("alpha", "BTC", "buy", "0.01", "60500", { time_in_force: "ioc" });
  await rest(50);
  const stop = await s.gateway.post("main", "/v1/stop", s.name(), { scope: "account" });
  await s.gateway.post("main", `/v1/stops/${stop.value.id}/flatten`, s.name(), {});
  if (s.draw(2)) await s.gateway.restart();
  const end = await s.until(async () => {
    const { value } = await s.gateway.get("main", `/v1/stops/${stop.value.id}`);
    return ["flat", "left"].includes(value?.flatten?.status) ? value : null;
  }, 40_000);
  const left = ["BTC", "ETH", "SOL"].filter((c) => s.truth.held(c) !== 0n);
  if (end?.flatten.status === "flat") s.judge.claim("flat is flat", left.length === 0, end, left);
  for (const who of ["main", "alpha"]) await s.close(who, "BTC");
  void parse;
};

export const scenes = names;
