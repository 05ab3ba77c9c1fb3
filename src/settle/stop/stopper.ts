import type { Account } from "../../core/account.ts";
import { isUnfinished, type Stop } from "../../core/stop.ts";
import type { Settling, Stopper } from "../../deps.ts";
import { findAccount } from "../../store/accounts.ts";
import { inTransaction } from "../../store/commit.ts";
import { awaitsTakeUp } from "../../store/restores.ts";
import { findStop, listStopsInForce, updateStop } from "../../store/stops.ts";
import { openRowWorker, type RunningRowWorker } from "../row-worker.ts";
import { openTurns } from "../turns.ts";
import { isNothing, keptOrders, remainingOf } from "./remaining.ts";
import { tellWaits, waitsOf } from "./waits.ts";
import { newWithdrawal, type StopTools, type ToRunStops, type Withdrawal, withdraw } from "./withdraw.ts";

export type RunningStopper = Stopper & RunningRowWorker;

export type StopperParts = {
  settling: Pick<Settling, "burn" | "pursue">;
  cancelOutside: StopTools["cancelOutside"];
};

/** Orders that are canceled at once. */
const MAX_AT_ONCE = 16;
/** Between two looks at what is left, milliseconds; longer once it takes its time. */
const PAUSES = { firstMs: 250, laterMs: 2_000 };

/**
 * Carries stops out: what was signed before a stop and can increase is burnt or canceled until nothing of it is left.
 */
export function openStopper(world: ToRunStops, parts: StopperParts): RunningStopper {
  const tools: StopTools = { world, ...parts, turns: openTurns(MAX_AT_ONCE), endedTwaps: new Set() };
  const worker = openRowWorker(world, {
    field: "stop",
    failed: "a step of a stop failed",
    list: () => listStopsInForce(world.store),
    open(stop) {
      doubt(tools, stop);
      const withdrawal = newWithdrawal();
      return () => step(tools, stop.id, withdrawal);
    },
    ...PAUSES,
  });
  return {
    ...worker,
    heed() {
      try {
        worker.heed();
      } catch (error) {
        // The stop stands all the same, and whoever asked for it must be told so: this is asked again.
        world.log.error({ error: String(error) }, "stops could not be looked at");
      }
    },
    progressOf(stop) {
      const remaining = remainingOf(world, stop, tools.endedTwaps);
      return { remaining, waits: waitsOf(world, stop, remaining), kept: keptOrders(world, stop) };
    },
  };
}

/** True when there is nothing more to do for it. */
async function step(tools: StopTools, id: string, withdrawal: Withdrawal): Promise<boolean> {
  const { store, state } = tools.world;
  const stop = findStop(store, id);
  const account = stop === null ? null : findAccount(store, stop.accountId);
  if (stop === null || account === null || !isUnfinished(stop)) return true;
  tellProgress(tools, stop, withdrawal);
  // Nothing can be signed yet: it stands all the same.
  if (state.phase === "trial" || state.phase === "opening") return false;
  await withdraw(tools, { stop, account }, withdrawal);
  return conclude(tools, id, account);
}

function tellProgress({ world, endedTwaps }: StopTools, stop: Stop, { told }: Withdrawal): void {
  // A gateway that is tried after an upgrade writes nothing.
  if (world.state.phase === "trial") return;
  tellWaits(world, { stopId: stop.id, told, waits: waitsOf(world, stop, remainingOf(world, stop, endedTwaps)) });
}

/** In one transaction with the rows that it is concluded from. */
function conclude(tools: StopTools, id: string, account: Account): boolean {
  const { world } = tools;
  if (!isDone(tools, id, account)) return false;
  return inTransaction(world.store, (store) => {
    if (!isDone(tools, id, account)) return false;
    const nowMs = world.clock.nowMs();
    updateStop(store, id, { stoppedAtMs: nowMs }, nowMs);
    return true;
  });
}

function isDone({ world, endedTwaps }: StopTools, id: string, account: Account): boolean {
  const stop = findStop(world.store, id);
  if (stop === null || !isUnfinished(stop)) return true;
  // What a sale on spot brings is not known, or what a lost machine had signed is not among our rows yet.
  if (world.markets.current() === null || awaitsTakeUp(world.store, account.id)) return false;
  if (stop.scope === "account" && stop.outsideAtMs === null) return false;
  return isNothing(remainingOf(world, stop, endedTwaps));
}

/** What was taken for over may turn out to live: then it is not stopped, and is gone after. */
function doubt({ world, endedTwaps }: StopTools, stop: Stop): void {
  if (stop.stoppedAtMs === null || isNothing(remainingOf(world, stop, endedTwaps))) return;
  const nowMs = world.clock.nowMs();
  inTransaction(world.store, (store) => updateStop(store, stop.id, { stoppedAtMs: null }, nowMs));
}
