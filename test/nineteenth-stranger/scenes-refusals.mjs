// Refusals: each is asked for where it is true, where it has just become true, and where it has just ceased to be.
import { now } from "./truth.mjs";
import { parse, rest } from "./units.mjs";

/** How far the stores may be behind in a scene, by its seed. */
export function behind(s, most = [0, 600, 1_500, 2_500][s.draw(4)]) {
  const all = ["status", "open", "history", "fills", "state", "twap", "asset"];
  s.lags(Object.fromEntries(all.map((store) => [store, [0, most]])), [0, Math.floor(most / (1 + s.draw(3)))]);
}

/** What a refusal says would pass is asked for at once, and one step more. */
export async function tryLargest(s, told, who, ...terms) {
  const [market, side, price, step] = terms;
  const largest = /Largest size that passes: (\d+(?:\.\d+)?)/.exec(told.value?.error?.message ?? "")?.[1];
  if (largest === undefined || Number(largest) === 0) return;
  const more = (parse(largest) + parse(step)).toString().padStart(9, "0");
  const text = `${more.slice(0, -8)}.${more.slice(-8)}`.replace(/\.?0+$/, "");
  const beyond = await s.order(who, market, side, text, price);
  s.judge.claim("one step more than the largest is refused", beyond.status !== 201, beyond.value, told.value);
  const fits = await s.order(who, market, side, largest, price);
  const isLimit = fits.status === 429 || fits.status === 503 || fits.value?.error?.message?.includes("opposite");
  s.judge.claim("the largest that is told passes", fits.status < 300 || isLimit, fits.value, told.value);
}

const names = {};

names["refuse-empty-close"] = async (s) => {
  behind(s);
  for (const who of ["main", "alpha", "beta"]) await s.close(who, "BTC");
  for (let i = 0; i < 4; i++) {
    await s.market("alpha", "BTC", "buy", "0.01");
    await Promise.all([s.close("beta", "BTC"), s.close("main", "ETH"), s.close("gamma", "BTC")]);
    await rest(s.draw(900));
    await s.close(["alpha", "main"][i % 2], "BTC");
    await Promise.all([s.close("alpha", "BTC"), s.close("main", "BTC")]);
    await rest(s.draw(1_200));
  }
};

names["refuse-close-hand"] = async (s) => {
  behind(s);
  for (let i = 0; i < 4; i++) {
    await s.market("alpha", "ETH", "buy", "0.3");
    await rest(s.draw(1_500));
    s.truth.elsewhere("ETH", false, "0.3");
    await rest(s.draw(300));
    await Promise.all([s.close("alpha", "ETH"), s.close("main", "ETH"), s.close("beta", "ETH", { touches: "all" })]);
    await rest(1_000 + s.draw(1_500));
    await s.close("main", "ETH");
    s.truth.elsewhere("ETH", true, "0.2");
    await rest(s.draw(200));
    await Promise.all([s.close("main", "ETH"), s.close("alpha", "ETH")]);
    await rest(1_500);
    await s.close("main", "ETH");
  }
};

names["refuse-close-twice"] = async (s) => {
  behind(s);
  for (let i = 0; i < 4; i++) {
    await s.market("alpha", "BTC", "buy", "0.02");
    if (i % 2 === 1) s.exchange.spoil(["before", "after"][s.draw(2)], { type: "order" });
    await Promise.all([
      s.close("alpha", "BTC"),
      rest(s.draw(50)).then(() => s.close("alpha", "BTC", { fraction: "0.5" })),
    ]);
    await s.close("alpha", "BTC");
    await rest(s.draw(2_500));
    await s.close("alpha", "BTC");
  }
};

names["refuse-reduce-beyond"] = async (s) => {
  behind(s);
  await s.market("beta", "BTC", "buy", "0.02");
  for (let i = 0; i < 4; i++) {
    if (i === 2) s.exchange.spoil(["before", "after", "slow"][s.draw(3)], { type: "order", ms: 1_500 });
    const buying = s.market("alpha", "BTC", "buy", "0.01");
    if (i !== 1) await buying;
    for (const size of ["0.011", "0.021", "0.031", "0.061"])
      await s.order("alpha", "BTC", "sell", size, "59500", { reduce_only: true, time_in_force: "ioc" });
    await buying;
    const told = await s.order("alpha", "BTC", "sell", "0.05", "60500", { reduce_only: true });
    await tryReduce(s, told);
    await rest(s.draw(1_500));
  }
};

