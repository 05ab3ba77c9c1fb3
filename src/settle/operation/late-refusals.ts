import type { Account } from "../../core/account.ts";
import { type Attempt, endsAtMs } from "../../core/attempt.ts";
import { BEHIND_MS } from "../../core/evidence.ts";
import type { Settling, With } from "../../deps.ts";
import { listAccounts } from "../../store/accounts.ts";
import { listRefusedOperations } from "../../store/unused-numbers.ts";
import { type AskInfo, readOnce, refusedSinceMs, reopenRefused, seeRefused } from "./refused.ts";

export type LateRefusals = {
  /** Holds every refusal of an operation that may be another's against what the exchange shows, when it is due. */
  look(): Promise<void>;
};

/** Between two looks, milliseconds, at least: the last comes when no server is behind what can have run. */
const PAUSES_MS = [5_000, 25_000, 140_000] as const;
/** They are looked for this often, milliseconds, once it is their time. */
export const REFUSALS_EVERY_MS = 3_000;
/** What is looked for in one round: an account whose every TWAP is refused would spend its weight on this. */
const MAX_AT_ONCE = 10;

/** An operation that was refused in another's words is unknown again, and is pursued at once. */
export function openLateRefusals(
  world: With<"clock" | "exchange" | "store">,
  settling: Pick<Settling, "pursue">,
): LateRefusals {
  /** By attempt: looks that showed nothing, and since when the next is due, elapsed milliseconds. */
  const turns = new Map<number, { looks: number; dueElapsedMs: number }>();

  /** Whoever is met for the first time is due from now on. */
  function turnOf({ id }: Attempt) {
    const known = turns.get(id) ?? { looks: 0, dueElapsedMs: world.clock.elapsedMs() };
    turns.set(id, known);
    return known;
  }

  async function lookFor({ account, attempt }: Refused, read: AskInfo): Promise<void> {
    const turn = turnOf(attempt);
    const sight = await seeRefused(world, account.tradingAddress, attempt, read);
    if (sight === "shown") {
      reopenRefused(world, attempt);
      void settling.pursue(attempt.id);
    }
    if (sight !== "silent") return;
    turns.set(attempt.id, {
      looks: turn.looks + 1,
      dueElapsedMs: world.clock.elapsedMs() + pauseMs(attempt, turn.looks),
    });
  }

  /** After so many looks. Before the last one a copy may have run as late as its action could. */
  function pauseMs(attempt: Attempt, looks: number): number {
    const pause = PAUSES_MS[looks] ?? Number.POSITIVE_INFINITY;
    const shownByMs = endsAtMs(attempt) + BEHIND_MS - world.exchange.nowMs();
    return looks === PAUSES_MS.length - 1 ? Math.max(pause, shownByMs) : pause;
  }

  return {
    async look() {
      const sinceMs = refusedSinceMs(world.exchange.nowMs());
      const refused = listAccounts(world.store).flatMap((account) =>
        listRefusedOperations(world.store, account.id, sinceMs).map((attempt) => ({ account, attempt })),
      );
      const ids = new Set(refused.map(({ attempt }) => attempt.id));
      for (const id of turns.keys()) if (!ids.has(id)) turns.delete(id);
      const nowMs = world.clock.elapsedMs();
      // Whoever has waited longest goes first.
      const due = refused
        .filter(({ attempt }) => turnOf(attempt).dueElapsedMs <= nowMs)
        .sort((one, other) => turnOf(one.attempt).dueElapsedMs - turnOf(other.attempt).dueElapsedMs);
      const read = readOnce(world);
      await Promise.all(due.slice(0, MAX_AT_ONCE).map((one) => lookFor(one, read)));
    },
  };
}

type Refused = { account: Account; attempt: Attempt };
