import type { Account } from "../core/account.ts";
import { ZERO } from "../core/decimal.ts";
import { dexOf } from "../core/market.ts";
import type { With } from "../deps.ts";
import type { RunningFlattener } from "../settle/stop/flattener.ts";
import { openTrader, type RunningTrader, type ShownPosition, type TraderParts } from "../settle/trade/trader.ts";
import { enterTrade } from "./enter-trade.ts";
import { openGatewayFlattener } from "./flatten-facts.ts";
import type { ToPlaceOrder } from "./place-order.ts";

/**
 * Who closes what is held: under a stop, and of a trade.
 *
 * @param deps asked for late: they are opened before those are whole
 */
export function openClosing(
  world: Parameters<typeof openGatewayFlattener>[0],
  settling: TraderParts["settling"],
  deps: () => ToPlaceOrder & ReturnType<Parameters<typeof openGatewayFlattener>[2]>,
): { flattener: RunningFlattener; trader: RunningTrader } {
  return {
    flattener: openGatewayFlattener(world, settling, deps),
    trader: openTrader(world, {
      settling,
      position: (account, market) => positionNow(deps(), account, market),
      enter: (trade, account) => enterTrade(deps(), trade, account),
    }),
  };
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
