/** What the auditor says of a modify that was on its way when a cancel was asked for, and whose order lives. */
import { expect, test } from "bun:test";
import type { Dialogue } from "./clients.ts";
import { auditLeftLive } from "./left-live.ts";
import type { AnswerFate } from "./network.ts";
import { PARTIES, START_MS } from "./template.ts";

const [PARTY] = PARTIES;
const NONCE = 77;
const SIGNER = PARTIES[0]?.agent;
const BODY = `{"nonce":${NONCE},}`;
/** Virtual times, milliseconds. */
const [MODIFIED_AT, ASKED_AT, ANSWERED_AT, PLACED_AT] = [1_000, 2_000, 2_100, 3_000];
const HEARD: AnswerFate = { kind: "true", ofCopy: 0, afterMs: 10 };

type Case = { answer?: AnswerFate; arrivesAfterMs?: readonly number[]; isCopied?: boolean; isLive?: boolean };

function findingsOf({ answer = HEARD, arrivesAfterMs = [10], isCopied = true, isLive = true }: Case): string[] {
  const wish = { party: PARTY, number: 2, target: 1 };
  const turn = { askedAtMs: ASKED_AT, endedAtMs: ANSWERED_AT, outcome: { kind: "answer", status: 200 } };
  const made = [{ nonce: NONCE, signer: SIGNER, atMs: START_MS + PLACED_AT }];
  const run = {
    venue: { isLive: () => isLive, record: () => ({ statusTimestampMs: START_MS + ASKED_AT }) },
    truth: {
      orders: new Map([[1, { legs: [{ oid: 7 }] }]]),
      splits: new Map([[3, { wish: { number: 3, target: 1 }, legs: [{ oid: 8 }] }]]),
      made: new Map([[3, made]]),
    },
    sent: [{ body: BODY, atMs: MODIFIED_AT, fate: { arrivesAfterMs, answer } }],
    signerOf: new Map([[BODY, SIGNER]]),
    copies: { isCopied: () => isCopied },
  };
  // No more of a run than is asked for here.
  const asked = { wish, turns: [turn] } as unknown as Dialogue;
  return auditLeftLive(run as unknown as Parameters<typeof auditLeftLive>[0], asked, "key-2 (cancel)");
}

const LEFT = ["key-2 (cancel) left order 8 live, which was on its way"];

test.each<[what: string, of: Case, findings: string[]]>([
  ["its refusal was heard before the cancel was answered, and a copy placed it", {}, []],
  ["its refusal was lost, and a copy placed it", { answer: { kind: "silence" } }, LEFT],
  ["its refusal broke off, and a copy placed it", { answer: { kind: "cut", ofCopy: 0, afterMs: 10 } }, LEFT],
  ["its refusal came after the cancel's answer, and a copy placed it", { answer: { ...HEARD, afterMs: 2_000 } }, LEFT],
  ["its refusal came late, and a copy placed it", { arrivesAfterMs: [2_000] }, LEFT],
  ["no copy placed it", { isCopied: false }, LEFT],
  ["it lives no more", { answer: { kind: "silence" }, isLive: false }, []],
])("a cancel has to end what was on its way: %s", (_what, some, findings) => {
  expect(findingsOf(some)).toEqual(findings);
});
