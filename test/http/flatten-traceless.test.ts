/** What a flattening waits for while something that was signed for the stopped may still come, and nothing shows it. */
import { expect, test } from "bun:test";
import { endsAtMs, WITNESS_SPACING_MS } from "../../src/core/attempt.ts";
import { listOpenAttempts } from "../../src/store/attempts.ts";
import { exchangeThatFills, flatten, pass, shownStop, stopOf } from "./flatten-rig.ts";
import { limitedRig, openMarketRig, place } from "./rails-rig.ts";
import { KEYS, type Rig } from "./rig.ts";

/** What executes at once is carried out, and of all else nothing is heard. Exchange times of the first, unix milliseconds. */
function answerOnlyTaking(rig: Rig): number[] {
  const { send } = rig.deps.exchange;
  const soldAtMs: number[] = [];
  rig.deps.exchange.send = async (body, ...rest) => {
    if (body.includes("twapOrder")) return new Promise(() => undefined);
    if (!body.includes("Ioc")) return { kind: "unknown", reason: "silence" };
    soldAtMs.push(rig.clock.nowMs());
    return send(body, ...rest);
  };
  return soldAtMs;
}

test("a TWAP that is still on its way holds back what is held in its market", async () => {
  const rig = await openMarketRig({});
  exchangeThatFills(rig, { szi: 0.5 });
  const soldAtMs = answerOnlyTaking(rig);
  const body = { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 };
  void rig.ask({ path: "/v1/twaps", apiKey: KEYS.both, idempotencyKey: "twap-that-is-on-its-way", body });
  await pass(rig, 1);
  const id = await stopOf(rig, "account");
  await flatten(rig, id);
  await pass(rig, 6);
  expect(soldAtMs).toEqual([]);
  expect(await shownStop(rig, id)).toMatchObject({ remaining: { twaps: 1 }, flatten: { status: "flattening" } });
});

test("that an order is not shown before its time is over says nothing: it is looked for twice after that", async () => {
  const rig = await limitedRig({});
  exchangeThatFills(rig, { szi: 0.5 });
  const soldAtMs = answerOnlyTaking(rig);
  void place(rig, { size: "0.001", price: "50000" });
  await pass(rig, 1);
  const [lost] = listOpenAttempts(rig.deps.store);
  if (lost === undefined) throw new Error("bug: nothing was signed");
  await flatten(rig, await stopOf(rig, "account"));
  await pass(rig, 40);
  // Stops are gone through every second and more.
  expect(soldAtMs[0]).toBeGreaterThan(endsAtMs(lost) + 2 * WITNESS_SPACING_MS);
});
