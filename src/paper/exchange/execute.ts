/** From a body that could be read to the exchange's reply: who signed, on whose account, and what the engine said. */
import type { ActionInput, VenueReply } from "../engine/action.ts";
import type { Venue } from "../engine/state.ts";
import type { Envelope } from "./envelope.ts";
import { type PaperNetwork, recoverSigner } from "./signer.ts";

export type Engine = (input: ActionInput) => VenueReply;

export type Execution = {
  readonly venue: Venue;
  readonly engine: Engine;
  readonly network: PaperNetwork;
  readonly nowMs: number;
};

/** A nonce further ahead than this is too high whoever signed it. Milliseconds. */
const NONCE_WINDOW_AHEAD_MS = 86_400_000;

export function executeEnvelope(execution: Execution, envelope: Envelope): VenueReply {
  const { venue, nowMs } = execution;
  const fault = faultOf(envelope, nowMs);
  if (fault !== null) return refused(fault);
  const isKnown = (address: string) => venue.accounts.has(address) || venue.agents.has(address);
  const signer = recoverSigner(envelope, execution.network, isKnown);
  if (signer === null) return refused("Unable to recover signer.");
  const { action } = envelope.signed.reading;
  const isL1 = envelope.signed.kind === "l1";
  const reply = execution.engine({
    // An action that does not exist here still needs a signer and uses up its nonce.
    action: "refusal" in action ? { type: "noop" } : action,
    signer,
    vaultAddress: isL1 ? envelope.vaultAddress : null,
    nonce: Number(envelope.nonce),
    expiresAfter: isL1 && envelope.expiresAfter !== null ? Number(envelope.expiresAfter) : null,
    nowMs,
  });
  return "refusal" in action && reply.status === "ok" ? refused(action.refusal) : reply;
}

function faultOf(envelope: Envelope, nowMs: number): string | null {
  const { signed, nonce } = envelope;
  if (signed.kind === "user" && signed.reading.nonce !== nonce) return "Nonce mismatch.";
  const largest = BigInt(Number.MAX_SAFE_INTEGER);
  if (nonce > largest) return `Invalid nonce: nonce too high ${nonce} > ${nowMs + NONCE_WINDOW_AHEAD_MS}`;
  if (envelope.expiresAfter !== null && envelope.expiresAfter > largest) return "Unable to recover signer.";
  return null;
}

function refused(text: string): VenueReply {
  return { status: "err", response: text };
}
