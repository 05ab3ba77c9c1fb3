/** Refusals in words that nobody has listed: as the whole answer or of one order, with the number used up or not. */
import type { Chance } from "../chance.ts";

export type Refusals = {
  rate: number;
  usesNonce: boolean;
  form: "whole" | "status";
  text: string;
};

export function drawRefusals(chance: Chance): Refusals {
  const usesNonce = chance.isLucky(0.6);
  return {
    rate: chance.pick([0.1, 0.3]),
    usesNonce,
    // The status of one order stands in an answer to an action that was read, and its number is used by then.
    form: usesNonce && chance.isLucky(0.5) ? "status" : "whole",
    text: chance.pick(["Something new.", "Order band exceeded, tier 3.", "Venue is in cool-down mode for 5s"]),
  };
}

/** The words as an answer, in the form of the action that was sent. */
export function refusalBody({ form, text }: Refusals, type: string): string {
  if (form === "whole" || !IN_STATUSES.has(type)) return JSON.stringify({ status: "err", response: text });
  if (type === "twapOrder" || type === "twapCancel")
    return JSON.stringify({ status: "ok", response: { type, data: { status: { error: text } } } });
  const answered = type === "batchModify" ? "order" : type;
  return JSON.stringify({ status: "ok", response: { type: answered, data: { statuses: [{ error: text }] } } });
}

const IN_STATUSES: ReadonlySet<string> = new Set(["order", "batchModify", "cancel", "twapOrder", "twapCancel"]);
