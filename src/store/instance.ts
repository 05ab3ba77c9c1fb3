import type { Network } from "../core/account.ts";
import type { Store } from "./open.ts";
import { instance } from "./schema.ts";

/** What this data directory is: fixed at set-up. */
export type Instance = {
  network: Network;
  exchangeUrl: string;
  /** 0 to 4095. */
  tag: number;
  /** 32 bytes. */
  secret: Uint8Array;
  /** JSON text: parameters of the key derivation that seals agent keys. */
  vault: string;
  createdAtMs: number;
};

const ONLY_ROW = 1;

/** Null before set-up. */
export function findInstance(store: Store): Instance | null {
  const row = store.select().from(instance).get();
  if (row === undefined) return null;
  const { id: _id, secret, ...rest } = row;
  return { ...rest, secret: new Uint8Array(secret) };
}

export function insertInstance(store: Store, made: Instance): void {
  store
    .insert(instance)
    .values({ ...made, id: ONLY_ROW, secret: Buffer.from(made.secret) })
    .run();
}
