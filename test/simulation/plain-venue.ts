/** The exchange of the scenes: two parties, and two others who trade. */
import { PARTIES } from "./template.ts";
import { openVenue, type Venue } from "./venue.ts";

export const MAKER = `0x${"8".repeat(40)}`;
export const TAKER = `0x${"9".repeat(40)}`;

type TriggerReply = "resting" | "waitingForTrigger";

type Plain = {
  seed: number;
  nowMs: () => number;
  plainTriggerReply?: TriggerReply;
  /** Called when an action was executed, or a price has moved. */
  onChange?: () => void;
};

export function openPlainVenue({ seed, nowMs, plainTriggerReply = "resting", onChange }: Plain): Venue {
  return openVenue({
    seed,
    nowMs,
    ...(onChange === undefined ? {} : { onChange }),
    checksSignatures: false,
    plainTriggerReply,
    owners: PARTIES.map(({ account, agent }) => ({ owner: account.ownerAddress, agent })),
    strangers: [MAKER, TAKER],
  });
}
