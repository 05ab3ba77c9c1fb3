/**
 * Servers that refuse an action before they have come to its number, while another copy of the same request is still on its way:
 * what was refused so may be executed later, until it has expired.
 */
import type { Answer } from "../../../src/paper/answers.ts";
import type { Chance } from "../chance.ts";

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

export function earlyRefusal({ text }: EarlyRefusals): Answer {
  return { status: 200, contentType: "application/json", body: JSON.stringify({ status: "err", response: text }) };
}
