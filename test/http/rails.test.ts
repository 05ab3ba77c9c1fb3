import { describe, expect, test } from "bun:test";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { forget } from "../../src/store/remembered.ts";
import { grantBody, signGrant } from "../support/limited-key.ts";
import {
  BOT,
  type Body,
  hold,
  inSeconds,
  limitedRig,
  OTHER_BOT,
  OWNERS_KEY,
  openMarketRig,
  place,
  railOf,
  refusalOf,
  register,
  stop,
  textOf,
} from "./rails-rig.ts";
import { KEYS, rowCounts } from "./rig.ts";

describe("a key with rails", () => {
  test("is registered by the owner's signature of every line, and shows what it is held to", async () => {
    const rig = openMarketRig();
    const text = textOf(rig, { maxOrder: "500 USD", maxDistance: "2 %" });
    const response = await register(rig, text);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ object: "limited_api_key", ...grantBody(text) });
    expect((await register(rig, text)).status).toBe(201);
    await place(rig, {});
    const shown = (await (await rig.ask({ path: "/v1/whoami", apiKey: BOT })).json()) as { limits: Body };
    expect(shown.limits).toMatchObject({
      bot: "grid-1",
      rails: { max_order: "500 USD", max_distance: "2 %", max_position: "any" },
      expires_at: text.expiresAt,
      use: { turnover_today: "0", actions_today: 1, open_orders: 1, nets: [] },
    });
  });

  test.each<[string, Partial<LimitedGrantText>, string]>([
    ["an approver that may trade as well", { may: "increase,approve" }, "grant.may"],
    ["another network", { network: "mainnet" }, "grant.network"],
    ["another owner", { owner: `0x${"ab".repeat(20)}` }, "grant.owner"],
    ["another trading address", { tradingAddress: `0x${"ab".repeat(20)}` }, "grant.trading_address"],
    ["an amount in another form", { maxOrder: "500.0 USD" }, "grant.max_order"],
    ["a zero that is to mean anything", { maxOrder: "0 USD" }, "grant.max_order"],
    ["more than a year", { expiresAt: "2029-01-01T00:00:00.000Z" }, "grant.expires_at"],
    ["a market in other letters", { markets: "ETH,btc" }, "names `btc`, which is no market: it is `BTC`"],
    ["a network of addresses with bits behind its length", { sources: "203.0.113.7/24" }, "grant.sources"],
  ])("is not granted %s, whoever signed it", async (_title, wanted, words) => {
    const rig = openMarketRig();
    const before = rowCounts(rig);
    const refusal = await refusalOf(await register(rig, textOf(rig, wanted)));
    expect(refusal).toStartWith("400 invalid_parameter");
    expect(refusal).toContain(words);
    expect(rowCounts(rig)).toEqual(before);
  });

  test("is not granted by a signature of other lines", async () => {
    const rig = openMarketRig();
    const signed = await signGrant(OWNERS_KEY, textOf(rig, { maxOrder: "500 USD" }));
    expect(await refusalOf(await register(rig, textOf(rig, { maxOrder: "900 USD" }), signed))).toStartWith(
      "401 invalid_signature",
    );
  });

  test("an older grant that was kept somewhere loosens nothing", async () => {
    const rig = openMarketRig();
    const loose = textOf(rig, { maxOrder: "9000 USD" });
    const signature = await signGrant(OWNERS_KEY, loose);
    await register(rig, loose, signature);
    await rig.clock.advance(1_000);
    expect((await register(rig, textOf(rig, { maxOrder: "100 USD" }))).status).toBe(201);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
    expect(await refusalOf(await register(rig, loose, signature))).toStartWith("409 key_already_registered");
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
  });

  test("a market of which the list has nothing like it is granted, and so is everything while there is no list", async () => {
    const rig = openMarketRig();
    expect((await register(rig, textOf(rig, { markets: "LATER,abc:*" }))).status).toBe(201);
    rig.deps.markets.current = () => null;
    await rig.clock.advance(1_000);
    expect((await register(rig, textOf(rig, { markets: "btc" }))).status).toBe(201);
  });

  test("granted once is answered as before, hours later and whatever its bot was granted since for another key", async () => {
    const rig = openMarketRig();
    const first = textOf(rig, { maxOrder: "9000 USD" });
    const made = await register(rig, first);
    await rig.clock.advance(1_000);
    expect((await register(rig, textOf(rig, { maxOrder: "100 USD" }, OTHER_BOT))).status).toBe(201);
    await rig.clock.advance(2 * 3_600_000);
    const before = rowCounts(rig);
    const again = await register(rig, first);
    expect([again.status, await again.json()]).toEqual([201, await made.json()]);
    expect(rowCounts(rig)).toEqual(before);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
  });

  test("a newer grant of the bot holds for its older key as well", async () => {
    const rig = await limitedRig({ maxOrder: "9000 USD" });
    await rig.clock.advance(1_000);
    expect((await register(rig, textOf(rig, { maxOrder: "100 USD" }, OTHER_BOT))).status).toBe(201);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
  });

  test("a plain grant of its hash is refused, and a limited one of a plain key's", async () => {
    const rig = openMarketRig();
    expect(await refusalOf(await register(rig, textOf(rig, {}, KEYS.both)))).toStartWith("409 key_already_registered");
  });

  test("opens nothing where what it is held to cannot be read, and the answer says why", async () => {
    const rig = await limitedRig({});
    rig.deps.store.$client.run("UPDATE api_keys SET limited_grant = '{}' WHERE limited_grant IS NOT NULL");
    forget(rig.deps.store);
    const refusal = await refusalOf(await rig.ask({ path: "/v1/whoami", apiKey: BOT }));
    expect(refusal).toStartWith("503 storage_unavailable");
    expect(refusal).toContain("cannot be read by this version");
  });

  test("ends when its time is over, and its orders stay", async () => {
    const rig = await limitedRig({});
    await place(rig, {});
    await rig.clock.advance(91 * 86_400_000);
    expect(await refusalOf(await rig.ask({ path: "/v1/whoami", apiKey: BOT }))).toStartWith("401 expired_api_key");
    expect(rowCounts(rig)["orders"]).toBe(1);
  });

  test.each([
    ["10.0.0.0/8", "10.1.2.3", 200],
    ["10.0.0.0/8", "11.1.2.3", 403],
    ["10.0.0.0/8", "::ffff:10.1.2.3", 200],
    ["2001:db8::/48", "2001:db8:0:9::7", 200],
    ["2001:db8::/48", "2001:db8:1::7", 403],
    ["10.0.0.0/8,2001:db8::/48", "", 403],
  ])("granted for %s is for %s: %d", async (sources, from, status) => {
    const rig = await limitedRig({ sources });
    expect((await rig.ask({ path: "/v1/whoami", apiKey: BOT }, from)).status).toBe(status);
  });
});