async function tryReduce(s, told) {
  const largest = /Largest size that passes: (\d+(?:\.\d+)?)/.exec(told.value?.error?.message ?? "")?.[1];
  if (largest === undefined || Number(largest) === 0) return;
  const fits = await s.order("alpha", "BTC", "sell", largest, "60500", { reduce_only: true });
  s.judge.claim(
    "the largest reduction that is told passes",
    fits.status < 300 || fits.status >= 429,
    fits.value,
    told.value,
  );
  if (fits.status === 201) await s.cancel("alpha", fits.value.id);
}

names["refuse-max-position"] = async (s) => {
  behind(s);
  for (let i = 0; i < 5; i++) {
    const how = [null, "before", "after", "late", "slow"][s.draw(5)];
    if (how) s.exchange.spoil(how, { type: "order", ms: 1_000 });
    await s.order("alpha", "BTC", "buy", "0.01", i % 2 ? "60100" : "59000", i % 2 ? { time_in_force: "ioc" } : {});
    const told = await s.order("alpha", "BTC", "buy", "0.033", "60000");
    await tryLargest(s, told, "alpha", "BTC", "buy", "59900", "0.001");
    const sale = await s.order("alpha", "BTC", "sell", "0.033", "61000");
    if (sale.status === 201) await s.cancel("alpha", sale.value.id);
    await rest(s.draw(1_500));
    if (i % 2) await s.close("alpha", "BTC");
    else await s.gateway.post("alpha", "/v1/orders/cancel-all", s.name(), { account: s.account });
  }
};

names["refuse-price"] = async (s) => {
  s.isAlone = false;
  for (let i = 0; i < 12; i++) {
    const at = 59_000 + s.draw(2_000);
    s.truth.setMark("BTC", String(at));
    await rest([0, 50, 400, 1_200][s.draw(4)]);
    const price = String(Math.round(at * (1.03 + s.draw(50) / 1_000)));
    await Promise.all([
      s.order("alpha", "BTC", "buy", "0.001", price, { time_in_force: "ioc" }),
      s.order("beta", "ETH", "buy", "1.2", "2050", { time_in_force: "ioc" }),
      s.order("gamma", "SOL", "buy", "9.5", "102", { time_in_force: "ioc" }),
    ]);
    const trade = await s.trade("alpha", "BTC", "buy", "0.001", String(at), String(at + [-50, 5, -5, -200][s.draw(4)]));
    if (trade.status === 201) await s.gateway.post("alpha", `/v1/trades/${trade.value.id}/cancel`, s.name());
    s.truth.setMark("SOL", String(95 + s.draw(10)));
  }
};

names["refuse-open-orders"] = async (s) => {
  behind(s);
  const ids = [];
  for (let i = 0; i < 9; i++) {
    if (i === 3) s.exchange.spoil(["before", "after", "late"][s.draw(3)], { type: "order", ms: 900 });
    const told = await s.order("gamma", "SOL", "buy", "1", `${80 + i}`.replace("80", "98"), { time_in_force: "alo" });
    if (told.status < 300) ids.push(told.value.id);
    if (i % 3 === 2 && ids.length > 0) {
      if (s.draw(2)) s.exchange.spoil(["before", "after"][s.draw(2)], { type: "cancel" });
      await s.cancel("gamma", ids.shift());
      await s.order("gamma", "SOL", "buy", "1", "98", { time_in_force: "alo" });
    }
    await rest(s.draw(400));
  }
  await s.order("gamma", "SOL", "sell", "1", "101", { reduce_only: true });
};

names["refuse-exposure"] = async (s) => {
  behind(s);
  await s.order("gamma", "BTC", "buy", "0.014", "59900");
  await s.order("gamma", "ETH", "buy", "0.4", "1999");
  const told = await s.order("gamma", "SOL", "buy", "8", "99");
  await tryLargest(s, told, "gamma", "SOL", "buy", "99", "0.01");
  s.truth.setMark("BTC", "59800");
  await rest(1_000);
  s.truth.setMark("BTC", "60400");
  const again = await s.order("gamma", "SOL", "buy", "8", "99");
  await tryLargest(s, again, "gamma", "SOL", "buy", "99", "0.01");
  await s.gateway.post("gamma", "/v1/orders/cancel-all", s.name(), { account: s.account });
  await s.order("gamma", "SOL", "buy", "8", "99");
  await rest(1_500);
  await s.gateway.get("gamma", "/v1/whoami");
};

