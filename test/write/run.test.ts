import { expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError } from "../../src/core/errors.ts";
import type { WriteAnswer } from "../../src/core/idempotency.ts";
import { answerInTime } from "../../src/write/answer-in-time.ts";
import { printRequest } from "../../src/write/fingerprint.ts";
import { openRunningWrites } from "../../src/write/running.ts";
import { ACCOUNT, openGatewayRig } from "../support/gateway-rig.ts";

const ANSWER: WriteAnswer = { status: 201, body: "{}", isReplay: false };

test("64 may join a running write; the next is told how it stands, and from then on it must not vanish", async () => {
  const running = openRunningWrites();
  let finish: (answer: WriteAnswer) => void = () => undefined;
  const answer = new Promise<WriteAnswer>((resolve) => {
    finish = resolve;
  });
  expect(running.join("a", "k")).toBeNull();
  running.start("a", "k", answer);
  const joined = Array.from({ length: 64 }, () => running.join("a", "k"));
  for (const each of joined) expect(each).toBe(answer);
  expect(running.isTold("a", "k")).toBe(false);
  expect(running.join("a", "k")).toBeNull();
  expect(running.isTold("a", "k")).toBe(true);
  expect(running.join("b", "k")).toBeNull();
  finish(ANSWER);
  await running.idle();
  expect(running.join("a", "k")).toBeNull();
});

test("once somebody is told how a running write stands it must not vanish", () => {
  const running = openRunningWrites();
  running.start("a", "k", new Promise(() => undefined));
  running.tell("a", "k");
  expect(running.isTold("a", "k")).toBe(true);
});

test("nobody can be kept from knowing of a write that runs no more", () => {
  expect(openRunningWrites().isTold("a", "k")).toBe(true);
});

test("accounts and keys that would read the same side by side are kept apart", () => {
  const running = openRunningWrites();
  running.start("a", "b", new Promise(() => undefined));
  expect(running.join("a b", "")).toBeNull();
  expect(running.join("a", "b")).not.toBeNull();
});

test("the end of a write that was given back does not end the next one under its key", async () => {
  const running = openRunningWrites();
  let fail: (error: Error) => void = () => undefined;
  const first = new Promise<WriteAnswer>((_resolve, reject) => {
    fail = reject;
  });
  running.start("a", "k", first);
  const second = new Promise<WriteAnswer>(() => undefined);
  running.start("a", "k", second);
  fail(new ApiError("exchange_unreachable", "not sent"));
  await first.catch(() => undefined);
  await Promise.resolve();
  expect(running.join("a", "k")).toBe(second);
});

test("a fault after the intent is answered 202 and pursued, never thrown", async () => {
  const rig = openGatewayRig();
  rig.stopAt.add("before_send");
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(10);
  const row = rig.store.$client.prepare("SELECT id FROM orders").get();
  // The row is the one that was just stored.
  const { id } = row as { id: string };
  const asked = { route: "POST /v1/orders", fingerprint: "", asked: {}, placedTerms: null, isCreating: true };
  const plan = () => Promise.reject(new Error("bug: planned again"));
  const verb = { ...asked, bucket: "orders" as const, isCancel: false, plan };
  const write = { ...verb, caller: rig.caller, accountId: ACCOUNT.id, idempotencyKey: "key-0001", startedElapsedMs: 0 };
  const resource = { kind: "order" as const, id };
  const pursued: number[] = [];
  const settling = { ...rig.deps.settling, pursue: async (attemptId: number) => void pursued.push(attemptId) };
  const fail = () => Promise.reject(new Error("bug: a fault"));
  const answer = await answerInTime({ ...rig.deps, settling }, write, resource, fail);
  expect(answer.status).toBe(202);
  expect(JSON.parse(answer.body)).toMatchObject({ id, status: "unknown" });
  expect(pursued).toEqual([1]);
  expect(rig.log.map(({ level, message }) => [level, message])).toEqual([
    ["error", "a write failed after its intent was stored"],
  ]);
});

const bodies = fc.record({
  market: fc.constantFrom("BTC", "btc", "ETH"),
  side: fc.constantFrom("buy", "sell"),
  size: fc.constantFrom("1", "1.0", "1.00", "10", "0.1"),
  price: fc.constantFrom("100", "100.0", "1000"),
  reduceOnly: fc.boolean(),
  trigger: fc.option(
    fc.record({ price: fc.constantFrom("9", "9.0", "90"), kind: fc.constantFrom("stop_loss", "take_profit") }),
  ),
});
type Body = typeof bodies extends fc.Arbitrary<infer T> ? T : never;

/** The same by value: what two prints must agree on. */
function meaning({ market, side, size, price, reduceOnly, trigger }: Body): string {
  const kept = trigger === null ? null : [Number(trigger.price), trigger.kind];
  return JSON.stringify([market, side, Number(size), Number(price), reduceOnly, kept]);
}

test("two requests have one fingerprint exactly when they ask for the same", () => {
  fc.assert(
    fc.property(bodies, bodies, (a, b) => {
      const [one, two] = [a, b].map((body) => printRequest("POST /v1/orders", null, body));
      expect(one === two).toBe(meaning(a) === meaning(b));
    }),
    { numRuns: 2_000 },
  );
});

test("the order of members does not count, route and path id do", () => {
  const print = (route: string, id: string | null) => printRequest(route, id, { size: "1", price: "2" });
  expect(printRequest("R", null, { price: "2", size: "1" })).toBe(print("R", null));
  const prints = [print("R", null), print("S", null), print("R", "a"), print("R", "b"), print("Ra", null)];
  expect(new Set(prints).size).toBe(prints.length);
  expect(print("R", "AB")).toBe(print("R", "ab"));
});
