import type { Attempt } from "../core/attempt.ts";
import { compare, decimal } from "../core/decimal.ts";
import type { OperationEnd } from "../core/operation.ts";
import { listClaimedTwaps } from "../store/operations.ts";
import { parseTwapHistory, type TwapRecord } from "../wire/answer/twap.ts";
import { actionOf } from "./intent.ts";
import { finishOperation, neverExecuted, neverProven, operationOf, refusedUnlisted } from "./operation.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { isEffectWitnessedAbsent, isGivenUp, readEffect } from "./reading.ts";

/** A TWAP made by the action may carry a time this much before its send, milliseconds. */
const LEAD_MS = 1_000;
/** And this much after its expiry. */
const LAG_MS = 1_000;

/**
 * One step toward the truth about a TWAP whose answer was lost: it has no client id, so it is looked for by what was
 * asked and when, among those that no other operation has claimed.
 */
export async function stepTwap(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const reading = await readHistory(tools, attempt, pursuit);
  if (reading === null) return false;
  const end = endOfTwap(tools, pursuit, reading);
  if (end !== null) finishOperation(world, attempt, end);
  return end !== null;
}

function endOfTwap(tools: Tools, pursuit: Pursuit, reading: History): OperationEnd | null {
  const { attempt, records, newestAtMs } = reading;
  // Whatever else is seen: where an empty action took its number, it never ran, and an equal one is somebody else's.
  if (attempt.seal === "noop") return neverExecuted(attempt);
  const claimed = listClaimedTwaps(tools.world.store, attempt.accountId);
  const found = twapIds(records.filter((record) => isOurs(tools, attempt, record))).filter((id) => !claimed.has(id));
  const [only] = found;
  const isOne = only !== undefined && found.length === 1;
  if (isOne && attempt.seal === "nonce_taken") return { status: "succeeded", exchangeId: only };
  if (found.length === 0 && attempt.hasLanded && pursuit.refusal !== null) return refusedUnlisted(pursuit.refusal);
  if (found.length === 0 && isEffectWitnessedAbsent(tools, { attempt, pursuit, newestAtMs }))
    return { status: "rejected", error: "The exchange's history has gone on past it and shows no such TWAP." };
  if (!isGivenUp(tools, attempt, pursuit)) return null;
  const error =
    found.length === 0
      ? UNPROVEN
      : `Whether it is this one cannot be proven. Equal TWAPs were made: ${found.join(", ")}.`;
  return neverProven(attempt, error);
}

const UNPROVEN = "Whether it was carried out cannot be proven: the exchange shows nothing of it, and nothing newer.";

/** What the history of TWAPs shows, and what is known of the number of the operation by then. */
export type History = { records: TwapRecord[]; newestAtMs: number | null; attempt: Attempt };

export async function readHistory(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<History | null> {
  const user = tools.userOf(attempt);
  const reading = await readEffect(tools, attempt, { pursuit, request: { type: "twapHistory", user } });
  const records = reading === null ? null : parseTwapHistory(reading.json);
  if (reading === null || records === null) return null;
  const times = records.map(({ timeS }) => timeS * 1_000);
  return { records, newestAtMs: times.length === 0 ? null : Math.max(...times), attempt: reading.attempt };
}

function isOurs(tools: Tools, attempt: Attempt, { state, status }: TwapRecord): boolean {
  const action = actionOf(attempt);
  if (action?.type !== "twapOrder") throw new Error("bug: a TWAP that is none");
  const { twap } = action;
  return (
    status !== "error" &&
    state.coin === operationOf(tools.world, attempt).market &&
    (state.side === "B") === twap.b &&
    compare(state.size, decimal(twap.s)) === 0 &&
    state.minutes === twap.m &&
    state.reduceOnly === twap.r &&
    state.randomize === twap.t &&
    state.timestampMs >= attempt.nonce - LEAD_MS &&
    state.timestampMs <= attempt.expiresAtMs + LAG_MS
  );
}

function twapIds(records: readonly TwapRecord[]): string[] {
  return [...new Set(records.flatMap(({ twapId }) => (twapId === null ? [] : [twapId])))];
}
