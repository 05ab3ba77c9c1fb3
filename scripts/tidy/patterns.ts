/** No regular expression whose time grows faster than the text: what is sent to us decides how long that is. */
import { backtrackingFault } from "./backtracking.ts";
import type { Finding } from "./imports.ts";
import type { Facts, Pattern } from "./source.ts";

/** Expressions that are put together while the program runs, and why that is no client's doing. */
const MADE_OF_OUR_OWN: ReadonlyMap<string, string> = new Map([
  ["src/cli/say-where.ts", "of the names of our own commands, for texts of our own"],
  ["src/wire/answer/refusal.ts", "of our own list of texts; test/tidy.test.ts asks the same of each"],
]);

export function checkPatterns(facts: Facts): Finding[] {
  if (!facts.path.startsWith("src/")) return [];
  return facts.patterns.flatMap((pattern) => {
    const reason = patternFault(facts.path, pattern);
    return reason === null ? [] : [{ file: facts.path, line: pattern.line, rule: "slow-pattern", reason }];
  });
}

function patternFault(path: string, { source, flags }: Pattern): string | null {
  if (source === null) {
    return MADE_OF_OUR_OWN.has(path) ? null : "a regular expression that is not written out here cannot be checked";
  }
  const fault = backtrackingFault(source, flags);
  return fault === null ? null : `/${source.slice(0, 60)}/: ${fault}, so its time grows faster than the text`;
}
