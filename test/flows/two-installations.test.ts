/** Two gateways of one owner at one exchange: neither ends the other. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ACCOUNT, type Machine, openMachine, openWorld } from "../support/machine.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

const ORDER = { account: ACCOUNT.id, market: "BTC", side: "buy", size: "0.01", price: "90000" };

async function place(machine: Machine, key: string): Promise<unknown> {
  const { status, body } = await machine.ask("POST /v1/orders", ORDER, key);
  return [status, body["status"] ?? body["error"]];
}

test("both trade after each has had its agent approved, and after each rotation", async () => {
  await inTemporaryDirectory(async (path) => {
    const world = openWorld();
    const machines: Machine[] = [];
    for (const installation of [1, 2]) {
      const directory = join(path, String(installation));
      mkdirSync(directory);
      machines.push(await openMachine(world, directory, installation));
    }
    const names: string[] = [];
    for (const round of ["first", "rotated"]) {
      // The exchange has three places: the fourth agent would be refused, whoever's it is.
      const rotating = round === "first" ? machines : machines.slice(0, 1);
      for (const machine of rotating) names.push((await machine.newAgent()).name);
      for (const [at, machine] of machines.entries()) {
        expect([round, at, await place(machine, `${round}-${at}-order`)]).toEqual([round, at, [201, "open"]]);
      }
    }
    expect(new Set(names).size).toBe(3);
    for (const machine of machines) await machine.gateway.stop();
  });
});
