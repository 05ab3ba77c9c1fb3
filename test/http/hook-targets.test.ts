/** Alerts that say what is to be held: lost, doubled and out of order they come to the same. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { decimal } from "../../src/core/decimal.ts";
import { stepTowards } from "../../src/core/hook/target.ts";
import { createHook } from "../../src/ops/hooks.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { awaitTakeUp, indexFill } from "./flatten-rig.ts";
import { type HooksRig, openHooksRig, timeAt } from "./hooks-rig.ts";
import { BOT } from "./rails-rig.ts";

function targetRig(grant: Parameters<typeof openHooksRig>[1] = {}): Promise<HooksRig> {
  return openHooksRig({ mode: "target", market: "BTC" }, grant);
}

async function say(rig: HooksRig, target: string, seconds = 0) {
  return rig.send({ time: timeAt(rig, seconds), target });
}

test("the bot comes to hold what was said last, by way of nothing to the other side", async () => {
  const rig = await targetRig();
  await say(rig, "0.003");
  await rig.pass(3);
  await say(rig, "0.001");
  await rig.pass(3);
  await say(rig, "-0.002");
  await rig.pass(5);
  expect(rig.orders.map(({ b, s, r }) => [b ? "buy" : "sell", s, r])).toEqual([
    ["buy", "0.003", false],
    ["sell", "0.002", true],
    ["sell", "0.001", true],
    ["sell", "0.002", false],
  ]);
  expect(rig.held.szi).toBe(-0.002);
});

test("an older alert that comes later changes nothing", async () => {
  const rig = await targetRig();
  await say(rig, "0.002", 0);
  await rig.pass(3);
  expect((await say(rig, "0.005", -30)).told).toMatchObject({ status: "superseded" });
  await rig.pass(3);
  expect(rig.held.szi).toBe(0.002);
});

test("of several that wait the newest alone is carried out", async () => {
  const rig = await targetRig();
  rig.deps.state.phase = "starting";
  await say(rig, "0.004", -3);
  await say(rig, "0.001", -1);
  await say(rig, "0.009", -2);
  rig.deps.state.phase = "ready";
  await rig.pass(3);
  expect(rig.orders.map(({ s }) => s)).toEqual(["0.001"]);
  expect(rig.deliveries().map(({ status }) => status)).toEqual(["superseded", "done", "superseded"]);
});

test("nothing is placed while the outcome of one of its orders is not known", async () => {
  const rig = await targetRig();
  const { send } = rig.deps.exchange;
  let sent = 0;
  rig.deps.exchange.send = async (body) => {
    if (JSON.parse(body).action.type === "order") sent += 1;
    return { kind: "unknown", reason: "the connection was reset" };
  };
  await say(rig, "0.003");
  await rig.pass(9);
  rig.deps.exchange.send = async (body, ...rest) =>
    JSON.parse(body).action.type === "order" ? send(body, ...rest) : { kind: "unknown", reason: "reset" };
  await say(rig, "0.005");
  await rig.pass(5);
  expect([sent, rig.orders]).toEqual([1, []]);
});

test("nothing is told to be held, and nothing placed, before what was traded since a restored backup is read", async () => {
  const rig = await targetRig();
  const takeUp = awaitTakeUp(rig);
  await say(rig, "0");
  await rig.pass(9);
  expect(rig.deliveries()[0]?.status).toBe("accepted");
  takeUp();
  await rig.pass(3);
  expect([rig.deliveries()[0]?.status, rig.orders]).toEqual(["done", []]);
});

test("nothing is told to be held, and nothing bought again, where a TWAP of after a restored backup may have been the bot's", async () => {
  const rig = await targetRig({ may: "increase,reduce,modify,cancel,twap" });
  awaitTakeUp(rig)();
  indexFill(rig, { market: "BTC", timeMs: rig.clock.nowMs(), twapId: "5" });
  await say(rig, "0.001");
  await rig.pass(3);
  const [told] = rig.deliveries();
  expect([told?.status, told?.reason, rig.orders]).toEqual([
    "refused",
    expect.stringContaining("position_unproven"),
    [],
  ]);
});

test("a target without a time is refused: of two nobody could say which is the newer", async () => {
  const rig = await targetRig();
  expect((await rig.send({ target: "1" })).status).toBe(400);
});

test("what its rails refuse is not tried in parts, and what reduces is done before that", async () => {
  const rig = await targetRig({ maxPosition: "100 USD" });
  await say(rig, "0.001");
  await rig.pass(3);
  await say(rig, "-0.01");
  await rig.pass(3);
  expect(rig.orders.map(({ b, s }) => [b, s])).toEqual([
    [true, "0.001"],
    [false, "0.001"],
  ]);
  expect(rig.deliveries()[0]).toMatchObject({ status: "refused", reason: expect.stringContaining("max_position") });
});

test("a bot has one hook that says what it is to hold", async () => {
  const rig = await targetRig();
  const terms = { name: "second", mode: "target", market: null, maxAgeMs: 60_000, sameWithinMs: 60_000 } as const;
  const rest = { maxSlippageBps: 50, sources: null, isRehearsal: false, keyHash: keyHash(BOT) };
  const operator = { ...rig.deps, network: "paper" } as const;
  expect(() => createHook(operator, { ...terms, ...rest })).toThrow("one bot, one target");
  expect(createHook(operator, { ...terms, ...rest, isRehearsal: true }).mode).toBe("target");
});

test("whatever is lost, doubled and mixed up, what was said last is held in the end", async () => {
  const amount = fc.integer({ min: -9, max: 9 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(amount, { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      async (said, draws) => {
        const rig = await targetRig();
        const next = () => Number(draws.next().value);
        const alerts = said.map((each, nth) => ({ time: timeAt(rig, nth - 10), target: String(each / 1_000) }));
        const kept = alerts.filter((_, nth) => nth === alerts.length - 1 || next() % 3 > 0);
        const mixed = [...kept, ...kept].sort(() => (next() % 2) - 0.5);
        for (const alert of mixed) {
          await rig.send(alert);
          await rig.pass(next() % 2);
        }
        await rig.pass(5);
        expect(rig.held.szi).toBe((said.at(-1) ?? 0) / 1_000);
      },
    ),
    { numRuns: 5 },
  );
});

test("steps come to the target from anywhere, and never pass nothing in one", () => {
  const size = fc.integer({ min: -50, max: 50 }).map((whole) => decimal(String(whole)));
  fc.assert(
    fc.property(size, size, (net, target) => {
      let held = Number(net);
      for (let times = 0; times < 3 && held !== Number(target); times += 1) {
        const step = stepTowards(decimal(String(held)), target);
        const before = held;
        held += step === null ? 0 : Number(step.size) * (step.side === "buy" ? 1 : -1);
        expect(before * held).toBeGreaterThanOrEqual(0);
        if (step?.reduceOnly === true) expect(Math.abs(held)).toBeLessThan(Math.abs(before));
      }
      expect(held).toBe(Number(target));
      expect(stepTowards(target, target)).toBeNull();
    }),
  );
});

/** As spot pairs are known by two names. */
function nameTwice(rig: HooksRig, another: string, name: string): void {
  const { markets } = rig.deps;
  const universe = markets.current();
  if (universe === null) throw new Error("bug: a rig without markets");
  markets.current = () => ({ ...universe, byPairName: new Map([[another, name]]) });
}

test("a market that is said by its other name is not ordered over and over", async () => {
  const rig = await openHooksRig({ mode: "target", market: "BTC/USDC" });
  nameTwice(rig, "BTC/USDC", "BTC");
  await say(rig, "0.002");
  await rig.pass(9);
  expect(rig.held.szi).toBe(0.002);
  expect(rig.orders).toHaveLength(1);
});
