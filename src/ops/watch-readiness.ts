/** Says in the log, and in the words that systemd shows, when orders begin and cease to be taken. */
import { notReadyWords, OBSTACLES, type ObstacleReason } from "../core/readiness.ts";
import type { ToTakeOrders, With } from "../deps.ts";
import { readinessOf } from "../settle/pre-trade/readiness.ts";

export type ReadinessWatch = {
  /** Compares with the last look, tells what is new, and returns one line for people. */
  look(): string;
};

/** Between two looks, milliseconds. */
export const READINESS_INTERVAL_MS = 5_000;

export function openReadinessWatch(deps: ToTakeOrders & With<"log">): ReadinessWatch {
  const { log, state } = deps;
  const told = new Map<string, ObstacleReason | null>();
  let isFirst = true;

  function tellAccount(accountId: string, reason: ObstacleReason | null, detail: string | null): void {
    const before = told.get(accountId);
    told.set(accountId, reason);
    if (before === reason || (before === undefined && reason === null)) return;
    if (reason === null) log.info({ account: accountId }, "orders are taken again");
    else log.warn({ account: accountId, reason, detail: detail ?? OBSTACLES[reason] }, "orders are not taken");
  }

  return {
    look() {
      const readiness = readinessOf(deps);
      const { accounts } = readiness;
      const open = accounts.filter(({ reason }) => reason === null).length;
      if (isFirst && open > 0) log.info({ phase: state.phase, count: open }, "writes are open");
      if (isFirst && accounts.length === 0) log.warn({ reason: "not_set_up" }, "orders are not taken");
      isFirst = isFirst && open === 0;
      for (const { accountId, reason, detail } of accounts) tellAccount(accountId, reason, detail);
      const words = notReadyWords(readiness);
      if (words === null) return "writes are open";
      return open === 0 ? `orders are not taken: ${words}` : `writes are open, but for ${words}`;
    },
  };
}
