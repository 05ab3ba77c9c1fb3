import { expect, test } from "bun:test";
import type { InfoRequest } from "../../src/exchange/exchange.ts";
import { type Dated, shareInfo } from "../../src/exchange/shared-info.ts";
import { stillClock } from "../support/still-clock.ts";

const [FIRST, SECOND] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];

/** Answers with the account that is asked for, once `answerAll` is called. */
function openShared() {
  const asked: InfoRequest[] = [];
  const waiting: (() => void)[] = [];
  const info = async (request: InfoRequest) => {
    asked.push(request);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { kind: "ok" as const, json: request["user"] };
  };
  const clock = stillClock(1_000_000_000);
  const shared = shareInfo({ info }, clock);
  const ask = (user: string | undefined): Promise<Dated> =>
    shared({ type: "openOrders", user: user ?? null }, { purpose: { reader: "a" } });
  const answerAll = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { asked, ask, answerAll, clock };
}

test("two who ask for different accounts at one moment are each answered", async () => {
  const { ask, answerAll } = openShared();
  const both = Promise.all([ask(FIRST), ask(SECOND)]);
  answerAll();
  expect((await both).map(({ outcome }) => outcome)).toEqual([
    { kind: "ok", json: FIRST },
    { kind: "ok", json: SECOND },
  ]);
});

test("two who ask for the same account at one moment share one answer", async () => {
  const { asked, ask, answerAll } = openShared();
  const both = Promise.all([ask(FIRST), ask(FIRST)]);
  answerAll();
  const [one, other] = await both;
  expect([asked.length, one === other]).toEqual([1, true]);
});

test.each([
  ["goes on", 0, 1_000_000_000],
  ["is set forth", 600_000, 1_000_000_000],
  ["is set back by ten minutes", -600_000, 1_000_000_000 - 600_000],
  ["is set back by three days", -3 * 86_400_000, 1_000_000_000 - 3 * 86_400_000],
])(
  "where the wall clock %s while it is under way, an answer was asked for before that",
  async (_what, byMs, expectedMs) => {
    const { ask, answerAll, clock } = openShared();
    const asking = ask(FIRST);
    await clock.advance(400);
    clock.stepWall(byMs);
    answerAll();
    expect((await asking).askedAtMs).toBe(expectedMs);
  },
);

test("where the wall clock is set back, who shares an answer is told when it was asked for by the clock as it goes now", async () => {
  const { ask, asked, answerAll, clock } = openShared();
  const asking = ask(FIRST);
  answerAll();
  await asking;
  await clock.advance(300);
  clock.stepWall(-600_000);
  const { askedAtMs } = await ask(FIRST);
  expect([asked.length, askedAtMs]).toEqual([1, 1_000_000_000 - 600_000]);
});
