/**
 * A feed's own states as witnesses of what it tells of orders and fills: they come over another channel of it, and cost no
 * weight. A channel that fell silent is found by them within seconds.
 */
import type { With } from "../../deps.ts";
import type { AccountPart } from "../../wire/answer/account-frame.ts";
import { shownListed, shownPositions } from "./shown.ts";

export type Testifying = { heed(address: string, shown: AccountPart): void };

/** What moved a position may be told after it, milliseconds; nobody need read the fills before that. */
const TOLD_WITHIN_MS = 1_500;

export function openTestifying(world: With<"clock" | "feeds" | "log">, isStopped: () => boolean): Testifying {
  /** Parts of which a state waits; what comes meanwhile is not looked at: the next one comes within seconds. */
  const waiting = new Set<string>();

  async function testify(address: string, shown: AccountPart & { part: "state" | "open" }): Promise<void> {
    const name = `${address} ${shown.part} ${shown.dex}`;
    if (shown.value === null || waiting.has(name)) return;
    waiting.add(name);
    await world.clock.sleep(TOLD_WITHIN_MS);
    waiting.delete(name);
    if (isStopped()) return;
    if (shown.part === "open") world.feeds.showed(address, shownListed(shown.value));
    else world.feeds.showed(address, shownPositions(shown.dex, shown.value.positions));
  }

  return {
    heed(address, shown) {
      if (shown.part !== "state" && shown.part !== "open") return;
      testify(address, shown).catch((error: unknown) => {
        if (!isStopped()) world.log.error({ error: String(error) }, "what a feed showed could not be compared");
      });
    },
  };
}
