import type { Rails } from "./rails.ts";

/** A rail that is signed and not held would be a promise that is broken: such a grant is refused. Null where all is held. */
export function unheldFault({ may }: Rails): { member: keyof Rails; rule: string } | null {
  if (may.includes("approve") && may.length > 1)
    return {
      member: "may",
      rule: "names approve beside another: who approves orders places, changes and proposes none",
    };
  return null;
}