names["refuse-rules"] = async (s) => {
  for (const [size, price] of [
    ["0.000001", "60000"],
    ["0.01", "60000.5"],
    ["0.0100005", "59000"],
    ["0.01", "123456.7"],
    ["0.0001", "59000"],
    ["0.01", "1"],
    ["0.01", "59000.12345"],
  ])
    await s.order("main", "BTC", "buy", size, price);
  await s.order("main", "ETH", "sell", "0.1", "2000", { time_in_force: "alo" });
  await s.order("main", "ETH", "sell", "0.1", "1990", { time_in_force: "alo" });
  await s.order("main", "ETH", "buy", "0.1", "1900", { time_in_force: "ioc" });
  await s.order("main", "ETH", "sell", "0.1", "2100", { reduce_only: true });
  await s.order("main", "SOL", "sell", "1", "90", {
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "95.123456", market: true },
  });
  await s.order("main", "SOL", "sell", "1", "96", {
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "95", market: true },
  });
  await s.order("main", "PURR/USDC", "sell", "1", "96", { trigger: { kind: "stop_loss", price: "95", market: true } });
  s.exchange.spoil("after", { type: "order" });
  await s.order("main", "ETH", "sell", "0.1", "1990", { time_in_force: "alo" });
  s.exchange.spoil("html", { type: "order" });
  await s.order("main", "ETH", "buy", "0.1", "1900", { time_in_force: "ioc" });
  await rest(4_000);
};

names["refuse-modify"] = async (s) => {
  behind(s);
  const make = async () => (await s.order("main", "BTC", "buy", "0.01", "59000")).value.id;
  const [a, b, c, d, e] = [await make(), await make(), await make(), await make(), await make()];
  const at = (id) => s.truth.orders.find((o) => o.cloid === `0x${id.replaceAll("-", "")}`);
  s.truth.cancel(at(a), "elsewhere");
  await rest(s.draw(400));
  await s.modify("main", a, { price: "58000" });
  s.truth.fill(at(b), parse("0.01"), parse("59000"), false);
  await rest(s.draw(400));
  await s.modify("main", b, { price: "58000" });
  s.truth.fill(at(c), parse("0.004"), parse("59000"), false);
  await s.modify("main", c, { price: "58000" });
  await s.modify("main", d, { price: "61000" });
  s.exchange.spoil(["before", "after", "late"][s.draw(3)], { type: "batchModify", ms: 1_500 });
  await s.modify("main", e, { price: "58500", size: "0.02" });
  await s.modify("main", e, { price: "58400" });
  await rest(2_500);
  await s.modify("main", e, { price: "58300" });
  for (const id of [a, b, c, d]) await s.modify("main", id, { price: "57000" });
  await s.modify("alpha", e, { price: "58300" });
  await s.cancel("alpha", e);
};

names["refuse-cancel"] = async (s) => {
  behind(s);
  for (let i = 0; i < 5; i++) {
    const { value } = await s.order("main", "ETH", "buy", "0.1", "1950");
    const order = s.truth.orders.at(-1);
    if (i % 5 === 0) s.truth.cancel(order, "elsewhere");
    if (i % 5 === 1) s.truth.fill(order, parse("0.1"), parse("1950"), false);
    if (i % 5 === 2) s.exchange.spoil("before", { type: "cancel", count: 1 + s.draw(2) });
    if (i % 5 === 3) s.exchange.spoil("after", { type: "cancel" });
    if (i % 5 === 4) s.truth.fill(order, parse("0.04"), parse("1950"), false);
    await rest(s.draw(300));
    await s.cancel("main", value.id);
    await rest(s.draw(900));
    await s.gateway.get("main", `/v1/orders/${value.id}`);
    await s.cancel("main", value.id);
    void now;
  }
};

