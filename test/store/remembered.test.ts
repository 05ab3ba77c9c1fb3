/** What is kept in memory is what the database holds: whoever wrote it, and whatever was taken back. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { decimal } from "../../src/core/decimal.ts";
import { deleteAccount, findAccount, insertAccount } from "../../src/store/accounts.ts";
import {
  findSigningAgent,
  insertAgent,
  markAgentApproved,
  retireAgent,
  setAgentValidity,
} from "../../src/store/agents.ts";
import { findApiKey, insertApiKey, noteKeyUse, revokeApiKey, setKeyState } from "../../src/store/api-keys.ts";
import { deleteAttempt, findAttempt, insertAttempt, newestAttemptId } from "../../src/store/attempts.ts";
import { appendAudit, findBrokenAuditRow } from "../../src/store/audit.ts";
import { inTransaction, inTransactionNotWaiting } from "../../src/store/commit.ts";
import { countTurnsBy, lookAnew } from "../../src/store/data-version.ts";
import { takeNonce } from "../../src/store/nonces.ts";
import { closeStore, openStore, type Store } from "../../src/store/open.ts";
import { deleteOrder, insertPlacing } from "../../src/store/orders.ts";
import { forget } from "../../src/store/remembered.ts";
import { markRestored } from "../../src/store/restores.ts";
import { insertStop, listStandingStops, resumeStops } from "../../src/store/stops.ts";
import { clearTrips, findTrip, insertTrip, listTrips } from "../../src/store/trips.ts";
import { openDurableQueue } from "../support/durable-queue.ts";
import { accountRow, attemptRow, placingRows } from "../support/rows.ts";
import { stillClock } from "../support/still-clock.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const NAMES = ["a", "b"];
const OWNER = "0xowner";
const NOW_MS = 1_000;

/** One write each, of what is remembered; `atMs` tells one from the other. */
const WRITES: readonly ((store: Store, name: string, atMs: number) => unknown)[] = [
  (store, name) => findAccount(store, name) ?? insertAccount(store, { ...accountRow(), id: name, ownerAddress: OWNER }),
  (store, name) => deleteAccount(store, name),
  (store, keyHash, atMs) =>
    findApiKey(store, keyHash) ??
    insertApiKey(store, { keyHash, accountId: "a", scopes: ["trading:read"], issuedAtMs: 0, registeredAtMs: atMs }),
  (store, name, atMs) => noteKeyUse(store, name, atMs),
  (store, name, atMs) => setKeyState(store, name, atMs % 2 === 0 ? "blocked" : "active", atMs),
  (store, name, atMs) => revokeApiKey(store, { accountId: "a", keyHash: name, revokedAtMs: atMs }),
  (store, address, atMs) =>
    insertAgent(store, {
      address: `${address}${atMs}`,
      ownerAddress: OWNER,
      name: address,
      sealedKey: new Uint8Array(1),
      state: "approved",
      createdAtMs: atMs,
      approvedAtMs: atMs,
      validUntilMs: null,
    }),
  (store, name, atMs) => markAgentApproved(store, agentOf(store) ?? name, { approvedAtMs: atMs, validUntilMs: null }),
  (store, name, atMs) => setAgentValidity(store, agentOf(store) ?? name, NOW_MS + (atMs % 3) - 1),
  (store, name) => retireAgent(store, agentOf(store) ?? name),
  (store, actor, atMs) => appendAudit(store, { atMs, actor, event: "e", reference: "r", detail: {} }),
  (store, signer) => insertAttempt(store, attemptRow({ signer, nonce: takeNonce(store, signer, NOW_MS) })),
  (store) => {
    const newest = findAttempt(store, newestAttemptId(store));
    if (newest !== null) deleteAttempt(store, newest);
  },
  (store, _name, atMs) => markRestored(store, NOW_MS + atMs),
  (store, signer, atMs) => insertPlacing(store, placingRows(atMs, { signer, nonce: takeNonce(store, signer, NOW_MS) })),
  (store, _name, atMs) => deleteOrder(store, placingRows(atMs - 1).order.id, NOW_MS),
  (store, name, atMs) =>
    insertStop(
      store,
      { ...STOP, id: `${name}${atMs}`, createdAtMs: atMs },
      { actor: "operator", idempotencyKey: null },
    ),
  (store, _name, atMs) =>
    resumeStops(
      store,
      listStandingStops(store, "a").map(({ id }) => id),
      { actor: "operator", atMs },
    ),
  (store, bot, atMs) => insertTrip(store, { ...TRIP, id: `${bot}${atMs}`, bot, createdAtMs: atMs }, "gateway"),
  (store, bot, atMs) => clearTrips(store, listTrips(store, { accountId: "a", bot }, 0), { actor: "operator", atMs }),
];

const STOP = {
  accountId: "a",
  scope: "account",
  keyHash: null,
  cause: "asked",
  keepsProtection: true,
  upTo: 0,
  outsideAtMs: null,
  stoppedAtMs: null,
  resumedAtMs: null,
} as const;

