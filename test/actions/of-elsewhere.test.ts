/** Whose an order is that the exchange shows: one question, asked by stops, cancel-alls and what is told beside a list. */
import { expect, test } from "bun:test";
import { isOfElsewhere, isWithoutRow } from "../../src/actions/of-elsewhere.ts";
import { insertAccount } from "../../src/store/accounts.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { parseFrontendOpenOrders } from "../../src/wire/answer/open-orders.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { accountRow, placingRows } from "../support/rows.ts";

const OURS = placingRows(1);

function shown(some: { cloid: string | null; limitPx?: string }) {
  const order = {
    coin: "BTC",
    side: "B",
    limitPx: "100.0",
    sz: "1.0",
    oid: 4242,
    timestamp: 1_000,
    triggerCondition: "N/A",
    isTrigger: false,
    triggerPx: "0.0",
    children: [],
    isPositionTpsl: false,
    reduceOnly: false,
    orderType: "Limit",
    origSz: "1.0",
    tif: "Gtc",
    ...some,
  };
  const [record] = parseFrontendOpenOrders([order]) ?? [];
  if (record === undefined) throw new Error("not read");
  return record;
}

const OWN = { cloid: OURS.leg.cloid };
test.each([
  ["with our name and terms is ours, before its number is known", shown(OWN), false],
  ["with our name and other terms is another's", shown({ ...OWN, limitPx: "90.0" }), true],
  ["without a name is another's", shown({ cloid: null }), true],
  ["that was only told, by a number of no row, is asked for", null, true],
])("an order %s", (_what, record, isAnothers) => {
  const store = openMemoryStore();
  const account = accountRow();
  insertAccount(store, account);
  insertPlacing(store, OURS);
  const open = { oid: "4242", record };
  expect([isWithoutRow({ store }, account, open), isOfElsewhere({ store }, account, open)]).toEqual([
    isAnothers,
    isAnothers,
  ]);
});
