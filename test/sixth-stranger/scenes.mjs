// Stops, rails and keys, played by hand.
import { setMid } from "./market.mjs";
import { oneOf, order, play } from "./play.mjs";
import { alerts, liquidated, stopAfterFills, stopRefused } from "./scenes-trades.mjs";
import { wait } from "./world.mjs";

/** Orders whose answers are lost and which come late, and a stop in between. */
const lateAfterStop = (binary) =>
  play(binary, { sickness: 3000 }, async (world, expect) => {
    const key = await world.grant("grid-1");
    world.exchange.script = oneOf(["late", "late", "never", "lost", "late"]);
    const asks = [1, 2, 3, 4, 5].map((i) =>
      world.client.write("/v1/orders", order(world, { size: "0.002", price: String(59_900 + i) }), key.key),
    );
    await wait(900);
    const id = await world.stop("bot", key.key);
    const stop = await world.stopped(id, world.owner.key, () => true);
    await Promise.all(asks);
    await wait(16_000);
    expect(!stop.isLate, "high", "a stop takes more than 60 s", stop.last);
    const refused = await world.client.write("/v1/orders", order(world), key.key);
    expect(refused.status === 403, "CRITICAL", "an increase passes under a stop", refused.body);
  });

/** The loss of a day, over a kill, with a new key of the same bot. */
const lossTrips = (binary) =>
  play(binary, {}, async (world, expect) => {
    const key = await world.grant("grid-1", { "max-loss-per-day": "5 USD" });
    await world.client.write(
      "/v1/orders/market",
      { account: world.account, market: "BTC", side: "buy", size: "0.008" },
      key.key,
    );
    await world.client.write("/v1/orders", order(world, { size: "0.003", price: "58500" }), key.key);
    await world.client.write(
      "/v1/orders",
      order(world, {
        side: "sell",
        size: "0.008",
        price: "54000",
        reduce_only: true,
        trigger: { kind: "stop_loss", price: "57000", market: true },
      }),
      key.key,
    );
    await wait(6000);
    setMid(world.chain, "BTC", 59_000);
    await wait(14_000);
    const tripped = await world.client.get("/v1/whoami", key.key);
    expect(tripped.body.limits?.trip, "high", "a loss of 8 USD trips no rail of 5 USD in 14 s", tripped.body.limits);
    const living = world.chain.living();
    expect(
      !living.some((o) => !o.r),
      "high",
      "an increasing order stays after the trip",
      null,
      living.map((o) => o.oid),
    );
    expect(
      living.some((o) => o.r && o.trigger),
      "CRITICAL",
      "the trip took the stop away",
      null,
    );
    await world.restart();
    await world.gateway.ready();
    const next = await world.grant("grid-1", { "max-loss-per-day": "50 USD" });
    for (const k of [key, next]) {
      const answer = await world.client.write("/v1/orders", order(world, { size: "0.001", price: "58000" }), k.key);
      world.note(`after the trip and a new grant: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
      if (k === key)
        expect(
          answer.status !== 201,
          "soft",
          "after trip, kill and a later grant of 50 USD the old key increases",
          answer.body,
        );
    }
  });

/** A key of one bot at another's orders and stops. */
const others = (binary) =>
  play(binary, {}, async (world, expect) => {
    const a = await world.grant("grid-1");
    const b = await world.grant("grid-2");
    await world.client.write(
      "/v1/orders/market",
      { account: world.account, market: "BTC", side: "buy", size: "0.008" },
      a.key,
    );
    await wait(1500);
    const rest = await world.client.write(
      "/v1/orders",
      order(world, { side: "sell", size: "0.004", price: "60500", reduce_only: true }),
      a.key,
    );
    const stop = await world.client.write(
      "/v1/orders",
      order(world, {
        side: "sell",
        size: "0.008",
        price: "54000",
        reduce_only: true,
        trigger: { kind: "stop_loss", price: "58000", market: true },
      }),
      a.key,
    );
    const isClosed = (answer) =>
      expect(answer.status >= 400, "CRITICAL", "a bot reaches another bot", [answer.path, answer.wish, answer.body]);
    for (const id of [rest.body.id, stop.body.id]) {
      isClosed(await world.client.write(`/v1/orders/${id}/cancel`, {}, b.key));
      isClosed(await world.client.write(`/v1/orders/${id}/modify`, { price: "60900" }, b.key));
      isClosed(
        await world.client.write(
          `/v1/orders/${id}/modify`,
          { price: "53000", trigger: { kind: "stop_loss", price: "57000", market: true }, always_place: true },
          b.key,
        ),
      );
    }
    isClosed(
      await world.client.write(
        "/v1/orders",
        order(world, { side: "sell", size: "0.008", price: "60600", reduce_only: true }),
        b.key,
      ),
    );
    isClosed(await world.client.write("/v1/positions/close", { account: world.account, market: "BTC" }, b.key));
    isClosed(
      await world.client.write("/v1/positions/close", { account: world.account, market: "BTC", touches: "all" }, b.key),
    );
    isClosed(
      await world.client.write(
        "/v1/orders/cancel-all",
        { account: world.account, touches: "all", keep_protection: false },
        b.key,
      ),
    );
    isClosed(
      await world.client.once("POST", "/v1/stop", { key: b.key, body: { scope: "account", keep_protection: false } }),
    );
    isClosed(
      await world.client.write(
        "/v1/orders",
        order(world, { side: "sell", size: "0.002", price: "59500", time_in_force: "ioc" }),
        b.key,
      ),
    );
    const all = await world.client.write(
      "/v1/orders/cancel-all",
      { account: world.account, keep_protection: false },
      b.key,
    );
    world.note(`cancel-all of b: ${all.status} ${JSON.stringify(all.body)}`);
    await wait(2500);
    const living = world.chain.living("BTC").length;
    expect(living === 2, "CRITICAL", "what belongs to one bot is gone by another", null, living);
  });

/** A heartbeat that stops while answers are missing. */
const heartbeat = (binary) =>
  play(binary, { sickness: 2500 }, async (world, expect) => {
    const key = await world.grant("grid-1");
    await world.client.write(
      "/v1/orders/market",
      { account: world.account, market: "BTC", side: "buy", size: "0.004" },
      key.key,
    );
    await world.client.write(
      "/v1/orders",
      order(world, {
        side: "sell",
        size: "0.004",
        price: "54000",
        reduce_only: true,
        trigger: { kind: "stop_loss", price: "57000", market: true },
      }),
      key.key,
    );
    await world.client.once("PUT", "/v1/heartbeat", { key: key.key, body: { within_s: 5 } });
    world.exchange.script = oneOf(["lost", "late", "ok", "lost"]);
    const asks = [1, 2, 3].map((i) =>
      world.client.write("/v1/orders", order(world, { size: "0.001", price: String(59_000 + i) }), key.key),
    );
    await wait(3000);
    if (world.seed % 2) await world.restart();
    await Promise.all(asks);
    await wait(28_000);
    const living = world.chain.living("BTC");
    expect(
      !living.some((o) => !o.r),
      "CRITICAL",
      "after the silence an increasing order stays",
      null,
      living.map((o) => [o.oid, o.cloid]),
    );
    expect(
      living.some((o) => o.r),
      "CRITICAL",
      "the heartbeat took the stop",
      null,
    );
    const missed = world.follower.events.filter((e) => e.type === "heartbeat.missed");
    expect(missed.length === 1, "high", "heartbeat.missed is told once", missed.length);
  });

/** A blocked key: what it has out goes, what is late as well. */
const blocked = (binary) =>
  play(binary, { sickness: 2500 }, async (world, expect) => {
    const key = await world.grant("grid-1");
    await world.client.write(
      "/v1/orders/market",
      { account: world.account, market: "ETH", side: "buy", size: "0.1" },
      key.key,
    );
    world.exchange.script = oneOf(["ok", "late", "lost", "late"]);
    const asks = [1, 2, 3, 4].map((i) =>
      world.client.write("/v1/orders", order(world, { size: "0.001", price: String(59_000 + i) }), key.key),
    );
    world.client.write(
      "/v1/trades",
      {
        account: world.account,
        market: "ETH",
        side: "buy",
        size: "0.05",
        entry: { price: "2990" },
        stop_loss: { trigger_price: "2900" },
      },
      key.key,
    );
    await wait(1200);
    await world.gateway.command("key", "block", key.hash, "--cancel-orders");
    const at = Date.now();
    await Promise.all(asks);
    await wait(2000);
    const stops = await world.client.get("/v1/stops", world.owner.key);
    world.note(`stops after block: ${JSON.stringify(stops.body).slice(0, 600)}`);
    const one = stops.body.data?.find((s) => s.cause === "key_blocked");
    if (one) await world.stopped(one.id, world.owner.key, () => true);
    await wait(14_000);
    const living = world.chain.living().filter((o) => !o.r);
    expect(
      living.length === 0,
      "CRITICAL",
      "after block --cancel-orders an increasing order lives",
      null,
      living.map((o) => [o.oid, o.ts - at]),
    );
  });

export const SCENES = {
  lateAfterStop,
  lossTrips,
  others,
  heartbeat,
  blocked,
  stopRefused,
  stopAfterFills,
  liquidated,
  alerts,
};
