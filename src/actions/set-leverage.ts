import { ApiError } from "../core/errors.ts";
import type { WriteAnswer } from "../core/idempotency.ts";
import type { Market } from "../core/market.ts";
import type { ToWrite, With } from "../deps.ts";
import type { ActionUse } from "../settle/pre-trade/obstacles.ts";
import { leverageAction } from "../wire/action/leverage.ts";
import { perpMarkets } from "../wire/answer/markets.ts";
import type { Caller } from "../write/caller.ts";
import type { WriteKey } from "../write/key.ts";
import { requireMarket } from "./market-rules.ts";
import { notBegun } from "./not-asked.ts";
import { type OperationPlan, operate } from "./operate.ts";

export type SetLeverage = WriteKey & {
  market: string;
  leverage: number;
  marginType: "cross" | "isolated";
};

/** `POST /v1/leverage`. */
export async function setLeverage(
  deps: ToWrite & With<"picture">,
  caller: Caller,
  wanted: SetLeverage,
): Promise<WriteAnswer> {
  const parameters = { leverage: wanted.leverage, margin_type: wanted.marginType };
  return operate(deps, caller, wanted, {
    route: "POST /v1/leverage",
    bucket: "otherWrites",
    asked: { market: wanted.market, ...parameters },
    action: "leverage",
    async plan() {
      const market = await requirePerpetual(deps, wanted.market);
      const isIncrease = !isLowering(deps, caller, { market, wanted });
      return { market: market.name, parameters, before: null, isIncrease, end: endOf(market, wanted) };
    },
  });
}

/**
 * A perpetual whose number is that of the list as it is now: what is set, moved or started under another's number is shown by
 * nothing that could tell it.
 */
export async function requirePerpetual(
  deps: With<"exchange" | "markets">,
  name: string,
  use: ActionUse = "order",
): Promise<Market> {
  const market = await requireMarket(deps, name, true);
  if (market.kind !== "perpetual")
    throw new ApiError("perpetual_market_required", `${market.name} is a spot market; this needs a perpetual.`);
  const inItsPlace = await marketInPlace(deps, market, use);
  if (inItsPlace === null || inItsPlace === market.name) return market;
  const because = `the market ${inItsPlace} in the place of ${market.name}`;
  // Either list may be from a server that is behind.
  deps.markets.doubt(market.name, { because, isCertain: false });
  await deps.markets.refresh();
  return requireMarket(deps, name, true);
}

/** Numbers of one dex begin at a multiple of this. */
const DEX_BLOCK = 10_000;

/** Name of the market that has this one's place in the list now; null where the exchange does not say. */
async function marketInPlace(
  deps: With<"exchange">,
  { name, dex, assetId }: Market,
  use: ActionUse,
): Promise<string | null> {
  const outcome = await deps.exchange.info({ type: "meta", dex }, { purpose: use });
  if (outcome.kind === "failed" && outcome.waitS !== undefined)
    throw notBegun(deps, `The place of ${name} in the list of markets could not be read`, outcome, use);
  const listed = outcome.kind === "ok" ? perpMarkets(0, dex, outcome.json) : null;
  return listed?.[assetId % DEX_BLOCK]?.name ?? null;
}

/** Of a position as it was shown last; where none is shown nobody knows what is set, and it counts as a raise. */
function isLowering(
  { picture }: With<"picture">,
  { account }: Caller,
  { market, wanted }: { market: Market; wanted: SetLeverage },
): boolean {
  const positions = picture.state(account.tradingAddress, market.dex)?.value.positions ?? [];
  const set = positions.find(({ coin }) => coin === market.name)?.leverage;
  return set !== undefined && set.type === wanted.marginType && wanted.leverage <= set.value;
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
