/** What the auditor of stops and TWAPs finds, and what it excuses. */
import { expect, test } from "bun:test";
import type { ToldEvent } from "./tellings.ts";
import { PARTIES, START_MS } from "./template.ts";
import { auditTwapsStopped, type StoppedTwaps } from "./twap-stops-audit.ts";

const [party] = PARTIES;
if (party === undefined) throw new Error("bug: a run without parties");
const { account, agent } = party;
const KEY = "key-1";

function event(id: number, type: string, atMs: number, payload: object): ToldEvent {
  const resourceId = type.startsWith("stop.") ? "stop" : "twap";
  const told = { account: account.id, resumed_at: null, ...payload };
  return { id, type, resourceId, payload: JSON.stringify(told), atMs, isTakenBack: false };
}

const STOP = { scope: "bot", key_hash: KEY, cause: "asked", keep_protection: true };

/** A TWAP that is named at 1 s, and a stop of its key at 5 s. */
function runOf(more: Partial<StoppedTwaps> = {}, ends: object[] = []): StoppedTwaps {
  const response = { type: "twapOrder", data: { status: { running: { twapId: 7 } } } };
  const made = { signer: agent, nonce: 1, isAdmitted: true, input: { action: { type: "twapOrder" } } };
  const log = [{ ...made, reply: { status: "ok", response } }];
  return {
    // All that is asked of it.
    venue: { log, account: () => ({ twapHistory: ends }) } as unknown as StoppedTwaps["venue"],
    told: [
      event(1, "operation.created", 500, { exchange_id: null }),
      event(2, "operation.updated", 1_000, { exchange_id: "7" }),
      event(3, "stop.created", 5_000, STOP),
    ],
    sent: [],
    signerOf: new Map(),
    twaps: [{ id: "twap", account_id: account.id, key_hash: KEY, parameters: '{"reduce_only":false}', nonce: 1 }],
    aways: [],
    bots: [],
    ...more,
  };
}

function cancelAt(atMs: number, twapId = 7): Partial<StoppedTwaps> {
  const body = `{"action":{"type":"twapCancel","a":0,"t":${twapId}},"nonce":2}`;
  return { sent: [{ path: "/exchange", body, atMs, number: 1 }], signerOf: new Map([[body, agent]]) };
}

function endAt(ms: number, status: string): object {
  return { state: { twapId: 7 }, status: { status }, timeMs: START_MS + ms };
}

const { told: plain } = runOf();
const twap = runOf().twaps[0] as StoppedTwaps["twaps"][number];

const CASES: [what: string, run: StoppedTwaps, found: number][] = [
  ["nothing cancels it", runOf(), 1],
  ["its cancel is sent in time", runOf(cancelAt(14_000)), 0],
  ["or before the stop", runOf(cancelAt(2_000)), 0],
  ["it is sent too late", runOf(cancelAt(16_000)), 1],
  ["another's is sent", runOf(cancelAt(6_000, 77)), 1],
  [
    "it is sent late, and no gateway lived until then",
    runOf({ ...cancelAt(20_000), aways: [{ fromMs: 6_000, toMs: 12_000 }] }),
    0,
  ],
  ["one lived long enough before that", runOf({ aways: [{ fromMs: 15_500, toMs: 60_000 }] }), 1],
  ["it has ended", runOf({}, [endAt(1_000, "activated"), endAt(9_000, "finished")]), 0],
  ["it runs on", runOf({}, [endAt(1_000, "activated"), endAt(19_000, "finished")]), 1],
  [
    "somebody resumes",
    runOf({ told: [...plain, event(4, "stop.updated", 8_000, { ...STOP, resumed_at: "then" })] }),
    0,
  ],
  ["the stop is of another key", runOf({ twaps: [{ ...twap, key_hash: "other" }] }), 0],
  ["it only reduces", runOf({ twaps: [{ ...twap, parameters: '{"reduce_only":true}' }] }), 0],
  ["its number was never told", runOf({ told: plain.filter(({ id }) => id !== 2) }), 0],
  ["the stop was taken back", runOf({ told: plain.map((each) => ({ ...each, isTakenBack: each.id === 3 })) }), 0],
];

test.each(CASES)("a TWAP under a stop where %s", (_what, run, found) => {
  expect(auditTwapsStopped(run)).toHaveLength(found);
});
