import { fieldOf } from "./clients.ts";
import type { Expected } from "./truth.ts";

/** Over by a newer list, and its record had a word that is new: how it ended is told as a cancel, with that word. */
export function isToldByNewWord(body: string, expected: Expected): boolean {
  const isNew = fieldOf(body, "error")?.includes("unknown status") ?? false;
  return isNew && fieldOf(body, "status") === "canceled" && expected.status === "rejected";
}
