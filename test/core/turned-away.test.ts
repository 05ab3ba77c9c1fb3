/** What a refusal in an answer makes of a leg, by whether a copy of its action can still be taken. */
import { expect, test } from "bun:test";
import { advanceLeg } from "../../src/core/advance-leg.ts";
import type { LegState } from "../../src/core/order.ts";
import { legRow } from "../support/rows.ts";

const STATES: LegState[] = ["sent", "lost", "absent", "rejected", "armed", "resting", "closing", "filled", "canceled"];

test.each<[boolean, boolean]>([
  [true, false],
  [false, true],
])(
  "of what is shown a refusal with its number used (%p) is a contradiction, and another copy's is no news",
  (isNumberUsed, isTaken) => {
    const refused = { type: "turned_away", reason: "refused", isNumberUsed } as const;
    const after = (state: LegState) => advanceLeg(legRow({ state, oid: "77" }), refused)?.state ?? null;
    expect(STATES.slice(0, 4).map(after)).toEqual(["absent", "absent", "absent", "rejected"]);
    expect(STATES.slice(4).map(after)).toEqual(STATES.slice(4).map((state) => (isTaken ? state : null)));
  },
);
