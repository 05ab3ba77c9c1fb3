/** After a restore: what TWAPs of which nobody can say whose they are may have bought and sold for a bot, by the fills of its account. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { type StoredFill, setFillCursor } from "../../src/store/fills.ts";
import { insertOperation } from "../../src/store/operations.ts";
import { findTakeUp, markRestored, markTakenUp } from "../../src/store/restores.ts";
import { takeUps } from "../../src/store/schema-restore.ts";
import { listUnprovenTwaps } from "../../src/store/unproven-twaps.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { awaitTakeUp, indexFill } from "../http/flatten-rig.ts";
import { BOT, limitedRig, register, textOf } from "../http/rails-rig.ts";
import { ACCOUNTS, type Rig } from "../http/rig.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow } from "../support/rows.ts";

const MAY = "increase,reduce,twap";
/** Of the same bot. */
const OTHER_KEY = `api_trade_${"e6".repeat(32)}`;

type Slice = { atMs: number; twapId?: string | null } & Partial<Pick<StoredFill, "market" | "side">> & {
    size?: string;
    startPosition?: string;
  };

/** Restored, taken up at the moment, and the account has these fills; times are of after the moment, milliseconds. */
async function rigWith(slices: readonly Slice[]): Promise<Rig> {
  const rig = await limitedRig({ may: MAY });
  awaitTakeUp(rig)();
  const nowMs = rig.clock.nowMs();
  for (const [nth, { atMs, size = "0.5", startPosition = "1", ...some }] of slices.entries()) {
    const figures = { size: decimal(size), startPosition: decimal(startPosition) };
    indexFill(rig, { market: "BTC", twapId: "5", id: `fill-${nth}`, ...some, ...figures, timeMs: nowMs + atMs });
  }
  return rig;
}

function sumsOf(rig: Rig): Record<string, [buys: string, sells: string]> {
  const all = listUnprovenTwaps(rig.deps.store, { accountId: ACCOUNTS.main, bot: "grid-1" });
  return Object.fromEntries([...all].map(([market, { buys, sells }]) => [market, [buys, sells]]));
}

const LATER = { twapId: null, startPosition: "0" } as const;

test.each<[what: string, slices: Slice[], sums: ReturnType<typeof sumsOf>]>([
  ["all slices count", [{ atMs: -60_000 }, { atMs: -30_000, size: "0.25" }], { BTC: ["0.75", "0"] }],
  ["what was sold counts by itself", [{ atMs: -9 }, { atMs: -5, twapId: "6", side: "sell" }], { BTC: ["0.5", "0.5"] }],
  ["each market has its own", [{ atMs: -9 }, { atMs: -5, market: "ETH" }], { BTC: ["0.5", "0"], ETH: ["0.5", "0"] }],
  ["its first slice may come after the orders were read", [{ atMs: 59_000 }], { BTC: ["0.5", "0"] }],
  ["one whose first slice comes later was begun later", [{ atMs: 61_000 }], {}],
  ["what began from nothing after it ends the question", [{ atMs: -9 }, { atMs: 5, ...LATER }], {}],
  ["elsewhere that says nothing", [{ atMs: -9 }, { atMs: 5, ...LATER, market: "ETH" }], { BTC: ["0.5", "0"] }],
  ["before its last slice that says nothing", [{ atMs: -9 }, { atMs: 1, ...LATER }, { atMs: 5 }], { BTC: ["1", "0"] }],
  ["its own slice may be what began from nothing", [{ atMs: -9, startPosition: "0" }], { BTC: ["0.5", "0"] }],
])("of what TWAPs of nobody traded %s", async (_what, slices, sums) => {
  expect(sumsOf(await rigWith(slices))).toEqual(sums);
});

const HOUR_MS = 3_600_000;

