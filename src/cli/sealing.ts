import type { Clock } from "../core/clock.ts";
import type { Log } from "../deps.ts";
import type { Keyring } from "../ops/keyring.ts";
import { auditFaultSinceSeal, SEAL_INTERVAL_MS, sealAudit } from "../ops/seal-audit.ts";
import type { Store } from "../store/open.ts";
import { listWriteFaults } from "../store/row-faults.ts";
import { tellFault } from "../store/sealed-rows.ts";
import type { Outside } from "./outside.ts";

export type Sealing = { end(): void };
type SealingParts = { store: Store; clock: Clock; keyring: Keyring; log: Log };

/** Characters of the head's hash in the log, which would cut out a whole one as if it were a key. */
const SHOWN_HASH = 40;

/** Seals the audit log now, every minute and at the end; its head goes to the log, which is kept elsewhere. */
export function startSealing(parts: SealingParts, { every }: Outside): Sealing {
  const { log } = parts;
  let toldRow: number | null = null;

  function seal(): void {
    try {
      for (const fault of listWriteFaults(parts.store)) tellFault(parts.store, fault);
      const { rowId, chain } = sealAudit(parts);
      if (rowId === toldRow) return;
      toldRow = rowId;
      log.info({ count: rowId, detail: `${rowId}:${chain.slice(0, SHOWN_HASH)}` }, "audit log sealed");
    } catch (error) {
      log.error({ error: String(error) }, "the audit log could not be sealed");
    }
  }
  const fault = auditFaultSinceSeal(parts);
  if (fault !== null) log.error({ reason: fault }, "the audit log was changed from outside: see postern audit verify");
  seal();
  const stop = every(SEAL_INTERVAL_MS, seal);
  return {
    end() {
      stop();
      seal();
    },
  };
}
