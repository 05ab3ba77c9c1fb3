import type { Config } from "../config.ts";
import type { Deps, Log } from "../deps.ts";
import type { Places } from "../ops/data-directory.ts";
import { examineReplica } from "../ops/examine-replica.ts";
import type { Keyring } from "../ops/keyring.ts";
import { openChatHearing } from "../ops/notices/hear-chats.ts";
import { openNoticeSender } from "../ops/notices/send-notices.ts";
import { statusWords } from "../ops/notices/status-words.ts";
import { type Held, openConditionWatch } from "../ops/notices/watch-conditions.ts";

/** Who tells people outside what needs them, as long as the gateway runs. */
export type Notices = { end(): void };

/** Between two looks at the replica, milliseconds: each may take seconds. */
const REPLICA_EVERY_MS = 5 * 60_000;

export function startNotices(
  deps: Deps,
  { config, at, keyring, log }: { config: Config; at: Places; keyring: Keyring; log: Log },
): Notices {
  let replica: Held[] = [];
  let isEnded = false;
  const watch = openConditionWatch(deps, () => replica);
  const world = { ...deps, network: deps.instance.network, keyring, log };
  const sender = openNoticeSender(world);
  const chats = openChatHearing({
    ...world,
    tellStatus: () => statusWords(deps),
    heedStops: () => deps.stopper.heed(),
  });

  async function lookAtReplica(): Promise<void> {
    const { hasExternalCheckpoints } = config;
    while (!isEnded && hasExternalCheckpoints) {
      await deps.clock.sleep(REPLICA_EVERY_MS);
      if (isEnded) return;
      const found = await examineReplica({ places: at, hasExternalCheckpoints, clock: deps.clock });
      const bad = found.filter(({ level }) => level !== "ok");
      replica = bad.map(({ found: reason }) => ({ what: "replica", data: { reason } }));
    }
  }

  lookAtReplica().catch((error: unknown) => log.error({ error: String(error) }, "the replica could not be looked at"));
  return {
    end() {
      isEnded = true;
      watch.stop();
      sender.stop();
      chats.stop();
    },
  };
}
