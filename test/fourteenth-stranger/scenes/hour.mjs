// Over a full hour: funding is paid at :00, and shared by own net position. It takes as long as the hour is away, and five minutes more.
import { note, openDay, place, report } from "../day.mjs";
import { until, wait } from "../gateway.mjs";
import { dec, plain } from "../venue/decimal.mjs";

const RAILS = {
  markets: "BTC,ETH,xyz:TSLA",
  "max-order": "900 USD",
  "max-position": "4000 USD",
  "max-exposure": "9000 USD",
  "max-turnover-per-day": "90000 USD",
  "max-loss-per-day": "any",
  "max-distance": "5 %",
  "max-stop-distance": "10 %",
  "max-actions-per-day": "any",
  may: "increase,reduce,modify,cancel",
};

export async function hour(seed = 1) {
  const day = await openDay(seed, { "bot-a": { ...RAILS, "max-loss-per-day": "500 USD" }, "bot-b": RAILS });
  const { clients, venue, judge, reader } = day;
  const a = clients["bot-a"];
  const b = clients["bot-b"];
  await place(day, a, "ETH", { side: "buy", taker: true, size: "0.3" });
  await place(day, b, "ETH", { side: "buy", taker: true, size: "0.1" });
  await place(day, a, "xyz:TSLA", { side: "sell", taker: true, size: "2" });
  venue.byHand("BTC", true, "0.01");
  const left = 3600000 - (Date.now() % 3600000);
  await wait(left + 40);
  const paid = ["ETH", "xyz:TSLA", "BTC"].map((coin) => venue.pay(coin, "0.001"));
  await wait(1000);
  note(day, b, await b.order("sell 0.1 ETH at 1990", { time_in_force: "ioc", reduce_only: true }), "reduce");
  const whole = async () => {
    const told = (await reader.get("/v1/performance?group_by=market,bot")).data;
    return told.complete_to !== null && Date.parse(told.complete_to) > venue.fills.at(-1).t && told;
  };
  const told = await until("the hour is booked", whole, 300000, 3000);
  const funding = (await reader.all("/v1/funding")).rows;
  judge.hold(
    "funding: each is told",
    funding.length === paid.length,
    JSON.stringify(funding).slice(0, 500),
    paid.length,
  );
  const line = (market, bot) => told.data.find((row) => row.market === market && row.bot === bot)?.funding ?? "0";
  const shares = [
    ["ETH", "bot-a", "-0.6"],
    ["ETH", "bot-b", "-0.2"],
    ["xyz:TSLA", "bot-a", "0.8"],
    ["BTC", null, "-0.6"],
  ];
  for (const [market, bot, truth] of shares)
    judge.hold(
      "funding: by own net",
      dec(line(market, bot)) === dec(truth),
      `${market} ${bot} ${line(market, bot)}`,
      truth,
    );
  await judge.performance(reader);
  await judge.positions(reader);
  const loss = (await a.get("/v1/whoami")).data.limits.use.loss_today;
  judge.hold(
    "funding: in the loss of the day",
    Math.abs(Number(loss) - 0.6 + 0.8 - spent(day, "bot-a")) < 0.01,
    loss,
    String(-0.2 + spent(day, "bot-a")),
  );
  const result = report(day, "hour");
  await day.gateway.end();
  return { ...result, complete_from: told.complete_from, complete_to: told.complete_to };
}

// What a bot's own fills have lost by fees and by the spread, at the marks of now.
function spent(day, name) {
  let lost = 0;
  for (const fill of day.ledger.fills(name)) {
    const mark = Number(plain(day.venue.markets.get(fill.coin).mark));
    const way = fill.side === "B" ? 1 : -1;
    lost += Number(fill.fee) + way * Number(fill.sz) * (Number(fill.px) - mark);
  }
  return lost;
}
