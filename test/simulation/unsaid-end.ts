import { fieldOf } from "./clients.ts";
import type { Expected } from "./truth.ts";

/**
 * Over by a newer list, and nothing that the exchange keeps says how: its record had a word that is new, or there is none of a
 * trigger that had waited. It is told as a cancel, with what is not known, and without fills.
 */
export function isToldWithoutItsWord(body: string, expected: Pick<Expected, "status">): boolean {
  const error = fieldOf(body, "error") ?? "";
  const words = ["unknown status", "canceled, or refused when it fired", "canceled, or refused when it arrived"];
  const isUnsaid = words.some((each) => error.includes(each));
  const isToldUnfilled = fieldOf(body, "status") === "canceled" && fieldOf(body, "filled_size") === "0";
  return isUnsaid && isToldUnfilled && expected.status === "rejected";
}
