/** What is asked once more inside the intent's transaction, and when a write that left nothing behind vanishes. */
import { expect, test } from "bun:test";
import { ApiError } from "../../src/core/errors.ts";
import { findAccount } from "../../src/store/accounts.ts";
import { findApiKey } from "../../src/store/api-keys.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { findOrder, insertPlacing } from "../../src/store/orders.ts";
import { insertAdoption, markRestored } from "../../src/store/restores.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { keyDigitsOf } from "../../src/wire/order-id.ts";
import { adoptKey, requireNothingToAdopt } from "../../src/write/adopt.ts";
import { passGate } from "../../src/write/gate.ts";
import { giveBack } from "../../src/write/give-back.ts";
import { BOT, limitedRig } from "../http/rails-rig.ts";
import { ACCOUNTS } from "../http/rig.ts";
import { openGatewayRig } from "../support/gateway-rig.ts";
import { attemptRow, placingRows } from "../support/rows.ts";

/** The code of what is thrown; null where nothing is. */
function codeOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test("an account that waits for what was traded since its backup stores nothing but cancels", async () => {
  const { deps, clock } = await limitedRig({});
  inTransaction(deps.store, (store) => markRestored(store, clock.nowMs()));
  const asked = (route: string) =>
    codeOf(() => requireNothingToAdopt(deps, { accountId: ACCOUNTS.main, idempotencyKey: "key-0001", route }));
  expect(asked("POST /v1/orders")).toBe("not_ready");
  expect(asked("POST /v1/orders/{id}/cancel")).toBeNull();
});

test("a key that has expired since it was let in stores nothing", async () => {
  const { deps, clock } = await limitedRig({});
  const key = findApiKey(deps.store, keyHash(BOT));
  const account = findAccount(deps.store, ACCOUNTS.main);
  if (key?.limited == null || account === null) throw new Error("no such key");
  const caller = { account, key, reader: { reader: "test" }, charge: () => undefined };
  const at = (nowMs: number) => {
    const late = { ...deps, clock: { ...clock, nowMs: () => nowMs } };
    return codeOf(() => passGate(late, caller, key, { kind: "begun", goOn: async () => undefined }));
  };
  const { expiresAtMs } = key.limited;
  expect([at(expiresAtMs - 1), at(expiresAtMs)]).toEqual([null, "expired_api_key"]);
});

test("a key that was adopted is not answered for good while what became of its order is not known", async () => {
  const { deps, store, clock, caller } = openGatewayRig();
  const placing = placingRows(1);
  const { accountId, id: orderId } = placing.order;
  const idempotencyKey = "of-the-lost-machine";
  const keyDigits = keyDigitsOf(deps.instance.secret, { accountId, idempotencyKey });
  const write = { accountId, idempotencyKey, route: "POST /v1/orders", fingerprint: "f" };
  const verb = {
    bucket: "orders",
    isCancel: false,
    plan: () => Promise.reject(new Error("nothing is planned")),
  } as const;
  const asked = { ...verb, caller, asked: {}, placedTerms: {}, isCreating: true, startedElapsedMs: 0 };
  inTransaction(store, () => {
    markRestored(store, clock.nowMs());
    insertPlacing(store, { ...placing, order: { ...placing.order, status: "unknown" } });
    insertAdoption(store, { accountId, keyDigits, orderId, hasTerms: false });
  });
  const settling = { ...deps.settling, look: async () => "unfinished" as const };
  await adoptKey({ ...deps, settling }, { ...write, ...asked });
  expect(findOrder(store, orderId)?.status).toBe("unknown");
  expect(findKeyRecord(store, accountId, idempotencyKey)).toMatchObject({ resource: { id: orderId }, answer: null });
});

/** Of a placing of which no byte has left. */
function unsent() {
  const { deps, store } = openGatewayRig();
  const placing = placingRows(1);
  const attempt = insertPlacing(store, placing);
  const give = (isTold: boolean) => {
    const running = { ...deps.running, isTold: () => isTold };
    return giveBack({ ...deps, running }, attempt, { kind: "not_sent", reason: "no connection" });
  };
  const { id } = placing.order;
  return { store, give, id, statusOf: () => findOrder(store, id)?.status ?? null };
}

test("what nobody has been told of vanishes, and its key is free", () => {
  const { give, statusOf } = unsent();
  expect([codeOf(() => give(false)), statusOf()]).toEqual(["exchange_unreachable", null]);
});

test("what somebody has been told of ends as never sent", () => {
  const { give, statusOf } = unsent();
  expect([give(true), statusOf()]).toEqual([true, "rejected"]);
});

test("and so does what a cancel acts on", () => {
  const { store, give, id, statusOf } = unsent();
  insertAttempt(store, attemptRow({ kind: "cancel", cloid: null, nonce: 9, resource: { kind: "order", id } }));
  expect([give(false), statusOf()]).toEqual([true, "rejected"]);
});
