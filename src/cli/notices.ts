import type { Config } from "../config.ts";
import type { Deps, Log } from "../deps.ts";
import type { Places } from "../ops/data-directory.ts";
import type { Keyring } from "../ops/keyring.ts";
import { openChatHearing } from "../ops/notices/hear-chats.ts";
import { openNoticeSender } from "../ops/notices/send-notices.ts";
import { statusWords } from "../ops/notices/status-words.ts";
import { openConditionWatch } from "../ops/notices/watch-conditions.ts";
import { openReplicaWatch } from "../ops/notices/watch-replica.ts";

/** Who tells people outside what needs them, as long as the gateway runs. */
export type Notices = { end(): void };

export function startNotices(
  deps: Deps,
  { config, at, keyring, log }: { config: Config; at: Places; keyring: Keyring; log: Log },
): Notices {
  const replica = openReplicaWatch(deps, { places: at, hasExternalCheckpoints: config.hasExternalCheckpoints });
  const watch = openConditionWatch(deps);
  const world = { ...deps, network: deps.instance.network, keyring, log };
  const sender = openNoticeSender(world);
  const chats = openChatHearing({
    ...world,
    tellStatus: () => statusWords(deps),
    heedStops: () => deps.stopper.heed(),
  });

  return {
    end() {
      replica.stop();
      watch.stop();
      sender.stop();
      chats.stop();
    },
  };
}
