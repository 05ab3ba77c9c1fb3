import type { Attempt } from "../core/attempt.ts";
import { compare, decimal } from "../core/decimal.ts";
import type { OperationEnd } from "../core/operation.ts";
import { listClaimedTwaps } from "../store/operations.ts";
import { parseTwapHistory, type TwapRecord } from "../wire/answer/twap.ts";
import { actionOf } from "./intent.ts";
import { finishOperation, neverExecuted, operationOf } from "./operation.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { isConfirmed, isGivenUp, readSealed, sealOperation } from "./reading.ts";

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
  const claimed = listClaimedTwaps(world.store, attempt.accountId);
  const found = twapIds(reading.records.filter((record) => isOurs(tools, attempt, record))).filter(
    (id) => !claimed.has(id),
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    finishOperation(world, attempt, { status: "succeeded", exchangeId: only });
    return true;
  }
  if (!reading.isFinal) {
    await sealOperation(tools, reading.attempt, pursuit);
    return false;
  }
  if (found.length > 1)
    return giveUp(tools, attempt, { pursuit, error: `Equal TWAPs were made: ${found.join(", ")}.` });
  if (!isConfirmed(tools, pursuit)) return false;
  const error = "The exchange shows no such TWAP.";
  finishOperation(
    world,
    attempt,
    reading.attempt.seal === "noop" ? neverExecuted(attempt) : { status: "rejected", error },
  );
  return true;
}

/** One step toward the truth about the cancel of a TWAP: its history says how it stands. */
export async function stepTwapCancel(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const reading = await readHistory(tools, attempt, pursuit);
  if (reading === null) return false;
  const action = actionOf(attempt);
  if (action?.type !== "twapCancel") throw new Error("bug: a TWAP cancel that is none");
  const twapId = action.t.toString();
  const records = reading.records.filter((record) => record.twapId === twapId);
  // Its end stands, wherever in the list: times are whole seconds and do not tell what came last.
  const end = records.find(({ status }) => !RUNNING.has(status));
  // What was asked for is in force, whoever did it.
  if (end?.status === "terminated") return finish(tools, attempt, { status: "succeeded", exchangeId: null });
  if (end !== undefined) {
    const error = `There was nothing left to cancel: the TWAP had ended by itself (${end.status}).`;
    return finish(tools, attempt, { status: "rejected", error });
  }
  if (!reading.isFinal) {
    await sealOperation(tools, reading.attempt, pursuit);
    return false;
  }
  const isNever = reading.attempt.seal === "noop";
  if (records.length === 0 && !isNever)
    return giveUp(tools, attempt, { pursuit, error: "The exchange shows no TWAP of this number." });
  if (!isConfirmed(tools, pursuit)) return false;
  if (isNever) return finish(tools, attempt, neverExecuted(attempt));
  return finish(tools, attempt, { status: "rejected", error: "The cancel was not carried out: the TWAP still runs." });
}

const RUNNING: ReadonlySet<string> = new Set(["activated", "waitingForTrigger"]);

function finish(tools: Tools, attempt: Attempt, end: OperationEnd): true {
  finishOperation(tools.world, attempt, end);
  return true;
}

type History = { records: TwapRecord[]; isFinal: boolean; attempt: Attempt };

async function readHistory(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<History | null> {
  const user = tools.userOf(attempt);
  const reading = await readSealed(tools, attempt, { pursuit, user, request: { type: "twapHistory", user } });
  const records = reading === null ? null : parseTwapHistory(reading.json);
  return reading === null || records === null ? null : { ...reading, records };
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

function giveUp(tools: Tools, attempt: Attempt, { pursuit, error }: { pursuit: Pursuit; error: string }): boolean {
  if (!isGivenUp(tools, pursuit)) return false;
  finishOperation(tools.world, attempt, { status: "unknown", error });
  return true;
}
