import { expect, test } from "bun:test";
import { nameOfPart } from "../../src/core/trade.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { listAccounts } from "../../src/store/accounts.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { insertKeyRecord } from "../../src/store/idempotency.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { insertTrade } from "../../src/store/trades.ts";
import { TRADE } from "../core/trade-stage.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";
import { makeWorkplace, runHere } from "./outside.ts";

const TRADE_ID = "01a1fd70-f1c0-7007-85c0-09b15ccc76ed";
const OTHER_ID = "01a1fd70-f1c0-7007-85c0-09b15ccc76ee";

test("a trade is explained with each of its orders, in one line of time", async () => {
  const { dataDirectory, passphraseFile, remove } = makeWorkplace();
  const at = ["--data-dir", dataDirectory];
  try {
    const owner = `0x${"ab".repeat(20)}`;
    await runHere(["init", "--network", "paper", "--owner", owner, "--passphrase-file", passphraseFile, ...at]);
    const store = openStore(placesIn(dataDirectory).database);
    const [account] = listAccounts(store);
    if (account === undefined) throw new Error("no account");
    const accountId = account.id;
    const entry = orderRow({ accountId, status: "open", createdAtMs: 2_000 });
    const stop = orderRow({
      id: OTHER_ID,
      accountId,
      status: "waiting_for_trigger",
      createdAtMs: 1_000,
      reduceOnly: true,
    });
    const trade = { ...TRADE, id: TRADE_ID, accountId, entryId: entry.id, stops: 1 } as const;
    for (const order of [entry, stop]) insertOrder(store, order);
    insertLeg(store, legRow({ state: "resting" }));
    const idempotencyKey = nameOfPart(trade, { as: "stop", number: 1 });
    const keyRecord = { accountId, idempotencyKey, route: "trade", fingerprint: "trade" };
    insertKeyRecord(store, { ...keyRecord, resource: { kind: "order", id: stop.id }, answer: null, createdAtMs: 0 });
    insertTrade(store, { ...trade, status: "rejected", error: "No.", endedAtMs: 3_000 });
    closeStore(store);
    const { steps, orders } = JSON.parse((await runHere(["order", "explain", TRADE_ID, ...at, "--json"])).out);
    expect(orders).toMatchObject([{ part: "stop 1" }, { part: "entry" }]);
    expect(steps.map(({ part, what }: { part: string; what: string }) => [part, what])).toEqual([
      ["trade", "asked for"],
      ["stop 1", "taken"],
      ["entry", "taken"],
      ["trade", "rejected"],
    ]);
    const { out } = await runHere(["order", "explain", TRADE_ID, ...at]);
    for (const words of [`trade ${TRADE_ID}`, "rejected", stop.id, entry.id, "No."]) expect(out).toContain(words);
  } finally {
    remove();
  }
});

test("an order that is not settled is explained with what it waits for, to a person and to a script", async () => {
  const { dataDirectory, passphraseFile, remove } = makeWorkplace();
  const at = ["--data-dir", dataDirectory];
  try {
    const owner = `0x${"ab".repeat(20)}`;
    await runHere(["init", "--network", "paper", "--owner", owner, "--passphrase-file", passphraseFile, ...at]);
    const store = openStore(placesIn(dataDirectory).database);
    const [account] = listAccounts(store);
    if (account === undefined) throw new Error("no account");
    const leg = legRow({ state: "lost" });
    insertOrder(store, orderRow({ accountId: account.id, status: "unknown" }));
    insertLeg(store, leg);
    const sealed = { state: "ambiguous", cloid: leg.cloid, seal: "expiry", negatives: 1 } as const;
    insertAttempt(store, attemptRow({ ...sealed, accountId: account.id }));
    closeStore(store);
    const { out } = await runHere(["order", "explain", leg.orderId, ...at]);
    expect(out).toContain("The modify waits for the exchange to show it");
    const { attempts } = JSON.parse((await runHere(["order", "explain", leg.orderId, ...at, "--json"])).out);
    const released = await runHere(["order", "release", leg.orderId, ...at]);
    expect(released.out).toContain(`Released order ${leg.orderId}. It stays unknown`);
    expect((await runHere(["order", "explain", leg.orderId, ...at])).out).toContain("Released by the operator on");
    expect(attempts).toMatchObject([{ looks_needed: 2, waits_for: expect.stringContaining("1 of 2 so far") }]);
  } finally {
    remove();
  }
});
