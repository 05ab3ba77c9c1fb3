// The loss of a day by our own cash, and its trip; what protects stays, and nothing increases until the operator says so.
import { markOf, note, openDay, place, priceFor, report, settle, sizeFor } from "../day.mjs";
import { command, until, wait } from "../gateway.mjs";
import { signed } from "../ledger.mjs";
import { dec, mul, plain } from "../venue/decimal.mjs";

const RAILS = {
  markets: "BTC,ETH,xyz:TSLA",
  "max-order": "900 USD",
  "max-position": "2000 USD",
  "max-exposure": "4000 USD",
  "max-turnover-per-day": "90000 USD",
  "max-loss-per-day": "40 USD",
  "max-distance": "5 %",
  "max-stop-distance": "10 %",
  "max-actions-per-day": "any",
  may: "increase,reduce,modify,cancel",
};

export function lossOf(day, name) {
  let made = 0n;
  const held = new Map();
  for (const fill of day.ledger.fills(name)) {
    made -= mul(signed(fill), dec(fill.px)) + dec(fill.fee);
    held.set(fill.coin, (held.get(fill.coin) ?? 0n) + signed(fill));
  }
  for (const [coin, size] of held) made += mul(size, day.venue.markets.get(coin).mark);
  return -made;
}

export async function loss(seed = 1) {
  const day = await openDay(seed, { "bot-a": RAILS, "bot-b": RAILS });
  const { clients, venue, judge } = day;
  const a = clients["bot-a"];
  const b = clients["bot-b"];
  await place(day, a, "ETH", { side: "buy", taker: true, size: "0.4" });
  await place(day, b, "ETH", { side: "buy", taker: true, size: "0.3" });
  await place(day, a, "xyz:TSLA", { side: "sell", taker: true, usd: 600 });
  const stop = note(
    day,
    a,
    await a.order("sell 0.4 ETH at 1700", {
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "1800", market: true },
    }),
    "trigger",
  ).data;
  const rest = note(day, a, await a.order("buy 0.005 BTC at 59500"), "rest").data;
  for (const [n, price] of ["1990", "1975", "2010", "1960", "1940"].entries()) {
    venue.setPrice("ETH", price);
    if (n === 2) venue.setPrice("xyz:TSLA", "402");
    await wait(3500);
    for (const bot of [a, b]) {
      const told = (await bot.get("/v1/whoami")).data.limits.use.loss_today;
      judge.hold(
        "loss: of a day",
        told !== null && Math.abs(Number(told) - Number(plain(lossOf(day, bot.name)))) < 0.01,
        `${bot.name} at ${price}: ${told}`,
        plain(lossOf(day, bot.name)),
      );
    }
  }
  venue.setPrice("ETH", "1900");
  await until("the trip", async () => (await a.get("/v1/whoami")).data.limits.trip !== null, 20000).catch(() =>
    judge.hold("loss: trips", false, "no trip", plain(lossOf(day, "bot-a"))),
  );
  const again = await place(day, a, "BTC", { side: "buy", taker: false, usd: 100 });
  judge.hold("loss: nothing increases", again.status === 403, `${again.status} ${JSON.stringify(again.data)}`, "403");
  await wait(3000);
  judge.hold(
    "loss: what protects stays",
    venue.open.has(Number(stop.exchange_order_id)),
    "gone",
    stop.exchange_order_id,
  );
  judge.hold(
    "loss: what increases went",
    !venue.open.has(Number(rest.exchange_order_id)),
    "open",
    rest.exchange_order_id,
  );
  judge.hold(
    "loss: the other goes on",
    (await place(day, b, "BTC", { side: "buy", taker: false, usd: 100 })).status === 201,
    "refused",
    "201",
  );
  const close = note(
    day,
    a,
    await a.post("/v1/positions/close", { account: day.gateway.account, market: "xyz:TSLA" }),
    "close",
  );
  judge.hold(
    "loss: it gets out",
    close.status === 201 && day.ledger.net("bot-a", "xyz:TSLA") === 0n,
    JSON.stringify(close.data),
    "flat",
  );
  const untrip = await command(
    day.gateway,
    "key",
    "untrip",
    "--bot",
    "bot-a",
    "--passphrase-file",
    day.gateway.passphrase,
  );
  judge.hold("loss: the operator ends it", untrip.code === 0, untrip.stderr, "0");
  await wait(1500);
  const after = (await a.get("/v1/whoami")).data.limits;
  judge.hold(
    "loss: counts anew",
    after.trip === null && Math.abs(Number(after.use.loss_today)) < 5,
    JSON.stringify([after.trip, after.use.loss_today]),
    "about 0",
  );
  venue.setPrice("ETH", "1795");
  await wait(2500);
  judge.hold("loss: the stop fires", day.ledger.net("bot-a", "ETH") === 0n, plain(day.ledger.net("bot-a", "ETH")), "0");
  judge.hold(
    "loss: the other keeps its own",
    day.ledger.net("bot-b", "ETH") === dec("0.3") && venue.szi("ETH") === dec("0.3"),
    plain(venue.szi("ETH")),
    "0.3",
  );
  await settle(day);
  await judge.fills(day.reader);
  await judge.orders(day.reader);
  const result = report(day, "loss");
  await day.gateway.end();
  return result;
}
// What a bot is told of its loss where its owner has set no limit to it: the same sum.
export async function unlimited(seed = 1) {
  const day = await openDay(seed, { limited: RAILS, unlimited: { ...RAILS, "max-loss-per-day": "any" } });
  for (const name of ["limited", "unlimited"])
    await place(day, day.clients[name], "ETH", { side: "buy", taker: true, size: "0.3" });
  await wait(25000);
  for (const name of ["limited", "unlimited"]) {
    const told = (await day.clients[name].get("/v1/whoami")).data.limits.use.loss_today;
    const truth = plain(lossOf(day, name));
    day.judge.hold("loss: with fees", Math.abs(Number(told) - Number(truth)) < 0.001, `${name} ${told}`, truth);
  }
  const result = report(day, "unlimited");
  await day.gateway.end();
  return result;
}
export { markOf, priceFor, sizeFor };
