import { ApiError } from "../core/errors.ts";
import type { Market } from "../core/market.ts";
import type { Deps } from "../deps.ts";
import { leverageAction } from "../wire/action/leverage.ts";
import type { Caller, WriteAnswer, WriteKey } from "./answer.ts";
import { requireMarket } from "./market-rules.ts";
import { type OperationPlan, operate } from "./operate.ts";
import { answerEarlier, requireOpenForWrites, type Write } from "./write.ts";

export type SetLeverage = WriteKey & { market: string; leverage: number; marginType: "cross" | "isolated" };

/** `POST /v1/leverage`. */
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
    parameters: { leverage: wanted.leverage, margin_type: wanted.marginType },
    before: null,
    end: endOf(market, wanted),
  };
  return operate(deps, caller, { write, action: "leverage", plan });
}

export async function requirePerpetual(deps: Deps, name: string): Promise<Market> {
  const { market } = await requireMarket(deps, name, true);
  if (market.kind === "perpetual") return market;
  throw new ApiError("perpetual_market_required", `${market.name} is a spot market; this needs a perpetual.`);
}

/** What is in force already is sent as well: what shows it may be from before another change. */
function endOf(market: Market, wanted: SetLeverage): OperationPlan["end"] {
  const fault = leverageFault(market, wanted);
  if (fault !== null) return { kind: "said", error: fault };
  return { kind: "send", action: leverageAction(market.assetId, wanted.marginType === "cross", wanted.leverage) };
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
