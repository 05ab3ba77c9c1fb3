import type { Account } from "../core/account.ts";
import { type Attempt, type AttemptKind, lookDelayMs } from "../core/attempt.ts";
import type { Settling, With, World } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { findAttempt, listOpenAttempts, listSameAction } from "../store/attempts.ts";
import { findLegByCloid, listLegs } from "../store/legs.ts";
import { findOrder } from "../store/orders.ts";
import { stepCancel } from "./cancel/pursue-cancel.ts";
import { burnWhenDue } from "./evidence/absence.ts";
import { askedTerms } from "./evidence/difference.ts";
import { gatherFillEvidence } from "./evidence/fill-evidence.ts";
import { openVanished } from "./evidence/vanished.ts";
import { liveLeg } from "./look/apply-sight.ts";
import type { Sought } from "./look/look.ts";
import { openLooks } from "./look/looks.ts";
import { openSweeps } from "./look/sweeps.ts";
import { stepModify } from "./modify/pursue-modify.ts";
import { stepLeverage } from "./operation/leverage.ts";
import { stepMargin } from "./operation/margin.ts";
import { stepTwap } from "./operation/twap.ts";
import { stepTwapCancel } from "./operation/twap-cancel.ts";
import { stepPlace } from "./place/pursue-place.ts";
import { type Pursuit, startPursuit, type Tools } from "./pursuit.ts";
import { openAttempt } from "./record/record.ts";
import { openTurns } from "./turns.ts";

export type Settler = Settling & {
  /** What every step works with, for those who look beside it. */
  tools: Tools;
  /** Takes up every attempt that an earlier process left open. Resolves once each has been looked at once. */
  takeUp(): Promise<void>;
  /** Takes up again what nobody follows: of an order that was given up and then heard of. */
  resume(): void;
  /** Ends the pursuits where they stand; what is open goes on at the next start. */
  stop(): void;
};

/** Steps that run at once; the rest waits its turn, first come first served. */
const MAX_STEPS_AT_ONCE = 8;

type RunningPursuit = { pursuit: Pursuit; settled: Promise<void>; firstLook: Promise<void> };

/**
 * Follows every open attempt until it is settled, and answers what one look can.
 *
 * @param onSettled called with the id of the order of every attempt that was followed to its end
 */
export function openSettler(world: World, onSettled: (orderId: string) => void = () => undefined): Settler {
  const evidence = gatherFillEvidence();
  const sweeps = openSweeps(world);
  const tools: Tools = {
    world,
    sweeps,
    vanished: openVanished(world, evidence, sweeps),
    evidence,
    soughtOf: (attempt) => soughtOf(world, attempt),
    userOf: (attempt) => accountOf(world, attempt).tradingAddress,
  };
  const running = new Map<number, RunningPursuit>();
  const turns = openTurns(MAX_STEPS_AT_ONCE);
  const looks = openLooks(tools);
  let isStopped = false;

  function begin(attemptId: number): RunningPursuit {
    // A pursuit goes on under a new attempt when it issues its action again.
    const known =
      running.get(attemptId) ?? [...running.values()].find(({ pursuit }) => pursuit.attemptId === attemptId);
    if (known !== undefined) return known;
    const pursuit = startPursuit(attemptId, noopOf(attemptId));
    let looked: () => void = () => undefined;
    const firstLook = new Promise<void>((resolve) => {
      looked = resolve;
    });
    const settled = follow(pursuit, looked)
      .catch((error: unknown) => {
        world.log.error({ attempt: pursuit.attemptId, error: String(error) }, "a pursuit ended by a fault of ours");
      })
      .finally(() => {
        running.delete(attemptId);
        looked();
      });
    const started = { pursuit, settled, firstLook };
    running.set(attemptId, started);
    return started;
  }

  /** Who follows another of its batch asks for the same number. */
  function noopOf(attemptId: number): Pursuit["noop"] | undefined {
    const attempt = findAttempt(world.store, attemptId);
    if (attempt === null) return undefined;
    const same = new Set(listSameAction(world.store, attempt).map(({ id }) => id));
    return [...running.values()].find(({ pursuit }) => same.has(pursuit.attemptId))?.pursuit.noop;
  }

  async function follow(pursuit: Pursuit, looked: () => void): Promise<void> {
    while (!isStopped) {
      const pauseMs = await turns.take(async () => (isStopped ? null : stepOnce(tools, pursuit)));
      looked();
      if (isStopped) return;
      if (pauseMs === null) return tellSettled(pursuit.attemptId);
      await world.clock.sleep(pauseMs);
    }
  }

  function tellSettled(attemptId: number): void {
    const resource = findAttempt(world.store, attemptId)?.resource;
    if (resource?.kind === "order") onSettled(resource.id);
  }

  return {
    tools,
    pursue(attemptId, refusal = null) {
      const { pursuit, settled } = begin(attemptId);
      pursuit.refusal ??= refusal;
      return settled;
    },
    async burn(attemptId) {
      const attempt = openAttempt(world.store, attemptId);
      if (attempt === null) return;
      const { pursuit } = begin(attemptId);
      // A second noop while the first is out could meet it, and would tell nothing.
      await burnWhenDue(tools, attempt, pursuit);
    },
    look: (orderId, purpose = "read") => looks.look(orderId, purpose),
    openCount: () => listOpenAttempts(world.store).length,
    async takeUp() {
      await Promise.all(listOpenAttempts(world.store).map((attempt) => begin(attempt.id).firstLook));
    },
    resume() {
      for (const { id, state } of listOpenAttempts(world.store)) if (state === "ambiguous") begin(id);
    },
    stop() {
      isStopped = true;
    },
  };
}

const STEPS: Record<AttemptKind, (tools: Tools, attempt: Attempt, pursuit: Pursuit) => Promise<boolean>> = {
  place: stepPlace,
  modify: stepModify,
  cancel: stepCancel,
  leverage: stepLeverage,
  isolated_margin: stepMargin,
  twap: stepTwap,
  twap_cancel: stepTwapCancel,
};

/** Milliseconds until the next step, null when it is settled. A fault of ours ends the step, never the pursuit. */
async function stepOnce(tools: Tools, pursuit: Pursuit): Promise<number | null> {
  const { store, log } = tools.world;
  let kind: AttemptKind = "place";
  try {
    const attempt = openAttempt(store, pursuit.attemptId);
    if (attempt === null) return null;
    ({ kind } = attempt);
    if (await STEPS[attempt.kind](tools, attempt, pursuit)) return null;
  } catch (error) {
    log.error({ attempt: pursuit.attemptId, error: String(error) }, "a settling step failed");
  }
  pursuit.looks += 1;
  return lookDelayMs(pursuit.looks, kind);
}

function soughtOf(world: With<"store">, attempt: Attempt): Sought {
  const order = findOrder(world.store, attempt.resource.id);
  if (order === null) throw new Error("bug: an attempt without its order");
  const leg =
    attempt.cloid === null ? liveLeg(listLegs(world.store, order.id)) : findLegByCloid(world.store, attempt.cloid);
  if (leg === null) throw new Error("bug: an order without a leg");
  return {
    user: accountOf(world, attempt).tradingAddress,
    accountId: attempt.accountId,
    leg,
    ...askedTerms(order),
  };
}

function accountOf(world: With<"store">, attempt: Attempt): Account {
  const account = findAccount(world.store, attempt.accountId);
  if (account === null) throw new Error("bug: an attempt without its account");
  return account;
}
