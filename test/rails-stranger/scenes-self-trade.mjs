// An increase that meets the resting reduce-only order of another bot, and would cancel it.
import { byId, m, netOf, ok, say, sleep } from "./judge.mjs";
import { both } from "./two-bots.mjs";

export const scenes = {};

scenes.trigSelf = async (R) => {
  const { a, b } = await both(R);
  R.ex.actor = "b";
  const ro = await R.order(b, { side: "sell", size: "0.05", price: "60900", reduce_only: true });
  say("b ro rests at 60900", m(ro));
  R.ex.actor = "a";
  say(
    "a immediate buy 61000",
    m(await R.order(a, { side: "buy", size: "0.002", price: "61000", time_in_force: "ioc" })),
  );
  const t = await R.order(a, {
    side: "buy",
    size: "0.002",
    price: "61200",
    trigger: { kind: "stop_loss", price: "60500", market: true },
  });
  say("a trigger buy at 60500 up to 61200", m(t));
  const met = await R.order(a, {
    side: "buy",
    size: "0.002",
    price: "61200",
    trigger: { kind: "stop_loss", price: "59900", market: true },
  });
  say("a met trigger buy up to 61200", m(met));
  const tr = await R.post(a, "/v1/trades", {
    account: R.account,
    market: "BTC",
    side: "sell",
    size: "0.002",
    entry: { price: "59000" },
    stop_loss: { trigger_price: "60500" },
  });
  say("a trade", m(tr));
  // thin book: the mark comes to the trigger while the best ask is that reduce-only order
  R.ex.depth.BTC = { bids: [[60480, 10]], asks: [[60950, 10]] };
  R.ex.setPx("BTC", 60500);
  await sleep(800);
  say("b ro is", byId(R, ro).status, "net a", netOf(R, "a"));
  ok(byId(R, ro).live, "a trigger of a does not cancel the reduce-only order of b", byId(R, ro).status);
};

scenes.trigSelf2 = async (R) => {
  const { a, b } = await both(R);
  R.ex.actor = "b";
  const ro = await R.order(b, { side: "sell", size: "0.05", price: "60900", reduce_only: true });
  say("b ro rests at 60900", m(ro));
  R.ex.actor = "a";
  const t = await R.order(a, {
    side: "buy",
    size: "0.002",
    price: "61200",
    trigger: { kind: "stop_loss", price: "60500", market: true },
  });
  say("a trigger buy at 60500 up to 61200", m(t));
  R.ex.depth.BTC = { bids: [[60480, 10]], asks: [[60950, 10]] };
  R.ex.setPx("BTC", 60500);
  await sleep(800);
  say("b ro is", byId(R, ro).status, "net a", netOf(R, "a"));
  ok(byId(R, ro).live, "a trigger of a does not cancel the reduce-only order of b", byId(R, ro).status);
};

scenes.twapSelf = async (R) => {
  const { a, b } = await both(R);
  R.ex.actor = "b";
  const ro = await R.order(b, { side: "sell", size: "0.05", price: "60900", reduce_only: true });
  say("b ro rests at 60900 (1.5 %)", m(ro));
  R.ex.actor = "a";
  R.ex.depth.BTC = {
    bids: [[59990, 10]],
    asks: [
      [60010, 0.001],
      [60950, 10],
    ],
  };
  R.ex.dirty();
  await sleep(500);
  say(
    "a buys 0.002 at 61000",
    m(await R.order(a, { side: "buy", size: "0.002", price: "61000", time_in_force: "ioc" })),
  );
  const t = await R.post(a, "/v1/twaps", { market: "BTC", side: "buy", size: "0.01", duration_minutes: 5 });
  say("a TWAP buy .01", m(t));
  await sleep(6000);
  say("b ro is", byId(R, ro).status);
  ok(byId(R, ro).live, "a TWAP of a does not cancel the reduce-only order of b", byId(R, ro).status);
};
