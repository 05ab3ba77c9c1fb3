import { describe, expect, test } from "bun:test";
import { isoTime } from "../../src/core/resource.ts";
import { narrowKey } from "../../src/ops/narrow-key.ts";
import { listStopsInForce } from "../../src/store/stops.ts";
import { keyHash } from "../../src/wire/grant.ts";
import {
  BOT,
  type Body,
  hold,
  inSeconds,
  limitedRig,
  OTHER_BOT,
  place,
  railOf,
  refusalOf,
  register,
  textOf,
} from "./rails-rig.ts";
import { KEYS, type Rig, rowCounts } from "./rig.ts";

function narrow(rig: Rig, body: Body, apiKey = BOT): Promise<Response> {
  return rig.ask({ path: "/v1/api-keys/self/narrow", apiKey, body });
}

type Narrowed = { rails: Record<string, string>; exceeds: { rail: string; use: string }[]; stop: string | null };

describe("a key that narrows itself", () => {
  test("is held to the tighter of all, with the bot's other key, and to nothing looser ever", async () => {
    const rig = await limitedRig({ maxOrder: "500 USD" });
    await rig.clock.advance(1);
    await register(rig, textOf(rig, { maxOrder: "500 USD" }, OTHER_BOT));
    const done = (await (await narrow(rig, { max_order: "100 USD" })).json()) as Narrowed;
    expect([done.rails["max_order"], done.exceeds, done.stop]).toEqual(["100 USD", [], null]);
    for (const apiKey of [BOT, OTHER_BOT])
      expect(await railOf(await place(rig, { size: "0.002" }, { apiKey }))).toBe("max_order");
    const audit = rowCounts(rig)["audit"];
    for (const looser of ["900 USD", "any", "100 USD"]) {
      const again = (await (await narrow(rig, { max_order: looser })).json()) as Narrowed;
      expect(again.rails["max_order"]).toBe("100 USD");
    }
    expect(rowCounts(rig)["audit"]).toBe(audit ?? -1);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
  });

  test("is held by all that has narrowed it, and not by the newest alone", async () => {
    const rig = await limitedRig({ maxOrder: "500 USD" });
    await narrow(rig, { max_order: "100 USD" });
    await rig.clock.advance(1_000);
    const { rails } = (await (await narrow(rig, { max_open_orders: "5" })).json()) as Narrowed;
    expect([rails["max_order"], rails["max_open_orders"]]).toEqual(["100 USD", "5"]);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
  });

  test("is loosened by a later grant of its owner, and not by one that was signed before", async () => {
    const rig = await limitedRig({ maxOrder: "500 USD" });
    await rig.clock.advance(1_000);
    const earlier = textOf(rig, { maxOrder: "500 USD" });
    await rig.clock.advance(1_000);
    await narrow(rig, { max_order: "100 USD" });
    expect((await register(rig, earlier)).status).toBe(201);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
    await rig.clock.advance(1_000);
    expect((await register(rig, textOf(rig, { maxOrder: "500 USD" }))).status).toBe(201);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("passed");
  });

  test("is held to it also where its owner's grant is from a clock that is ahead of ours", async () => {
    const rig = await limitedRig({});
    const ahead = { issuedAt: isoTime(rig.clock.nowMs() + 50_000) };
    expect((await register(rig, textOf(rig, { ...ahead, maxOrder: "500 USD" }, OTHER_BOT))).status).toBe(201);
    await narrow(rig, { max_order: "100 USD" });
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
    await rig.clock.advance(60_000);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("max_order");
    expect((await register(rig, textOf(rig, { maxOrder: "500 USD" }))).status).toBe(201);
    expect(await railOf(await place(rig, { size: "0.002" }))).toBe("passed");
  });

  test("is not narrowed to a market in other letters, which would leave it none for good", async () => {
    const rig = await limitedRig({});
    expect(await refusalOf(await narrow(rig, { markets: "btc" }))).toBe(
      "400 invalid_parameter: markets names `btc`, which is no market: it is `BTC`. Nothing was narrowed.",
    );
    expect(await railOf(await place(rig, {}))).toBe("passed");
  });

  test("cancels nothing, and is told what exceeds", async () => {
    const rig = await limitedRig({});
    await place(rig, { size: "0.004" });
    const wanted = { max_order: "100 USD", max_position: "200 USD", max_turnover_per_day: "50 USD", markets: "ETH" };
    const done = (await (await narrow(rig, wanted)).json()) as Narrowed;
    expect(done.exceeds.map(({ rail, use }) => `${rail} ${use}`)).toEqual([
      "markets BTC",
      "max_order 240 USD",
      "max_position 240 USD",
      "max_turnover_per_day 240 USD",
    ]);
    expect([done.stop, listStopsInForce(rig.deps.store).length, rig.sent.length]).toEqual([null, 0, 1]);
  });

  test("that may trade no more where it holds something protects and closes that, and takes nothing new", async () => {
    const rig = await limitedRig({});
    hold(rig, "0.004");
    await narrow(rig, { markets: "ETH" });
    const sale = { side: "sell", reduce_only: true, size: "0.004", price: "59500" };
    const stop = { ...sale, price: "50000", trigger: { kind: "stop_loss", price: "51000", market: false } };
    expect(await railOf(await inSeconds(rig, place(rig, stop)))).toBe("passed");
    expect(await railOf(await inSeconds(rig, place(rig, { ...stop, size: "0.005" })))).toBe("markets");
    expect(await railOf(await inSeconds(rig, place(rig, sale)))).toBe("passed");
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("markets");
  });

  test("has what could increase withdrawn where it asks for that", async () => {
    const rig = await limitedRig({});
    await place(rig, {});
    const done = (await (await narrow(rig, { max_order: "100 USD", cancel_orders: true })).json()) as Narrowed;
    expect(listStopsInForce(rig.deps.store)).toMatchObject([
      { id: done.stop, cause: "narrowed", keepsProtection: true },
    ]);
    await rig.clock.advance(2_000);
    expect(rig.sent.filter((body) => body.includes('"cancel')).length).toBe(1);
  });

  test.each<[string, Body, string, string]>([
    ["another form", { max_order: "100.0 USD" }, BOT, "400 invalid_parameter: max_order"],
    ["no rail", {}, BOT, "400 missing_parameter"],
    ["another bot's name", { bot: "other" }, BOT, "400 unknown_parameter"],
    ["a plain key", { max_order: "100 USD" }, KEYS.both, "400 invalid_parameter"],
    ["a key that only reads", { max_order: "100 USD" }, KEYS.readOnly, "403 insufficient_scope"],
  ])("is refused with %s", async (_title, body, apiKey, words) => {
    const rig = await limitedRig({});
    expect(await refusalOf(await narrow(rig, body, apiKey))).toStartWith(words);
  });

  test("is narrowed by the operator as well, without its owner", async () => {
    const rig = await limitedRig({});
    const operator = { ...rig.deps, network: "paper" as const };
    const given = { keyHash: keyHash(BOT), rails: { maxOrder: "50 USD" }, cancelOrders: false };
    expect(narrowKey(operator, given).rails.max_order).toBe("50 USD");
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_order");
    expect(() => narrowKey(operator, { ...given, keyHash: keyHash(KEYS.both) })).toThrow("no rails");
    expect(() => narrowKey(operator, { ...given, rails: {} })).toThrow("at least one rail");
    expect(() => narrowKey(operator, { ...given, rails: { maxOrder: "0 USD" } })).toThrow("max_order must be");
  });
});
