import type { Clock } from "../core/clock.ts";
import { counted } from "../core/counted.ts";
import { isoTime } from "../core/resource.ts";
import { listAccounts } from "../store/accounts.ts";
import { listApiKeys, type StoredKey } from "../store/api-keys.ts";
import type { AuditSeal } from "../store/audit-seal.ts";
import { checkDatabase } from "../store/health.ts";
import type { Store } from "../store/open.ts";
import { countAwaiting, hasRestores } from "../store/restores.ts";
import { unknownOperations, unknownOrders } from "../store/unknowns.ts";
import type { SealCheck } from "./believe-rows.ts";
import { examineRows } from "./examine-rows.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { hookReleases, releases, rotations } from "./next-commands.ts";
import { UNKNOWN_FOR_MS } from "./release-unknown.ts";
import { allKnownUntilMs, notKeptTo, TAKEN_AWAY } from "./since-backup.ts";
import { daysLeft } from "./tell-keys.ts";
import { verifyAudit } from "./verify-audit.ts";

/** An outcome is proven within some seconds; one that is older is worth a look, milliseconds. */
const OLD_UNKNOWN_MS = 120_000;

/** The seal as it stood when it was shown to the gateway. */
type Examination = { clock: Clock; seal: AuditSeal | null; check: SealCheck | null; isDemo: boolean };

/** `check` null: nobody with the passphrase was asked. */
export function examineDatabase(store: Store, { clock, seal, check, isDemo }: Examination): Finding[] {
  try {
    return [
      ...examineFile(store),
      examineAudit(store, seal, check?.isGenuine ?? null),
      ...examineRows(store, check?.rowFaults ?? null),
      ...examineRestore(store),
      examineUnknowns(store, clock.nowMs()),
      examineKeys(store, { isDemo, nowMs: clock.nowMs() }),
    ];
  } catch (error) {
    // Some damage shows only in that questions fail.
    return [fault("database", `cannot be read: ${error instanceof Error ? error.message : "unknown"}`, RESTORE)];
  }
}

const RESTORE = "stop the gateway and restore the newest backup: postern restore";

function examineFile(store: Store): Finding[] {
  const { faults, schema, newestSchema, journalMode, sqliteVersion } = checkDatabase(store);
  const integrity =
    faults.length === 0
      ? ok("database", `sound; SQLite ${sqliteVersion}, schema ${schema}`)
      : fault("database", `damaged: ${faults.join("; ")}`, RESTORE);
  const version =
    schema > newestSchema
      ? [fault("schema", `schema ${schema} was written by a newer Postern`, "use the newer executable")]
      : [];
  const journal =
    journalMode === "wal"
      ? []
      : [
          fault(
            "journal",
            `journal mode ${journalMode}`,
            "let no other program write this database; then restart the gateway",
          ),
        ];
  return [integrity, ...version, ...journal];
}

function examineAudit(store: Store, seal: AuditSeal | null, isSealGenuine: boolean | null): Finding {
  const { head, fault: reason } = verifyAudit(store, { seal, isGenuine: isSealGenuine, earlier: null });
  if (reason !== null) {
    return fault("audit", reason, "find out who can write this database; compare with a backup: postern audit verify");
  }
  return ok("audit", `${head.rowId} rows, chain whole, ${isSealGenuine === null ? "seal not checked" : "sealed"}`);
}

function examineRestore(store: Store): Finding[] {
  if (!hasRestores(store)) return [];
  const accounts = countAwaiting(store);
  const [held, hooks] = [releases(store), hookReleases(store)];
  if (accounts === 0 && held.length === 0 && hooks.length === 0)
    return [ok("restore", `restored once, and taken up whole; ${unknownSince(store)}`)];
  const waiting = `${counted(accounts, "account")} to be read from the exchange`;
  const found = `restored; ${waiting}, ${counted(held.length, "key")} and ${counted(hooks.length, "hook")} on hold; ${unknownSince(store)}`;
  const todo =
    accounts > 0
      ? `let each owner approve a new agent (${rotations(store).join("; ")}) and leave the gateway running until the exchange has been read`
      : held.length > 0
        ? keepTodo(held)
        : `for each that postern hook list shows as held: revoke it, or release it: ${hooks[0]}`;
  return [warning("restore", found, todo)];
}

function unknownSince(store: Store): string {
  const atMs = allKnownUntilMs(store);
  const when = atMs === null ? "after the backup" : `after ${isoTime(atMs)}`;
  return `${notKeptTo(when)} ${TAKEN_AWAY}`;
}

function keepTodo([first]: readonly string[]): string {
  return `for each that postern key list shows as held: register its grant again, revoke it, or release it: ${first}`;
}

function examineUnknowns(store: Store, nowMs: number): Finding {
  const all = listAccounts(store).flatMap(({ id }) => [unknownOrders(store, id), unknownOperations(store, id)]);
  const count = all.reduce((sum, each) => sum + each.count, 0);
  if (count === 0) return ok("unknown", "no outcome is unknown");
  const oldestMs = Math.min(...all.map((each) => each.oldestMs ?? nowMs));
  const found = `${counted(count, "unknown outcome")}, the oldest for ${Math.round((nowMs - oldestMs) / 1_000)} s`;
  if (nowMs - oldestMs < OLD_UNKNOWN_MS) return ok("unknown", found);
  const todo = "keep the gateway running, and never place such an order again under a new key";
  const isReleasable = nowMs - oldestMs >= UNKNOWN_FOR_MS;
  const release = "; postern order explain ID says what is waited for, and postern order release ID gives it up";
  return warning("unknown", found, isReleasable ? `${todo}${release}` : todo);
}

/** Those that are held to nothing are named: a plain key is what most begin with, and no fault. */
function examineActive(active: readonly StoredKey[], nowMs: number): Finding {
  const unlimited = active.filter(({ limited, scopes }) => limited === null && scopes.includes("trading:write"));
  const named = unlimited.map(({ keyHash }) => keyHash.slice(0, SHOWN_DIGITS)).join(", ");
  const bare = unlimited.length === 0 ? "" : `; ${unlimited.length} may write without rails: ${named}`;
  const found = `${counted(active.length, "active API key")}${bare}`;
  const ending = active.filter((key) => daysLeft(key, nowMs) !== null);
  if (ending.length === 0) return ok("keys", found);
  const names = ending.map(({ keyHash }) => keyHash.slice(0, SHOWN_DIGITS)).join(", ");
  return warning(
    "keys",
    `${found}; within a week these open nothing any more: ${names}`,
    "have the owner sign a new grant for each: postern key grant --bot …",
  );
}

/** Digits of a hash that are enough to find it by. */
const SHOWN_DIGITS = 16;

function examineKeys(store: Store, { isDemo, nowMs }: { isDemo: boolean; nowMs: number }): Finding {
  const active = listAccounts(store).flatMap(({ id }) =>
    listApiKeys(store, id).filter(({ state }) => state === "active"),
  );
  if (active.length > 0) return examineActive(active, nowMs);
  const held = releases(store);
  if (held.length > 0) return warning("keys", `no API key is active, ${held.length} on hold`, keepTodo(held));
  if (isDemo) return warning("keys", "no API key is active", "the demo registers its own: postern serve --paper");
  return warning("keys", "no API key is active", "make one and have the owner sign it: postern key new");
}
