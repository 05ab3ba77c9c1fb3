/** What a single "not found" is worth, one look at a time. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Attempt, Seal } from "../../src/core/attempt.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { World } from "../../src/deps.ts";
import { type Missed, weighAbsence } from "../../src/settle/absence.ts";
import { isOver } from "../../src/settle/cancel.ts";
import { openChainTime } from "../../src/settle/chain-time.ts";
import { gatherFillEvidence } from "../../src/settle/fill-evidence.ts";
import { startPursuit, type Tools } from "../../src/settle/pursuit.ts";
import { sendAttempt, sendNoop } from "../../src/settle/send.ts";
import { findAttempt, insertAttempt } from "../../src/store/attempts.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { AGENT_ADDRESS, DELIVERY, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";

const SEALED = { seal: "expiry", state: "ambiguous", expiresAtMs: START_MS } as const;

function openWith(rig: GatewayRig, some: Partial<Attempt>): Attempt {
  insertOrder(rig.store, orderRow());
  insertLeg(rig.store, legRow());
  return insertAttempt(rig.store, attemptRow(some));
}

function toolsOf({ deps }: GatewayRig): Tools {
  const bug = () => {
    throw new Error("not in this test");
  };
  return {
    world: deps,
    chainTime: openChainTime(deps),
    sweeps: { read: bug },
    vanished: { look: bug },
    evidence: gatherFillEvidence(() => undefined),
    soughtOf: bug,
    userOf: bug,
  };
}

function missed(some: Partial<Missed> = {}): Missed {
  const pursuit = startPursuit(1);
  return { pursuit, chainTimeMs: START_MS + 60_000, isSweep: true, isCovered: true, ...some };
}

test("two looks within a second are one look", async () => {
  const rig = openGatewayRig();
  const attempt = openWith(rig, SEALED);
  const one = missed();
  await weighAbsence(toolsOf(rig), attempt, one, () => undefined);
  await weighAbsence(toolsOf(rig), findAttempt(rig.store, attempt.id) ?? attempt, one, () => undefined);
  expect(findAttempt(rig.store, attempt.id)?.negatives).toBe(1);
  await rig.clock.advance(1_000);
  await weighAbsence(toolsOf(rig), findAttempt(rig.store, attempt.id) ?? attempt, one, () => undefined);
  expect(findAttempt(rig.store, attempt.id)?.negatives).toBe(2);
});

test.each([
  ["enough looks and a sweep", { negatives: 5 }, {}, true],
  ["the last look was no sweep", { negatives: 5 }, { isSweep: false }, false],
  ["one look short", { negatives: 4 }, {}, false],
  ["no time of the exchange", { negatives: 5 }, { chainTimeMs: null }, false],
  ["a state older than the expiry", { negatives: 5 }, { chainTimeMs: START_MS + 3_000 }, false],
] as const)("absence with %s", async (_name, attempt, look, isProven) => {
  const rig = openGatewayRig();
  const row = openWith(rig, { ...SEALED, ...attempt });
  let concluded = 0;
  const done = await weighAbsence(toolsOf(rig), row, missed(look), () => {
    concluded += 1;
  });
  expect([done, concluded]).toEqual([isProven, isProven ? 1 : 0]);
});

/** The noop's answer came five seconds after the start by our idea of the exchange's time; the action lives for twelve. */
const NOOP_AT_MS = START_MS + 5_000;
const ALIVE = { ...SEALED, expiresAtMs: START_MS + 12_000 };

test.each([
  ["a state after our noop took the nonce", { seal: "noop", negatives: 0 }, NOOP_AT_MS + 1, true],
  ["a state before our noop took the nonce", { seal: "noop", negatives: 0 }, NOOP_AT_MS, false],
  ["a state within the action's life, its nonce taken", { seal: "nonce_taken", negatives: 5 }, NOOP_AT_MS + 1, false],
  ["a state past the action's life, its nonce taken", { seal: "nonce_taken", negatives: 5 }, START_MS + 15_001, true],
] as const)("absence by %s", async (_name, attempt, chainTimeMs, isProven) => {
  const rig = openGatewayRig();
  const row = openWith(rig, { ...ALIVE, ...attempt });
  const pursuit = { ...startPursuit(1), sealedAtMs: NOOP_AT_MS };
  expect(await weighAbsence(toolsOf(rig), row, missed({ pursuit, chainTimeMs }), () => undefined)).toBe(isProven);
});

type Look = { afterMs: number; chainLagMs: number | null; isSweep: boolean; isNoopTaken: boolean };

/** Mostly looks that could count, so that most paths get to an end. */
const looks: fc.Arbitrary<Look> = fc.record({
  afterMs: fc.constantFrom(0, 300, 999, 1_000, 1_000, 4_000),
  chainLagMs: fc.constantFrom(0, 0, 0, 500, 20_000, null),
  isSweep: fc.constantFrom(true, true, false),
  isNoopTaken: fc.nat(19).map((nth) => nth === 0),
});

