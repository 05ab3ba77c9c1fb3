import type { Deps } from "../deps.ts";
import { twapCancelAction } from "../wire/action/twap.ts";
import type { Caller, WriteAnswer, WriteKey } from "./answer.ts";
import { requireMarket } from "./market-rules.ts";
import { operate } from "./operate.ts";
import { answerEarlier, requireOpenForWrites, type Write } from "./write.ts";

export type CancelTwap = WriteKey & { market: string; twapId: number };

/** `POST /v1/twaps/cancel`. */
export async function cancelTwap(deps: Deps, caller: Caller, wanted: CancelTwap): Promise<WriteAnswer> {
  const startedElapsedMs = deps.clock.elapsedMs();
  const write: Write = {
    ...wanted,
    route: "POST /v1/twaps/cancel",
    asked: { market: wanted.market, twap_id: wanted.twapId },
    placing: null,
    startedElapsedMs,
  };
  const earlier = await answerEarlier(deps, caller, write);
  if (earlier !== null) return earlier;
  caller.charge("cancels");
  requireOpenForWrites(deps, false);
  const { market } = await requireMarket(deps, wanted.market, false);
  const { twapId } = wanted;
  return operate(deps, caller, {
    write,
    action: "twap_cancel",
    plan: {
      market: market.name,
      parameters: { twap_id: twapId },
      before: null,
      end: { kind: "send", action: twapCancelAction(market.assetId, twapId) },
    },
  });
}
