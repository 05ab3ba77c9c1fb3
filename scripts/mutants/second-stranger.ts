/** What a second stranger found, and what seeds of the same days did: of lists that contradict rows, and of others' orders under our ids. */
import type { Mutant } from "./mutant.ts";

export const SECOND_STRANGER: readonly Mutant[] = [
  {
    name: "a fill under the id of what never ran is its own, where no record tells whose it is",
    changes: [
      {
        file: "src/settle/fills/fill-leads.ts",
        find: "return isProvenAnothers(world, lead) ? null : take(world, lead);",
        put: "return take(world, lead);",
      },
    ],
  },
  {
    name: "what another's order was canceled for says for good that ours was there",
    changes: [
      {
        file: "src/core/advance-leg.ts",
        find: "over: notThere, filled: no",
        put: "over: no,       filled: no",
      },
    ],
  },
  {
    name: "another's order is told only beside what is seen of ours",
    changes: [
      {
        file: "src/settle/look/apply-sight.ts",
        find: "if (sight.beside !== undefined) tellBeside(world, leg, sight.beside);",
        put: 'if (sight.kind === "seen" && sight.beside !== undefined) tellBeside(world, leg, sight.beside);',
      },
    ],
  },
  {
    name: "a new word that ends like an end is believed while lists may be behind",
    changes: [
      {
        file: "src/settle/look/look.ts",
        find: "exchange.nowMs() - order.timestampMs > BEHIND_MS",
        put: "exchange.nowMs() >= order.timestampMs",
      },
    ],
  },
  {
    name: "the list of open orders has what its row does not know yet",
    changes: [
      {
        file: "src/actions/open-orders.ts",
        find: "if (isClosed(leg) || isSaidOver(leg) || !isShown(stored)) return false;",
        put: "if (isClosed(leg) || isSaidOver(leg)) return false;",
      },
    ],
  },
  {
    name: "what is filled beside an order that is over is that one's",
    changes: [
      {
        file: "src/store/fills.ts",
        find: "apart?.has(order.foundBy) ? asItsOwn(order) : order",
        put: "order",
      },
    ],
  },
  {
    name: "what a list of open orders has shown to be filled is forgotten",
    changes: [
      {
        file: "src/actions/open-orders.ts",
        find: "const isGrown = keepFilled(deps, owns, filled);",
        put: "const isGrown = false;",
      },
    ],
  },
  {
    name: "an order that is over is open while its fills cannot be read",
    changes: [
      {
        file: "src/settle/look/ended.ts",
        find: 'if (size === "failed") return endedUnread(world, seen);',
        put: 'if (size === "failed") return { kind: "failed", reason: "not read" };',
      },
    ],
  },
  {
    name: "what a newer list lacks is open until it is proven to be over",
    changes: [
      {
        file: "src/settle/evidence/vanished.ts",
        find: "return memory.count > 0 || isOfLater(world, memory)",
        put: "return isOfLater(world, memory)",
      },
    ],
  },
  {
    name: "a TWAP that was refused in new words is looked for in its history alone",
    changes: [
      {
        file: "src/settle/operation/twap.ts",
        find: "pursuit.isRefusalDoubted ||= fills.some(({ coin, twapId }) => coin === market && isOfNobody(twapId));",
        put: "",
      },
    ],
  },
  {
    name: "what the exchange has not named is in no list of open orders",
    changes: [
      { file: "src/actions/open-orders.ts", find: "orders: [...unnamed, ...orders].slice(0, count)", put: "orders" },
    ],
  },
  {
    name: "an order that the list of another dex has as well is listed twice",
    changes: [
      { file: "src/actions/open-orders.ts", find: "unlisted.filter(({ oid }) => !told.has(oid))", put: "unlisted" },
    ],
  },
];
