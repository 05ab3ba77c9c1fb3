/** Copies of refused orders are looked for in turn: who cannot be asked for keeps nobody else from it. */
import { expect, test } from "bun:test";
import type { Settling } from "../../src/deps.ts";
import { lookForCopy, openLateCopies } from "../../src/settle/copies/late-copies.ts";
import { openLateRefusals } from "../../src/settle/operation/late-refusals.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { listUnusedNumbers } from "../../src/store/unused-numbers.ts";
import { inSeconds, limitedRig, MARK, place } from "../http/rails-rig.ts";
import { ACCOUNTS, KEYS } from "../http/rig.ts";
import { recordOf } from "../support/small-venue.ts";

const USED_UP =
  "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.";
const TOO_MANY_TWAPS = {
  status: "ok",
  response: { type: "twapOrder", data: { status: { error: "Exceeded max number of active TWAP orders." } } },
};
/** What is looked for in one round, and two more. */
const REFUSED = 12;

test("behind ten that cannot be asked for the rest are looked for as soon as it is their turn", async () => {
  const rig = await limitedRig({});
  const { deps, clock } = rig;
  for (let nth = 0; nth < REFUSED; nth += 1) {
    rig.refusals.push(USED_UP);
    await place(rig, { size: "0.001" });
  }
  const cloids = listUnusedNumbers(deps.store, ACCOUNTS.main, 0).map(({ attempt }) => attempt.cloid);
  expect(cloids).toHaveLength(REFUSED);
  const asked: unknown[] = [];
  deps.exchange.info = async (request) => {
    const { oid } = request as { oid?: unknown };
    asked.push(oid);
    return { kind: "failed", reason: "connection refused", httpStatus: null, isOurBudget: false };
  };
  const copies = openLateCopies(deps, { pursue: async () => undefined, look: async () => "closed" });
  await clock.advance(60_000);
  for (let round = 0; round < 2; round += 1) {
    await copies.look();
    await clock.advance(3_000);
  }
  expect(asked).toHaveLength(20);
  expect(new Set(asked)).toEqual(new Set(cloids));
});

test("copies are looked for in their turn while what shows a refused TWAP does not answer", async () => {
  const rig = await limitedRig({});
  const { deps, clock } = rig;
  rig.refusals.push(USED_UP);
  await place(rig, { size: "0.001" });
  rig.answers.set("meta", () => ({ universe: [{ name: "BTC", szDecimals: 5, maxLeverage: 40 }] }));
  const { send } = deps.exchange;
  deps.exchange.send = async (...asked) => {
    const outcome = await send(...asked);
    rig.answers.set("twapHistory", () => []);
    return outcome.kind === "answered" ? { ...outcome, body: JSON.stringify(TOO_MANY_TWAPS) } : outcome;
  };
  const body = { market: "BTC", side: "buy", size: "0.01", duration_minutes: 30 };
  const ask = { path: "/v1/twaps", apiKey: KEYS.both, idempotencyKey: "refused-twap", body };
  const twap = await inSeconds(rig, rig.ask(ask));
  expect(await twap.json()).toMatchObject({ status: "rejected" });
  const asked: unknown[] = [];
  deps.exchange.info = async (request) => {
    asked.push((request as { type?: unknown }).type);
    return new Promise(() => undefined);
  };
  const settling: Pick<Settling, "look" | "pursue"> = { pursue: async () => undefined, look: async () => "closed" };
  await clock.advance(60_000);
  void openLateRefusals(deps, settling).look();
  void openLateCopies(deps, settling).look();
  await clock.advance(1);
  expect(asked).toEqual(["twapHistory", "orderStatus"]);
});

/** Of an order that was refused: what its number came to, how its record ends, and whether that shows a copy of it that was executed. */
test.each<["nonce_taken" | "noop" | null, string, "shown" | "silent"]>([
  ["nonce_taken", "perpMarginRejected", "silent"],
  ["noop", "perpMarginRejected", "silent"],
  [null, "perpMarginRejected", "shown"],
  ["nonce_taken", "open", "shown"],
])("where its number is %p the record of a refused order that says %s is %s", async (seal, status, sight) => {
  const rig = await limitedRig({});
  const { deps } = rig;
  rig.refusals.push(USED_UP);
  await place(rig, { size: "0.001" });
  const [refused] = listUnusedNumbers(deps.store, ACCOUNTS.main, 0);
  const account = findAccount(deps.store, ACCOUNTS.main);
  const cloid = refused?.attempt.cloid ?? null;
  if (refused === undefined || account === null || cloid === null) throw new Error("nothing was refused");
  const times = { placedAtMs: deps.clock.nowMs(), statusAtMs: deps.clock.nowMs() };
  const terms = { isBuy: true, price: MARK, size: "0.001", tif: "Gtc", reduceOnly: false, isTrigger: false };
  const order = recordOf({ oid: 4_711, cloid, status, fills: [], ...terms, ...times });
  deps.exchange.info = async () => ({ kind: "ok", json: { status: "order", order }, askedAtMs: times.placedAtMs });
  const asked = { ...refused, attempt: { ...refused.attempt, seal } };
  expect(await lookForCopy(deps, account, asked, "settle")).toBe(sight);
});
