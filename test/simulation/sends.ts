/** What has left the gateway: nothing without an end, nothing twice, and every number given out once. */
import type { Sent } from "./network.ts";
import { START_MS } from "./template.ts";

export type Sends = {
  sent: readonly Sent[];
  /** Who signed a body. */
  signerOf: ReadonlyMap<string, string>;
  /** By how much a clock of the exchange may have been wrong, milliseconds; 0 = never. */
  mostWrongMs: number;
};

export type Body = { action: { type: string }; nonce: number; expiresAfter: number | null };

/** Nothing leaves without an end, and no two payloads share a number but an action and its noop. */
export function auditSends(run: Sends): string[] {
  const findings: string[] = [];
  const payloads = new Map<string, string>();
  const highest = new Map<string, { nonce: number; atMs: number }>();
  for (const { body, number, atMs } of run.sent) {
    // Bodies are our own JSON; the auditor reads them without the gateway's types.
    const { action, nonce, expiresAfter } = JSON.parse(body) as Body;
    const signer = run.signerOf.get(body) ?? "nobody";
    const name = `${signer} ${nonce}`;
    if (expiresAfter === null || expiresAfter === undefined) findings.push(`send #${number} has no expiry`);
    else if (expiresAfter > START_MS + atMs + MAX_LIFE_MS + OUTVOTED_BY_MS + run.mostWrongMs)
      findings.push(`send #${number} lives until ${expiresAfter}`);
    if (action.type === "noop") continue;
    const text = JSON.stringify(action);
    const earlier = payloads.get(name);
    if (earlier !== undefined) findings.push(`send #${number} is the second of ${name}: ${earlier} and ${text}`);
    payloads.set(name, text);
    // Numbers are given out in order; what is sent in the same instant may overtake on the way to the socket.
    const last = highest.get(signer);
    const isBelow = last !== undefined && nonce <= last.nonce && !isFarBelow(run, last.nonce, nonce);
    if (isBelow && atMs > last.atMs) findings.push(`send #${number} has nonce ${nonce}, not above the last one`);
    if (last === undefined || nonce > last.nonce || isFarBelow(run, last.nonce, nonce))
      highest.set(signer, { nonce, atMs });
  }
  return findings;
}

/** A number this far above the exchange's time, as it is believed, is none to go on from, milliseconds. */
const MAX_AHEAD_MS = 12 * 3_600_000;

/** Once a wrong clock was believed, numbers far away from the time go on where the time is. */
function isFarBelow({ mostWrongMs }: Sends, last: number, nonce: number): boolean {
  return mostWrongMs > 0 && last - nonce > MAX_AHEAD_MS - CLOCK_SLACK_MS;
}

/** Between the reading of a time and the number that is made of it, milliseconds. */
const CLOCK_SLACK_MS = 600_000;

/** The life of an action, with room for a clock that has not been compared yet. */
const MAX_LIFE_MS = 30_000;
/** Our own clock may be the right one where readings of servers have outvoted it: for a minute an action lives by the later, milliseconds. */
const OUTVOTED_BY_MS = 60_000;

type Signed = { signer?: string; nonce?: number };

export function signedIn(detail: string): Signed {
  // Written by the gateway in this form where something was signed, and without these members elsewhere.
  return JSON.parse(detail) as Signed;
}

/** Whether a number was of an action with several orders; of one that never left nobody can say that it was not. */
function numbersOfSeveral(sent: readonly Sent[]): (nonce: number) => boolean {
  // Two signers may have the same number.
  const bodies = Map.groupBy(
    sent.map(({ body }) => body).filter((body) => !body.includes('"type":"noop"')),
    (body) => (JSON.parse(body) as Body).nonce,
  );
  return (nonce) => {
    const under = bodies.get(nonce);
    return under === undefined || under.some((body) => (body.match(/"c":"0x/g)?.length ?? 0) > 1);
  };
}

/** One allocator: the numbers of each signer only rise, in the order in which they were written down, over all restarts. */
export function auditNumbers(run: Sends, rows: readonly { event: string; detail: string }[]): string[] {
  const last = new Map<string, number>();
  const together = numbersOfSeveral(run.sent);
  return rows.flatMap(({ event, detail }) => {
    const { signer, nonce } = signedIn(detail);
    if (event === "sign_noop" || signer === undefined || nonce === undefined) return [];
    const before = last.get(signer) ?? 0;
    last.set(signer, nonce);
    // Orders of one action are written down one after the other, under its one number.
    const isBesides = nonce === before && event === "sign_place" && together(nonce);
    return nonce > before || isBesides || isFarBelow(run, before, nonce)
      ? []
      : [`number ${nonce} of ${signer} was given out after ${before}`];
  });
}
