/** S44 and S45: the audit log. */
import { type Break, inFile } from "./break.ts";

const THOUSAND = {
  test: "test/ops/audit.test.ts",
  title: "a thousand edits, deletions, cuts, swaps and repeats of rows are all found, the last row's included",
};
const WRITTEN_ANEW = {
  test: "test/ops/audit.test.ts",
  title: "a log that was written anew, chain, count and all, does not fit its seal",
};
const FROM_SET_UP = {
  test: "test/ops/audit.test.ts",
  title: "a log is sealed from its set-up on, and one whose seal was deleted stays without",
};
const FORGED = { test: "test/ops/audit.test.ts", title: "a seal that was made without the passphrase" };
const OTHER_SEAL = { test: "test/ops/audit.test.ts", title: "a seal of another network or another row does not pass" };
const OLDER = { test: "test/ops/audit.test.ts", title: "an older log in this one's place fits its own seal" };
const ANY_FIELD = { test: "test/store/audit.test.ts", title: "an edit of any field of any row is found at that row" };
const FIELD_BORDERS = { test: "test/store/audit.test.ts", title: "text cannot move from one field to the next unseen" };
const ROW_OF_EACH = {
  test: "test/ops/audit-rows.test.ts",
  title: "each deed has its row, in the transaction of what it tells of",
};
const REVOKES_ONCE = {
  test: "test/http/registration.test.ts",
  title: "stops it at once, says so again, and writes one audit row",
};
const ROW_OF_A_GRANT = {
  test: "test/http/registration.test.ts",
  title: "a grant that registers a key is a row of the audit log",
};
const IMPORTED = {
  test: "test/ops/import-agent.test.ts",
  title: "a key that the exchange does not know waits for the owner's approval like one made here",
};
const SIGNED_ROWS = {
  test: "test/settle/signed-as-stored.test.ts",
  title: "every signed action has its row of the audit log",
};

