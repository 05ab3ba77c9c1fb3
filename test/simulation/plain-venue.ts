/** The exchange of the scenes: two parties, and two others who trade. */
import type { EngineOptions } from "../../src/paper/engine/options.ts";
import { PARTIES } from "./template.ts";
import { openVenue, type Venue } from "./venue.ts";

export const MAKER = `0x${"8".repeat(40)}`;
export const TAKER = `0x${"9".repeat(40)}`;

type TriggerReply = "resting" | "waitingForTrigger";

type Plain = {
  seed: number;
  nowMs: () => number;
  plainTriggerReply?: TriggerReply;
  engine?: Partial<EngineOptions>;
  /** Its past is kept, for stores that are behind. */
  hasPast?: boolean;
  /** Called when an action was executed, or a price has moved. */
  onChange?: () => void;
};

export function openPlainVenue({
  seed,
  nowMs,
  plainTriggerReply = "resting",
  engine = {},
  hasPast = false,
  onChange,
}: Plain): Venue {
  return openVenue({
    seed,
    nowMs,
    ...(onChange === undefined ? {} : { onChange }),
    checksSignatures: false,
    plainTriggerReply,
    engine,
    owners: PARTIES.map(({ account, agent }) => ({ owner: account.ownerAddress, agent })),
    strangers: [MAKER, TAKER],
    remembersUntilMs: hasPast ? Number.POSITIVE_INFINITY : null,
  });
}
