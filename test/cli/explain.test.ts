import { expect, test } from "bun:test";
import { placesIn } from "../../src/ops/data-directory.ts";
import { listAccounts } from "../../src/store/accounts.ts";
import { insertAttempt } from "../../src/store/attempts.ts";
import { insertLeg } from "../../src/store/legs.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { insertOrder } from "../../src/store/orders.ts";
import { attemptRow, legRow, orderRow } from "../support/rows.ts";
import { makeWorkplace, runHere } from "./outside.ts";

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
