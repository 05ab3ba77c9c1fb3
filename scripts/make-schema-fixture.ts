/**
 * Makes `test/store/fixtures/schema-N.db.gz`, a database as this release writes it, and beside it what an upgrade must keep.
 *
 *   bun scripts/make-schema-fixture.ts
 *
 * Run once for each schema, right before its release; never again after it. A gateway trades at the paper exchange until
 * there are rows of every kind.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { backUp } from "../src/ops/back-up.ts";
import { MIGRATIONS } from "../src/store/migrations.ts";
import { closeStore, openStoreReadOnly } from "../src/store/open.ts";
import { keptOf } from "../test/store/fixtures/kept.ts";
import { ACCOUNT, type Machine, openMachine, openWorld } from "../test/support/machine.ts";

const FOLDER = join(import.meta.dir, "../test/store/fixtures");

const directory = mkdtempSync(join(tmpdir(), "postern-fixture-"));
try {
  mkdirSync(join(directory, "data"));
  const file = await trade(join(directory, "data"));
  const name = join(FOLDER, `schema-${MIGRATIONS.length}`);
  writeFileSync(`${name}.db.gz`, gzipSync(readFileSync(file)));
  const store = openStoreReadOnly(file);
  writeFileSync(`${name}.json`, `${JSON.stringify(keptOf(store), null, 2)}\n`);
  closeStore(store);
  console.log(`made ${name}.db.gz and ${name}.json`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);

async function trade(data: string): Promise<string> {
  const world = openWorld();
  const machine = await openMachine(world, data);
  await machine.newAgent();
  await world.trade({ side: "sell", price: "95000", size: "0.02" });
  await world.clock.advance(1_000);
  const first = await place(machine, "resting-order", {});
  await place(machine, "taken-order", { price: "95000", size: "0.01" });
  await place(machine, "short-order", { price: "95000", size: "0.03", time_in_force: "ioc" });
  await place(machine, "refused-order", { price: "90000.123456" });
  const stop = { price: "81000", kind: "stop_loss", market: true };
  await place(machine, "stop-order", { side: "sell", price: "80000", reduce_only: true, trigger: stop });
  const gone = await place(machine, "canceled-order", { price: "89000" });
  await machine.ask(`POST /v1/orders/${gone}/cancel`, {}, "the-cancel");
  await machine.ask(`POST /v1/orders/${first}/modify`, { price: "90001" }, "the-modify");
  await machine.ask("POST /v1/leverage", { market: "ETH", leverage: 5, margin_type: "isolated" }, "the-leverage");
  // Its answer is lost for good: what is open at an upgrade has to be open after it.
  machine.lateMs.push(60_000, 60_000, 60_000);
  await place(machine, "unknown-order", { price: "88000" });
  const file = join(data, "..", "fixture.db");
  backUp(machine.places.database, file);
  return file;
}

async function place(machine: Machine, key: string, some: object): Promise<string> {
  const plain = { account: ACCOUNT.id, market: "BTC", side: "buy", size: "0.01", price: "90000" };
  const { body } = await machine.ask("POST /v1/orders", { ...plain, ...some }, key);
  return String(body["id"]);
}
