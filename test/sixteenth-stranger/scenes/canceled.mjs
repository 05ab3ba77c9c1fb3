// The exchange takes orders away by itself, at each moment, and each source tells it at another time.
import { d, plain } from "../decimal.mjs";
import { pause } from "../house.mjs";
import { legsOf } from "../judge.mjs";
import { behind, finish, rich, sluggish } from "./races.mjs";

const WORDS = [
  "reduceOnlyCanceled",
  "siblingFilledCanceled",
  "marginCanceled",
  "liquidatedCanceled",
  "selfTradeCanceled",
  "openInterestCapCanceled",
  "delistedCanceled",
  "scheduledCancel",
  "vaultWithdrawalCanceled",
  "internalCancel",
  "perpMaxPositionCanceled",
  "somethingNewCanceled",
];
function draw(h, list) {
  return list[Math.floor(h.x.rnd() * list.length)];
}
export function lags(h, most) {
  for (const store of ["positions", "spot", "open", "status", "history", "fills"]) {
    const own = h.x.rnd() * most;
    h.x.lag[store] = () => Math.floor(own * (0.5 + h.x.rnd() / 2));
  }
  h.x.lag.ws = Math.floor(h.x.rnd() * most * 0.5);
}
function partly(h, leg, size) {
  if (leg && h.x.live(leg)) h.x.fill(leg, d(size), leg.px, { noCloid: h.x.rnd() < 0.3 });
}
// One order: filled in part or not, canceled by a word while `act` is under way.
async function one(h, i, act) {
  const x = h.x;
  const word = WORDS[(i + h.seed) % WORDS.length];
  lags(h, draw(h, [300, 2500, 6000]));
  const market = draw(h, ["BTC", "ETH", "xyz:TSLA"]);
  const price = { BTC: "60000", ETH: "2300", "xyz:TSLA": "390" }[market];
  const made = await h.order(market, "buy", "0.1", price, `taken-${h.seed}-${i}`);
  if (!made.json?.id) return;
  const path = `/v1/orders/${made.json.id}`;
  const leg = () => legsOf(x, made.json).at(-1);
  await pause(x.rnd() * 300);
  if (x.rnd() < 0.6) partly(h, leg(), "0.03");
  const doing = act(path, i);
  await pause(x.rnd() * 200);
  if (x.rnd() < 0.3) partly(h, leg(), "0.02");
  x.cancelOne(leg(), word);
  await doing;
  await h.get(path);
  await pause(x.rnd() * 800);
  await Promise.all([h.get(path), h.get("/v1/orders?status=open"), h.get("/v1/positions"), h.get(`${path}/story`)]);
}
async function settle(h, say) {
  await pause(4000);
  await finish(h, say);
  for (const o of h.x.orders.values())
    if (o.cloid && h.x.live(o) && !o.wanted) h.notes.push(`lives: ${o.oid} ${plain(o.sz)}`);
}
function withAct(act) {
  return async (h, say) => {
    sluggish(h, 200, 0.08);
    for (let i = 0; i < 12; i++) await one(h, i, (path, n) => act(h, path, n));
    await settle(h, say);
  };
}
// A little below what the order was placed at, whatever its market.
function lower(h, i) {
  const last = h.said.findLast((s) => s.name === `taken-${h.seed}-${i}`);
  return { 60000: "58000", 2300: "2290", 390: "385" }[last.json.price];
}
async function newWord(h, say) {
  lags(h, 500);
  const made = [];
  for (const [i, word] of [["somethingNewCanceled"], ["marginCanceled"], ["brandNewCancel"]][
    (h.seed - 1) % 3
  ].entries()) {
    const o = await h.order("ETH", "buy", "0.1", "2300", `word-${i}`);
    if (!o.json?.id) {
      say(`place: ${o.status} ${o.text}`);
      continue;
    }
    made.push([word, o.json.id, Date.now()]);
    partly(h, legsOf(h.x, o.json)[0], "0.03");
    await pause(300);
    h.x.cancelOne(legsOf(h.x, o.json)[0], word);
  }
  for (let i = 0; i < 70; i++) {
    for (const row of made) {
      const o = (await h.get(`/v1/orders/${row[1]}`)).json;
      if (o.status !== row[3])
        h.notes.push(
          `${row[0]}: ${o.status} ${o.filled_size} after ${((Date.now() - row[2]) / 1000).toFixed(1)} s: ${o.error}`,
        );
      row[3] = o.status;
    }
    await pause(1000);
  }
  for (const row of made)
    if (row[3] === "unknown") say(`${row[0]}: unknown after ${((Date.now() - row[2]) / 1000).toFixed(0)} s`);
}
const quiet = withAct(() => pause(100));
const modifying = withAct((h, path, i) => h.post(`${path}/modify`, { price: lower(h, i) }, `taken-${h.seed}-${i}-m`));
const resizing = withAct((h, path, i) =>
  h.post(`${path}/modify`, { size: "0.2", always_place: i % 2 === 0 }, `taken-${h.seed}-${i}-s`),
);
const canceling = withAct((h, path, i) => h.post(`${path}/cancel`, {}, `taken-${h.seed}-${i}-c`));
async function inFlight(h, say) {
  // The order is taken away, filled in part or not, before its answer has left the exchange.
  for (let i = 0; i < 12; i++) {
    lags(h, draw(h, [500, 3000, 7000]));
    h.x.after = async (body) => {
      if (body.action.type !== "order") return undefined;
      const order = h.x.orders.get(h.x.oid);
      if (i % 2) partly(h, order, "0.03");
      h.x.cancelOne(order, WORDS[(i + h.seed) % WORDS.length]);
      await pause(h.x.rnd() * 1500);
      return i % 3 === 0 ? "lose" : undefined;
    };
    const made = await h.order("ETH", "buy", "0.1", "2300", `flight-${h.seed}-${i}`);
    if (made.json?.id)
      await Promise.all([h.get(`/v1/orders/${made.json.id}`), h.get("/v1/orders?status=open"), h.get("/v1/positions")]);
  }
  await settle(h, say);
}
async function scheduled(h, say) {
  sluggish(h, 150, 0);
  lags(h, 5000);
  const asks = [];
  for (let i = 0; i < 24; i++)
    asks.push(h.order(i % 2 ? "BTC" : "ETH", "buy", "0.1", i % 2 ? "60000" : "2300", `sched-${i}`));
  setTimeout(() => {
    for (const o of h.x.orders.values()) {
      if (o.oid % 3 === 0) partly(h, o, "0.03");
      h.x.cancelOne(o, "scheduledCancel");
    }
  }, 130);
  const made = await Promise.all(asks);
  await pause(1500);
  for (const o of [...h.x.orders.values()]) h.x.cancelOne(o, "scheduledCancel");
  for (let i = 0; i < 6; i++) {
    await Promise.all(made.slice(0, 8).map((m) => h.get(`/v1/orders/${m.json.id}`)));
    await h.get("/v1/orders?status=open");
    await pause(700);
  }
  await settle(h, say);
}
async function selfTrade(h, say) {
  const limits = [
    "--max-order",
    "any",
    "--max-position",
    "any",
    "--max-exposure",
    "any",
    "--max-turnover-per-day",
    "any",
    "--max-loss-per-day",
    "any",
    "--max-distance",
    "any",
    "--markets",
    "BTC,ETH",
  ];
  const one = await h.newKey(["--bot", "left", ...limits]);
  const two = await h.newKey(["--bot", "right", ...limits]);
  behind(h, 3000, 300);
  for (let i = 0; i < 6; i++) {
    const rest = await h.order("ETH", "sell", "0.1", "2600", `self-a-${i}`, {}, one);
    if (!rest.json?.id) {
      say(`rest: ${rest.status} ${rest.text}`);
      break;
    }
    const leg = legsOf(h.x, rest.json)[0];
    if (i % 2) partly(h, leg, "0.04");
    h.x.before = async (body) => {
      if (body.action.type === "order") h.x.cancelOne(leg, "selfTradeCanceled");
      return "run";
    };
    const hit = await h.order("ETH", "buy", "0.1", "2620", `self-b-${i}`, { time_in_force: "ioc" }, two);
    h.x.before = null;
    h.notes.push(`${hit.status} ${hit.json?.status ?? hit.json?.error?.code}`);
    await Promise.all([h.get(`/v1/orders/${rest.json.id}`), h.get("/v1/orders?status=open"), h.get("/v1/positions")]);
    await pause(400);
    const held = h.x.holding("ETH").szi;
    if (held !== 0n) h.x.hand("ETH", held > 0n ? "A" : "B", plain(held > 0n ? held : -held), "2500");
    await pause(3500);
  }
  await settle(h, say);
}
const more = { before: rich, slack: 9000 };
export const scenes = {
  "taken-quiet": {
    about: "twelve words of cancelling by the exchange, every source late by its own",
    play: quiet,
    ...more,
  },
  "taken-modifying": { about: "the same while the price is being modified", play: modifying, ...more },
  "taken-resizing": {
    about: "the same while the size is being modified, with and without always_place",
    play: resizing,
    ...more,
  },
  "taken-canceling": { about: "the same while it is being canceled by us", play: canceling, ...more },
  "taken-in-flight": { about: "taken away before the answer to placing has left", play: inFlight, ...more },
  "new-word": {
    about: "words of status that no list has, of the forms Canceled, Rejected, Cancel",
    play: newWord,
    ...more,
  },
  scheduled: {
    about: "a scheduled cancel takes two dozen orders that are still being placed",
    play: scheduled,
    ...more,
  },
  "self-trade": { about: "two bots of one account trade with each other", play: selfTrade, ...more },
};
