/** Copies of refused orders are looked for in turn: who cannot be asked for keeps nobody else from it. */
import { expect, test } from "bun:test";
import { openLateCopies } from "../../src/settle/copies/late-copies.ts";
import { listUnusedNumbers } from "../../src/store/unused-numbers.ts";
import { limitedRig, place } from "../http/rails-rig.ts";
import { ACCOUNTS } from "../http/rig.ts";

const USED_UP =
  "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.";
/** What is looked for in one round, and two more. */
const REFUSED = 12;

test("behind ten that cannot be asked for the rest are looked for as soon as it is their turn", async () => {
  const rig = await limitedRig({});
  const { deps, clock } = rig;
  for (let nth = 0; nth < REFUSED; nth += 1) {
    rig.refusals.push(USED_UP);
    await place(rig, { size: "0.001" });
  }
  const cloids = listUnusedNumbers(deps.store, ACCOUNTS.main, 0).map(({ attempt }) => attempt.cloid);
  expect(cloids).toHaveLength(REFUSED);
  const asked: unknown[] = [];
  deps.exchange.info = async (request) => {
    const { oid } = request as { oid?: unknown };
    asked.push(oid);
    return { kind: "failed", reason: "connection refused", httpStatus: null, isOurBudget: false };
  };
  const copies = openLateCopies(deps, { pursue: async () => undefined, look: async () => "closed" });
  await clock.advance(60_000);
  for (let round = 0; round < 2; round += 1) {
    await copies.look();
    await clock.advance(3_000);
  }
  expect(asked).toHaveLength(20);
  expect(new Set(asked)).toEqual(new Set(cloids));
});
