// What a bot holds is sold twice: by what only reduces and by a plain sale, in one batch or while the other is under way.
// Each case is a bot of its own that holds 0.1; another bot holds 2 on the same side. Nothing may sell what that one holds.
import { note, openDay, report } from "../day.mjs";
import { botKey, wait } from "../gateway.mjs";
import { dec, plain } from "../venue/decimal.mjs";

const RAILS = {
  markets: "ETH",
  "max-order": "900 USD",
  "max-position": "3000 USD",
  "max-exposure": "9000 USD",
  "max-turnover-per-day": "90000 USD",
  "max-loss-per-day": "any",
  "max-distance": "2 %",
  "max-stop-distance": "10 %",
  "max-actions-per-day": "any",
  may: "increase,reduce,modify,cancel",
};
const WIDE = { ...RAILS, "max-order": "5000 USD", "max-position": "9000 USD" };
const SALE = { market: "ETH", side: "sell", size: "0.1", price: "1990", time_in_force: "ioc" };
const REDUCTION = { ...SALE, reduce_only: true };
const MET = {
  market: "ETH",
  side: "sell",
  size: "0.1",
  price: "1985",
  reduce_only: true,
  trigger: { kind: "take_profit", price: "1995", market: true },
};

const WAYS = {
  sale: (day, bot) => bot.post("/v1/orders", { account: day.gateway.account, ...SALE }),
  reduction: (day, bot) => bot.post("/v1/orders", { account: day.gateway.account, ...REDUCTION }),
  met: (day, bot) => bot.post("/v1/orders", { account: day.gateway.account, ...MET }),
  close: (day, bot) => bot.post("/v1/positions/close", { account: day.gateway.account, market: "ETH" }),
  "batch-rs": (day, bot) => bot.post("/v1/orders/batch", { account: day.gateway.account, orders: [REDUCTION, SALE] }),
  "batch-sr": (day, bot) => bot.post("/v1/orders/batch", { account: day.gateway.account, orders: [SALE, REDUCTION] }),
};

const CASES = [
  ["batch-rs"],
  ["batch-sr"],
  ["reduction", "sale"],
  ["sale", "reduction"],
  ["close", "sale"],
  ["sale", "close"],
  ["met", "sale"],
  ["met", "reduction"],
  ["reduction", "reduction"],
  ["sale", "sale"],
  ["close", "close"],
];

async function one(day, ways) {
  const { venue, judge, clients, ledger } = day;
  const name = ways.join("-");
  const bot = await botKey(day.gateway, name, RAILS);
  clients[name] = bot;
  note(day, bot, await bot.order("buy 0.1 ETH at 2010", { time_in_force: "ioc" }), "buys");
  await wait(800);
  venue.fault = (action) => (action.type === "order" ? { before: 400 } : null);
  const answers = await Promise.all(ways.map((way, n) => wait(n * 60).then(() => WAYS[way](day, bot))));
  venue.fault = null;
  for (const answer of answers) note(day, bot, answer, "asks");
  venue.setPrice("ETH", "2000");
  await wait(13000);
  const net = ledger.net(name, "ETH");
  const told = (await bot.get("/v1/whoami")).data.limits.use.nets.find((row) => row.market === "ETH")?.net ?? "0";
  const how = answers
    .map((answer) => `${answer.status} ${answer.data.status ?? answer.data.error?.code ?? ""}`)
    .join(", ");
  judge.hold("twice: sells no more than it holds", net >= 0n, `${name}: ${how}`, `own fills ${plain(net)}`);
  judge.hold("twice: its net is told", dec(told) === net, `${name}: ${told}`, plain(net));
}

export async function twice(seed = 1) {
  const day = await openDay(seed, { holder: WIDE });
  const { holder } = day.clients;
  note(day, holder, await holder.order("buy 2 ETH at 2010", { time_in_force: "ioc" }), "holder buys");
  await wait(1000);
  for (const ways of CASES) await one(day, ways);
  const held = day.ledger.net("holder", "ETH");
  day.judge.hold(
    "twice: what another holds is there",
    day.venue.szi("ETH") >= held,
    `account ${plain(day.venue.szi("ETH"))}`,
    `holder ${plain(held)}`,
  );
  const result = report(day, "twice");
  await day.gateway.end();
  return result;
}
