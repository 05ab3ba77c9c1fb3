import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Attempt,
  isNoopDue,
  lookDelayMs,
  mayNoop,
  type NoopAnswer,
  overByMs,
  type Seal,
  sealByNoop,
  sweepDelayMs,
} from "../../src/core/attempt.ts";

const EXPIRES_AT_MS = 12_000;
const DAY_MS = 86_400_000;
const UNSEALED: Pick<Attempt, "seal" | "nonce" | "noops" | "expiresAtMs" | "hasLanded"> = {
  seal: null,
  nonce: 0,
  noops: 1,
  expiresAtMs: EXPIRES_AT_MS,
  hasLanded: false,
};

test("a seal that stands is never replaced", () => {
  const seals = fc.constantFrom<Seal>("noop", "nonce_taken", "expiry");
  const answers = fc.constantFrom<NoopAnswer>("ok", "duplicate", "too_low", "no_information");
  fc.assert(
    fc.property(seals, answers, fc.nat({ max: 60_000 }), fc.boolean(), (seal, answer, nowMs, hasLanded) => {
      const after = sealByNoop({ ...UNSEALED, seal, hasLanded }, answer, nowMs);
      expect({ seal: after.seal, hasLanded: after.hasLanded }).toEqual({ seal, hasLanded });
    }),
  );
});

test.each([
  ["ok", 1, 0, { seal: "noop", hasLanded: false }],
  ["ok", 2, EXPIRES_AT_MS + 1, { seal: "noop", hasLanded: false }],
  ["duplicate", 1, EXPIRES_AT_MS - 1, { seal: "nonce_taken", hasLanded: true }],
  ["duplicate", 1, EXPIRES_AT_MS, { seal: "nonce_taken", hasLanded: false }],
  ["duplicate", 2, 0, { seal: "nonce_taken", hasLanded: false }],
  ["too_low", 1, 0, { seal: "nonce_taken", hasLanded: false }],
  ["no_information", 1, 0, { seal: null, hasLanded: false }],
] as const)("noop answered %p, number %i, at %i: %p", (answer, noops, atMs, proven) => {
  const after = sealByNoop({ ...UNSEALED, noops }, answer, atMs);
  expect({ seal: after.seal, hasLanded: after.hasLanded }).toEqual(proven);
});

test("a noop asks for a number as long as the exchange still knows it, the action's own time over or not", () => {
  expect(mayNoop(UNSEALED, EXPIRES_AT_MS - 1)).toBe(true);
  expect(mayNoop(UNSEALED, EXPIRES_AT_MS + 60_000)).toBe(true);
  expect(mayNoop(UNSEALED, DAY_MS)).toBe(false);
  expect(mayNoop({ ...UNSEALED, seal: "noop" }, 0)).toBe(false);
});

test("an action is over at its end, or before that when its number was found to be taken", () => {
  const expires = { expiresAtMs: 12_000 };
  expect([null, 4_000, 14_999, 15_001].map((takenByMs) => overByMs(expires, takenByMs))).toEqual([
    15_000, 4_000, 14_999, 15_000,
  ]);
});

test("noops come six seconds apart, and thirty once the action has expired", () => {
  expect([null, 0, 1].map((lastMs) => isNoopDue(lastMs, 6_000, false))).toEqual([true, true, false]);
  expect([null, 0, 1].map((lastMs) => isNoopDue(lastMs, 30_000, true))).toEqual([true, true, false]);
});

test("looks come often at first, then ever more seldom, and never end", () => {
  const looks = [0, 1, 2, 3, 4, 5, 6, 7, 8, 39, 40, 999];
  expect(looks.map((nth) => lookDelayMs(nth, "place"))).toEqual([
    0, 500, 550, 1_000, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 10_000, 10_000,
  ]);
  expect(looks.map((nth) => lookDelayMs(nth, "cancel"))).toEqual([
    0, 500, 550, 500, 500, 1_000, 1_000, 1_000, 4_000, 4_000, 10_000, 10_000,
  ]);
  expect([0, 1, 2, 3, 4, 5, 99].map(sweepDelayMs)).toEqual([0, 1_500, 3_000, 6_000, 12_000, 30_000, 30_000]);
});
