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
  const shared = shareInfo({ info }, stillClock(1_000));
  const ask = (user: string | undefined): Promise<Dated> =>
    shared({ type: "openOrders", user: user ?? null }, { purpose: { reader: "a" } });
  const answerAll = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { asked, ask, answerAll };
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
