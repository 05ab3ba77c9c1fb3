/** Alerts as their sender meets them: what is taken, what is one, and what becomes of it. */
import { expect, test } from "bun:test";
import { endHook } from "../../src/ops/hooks.ts";
import { resumeTrading, stopByOperator } from "../../src/ops/stop-trading.ts";
import { setKeyState } from "../../src/store/api-keys.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { type HooksRig, openHooksRig, timeAt } from "./hooks-rig.ts";
import { BOT } from "./rails-rig.ts";
import { ACCOUNTS } from "./rig.ts";

const BUY = { market: "BTC", side: "buy", size: "0.001" } as const;

function fates(rig: HooksRig): string[] {
  return rig.deliveries().map(({ status }) => status);
}

test("four deliveries of one alert are one order, within half a percent of the best price", async () => {
  const rig = await openHooksRig();
  const alert = { ...BUY, time: timeAt(rig), id: "Long" };
  for (let times = 0; times < 4; times += 1) {
    expect(await rig.send(alert)).toMatchObject({ status: 200, told: { status: times === 0 ? "accepted" : "done" } });
    await rig.pass(7);
  }
  expect(rig.orders).toMatchObject([{ b: true, s: "0.001", p: "60310", r: false }]);
  expect(rig.deliveries()).toMatchObject([{ status: "done", steps: 1, repeats: 3 }]);
});

test("alerts without a time that say the same are one for as long as the hook says, and then another", async () => {
  const rig = await openHooksRig({ sameWithinMs: 30_000 });
  for (const seconds of [0, 10, 19, 2]) {
    await rig.pass(seconds);
    await rig.send({ ...BUY });
  }
  await rig.pass(2);
  expect(rig.orders).toHaveLength(2);
});

/** `isHeard`: by a process that is still there. */
type Setting = { setByMs: number; apartS: number; isHeard?: boolean; orders: number };
const SET: [string, Setting][] = [
  ["ahead by two hours, and it came again", { setByMs: 7_200_000, apartS: 5, orders: 1 }],
  ["ahead by two minutes, and it came again", { setByMs: 120_000, apartS: 5, orders: 1 }],
  ["back by two hours, and it came again", { setByMs: -7_200_000, apartS: 5, orders: 1 }],
  [
    "back by two hours, and it came again to another process",
    { setByMs: -7_200_000, apartS: 5, isHeard: false, orders: 1 },
  ],
  ["back by two hours, and another that says the same came later", { setByMs: -7_200_000, apartS: 90, orders: 2 }],
  ["back by 85 seconds, and another that says the same came later", { setByMs: -85_000, apartS: 90, orders: 2 }],
  [
    "back by two hours, and another that says the same came later to another process",
    { setByMs: -7_200_000, apartS: 90, isHeard: false, orders: 2 },
  ],
  ["ahead by two hours, and another that says the same came later", { setByMs: 7_200_000, apartS: 90, orders: 2 }],
  ["not at all, and another that says the same came later", { setByMs: 0, apartS: 61, orders: 2 }],
];
test.each(SET)("an alert without a time, and a clock that was set %s", async (_what, set) => {
  const { setByMs, apartS, isHeard = true, orders } = set;
  const rig = await openHooksRig();
  const exchangeStartMs = rig.clock.nowMs() - rig.clock.elapsedMs();
  rig.deps.exchange.nowMs = () => exchangeStartMs + rig.clock.elapsedMs();
  await rig.send({ ...BUY });
  await rig.pass(2);
  rig.restart();
  if (!isHeard) rig.deps.store.memory.heardAlerts.clear();
  rig.clock.stepWall(setByMs);
  await rig.pass(apartS - 2);
  await rig.send({ ...BUY });
  await rig.pass(2);
  expect(rig.orders).toHaveLength(orders);
});

test("what says another time, or another id, is another alert", async () => {
  const rig = await openHooksRig();
  const time = timeAt(rig);
  for (const some of [{ id: "a" }, { id: "b" }, { id: "b", time: timeAt(rig, -1) }])
    await rig.send({ ...BUY, time, ...some });
  await rig.pass(3);
  expect(rig.orders).toHaveLength(3);
});

