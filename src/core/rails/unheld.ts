import type { Rails, Verb } from "./rails.ts";

/** Verbs that no rail is held against yet: a key with rails cannot be granted them. */
const UNHELD_VERBS: readonly Verb[] = ["propose", "approve"];

/** A rail that is signed and not held would be a promise that is broken: such a grant is refused. Null where all is held. */
export function unheldFault(rails: Rails): { member: keyof Rails; rule: string } | null {
  const verb = rails.may.find((each) => UNHELD_VERBS.includes(each));
  if (verb !== undefined) return { member: "may", rule: `names ${verb}, which this version grants to no limited key` };
  return null;
}
