/** Whose an order is that a restore has found, by its mark, and what being given to its bot changes at once. */
import { expect, test } from "bun:test";
import { cloidOf } from "../../src/core/cloid.ts";
import type { Side } from "../../src/core/order.ts";
import { giveToBots, whoseOf } from "../../src/settle/restore/bot-marks.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listFoundOfNobody } from "../../src/store/given-orders.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { listOpenLegs } from "../../src/store/open-legs.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { insertAdoption } from "../../src/store/restores.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { botBitsOf, keyDigitsOfCloid, mintOrderId } from "../../src/wire/order-id.ts";
import { awaitTakeUp } from "../http/flatten-rig.ts";
import { BOT, limitedRig, register, textOf } from "../http/rails-rig.ts";
import { ACCOUNTS, type Rig } from "../http/rig.ts";
import { legRow, orderRow } from "../support/rows.ts";

const OTHER_KEY = `api_trade_${"e6".repeat(32)}`;

type Found = { bot?: string | null; accountId?: string; reduceOnly?: boolean; side?: Side; nowMs?: number };

/** An open order that carries the mark of a bot, of nobody's key. */
function find({ deps }: Rig, { bot = null, accountId = ACCOUNTS.main, nowMs = 7_000, ...terms }: Found = {}): string {
  const { tag: instanceTag, secret } = deps.instance;
  const idempotencyKey = `key-${nowMs}`;
  const id = mintOrderId({ nowMs, instanceTag, secret, accountId, idempotencyKey, bot });
  const cloid = cloidOf(id);
  inTransaction(deps.store, (store) => {
    insertOrder(store, { ...orderRow(), ...terms, id, accountId, status: "open", keyHash: null, idempotencyKey: null });
    insertLeg(store, legRow({ cloid, orderId: id, oid: String(nowMs), state: "resting" }));
    insertAdoption(store, { accountId, keyDigits: keyDigitsOfCloid(cloid), orderId: id, hasTerms: true });
  });
  return id;
}

test("a mark says whose an order is: a bot's, nobody's, or of a bot that is not known", async () => {
  const rig = await limitedRig({});
  const whose = whoseOf(rig.deps, ACCOUNTS.main);
  const kinds = ["grid-1", null, "another-bot"].map((bot, nth) =>
    whose(cloidOf(find(rig, { bot, nowMs: 7_000 + nth }))),
  );
  expect(kinds).toEqual([
    { kind: "bot", bot: "grid-1", keyHash: keyHash(BOT) },
    { kind: "nobody" },
    { kind: "unknown" },
  ]);
});

test("of two bots that share a mark nothing is proven", async () => {
  const rig = await limitedRig({});
  const { secret } = rig.deps.instance;
  const markOf = (bot: string) => botBitsOf(secret, { accountId: ACCOUNTS.main, bot });
  let nth = 0;
  while (markOf(`bot-${nth}`) !== markOf("grid-1")) nth += 1;
  expect((await register(rig, textOf(rig, { bot: `bot-${nth}` }, OTHER_KEY))).status).toBe(201);
  const id = find(rig, { bot: "grid-1" });
  expect(whoseOf(rig.deps, ACCOUNTS.main)(cloidOf(id))).toEqual({ kind: "unknown" });
});

test("what was found and is nobody's is listed for its account, the oldest first", async () => {
  const rig = await limitedRig({});
  const ids = [9_000, 8_000, 10_000].map((nowMs) => find(rig, { nowMs }));
  find(rig, { accountId: ACCOUNTS.other });
  expect(listFoundOfNobody(rig.deps.store, ACCOUNTS.main).map(({ id }) => id)).toEqual(ids.toSorted());
});

test("who is granted a key has what was found under its mark among what it has out, and nothing else", async () => {
  const rig = await limitedRig({});
  const { store } = rig.deps;
  awaitTakeUp(rig)();
  const [own, nobodys] = [find(rig, { bot: "grid-1" }), find(rig, { nowMs: 8_000 })];
  expect(botsOf(rig)).toEqual({ [own]: null, [nobodys]: null });
  inTransaction(store, () => giveToBots(rig.deps, ACCOUNTS.main));
  expect(botsOf(rig)).toEqual({ [own]: "grid-1", [nobodys]: null });
});

/** By id, of all that is out. */
function botsOf({ deps: { store } }: Rig): Record<string, string | null> {
  return Object.fromEntries(listOpenLegs(store, ACCOUNTS.main).map(({ orderId, bot }) => [orderId, bot]));
}
