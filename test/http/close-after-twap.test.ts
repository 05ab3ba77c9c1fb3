/** What a bot's close leaves of its triggers beside a TWAP that is over, and of which not all that it bought is known yet. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertOperation, updateOperation } from "../../src/store/operations.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { attemptRow } from "../support/rows.ts";
import { close, exchangeThatFills, pass, type Shown, STOP_LOSS, statusOf } from "./close-rig.ts";
import { indexFill } from "./flatten-rig.ts";
import { BOT, inSeconds, limitedRig, place } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

const TWAP = "01b90000-0000-7000-8000-000000000001";
const CANCEL = "01b90000-0000-7000-8000-000000000002";

/** It had bought this much when its cancel was carried out. */
function putCanceledTwap(rig: Rig, executed: string): void {
  const { store } = rig.deps;
  const atMs = rig.clock.nowMs() - 60_000;
  const asked = { side: "buy", size: "0.1", reduce_only: false, duration_minutes: 30, randomize: false };
  const own = { accountId: ACCOUNTS.main, market: "BTC", status: "succeeded", createdAtMs: atMs } as const;
  const rest = { ...own, before: null, error: null, releasedAtMs: null, version: 1, keyHash: keyHash(BOT) };
  const resource = { kind: "operation", id: TWAP } as const;
  const signed = { nonce: atMs, expiresAtMs: atMs + 12_000, state: "done" } as const;
  const parameters = JSON.stringify({ twap_id: 7 });
  inTransaction(store, () => {
    insertOperation(store, { ...rest, id: TWAP, action: "twap", exchangeId: null, parameters: JSON.stringify(asked) });
    updateOperation(store, TWAP, { status: "succeeded", exchangeId: "7", error: null }, atMs);
    insertOperation(store, { ...rest, id: CANCEL, action: "twap_cancel", exchangeId: null, parameters });
    insertAttempt(store, attemptRow({ kind: "twap", accountId: ACCOUNTS.main, resource, ...signed }));
  });
  const terms = { coin: "BTC", user: ACCOUNTS.main, side: "B", sz: "0.1", executedSz: executed, executedNtl: "0" };
  const state = { ...terms, minutes: 30, reduceOnly: false, randomize: false, timestamp: atMs };
  const row = { time: Math.floor(atMs / 1_000), state, status: { status: "terminated" }, twapId: 7 };
  rig.answers.set("twapHistory", () => [row]);
}

async function closedBeside(executed: string) {
  const rig = await limitedRig({});
  exchangeThatFills(rig, { szi: 0.5 });
  await inSeconds(rig, place(rig, { size: "0.002", price: "60010", time_in_force: "ioc" }));
  const guard = await inSeconds(rig, place(rig, { ...STOP_LOSS, size: "0.002" }));
  putCanceledTwap(rig, executed);
  const { id } = (await (await close(rig, {}, { apiKey: BOT })).json()) as Shown;
  const story = async () => (await rig.ask({ path: `/v1/orders/${id}/story`, apiKey: KEYS.both })).text();
  return { rig, guard, story };
}

test.each([
  ["all that it bought is known", "0", "canceled"],
  ["not all that it bought is known", "0.01", "open"],
])(
  "of the triggers of a bot that has closed its own beside a TWAP that was canceled: %s",
  async (_what, bought, status) => {
    const { rig, guard } = await closedBeside(bought);
    await pass(rig, 12);
    expect(await statusOf(rig, guard)).toBe(status);
  },
);

test("what it had bought is protected once it is known, and nothing has gone until then", async () => {
  const { rig, guard, story } = await closedBeside("0.01");
  await pass(rig, 5);
  indexFill(rig, {
    market: "BTC",
    timeMs: rig.clock.nowMs(),
    size: decimal("0.01"),
    price: decimal("60000"),
    twapId: "7",
  });
  await pass(rig, 12);
  expect(await statusOf(rig, guard)).toBe("open");
  expect(await story()).not.toContain("left-over triggers");
});

test("where nothing tells what it had bought they stay, and that is told", async () => {
  const { rig, guard, story } = await closedBeside("0.01");
  for (let minute = 0; minute < 9; minute += 1) await rig.clock.advance(60_000);
  expect(await story()).not.toContain("left-over triggers");
  for (let minute = 0; minute < 2; minute += 1) await rig.clock.advance(60_000);
  expect(await statusOf(rig, guard)).toBe("open");
  expect(await story()).toContain(
    `left-over triggers kept","detail":"flat, but not all fills of the TWAP of operation ${TWAP}`,
  );
});
