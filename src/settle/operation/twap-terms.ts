/** What was asked of a TWAP, held against TWAPs that the exchange shows: it has no client id, so that its terms and its time tell it. */
import type { Attempt } from "../../core/attempt.ts";
import { compare, decimal } from "../../core/decimal.ts";
import type { With } from "../../deps.ts";
import { listAttemptsOf } from "../../store/attempts.ts";
import { findOperation, listClaimedTwaps, listTwapOperations } from "../../store/operations.ts";
import type { TwapOrderAction } from "../../wire/action/twap.ts";
import type { TwapRecord, TwapState } from "../../wire/answer/twap.ts";
import { actionOf } from "../send/intent.ts";
import { operationOf } from "./operation.ts";

/** A TWAP made by the action may carry a time this much before its send, milliseconds. */
export const LEAD_MS = 1_000;
/** A TWAP made by the action may carry a time this much after its expiry, milliseconds. */
const LAG_MS = 1_000;

/** TWAPs that no other operation has rightly: of its time the ids of those as asked, and in words those of another market. */
export function lookIn(
  world: With<"store">,
  { attempt, records }: { attempt: Attempt; records: readonly TwapRecord[] },
): { found: string[]; elsewhere: string[]; isOneOfAnotherTime: boolean } {
  const claimed = listClaimedTwaps(world.store, attempt.accountId);
  const { market } = operationOf(world, attempt);
  const asked = askedTwap(attempt);
  const found = new Set<string>();
  const elsewhere = new Set<string>();
  let isOneOfAnotherTime = false;
  for (const record of records) {
    const { twapId, state } = record;
    if (twapId === null || termsDifference(asked, state) !== null) continue;
    if (claimed.has(twapId) && !isMisclaimed(world, attempt, { twapId, state })) continue;
    if (!isOfItsTime(attempt, record)) isOneOfAnotherTime ||= record.status !== "error";
    else if (state.coin === market) found.add(twapId);
    else elsewhere.add(`TWAP ${twapId} in ${state.coin} instead of ${market}`);
  }
  return { found: [...found], elsewhere: [...elsewhere], isOneOfAnotherTime };
}

/** Another operation has it by an answer's word alone, and it is not what that one asked for: the answer was another's. */
function isMisclaimed(
  { store }: With<"store">,
  { accountId }: Attempt,
  { twapId, state }: { twapId: string; state: TwapState },
): boolean {
  const id = listTwapOperations(store, accountId, [twapId]).get(twapId) ?? "";
  const [placing] = findOperation(store, id)?.status === "succeeded" ? [] : listAttemptsOf(store, id);
  return placing !== undefined && differenceOf({ store }, placing, state) !== null;
}

function isOfItsTime(attempt: Attempt, { state, status }: TwapRecord): boolean {
  const { timestampMs } = state;
  const isInTime = timestampMs >= attempt.nonce - LEAD_MS && timestampMs <= attempt.expiresAtMs + LAG_MS;
  return status !== "error" && isInTime;
}

/** What tells a TWAP that the exchange shows from the one that was asked for, in words; null when they are the same. */
export function differenceOf(world: With<"store">, attempt: Attempt, state: TwapState): string | null {
  const { market } = operationOf(world, attempt);
  return state.coin === market
    ? termsDifference(askedTwap(attempt), state)
    : `the market ${state.coin} instead of ${market}`;
}

/** Native ids of the TWAPs of its time that are as asked for and that no operation has. */
export function ofItsTime(world: With<"store">, attempt: Attempt, records: readonly TwapRecord[]): string[] {
  return lookIn(world, { attempt, records }).found;
}

type AskedTwap = TwapOrderAction["twap"];

export function askedTwap(attempt: Attempt): AskedTwap {
  const action = actionOf(attempt);
  if (action?.type !== "twapOrder") throw new Error("bug: a TWAP that is none");
  return action.twap;
}

function termsDifference(asked: AskedTwap, { side, size, minutes, reduceOnly, randomize }: TwapState): string | null {
  if ((side === "B") !== asked.b) return `a ${side === "B" ? "buy" : "sell"} instead of a ${asked.b ? "buy" : "sell"}`;
  if (compare(size, decimal(asked.s)) !== 0) return `the size ${size} instead of ${asked.s}`;
  if (minutes !== asked.m) return `${minutes} minutes instead of ${asked.m}`;
  if (reduceOnly !== asked.r) return `reduce_only ${reduceOnly} instead of ${asked.r}`;
  return randomize === asked.t ? null : `randomize ${randomize} instead of ${asked.t}`;
}
