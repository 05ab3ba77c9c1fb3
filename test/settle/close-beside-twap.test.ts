/** What a close leaves of the triggers beside a TWAP that may go on increasing. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { insertOperation } from "../../src/store/operations.ts";
import { ACCOUNT, type openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow } from "../support/rows.ts";
import { NOTHING, openWith, pass } from "./closing-rig.ts";

const MINUTE_MS = 60_000;
const TWAP = "01b90000-0000-7000-8000-000000000001";

type Beside = {
  market?: string;
  reduceOnly?: boolean;
  status?: "succeeded" | "unknown";
  endedAgoMs?: number;
  isCanceled?: true;
};

/** Of thirty minutes; without an end it has just been begun. */
function putTwap(
  { store }: ReturnType<typeof openGatewayRig>,
  { market = "BTC", reduceOnly = false, status = "succeeded", endedAgoMs, isCanceled }: Beside,
): void {
  const exchangeMs = endedAgoMs === undefined ? START_MS : START_MS - 30 * MINUTE_MS - endedAgoMs;
  const asked = { side: "buy", size: "0.1", reduce_only: reduceOnly, duration_minutes: 30, randomize: false };
  const exchangeId = status === "succeeded" ? "7" : null;
  const own = { id: TWAP, accountId: ACCOUNT.id, market, status, exchangeId, createdAtMs: exchangeMs };
  const rest = { before: null, error: null, releasedAtMs: null, version: 1, keyHash: null };
  insertOperation(store, { ...own, ...rest, action: "twap", parameters: JSON.stringify(asked) });
  const cancel = { action: "twap_cancel", status: "succeeded", parameters: JSON.stringify({ twap_id: 7 }) } as const;
  if (isCanceled) insertOperation(store, { ...own, ...rest, ...cancel, exchangeId: null, id: `${TWAP.slice(0, -1)}2` });
  const resource = { kind: "operation", id: TWAP } as const;
  const signed = { nonce: exchangeMs, expiresAtMs: exchangeMs + 12_000, state: "done" } as const;
  insertAttempt(store, attemptRow({ kind: "twap", accountId: ACCOUNT.id, resource, ...signed }));
}

const KEPT = [`left-over triggers kept: flat, but the TWAP of operation ${TWAP} may still increase`];
const CANCELED = ["left-over triggers canceled: flat"];

test.each<[string, Beside, string[]]>([
  ["one that runs", {}, KEPT],
  ["one of which nobody knows whether it runs", { status: "unknown" }, KEPT],
  ["one whose minutes have just been over: a server may be behind", { endedAgoMs: MINUTE_MS }, KEPT],
  ["one that is over", { endedAgoMs: 4 * MINUTE_MS }, CANCELED],
  ["one that was canceled", { isCanceled: true }, CANCELED],
  ["one that only reduces", { reduceOnly: true }, CANCELED],
  ["one of another market", { market: "ETH" }, CANCELED],
])(
  "where all is closed the triggers that are left over stay beside a TWAP that may buy: %s",
  async (_what, twap, told) => {
    const scene = openWith(() => ({ size: decimal("0"), left: null }), NOTHING);
    putTwap(scene.rig, twap);
    await pass(scene.rig, MINUTE_MS);
    expect(scene.told().map((line) => line.split(";")[0])).toEqual(told);
    scene.closer.stop();
  },
);
