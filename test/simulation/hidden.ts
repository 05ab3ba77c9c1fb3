/** Orders behind which another's stands, so that nobody can say what became of them. */
import { type Dialogue, fieldOf } from "./clients.ts";

/** The answer to a trigger named no id, and another has its client order id. */
export function isHidden({ areIdsShared }: { areIdsShared: boolean }, dialogue: Dialogue): boolean {
  const body = lastBody(dialogue);
  const isUnnamed = body.includes('"trigger":{') && fieldOf(body, "exchange_order_id") === null;
  return areIdsShared && isUnnamed;
}

export function lastError(dialogue: Dialogue): string {
  return fieldOf(lastBody(dialogue), "error") ?? "";
}

export function lastBody({ turns }: Dialogue): string {
  const last = turns.findLast(({ outcome }) => outcome?.kind === "answer")?.outcome;
  return last?.kind === "answer" ? last.body : "{}";
}
