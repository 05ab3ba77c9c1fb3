import type { Attempt } from "../core/attempt.ts";
import { type Leverage, parseActiveAssetData } from "../wire/answer/account.ts";
import { actionOf } from "./intent.ts";
import { finishOperation, neverExecuted, operationOf } from "./operation.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { isConfirmed, readSealed, sealOperation } from "./reading.ts";

/**
 * One step toward the truth about a leverage change: the setting is read back. What is in force as asked is done,
 * whoever did it; what is not, once the action can no longer land, was not applied or is no longer in force.
 */
export async function stepLeverage(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const user = tools.userOf(attempt);
  const coin = operationOf(world, attempt).market;
  const reading = await readSealed(tools, attempt, {
    pursuit,
    user,
    request: { type: "activeAssetData", user, coin },
  });
  const shown = reading === null ? null : parseActiveAssetData(reading.json);
  if (reading === null || shown === null) return false;
  // A node that is behind may show what another change has replaced before this one was asked for.
  if ((reading.isAfterSigning || reading.isFinal) && isAsAsked(attempt, shown.leverage)) {
    finishOperation(world, attempt, { status: "succeeded", exchangeId: null });
    return true;
  }
  if (!reading.isFinal) {
    await sealOperation(tools, reading.attempt, pursuit);
    return false;
  }
  if (!isConfirmed(tools, pursuit)) return false;
  const isNever = reading.attempt.seal === "noop";
  const error = `The exchange shows ${shown.leverage.value}x ${shown.leverage.type}; whether this change was in force before is not known.`;
  finishOperation(world, attempt, isNever ? neverExecuted(attempt) : { status: "rejected", error });
  return true;
}

function isAsAsked(attempt: Attempt, shown: Leverage): boolean {
  const action = actionOf(attempt);
  if (action?.type !== "updateLeverage") throw new Error("bug: a leverage change that is none");
  return shown.value === action.leverage && (shown.type === "cross") === action.isCross;
}
