import { ApiError } from "../core/errors.ts";
import type { Market } from "../core/market.ts";
import type { Deps } from "../deps.ts";
import { listOperations } from "../store/operations.ts";
import { leverageAction } from "../wire/action/leverage.ts";
import type { Caller, WriteAnswer, WriteKey } from "./answer.ts";
import { requireMarket } from "./market-rules.ts";
import { type OperationPlan, operate } from "./operate.ts";
import { answerEarlier, requireOpenForWrites, type Write } from "./write.ts";

export type SetLeverage = WriteKey & { market: string; leverage: number; marginType: "cross" | "isolated" };

/** `POST /v1/leverage`. What is in force already is not sent again. */
export async function setLeverage(deps: Deps, caller: Caller, wanted: SetLeverage): Promise<WriteAnswer> {
  const asked = { market: wanted.market, leverage: wanted.leverage, margin_type: wanted.marginType };
  const startedElapsedMs = deps.clock.elapsedMs();
  const write: Write = { ...wanted, route: "POST /v1/leverage", asked, placing: null, startedElapsedMs };
  const earlier = await answerEarlier(deps, caller, write);
  if (earlier !== null) return earlier;
  caller.charge("otherWrites");
  requireOpenForWrites(deps, false);
  const market = await requirePerpetual(deps, wanted.market);
  const plan: OperationPlan = {
    market: market.name,
    parameters: parametersOf(wanted),
    before: null,
    end: await endOf(deps, caller, { wanted, market }),
  };
  return operate(deps, caller, { write, action: "leverage", plan });
}

export async function requirePerpetual(deps: Deps, name: string): Promise<Market> {
  const { market } = await requireMarket(deps, name, true);
  if (market.kind === "perpetual") return market;
  throw new ApiError("perpetual_market_required", `${market.name} is a spot market; this needs a perpetual.`);
}

async function endOf(
  deps: Deps,
  caller: Caller,
  { wanted, market }: { wanted: SetLeverage; market: Market },
): Promise<OperationPlan["end"]> {
  const fault = leverageFault(market, wanted);
  if (fault !== null) return { kind: "said", status: "rejected", error: fault };
  const isCross = wanted.marginType === "cross";
  const send = { kind: "send" as const, action: leverageAction(market.assetId, isCross, wanted.leverage) };
  if (mayShowEarlier(deps, caller, wanted)) return send;
  const read = await deps.reads.activeAsset(caller.account.tradingAddress, market.name, "order");
  const shown = read.kind === "ok" ? read.value.leverage : null;
  if (shown !== null && shown.value === wanted.leverage && (shown.type === "cross") === isCross) {
    return { kind: "said", status: "succeeded", error: null };
  }
  return send;
}

/** A node may be behind by this much, milliseconds: what it shows can be from before another change of ours. */
const SHOWN_WITHIN_MS = 60_000;

function mayShowEarlier({ store, clock }: Deps, { account }: Caller, wanted: SetLeverage): boolean {
  const page = { accountId: account.id, action: "leverage", status: null, after: null, limit: 1 } as const;
  const [newest] = listOperations(store, page);
  if (newest === undefined || clock.nowMs() - newest.createdAtMs >= SHOWN_WITHIN_MS) return false;
  const isSame = newest.market === wanted.market && newest.parameters === JSON.stringify(parametersOf(wanted));
  return !isSame || newest.status !== "succeeded";
}

function parametersOf({ leverage, marginType }: SetLeverage): { leverage: number; margin_type: string } {
  return { leverage, margin_type: marginType };
}

function leverageFault(market: Market, { leverage, marginType }: SetLeverage): string | null {
  if (market.maxLeverage !== null && leverage > market.maxLeverage) {
    return `leverage ${leverage} is above the maximum of ${market.name}. Nearest valid: ${market.maxLeverage}.`;
  }
  if (marginType === "cross" && market.marginMode !== "any") {
    return `${market.name} takes isolated margin only. Nearest valid: margin_type "isolated".`;
  }
  return null;
}
