// One bot sells what another holds, again and again: a reduce-only order that rests is filled after the bot has got out by a plain sale.
// Its own fills say that it is short by more each time; what is it told, and does its rail ever hold it?
import { note, openDay, report } from "../day.mjs";
import { wait } from "../gateway.mjs";
import { abs, dec, mul, plain } from "../venue/decimal.mjs";

const RAILS = {
  markets: "ETH",
  "max-order": "500 USD",
  "max-position": "500 USD",
  "max-exposure": "500 USD",
  "max-turnover-per-day": "90000 USD",
  "max-loss-per-day": "any",
  "max-distance": "2 %",
  "max-stop-distance": "10 %",
  "max-actions-per-day": "any",
  may: "increase,reduce,modify,cancel",
};
const WIDE = { ...RAILS, "max-order": "5000 USD", "max-position": "5000 USD", "max-exposure": "5000 USD" };

export async function forgotten(seed = 1) {
  const day = await openDay(seed, { "bot-a": RAILS, "bot-b": WIDE });
  const { venue, judge, clients } = day;
  const a = clients["bot-a"];
  const b = clients["bot-b"];
  const ask = async (bot, words, more) => note(day, bot, await bot.order(words, more), `${bot.name} ${words}`);
  await ask(b, "buy 1 ETH at 2010", { time_in_force: "ioc" });
  await wait(1500);
  for (let round = 1; round <= 5; round += 1) {
    const bought = await ask(a, "buy 0.2 ETH at 2010", { time_in_force: "ioc" });
    if (bought.status !== 201) break;
    await wait(300);
    const rests = await ask(a, "sell 0.2 ETH at 2001", { reduce_only: true });
    const sold = await ask(a, "sell 0.2 ETH at 1990", { time_in_force: "ioc" });
    if (rests.status === 201 && sold.status === 201) venue.hit(Number(rests.data.exchange_order_id));
    await wait(13000);
    const told = (await a.get("/v1/whoami")).data.limits.use;
    const net = day.ledger.net("bot-a", "ETH");
    const says = told.nets.find((row) => row.market === "ETH")?.net ?? "0";
    judge.hold(
      "use: net is by its own fills",
      dec(says) === net,
      `round ${round}: net ${says}, worst ${JSON.stringify(told.positions)}`,
      plain(net),
    );
    const worth = mul(abs(net), venue.markets.get("ETH").mark);
    judge.hold(
      "rails: position of its own fills",
      worth <= dec("500"),
      `round ${round}: own fills ${plain(net)} ETH = ${plain(worth)} USD`,
      "500 USD",
    );
    judge.hold(
      "rails: another's position",
      venue.szi("ETH") >= day.ledger.net("bot-b", "ETH"),
      `round ${round}: the account holds ${plain(venue.szi("ETH"))}`,
      `bot-b ${plain(day.ledger.net("bot-b", "ETH"))}`,
    );
  }
  const result = report(day, "forgotten");
  await day.gateway.end();
  return result;
}
