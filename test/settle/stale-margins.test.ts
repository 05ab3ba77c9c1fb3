/** Margin: what a server that is behind shows must never be told as what became of it. */
import { expect, test } from "bun:test";
import type { Ask } from "../simulation/front.ts";
import { directly, type Fate } from "../simulation/network.ts";
import { MAKER } from "../simulation/plain-venue.ts";
import { executed, limit, type Scene, trade } from "../simulation/scene.ts";
import { scenesOfThisFile } from "../simulation/scenes.ts";
import { fates, holdBack, TOO_LATE, told, typeIn, UNHEARD } from "./stale-stage.ts";

const scene = scenesOfThisFile();

function margin(amount: string): Ask {
  return { kind: "margin", market: "BTC", amount };
}

/** An isolated position of 0.01 BTC. */
async function inPosition(): Promise<Scene> {
  const s = await scene();
  await told(s, "isolated", { kind: "leverage", market: "BTC", leverage: 10, marginType: "isolated" });
  trade(s, MAKER, { isBuy: false, price: 95_050, size: "1" });
  await s.tell("position", { ...limit("buy", 95_100), timeInForce: "ioc" });
  await s.pass(1_000);
  await told(s, "reserve", margin("20"));
  await s.pass(20_000);
  return s;
}

function marginsMoved(s: Scene): bigint[] {
  return executed(s, "updateIsolatedMargin").flatMap(({ input: { action }, reply }) =>
    action.type === "updateIsolatedMargin" && reply.status === "ok" ? [action.ntli / 1_000_000n] : [],
  );
}

test.each([
  ["", 0],
  [", also where our clock was set back before that", -3_600_000],
])(
  "margin that never ran has not been added because the reading before it was from before another change%s",
  async (_also, byMs) => {
    const s = await inPosition();
    s.jumpClock(byMs);
    const held = holdBack(s);
    held.set("clearinghouseState", s.venue.snapshot());
    await told(s, "first", margin("10"));
    s.setFate(fates("updateIsolatedMargin", TOO_LATE, 2));
    s.ask("second", margin("10"));
    await s.pass(6_000);
    held.clear();
    await s.pass(60_000);
    expect(await told(s, "second", margin("10"))).toMatchObject({
      http: 202,
      status: "unknown",
      error: expect.stringContaining("the position's cash may not tell the two apart"),
    });
    expect(marginsMoved(s)).toEqual([20n, 10n]);
  },
);

test("margin that was taken out is not said to be unmoved because the reading before it lacked what was put in", async () => {
  const s = await inPosition();
  const held = holdBack(s);
  held.set("clearinghouseState", s.venue.snapshot());
  await told(s, "in", margin("10"));
  s.setFate(fates("updateIsolatedMargin", UNHEARD));
  s.ask("out", margin("-10"));
  await s.pass(6_000);
  held.clear();
  await s.pass(60_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(700_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({
    http: 202,
    status: "unknown",
    error: expect.stringContaining("The reading before it may be of before another change."),
  });
  expect(marginsMoved(s)).toEqual([20n, 10n, -10n]);
});

test("margin is read again until a server shows the change before it, and then the next one is told", async () => {
  const s = await inPosition();
  const held = holdBack(s);
  held.set("clearinghouseState", s.venue.snapshot());
  await told(s, "first", margin("10"));
  s.setFate(fates("updateIsolatedMargin", UNHEARD));
  s.ask("second", margin("10"));
  await s.pass(700);
  held.clear();
  await s.pass(20_000);
  expect(await told(s, "second", margin("10"))).toMatchObject({ http: 200, status: "succeeded" });
  expect(marginsMoved(s)).toEqual([20n, 10n, 10n]);
});

test("a reading from before the one that was taken first does not tell what a change did", async () => {
  const s = await inPosition();
  const old = s.venue.snapshot();
  await told(s, "in", margin("10"));
  await s.pass(1_000);
  const held = holdBack(s);
  s.setFate((sent) => {
    if (typeIn(sent.body) === "updateIsolatedMargin") held.set("clearinghouseState", old);
    return fates("updateIsolatedMargin", TOO_LATE, 2)(sent);
  });
  s.ask("out", margin("-10"));
  await s.pass(60_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({ http: 202, status: "unknown" });
  held.clear();
  await s.pass(10_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({ http: 202, status: "unknown" });
  await s.pass(130_000);
  expect(await told(s, "out", margin("-10"))).toMatchObject({ http: 200, status: "rejected" });
  expect(marginsMoved(s)).toEqual([20n, 10n]);
});

/** The account is shown as it was, under the time of each answer, until what is returned is called. */
function showUnderNewTimes(s: Scene, past: ReturnType<Scene["venue"]["snapshot"]>): () => void {
  let isOver = false;
  s.seeThrough((request, answer) => {
    if (isOver || request.type !== "clearinghouseState") return answer;
    const then = JSON.parse(s.venue.read(JSON.stringify(request), past).body) as object;
    return { ...then, time: Number(Object(answer).time) };
  });
  return () => {
    isOver = true;
  };
}

test("margin that was added is not said to be unmoved by a position of before it under a time of after it", async () => {
  const s = await inPosition();
  const end = showUnderNewTimes(s, s.venue.snapshot());
  s.setFate(fates("updateIsolatedMargin", UNHEARD));
  s.ask("in", margin("10"));
  await s.pass(100_000);
  expect(await told(s, "in", margin("10"))).toMatchObject({
    http: 202,
    status: "unknown",
    error: expect.stringMatching(/that it has not moved counts from 2\d{3}-/),
  });
  end();
  await s.pass(20_000);
  expect(await told(s, "in", margin("10"))).toMatchObject({ http: 200, status: "succeeded" });
  expect(marginsMoved(s)).toEqual([20n, 10n]);
});

test("margin that never ran has not been added because the position before it was of before the last, under a new time", async () => {
  const s = await inPosition();
  const old = s.venue.snapshot();
  await told(s, "first", margin("10"));
  await s.pass(20_000);
  const end = showUnderNewTimes(s, old);
  s.setFate(fates("updateIsolatedMargin", TOO_LATE, 2));
  s.ask("second", margin("10"));
  await s.pass(6_000);
  end();
  await s.pass(60_000);
  expect(await told(s, "second", margin("10"))).toMatchObject({ http: 202, status: "unknown" });
  expect(marginsMoved(s)).toEqual([20n, 10n]);
});

test("two margin changes at one moment: what cannot be told apart is not told", async () => {
  const s = await inPosition();
  const read: Fate = { arrivesAfterMs: [50], answer: { kind: "true", ofCopy: 0, afterMs: 50 } };
  const second = fates("updateIsolatedMargin", TOO_LATE, 2);
  let sent = 0;
  s.setFate((request) => {
    if (typeIn(request.body) === "clearinghouseState") return read;
    if (typeIn(request.body) === "updateIsolatedMargin") sent += 1;
    return sent > 1 ? second(request) : directly(5);
  });
  const calls = [s.ask("one", margin("10")), s.ask("two", margin("10"))];
  await s.pass(60_000);
  expect(marginsMoved(s)).toEqual([20n, 10n]);
  expect(calls.map(({ answer }) => (answer === "lost" ? answer : answer?.status)).sort()).toEqual([200, 202]);
});