test("with the exchange down it is answered at once, and placed when the exchange is back", async () => {
  const rig = await openHooksRig();
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async () => ({ kind: "not_sent", reason: "connection refused" });
  expect(await rig.send({ ...BUY, time: timeAt(rig) })).toMatchObject({ status: 200, told: { status: "accepted" } });
  await rig.pass(10);
  expect(fates(rig)).toEqual(["accepted"]);
  rig.deps.exchange.send = send;
  await rig.pass(3);
  expect(rig.orders).toHaveLength(1);
});

/** `jumps`: what our clock is set on by with the stop, and back with its end; milliseconds. */
type Stopped = { begins: number; ends: number; reduces?: boolean; jumps?: [number, number]; is: [string, number] };
const STOPPED: [string, Stopped][] = [
  [
    "a stop while it waited, and our clock set back before that",
    { begins: 1, ends: 2, jumps: [-30_000, 30_000], is: ["refused", 0] },
  ],
  [
    "a stop before it came, by a clock that was ahead until then",
    { begins: -2, ends: -1, jumps: [3_600_000, -3_600_000], is: ["done", 1] },
  ],
  ["a stop that began before it and ended while it waited", { begins: -1, ends: 2, is: ["refused", 0] }],
  ["a stop that began and ended while it waited", { begins: 1, ends: 2, is: ["refused", 0] }],
  ["a stop that ended before it came", { begins: -2, ends: -1, is: ["done", 1] }],
  ["a reduction, and a stop while it waited", { begins: 1, ends: 2, reduces: true, is: ["done", 1] }],
];

test.each(STOPPED)(
  "%s: what increases is carried out only where no stop was",
  async (_what, { begins, ends, reduces, jumps: [onMs, backMs] = [0, 0], is }) => {
    const rig = await openHooksRig();
    const reduce = { side: "sell", reduce_only: true } as const;
    if (reduces === true) {
      await rig.send({ ...BUY, time: timeAt(rig, -1) });
      await rig.pass(2);
    }
    const before = rig.orders.length;
    const operator = { ...rig.deps, network: "paper" } as const;
    const of = { accountId: ACCOUNTS.main, stopId: null };
    // Stored, and then the process dies: the next one finds it.
    rig.hooks().stop();
    const jump = (ms: number) => {
      const { nowMs } = rig.deps.clock;
      rig.deps.clock.nowMs = () => nowMs() + ms;
    };
    for (let second = -2; second <= 2; second += 1) {
      if (second === begins) jump(onMs);
      if (second === begins)
        stopByOperator(operator, { accountId: of.accountId, keyHash: null, keepsProtection: true });
      if (second === ends) resumeTrading(operator, of);
      if (second === ends) jump(backMs);
      if (second === 0) await rig.send({ ...BUY, ...(reduces === true ? reduce : {}), time: timeAt(rig) });
      await rig.pass(1);
    }
    rig.restart();
    await rig.pass(5);
    expect([fates(rig)[0], rig.orders.length - before]).toEqual(is);
  },
);

test("what could not be sent in its time is not sent after it", async () => {
  const rig = await openHooksRig({ maxAgeMs: 20_000 });
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async () => ({ kind: "not_sent", reason: "connection refused" });
  await rig.send({ ...BUY, time: timeAt(rig, -5) });
  await rig.pass(16);
  rig.deps.exchange.send = send;
  await rig.pass(3);
  expect([fates(rig), rig.orders]).toEqual([["too_old"], []]);
});

test("one that arrives too old is kept, and told, and never sent", async () => {
  const rig = await openHooksRig();
  expect(await rig.send({ ...BUY, time: timeAt(rig, -61) })).toMatchObject({
    status: 200,
    told: { status: "too_old" },
  });
  await rig.pass(2);
  expect(rig.orders).toEqual([]);
});

