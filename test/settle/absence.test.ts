/** What a single "not found" is worth, one look at a time. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Attempt, Seal } from "../../src/core/attempt.ts";
import { decimal } from "../../src/core/decimal.ts";
import type { Absence, HistoryAnswer } from "../../src/core/evidence.ts";
import type { Leg } from "../../src/core/order.ts";
import type { World } from "../../src/deps.ts";
import { isOver } from "../../src/settle/cancel/cancel.ts";
import { LASTING } from "../../src/settle/cancel/grounds.ts";
import { weighAbsence } from "../../src/settle/evidence/absence.ts";
import { gatherFillEvidence } from "../../src/settle/evidence/fill-evidence.ts";
import { startPursuit, type Tools } from "../../src/settle/pursuit.ts";
import { sendAttempt, sendNoop } from "../../src/settle/send/send.ts";
import { findAttempt, insertAttempt } from "../../src/store/attempts.ts";
import { findLegByCloid, insertLeg, updateLeg } from "../../src/store/legs.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { AGENT_ADDRESS, DELIVERY, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";

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
    sweeps: { read: bug, newestMs: () => null },
    vanished: { look: bug, shown: bug },
    evidence: gatherFillEvidence(),
    grounds: LASTING,
    misses: new Map(),
    soughtOf: bug,
    userOf: bug,
  };
}

/** Milliseconds from the start of the test until the action expires, and until nothing of it can run any more. */
const LIFE_MS = 12_000;
const ENDED_AFTER_MS = LIFE_MS + 3_000;

const ACTION: Partial<Attempt> = {
  state: "ambiguous",
  nonce: START_MS,
  expiresAtMs: START_MS + LIFE_MS,
  signer: AGENT_ADDRESS,
};

/** A history that has come so far, milliseconds from the start of the test. */
function history(newestMs: number | null, reachesBack = true): HistoryAnswer {
  const atMs = newestMs === null ? null : START_MS + newestMs;
  return { newestAtMs: atMs, listedAtMs: atMs, reachesBack };
}

test("two witnesses within a second are one", async () => {
  const rig = openGatewayRig();
  const { id } = openWith(rig, { ...ACTION, seal: "nonce_taken" });
  const missed = { pursuit: startPursuit(id), history: history(ENDED_AFTER_MS + 1) };
  const weigh = async () => weighAbsence(toolsOf(rig), findAttempt(rig.store, id) as Attempt, missed, () => undefined);
  expect([await weigh(), await weigh()]).toEqual([false, false]);
  expect(findAttempt(rig.store, id)?.negatives).toBe(1);
  await rig.clock.advance(1_000);
  expect(await weigh()).toBe(true);
});

test("what its stream tells of it while its absence is being concluded counts", async () => {
  const rig = openGatewayRig();
  const { id } = openWith(rig, { ...ACTION, seal: "nonce_taken", negatives: 1 });
  const missed = { pursuit: startPursuit(id), history: history(ENDED_AFTER_MS + 1) };
  const leg = findLegByCloid(rig.store, legRow().cloid) as Leg;
  const point = () => {
    updateLeg(rig.store, { ...leg, oid: "7" });
  };
  const tools = toolsOf({ ...rig, deps: { ...rig.deps, point } });
  expect(await weighAbsence(tools, findAttempt(rig.store, id) as Attempt, missed, () => undefined)).toBe(false);
  updateLeg(rig.store, leg);
  await rig.clock.advance(1_000);
  expect(await weighAbsence(toolsOf(rig), findAttempt(rig.store, id) as Attempt, missed, () => undefined)).toBe(true);
});

const LONG_LIFE = { ...ACTION, expiresAtMs: START_MS + 60 * 60_000 };

