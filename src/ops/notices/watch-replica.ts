/** Looks after the copy that Litestream makes beside the database: what is wrong with it stands in the state until the next look. */
import type { With } from "../../deps.ts";
import type { Places } from "../data-directory.ts";
import { examineReplica } from "../examine-replica.ts";

/** Between two looks, milliseconds: each may take seconds. */
const EVERY_MS = 5 * 60_000;
/** Until the first: Litestream may be started after us, milliseconds. */
const FIRST_MS = 60_000;

export type ReplicaWatch = { stop(): void };

/** Does nothing where no setting says that there is one. */
export function openReplicaWatch(
  deps: With<"clock" | "log" | "state">,
  { places, hasExternalCheckpoints }: { places: Pick<Places, "database">; hasExternalCheckpoints: boolean },
): ReplicaWatch {
  const { clock, log, state } = deps;
  let isEnded = false;

  async function run(): Promise<void> {
    await clock.sleep(FIRST_MS);
    while (!isEnded) {
      const found = await examineReplica({ places, hasExternalCheckpoints, clock });
      const [bad] = found.filter(({ level }) => level !== "ok");
      // By what it was found is the doctor's to say: it is a path.
      state.replicaFault = bad?.found.split("; ")[0];
      await clock.sleep(EVERY_MS);
    }
  }

  if (hasExternalCheckpoints)
    run().catch((error: unknown) => log.error({ error: String(error) }, "the replica could not be looked at"));
  return {
    stop() {
      isEnded = true;
    },
  };
}