test("a process that dies while it is sent leaves an order that is looked for, and not placed again", async () => {
  const rig = await openHooksRig();
  let sent = 0;
  rig.deps.exchange.send = () => {
    sent += 1;
    return new Promise(() => undefined);
  };
  await rig.send({ ...BUY, time: timeAt(rig) });
  await rig.pass(1);
  rig.restart();
  await rig.pass(3);
  expect([sent, fates(rig)]).toEqual([1, ["done"]]);
  expect(rig.deliveries()[0]).toMatchObject({ steps: 1, orderId: expect.any(String) });
});

type Exchange = HooksRig["deps"]["exchange"];

/** How the process dies that has taken an alert. */
const DEATHS: [string, (rig: HooksRig, send: Exchange["send"]) => void][] = [
  ["before anything of it is carried out", (rig) => rig.hooks().stop()],
  [
    "while it is sent, and the exchange has taken it",
    (rig, send) => {
      rig.deps.exchange.send = async (...sent) => {
        await send(...sent);
        return new Promise(() => undefined);
      };
    },
  ],
  [
    "once it is answered, before that is written down with the alert",
    (rig, send) => {
      rig.deps.exchange.send = (...sent) => {
        rig.hooks().stop();
        return send(...sent);
      };
    },
  ],
];

test.each(DEATHS)("delivered again after a death %s it is one order", async (_when, die) => {
  const rig = await openHooksRig();
  const alert = { ...BUY, time: timeAt(rig), id: "Long" };
  const { send } = rig.deps.exchange;
  die(rig, send);
  await rig.send(alert);
  await rig.pass(1);
  rig.deps.exchange.send = send;
  rig.restart();
  await rig.send(alert);
  await rig.pass(5);
  await rig.send(alert);
  await rig.pass(1);
  expect(rig.orders).toHaveLength(1);
  expect(rig.deliveries()).toMatchObject([{ status: "done", steps: 1, repeats: 2, orderId: expect.any(String) }]);
});

test("one that dies before anything is stored leaves the alert to the next", async () => {
  const rig = await openHooksRig();
  rig.hooks().stop();
  await rig.send({ ...BUY, time: timeAt(rig) });
  await rig.pass(2);
  expect(rig.orders).toEqual([]);
  rig.restart();
  await rig.pass(2);
  expect(rig.orders).toHaveLength(1);
});

