/** Who can write the database, and lacks the passphrase, opens no hook and takes over none. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { inTransaction } from "../../src/store/commit.ts";
import { findHookBySecret, insertHook, revokeHook } from "../../src/store/hooks.ts";
import { closeStore } from "../../src/store/open.ts";
import { listRowFaults } from "../../src/store/row-faults.ts";
import { inTemporaryDirectory } from "../support/temporary-directory.ts";
import { fromOutside, makeDirectory, restarted } from "./sealed-directory.ts";
import { HOOK } from "./sealed-hook.ts";

const OTHER = "ef".repeat(32);
const COPIED =
  "id || 'x', account_id, name, key_hash, 'OTHER', mode, market, max_age_ms, same_within_ms, max_slippage_bps, sources, is_rehearsal, state, created_at_ms";

const EDITS: [string, string, string][] = [
  ["given another secret", `UPDATE hooks SET secret_hash = '${OTHER}'`, OTHER],
  ["given another key", `UPDATE hooks SET key_hash = '${OTHER}'`, HOOK.secretHash],
  ["opened to every network", "UPDATE hooks SET sources = null", HOOK.secretHash],
  ["let keep its alerts for longer", "UPDATE hooks SET max_age_ms = 3600000", HOOK.secretHash],
  [
    "copied under a secret of one's own",
    `INSERT INTO hooks SELECT ${COPIED.replace("OTHER", OTHER)} FROM hooks`,
    OTHER,
  ],
];

test.each(EDITS)("a hook that was %s opens nothing, and is told", async (_what, sql, secretHash) => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = makeDirectory(path);
    inTransaction(store, () => insertHook(store, HOOK, "operator"));
    expect(findHookBySecret(store, HOOK.secretHash)?.id).toBe(HOOK.id);
    fromOutside(path, sql);
    expect(findHookBySecret(store, secretHash)).toBeNull();
    expect(listRowFaults(store).map(({ kind }) => kind)).toEqual(["hook"]);
    const later = restarted(store, path);
    expect(findHookBySecret(later.store, secretHash)).toBeNull();
    expect(later.told.join()).toContain("it opens nothing");
    closeStore(later.store);
  });
});

test("a hook that was revoked is not opened again by its row", async () => {
  await inTemporaryDirectory(async (directory) => {
    const path = join(directory, "postern.db");
    const store = makeDirectory(path);
    inTransaction(store, () => insertHook(store, HOOK, "operator"));
    inTransaction(store, () => revokeHook(store, HOOK, { actor: "operator", atMs: 2 }));
    fromOutside(path, "UPDATE hooks SET state = 'active'");
    expect(findHookBySecret(store, HOOK.secretHash)).toBeNull();
    closeStore(store);
  });
});
