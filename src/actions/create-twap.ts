import { decimal } from "../core/decimal.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import { type Market, sizeFault } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { ToWrite, With } from "../deps.ts";
import { listOpenAttempts } from "../store/attempts.ts";
import { actionJson } from "../wire/action/index.ts";
import { twapOrderAction } from "../wire/action/twap.ts";
import { isUndecided, waitForAlike } from "../write/alone.ts";
import type { Caller } from "../write/caller.ts";
import type { WriteKey } from "../write/key.ts";
import { wireFault } from "./market-rules.ts";
import { type OperationPlan, operate } from "./operate.ts";
import { requirePerpetual } from "./set-leverage.ts";

export type CreateTwap = WriteKey & {
  market: string;
  side: Side;
  size: string;
  /** 5 to 10080: the exchange takes up to seven days. */
  durationMinutes: number;
  randomize: boolean;
  reduceOnly: boolean;
};

/** `POST /v1/twaps`: a TWAP that the exchange runs. It never carries a builder fee. */
export async function createTwap(deps: ToWrite, caller: Caller, wanted: CreateTwap): Promise<WriteAnswer> {
  const { side, size, durationMinutes, randomize, reduceOnly } = wanted;
  const parameters = { side, size, duration_minutes: durationMinutes, randomize, reduce_only: reduceOnly };
  return operate(deps, caller, wanted, {
    route: "POST /v1/twaps",
    bucket: "otherWrites",
    asked: { market: wanted.market, ...parameters },
    action: "twap",
    isOrder: true,
    async plan() {
      const market = await requirePerpetual(deps, wanted.market, reduceOnly ? "reduce" : "order");
      const end = await endOf(deps, caller, { wanted, market });
      return { market: market.name, parameters, before: null, isIncrease: !reduceOnly, end };
    },
  });
}

async function endOf(
  deps: With<"clock" | "exchange" | "running" | "settling" | "store">,
  caller: Caller,
  { wanted, market }: { wanted: CreateTwap; market: Market },
): Promise<OperationPlan["end"]> {
  const { size } = wanted;
  const fault = wireFault(size, "size") ?? sizeFault(market, decimal(size), "size");
  if (fault !== null) return { kind: "said", error: fault };
  const action = twapOrderAction({ ...wanted, assetId: market.assetId });
  const text = actionJson(action);
  // It has no client id: two equal ones at once could not be told apart.
  const alone = await waitForAlike(deps, () =>
    listOpenAttempts(deps.store).filter(
      (attempt) => attempt.action === text && attempt.accountId === caller.account.id && isUndecided(deps, attempt),
    ),
  );
  return { kind: "send", action, alone };
}
