// BEYOND §1.7: the fourteen ways round a cap, each by its own door.
import { code, each, is, note, refusedBy, until } from "./rig.mjs";

const worth = (chain) =>
  chain
    .open()
    .filter(({ reduceOnly }) => !reduceOnly)
    .reduce((sum, order) => sum + order.left * Math.max(order.price, chain.mark[order.coin]), 0);

async function ways({ gateway, chain, plain }) {
  const account = gateway.account;
  const rails = {
    max_order: "500 USD",
    max_position: "500 USD",
    max_exposure: "500 USD",
    may: "increase,reduce,modify,cancel,leverage,margin,twap",
    max_distance: "5 %",
  };
  const bot = await gateway.bot("ways", rails);
  const twin = await gateway.bot("ways", rails);
  is(
    "1.7.1",
    "valued at the quote, filled at a worse limit",
    refusedBy(await bot.order("BTC", "buy", "0.0082", "61500", { time_in_force: "ioc" }), "max_"),
  );
  const market = await bot.post("/v1/orders/market", { account, market: "BTC", side: "buy", size: "0.0084" });
  is("1.7.2", "a market order has no price: its worth is not 0", refusedBy(market, "max_"), market.body);
  is(
    "1.7.3",
    "the caller's price is not believed: buy at 1",
    refusedBy(await bot.order("BTC", "buy", "1", "1"), "max_"),
  );
  is("1.7.3", "nor is a sale at 1", refusedBy(await bot.order("BTC", "sell", "1", "1"), "max_"));
  await plain.post("/v1/leverage", { market: "BTC", leverage: 40, margin_type: "cross" });
  is("1.7.4", "leverage shrinks no notional", refusedBy(await bot.order("BTC", "buy", "0.02", "60000"), "max_"));
  const twap = await bot.post("/v1/twaps", { market: "BTC", side: "buy", size: "0.00815", duration_minutes: 30 });
  is("1.7.6", "a TWAP is worth its size and 3 %", refusedBy(twap, "max_"), twap.body);
  const entries = Array.from({ length: 6 }, () => ({ market: "BTC", side: "buy", size: "0.0016", price: "59900" }));
  const batch = await bot.post("/v1/orders/batch", { account, orders: entries });
  is("1.7.6", "a batch is judged with those before it", batch.status === 403 && worth(chain) === 0, batch.body);
  const trade = await bot.trade("BTC", "buy", "0.0084", "60000", "58000");
  is("1.7.6", "a trade counts whole", refusedBy(trade, "max_"), trade.body);
  const raised = await bot.post("/v1/api-keys/self/narrow", { max_order: "5000 USD", max_position: "any" }, null);
  is(
    "1.7.7",
    "the limit is not raised by its own conversation",
    raised.body.rails?.max_order === "500 USD" && raised.body.rails?.max_position === "500 USD",
    raised.body,
  );
  const race = await Promise.all(
    Array.from({ length: 14 }, (_, n) => (n % 2 ? bot : twin).order("BTC", "buy", "0.0016", "59900")),
  );
  is(
    "1.7.10",
    "check, then race: fourteen at once by two keys come to the rail",
    worth(chain) <= 500 && race.filter(({ status }) => status === 201).length === 5,
    { worth: worth(chain), statuses: race.map(({ status }) => status) },
  );
  is(
    "1.7.12",
    "many small orders under the cap of one",
    refusedBy(await bot.order("BTC", "buy", "0.0005", "59900"), "max_"),
  );
  const placed = race.find(({ status }) => status === 201).body;
  const grow = await bot.post(`/v1/orders/${placed.id}/modify`, { size: "0.0027" });
  is("1.7.6", "a modify does not grow beyond it", grow.status === 403, grow.body);
  const other = await bot.order("ETH", "buy", "0.05", "1990");
  is("1.3", "the sum over markets", refusedBy(other, "max_exposure"), other.body);
  note(
    "refused by",
    race.filter(({ status }) => status !== 201).map((answer) => code(answer)),
  );
}

async function harm({ gateway, chain }) {
  const holder = await gateway.bot("holder");
  const thief = await gateway.bot("thief", { may: "increase,reduce,modify,cancel,leverage,margin,twap,stop" });
  await holder.order("ETH", "buy", "1", "2020", { time_in_force: "ioc" });
  const guard = await holder.stopLoss("ETH", "sell", "1", "1900", "1800");
  const take = await holder.order("ETH", "sell", "1", "2004", { reduce_only: true });
  const doors = {
    "cancel of its stop": await thief.post(`/v1/orders/${guard.body.id}/cancel`, {}),
    "cancel by native id": await thief.post(`/v1/orders/${guard.body.exchange_order_id}/cancel`, {}),
    "modify of its stop": await thief.post(`/v1/orders/${guard.body.id}/modify`, {
      trigger: { kind: "stop_loss", price: "100", market: true },
      always_place: true,
    }),
    "a purchase that meets its profit": await thief.order("ETH", "buy", "0.5", "2010"),
    "a market order that meets it": await thief.post("/v1/orders/market", {
      account: gateway.account,
      market: "ETH",
      side: "buy",
      size: "0.5",
      max_slippage_bps: 100,
    }),
    "a trigger that will meet it": await thief.order("ETH", "buy", "0.5", "2030", {
      trigger: { kind: "stop_loss", price: "2003", market: true },
    }),
    "a reduction of its position": await thief.order("ETH", "sell", "0.5", "1990", {
      reduce_only: true,
      time_in_force: "ioc",
    }),
    "a close of its position": await thief.post("/v1/positions/close", { account: gateway.account, market: "ETH" }),
    "a reduce-only TWAP": await thief.post("/v1/twaps", {
      market: "ETH",
      side: "sell",
      size: "0.5",
      duration_minutes: 10,
      reduce_only: true,
    }),
    "a cancel-all of all": await thief.post("/v1/orders/cancel-all", {
      account: gateway.account,
      touches: "all",
      keep_protection: false,
    }),
    "a stop of the account": await thief.post("/v1/stop", { scope: "account", keep_protection: false }),
    "a sale that opens the other side": await thief.order("ETH", "sell", "0.5", "1990", { time_in_force: "ioc" }),
    "a reduce-only order that displaces": await thief.order("ETH", "sell", "1", "2003", { reduce_only: true }),
  };
  for (const [what, answer] of Object.entries(doors))
    is("1.7.13", `${what} is refused`, answer.status >= 400, { status: answer.status, body: answer.body });
  await thief.post("/v1/orders/cancel-all", { account: gateway.account, keep_protection: false });
  await thief.post("/v1/stop", { scope: "bot", keep_protection: false });
  await until(() => false, 3000);
  is(
    "1.7.14",
    "and all of it stands",
    chain.protection("ETH") === 1 &&
      chain.position("ETH") === 1 &&
      chain.open("ETH").some(({ oid }) => oid === Number(take.body.exchange_order_id)),
    { protection: chain.protection("ETH"), held: chain.position("ETH") },
  );
}

export async function waysRound() {
  await each([ways, harm]);
}
