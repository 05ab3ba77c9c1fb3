import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { backUp } from "../../src/ops/back-up.ts";
import { placesIn } from "../../src/ops/data-directory.ts";
import { restore } from "../../src/ops/restore.ts";
import { insertInstance } from "../../src/store/instance.ts";
import { closeStore, openStore } from "../../src/store/open.ts";
import { EVERY_ATTEMPT, EVERY_KEY, EVERY_LEG } from "../support/every-row.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const BACKUPS = 5;
/** Intents that are acknowledged between two backups, at least. */
const BETWEEN = 100;

type Held = { orders: number[]; whole: number };

/** Numbers of the orders that a database holds, and how many of them have all that their transaction stored. */
function heldIn(path: string): Held {
  const client = new Database(path, { readonly: true });
  try {
    const orders = client.prepare("SELECT CAST(substr(id, 25) AS INTEGER) FROM orders ORDER BY id").values().flat();
    const whole = client
      .prepare<{ n: number }, []>(
        `SELECT count(*) AS n FROM orders JOIN ${EVERY_LEG} AS legs ON legs.order_id = orders.id JOIN ${EVERY_ATTEMPT} AS attempt ON attempt.resource_id = orders.id JOIN ${EVERY_KEY} AS keys ON keys.resource_id = orders.id`,
      )
      .get();
    return { orders: orders as number[], whole: whole?.n ?? 0 };
  } finally {
    client.close();
  }
}

test("nothing that was acknowledged before a backup under load is missing from it, or from what it restores", async () => {
  await inTemporaryDirectory(async (path) => {
    const database = join(path, "postern.db");
    const made = { network: "paper", exchangeUrl: "http://127.0.0.1:1", tag: 1, vault: "{}", createdAtMs: 1 } as const;
    const store = openStore(database);
    insertInstance(store, { ...made, secret: new Uint8Array(32) });
    closeStore(store);
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "writer-child.ts"), database], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    const acknowledged = new Set<number>();
    const reading = (async () => {
      let rest = "";
      const decoder = new TextDecoder();
      for await (const chunk of child.stdout) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) acknowledged.add(Number(line));
      }
    })();
    try {
      for (let number = 1; number <= BACKUPS; number += 1) {
        const wanted = acknowledged.size + BETWEEN;
        while (acknowledged.size < wanted) await Bun.sleep(2);
        const before = [...acknowledged];
        const file = join(path, `backup-${number}.db`);
        const held = backUp(database, file);
        const found = heldIn(file);
        const orders = new Set(found.orders);
        expect(before.filter((each) => !orders.has(each))).toEqual([]);
        // And nothing is there in part.
        expect(found.whole).toBe(found.orders.length);
        expect(held.orders).toBe(found.orders.length);
        const places = placesIn(join(path, `restored-${number}`));
        restore({
          places,
          file,
          network: "paper",
          isUnofficialAllowed: true,
          isChangedAllowed: false,
          processId: 1,
          clock: { nowMs: () => 2 },
        });
        expect(heldIn(places.database)).toEqual(found);
      }
    } finally {
      child.kill("SIGKILL");
      await child.exited;
      await reading;
    }
    const last = heldIn(join(path, `backup-${BACKUPS}.db`));
    expect(acknowledged.size).toBeGreaterThan(BACKUPS * BETWEEN);
    expect(last.orders.length).toBeGreaterThan((BACKUPS - 1) * BETWEEN);
  });
});
