// Stops before their entry, and stop and flatten of a bot.
import { byId, m, netOf, ok, say, sleep } from "./judge.mjs";

export const scenes = {};

scenes.stopFirst = async (R) => {
  const a = await R.limited("a");
  R.ex.actor = "a";
  const stop = {
    side: "sell",
    size: "0.005",
    price: "57000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59500", market: true },
  };
  say("flat: stop", m(await R.order(a, stop)));
  const e = await R.order(a, { side: "buy", size: "0.005", price: "59800" });
  say("entry rests", m(e));
  say("stop beside resting entry", m(await R.order(a, stop)));
  await R.post(a, "/v1/orders/cancel-all", { account: R.account });
  say(
    "batch entry+stop",
    m(
      await R.post(a, "/v1/orders/batch", {
        account: R.account,
        orders: [
          { market: "BTC", side: "buy", size: "0.005", price: "59800" },
          { market: "BTC", ...stop },
        ],
      }),
    ),
  );
  R.ex.setPx("BTC", 59700);
  await sleep(400);
  say("net", netOf(R, "a"));
  say("stop now", m(await R.order(a, stop)));
};

scenes.stopBot = async (R) => {
  const a = await R.limited("a"),
    b = await R.limited("b");
  R.ex.actor = "b";
  await R.order(b, { side: "buy", size: "0.008", price: "60100", time_in_force: "ioc" });
  R.ex.actor = "a";
  await R.order(a, { side: "buy", size: "0.004", price: "60100", time_in_force: "ioc" });
  const st = await R.order(a, {
    side: "sell",
    size: "0.004",
    price: "57000",
    reduce_only: true,
    trigger: { kind: "stop_loss", price: "59000", market: true },
  });
  await R.order(a, { side: "buy", size: "0.003", price: "59500" });
  R.ex.faults.push({ match: (x) => x.type === "order", kind: "late", ms: 2500 });
  R.order(a, { side: "buy", size: "0.003", price: "60100", time_in_force: "ioc" }).catch(() => {});
  await sleep(200);
  const s = await R.req("POST", "/v1/stop", { scope: "bot" }, a);
  say("stop", m(s));
  say(
    "increase",
    m(await R.order(a, { side: "buy", size: "0.001", price: "59000" })),
    "other bot",
    m(await R.order(b, { side: "buy", size: "0.0001", price: "60100", time_in_force: "ioc" })),
  );
  await sleep(5000);
  const g = (await R.req("GET", `/v1/stops/${s.j.id}`, undefined, a)).j;
  say(
    g.status,
    "live",
    [...R.ex.orders.values()].filter((o) => o.live).map((o) => [o.actor, o.ro, o.sz]),
  );
  ok(byId(R, st).live, "stop keeps the stop-loss");
  say("resume by key", m(await R.req("POST", `/v1/stops/${s.j.id}/resume`, { signature: `0x${"1b".repeat(65)}` }, a)));
  const f = await R.req("POST", `/v1/stops/${s.j.id}/flatten`, {}, { key: a, idem: "flatten-1x" });
  say("flatten", m(f));
  await sleep(4000);
  say("net a", netOf(R, "a"), "net b", netOf(R, "b"));
  ok(Math.abs(netOf(R, "a")) < 1e-9, "flatten closes what a holds and no more", netOf(R, "a"));
};
