/** The vectors of other people's clients, as request bodies: who does the exchange take the sender for? */
import { describe, expect, test } from "bun:test";
import { actionReader } from "../../../src/paper/exchange/actions.ts";
import { MISMATCH } from "../../../src/paper/exchange/decode.ts";
import { type Envelope, readEnvelope } from "../../../src/paper/exchange/envelope.ts";
import { parseJsonText } from "../../../src/paper/exchange/json-text.ts";
import { recoverSigner } from "../../../src/paper/exchange/signer.ts";
import { L1_VECTORS, USER_SIGNED_VECTORS } from "../../wire/vectors/vectors.ts";

function envelopeOf(body: object): Envelope {
  const json = parseJsonText(JSON.stringify(body));
  const envelope = json === undefined ? MISMATCH : readEnvelope(json);
  if (envelope === MISMATCH) throw new Error("not read");
  return envelope;
}

const READABLE = L1_VECTORS.filter(({ action }) => actionReader(action.type) !== null);
const TYPED = USER_SIGNED_VECTORS.filter(({ action }) => actionReader(String(action["type"])) !== null);

/**
 * Pure hashing vectors whose decimals end in ".0" or whose destination has capitals. The exchange hashes what it
 * has read, not what was written, so as requests these would be somebody else's.
 */
const AS_WRITTEN = new Set([
  "rust limit ioc",
  "rust limit ioc cloid",
  "rust trigger tp",
  "rust trigger sl",
  "rust usdSend testnet",
  "rust withdraw3 testnet",
]);

describe("a published or generated request", () => {
  test("is there in numbers", () => {
    expect([READABLE.length, TYPED.length]).toEqual([48, 14]);
  });

  test.each(READABLE.map((vector) => [vector.name, vector] as const))(
    "%s: its signer is recovered",
    (_name, vector) => {
      for (const network of ["mainnet", "testnet"] as const) {
        const { action, nonce, vaultAddress, expiresAfter } = vector;
        const { r, s, v } = vector.signatures[network];
        const signature = { r, s, v };
        const signer = recoverSigner(
          envelopeOf({ action, nonce, signature, vaultAddress, expiresAfter }),
          network,
          () => true,
        );
        if (vector.negative === true || AS_WRITTEN.has(vector.name)) expect(signer).not.toBe(vector.address);
        else expect(signer).toBe(vector.address);
      }
    },
  );

  test.each(TYPED.map((vector) => [vector.name, vector] as const))("%s: its signer is recovered", (_name, vector) => {
    const { action, signature } = vector;
    const nonce = action["nonce"] ?? action["time"];
    const signer = recoverSigner(envelopeOf({ action, nonce, signature }), "any", () => true);
    if (AS_WRITTEN.has(vector.name)) expect(signer).not.toBe(vector.address);
    else expect(signer).toBe(vector.address);
  });
});