test.each<[string, Seal | null, number, number]>([
  ["ten seconds after its number was found to be taken, and not before", "nonce_taken", 10_001, 1],
  ["ten seconds after that, and no sooner", "nonce_taken", 10_000, 0],
  ["its end, while nothing is known of its number", null, 10_001, 0],
])("an absence is witnessed by what happened later than %s", async (_what, seal, newestMs, negatives) => {
  const rig = openGatewayRig();
  const { id } = openWith(rig, { ...LONG_LIFE, seal });
  const pursuit = startPursuit(id);
  const weigh = async (shown: HistoryAnswer | null) => {
    rig.deliveries.push(DELIVERY.neverArrived);
    const now = findAttempt(rig.store, id) as Attempt;
    return weighAbsence(toolsOf(rig), now, { pursuit, history: shown }, () => undefined);
  };
  await weigh(null);
  await rig.clock.advance(60_000);
  await weigh(history(newestMs));
  expect(findAttempt(rig.store, id)?.negatives).toBe(negatives);
});

test("a refusal in new words is concluded from two readings of everything, a second apart", async () => {
  const rig = openGatewayRig();
  const { id } = openWith(rig, { ...ACTION, seal: "nonce_taken", hasLanded: true });
  const pursuit = { ...startPursuit(id), refusal: "The order is not to our taste." };
  const ends: Absence[] = [];
  const weigh = async (shown: HistoryAnswer | null) => {
    const missed = { pursuit, history: shown };
    return weighAbsence(toolsOf(rig), findAttempt(rig.store, id) as Attempt, missed, (end) => void ends.push(end));
  };
  expect([await weigh(history(0)), await weigh(history(0))]).toEqual([false, false]);
  await rig.clock.advance(1_000);
  expect([await weigh(null), await weigh(history(0))]).toEqual([false, true]);
  expect(ends).toEqual(["refused"]);
});

type Look = { afterMs: number; history: HistoryAnswer | null; noop: "taken" | "lost" };

const looks: fc.Arbitrary<Look> = fc.record({
  afterMs: fc.constantFrom(0, 300, 999, 1_000, 1_000, 4_000),
  history: fc.oneof(
    fc.constant(null),
    fc.constantFrom<HistoryAnswer>(
      history(null),
      history(0),
      history(ENDED_AFTER_MS),
      history(ENDED_AFTER_MS + 1, false),
      history(ENDED_AFTER_MS + 1),
    ),
  ),
  noop: fc.constantFrom("lost", "lost", "lost", "lost", "taken"),
});

test("no path leads from not found to an end without our own noop, or two histories that go past it", async () => {
  const ends: (Seal | null)[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(looks, { minLength: 20, maxLength: 60 }), async (path) => {
      const rig = openGatewayRig();
      const attempt = openWith(rig, ACTION);
      const pursuit = startPursuit(attempt.id);
      let witnessedAtMs: number[] = [];
      for (const { afterMs, history: shown, noop } of path) {
        await rig.clock.advance(afterMs);
        rig.deliveries.length = 0;
        rig.deliveries.push(noop === "taken" ? DELIVERY.normal : DELIVERY.neverArrived);
        const now = findAttempt(rig.store, attempt.id) ?? attempt;
        const isConcluded = await weighAbsence(toolsOf(rig), now, { pursuit, history: shown }, () => undefined);
        const nowMs = rig.clock.elapsedMs();
        const isPast = shown?.reachesBack === true && (shown.newestAtMs ?? 0) > START_MS + ENDED_AFTER_MS;
        const isNew = nowMs - (witnessedAtMs.at(-1) ?? -1_000) >= 1_000;
        if (isPast && isNew) witnessedAtMs = [...witnessedAtMs, nowMs];
        if (!isConcluded) continue;
        const seal = findAttempt(rig.store, attempt.id)?.seal ?? null;
        if (seal !== "noop") expect(witnessedAtMs.length).toBeGreaterThanOrEqual(2);
        ends.push(seal);
        return;
      }
    }),
    { numRuns: 300 },
  );
  // Both ways were gone, and often.
  for (const seal of ["noop", "expiry"]) expect(ends.filter((end) => end === seal).length).toBeGreaterThan(3);
});

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
  expect(result).toMatchObject({ kind: "ambiguous", reason: "no_answer" });
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
  const asleep: World = { ...rig.deps, point: () => rig.clock.advance(rig.deps.settings.timings.actionLifeMs) };
  expect(await sendNoop(asleep, attempt)).toMatchObject({ kind: "ambiguous", reason: "no_answer" });
  expect(rig.exchange.sent).toEqual([]);
});
