import type { Account } from "../core/account.ts";
import { type Decimal, ZERO } from "../core/decimal.ts";
import { dexOf } from "../core/market.ts";
import type { ToShow, With } from "../deps.ts";
import { currentState } from "./current.ts";

export type ToReadPosition = ToShow & With<"feeds" | "ownWrites">;

/** What an account holds in a perpetual market, signed, and as of when by the exchange's time, unix milliseconds. */
type CurrentPosition = { size: Decimal; timeMs: number };

/** Not older than its last change. Throws where that cannot be had. */
export async function currentPosition(
  deps: ToReadPosition,
  account: Account,
  market: string,
): Promise<CurrentPosition> {
  const { value, timeMs } = await currentState(deps, { account, reader: "reduce" }, dexOf(market));
  return { size: value.positions.find(({ coin }) => coin === market)?.signedSize ?? ZERO, timeMs };
}