names["refuse-leverage"] = async (s) => {
  behind(s);
  const set = (who, market, leverage, margin_type) =>
    s.gateway.post(who, "/v1/leverage", s.name(), { market, leverage, margin_type });
  const add = (who, market, amount) => s.gateway.post(who, "/v1/margin", s.name(), { market, amount });
  await set("main", "BTC", 41, "cross");
  await add("main", "BTC", "5");
  await s.market("alpha", "BTC", "buy", "0.01");
  await set("main", "BTC", 5, "isolated");
  await add("main", "BTC", "5");
  await add("alpha", "BTC", "-5");
  await set("alpha", "BTC", 20, "cross");
  await s.market("beta", "BTC", "buy", "0.01");
  await rest(s.draw(1_500));
  await set("alpha", "BTC", 25, "cross");
  await set("alpha", "BTC", 3, "cross");
  await set("beta", "ETH", 20, "cross");
  await s.close("beta", "BTC");
  await set("alpha", "BTC", 8, "cross");
  await set("alpha", "BTC", 30, "cross");
  await rest(2_000);
};

names["refuse-twap"] = async (s) => {
  behind(s);
  const make = (who, side, size, reduce_only = false) =>
    s.gateway.post(who, "/v1/twaps", s.name(), { market: "BTC", side, size, duration_minutes: 10, reduce_only });
  await make("main", "sell", "0.01", true);
  await make("gamma", "buy", "0.01");
  const running = await make("alpha", "buy", "0.01");
  await make("alpha", "buy", "0.045");
  await make("alpha", "buy", "0.035");
  const end = () =>
    s.gateway.post("alpha", "/v1/twaps/cancel", s.name(), {
      market: "BTC",
      twap_id: Number(running.value?.exchange_id ?? 1),
    });
  await end();
  await rest(s.draw(500));
  await end();
  s.exchange.spoil("after", { type: "twapOrder" });
  await make("main", "sell", "0.02", true);
  await s.order("alpha", "BTC", "buy", "0.033", "59950");
  await rest(2_000);
};

names["refuse-stopped"] = async (s) => {
  behind(s);
  await s.market("alpha", "BTC", "buy", "0.01");
  await s.order("alpha", "BTC", "buy", "0.01", "59000");
  await s.order("beta", "BTC", "buy", "0.01", "58900");
  const stop = await s.gateway.post("alpha", "/v1/stop", s.name(), { scope: "bot" });
  await s.order("alpha", "BTC", "buy", "0.01", "59000");
  await s.order("beta", "BTC", "buy", "0.01", "58800");
  await s.trade("alpha", "ETH", "buy", "0.1", "1990", "1900");
  await s.order("alpha", "BTC", "sell", "0.005", "59900", { reduce_only: true, time_in_force: "ioc" });
  await s.gateway.get("alpha", "/v1/whoami");
  await s.until(async () => (await s.gateway.get("alpha", `/v1/stops/${stop.value.id}`)).value.status === "stopped");
  await s.close("alpha", "BTC");
  await s.gateway.get("alpha", "/v1/whoami");
  const all = await s.gateway.post("main", "/v1/stop", s.name(), { scope: "account" });
  await s.order("beta", "BTC", "buy", "0.01", "58800");
  await s.order("main", "BTC", "buy", "0.01", "58800");
  await s.until(async () => (await s.gateway.get("main", `/v1/stops/${all.value.id}`)).value.status === "stopped");
};

names["refuse-narrowed"] = async (s) => {
  behind(s);
  await s.market("alpha", "BTC", "buy", "0.02");
  await s.order("alpha", "ETH", "buy", "0.3", "1950");
  await s.narrow("alpha", { order: 500, position: 1500, open: 2 });
  const told = await s.order("alpha", "BTC", "buy", "0.008", "59900");
  await tryLargest(s, told, "alpha", "BTC", "buy", "59900", "0.001");
  await s.order("alpha", "BTC", "sell", "0.01", "60500");
  await s.order("alpha", "ETH", "buy", "0.1", "1940");
  await s.order("alpha", "ETH", "buy", "0.1", "1930");
  await s.order("alpha", "ETH", "buy", "0.1", "1920");
  const beta = await s.order("beta", "BTC", "buy", "0.02", "59500");
  s.judge.claim("another bot is not narrowed", beta.status < 300, beta.value, null);
  await s.gateway.restart();
  await s.order("alpha", "BTC", "buy", "0.02", "59900");
};

export const scenes = names;
