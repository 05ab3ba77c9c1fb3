/** A machine that is lost after its snapshot was taken, and another one on which that is restored. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { placesIn } from "../../src/ops/data-directory.ts";
import { keepKey } from "../../src/ops/keep-key.ts";
import { restore } from "../../src/ops/restore.ts";
import { keyHash } from "../../src/wire/grant.ts";
import { ACCOUNT, API_KEY, type Machine, openMachine, openWorld, type World } from "../support/machine.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";

export type Lab = { world: World; path: string; first: Machine; file: string };

export async function withLab(work: (lab: Lab) => Promise<void>): Promise<void> {
  await inTemporaryDirectory(async (path) => {
    const world = openWorld();
    mkdirSync(join(path, "first"));
    const first = await openMachine(world, join(path, "first"));
    await first.newAgent();
    await work({ world, path, first, file: join(path, "backup.db") });
  });
}

export const PLACE = "POST /v1/orders";

export function limit(some: object = {}) {
  const plain = { account: ACCOUNT.id, market: "BTC", side: "buy", size: "0.01" };
  return { ...plain, price: "90000", ...some };
}

export function place(machine: Machine, key: string, some: object = {}) {
  return machine.ask(PLACE, limit(some), key);
}

/** The snapshot on a new machine, with its key kept and its agent approved, once it trades. */
export async function restored({ world, path, file }: Lab, name = "second"): Promise<Machine> {
  const second = await restoredWaiting({ world, path, file }, name);
  await second.newAgent();
  await world.clock.advance(25_000);
  return second;
}

export async function restoredWaiting({ world, path, file }: Omit<Lab, "first">, name = "second"): Promise<Machine> {
  const places = placesIn(join(path, name));
  restore({
    places,
    file,
    network: "paper",
    isUnofficialAllowed: false,
    isChangedAllowed: false,
    processId: 1,
    clock: world.clock,
  });
  const second = await openMachine(world, places.directory);
  keepKey({ ...second, clock: world.clock, randomBytes: () => new Uint8Array(), network: "paper" }, keyHash(API_KEY));
  return second;
}
