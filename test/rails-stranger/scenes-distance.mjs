// How far from mark and oracle an order may be, by each way in.
import { m, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.distance = async (R) => {
  const a = await R.limited("a", { may: "increase,reduce,modify,cancel,twap" });
  R.ex.actor = "a";
  const t = async (what, o, pass) => {
    const r = await R.order(a, o);
    const p = r.s < 300;
    ok(p === pass, `distance: ${what}${pass ? " passes" : " is refused"}`, m(r));
    if (p) await R.post(a, "/v1/orders/cancel-all", { account: R.account, keep_protection: false });
    return r;
  };
  await t("buy +2 %", { side: "buy", size: "0.001", price: "61200", time_in_force: "ioc" }, true);
  await t("buy +2.01 %", { side: "buy", size: "0.001", price: "61206", time_in_force: "ioc" }, false);
  await t("sell -2.01 %", { side: "sell", size: "0.001", price: "58794", time_in_force: "gtc" }, false);
  await t(
    "ro sell -2.01 %",
    { side: "sell", size: "0.001", price: "58794", time_in_force: "ioc", reduce_only: true },
    false,
  );
  await t(
    "ro sell -2 %",
    { side: "sell", size: "0.001", price: "58800", time_in_force: "ioc", reduce_only: true },
    true,
  );
  await R.order(a, { side: "buy", size: "0.004", price: "60100", time_in_force: "ioc" });
  await t(
    "met stop at 10 %",
    {
      side: "sell",
      size: "0.001",
      price: "54900",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "61000", market: true },
    },
    false,
  );
  await t(
    "met stop within 2 %",
    {
      side: "sell",
      size: "0.001",
      price: "58800",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "61000", market: true },
    },
    true,
  );
  await t(
    "met tp 10 %",
    {
      side: "sell",
      size: "0.001",
      price: "54000",
      reduce_only: true,
      trigger: { kind: "take_profit", price: "59000", market: true },
    },
    false,
  );
  await t(
    "met tp limit 10 %",
    {
      side: "sell",
      size: "0.001",
      price: "54000",
      reduce_only: true,
      trigger: { kind: "take_profit", price: "59000", market: false },
    },
    false,
  );
  await t(
    "unmet stop at 10 %",
    {
      side: "sell",
      size: "0.001",
      price: "52200",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "58000", market: true },
    },
    true,
  );
  await t(
    "unmet stop at 10.1 %",
    {
      side: "sell",
      size: "0.001",
      price: "52142",
      reduce_only: true,
      trigger: { kind: "stop_loss", price: "58000", market: true },
    },
    false,
  );
  await t(
    "unmet plain sell stop at 3 %",
    { side: "sell", size: "0.001", price: "56260", trigger: { kind: "stop_loss", price: "58000", market: true } },
    false,
  );
  await t(
    "unmet plain buy stop far above within 2 %",
    { side: "buy", size: "0.001", price: "71400", trigger: { kind: "stop_loss", price: "70000", market: true } },
    true,
  );
  say(
    "market 300 bps",
    m(
      await R.post(a, "/v1/orders/market", {
        account: R.account,
        market: "BTC",
        side: "buy",
        size: "0.001",
        max_slippage_bps: 300,
      }),
    ),
  );
  say(
    "close 300 bps",
    m(
      await R.post(a, "/v1/positions/close", {
        account: R.account,
        market: "BTC",
        fraction: "0.25",
        max_slippage_bps: 300,
      }),
    ),
  );
  say(
    "twap at 2 %",
    m(await R.post(a, "/v1/twaps", { market: "BTC", side: "buy", size: "0.003", duration_minutes: 5 })),
    m(
      await R.post(a, "/v1/twaps", {
        market: "BTC",
        side: "sell",
        size: "0.003",
        duration_minutes: 5,
        reduce_only: true,
      }),
    ),
  );
  // oracle and mark apart: the worse for the order
  R.ex.setPx("BTC", 60000, 59000);
  await sleep(3500);
  await t(
    "buy 2 % over mark, 3.7 % over oracle",
    { side: "buy", size: "0.001", price: "61200", time_in_force: "ioc" },
    false,
  );
  await t("buy 2 % over oracle", { side: "buy", size: "0.001", price: "60180", time_in_force: "ioc" }, true);
  await t(
    "ro sell 2 % under oracle, 3.6 % under mark",
    { side: "sell", size: "0.001", price: "57820", time_in_force: "ioc", reduce_only: true },
    false,
  );
  // modify of a stop until it is met, and far
  R.ex.setPx("BTC", 60000, 60000);
  await sleep(3500);
  const st = await R.order(a, {
    side: "sell",
    size: "0.001",
    price: "52200",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "58000", market: true },
  });
  const mm = await R.post(a, `/v1/orders/${st.j.id}/modify`, {
    trigger: { kind: "stop_loss", price: "60500", market: true },
    price: "54450",
    always_place: true,
  });
  ok(mm.s === 403, "modify of a stop into a met one 9 % away is refused", m(mm));
  const m2 = await R.post(a, `/v1/orders/${st.j.id}/modify`, {
    trigger: { kind: "stop_loss", price: "60500", market: true },
    always_place: true,
  });
  ok(m2.s === 403, "modify of its trigger alone as well", m(m2));
  const m3 = await R.post(a, `/v1/orders/${st.j.id}/modify`, { price: "50000", always_place: true });
  ok(m3.s === 403, "modify of its worst price to 14 %", m(m3));
  const pl = await R.order(a, { side: "buy", size: "0.001", price: "59000" });
  const m4 = await R.post(a, `/v1/orders/${pl.j.id}/modify`, { price: "62000", always_place: true });
  ok(m4.s === 403, "modify of a price to +3.3 %", m(m4));
};
