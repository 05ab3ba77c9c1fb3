import type { Account } from "../core/account.ts";
import { ZERO } from "../core/decimal.ts";
import { dexOf } from "../core/market.ts";
import type { With } from "../deps.ts";
import type { ToPlaceOwn } from "../settle/place/place-own.ts";
import type { RunningRowWorker } from "../settle/row-worker.ts";
import { openTrader, type ShownPosition, type TraderParts } from "../settle/trade/trader.ts";
import { enterTrade } from "./enter-trade.ts";
import { markNow } from "./met-stop.ts";
import type { ToPlaceOrder } from "./place-order.ts";

/** @param deps asked for late: it is opened before they are whole */
export function openGatewayTrader(
  world: ToPlaceOwn,
  settling: TraderParts["settling"],
  deps: () => ToPlaceOrder & With<"reads">,
): RunningRowWorker {
  return openTrader(world, {
    settling,
    position: (account, market) => positionNow(deps(), account, market),
    mark: (market) => markNow(deps(), market, "reduce"),
    enter: (trade, account, stopShown) => enterTrade(deps(), { trade, account, stopShown }),
  });
}

async function positionNow(
  { reads }: With<"reads">,
  { tradingAddress }: Account,
  market: string,
): Promise<ShownPosition | null> {
  const state = await reads.clearinghouse(tradingAddress, dexOf(market), "reduce");
  if (state.kind === "failed") return null;
  const { positions, timeMs } = state.value;
  return { size: positions.find(({ coin }) => coin === market)?.signedSize ?? ZERO, timeMs };
}
