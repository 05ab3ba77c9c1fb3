import { closeStore, openStore, type Store } from "../../src/store/open.ts";

let migrated: Uint8Array | null = null;

/** A database in memory. The migrations, which take longer than most tests, run for the first one in this process; the others begin as it did. */
export function openMemoryStore(): Store {
  migrated ??= migrate();
  return openStore(":memory:", { image: migrated });
}

function migrate(): Uint8Array {
  const store = openStore(":memory:");
  const image = store.$client.serialize();
  closeStore(store);
  return image;
}
