/** What a process before this one was told of an order is of its moment, whatever our wall clock was set to since: positions and balances have to hold it. */
import { expect, test } from "bun:test";
import { decimal, ZERO } from "../../src/core/decimal.ts";
import { BEHIND_MS } from "../../src/core/evidence.ts";
import { balancesDoubt } from "../../src/settle/evidence/balances-before-writes.ts";
import { arePositionsBefore } from "../../src/settle/evidence/positions-before.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { ACCOUNT, type GatewayRig, openGatewayRig } from "../support/gateway-rig.ts";
import { placingRows } from "../support/rows.ts";
import { WALL_CLOCKS } from "../support/wall-clocks.ts";

/** A bitcoin was bought, and no fill of it is kept; then another process began. */
async function boughtBefore(before: number, since: number): Promise<GatewayRig> {
  const rig = openGatewayRig();
  const { clock, store, deps } = rig;
  await clock.advance(60_000);
  clock.stepWall(before);
  const [nonce, atMs] = [deps.exchange.nowMs(), clock.nowMs()];
  const rows = placingRows(1, { state: "done", nonce, createdAtMs: atMs });
  const filled = { filledSize: decimal("1") };
  const terms = { market: "BTC", side: "buy", status: "filled", size: "1", price: "60000" } as const;
  const order = { ...rows.order, ...terms, ...filled, accountId: ACCOUNT.id, createdAtMs: atMs, seenAtMs: atMs + 100 };
  inTransaction(store, () => insertPlacing(store, { ...rows, leg: { ...rows.leg, ...filled }, order }));
  store.memory.legMoments.clear();
  store.memory.sentMarks.length = 0;
  await clock.advance(1_000);
  clock.stepWall(since);
  await clock.advance(3_000);
  return rig;
}

test.each(WALL_CLOCKS)("a position may be of before that where our wall clock %s", async (_what, before, since) => {
  const { clock, deps } = await boughtBefore(before, since);
  const isBefore = () => {
    const shown = { positions: [], timeMs: deps.exchange.nowMs(), askedAtMs: clock.nowMs() };
    return arePositionsBefore(deps, { accountId: ACCOUNT.id, dex: "" }, shown);
  };
  expect(isBefore()).toBe(true);
  await clock.advance(BEHIND_MS);
  expect(isBefore()).toBe(false);
});

test.each(WALL_CLOCKS)("so may balances that are one pot, where it %s", async (_what, before, since) => {
  const { clock, deps } = await boughtBefore(before, since);
  const balances = [{ coin: "USDC", token: 0, total: decimal("20000"), hold: ZERO, entryNotional: ZERO }];
  const isDoubted = () =>
    balancesDoubt(deps, ACCOUNT, { mode: "unified", balances, heard: null, timeMs: deps.exchange.nowMs() }) !== null;
  expect(isDoubted()).toBe(true);
  await clock.advance(BEHIND_MS);
  expect(isDoubted()).toBe(false);
});
