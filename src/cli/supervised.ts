import type { Log } from "../deps.ts";
import { readProbe } from "../store/health.ts";
import type { Store } from "../store/open.ts";
import type { Outside } from "./outside.ts";
import { openSupervisor } from "./supervisor.ts";

/** Keeps systemd told how the gateway is doing, where systemd started it. */
export type Supervised = {
  /** The gateway listens; `status` is one line for people. */
  listening(status: string): void;
  status(status: string): void;
  /** From now on it only ends: no more questions to the database, which is about to be closed. */
  stopping(): void;
  end(): void;
};

/** A sign of life needs a turn of the event loop and a database that answers; a full disk is no reason to restart. */
export function supervise({ store, log }: { store: Store; log: Log }, outside: Outside): Supervised {
  const supervisor = openSupervisor(outside.environment, outside.processId);
  let isStopping = false;

  function ping(): void {
    try {
      if (!isStopping) readProbe(store);
      supervisor.tell("WATCHDOG=1");
    } catch (error) {
      log.error({ error: String(error) }, "the database does not answer; systemd is not told that we are alive");
    }
  }

  const { watchdogIntervalMs } = supervisor;
  const endPings = watchdogIntervalMs === null ? () => undefined : outside.every(watchdogIntervalMs, ping);
  return {
    listening(status) {
      if (!supervisor.tell("READY=1", `STATUS=${status}`)) {
        log.error({ what: "NOTIFY_SOCKET" }, "systemd cannot be told that we listen; see Type=exec in the manual");
      }
    },
    status: (status) => void supervisor.tell(`STATUS=${status}`),
    stopping() {
      isStopping = true;
      supervisor.tell("STOPPING=1", "STATUS=finishing what is in flight");
    },
    end: endPings,
  };
}
