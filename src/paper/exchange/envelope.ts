/** The body of POST /exchange, and the payload of a websocket post of type action. */

import { actionReader } from "./actions.ts";
import {
  address,
  boolean,
  type Decoded,
  MISMATCH,
  memberOf,
  optional,
  required,
  signatureWord,
  struct,
  u64,
} from "./decode.ts";
import type { ExactJson } from "./json-text.ts";
import type { ActionReader, L1Reader, L1Reading, UserReader, UserReading } from "./reader.ts";

export type WireSignature = { readonly r: string; readonly s: string; readonly v: number };

export type SignedReading =
  | { readonly kind: "l1"; readonly reader: L1Reader; readonly reading: L1Reading }
  | { readonly kind: "user"; readonly reader: UserReader; readonly reading: UserReading };

export type Envelope = {
  readonly type: string;
  readonly signed: SignedReading;
  readonly nonce: bigint;
  readonly signature: WireSignature;
  readonly vaultAddress: string | null;
  readonly expiresAfter: bigint | null;
};

const Outer = struct(
  {
    action: required((json: ExactJson): Decoded<ExactJson> => json),
    nonce: required(u64),
    signature: required(struct({ r: required(signatureWord), s: required(signatureWord), v: required(u64) }, "ignore")),
    vaultAddress: optional(address),
    expiresAfter: optional(u64),
    // Sent by the exchange's own page, and no part of what is hashed.
    isFrontend: optional(boolean),
  },
  "refuse",
);

/** `MISMATCH`: the exchange answers 422 and nothing has happened. */
export function readEnvelope(json: ExactJson): Decoded<Envelope> {
  const outer = Outer(json);
  if (outer === MISMATCH) return MISMATCH;
  const type = memberOf(outer.action, "type");
  const reader = typeof type === "string" ? actionReader(type) : null;
  if (typeof type !== "string" || reader === null) return MISMATCH;
  const signed = readSigned(reader, outer.action);
  if (signed === MISMATCH) return MISMATCH;
  return {
    type,
    signed,
    nonce: outer.nonce,
    signature: { r: outer.signature.r, s: outer.signature.s, v: Number(outer.signature.v) },
    vaultAddress: outer.vaultAddress ?? null,
    expiresAfter: outer.expiresAfter ?? null,
  };
}

function readSigned(reader: ActionReader, action: ExactJson): Decoded<SignedReading> {
  if (reader.kind === "l1") {
    const reading = reader.read(action);
    return reading === MISMATCH ? MISMATCH : { kind: "l1", reader, reading };
  }
  const reading = reader.read(action);
  return reading === MISMATCH ? MISMATCH : { kind: "user", reader, reading };
}
