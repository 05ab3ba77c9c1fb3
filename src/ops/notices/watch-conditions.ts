/** What the gateway notices of itself: written into the log of events when it begins, not again while it lasts. */
import type { Account } from "../../core/account.ts";
import { absolute, compare, type Decimal, decimal, isZero, multiply, subtract } from "../../core/decimal.ts";
import { isJustNow, keptMoment } from "../../core/kept-moment.ts";
import type { Condition } from "../../core/notice/notice.ts";
import type { ToTakeOrders, With } from "../../deps.ts";
import { readinessOf } from "../../settle/pre-trade/readiness.ts";
import { listNoticesSince } from "../../store/account-events.ts";
import { listAccounts } from "../../store/accounts.ts";
import { inTransaction } from "../../store/commit.ts";
import { appendNotice } from "../../store/events.ts";
import { unknownOperations, unknownOrders } from "../../store/unknowns.ts";
import type { Position } from "../../wire/answer/account.ts";

export type ToWatch = ToTakeOrders & With<"clock" | "feeds" | "log" | "picture" | "settings">;

/** Something that holds now; account and market tell those of one kind apart. */
export type StandingCondition = { what: Condition; data: Readonly<Record<string, string | number>> };

const LOOK_EVERY_MS = 5_000;
const UNKNOWN_MS = 60_000;
const SILENT_MS = 60_000;
/** For so long the same is not told again, however often it ends and begins. */
const QUIET_MS = 10 * 60_000;
/** Of the mark. */
const LIQUIDATION_NEAR = decimal("0.1");

export type ConditionWatch = { stop(): void };

export function openConditionWatch(deps: ToWatch): ConditionWatch {
  // By the monotonic clock: what is set back keeps nothing from being told.
  const since = new Map<string, number>();
  const told = toldBefore(deps);
  let isEnded = false;

  function look(): void {
    const nowMs = deps.clock.elapsedMs();
    const held = conditionsNow(deps);
    const names = new Set(held.map(nameOf));
    for (const name of since.keys()) if (!names.has(name)) since.delete(name);
    for (const condition of held) {
      const name = nameOf(condition);
      const isNew = !since.has(name);
      const sinceMs = since.get(name) ?? nowMs;
      since.set(name, sinceMs);
      if (nowMs - sinceMs < patienceOf(condition)) continue;
      const toldMs = told.get(name);
      const hasBegunAgain = isNew || toldMs === undefined || toldMs < sinceMs;
      if (!hasBegunAgain || (toldMs !== undefined && nowMs - toldMs < QUIET_MS)) continue;
      const payload = JSON.stringify(condition.data);
      inTransaction(deps.store, (store) => appendNotice(store, condition.what, payload, deps.clock.nowMs()));
      told.set(name, nowMs);
    }
  }

  async function run(): Promise<void> {
    while (!isEnded) {
      await deps.clock.sleep(LOOK_EVERY_MS);
      try {
        if (!isEnded) look();
      } catch (error) {
        deps.log.error({ error: String(error) }, "a notice could not be written down");
      }
    }
  }

  void run();
  return {
    stop() {
      isEnded = true;
    },
  };
}

function nameOf({ what, data }: { what: string; data: StandingCondition["data"] }): string {
  return JSON.stringify([what, data["account"] ?? null, data["market"] ?? null]);
}

/** By the process before this one, when each was told last: a restart is no reason to say it again. Elapsed milliseconds. */
function toldBefore({ clock, store }: With<"clock" | "store">): Map<string, number> {
  const nowMs = clock.nowMs();
  const sinceStartMs = nowMs - clock.elapsedMs();
  const rows = listNoticesSince(store, nowMs - QUIET_MS);
  // Of this module's own making: see `look`.
  return new Map(
    rows.map(({ resourceId: what, payload, atMs }) => [
      nameOf({ what, data: JSON.parse(payload ?? "{}") }),
      keptMoment(atMs, nowMs) - sinceStartMs,
    ]),
  );
}

/** How long it has to last before it is told, milliseconds: a start and a short outage are nothing to be woken for. */
function patienceOf({ what }: StandingCondition): number {
  return what === "writes_stopped" || what === "feed_stale" ? SILENT_MS : 0;
}

export function conditionsNow(deps: ToWatch): StandingCondition[] {
  const { store, state } = deps;
  if (state.phase === "trial" || state.phase === "draining") return [];
  const fault = deps.writeHealth.fault();
  const disk: StandingCondition[] = fault === null ? [] : [{ what: "disk", data: { reason: fault.kind } }];
  const readiness = readinessOf(deps).accounts.flatMap(({ accountId, reason }): StandingCondition[] =>
    reason === null ? [] : [{ what: "writes_stopped", data: { account: accountId, reason } }],
  );
  const { replicaFault: reason } = state;
  const replica: StandingCondition[] = reason === undefined ? [] : [{ what: "replica", data: { reason } }];
  return [...disk, ...replica, ...readiness, ...listAccounts(store).flatMap((account) => ofAccount(deps, account))];
}

function ofAccount(deps: ToWatch, account: Account): StandingCondition[] {
  const { store, clock, feeds } = deps;
  const { id, tradingAddress } = account;
  const [orders, operations] = [unknownOrders(store, id), unknownOperations(store, id)];
  const oldestMs = Math.min(orders.oldestMs ?? Number.MAX_SAFE_INTEGER, operations.oldestMs ?? Number.MAX_SAFE_INTEGER);
  const count = orders.count + operations.count;
  const isUnknown = count > 0 && !isJustNow(oldestMs, clock.nowMs(), UNKNOWN_MS);
  return [
    ...(isUnknown ? [{ what: "unknown", data: { account: id, count } } as const] : []),
    ...(feeds.isLive(tradingAddress) ? [] : [{ what: "feed_stale", data: { account: id } } as const]),
    ...["", ...deps.settings.dexes].flatMap((dex) => nearLiquidation(deps, account, dex)),
  ];
}

function nearLiquidation({ picture }: ToWatch, { id, tradingAddress }: Account, dex: string): StandingCondition[] {
  const known = picture.state(tradingAddress, dex);
  if (known === null) return [];
  return known.value.positions.flatMap((position): StandingCondition[] => {
    const { coin, liquidationPrice } = position;
    if (liquidationPrice === null || !isNear(position, liquidationPrice)) return [];
    return [
      {
        what: "liquidation",
        data: { account: id, market: coin, liquidation_price: liquidationPrice },
      },
    ];
  });
}

/** By what the position is worth at the mark, so that nothing is divided. */
function isNear({ signedSize, positionValue }: Position, liquidation: Decimal): boolean {
  if (isZero(signedSize)) return false;
  const worth = absolute(positionValue);
  const left = absolute(subtract(worth, multiply(absolute(signedSize), liquidation)));
  return compare(left, multiply(worth, LIQUIDATION_NEAR)) <= 0;
}
