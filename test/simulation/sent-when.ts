/** When a gateway has sent what the exchange has executed: what was asked for is judged by what held then. */
import type { Sent } from "./network.ts";
import type { Execution } from "./venue.ts";

/** Milliseconds of the run at which it was first sent. */
export type SentWhen = (execution: Pick<Execution, "signer" | "nonce">) => number;

export function openSentWhen(sent: readonly Sent[], signerOf: ReadonlyMap<string, string>): SentWhen {
  const firstAtMs = new Map<string, number>();
  let seen = 0;
  return ({ signer, nonce }) => {
    for (const { body, atMs } of sent.slice(seen)) {
      const name = `${signerOf.get(body)} ${/"nonce":([0-9]{1,16})/.exec(body)?.[1]}`;
      if (!firstAtMs.has(name)) firstAtMs.set(name, atMs);
    }
    seen = sent.length;
    const atMs = firstAtMs.get(`${signer} ${nonce}`);
    if (atMs === undefined) throw new Error(`bug: number ${nonce} was executed, and nobody has sent it`);
    return atMs;
  };
}
