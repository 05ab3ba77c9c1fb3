import { decimal } from "../core/decimal.ts";
import { sizeFault } from "../core/market.ts";
import type { Side } from "../core/order.ts";
import type { Deps } from "../deps.ts";
import { listOpenAttempts } from "../store/attempts.ts";
import { actionJson } from "../wire/action/index.ts";
import { twapOrderAction } from "../wire/action/twap.ts";
import type { Caller, WriteAnswer, WriteKey } from "./answer.ts";
import { wireFault } from "./market-rules.ts";
import { isUndecided, type OperationPlan, operate, waitForAlike } from "./operate.ts";
import { requirePerpetual } from "./set-leverage.ts";
import { answerEarlier, requireOpenForWrites, requireTaken, type Write } from "./write.ts";

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
export async function createTwap(deps: Deps, caller: Caller, wanted: CreateTwap): Promise<WriteAnswer> {
  const { side, size, durationMinutes, randomize, reduceOnly } = wanted;
  const parameters = { side, size, duration_minutes: durationMinutes, randomize, reduce_only: reduceOnly };
  const startedElapsedMs = deps.clock.elapsedMs();
  const write: Write = {
    ...wanted,
    route: "POST /v1/twaps",
    asked: { market: wanted.market, ...parameters },
    placing: null,
    startedElapsedMs,
  };
  const earlier = await answerEarlier(deps, caller, write);
  if (earlier !== null) return earlier;
  caller.charge("otherWrites");
  requireOpenForWrites(deps, false);
  const market = await requirePerpetual(deps, wanted.market, reduceOnly ? "reduce" : "order");
  requireTaken(deps, caller, reduceOnly);
  const fault = wireFault(size, "size") ?? sizeFault(market, decimal(size), "size");
  let end: OperationPlan["end"];
  if (fault !== null) end = { kind: "said", error: fault };
  else {
    const action = twapOrderAction({ ...wanted, assetId: market.assetId });
    const text = actionJson(action);
    // It has no client id: two equal ones at once could not be told apart.
    await waitForAlike(deps, () =>
      listOpenAttempts(deps.store).filter(
        (attempt) => attempt.action === text && attempt.accountId === caller.account.id && isUndecided(deps, attempt),
      ),
    );
    end = { kind: "send", action };
  }
  const plan: OperationPlan = { market: market.name, parameters, before: null, end };
  return operate(deps, caller, { write, action: "twap", plan });
}