const TRIP = {
  accountId: "a",
  cause: "loss",
  day: 0,
  loss: decimal("9"),
  limit: decimal("9"),
  clearedAtMs: null,
} as const;

function agentOf(store: Store): string | null {
  return findSigningAgent(store, OWNER, NOW_MS)?.address ?? null;
}

function seenBy(store: Store): unknown {
  const rows = NAMES.map((name) => [findAccount(store, name), findApiKey(store, name)]);
  const halts = NAMES.map((bot) => findTrip(store, { accountId: "a", bot }, 0));
  return [rows, findSigningAgent(store, OWNER, NOW_MS), halts, listStandingStops(store, "a")];
}

/** Writes of one table a run, so that they meet without another between that has everything read anew; or of all. */
const kinds = fc.constantFrom(
  [0, 1],
  [2, 3, 4, 5],
  [2, 4, 5],
  [6, 7, 8, 9],
  [6, 9],
  [10],
  [11, 12, 13, 14, 15],
  [11, 12, 13],
  [16, 17],
  [18, 19],
  [...WRITES.keys()],
);

const steps = fc.record({
  by: fc.nat(1),
  how: fc.constantFrom("waiting", "not waiting", "alone", "shared"),
  writes: fc.array(
    fc.record({
      nth: fc.nat(),
      name: fc.constantFrom(...NAMES),
      fails: fc.nat(3).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

test("two connections that write, roll back and read see what a third one reads anew", async () => {
  await inTemporaryDirectory(async (path) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(steps, { maxLength: 20 }), async (picked, trace) => {
        run += 1;
        const file = join(path, `${run}.db`);
        const [first, second, third] = [openStore(file), openStore(file), openStore(file)];
        let atMs = 0;
        for (const { by, how, writes } of trace) {
          const store = by === 0 ? first : second;
          const works = writes.map(({ nth, name, fails }) => {
            atMs += 1;
            const now = atMs;
            return (within: Store) => {
              WRITES[picked[nth % picked.length] ?? 0]?.(within, name, now);
              seenBy(within);
              if (fails) throw new Error("taken back");
            };
          });
          lookAnew(store);
          await write(store, how, works);
          forget(third);
          for (const each of [first, second]) lookAnew(each);
          const truth = seenBy(third);
          expect([seenBy(first), seenBy(second)]).toEqual([truth, truth]);
        }
        expect(findBrokenAuditRow(third)).toBeNull();
        for (const store of [first, second, third]) closeStore(store);
      }),
      { numRuns: 80 },
    );
  });
});

async function write(store: Store, how: string, works: readonly ((store: Store) => void)[]): Promise<void> {
  const all = (within: Store) => works.map((work) => work(within));
  try {
    if (how === "waiting") inTransaction(store, all);
    else if (how === "not waiting") inTransactionNotWaiting(store, all);
    else if (how === "alone") all(store);
    else {
      const queue = openDurableQueue(store, (run) => setImmediate(run), stillClock(0));
      await Promise.allSettled(works.map((work) => queue.intent(work)));
    }
  } catch (error) {
    if (!String(error).includes("taken back")) throw error;
  }
}

test("what another process commits is seen from the next turn of the event loop on, and by a request that arrives before", async () => {
  await inTemporaryDirectory(async (path) => {
    const [own, other] = [openStore(join(path, "p.db")), openStore(join(path, "p.db"))];
    const turns: (() => void)[] = [];
    countTurnsBy(own, (run) => void turns.push(run));
    const stateNow = () => findApiKey(own, "k")?.state;
    insertApiKey(own, { keyHash: "k", accountId: "a", scopes: [], issuedAtMs: 0, registeredAtMs: 0 });
    expect(stateNow()).toBe("active");
    setKeyState(other, "k", "blocked", 1);
    await Promise.resolve();
    expect(stateNow()).toBe("active");
    for (const end of turns.splice(0)) end();
    expect(stateNow()).toBe("blocked");
    setKeyState(other, "k", "active", 1);
    lookAnew(own);
    expect(stateNow()).toBe("active");
    expect(turns.length).toBe(1);
    for (const store of [own, other]) closeStore(store);
  });
});

test("a key that another process has blocked is seen inside the next transaction, and by the next who asks", async () => {
  await inTemporaryDirectory(async (path) => {
    const [own, other] = [openStore(join(path, "p.db")), openStore(join(path, "p.db"))];
    insertApiKey(own, { keyHash: "k", accountId: "a", scopes: [], issuedAtMs: 0, registeredAtMs: 0 });
    expect(findApiKey(own, "k")?.state).toBe("active");
    setKeyState(other, "k", "blocked", 1);
    expect(inTransaction(own, () => findApiKey(own, "k")?.state)).toBe("blocked");
    setKeyState(other, "k", "active", 1);
    // Within one run of code that waits for nothing the database is asked once.
    await Promise.resolve();
    expect(findApiKey(own, "k")?.state).toBe("active");
    for (const store of [own, other]) closeStore(store);
  });
});
