/** When the auditor says that a flattening ought to have ended. */
import { expect, test } from "bun:test";
import type { FlattenWish } from "./flattens.ts";
import { isEndOwed } from "./flattens-audit.ts";
import { PARTIES } from "./template.ts";

const [party] = PARTIES;
if (party === undefined) throw new Error("bug: a run without parties");
const STOP = { party } as FlattenWish["stop"];

type Row = { given: string[]; waits: string[]; isUnsettled?: boolean };

test.each<[what: string, row: Row, isOwed: boolean]>([
  ["nothing was given wrongly", { given: [], waits: ["fills_not_known"] }, true],
  ["it waits for what another's fill leaves", { given: ["1"], waits: ["no_price", "fills_not_known"] }, false],
  ["another's fill was given, and it waits for something else", { given: ["1"], waits: ["position_behind"] }, true],
  ["something is not settled", { given: [], waits: ["order_unsettled"], isUnsettled: true }, false],
])("where %s, its end is owed or not", (_what, { given, waits, isUnsettled = false }, isOwed) => {
  const run = { hasUnsettled: () => isUnsettled, wrongly: { fillsGivenTo: () => new Set(given) } };
  expect(isEndOwed(run, { stop: STOP }, { isRunning: () => true, waitsFor: () => waits })).toBe(isOwed);
  expect(isEndOwed(run, { stop: STOP }, { isRunning: () => false, waitsFor: () => waits })).toBe(false);
});
