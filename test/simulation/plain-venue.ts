/** The exchange of the scenes: two parties, and two others who trade. */
import { PARTIES } from "./template.ts";
import { openVenue, type Venue } from "./venue.ts";

export const MAKER = `0x${"8".repeat(40)}`;
export const TAKER = `0x${"9".repeat(40)}`;

type TriggerReply = "resting" | "waitingForTrigger";

export function openPlainVenue(seed: number, nowMs: () => number, plainTriggerReply: TriggerReply = "resting"): Venue {
  return openVenue({
    seed,
    nowMs,
    checksSignatures: false,
    plainTriggerReply,
    owners: PARTIES.map(({ account, agent }) => ({ owner: account.ownerAddress, agent })),
    strangers: [MAKER, TAKER],
  });
}
