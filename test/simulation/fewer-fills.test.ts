/** Fills that were told are taken back by nobody; while nobody knows whose some are, no figure is told, and the next is no less than the last. */
import { expect, test } from "bun:test";
import { auditEnds } from "./answers.ts";
import type { Turn } from "./clients.ts";

type Told = { status: string; filled: string | null };

function findingsOf(told: readonly Told[]): string[] {
  const reads = told.map(({ status, filled }, nth): { turn: Turn } => {
    const body = JSON.stringify({ object: "order", id: "an-order", status, filled_size: filled });
    const outcome = { kind: "answer", status: 200, body, isReplay: false } as Turn["outcome"];
    return {
      turn: { ask: { kind: "get", id: "an-order" }, askedAtMs: nth * 10, endedAtMs: nth * 10 + 5, outcome, deaths: 0 },
    };
  });
  const copies = { isOf: () => false } as unknown as Parameters<typeof auditEnds>[0]["copies"];
  return auditEnds({ dialogues: [], reads, copies });
}

const PART = { status: "open", filled: "0.4" };

test.each<[string, Told[], number]>([
  ["the same again", [PART, PART], 0],
  ["fewer", [PART, { ...PART, filled: "0.3" }], 1],
  ["none", [PART, { ...PART, filled: "0" }], 1],
  ["no figure, of an order that is unknown", [PART, { status: "unknown", filled: null }], 0],
  ["no figure, of one that is open", [PART, { status: "open", filled: null }], 1],
  ["no figure, and then fewer", [PART, { status: "unknown", filled: null }, { ...PART, filled: "0.3" }], 1],
  ["no figure, and then as many", [PART, { status: "unknown", filled: null }, PART], 0],
])("told after a part: %s", (_what, told, count) => {
  expect(findingsOf(told)).toHaveLength(count);
});
