import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Attempt,
  EXPIRY_MARGIN_MS,
  isProvenAbsent,
  lookDelayMs,
  mayNoop,
  type NoopAnswer,
  negativesNeeded,
  nextLook,
  type Seal,
  sealByNoop,
  sealByTime,
} from "../../src/core/attempt.ts";

const EXPIRES_AT_MS = 12_000;
const UNSEALED: Pick<Attempt, "seal" | "noops" | "expiresAtMs" | "hasLanded" | "negatives"> = {
  seal: null,
  noops: 1,
  expiresAtMs: EXPIRES_AT_MS,
  hasLanded: false,
  negatives: 0,
};

test.each([
  [null, false, Number.POSITIVE_INFINITY],
  ["noop", false, 1],
  ["nonce_taken", false, 6],
  ["nonce_taken", true, 24],
  ["expiry", false, 6],
  ["expiry", true, 6],
] as const)("sealed by %p, landed %p: %p clean negatives are needed", (seal, hasLanded, needed) => {
  expect(negativesNeeded({ seal, hasLanded })).toBe(needed);
});

test("nothing is proven absent without a seal, however many looks were negative", () => {
  fc.assert(
    fc.property(fc.nat(), fc.boolean(), (negatives, hasLanded) => {
      expect(isProvenAbsent({ seal: null, hasLanded, negatives })).toBe(false);
    }),
  );
});

test("one negative short of what is needed proves nothing", () => {
  for (const seal of ["noop", "nonce_taken", "expiry"] as const) {
    for (const hasLanded of [false, true]) {
      const needed = negativesNeeded({ seal, hasLanded });
      expect(isProvenAbsent({ seal, hasLanded, negatives: needed - 1 })).toBe(false);
      expect(isProvenAbsent({ seal, hasLanded, negatives: needed })).toBe(true);
    }
  }
});

test.each([
  [EXPIRES_AT_MS, null],
  [EXPIRES_AT_MS + EXPIRY_MARGIN_MS, null],
  [EXPIRES_AT_MS + EXPIRY_MARGIN_MS + 1, "expiry"],
] as const)("exchange time %i seals with %p", (chainTimeMs, seal) => {
  expect(sealByTime(UNSEALED, chainTimeMs)).toBe(seal);
});

test("a seal that stands is never replaced", () => {
  const seals = fc.constantFrom<Seal>("noop", "nonce_taken", "expiry");
  const answers = fc.constantFrom<NoopAnswer>("ok", "nonce_taken", "no_information");
  fc.assert(
    fc.property(seals, answers, fc.nat({ max: 60_000 }), fc.boolean(), (seal, answer, nowMs, hasLanded) => {
      const sealed = { ...UNSEALED, seal, hasLanded };
      expect(sealByTime(sealed, nowMs)).toBe(seal);
      const after = sealByNoop(sealed, answer, nowMs);
      expect({ seal: after.seal, hasLanded: after.hasLanded }).toEqual({ seal, hasLanded });
    }),
  );
});

test.each([
  ["ok", 1, 0, { seal: "noop", hasLanded: false }],
  ["ok", 2, 0, { seal: "noop", hasLanded: false }],
  ["nonce_taken", 1, EXPIRES_AT_MS - 1, { seal: "nonce_taken", hasLanded: true }],
  ["nonce_taken", 1, EXPIRES_AT_MS, { seal: "nonce_taken", hasLanded: false }],
  ["nonce_taken", 2, 0, { seal: "nonce_taken", hasLanded: false }],
  ["no_information", 1, 0, { seal: null, hasLanded: false }],
] as const)("noop answered %p, number %i, at %i: %p", (answer, noops, atMs, proven) => {
  const after = sealByNoop({ ...UNSEALED, noops }, answer, atMs);
  expect({ seal: after.seal, hasLanded: after.hasLanded }).toEqual(proven);
});

test("a noop is only sent while the action could still land", () => {
  expect(mayNoop(UNSEALED, EXPIRES_AT_MS - 1)).toBe(true);
  expect(mayNoop(UNSEALED, EXPIRES_AT_MS)).toBe(false);
  expect(mayNoop({ ...UNSEALED, seal: "noop" }, 0)).toBe(false);
});

test("the look that can conclude is always a sweep, and every third goes over a connection of its own", () => {
  for (const seal of ["noop", "nonce_taken", "expiry"] as const) {
    for (const hasLanded of [false, true]) {
      const needed = negativesNeeded({ seal, hasLanded });
      for (let negatives = 0; negatives < needed + 3; negatives += 1) {
        const look = nextLook({ seal, hasLanded, negatives });
        expect(look.isSweep).toBe((negatives + 1) % 6 === 0 || negatives + 1 >= needed);
        expect(look.onNewConnection).toBe((negatives + 1) % 3 === 0);
      }
    }
  }
  expect(nextLook({ seal: null, hasLanded: false, negatives: 5 }).isSweep).toBe(false);
});

test("looks come at 0, 0.5, 1, 2, 4, 4 … seconds, and every second once sealed", () => {
  expect([0, 1, 2, 3, 4, 5, 99].map((look) => lookDelayMs(look, false))).toEqual([
    0, 500, 1_000, 2_000, 4_000, 4_000, 4_000,
  ]);
  expect([0, 1, 99].map((look) => lookDelayMs(look, true))).toEqual([1_000, 1_000, 1_000]);
});