test("what closes does not overtake what opens", async () => {
  const rig = await openHooksRig();
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async () => ({ kind: "not_sent", reason: "connection refused" });
  await rig.send({ ...BUY, time: timeAt(rig, -2) });
  await rig.send({ ...BUY, side: "sell", reduce_only: true, time: timeAt(rig, -1) });
  await rig.pass(3);
  rig.deps.exchange.send = send;
  await rig.pass(3);
  expect(rig.orders.map(({ b, r }) => [b, r])).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("the rails of its key hold, and say why nothing was placed", async () => {
  const rig = await openHooksRig({}, { maxOrder: "50 USD" });
  await rig.send({ ...BUY, time: timeAt(rig) });
  await rig.pass(2);
  expect(rig.deliveries()).toMatchObject([{ status: "refused", reason: expect.stringContaining("Rail max_order") }]);
  expect(rig.orders).toEqual([]);
});

test("a key that is blocked, and a hook that is revoked, carry nothing out any more", async () => {
  const rig = await openHooksRig();
  setKeyState(rig.deps.store, keyHash(BOT), "blocked", rig.clock.nowMs());
  await rig.send({ ...BUY, time: timeAt(rig) });
  await rig.pass(1);
  expect([fates(rig), rig.orders]).toEqual([["refused"], []]);
  setKeyState(rig.deps.store, keyHash(BOT), "active", rig.clock.nowMs());
  rig.deps.state.phase = "starting";
  await rig.send({ ...BUY, time: timeAt(rig) });
  endHook({ ...rig.deps, network: "paper" }, { id: rig.hook.id });
  rig.deps.state.phase = "ready";
  await rig.pass(2);
  expect(rig.orders).toEqual([]);
  expect((await rig.send({ ...BUY })).status).toBe(404);
});

const REFUSED = [
  ["a member that is none", { ...BUY, leverage: "5" }, "the members of such an alert"],
  ["a size that is a number", '{"market":"BTC","side":"buy","size":0.5}', "size must be"],
  ["a size of nothing", { ...BUY, size: "0" }, "size must be"],
  ["a size with zeros before it", { ...BUY, size: "00.001" }, "size must be"],
  ["a size that ends in a point", { ...BUY, size: "1." }, "size must be"],
  ["a price with an exponent", { ...BUY, price: "6e4" }, "price must be"],
  ["two members of one name", '{"market":"BTC","side":"buy","side":"sell","size":"1"}', "comes twice"],
  ["words", "BTC crossed 60000", "cannot be parsed"],
  ["a placeholder that was not filled in", { ...BUY, size: "{{strategy.order.contracts}}" }, "size must be"],
  ["a time that is none", { ...BUY, time: "2026-02-30T00:00:00Z" }, "time must be"],
  ["a time from tomorrow", { ...BUY, time: "2026-12-31T00:00:00Z" }, "ahead of this machine's clock"],
  ["no market", { side: "buy", size: "1" }, "market must name"],
] as const;

test.each(REFUSED)("%s is refused, and kept with the reason", async (_what, body, reason) => {
  const rig = await openHooksRig();
  expect(await rig.send(body)).toMatchObject({
    status: 400,
    told: { error: { message: expect.stringContaining(reason) } },
  });
  await rig.pass(1);
  expect(rig.deliveries()).toMatchObject([
    { status: "refused", alertAtMs: null, reason: expect.stringContaining(reason) },
  ]);
  expect(rig.orders).toEqual([]);
});

test("text/plain is taken, what is too long is not, and an address that opens nothing is soon asked in vain", async () => {
  const rig = await openHooksRig({ market: "BTC" });
  const plain = { headers: { "Content-Type": "text/plain; charset=utf-8" } };
  expect((await rig.send({ side: "buy", size: "0.001" }, plain)).status).toBe(200);
  expect((await rig.send({ ...BUY, market: "ETH" })).status).toBe(400);
  expect((await rig.send({ ...BUY, id: "x".repeat(5_000) })).status).toBe(400);
  expect((await rig.send({ ...BUY }, { headers: { "Content-Type": "text/html" } })).status).toBe(400);
  const wrong = { secret: `hook_${"0".repeat(64)}` };
  const answers: number[] = [];
  for (let times = 0; times < 22; times += 1) answers.push((await rig.send({ ...BUY }, wrong)).status);
  expect([answers[0], answers[21]]).toEqual([404, 429]);
});

test("it takes alerts from the networks that are named for it and for its key, and from nowhere else", async () => {
  const rig = await openHooksRig({ sources: "203.0.113.7/32" }, { sources: "203.0.113.0/24" });
  expect((await rig.send({ ...BUY })).status).toBe(200);
  expect((await rig.send({ ...BUY }, { from: "203.0.113.8" })).status).toBe(403);
  const other = await openHooksRig({}, { sources: "198.51.100.0/24" });
  expect((await other.send({ ...BUY })).status).toBe(403);
});

test("what opens a hook is in no log and no row", async () => {
  const rig = await openHooksRig();
  await rig.send({ ...BUY, id: "{{x}}" });
  await rig.send("not json");
  await rig.pass(1);
  expect(rig.log.some(({ message }) => message === "request")).toBe(true);
  expect(JSON.stringify(rig.log)).not.toContain(rig.hook.secret.slice(0, 20));
  expect(Buffer.from(rig.deps.store.$client.serialize()).includes(rig.hook.secret.slice(5))).toBe(false);
});

test("while an upgrade is on trial nothing is kept, and the sender is told to come again", async () => {
  const rig = await openHooksRig();
  rig.deps.state.phase = "trial";
  expect((await rig.send({ ...BUY })).status).toBe(503);
  expect(rig.deliveries()).toEqual([]);
});