type Dates = { snapshotAtMs?: number; takenUpAtMs?: number; filledToMs?: number | null };
test.each<[what: string, atMs: number, dates: Dates, isCounted: boolean]>([
  ["the clock of the lost machine was two hours ahead", -600_000, { snapshotAtMs: 2 * HOUR_MS }, true],
  [
    "it was so, and the snapshot had no fills: an hour is all that is allowed for",
    -600_000,
    { snapshotAtMs: 2 * HOUR_MS, filledToMs: null },
    false,
  ],
  ["it was there before the snapshot, which had all fills by then", -HOUR_MS - 1, { filledToMs: -600_000 }, false],
  ["the clock of this machine is three days behind", -600_000, { takenUpAtMs: -72 * HOUR_MS }, true],
])("a TWAP of nobody, where %s", async (_what, atMs, { filledToMs = -1_200_000, ...dates }, isCounted) => {
  const rig = await rigWith([{ atMs }]);
  const nowMs = rig.clock.nowMs();
  const wall = Object.fromEntries(Object.entries(dates).map(([name, afterMs]) => [name, nowMs + afterMs]));
  const filled = filledToMs === null ? null : nowMs + filledToMs;
  rig.deps.store
    .update(takeUps)
    .set({ ...wall, filledToMs: filled })
    .run();
  expect(sumsOf(rig)).toEqual(isCounted ? { BTC: ["0.5", "0"] } : {});
});

test("a restore keeps up to when the snapshot had all fills; another one before the first is taken up keeps the earlier", () => {
  const store = openMemoryStore();
  const { id } = accountRow();
  const restoredAt = (atMs: number, filledToMs: number) =>
    inTransaction(store, () => {
      setFillCursor(store, id, filledToMs);
      markRestored(store, atMs);
    });
  insertAccount(store, accountRow());
  restoredAt(10 * HOUR_MS, 2 * HOUR_MS);
  expect(findTakeUp(store, id)?.between).toEqual({ sinceMs: 2 * HOUR_MS + 1, toMs: null });
  restoredAt(11 * HOUR_MS, 5 * HOUR_MS);
  expect(findTakeUp(store, id)?.between.sinceMs).toBe(2 * HOUR_MS + 1);
  inTransaction(store, () => markTakenUp(store, id, { takenUpAtMs: 1, readToMs: 12 * HOUR_MS }));
  expect(findTakeUp(store, id)).toMatchObject({ takenUpAtMs: 1, between: { toMs: 12 * HOUR_MS } });
  restoredAt(13 * HOUR_MS, 6 * HOUR_MS);
  expect(findTakeUp(store, id)?.between).toEqual({ sinceMs: 6 * HOUR_MS + 1, toMs: null });
  inTransaction(store, () => markTakenUp(store, id, { takenUpAtMs: 1, readToMs: 1 }));
  // Without any fill there is nothing to go by but the hour.
  restoredAt(14 * HOUR_MS, 0);
  expect(findTakeUp(store, id)?.between.sinceMs).toBe(13 * HOUR_MS);
});

test("a TWAP of our own is somebody's", async () => {
  const rig = await rigWith([{ atMs: -9 }]);
  const parameters = JSON.stringify({ side: "buy", size: "1", duration_minutes: 30, reduce_only: false });
  const twap = { action: "twap", market: "BTC", parameters, before: null, status: "succeeded", error: null } as const;
  const of = { id: "0190a0b0-0000-7007-8000-00000000aaaa", accountId: ACCOUNTS.main, keyHash: keyHash(BOT) };
  const rest = { exchangeId: "5", createdAtMs: 0, releasedAtMs: null, version: 0 };
  inTransaction(rig.deps.store, () => insertOperation(rig.deps.store, { ...twap, ...of, ...rest }));
  expect(sumsOf(rig)).toEqual({});
});

test("a bot that was ever granted TWAPs may have begun one, whatever its newest grant says", async () => {
  const rig = await rigWith([{ atMs: -9 }]);
  await rig.clock.advance(1_000);
  expect((await register(rig, textOf(rig, { may: "increase,reduce" }, OTHER_KEY))).status).toBe(201);
  expect(sumsOf(rig)).toEqual({ BTC: ["0.5", "0"] });
});
