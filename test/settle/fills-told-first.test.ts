/** An order is told with the fills that were told before anybody knew whose they are. */
import { expect, test } from "bun:test";
import { decimal } from "../../src/core/decimal.ts";
import type { LegEvent } from "../../src/core/order.ts";
import { recordLegEvent } from "../../src/settle/record/record.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { insertFills } from "../../src/store/fills.ts";
import { insertPlacing } from "../../src/store/orders.ts";
import { openFilledStore } from "../support/gateway-rig.ts";
import { fillRow, placingRows } from "../support/rows.ts";

function told(event: LegEvent, fill: Parameters<typeof fillRow>[0]) {
  const store = openFilledStore();
  const rows = placingRows(1);
  return inTransaction(store, () => {
    const { leg } = rows;
    insertPlacing(store, rows);
    recordLegEvent(store, leg.cloid, { type: "lost", reason: "its answer was lost" }, 2_000);
    insertFills(store, [fillRow(fill)], { atMs: 2_000, toldFromMs: 0 });
    return recordLegEvent(store, leg.cloid, event, 3_000);
  });
}

const OPEN: LegEvent = { type: "rested", oid: "77" };

test("shown open by a server that is behind, it has what the stream has told", () => {
  expect(told(OPEN, { size: decimal("0.4") })).toMatchObject({ status: "open", filledSize: "0.4" });
});

test("shown open when the stream has told all of it, it is filled", () => {
  expect(told(OPEN, {})).toMatchObject({ status: "filled", filledSize: "1" });
});

test.each([
  ["of another order", { oid: "78" }],
  ["in another market", { market: "ETH" }],
  ["on the other side", { side: "sell" as const }],
])("a fill %s is none of its own", (_what, fill) => {
  expect(told(OPEN, fill)).toMatchObject({ status: "open", filledSize: "0" });
});
