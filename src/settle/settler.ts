import type { Account } from "../core/account.ts";
import type { Attempt } from "../core/attempt.ts";
import type { Settling, With, World } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { listOpenAttempts } from "../store/attempts.ts";
import { findLegByCloid, listLegs } from "../store/legs.ts";
import { findOrder } from "../store/orders.ts";
import type { Fill } from "../wire/answer/fills.ts";
import { type Grounds, LASTING } from "./cancel/grounds.ts";
import { openCancelMisses } from "./cancel/misses.ts";
import { burnWhenDue } from "./evidence/absence.ts";
import { askedTerms } from "./evidence/difference.ts";
import { gatherFillEvidence } from "./evidence/fill-evidence.ts";
import { openVanished } from "./evidence/vanished.ts";
import { newFills } from "./fills/new-fills.ts";
import { liveLeg } from "./look/apply-sight.ts";
import type { Sought } from "./look/look.ts";
import { openLooks } from "./look/looks.ts";
import { openSweeps, type SweepHeeding } from "./look/sweeps.ts";
import type { Tools } from "./pursuit.ts";
import { openPursuits } from "./pursuits.ts";
import { openAttempt } from "./record/record.ts";

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

export type SettlerHeeding = Pick<SweepHeeding, "onFills"> & {
  /** With the id of the order of every attempt that was followed to its end. */
  onSettled(orderId: string): void;
  /** With the id of an order that a look has found over, and not its size. */
  onUnfinished(orderId: string): void;
  /** Why cancels are sent again. */
  grounds: Grounds;
};

const NOBODY: SettlerHeeding = {
  onFills: () => undefined,
  onSettled: () => undefined,
  onUnfinished: () => undefined,
  grounds: LASTING,
};

/**
 * Follows every open attempt until it is settled, and answers what one look can.
 *
 * @param heeded who is told of what settling brings to light
 */
export function openSettler(world: World, heeded: Partial<SettlerHeeding> = {}): Settler {
  const heeding = { ...NOBODY, ...heeded };
  const evidence = gatherFillEvidence(heedFills);
  const sweeps = openSweeps(world, { onReopened: resume, onFills: heeding.onFills });
  const tools: Tools = {
    world,
    sweeps,
    vanished: openVanished(world, evidence, sweeps),
    evidence,
    grounds: heeding.grounds,
    misses: openCancelMisses(),
    soughtOf: (attempt) => soughtOf(world, attempt),
    userOf: (attempt) => accountOf(world, attempt).tradingAddress,
  };
  const pursuits = openPursuits(tools, (attempt) => {
    if (attempt.resource.kind === "order") heeding.onSettled(attempt.resource.id);
  });
  const looks = openLooks(tools, heeding.onUnfinished);

  function heedFills(accountId: string, fills: readonly Fill[]): void {
    const account = findAccount(world.store, accountId);
    const news = newFills(world.store, accountId, fills);
    if (account !== null && news.length > 0) heeding.onFills(account, news);
  }

  function resume(): void {
    for (const { id, state } of listOpenAttempts(world.store)) if (state === "ambiguous") pursuits.begin(id);
  }

  return {
    tools,
    pursue(attemptId, refusal = null) {
      const { pursuit, settled } = pursuits.begin(attemptId);
      pursuit.refusal ??= refusal;
      return settled;
    },
    async burn(attemptId) {
      const attempt = openAttempt(world.store, attemptId);
      if (attempt === null) return;
      const { pursuit } = pursuits.begin(attemptId);
      // A second noop while the first is out could meet it, and would tell nothing.
      await burnWhenDue(tools, attempt, pursuit);
    },
    look: (orderId, purpose = "read") => looks.look(orderId, purpose),
    heedFills,
    openCount: () => listOpenAttempts(world.store).length,
    async takeUp() {
      await Promise.all(listOpenAttempts(world.store).map((attempt) => pursuits.begin(attempt.id).firstLook));
    },
    resume,
    stop: pursuits.stop,
  };
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
