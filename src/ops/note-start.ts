import { exchangePlaceOf } from "../core/exchange-place.ts";
import { appendAudit, findNewestDetail } from "../store/audit.ts";
import { inTransaction } from "../store/commit.ts";
import type { Instance } from "../store/instance.ts";
import type { Store } from "../store/open.ts";
import type { Operator } from "./operator.ts";

export type Start = {
  version: string;
  /** Agent keys that the passphrase has opened. */
  agentsUnlocked: number;
  /** Settings that are not their default, as they were written. None of them is a secret. */
  settings: Readonly<Record<string, string>>;
  instance: Pick<Instance, "network" | "exchangeUrl">;
};

/** Writes down that keys were opened, by which version and under which settings: a change shows against the start before. */
export function noteStart(
  { store, clock }: Pick<Operator, "store" | "clock">,
  { version, agentsUnlocked, settings, instance }: Start,
): void {
  const place = exchangePlaceOf(instance) === "unofficial" ? { unofficial_exchange: instance.exchangeUrl } : {};
  const detail = { agents_unlocked: agentsUnlocked, ...place, ...settings };
  const entry = { atMs: clock.nowMs(), actor: "gateway", event: STARTED, reference: version, detail };
  inTransaction(store, (within) => appendAudit(within, entry));
}

const STARTED = "gateway_started";

/** Whether the last start left SQLite's log to a replicator; null where none was written down. */
export function hadExternalCheckpoints(store: Store): boolean | null {
  const detail = findNewestDetail(store, STARTED);
  return detail === null ? null : detail["POSTERN_EXTERNAL_CHECKPOINTS"] === "1";
}
