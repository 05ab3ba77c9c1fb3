/**
 * Servers that refuse an action before they have come to its number, while another copy of the same request is still on its way:
 * what was refused so may be executed later, until it has expired.
 */
import type { HttpAnswer } from "../../../src/paper/answers.ts";
import { type Chance, openChance } from "../chance.ts";
import { nonceOf } from "../sent-when.ts";
import type { Timeline } from "../timeline.ts";

export type EarlyRefusals = {
  /** Share of the actions. */
  rate: number;
  /** Share of those of which a copy arrives. */
  copyRate: number;
  /** Within which it arrives, milliseconds; some are later than the action's life. */
  copyWithinMs: number;
  text: string;
};

const TEXTS = [
  "Too many cumulative requests sent (10044 > 10000) for cumulative volume traded $0.24. Place taker orders to free up 1 request per USDC traded.",
  "User or API Wallet 0x0000000000000000000000000000000000000001 does not exist.",
  "Must deposit before performing actions. User: 0x0000000000000000000000000000000000000001",
] as const;

/** Share of the runs. */
const SHARE = 0.08;

/** A stream of its own: it leaves the runs without it as they were. */
export function drawEarlyRefusals(chance: Chance): EarlyRefusals | null {
  if (!chance.isLucky(SHARE)) return null;
  return {
    rate: chance.pick([0.1, 0.3]),
    copyRate: chance.pick([0.2, 0.7, 1]),
    copyWithinMs: chance.pick([300, 3_000, 14_000, 40_000]),
    text: chance.pick(TEXTS),
  };
}

/** Such a server at work. */
export type OpenEarlyRefusals = {
  /** Null where it is not refused. What carries it out may be called later. */
  refuse(sent: string, execute: () => HttpAnswer): HttpAnswer | null;
  /** Told of what was carried out: the network doubles requests as well, and the copy that is refused may be the later one. */
  note(sent: string, answer: HttpAnswer): void;
  /** When a copy of an action that had been refused so was executed all the same, by its number; milliseconds of virtual time. */
  readonly takenLaterMs: ReadonlyMap<number, number>;
};

export function openEarlyRefusals(early: EarlyRefusals, timeline: Timeline, from: Chance): OpenEarlyRefusals {
  const chance = openChance(Math.floor(from.fraction() * 2 ** 31));
  const refused = new Set<number>();
  const executedMs = new Map<number, number>();
  const takenLaterMs = new Map<number, number>();
  const body = JSON.stringify({ status: "err", response: early.text });

  function note(sent: string, answer: HttpAnswer): void {
    if (!answer.body.startsWith('{"status":"ok"')) return;
    const nonce = nonceOf(sent);
    executedMs.set(nonce, timeline.nowMs());
    if (refused.has(nonce)) takenLaterMs.set(nonce, timeline.nowMs());
  }

  return {
    note,
    takenLaterMs,
    refuse(sent, execute) {
      if (!chance.isLucky(early.rate)) return null;
      const nonce = nonceOf(sent);
      const beforeMs = executedMs.get(nonce);
      if (beforeMs !== undefined) takenLaterMs.set(nonce, beforeMs);
      refused.add(nonce);
      if (chance.isLucky(early.copyRate))
        timeline.after(chance.between(1, early.copyWithinMs), () => note(sent, execute()));
      return { status: 200, contentType: "application/json", body };
    },
  };
}