export const AUDIT_BREAKS: readonly Break[] = [
  {
    row: "S44",
    name: "who acted is not in the chain",
    changes: inFile("src/store/audit.ts", "row.atMs, row.actor, row.event", "row.atMs, row.event"),
    seenBy: ANY_FIELD,
  },
  {
    row: "S44",
    name: "the time is not in the chain",
    changes: inFile("src/store/audit.ts", "[previous, row.atMs, row.actor", "[previous, row.actor"),
    seenBy: THOUSAND,
  },
  {
    row: "S44",
    name: "fields run into each other",
    changes: inFile(
      "src/store/audit.ts",
      "JSON.stringify([previous, row.atMs, row.actor, row.event, row.reference, row.detail])",
      '[previous, row.atMs, row.actor, row.event, row.reference, row.detail].join("")',
    ),
    seenBy: FIELD_BORDERS,
  },
  {
    row: "S44",
    name: "a row does not cover the one before it",
    changes: inFile("src/store/audit.ts", "JSON.stringify([previous, row.atMs", 'JSON.stringify(["", row.atMs'),
    seenBy: THOUSAND,
  },
  {
    row: "S44",
    name: "gaps in the numbers are fine",
    changes: [
      { file: "src/store/audit.ts", find: "if (row.id !== after + 1 || row.chain", put: "if (row.chain" },
      {
        file: "src/store/audit.ts",
        find: "return countAuditRowsEverWritten(store) === after ? null : after + 1;",
        put: "return null;",
      },
    ],
    seenBy: THOUSAND,
  },
  {
    row: "S44",
    name: "a cut at the end is not looked for",
    changes: inFile(
      "src/store/audit.ts",
      "return countAuditRowsEverWritten(store) === after ? null : after + 1;",
      "return null;",
    ),
    seenBy: THOUSAND,
  },
  {
    row: "S44",
    name: "the seal is not compared with the row",
    changes: inFile(
      "src/ops/verify-audit.ts",
      "const isThere = findAuditChain(store, seal.rowId) === seal.chain;",
      "const isThere = findAuditChain(store, seal.rowId) !== null;",
    ),
    seenBy: WRITTEN_ANEW,
  },
  {
    row: "S44",
    name: "a start does not compare the seal with the row",
    changes: inFile(
      "src/ops/seal-audit.ts",
      "  if (findAuditChain(store, seal.rowId) !== seal.chain) return",
      "  if (findAuditChain(store, seal.rowId) === null) return",
    ),
    seenBy: WRITTEN_ANEW,
  },
  {
    row: "S44",
    name: "a seal that is gone is made anew",
    changes: [
      {
        file: "src/ops/seal-audit.ts",
        find: "const isNews = last !== null && (last.rowId",
        put: "const isNews = last === null || (last.rowId",
      },
      {
        file: "src/ops/seal-audit.ts",
        find: "if (!isNews || !isStillThere(sealing, last)) return head;",
        put: "if (!isNews || (last !== null && !isStillThere(sealing, last))) return head;",
      },
    ],
    seenBy: FROM_SET_UP,
  },
  {
    row: "S44",
    name: "a missing seal is no fault",
    changes: inFile(
      "src/ops/verify-audit.ts",
      'if (seal === null) return "its seal is missing',
      'if (seal === null) return null;\n  if (seal.mac === "missing") return "its seal is missing',
    ),
    seenBy: FROM_SET_UP,
  },
  {
    row: "S44",
    name: "a seal that does not fit is sealed over",
    changes: inFile("src/ops/seal-audit.ts", " || !isStillThere(sealing, last)) return head;", ") return head;"),
    seenBy: FORGED,
  },
  {
    row: "S44",
    name: "any MAC is genuine",
    changes: inFile(
      "src/ops/seal-audit.ts",
      "return wanted.length === given.length && timingSafeEqual(wanted, given);",
      "return wanted.length === given.length && timingSafeEqual(wanted, wanted);",
    ),
    seenBy: FORGED,
  },
  {
    row: "S44",
    name: "a seal is of no network",
    changes: inFile("src/ops/seal-audit.ts", "const log = [network, rowId,", "const log = [rowId,"),
    seenBy: OTHER_SEAL,
  },
  {
    row: "S44",
    name: "a seal is of no time",
    changes: inFile("src/ops/seal-audit.ts", "rowId, chain, sealedAtMs]", "rowId, chain]"),
    seenBy: OTHER_SEAL,
  },
  {
    row: "S44",
    name: "a head that was kept elsewhere is not compared",
    changes: inFile(
      "src/ops/verify-audit.ts",
      "if (earlier === null || findAuditChain(store, earlier.rowId)?.startsWith(earlier.chain) === true) return null;",
      "if (earlier === null || findAuditChain(store, earlier.rowId)?.startsWith(earlier.chain.slice(0, 0)) !== false) return null;",
    ),
    seenBy: OLDER,
  },
  {
    row: "S45",
    name: "a grant has no row",
    changes: inFile(
      "src/actions/register-key.ts",
      '  appendAudit(store, { atMs: nowMs, actor: "owner", event, reference',
      '  ((..._: unknown[]) => undefined)(store, { atMs: nowMs, actor: "owner", event, reference',
    ),
    seenBy: ROW_OF_A_GRANT,
  },
  {
    row: "S45",
    name: "a revocation has no row",
    changes: inFile(
      "src/actions/revoke-key.ts",
      '    appendAudit(store, { atMs: nowMs, actor: "owner", event: "key_revoked"',
      '    ((..._: unknown[]) => undefined)(store, { atMs: nowMs, actor: "owner", event: "key_revoked"',
    ),
    seenBy: REVOKES_ONCE,
  },
  {
    row: "S45",
    name: "a key that was blocked has no row",
    changes: inFile(
      "src/ops/block-key.ts",
      '    appendAudit(store, { atMs: nowMs, actor: "operator", event: "key_blocked"',
      '    ((..._: unknown[]) => undefined)(store, { atMs: nowMs, actor: "operator", event: "key_blocked"',
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "a key that was kept has no row",
    changes: inFile(
      "src/ops/keep-key.ts",
      '    appendAudit(store, { atMs: nowMs, actor: "operator", event: "key_kept"',
      '    ((..._: unknown[]) => undefined)(store, { atMs: nowMs, actor: "operator", event: "key_kept"',
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "an account has no row",
    changes: inFile(
      "src/ops/add-account.ts",
      "  appendAudit(store, {\n",
      "  ((..._: unknown[]) => undefined)(store, {\n",
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "an agent that was made has no row",
    changes: inFile(
      "src/ops/new-agent.ts",
      "  appendAudit(store, {\n",
      "  ((..._: unknown[]) => undefined)(store, {\n",
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "an agent that was imported has no row",
    changes: inFile(
      "src/ops/import-agent.ts",
      "    appendAudit(store, { atMs: nowMs",
      "    ((..._: unknown[]) => undefined)(store, { atMs: nowMs",
    ),
    seenBy: IMPORTED,
  },
  {
    row: "S45",
    name: "an approval has no row",
    changes: inFile(
      "src/ops/approve-agent.ts",
      "    appendAudit(store, {\n",
      "    ((..._: unknown[]) => undefined)(store, {\n",
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "an agent that was retired has no row",
    changes: inFile(
      "src/ops/retire-agent.ts",
      "    appendAudit(within, { atMs",
      "    ((..._: unknown[]) => undefined)(within, { atMs",
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "a start has no row",
    changes: inFile(
      "src/ops/note-start.ts",
      "appendAudit(within, entry)",
      "((..._: unknown[]) => undefined)(within, entry)",
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "a start does not tell its settings",
    changes: inFile(
      "src/ops/note-start.ts",
      "...place, ...settings };",
      "...place, changed: Object.keys(settings).length };",
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "a restore has no row",
    changes: inFile(
      "src/ops/restore.ts",
      "      appendAudit(store, { atMs: restoredAtMs",
      "      ((..._: unknown[]) => undefined)(store, { atMs: restoredAtMs",
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "a signed action has no row",
    changes: inFile(
      "src/settle/send/intent.ts",
      "  appendAudit(store, {\n    atMs: attempt.createdAtMs,\n    actor",
      "  ((..._: unknown[]) => undefined)(store, {\n    atMs: attempt.createdAtMs,\n    actor",
    ),
    seenBy: SIGNED_ROWS,
  },
  {
    row: "S45",
    name: "a noop has no row",
    changes: inFile(
      "src/settle/send/seal.ts",
      "  appendAudit(world.store, {\n",
      "  ((..._: unknown[]) => undefined)(world.store, {\n",
    ),
    seenBy: SIGNED_ROWS,
  },
  {
    row: "S45",
    name: "the row of a blocked key is written after its block",
    changes: inFile(
      "src/ops/block-key.ts",
      'appendAudit(store, { atMs: nowMs, actor: "operator", event: "key_blocked", reference: keyHash, detail });',
      'queueMicrotask(() => void appendAudit(operator.store, { atMs: nowMs, actor: "operator", event: "key_blocked", reference: keyHash, detail }));',
    ),
    seenBy: ROW_OF_EACH,
  },
  {
    row: "S45",
    name: "a revocation's row is written before it, by itself",
    changes: [
      {
        file: "src/actions/revoke-key.ts",
        find: "  inTransaction(deps.store, (store) => {\n    besides(store);\n    if (isRevoked(store, accountId, keyHash)) return;\n",
        put: '  inTransaction(deps.store, (store) => appendAudit(store, { atMs: nowMs, actor: "owner", event: "key_revoked", reference: keyHash, detail: { account: accountId } }));\n  inTransaction(deps.store, (store) => {\n    besides(store);\n    if (isRevoked(store, accountId, keyHash)) return;\n',
      },
      {
        file: "src/actions/revoke-key.ts",
        find: '    appendAudit(store, { atMs: nowMs, actor: "owner", event: "key_revoked", reference: keyHash, detail });\n',
        put: "    void detail;\n",
      },
    ],
    seenBy: ROW_OF_EACH,
  },
];
