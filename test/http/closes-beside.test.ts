/** A bot's close beside what another key has out in the same market: only what may stand on the book has a place there to lose. */
import { expect, test } from "bun:test";
import { BOT, type Body, hold, inSeconds, limitedRig, place, railOf, refusalOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

const AT_ONCE = { side: "sell", price: "59500", size: "1", reduce_only: true, time_in_force: "ioc" };
const RESTING = { ...AT_ONCE, price: "61000", time_in_force: "gtc" };
const MAKER = { ...RESTING, time_in_force: "alo" };

/** The account holds 1, all of it the bot's by its fills; the exchange answers the other key's order with nothing yet, or loses it. */
async function besideOther(other: Body, answer: "awaited" | "lost"): Promise<Rig> {
  const rig = await limitedRig({}, [{ coin: "BTC", szi: "1" }]);
  hold(rig, "1");
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async () =>
    answer === "lost" ? { kind: "unknown", reason: "lost" } : new Promise<never>(() => undefined);
  void place(rig, other, { apiKey: KEYS.both });
  await rig.clock.advance(5_000);
  rig.deps.exchange.send = send;
  return rig;
}

test.each<[string, Body, Body, string]>([
  ["an ioc beside an ioc", AT_ONCE, AT_ONCE, "passed"],
  ["what rests beside an ioc", AT_ONCE, RESTING, "passed"],
  ["an ioc beside what may rest", RESTING, AT_ONCE, "touches"],
  ["what rests beside what may rest", RESTING, RESTING, "touches"],
  ["an ioc beside what may only rest", MAKER, AT_ONCE, "touches"],
])("%s", async (_what, other, own, rail) => {
  for (const answer of ["awaited", "lost"] as const) {
    const rig = await besideOther(other, answer);
    expect(await railOf(await inSeconds(rig, place(rig, own)))).toBe(rail);
  }
});

test("POST /v1/positions/close of the bot goes beside the close of another key that is under way", async () => {
  const rig = await besideOther(AT_ONCE, "awaited");
  const asked = {
    path: "/v1/positions/close",
    apiKey: BOT,
    idempotencyKey: "close-it-beside",
    body: { account: ACCOUNTS.main, market: "BTC" },
  };
  expect(await refusalOf(await inSeconds(rig, rig.ask(asked)))).toStartWith("20");
});
