import type { Attempt } from "../core/attempt.ts";
import { type Leverage, parseActiveAssetData } from "../wire/answer/account.ts";
import { actionOf } from "./intent.ts";
import { finishOperation, neverExecuted, operationOf, refusedUnlisted } from "./operation.ts";
import type { Pursuit, Tools } from "./pursuit.ts";
import { isGivenUp, readEffect } from "./reading.ts";

/**
 * One step toward the truth about a leverage change. A number that nobody had used says that it never ran. Once the
 * number is taken, a setting that is in force as asked is done, whoever did it; one that is not proves nothing: the answer
 * carries no time, so it may be from before.
 */
export async function stepLeverage(tools: Tools, attempt: Attempt, pursuit: Pursuit): Promise<boolean> {
  const { world } = tools;
  const user = tools.userOf(attempt);
  const coin = operationOf(world, attempt).market;
  const reading = await readEffect(tools, attempt, { pursuit, request: { type: "activeAssetData", user, coin } });
  if (reading === null) return false;
  const { seal } = reading.attempt;
  if (seal === "noop") {
    finishOperation(world, attempt, neverExecuted(attempt));
    return true;
  }
  const shown = parseActiveAssetData(reading.json);
  if (shown === null) return false;
  // Before anything is known of its number, the same setting may be one that another change has replaced meanwhile.
  if (seal !== null && isAsAsked(attempt, shown.leverage)) {
    finishOperation(world, attempt, { status: "succeeded", exchangeId: null });
    return true;
  }
  if (pursuit.refusal !== null && reading.attempt.hasLanded) {
    finishOperation(world, attempt, refusedUnlisted(pursuit.refusal));
    return true;
  }
  if (!isGivenUp(tools, reading.attempt, pursuit)) return false;
  const error = `Whether it was applied cannot be proven. The exchange shows ${shown.leverage.value}x ${shown.leverage.type}.`;
  finishOperation(world, attempt, { status: "unknown", error });
  return true;
}

function isAsAsked(attempt: Attempt, shown: Leverage): boolean {
  const action = actionOf(attempt);
  if (action?.type !== "updateLeverage") throw new Error("bug: a leverage change that is none");
  return shown.value === action.leverage && (shown.type === "cross") === action.isCross;
}
