/** What is kept of rows that many ask for is never older than the last change, whoever made it. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { insertAccount } from "../../src/store/accounts.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { insertOrder, listOpenOrders, updateOrder } from "../../src/store/orders.ts";
import { whileUnchanged } from "../../src/store/while-unchanged.ts";
import { accountRow, orderRow } from "../support/rows.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

test("rows are read once, and again after a change of ours, of another connection, or one that was taken back", () =>
  inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const [store, other] = [openStore(path), openStore(path)];
    insertAccount(store, accountRow());
    const order = orderRow({ status: "open" });
    let reads = 0;
    const count = whileUnchanged((of, key) => {
      reads += 1;
      return listOpenOrders(of, key).length;
    });
    const look = () => {
      const shown = listOpenOrders(store, order.accountId).map(({ status }) => status);
      return [shown, count(store, order.accountId) === shown.length, reads];
    };
    expect([look(), look()]).toEqual([
      [[], true, 1],
      [[], true, 1],
    ]);
    insertOrder(store, order);
    expect([look(), look()]).toEqual([
      [["open"], true, 2],
      [["open"], true, 2],
    ]);
    expect(updateOrder(other, { ...order, status: "waiting_for_trigger" })).toBe(true);
    await nextTurn();
    expect(look()).toEqual([["waiting_for_trigger"], true, 3]);
    const takeBack = () =>
      inTransaction(store, () => {
        updateOrder(store, { ...order, version: order.version + 1, status: "filled" });
        throw new Error("taken back");
      });
    expect(takeBack).toThrow("taken back");
    expect(look()).toEqual([["waiting_for_trigger"], true, 4]);
    for (const one of [store, other]) closeStore(one);
  }));

/** What others commit is asked for once in a run of code that waits for nothing. */
function nextTurn(): Promise<void> {
  return Promise.resolve();
}
