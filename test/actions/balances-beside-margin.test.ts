/** Margin that our own operations have given to isolated positions is paid out of a shared balance: one of before is not told, one of now is. */
import { expect, test } from "bun:test";
import { decimal, ZERO } from "../../src/core/decimal.ts";
import { balancesDoubt } from "../../src/settle/evidence/balances-before-writes.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { insertOperation, type StoredOperation } from "../../src/store/operations.ts";
import type { AccountMode, ClearinghouseState } from "../../src/wire/answer/account.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow } from "../support/rows.ts";

const SECOND = 1_000;
const SIGNED_MS = START_MS + 5 * SECOND;
const SETTLED_MS = START_MS + 7 * SECOND;
const ID = "0190f5fe-7c00-7a00-8000-000000000001";

function give({ store }: GatewayRig, amount: string, status: StoredOperation["status"]): void {
  const rest = { exchangeId: null, error: null, before: null, releasedAtMs: null, version: 1, keyHash: null };
  const parameters = JSON.stringify({ amount });
  insertOperation(store, {
    id: ID,
    accountId: ACCOUNT.id,
    action: "isolated_margin",
    market: "BTC",
    status,
    createdAtMs: SIGNED_MS,
    parameters,
    ...rest,
  });
  const resource = { kind: "operation", id: ID } as const;
  const times = { nonce: SIGNED_MS, createdAtMs: SIGNED_MS, settledAtMs: SETTLED_MS, state: "done" as const };
  insertAttempt(store, attemptRow({ kind: "isolated_margin", accountId: ACCOUNT.id, resource, ...times }));
}

/** Positions of so many seconds after the start, which hold so much. */
type Positions = { held: string; atS: number };

function isolate({ deps }: GatewayRig, { held, atS }: Positions): void {
  const positions = [{ coin: "BTC", marginUsed: decimal(held), unrealizedPnl: ZERO, leverage: { type: "isolated" } }];
  const value = { positions } as unknown as ClearinghouseState;
  const timeMs = START_MS + atS * SECOND;
  deps.picture.take(ACCOUNT.tradingAddress, { part: "state", dex: "", value }, { timeMs, askedAtMs: timeMs });
}

type Row = {
  amount?: string;
  status?: StoredOperation["status"];
  mode?: AccountMode;
  positions: Positions;
  total: string;
  doubt: "before" | "moved" | null;
};

/** Positions held 40 beside 20000 before 10 were given. */
const ROWS: [string, Row][] = [
  ["both are of before", { positions: { held: "40", atS: 1 }, total: "20000", doubt: "before" }],
  ["the balance alone is of before", { positions: { held: "50", atS: 8 }, total: "20000", doubt: "before" }],
  ["both are of now", { positions: { held: "50", atS: 8 }, total: "19990", doubt: null }],
  ["the positions alone are of before", { positions: { held: "40", atS: 1 }, total: "19990", doubt: null }],
  ["positions are of while it was given", { positions: { held: "50", atS: 6 }, total: "19990", doubt: null }],
  ["these, and a balance of before", { positions: { held: "50", atS: 6 }, total: "20000", doubt: "before" }],
  ["a hand has filled more beside it", { positions: { held: "80", atS: 8 }, total: "19960", doubt: null }],
  ["this, and a balance of before", { positions: { held: "80", atS: 8 }, total: "19970", doubt: "before" }],
  ["so much was taken out", { amount: "-10", positions: { held: "30", atS: 8 }, total: "20010", doubt: null }],
  ["this, and of before", { amount: "-10", positions: { held: "30", atS: 8 }, total: "20000", doubt: "before" }],
  ["something else has moved it", { positions: { held: "50", atS: 8 }, total: "19000", doubt: "moved" }],
  [
    "nobody knows that it was given",
    { status: "unknown", positions: { held: "40", atS: 1 }, total: "20000", doubt: null },
  ],
  ["nothing is shared", { mode: "standard", positions: { held: "50", atS: 8 }, total: "20000", doubt: null }],
];

test.each(ROWS)("a balance that is read after own margin where %s", async (_name, row) => {
  const { amount = "10", status = "succeeded", mode = "unified", positions, total, doubt } = row;
  const rig = openGatewayRig();
  const read = (shown: string) => {
    const balances = [{ coin: "USDC", token: 0, total: decimal(shown), hold: ZERO, entryNotional: ZERO }];
    return balancesDoubt(rig.deps, ACCOUNT, { mode, balances, timeMs: rig.clock.nowMs(), heard: null });
  };
  isolate(rig, { held: "40", atS: 0 });
  expect(read("20000")).toBeNull();
  await rig.clock.advance(9 * SECOND);
  give(rig, amount, status);
  isolate(rig, positions);
  expect(read(total)?.kind ?? null).toBe(doubt);
  // Nobody is so far behind.
  await rig.clock.advance(20 * SECOND);
  expect(read(total)).toBeNull();
});

const THREE_DAYS_MS = 259_200_000;

test.each([
  ["as it was", 0],
  ["set back since", -THREE_DAYS_MS],
  ["set forth since", THREE_DAYS_MS],
])("with a wall clock %s, own margin was given when it was", async (_what, stepMs) => {
  const rig = openGatewayRig();
  const read = (shown: string) => {
    const balances = [{ coin: "USDC", token: 0, total: decimal(shown), hold: ZERO, entryNotional: ZERO }];
    return balancesDoubt(rig.deps, ACCOUNT, {
      mode: "unified",
      balances,
      timeMs: rig.deps.exchange.nowMs(),
      heard: null,
    });
  };
  isolate(rig, { held: "40", atS: 0 });
  expect(read("20000")).toBeNull();
  await rig.clock.advance(9 * SECOND);
  give(rig, "10", "succeeded");
  rig.clock.stepWall(stepMs);
  // Its positions hold it, and the balance is of before.
  isolate(rig, { held: "50", atS: 8 });
  expect(read("20000")?.kind).toBe("before");
  // Its positions lack it still, and the balance is of now: nobody can say so.
  isolate(rig, { held: "40", atS: 6 });
  expect(read("19990")).toBeNull();
});
