import type { Network } from "../core/account.ts";
import type { Store } from "./open.ts";
import { prepared } from "./prepared.ts";
import { instance } from "./schema.ts";
import { findSealed, hasSealedRows, vouch } from "./sealed-rows.ts";

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

const only = prepared((store) => store.select().from(instance).prepare());

/** The row, whoever wrote it; null before set-up. */
export function findInstance(store: Store): Instance | null {
  const row = only(store).get();
  if (row === undefined) return null;
  const { id: _id, secret, ...rest } = row;
  return { ...rest, secret: new Uint8Array(secret) };
}

export function insertInstance(store: Store, made: Instance): void {
  store
    .insert(instance)
    .values({ ...made, id: ONLY_ROW, secret: Buffer.from(made.secret) })
    .run();
  vouch(store, "instance", INSTANCE_ID, contentOfInstance(made));
}

/** There is one. */
export const INSTANCE_ID = "instance";

/** What is sealed of it: all of it. */
export function contentOfInstance({ network, exchangeUrl, tag, secret, vault, createdAtMs }: Instance): string {
  const text = Buffer.from(secret).toString("hex");
  return JSON.stringify({ network, exchangeUrl, tag, secret: text, vault, createdAtMs });
}

/** As it was sealed; null for a connection without the passphrase. */
export function findSealedInstance(store: Store): Instance | null {
  const content = hasSealedRows(store) ? findSealed(store, "instance", INSTANCE_ID) : null;
  if (content === null) return null;
  // Only `contentOfInstance` makes what the seal covers.
  const sealed = JSON.parse(content) as Omit<Instance, "secret"> & { secret: string };
  return { ...sealed, secret: new Uint8Array(Buffer.from(sealed.secret, "hex")) };
}
