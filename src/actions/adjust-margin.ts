import { decimal, isNegative } from "../core/decimal.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import type { ToWrite, With } from "../deps.ts";
import { marginReadingText, takeMarginReading } from "../settle/operation/margin.ts";
import { listOpenAttempts } from "../store/attempts.ts";
import { findOperation } from "../store/operations.ts";
import { marginAction } from "../wire/action/margin.ts";
import { isUndecided, waitForAlike } from "../write/alone.ts";
import type { Caller } from "../write/caller.ts";
import type { WriteKey } from "../write/key.ts";
import { notBegun } from "./not-asked.ts";
import { type OperationPlan, operate } from "./operate.ts";
import { requirePerpetual } from "./set-leverage.ts";

/** `amount`: USDC, at most 6 decimals; positive adds, negative removes, never zero. */
export type AdjustMargin = WriteKey & { market: string; amount: string };

/** `POST /v1/margin`: adds or removes isolated margin. */
export async function adjustMargin(deps: ToWrite, caller: Caller, wanted: AdjustMargin): Promise<WriteAnswer> {
  return operate(deps, caller, wanted, {
    route: "POST /v1/margin",
    bucket: "otherWrites",
    asked: { market: wanted.market, amount: wanted.amount },
    action: "isolated_margin",
    plan: () => planMargin(deps, caller, wanted),
  });
}

async function planMargin(deps: ToWrite, { account }: Caller, wanted: AdjustMargin): Promise<OperationPlan> {
  const market = await requirePerpetual(deps, wanted.market);
  // A change without an id is told by its amount: two at once on one position could not be told apart.
  const alone = await waitForAlike(deps, () => unsettledMargin(deps, account.id, market.name));
  const { id: accountId, tradingAddress: user } = account;
  const before = await takeMarginReading(deps, { user, accountId, market: market.name });
  if ("kind" in before) throw notBegun(deps, "The position could not be read before the change", before);
  return {
    market: market.name,
    parameters: { amount: wanted.amount },
    before: marginReadingText(before),
    // Margin that is added keeps a position from its liquidation; taken out it brings it nearer.
    isIncrease: isNegative(decimal(wanted.amount)),
    end: { kind: "send", action: marginAction(market.assetId, decimal(wanted.amount)), alone },
  };
}

function unsettledMargin(deps: With<"exchange" | "store">, accountId: string, market: string) {
  return listOpenAttempts(deps.store).filter(
    (attempt) =>
      attempt.kind === "isolated_margin" &&
      attempt.accountId === accountId &&
      isUndecided(deps, attempt) &&
      findOperation(deps.store, attempt.resource.id)?.market === market,
  );
}
