/** What keeps an absence from being concluded: a history that is cut short, a cancel that found it, a position seen once. */
import { expect, test } from "bun:test";
import { type Attempt, endsAtMs } from "../../src/core/attempt.ts";
import type { HistoryAnswer } from "../../src/core/evidence.ts";
import { LASTING } from "../../src/settle/cancel/grounds.ts";
import { weighAbsence } from "../../src/settle/evidence/absence.ts";
import { gatherFillEvidence } from "../../src/settle/evidence/fill-evidence.ts";
import type { Sought } from "../../src/settle/look/look.ts";
import { startPursuit, type Tools } from "../../src/settle/pursuit.ts";
import { findAttempt, insertAttempt } from "../../src/store/attempts.ts";
import { insertHole } from "../../src/store/fill-holes.ts";
import { setFillCursor } from "../../src/store/fills.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { ACCOUNT, AGENT_ADDRESS, type GatewayRig, openGatewayRig, START_MS } from "../support/gateway-rig.ts";
import { attemptRow, placingRows } from "../support/rows.ts";

const SECOND = 1_000;
const BATCH = "0190a0b0-0000-7007-8002-000000000001";
const { leg: LEG, order: ORDER } = placingRows(1);

const ACTION: Partial<Attempt> = {
  kind: "place",
  accountId: ACCOUNT.id,
  state: "ambiguous",
  nonce: START_MS,
  expiresAtMs: START_MS + 12 * SECOND,
  signer: AGENT_ADDRESS,
  seal: "nonce_taken",
  hasLanded: true,
};

function openWith(some: Partial<Attempt> = {}) {
  const rig = openGatewayRig();
  const placing = placingRows(1, { ...ACTION, ...some });
  const { id } = insertPlacing(rig.store, { ...placing, order: { ...placing.order, batchId: BATCH } });
  return { rig, id, pursuit: startPursuit(id) };
}

function toolsOf({ deps }: GatewayRig): Tools {
  const bug = () => {
    throw new Error("not in this test");
  };
  const sought: Sought = {
    market: "BTC",
    side: "buy",
    reduceOnly: false,
    leg: LEG,
    user: ACCOUNT.tradingAddress,
    accountId: ACCOUNT.id,
  };
  return {
    world: deps,
    sweeps: { read: bug, newestMs: () => null },
    vanished: { look: bug, shown: bug },
    evidence: gatherFillEvidence(),
    grounds: LASTING,
    misses: new Map(),
    soughtOf: () => sought,
    userOf: bug,
  };
}

type Opened = ReturnType<typeof openWith>;

function weigh({ rig, id, pursuit }: Opened, history: HistoryAnswer, recorded: readonly string[] = []) {
  const attempt = findAttempt(rig.store, id);
  if (attempt === null) throw new Error("no attempt");
  const missed = { pursuit, history, recorded: new Set(recorded) };
  return weighAbsence(toolsOf(rig), attempt, missed, () => undefined);
}

function historyTo(atMs: number, reachesBack: boolean): HistoryAnswer {
  return { newestAtMs: atMs, listedAtMs: atMs, reachesBack };
}

test("a history that is cut short leaves no order of a batch out, though it holds another of them", async () => {
  const opened = openWith();
  const beside = placingRows(2, { ...ACTION, state: "done" });
  const known = { state: "resting", oid: "5", isExchangesWord: true } as const;
  const order = { ...beside.order, batchId: BATCH, batchIndex: 1 };
  insertPlacing(opened.rig.store, { ...beside, order, leg: { ...beside.leg, ...known } });
  for (const reachesBack of [false, false, false, true]) {
    expect(await weigh(opened, historyTo(START_MS, reachesBack), ["5"])).toBe(false);
    await opened.rig.clock.advance(2 * SECOND);
  }
  expect(await weigh(opened, historyTo(START_MS, true), ["5"])).toBe(true);
});

test("what a cancel by its client order id has closed was there, whatever number was burnt", async () => {
  const opened = openWith({ seal: "noop", hasLanded: false });
  const action = `{"type":"cancelByCloid","cancels":[{"asset":0,"cloid":"${LEG.cloid}"}]}`;
  const resource = { kind: "order", id: ORDER.id } as const;
  const cancel = { kind: "cancel", nonce: START_MS + 1, cloid: null, seal: null, action, resource } as const;
  insertAttempt(opened.rig.store, attemptRow({ ...ACTION, ...cancel }));
  expect(await weigh(opened, historyTo(START_MS, true))).toBe(false);
});

test("a position that was seen to stand once says nothing of what has outlived its record", async () => {
  const opened = openWith({ hasLanded: false });
  const { rig } = opened;
  setFillCursor(rig.store, ACCOUNT.id, START_MS);
  const past = historyTo(endsAtMs({ expiresAtMs: START_MS + 12 * SECOND }) + 61 * SECOND, false);
  await rig.clock.advance(90 * SECOND);
  rig.venue.failing.add("clearinghouseState");
  expect(await weigh(opened, past)).toBe(false);
  rig.venue.failing.clear();
  await rig.clock.advance(20 * SECOND);
  expect([await weigh(opened, past), opened.pursuit.unmoved]).toEqual([false, 1]);
  await rig.clock.advance(20 * SECOND);
  expect([await weigh(opened, past), opened.pursuit.unmoved]).toEqual([true, 2]);
});

test("fills that may lack some of its time do not tell that it had none; those of before it do", async () => {
  const opened = openWith({ hasLanded: false });
  const { store } = opened.rig;
  setFillCursor(store, ACCOUNT.id, START_MS + 600 * SECOND);
  opened.rig.venue.failing.add("clearinghouseState");
  insertHole(store, { accountId: ACCOUNT.id, orderIds: [], timeMs: START_MS + SECOND, atMs: START_MS });
  const past = historyTo(endsAtMs({ expiresAtMs: START_MS + 12 * SECOND }) + 61 * SECOND, false);
  await opened.rig.clock.advance(90 * SECOND);
  for (let nth = 0; nth < 3; nth += 1) {
    expect(await weigh(opened, past)).toBe(false);
    await opened.rig.clock.advance(20 * SECOND);
  }
  store.$client
    .query("update notes set detail = ? where resource_id = ?")
    .run(String(START_MS - 1_000 * SECOND), ACCOUNT.id);
  expect(await weigh(opened, past)).toBe(true);
});