describe("the gate", () => {
  test.each<[string, Partial<LimitedGrantText>, Body, string]>([
    ["an order within all", { maxOrder: "60 USD", maxPosition: "60 USD" }, {}, "passed"],
    ["one unit above the largest order", { maxOrder: "60 USD" }, { size: "0.00101" }, "max_order"],
    ["a limit far below the market, by the market", { maxOrder: "30 USD" }, { price: "20000" }, "max_order"],
    ["a limit above the market, by the limit", { maxOrder: "60 USD" }, { price: "60001" }, "max_order"],
    ["a market that is not named", { markets: "ETH,xyz:*" }, {}, "markets"],
    ["spot that is not named", {}, { market: "PURR/USDC", size: "100", price: "1" }, "markets"],
    ["a price too far", { maxDistance: "2 %" }, { price: "61201", time_in_force: "ioc" }, "max_distance"],
    ["a price just near enough", { maxDistance: "2 %" }, { price: "61200", time_in_force: "ioc" }, "passed"],
    ["a far price on the side that costs nothing", { maxDistance: "2 %" }, { price: "30000" }, "passed"],
    ["a verb that was not granted", { may: "reduce,cancel" }, {}, "may"],
    ["more than it may hold", { maxPosition: "50 USD" }, {}, "max_position"],
    ["more than it may hold over all", { maxExposure: "50 USD" }, {}, "max_exposure"],
    ["more than it may trade in a day", { maxTurnoverPerDay: "50 USD" }, {}, "max_turnover_per_day"],
    [
      "a trigger that waits, by its trigger",
      { maxOrder: "60 USD" },
      {
        ...stop,
        reduce_only: false,
        side: "buy",
        trigger: { price: "61000", kind: "stop_loss", market: true },
        price: "62000",
      },
      "max_order",
    ],
  ])("judges %s", async (_title, rails, terms, outcome) => {
    const rig = await limitedRig(rails);
    const before = rowCounts(rig);
    expect(await railOf(await place(rig, terms))).toBe(outcome);
    // That it was refused is told in the audit log.
    if (outcome !== "passed")
      expect([rowCounts(rig), rig.sent]).toEqual([{ ...before, audit: rowCounts(rig)["audit"] ?? 0 }, []]);
  });

  test("says what passes, and that passes under the same Idempotency-Key", async () => {
    const rig = await limitedRig({ maxPosition: "100 USD" });
    await place(rig, { price: "50000" });
    const refused = await refusalOf(await place(rig, {}, { key: "the-same-key" }));
    expect(refused).toContain("Largest size that passes: 0.00066.");
    expect(await railOf(await place(rig, { size: "0.00066" }, { key: "the-same-key" }))).toBe("passed");
    expect(await railOf(await place(rig, { size: "0.00001" }))).toBe("max_position");
  });

  test("many small orders are one position", async () => {
    const rig = await limitedRig({ maxPosition: "300 USD" });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => place(rig, {}).then(railOf)));
    expect(outcomes.toSorted()).toEqual([...Array(3).fill("max_position"), ...Array(5).fill("passed")]);
  });

  test("a lost answer frees nothing", async () => {
    const rig = await limitedRig({ maxPosition: "60 USD" });
    rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "lost" });
    expect((await inSeconds(rig, place(rig, {}, { key: "its-answer-is-lost" }))).status).toBe(202);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_position");
  });

  test("actions are counted, and what reduces is not refused for them", async () => {
    const rig = await limitedRig({ maxActionsPerDay: "2", maxOpenOrders: "2" });
    await place(rig, {});
    await place(rig, {});
    expect(await railOf(await place(rig, {}))).toBe("max_actions_per_day");
    expect(await railOf(await place(rig, { ...stop, side: "sell", size: "0.002", price: "50000" }))).toBe("passed");
  });

  test("without a price nothing increases, and a stop and a cancel go all the same", async () => {
    const rig = await limitedRig({ maxOrder: "60 USD", maxStopDistance: "10 %", maxDistance: "2 %" });
    const order = (await (await place(rig, {})).json()) as { id: string };
    rig.answers.delete("metaAndAssetCtxs");
    rig.answers.delete("clearinghouseState");
    for (let waited = 0; waited < 400_000; waited += 20_000) await rig.clock.advance(20_000);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toStartWith("503 rails_unproven");
    const asked = inSeconds(rig, place(rig, { ...stop, side: "sell", price: "50000" }));
    expect(await railOf(await asked)).toBe("passed");
    const cancel = { path: `/v1/orders/${order.id}/cancel`, apiKey: BOT, idempotencyKey: "cancel-it-now", body: {} };
    expect((await inSeconds(rig, rig.ask(cancel))).status).toBe(200);
  });

  test("an increase whose price does not come is refused within seconds", async () => {
    const rig = await limitedRig({ maxOrder: "60 USD" });
    rig.deps.marketView.mark = () => new Promise(() => undefined);
    rig.deps.marketView.peek = () => null;
    rig.deps.marketView.isMarkTold = () => false;
    const askedAtMs = rig.clock.nowMs();
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toStartWith("503 rails_unproven");
    expect(rig.clock.nowMs() - askedAtMs).toBeLessThanOrEqual(3_000);
  });

  test("a request that waited for its price is answered in its own time, whoever of its key was stored first", async () => {
    const rig = await limitedRig({ maxOrder: "60 USD" });
    rig.deps.exchange.send = () => new Promise(() => undefined);
    const { mark } = rig.deps.marketView;
    rig.deps.marketView.isMarkTold = () => false;
    let asked = 0;
    rig.deps.marketView.mark = async (...about) => {
      asked += 1;
      if (asked === 1) {
        startedMs = rig.clock.nowMs();
        await rig.clock.sleep(1_900);
      }
      return mark(...about);
    };
    let startedMs = 0;
    const first = place(rig, {}, { key: "asked-for-twice" });
    for (let step = 0; step < 10; step += 1) await rig.clock.advance(100);
    void place(rig, {}, { key: "asked-for-twice" });
    const endedMs = first.then(() => rig.clock.nowMs());
    for (let step = 0; step < 90; step += 1) await rig.clock.advance(100);
    expect((await first).status).toBe(202);
    expect((await endedMs) - startedMs).toBeLessThanOrEqual(8_300);
  });

  test("the stop of an entry whose answer was lost is taken", async () => {
    const rig = await limitedRig({});
    rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "lost" });
    await inSeconds(rig, place(rig, {}));
    expect(await railOf(await inSeconds(rig, place(rig, { ...stop, side: "sell", price: "50000" })))).toBe("passed");
    const beyond = place(rig, { ...stop, side: "sell", size: "0.00101", price: "50000" });
    expect(await railOf(await beyond)).toBe("touches");
  });

  test("what another holds is not reduced, nor its orders changed, unless it may touch all", async () => {
    const positions = [{ coin: "BTC", szi: "1" }];
    const rig = await limitedRig({}, positions);
    await rig.clock.advance(1);
    expect((await register(rig, textOf(rig, { touches: "all", bot: "keeper" }, OTHER_BOT))).status).toBe(201);
    const reduce = { side: "sell", reduce_only: true, price: "59500", time_in_force: "ioc" };
    expect(await railOf(await place(rig, reduce))).toBe("touches");
    const plain = (await (await place(rig, {}, { apiKey: KEYS.both })).json()) as { id: string };
    const change = (verb: string, apiKey: string, body: Body) =>
      inSeconds(
        rig,
        rig.ask({
          path: `/v1/orders/${plain.id}/${verb}`,
          apiKey,
          idempotencyKey: `${verb}-${apiKey.slice(-9)}`,
          body,
        }),
      );
    expect(await railOf(await change("modify", BOT, { price: "59000" }))).toBe("touches");
    expect(await railOf(await change("modify", OTHER_BOT, { price: "59000" }))).toBe("touches");
    expect(await railOf(await change("cancel", BOT, {}))).toBe("touches");
    expect(await railOf(await place(rig, reduce, { apiKey: OTHER_BOT }))).toBe("passed");
    expect((await change("cancel", OTHER_BOT, {})).status).toBe(200);
  });

  test("what rests to be bought makes no room to sell what others hold, and what of it was filled untold does", async () => {
    const rig = await limitedRig({}, [{ coin: "BTC", szi: "3" }]);
    const { id } = (await (await place(rig, {})).json()) as { id: string };
    const reduce = () =>
      inSeconds(rig, place(rig, { side: "sell", reduce_only: true, price: "59500", time_in_force: "ioc" }));
    for (let times = 0; times < 3; times += 1) expect(await railOf(await reduce())).toBe("touches");
    // Nor does what is on its way: whoever has sent it will be told.
    const { send } = rig.deps.exchange;
    rig.deps.exchange.send = () => new Promise(() => undefined);
    void place(rig, {});
    await rig.clock.advance(100);
    expect(await railOf(await reduce())).toBe("touches");
    rig.deps.exchange.send = send;
    const looked: string[] = [];
    rig.deps.settling.look = async (orderId) => {
      looked.push(orderId);
      hold(rig, "0.001");
      return "open";
    };
    expect(await railOf(await reduce())).toBe("passed");
    expect(looked).toContain(id);
  });

  test.each([
    ["61201", "limit 2 %, use 2.01 % from 60000"],
    ["61260", "limit 2 %, use 2.1 % from 60000"],
  ])("a price of %s is not told as if it were at the limit", async (price, words) => {
    const rig = await limitedRig({ maxDistance: "2 %" });
    expect(await refusalOf(await place(rig, { price, time_in_force: "ioc" }))).toContain(words);
  });

  test("a bot does not go against what others hold: a stop would mean nothing there", async () => {
    const rig = await limitedRig({}, [{ coin: "BTC", szi: "-1" }]);
    const refused = await refusalOf(await place(rig, {}));
    expect(refused).toStartWith("403 rail_refused: Rail opposite_position ");
    expect(refused).toContain("give the bot a sub-account of its own");
    expect(await railOf(await place(rig, { side: "sell" }))).toBe("passed");
  });

  test("a modify is judged on the old remainder and its replacement together", async () => {
    const rig = await limitedRig({ maxPosition: "100 USD" });
    const order = (await (await place(rig, {})).json()) as { id: string };
    const modify = (size: string) =>
      rig.askForSeconds({
        path: `/v1/orders/${order.id}/modify`,
        apiKey: BOT,
        idempotencyKey: `modify-to-${size}`,
        body: { price: "59000", size },
      });
    expect(await railOf(await modify("0.001"))).toBe("max_position");
    expect(await railOf(await modify("0.0006"))).toBe("passed");
  });

  test.each<[string, string, Body]>([
    ["leverage", "/v1/leverage", { market: "BTC", leverage: 40, margin_type: "cross" }],
    ["margin", "/v1/margin", { market: "BTC", amount: "5" }],
  ])("%s is nothing for a key without the word", async (_title, path, body) => {
    const rig = await limitedRig({}, [{ coin: "BTC", szi: "1" }]);
    rig.answers.set("meta", () => ({ universe: [{ name: "BTC", szDecimals: 5, maxLeverage: 40 }] }));
    rig.answers.set("activeAssetData", () => null);
    const response = await rig.ask({ path, apiKey: BOT, idempotencyKey: "one-of-the-others", body });
    expect(await railOf(response)).toBe("may");
    expect(rig.sent).toEqual([]);
  });

  test("a plain key is held to nothing", async () => {
    const rig = await limitedRig({ maxOrder: "1 USD" });
    expect(await railOf(await place(rig, { size: "100", price: "90000" }, { apiKey: KEYS.both }))).toBe("passed");
  });
});
