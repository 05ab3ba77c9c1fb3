/**
 * What one order writes into the log, in pages: on a quiet machine that is most of what it costs, and no clock touches
 * these figures.
 */
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import type { Point } from "../../src/core/points.ts";
import { ACCOUNT, type Machine, openMachine, openWorld } from "../support/machine.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

/** A page and its header. */
const FRAME_BYTES = 4_096 + 24;
/** Enough that the pages which fill up and are split weigh as much as they do in a long life. */
const ORDERS = 200;

/** Pages that the average order may write: with its intent, which waits for the disk, and with all that follows. */
const MAX_PAGES = { intent: 9.9, all: 14.7 };

test("an order writes few pages, and none between the exchange's answer and its own", async () => {
  await inTemporaryDirectory(async (directory) => {
    const world = openWorld();
    const machine = await openMachine(world, directory);
    await machine.newAgent();
    const pages = countPages(machine);
    for (let nth = 0; nth < ORDERS; nth += 1) await place(machine, `pages-${(nth * 7_919) % 10_007}-of-an-order`);
    await world.clock.advance(1_000);
    expect(pages.outcome).toBe(0);
    expect(pages.intent / ORDERS).toBeWithin(3, MAX_PAGES.intent);
    expect(pages.all() / ORDERS).toBeWithin(3, MAX_PAGES.all);
    await machine.lose();
  });
});

async function place(machine: Machine, key: string): Promise<void> {
  const order = { account: ACCOUNT.id, market: "BTC", side: "buy", size: "0.01", price: "90000" };
  const { status, body } = await machine.ask("POST /v1/orders", order, key);
  expect([status, body["status"]]).toEqual([201, "open"]);
}

type Pages = { intent: number; outcome: number; all(): number };

/** Adds up what the log grows by between the points on an order's way. Nothing else is written meanwhile. */
function countPages({ store, places, gateway: { deps } }: Machine): Pages {
  // Or the log would begin anew in between.
  store.$client.run("PRAGMA wal_autocheckpoint = 0");
  const grown = () => Math.floor(statSync(`${places.database}-wal`).size / FRAME_BYTES);
  const atFirst = grown();
  const written = { intent: 0, outcome: 0, all: () => grown() - atFirst };
  let before = 0;
  deps.point = (name: Point) => {
    if (name === "before_intent" || name === "before_outcome") before = grown();
    if (name === "after_intent") written.intent += grown() - before;
    if (name === "after_outcome") written.outcome += grown() - before;
  };
  return written;
}
