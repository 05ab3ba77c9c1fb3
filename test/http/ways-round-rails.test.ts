/** Ways round a cap that others have been found to leave open, each tried here. */
import { describe, expect, test } from "bun:test";
import { forget } from "../../src/store/remembered.ts";
import { signGrant } from "../support/limited-key.ts";
import {
  BOT,
  hold,
  inSeconds,
  limitedRig,
  MARK,
  OTHER_BOT,
  place,
  railOf,
  refusalOf,
  register,
  textOf,
} from "./rails-rig.ts";
import { KEYS, type Rig } from "./rig.ts";

const CONTEXT = { markPx: MARK, oraclePx: MARK, funding: "0", openInterest: "1", dayNtlVlm: "1", prevDayPx: MARK };
const CHEAP = { ...CONTEXT, markPx: "0.12", oraclePx: "0.12" };

async function idOf(response: Response): Promise<string> {
  return ((await response.json()) as { id: string }).id;
}

function change(rig: Rig, id: string, { verb, body }: { verb: string; body: object }): Promise<Response> {
  return rig.askForSeconds({
    path: `/v1/orders/${id}/${verb}`,
    apiKey: BOT,
    idempotencyKey: `${verb}-it-now`,
    body,
  });
}

describe("a way round a cap:", () => {
  test("the market's price counts, and it is filled at a worse limit", async () => {
    const rig = await limitedRig({ maxOrder: "60 USD" });
    expect(await railOf(await place(rig, { price: "60060", time_in_force: "ioc" }))).toBe("max_order");
  });

  test("what takes any price has none, and is worth nothing", async () => {
    const rig = await limitedRig({ maxOrder: "59 USD" });
    expect(await railOf(await place(rig, { side: "sell", price: "1", time_in_force: "ioc" }))).toBe("max_order");
  });

  test("the price that is asked for is believed", async () => {
    const rig = await limitedRig({ maxPosition: "59 USD" });
    expect(await railOf(await place(rig, { price: "100" }))).toBe("max_position");
  });

  test("margin counts instead of what it moves, and the bot sets its leverage", async () => {
    const rig = await limitedRig({ may: "increase,leverage", maxOrder: "60 USD" });
    rig.answers.set("meta", () => ({ universe: [{ name: "BTC", szDecimals: 5, maxLeverage: 40 }] }));
    rig.answers.set("activeAssetData", () => null);
    const raise = { market: "BTC", leverage: 40, margin_type: "cross" };
    await rig.askForSeconds({ path: "/v1/leverage", apiKey: BOT, idempotencyKey: "raise-it-now", body: raise });
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.0011" })))).toBe("max_order");
  });

  test("it is valued at another market's mark, because of a list that is turned round", async () => {
    for (const [names, contexts] of [
      [
        ["ETH", "BTC"],
        [CONTEXT, CHEAP],
      ],
      [
        ["BTC", "ETH"],
        [CHEAP, CONTEXT],
      ],
    ] as const) {
      const rig = await limitedRig({ maxOrder: "59 USD", may: "increase,twap" });
      rig.answers.set("allMids", () => ({ BTC: MARK, ETH: "0.12" }));
      rig.answers.set("metaAndAssetCtxs", () => [{ universe: names.map((name) => ({ name })) }, contexts]);
      const body = { market: "BTC", side: "buy", size: "0.01", duration_minutes: 30 };
      const asked = { path: "/v1/twaps", apiKey: BOT, idempotencyKey: "turn-it-now", body };
      expect(await railOf(await inSeconds(rig, rig.ask(asked)))).toStartWith("503 rails_unproven");
      expect(rig.sent).toEqual([]);
    }
  });

  test("what cannot be valued passes", async () => {
    const rig = await limitedRig({ maxOrder: "60 USD" });
    await place(rig, {});
    rig.answers.delete("metaAndAssetCtxs");
    await rig.clock.advance(20_000);
    expect(await railOf(await inSeconds(rig, place(rig, {})))).toStartWith("503 rails_unproven");
  });

  test("the door beside it is not watched", async () => {
    const rig = await limitedRig({ maxOrder: "60 USD" });
    const id = await idOf(await place(rig, {}));
    const larger = { verb: "modify", body: { price: "59000", size: "0.5", always_place: true } };
    expect(await railOf(await change(rig, id, larger))).toBe("max_order");
  });

  test("the bot raises its own limit", async () => {
    const rig = await limitedRig({ maxOrder: "60 USD" });
    await rig.clock.advance(1_000);
    const looser = textOf(rig, { maxOrder: "9000 USD" }, OTHER_BOT);
    const own = await signGrant(`0x${"66".repeat(32)}`, looser);
    expect(await refusalOf(await register(rig, looser, own))).toStartWith("401 invalid_signature");
    expect(await railOf(await place(rig, { size: "0.0011" }))).toBe("max_order");
  });

  test("who asks confirms it", async () => {
    const rig = await limitedRig({ maxOrder: "60 USD" });
    const confirmed = await refusalOf(await place(rig, { size: "0.0011", confirm: true }));
    expect(confirmed).toStartWith("400 ");
    await rig.clock.advance(1_000);
    const approving = textOf(rig, { may: "increase,propose,approve", bot: "yes-sayer" }, OTHER_BOT);
    expect(await refusalOf(await register(rig, approving))).toStartWith("400 invalid_parameter");
  });

  test("what it has used is forgotten at a restart", async () => {
    const rig = await limitedRig({ maxPosition: "60 USD", maxActionsPerDay: "2" });
    expect(await railOf(await place(rig, {}))).toBe("passed");
    // Nothing is left but the rows.
    forget(rig.deps.store);
    expect(await railOf(await place(rig, {}))).toBe("max_position");
  });

  test("many are checked before one is stored", async () => {
    const rig = await limitedRig({ maxPosition: "120 USD" });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => place(rig, {}).then(railOf)));
    expect(outcomes.toSorted()).toEqual([...Array(4).fill("max_position"), "passed", "passed"]);
  });

  test("an answer that is lost frees what was asked for", async () => {
    const rig = await limitedRig({ maxTurnoverPerDay: "60 USD" });
    rig.deps.exchange.send = async () => ({ kind: "unknown", reason: "lost" });
    expect((await inSeconds(rig, place(rig, {}))).status).toBe(202);
    expect(await railOf(await inSeconds(rig, place(rig, { size: "0.00001" })))).toBe("max_turnover_per_day");
  });

  test("many small orders pass the cap of one", async () => {
    const rig = await limitedRig({ maxOrder: "12 USD", maxExposure: "36 USD" });
    const outcomes: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) outcomes.push(await railOf(await place(rig, { size: "0.0002" })));
    expect(outcomes).toEqual(["passed", "passed", "passed", "max_exposure", "max_exposure"]);
  });

  test("one key cancels another's stop", async () => {
    const rig = await limitedRig({}, [{ coin: "BTC", szi: "1" }]);
    const trigger = { price: "55000", kind: "stop_loss", market: true };
    const guard = { side: "sell", size: "1", price: "50000", reduce_only: true, trigger };
    const id = await idOf(await place(rig, guard, { apiKey: KEYS.both }));
    const before = rig.sent.length;
    expect(await railOf(await change(rig, id, { verb: "cancel", body: {} }))).toBe("touches");
    expect(rig.sent.length).toBe(before);
  });

  test("a trade with oneself cancels another's protection", async () => {
    const rig = await limitedRig({}, [{ coin: "BTC", szi: "1" }]);
    await place(rig, { side: "sell", size: "1", price: "61000", reduce_only: true }, { apiKey: KEYS.both });
    const through = { price: "61000", time_in_force: "ioc" };
    expect(await railOf(await inSeconds(rig, place(rig, through)))).toBe("touches");
    expect(await railOf(await inSeconds(rig, place(rig, { price: "60999" })))).toBe("passed");
  });

  test("a stop that the mark has met takes the place of another's on the book", async () => {
    const rig = await limitedRig({ maxStopDistance: "any" }, [{ coin: "BTC", szi: "2" }]);
    hold(rig, "1");
    await place(rig, { side: "sell", size: "2", price: "61000", reduce_only: true }, { apiKey: KEYS.both });
    const stopAt = (price: string) => {
      const trigger = { price, kind: "stop_loss", market: false };
      return inSeconds(rig, place(rig, { side: "sell", size: "1", price: "50000", reduce_only: true, trigger }));
    };
    expect(await railOf(await stopAt("60500"))).toBe("touches");
    expect(await railOf(await stopAt("59500"))).toBe("passed");
  });
});
