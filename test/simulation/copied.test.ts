/** By when the auditor takes a gateway to know of what a copy has placed. */
import { expect, test } from "bun:test";
import { copiesOf, isCopyNeverKnown, isCopyUnknown } from "./copied.ts";
import type { Execution } from "./venue.ts";

const CLOID = "0x01a1fd714b7670079166e96ef0edd69f";
const OID = 5;

// What of an execution is looked at.
const COPY = {
  nonce: 7,
  isAdmitted: true,
  namedOids: [],
  input: { action: { type: "order", orders: [{ a: 0, b: true, p: "1", s: "1", r: false, c: CLOID }] } },
  reply: { status: "ok", response: { type: "order", data: { statuses: [{ resting: { oid: OID } }] } } },
} as unknown as Execution;

// Simulated seed 2400721: canceled and forgotten before the first look for it.
test.each([
  ["nothing had shown it, it is over and forgotten", {}, true],
  ["something had shown it", { isShown: true }, false],
  ["it lives", { isLive: true }, false],
  ["its record is kept", { areRecordsKept: true }, false],
])("what a copy has placed is never known where %s", (_what, about, isNever) => {
  const { isShown = false, isLive = false, areRecordsKept = false } = about as Partial<Record<string, boolean>>;
  const heardOrders = { shownCloids: new Set(isShown ? [CLOID] : []) };
  const run = { takenLaterMs: new Map([[7, 1_000]]), faultsEndMs: 40_000, areRecordsKept, heardOrders };
  const copies = copiesOf({ log: [COPY], isLive: () => isLive }, run);
  expect(isCopyNeverKnown(copies, [{ oid: OID }])).toBe(isNever);
  expect(isCopyUnknown(copies, [{ oid: OID }], 40_000)).toBe(true);
  expect(isCopyUnknown(copies, [{ oid: OID }], 1_000_000)).toBe(isNever);
});
