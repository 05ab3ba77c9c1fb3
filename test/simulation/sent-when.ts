/** When a gateway has sent what the exchange has executed: what was asked for is judged by what held then. */
import type { Sent } from "./network.ts";
import type { Execution } from "./venue.ts";

type Signed = Pick<Execution, "signer" | "nonce">;

/** Milliseconds of the run at which it was first sent. */
export type SentWhen = (execution: Signed) => number;

/** `signerOf`: by the body of what was sent. */
export type SentBy = { sent: readonly Sent[]; signerOf: ReadonlyMap<string, string> };

export function openSentWhen({ sent, signerOf }: SentBy): SentWhen {
  const firstAtMs = new Map<string, number>();
  let seen = 0;
  return (execution) => {
    for (const { body, atMs } of sent.slice(seen)) {
      const name = nameOf({ signer: signerOf.get(body), nonce: nonceOf(body) });
      if (!firstAtMs.has(name)) firstAtMs.set(name, atMs);
    }
    seen = sent.length;
    const atMs = firstAtMs.get(nameOf(execution));
    if (atMs === undefined) throw new Error(`bug: number ${execution.nonce} was executed, and nobody has sent it`);
    return atMs;
  };
}

/** Each time that it was sent, oldest first. Two signers may use one number. */
export function sendsOf({ sent, signerOf }: SentBy, { signer, nonce }: Signed): Sent[] {
  return sent.filter(({ body }) => nonceOf(body) === nonce && signerOf.get(body) === signer);
}

function nameOf({ signer, nonce }: { signer: string | undefined; nonce: number }): string {
  return `${signer} ${nonce}`;
}

/** 0 where it bears none. */
export function nonceOf(body: string): number {
  return Number(/"nonce":([0-9]{1,16})/.exec(body)?.[1] ?? 0);
}
