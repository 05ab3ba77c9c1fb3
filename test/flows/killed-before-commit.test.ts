/** A process that is killed between an answer and its commit: the next one finds the intent, and tells what the exchange shows. */
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Point } from "../../src/core/points.ts";
import { findKeyRecord } from "../../src/store/idempotency.ts";
import { closeStore, openStoreReadOnly } from "../../src/store/open.ts";
import { ACCOUNT, openMachine, openWorld } from "../support/machine.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const ORDER = { account: ACCOUNT.id, market: "BTC", side: "buy", size: "0.01", price: "90000" };
const KEY = "told-and-not-committed";

test("an order that was told as open, and not committed when its process was killed, is told as open again", async () => {
  await inTemporaryDirectory(async (directory) => {
    const world = openWorld();
    const killed = join(directory, "killed");
    for (const each of ["first", "killed"]) mkdirSync(join(directory, each), { mode: 0o700 });
    const first = await openMachine(world, join(directory, "first"));
    await first.newAgent();
    first.gateway.deps.point = (name: Point) => {
      // What is on the disk when the client is about to be told.
      if (name !== "before_reply") return;
      for (const suffix of ["", "-wal"]) {
        copyFileSync(`${first.places.database}${suffix}`, join(killed, `postern.db${suffix}`));
      }
    };
    const told = await first.ask("POST /v1/orders", ORDER, KEY);
    expect([told.status, told.body["status"]]).toEqual([201, "open"]);
    await first.lose();
    const left = openStoreReadOnly(join(killed, "postern.db"));
    expect(findKeyRecord(left, ACCOUNT.id, KEY)?.answer).toBeNull();
    closeStore(left);

    const second = await openMachine(world, killed);
    await world.clock.advance(5_000);
    const again = await second.ask("POST /v1/orders", ORDER, KEY);
    expect([again.status, again.body]).toEqual([told.status, told.body]);
    expect((await second.ask(`GET /v1/orders/${told.body["id"]}`)).body).toEqual(told.body);
    expect(await world.placed()).toHaveLength(1);
    await second.lose();
  });
});
