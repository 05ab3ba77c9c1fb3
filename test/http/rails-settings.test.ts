import { describe, expect, test } from "bun:test";
import type { LimitedGrantText } from "../../src/core/rails/limited-grant.ts";
import { BOT, type Body, inSeconds, limitedRig, place, railOf, stateOf } from "./rails-rig.ts";
import { KEYS, type Rig } from "./rig.ts";

const MAY = "increase,reduce,cancel,leverage,margin";

/** A gateway beside an exchange in which `set` is in force. */
async function settingsRig(wanted: Partial<LimitedGrantText>, set: { value: number; type: "cross" | "isolated" }) {
  const rig = await limitedRig({ may: MAY, ...wanted });
  const asked = { count: 0 };
  rig.answers.set("meta", () => ({ universe: [{ name: "BTC", szDecimals: 5, maxLeverage: 40 }] }));
  rig.answers.set("activeAssetData", () => {
    asked.count += 1;
    const sizes = { maxTradeSzs: ["1", "1"], availableToTrade: ["1", "1"], markPx: "60000" };
    return { coin: "BTC", leverage: { rawUsd: "0", ...set }, ...sizes };
  });
  return { rig, set, asked };
}

let made = 0;
function ask(rig: Rig, path: string, body: Body): Promise<Response> {
  made += 1;
  return inSeconds(rig, rig.ask({ path, apiKey: BOT, idempotencyKey: `setting-${made}-of-this`, body }));
}

function setLeverage(rig: Rig, leverage: number, type = "cross"): Promise<Response> {
  return ask(rig, "/v1/leverage", { market: "BTC", leverage, margin_type: type });
}

describe("leverage and margin of a key with rails", () => {
  test("an order goes under a leverage within the rail, which is asked for once", async () => {
    const { rig, asked } = await settingsRig({ maxLeverage: "5" }, { value: 5, type: "cross" });
    for (const _ of [1, 2, 3]) expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
    expect(asked.count).toBe(1);
  });

  test("under more it is refused, with the call that lowers it, and passes after that", async () => {
    const { rig, set } = await settingsRig({ maxLeverage: "5" }, { value: 20, type: "cross" });
    const refused = await inSeconds(rig, place(rig, {}));
    expect(await refused.clone().text()).toContain("POST /v1/leverage");
    expect(await railOf(refused)).toBe("max_leverage");
    expect(await railOf(await setLeverage(rig, 5))).toBe("passed");
    set.value = 5;
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
  });

  test("also where a position of before the change shows what was set then", async () => {
    const { rig, set } = await settingsRig({ maxLeverage: "5", touches: "all" }, { value: 20, type: "cross" });
    const leverage = { type: "cross", value: 20, rawUsd: "0" };
    rig.answers.set("clearinghouseState", () =>
      stateOf([{ coin: "BTC", szi: "0.001", leverage: { ...leverage } }], rig.clock.nowMs()),
    );
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_leverage");
    expect(await railOf(await setLeverage(rig, 5))).toBe("passed");
    set.value = 5;
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
  });

  test("what a server that is behind shows after the change is asked for again soon, and no more often", async () => {
    const { rig, set, asked } = await settingsRig({ maxLeverage: "5" }, { value: 20, type: "cross" });
    expect(await railOf(await setLeverage(rig, 5))).toBe("passed");
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_leverage");
    const before = asked.count;
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_leverage");
    expect(asked.count).toBe(before);
    set.value = 5;
    await rig.clock.advance(2_000);
    for (const _ of [1, 2]) expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
    expect(asked.count).toBe(before + 1);
  });

  test("a change up that a server does not show yet is not passed over", async () => {
    const { rig } = await settingsRig({ maxLeverage: "5" }, { value: 3, type: "cross" });
    const plain = { path: "/v1/leverage", apiKey: KEYS.both, idempotencyKey: "somebody-else-raises" };
    await inSeconds(rig, rig.ask({ ...plain, body: { market: "BTC", leverage: 10, margin_type: "cross" } }));
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_leverage");
    expect(await railOf(await setLeverage(rig, 4))).toBe("passed");
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
  });

  test.each([
    ["is ten minutes behind the exchange's", -600_000, 0],
    ["was set back between that and an earlier change", 0, -600_000],
  ])("nor where our clock %s", async (_how, atFirstMs, laterMs) => {
    const { rig } = await settingsRig({ maxLeverage: "5" }, { value: 3, type: "cross" });
    const startMs = rig.clock.nowMs() - rig.clock.elapsedMs();
    rig.deps.exchange.nowMs = () => startMs + rig.clock.elapsedMs();
    rig.answers.set("clearinghouseState", () => stateOf([], rig.deps.exchange.nowMs()));
    rig.clock.stepWall(atFirstMs);
    expect(await railOf(await setLeverage(rig, 4))).toBe("passed");
    rig.clock.stepWall(laterMs);
    const plain = { path: "/v1/leverage", apiKey: KEYS.both, idempotencyKey: "somebody-else-raises" };
    await inSeconds(rig, rig.ask({ ...plain, body: { market: "BTC", leverage: 10, margin_type: "cross" } }));
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_leverage");
  });

  test("nor one that a server does not show minutes later", async () => {
    const { rig } = await settingsRig({ maxLeverage: "5" }, { value: 3, type: "cross" });
    const plain = { path: "/v1/leverage", apiKey: KEYS.both, idempotencyKey: "somebody-else-raises" };
    await inSeconds(rig, rig.ask({ ...plain, body: { market: "BTC", leverage: 10, margin_type: "cross" } }));
    await rig.clock.advance(4 * 60_000);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_leverage");
    await rig.clock.advance(2 * 60_000);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("passed");
  });

  test("a change whose answer was lost counts as carried out, and as not", async () => {
    const { rig } = await settingsRig({ maxLeverage: "5" }, { value: 20, type: "cross" });
    rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "lost" });
    expect((await setLeverage(rig, 5)).status).toBe(202);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toBe("max_leverage");
  });

  test("where nobody tells what is set nothing increases, and what reduces goes", async () => {
    const { rig } = await settingsRig({ maxLeverage: "5", touches: "all" }, { value: 3, type: "cross" });
    rig.answers.delete("activeAssetData");
    const refused = await inSeconds(rig, place(rig, {}));
    expect(await refused.clone().text()).toContain("POST /v1/leverage");
    expect(await railOf(refused)).toStartWith("503 rails_unproven");
    const reduce = { side: "sell", reduce_only: true, time_in_force: "ioc" };
    expect(await railOf(await inSeconds(rig, place(rig, reduce)))).toBe("passed");
  });

  test("margin is added with the verb alone, and taken out as an increase", async () => {
    const { rig } = await settingsRig({ may: "reduce,margin" }, { value: 3, type: "isolated" });
    const leverage = { type: "isolated", value: 3, rawUsd: "-100" };
    rig.answers.set("clearinghouseState", () => stateOf([{ coin: "BTC", szi: "1", leverage }], rig.clock.nowMs()));
    expect(await railOf(await ask(rig, "/v1/margin", { market: "BTC", amount: "-5" }))).toBe("may");
    expect(rig.sent).toEqual([]);
    rig.answers.delete("metaAndAssetCtxs");
    expect(await railOf(await ask(rig, "/v1/margin", { market: "BTC", amount: "5" }))).toBe("passed");
  });
});