/** Milliseconds from the start of the test until the action expires, and until its expiry seals it. */
const LIFE_MS = 12_000;
const SEALED_AFTER_MS = LIFE_MS + 3_000;

test("no path leads from not found to an end without a seal, and clean looks a second apart after it", async () => {
  const ends: Seal[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(looks, { minLength: 20, maxLength: 60 }), async (path) => {
      const rig = openGatewayRig();
      const attempt = openWith(rig, {
        state: "ambiguous",
        nonce: START_MS,
        expiresAtMs: START_MS + LIFE_MS,
        signer: AGENT_ADDRESS,
      });
      const pursuit = startPursuit(attempt.id);
      let noopAtMs = Number.POSITIVE_INFINITY;
      let cleanAtMs: number[] = [];
      for (const { afterMs, chainLagMs, isSweep, isNoopTaken } of path) {
        await rig.clock.advance(afterMs);
        const nowMs = rig.clock.elapsedMs();
        rig.deliveries.length = 0;
        rig.deliveries.push(isNoopTaken ? DELIVERY.normal : DELIVERY.neverArrived);
        const stateMs = chainLagMs === null ? null : nowMs - chainLagMs;
        const now = findAttempt(rig.store, attempt.id) ?? attempt;
        const look = { pursuit, chainTimeMs: stateMs === null ? null : START_MS + stateMs, isSweep, isCovered: true };
        const isConcluded = await weighAbsence(toolsOf(rig), now, look, () => undefined);
        const sealedAtMs = Math.min(noopAtMs, SEALED_AFTER_MS);
        const isClean = stateMs !== null && stateMs > sealedAtMs && nowMs - (cleanAtMs.at(-1) ?? -1_000) >= 1_000;
        if (isClean) cleanAtMs = [...cleanAtMs, nowMs];
        const after = findAttempt(rig.store, attempt.id);
        if (isConcluded) {
          expect(isSweep).toBe(true);
          expect(cleanAtMs.length).toBeGreaterThanOrEqual(after?.seal === "noop" ? 1 : 6);
          if (after?.seal === null || after?.seal === undefined) throw new Error("ended without a seal");
          ends.push(after.seal);
          return;
        }
        if (after?.seal === "noop") noopAtMs = Math.min(noopAtMs, nowMs);
      }
    }),
    { numRuns: 300 },
  );
  // Both ways were gone, and often.
  for (const seal of ["noop", "expiry"]) expect(ends.filter((end) => end === seal).length).toBeGreaterThan(3);
}, 30_000);

test("an order with all legs closed is over only when every placing is settled", () => {
  const rig = openGatewayRig();
  insertOrder(rig.store, orderRow());
  insertLeg(rig.store, legRow({ state: "canceled" }));
  const { id } = insertAttempt(rig.store, attemptRow({ state: "ambiguous" }));
  expect(isOver(rig.deps, orderRow().id)).toBe(false);
  rig.store.$client.run(`UPDATE attempts SET state = 'done' WHERE id = ${id}`);
  insertAttempt(rig.store, attemptRow({ kind: "cancel", nonce: 2, state: "ambiguous" }));
  expect(isOver(rig.deps, orderRow().id)).toBe(true);
  insertLeg(rig.store, legRow({ cloid: "0x2", ordinal: 1, state: "resting", size: decimal("1") }));
  expect(isOver(rig.deps, orderRow().id)).toBe(false);
});

test("nothing thrown leaves the sending of an action", async () => {
  const rig = openGatewayRig();
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(0);
  const attempt = findAttempt(rig.store, 1);
  if (attempt === null) throw new Error("nothing stored");
  rig.deliveries.push(() => {
    throw new Error("a bug on the way out");
  });
  const result = await sendAttempt(rig.deps, attempt, "order");
  expect(result).toMatchObject({ kind: "reply", reply: { kind: "ambiguous", reason: "no_answer" } });
  rig.deps.signers.lock();
  expect(await sendAttempt(rig.deps, attempt, "order")).toMatchObject({ kind: "not_sent", isOurFault: true });
});

test("a process that stands still before it sends lets nothing leave that has expired meanwhile", async () => {
  const rig = openGatewayRig();
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(0);
  const attempt = findAttempt(rig.store, 1);
  if (attempt === null) throw new Error("nothing stored");
  rig.exchange.sent.length = 0;
  // Longer than half a life and shorter than a whole one.
  const stopMs = rig.deps.settings.timings.actionLifeMs * 0.6;
  const stopped: World = {
    ...rig.deps,
    point: (name) => (name === "before_send" ? rig.clock.advance(stopMs) : undefined),
  };
  expect(await sendAttempt(stopped, attempt, "order")).toMatchObject({ kind: "not_sent", isOurFault: true });
  expect(await sendNoop(stopped, attempt)).toMatchObject({ kind: "ambiguous", reason: "no_answer" });
  expect(rig.exchange.sent).toEqual([]);
});
