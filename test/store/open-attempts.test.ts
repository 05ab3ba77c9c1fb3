/** Which attempts are open, by the indexes and by every row: an order's own attempt may outlive what its status says. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Attempt } from "../../src/core/attempt.ts";
import { ORDER_STATUSES } from "../../src/core/order.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import {
  insertAttempt,
  listOpenAttempts,
  markPreparedAmbiguous,
  reopenAttempt,
  updateAttempt,
} from "../../src/store/attempts.ts";
import type { Store } from "../../src/store/open.ts";
import { insertPlacing, updateOrder } from "../../src/store/orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow, attemptRow, placingRows } from "../support/rows.ts";

/** Of two accounts; which of the placings, and what becomes of it. */
const STEPS = fc.array(
  fc.record({
    which: fc.nat({ max: 7 }),
    what: fc.constantFrom(...ORDER_STATUSES, "prepared", "ambiguous", "done", "reopened", "beside", "start"),
  }),
  { maxLength: 60 },
);
const ACCOUNTS = ["a", "b"];

test("each attempt that is not done is found, whatever its order has come to, and no other", () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const store = openMemoryStore();
      for (const id of ACCOUNTS) insertAccount(store, { ...accountRow(), id, tradingAddress: `0x${id}` });
      const placings = Array.from({ length: 8 }, (_, nth) => placingOf(store, nth));
      for (const { which, what } of steps) {
        const placing = placings[which];
        if (placing === undefined) throw new Error("there are eight");
        live(store, placing, what);
        expect(listOpenAttempts(store).map(({ id, state }) => [id, state])).toEqual(everyOpenRow(store));
      }
      const prepared = everyOpenRow(store).filter(([, state]) => state === "prepared").length;
      expect(markPreparedAmbiguous(store)).toBe(prepared);
      expect(listOpenAttempts(store).every(({ state }) => state === "ambiguous")).toBe(true);
    }),
    { numRuns: 150 },
  );
});

type Drawn = ReturnType<typeof placingOf>;

function placingOf(store: Store, nth: number) {
  const accountId = ACCOUNTS[nth % 2] ?? "";
  const rows = placingRows(nth + 1, { accountId });
  const order = { ...rows.order, accountId };
  const attempt = insertPlacing(store, { ...rows, order, keyRecord: { ...rows.keyRecord, accountId } });
  return { order, attempt };
}

function live(store: Store, { order, attempt }: Drawn, what: string): void {
  const status = ORDER_STATUSES.find((each) => each === what);
  if (status !== undefined) {
    if (updateOrder(store, { ...order, status })) order.version += 1;
  } else if (what === "start") markPreparedAmbiguous(store);
  else if (what === "reopened") reopenAttempt(store, attempt);
  else if (what === "beside") insertBeside(store, order.accountId, attempt.resource);
  else if (what === "prepared" || what === "ambiguous" || what === "done")
    updateAttempt(store, attempt, { state: what });
}

/** A cancel, which has a row of its own. */
function insertBeside(store: Store, accountId: string, resource: Attempt["resource"]): void {
  const nonce = 1_000 + Math.max(0, ...allNonces(store));
  insertAttempt(store, { ...attemptRow({ kind: "cancel", cloid: null, nonce, accountId }), resource });
}

/** By no index. */
function everyOpenRow(store: Store): [number, Attempt["state"]][] {
  return store.$client
    .prepare<[number, Attempt["state"]], []>(
      "select id, state from attempts not indexed where state <> 'done' union all select number, attempt_state from orders not indexed where attempt_state <> 'done' order by 1",
    )
    .values() as [number, Attempt["state"]][];
}

function allNonces(store: Store): number[] {
  return store.$client.prepare<[number], []>("select nonce from attempts").values().flat() as number[];
}
