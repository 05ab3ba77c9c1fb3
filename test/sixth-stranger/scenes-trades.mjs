// Trades and alerts, played by hand.
import { byHand, liquidate, setMid } from "./market.mjs";
import { oneOf, play } from "./play.mjs";
import { bareTime } from "./rails.mjs";
import { wait } from "./world.mjs";

/** A trade whose stop is refused again and again, whose entry fills in parts. */
export const stopRefused = (binary) =>
  play(binary, { sickness: 1500 }, async (world, expect) => {
    world.onlyTrades = true;
    const key = await world.grant("grid-1");
    let left = 3;
    world.chain.partial = 1;
    world.chain.refuseOnce = (o) => o.r && o.trigger?.tpsl === "sl" && left-- > 0;
    const poll = setInterval(() => world.client.get("/v1/trades", world.owner.key), 250);
    const trade = await world.client.write(
      "/v1/trades",
      {
        account: world.account,
        market: "BTC",
        side: "buy",
        size: "0.008",
        entry: { price: "60100" },
        stop_loss: { trigger_price: "59000" },
        take_profit: { trigger_price: "61500" },
      },
      key.key,
    );
    world.note(`trade ${trade.status} ${JSON.stringify(trade.body).slice(0, 500)}`);
    await wait(15_000);
    const again = await world.client.write(
      "/v1/trades",
      {
        account: world.account,
        market: "BTC",
        side: "buy",
        size: "0.006",
        entry: { price: "60050" },
        stop_loss: { trigger_price: "59100" },
      },
      key.key,
    );
    world.note(`trade ${again.status} ${again.body.path}`);
    await wait(12_000);
    clearInterval(poll);
    const bare = bareTime(world, "BTC");
    world.note(`longest without a whole stop: ${JSON.stringify(bare)}`);
    expect(bare.ms < 20_000, "high", "a position of trades was without a whole stop for long", bare);
  });

/** Liquidation amid a trade; then the same market anew. */
export const liquidated = (binary) =>
  play(binary, { sickness: 2500 }, async (world, expect) => {
    const key = await world.grant("grid-1");
    const wish = {
      account: world.account,
      market: "ETH",
      side: "buy",
      size: "0.1",
      entry: { price: "3010" },
      stop_loss: { trigger_price: "2950" },
      take_profit: { trigger_price: "3100" },
    };
    await world.client.write("/v1/trades", wish, key.key);
    await wait(6000);
    liquidate(world.chain, "ETH");
    await wait(1000);
    const second = await world.client.write("/v1/trades", wish, key.key);
    world.note(`second trade ${second.status} ${JSON.stringify(second.body).slice(0, 300)}`);
    await wait(20_000);
    const net = world.chain.net("ETH");
    const stops = world.chain
      .living("ETH")
      .filter((o) => o.r && o.trigger?.tpsl === "sl")
      .reduce((sum, o) => sum + o.sz, 0);
    expect(stops + 1e-9 >= net, "CRITICAL", "after a liquidation the next trade is bare", null, { net, stops });
    byHand(world.chain, { a: 1, b: false, p: "2900", s: "0.1", r: true, t: { limit: { tif: "Ioc" } } });
    await wait(20_000);
    const left = world.chain.living("ETH");
    expect(
      left.length === 0,
      "high",
      "closed by hand, and its triggers stay",
      (await world.client.get("/v1/trades", world.owner.key)).body.data,
      left.map((o) => [o.oid, o.trigger?.tpsl, o.sz]),
    );
  });

/** A trade beside a position: its stops follow the fills, and are refused at first. */
export const stopAfterFills = (binary) =>
  play(binary, { sickness: 1500 }, async (world, expect) => {
    const key = await world.grant("grid-1");
    const held = { account: world.account, market: "BTC", side: "buy", size: "0.004" };
    await world.client.write("/v1/orders/market", held, key.key);
    let left = 3;
    world.chain.partial = 1;
    world.chain.refuseOnce = (o) => o.r && o.trigger?.tpsl === "sl" && left-- > 0;
    const poll = setInterval(() => world.client.get("/v1/trades", world.owner.key), 250);
    const entry = { price: "59950" };
    const wish = { ...held, entry, stop_loss: { trigger_price: "59000" }, take_profit: { trigger_price: "61500" } };
    const trade = await world.client.write("/v1/trades", wish, key.key);
    world.note(`trade ${trade.status} ${trade.body.path}`);
    await wait(2500);
    setMid(world.chain, "BTC", 59_900);
    await wait(25_000);
    clearInterval(poll);
    const net = world.chain.net("BTC");
    const stops = world.chain.living("BTC").filter((o) => o.r && o.trigger?.tpsl === "sl");
    const size = stops.reduce((sum, o) => sum + o.sz, 0);
    world.note(`net ${net}, stops ${JSON.stringify(stops.map((o) => [o.oid, o.sz]))}`);
    const rows = (await world.client.get("/v1/trades", world.owner.key)).body.data;
    const isTold = rows?.[0]?.protected === true;
    const isWrong = isTold && Number(rows[0].held_size) > size + 1e-9;
    expect(!isWrong, "CRITICAL", "told protected, and its stop is missing", rows, { net, size });
    expect(isTold, "high", "25 s after the last refusal a trade is bare", rows, { net, size });
  });

/** One alert, delivered four times at once, over a kill. */
export const alerts = (binary) =>
  play(binary, { sickness: 1500 }, async (world, expect) => {
    const key = await world.grant("chart-1");
    const words = [
      "--name",
      "chart",
      "--mode",
      "order",
      "--market",
      "BTC",
      "--public-url",
      "https://hooks.example.org",
    ];
    const made = await world.gateway.command("hook", "create", "--key-hash", key.hash, ...words);
    const address = (made.url ?? made.address ?? JSON.stringify(made)).match(/\/hooks\/[A-Za-z0-9_-]+/)[0];
    const send = (body) =>
      fetch(`http://127.0.0.1:${world.gateway.hooksPort}${address}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }).then(
        async (r) => `${r.status} ${(await r.text()).slice(0, 120)}`,
        (e) => String(e.message),
      );
    world.exchange.script = oneOf(["lost", "late", "ok"]);
    for (const id of ["a", "b", "c"]) {
      const alert = { side: "buy", size: "0.001", time: new Date().toISOString(), id };
      world.note(await send(alert));
      const four = Promise.all([send(alert), send(alert)]);
      if (id === "a") await world.restart();
      world.note(JSON.stringify(await four));
      await wait(1500);
      world.note(await send(alert));
    }
    world.note(`ready ${await world.gateway.ready()}`);
    for (let i = 0; i < 8; i++) {
      const alert = { side: "buy", size: "0.001", time: new Date().toISOString(), id: "after" };
      const told = await send(alert);
      world.note(told);
      if (!told.startsWith("2")) await wait(2500);
      else break;
    }
    await wait(12_000);
    const placed = world.chain.log.filter((l) => l.kind === "place" && !l.refused);
    world.note(`placed: ${JSON.stringify(placed.map((l) => [l.oid, l.sz]))}`);
    expect(placed.length <= 4, "CRITICAL", "alerts told again were more orders", null, placed);
    const hooks = await world.client.get("/v1/hooks", world.owner.key);
    const id = hooks.body.data?.[0]?.id;
    const seen = await world.client.get(`/v1/hooks/${id}/deliveries`, world.owner.key);
    world.note(`deliveries ${JSON.stringify(seen.body).slice(0, 1500)}`);
  });
