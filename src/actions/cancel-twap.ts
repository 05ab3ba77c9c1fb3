import type { WriteAnswer } from "../core/idempotency.ts";
import type { ToWrite } from "../deps.ts";
import { twapCancelAction } from "../wire/action/twap.ts";
import type { Caller } from "../write/caller.ts";
import type { WriteKey } from "../write/key.ts";
import { requireMarket } from "./market-rules.ts";
import { operate } from "./operate.ts";

export type CancelTwap = WriteKey & { market: string; twapId: number };

/** `POST /v1/twaps/cancel`. */
export async function cancelTwap(deps: ToWrite, caller: Caller, wanted: CancelTwap): Promise<WriteAnswer> {
  const { twapId } = wanted;
  return operate(deps, caller, wanted, {
    route: "POST /v1/twaps/cancel",
    bucket: "cancels",
    asked: { market: wanted.market, twap_id: twapId },
    action: "twap_cancel",
    async plan() {
      const market = await requireMarket(deps, wanted.market, false);
      const action = twapCancelAction(market.assetId, twapId);
      return {
        market: market.name,
        parameters: { twap_id: twapId },
        before: null,
        isIncrease: false,
        end: { kind: "send", action },
      };
    },
  });
}
