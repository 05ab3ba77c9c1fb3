/** S51 and S52: which rows of the database are believed. */
import { type Break, inFile } from "./break.ts";

const REFUSED_AND_TOLD = {
  test: "test/flows/rows-from-outside.test.ts",
  title: "%s: refused and told at once, and after the next start",
};
const ANOTHERS_SIGNATURE = { test: "test/ops/sealed-rows.test.ts", title: "a sealed key whose signature is another's" };
const NO_ATTACK = {
  test: "test/ops/sealed-rows.test.ts",
  title: "whatever owner and operator do, nothing of it is taken for an attack",
};
const ONCE = {
  test: "test/ops/before-the-seal.test.ts",
  title: "its keys, accounts and agents go on, are sealed once",
};
const PLANTED_BEFORE = { test: "test/ops/before-the-seal.test.ts", title: "a key that was planted before the upgrade" };
const NOT_AFTER = { test: "test/ops/before-the-seal.test.ts", title: "after it, a row of before is not taken in" };

export const ROW_BREAKS: readonly Break[] = [
  {
    row: "S51",
    name: "a key that was planted opens",
    changes: inFile(
      "src/store/api-keys.ts",
      "  if (content === null) return null;\n  const state",
      "  if (content === null) return { ...key, state: stateOf(store, row), fault: null, accountFault: null };\n  const state",
    ),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "a key that was widened opens",
    changes: inFile(
      "src/store/api-keys.ts",
      "const isWhole = contentOfKey({ ...row, state: sealedStateOf(content) }) === content;",
      'const isWhole = contentOfKey({ ...row, state: sealedStateOf(content) }) !== "";',
    ),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "the scopes of a key are not sealed",
    changes: inFile(
      "src/store/api-keys.ts",
      "  return JSON.stringify({ keyHash, accountId, scopes, issuedAtMs,",
      "  return JSON.stringify({ keyHash, accountId, issuedAtMs,",
    ),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "a block that was cleared is none",
    changes: inFile(
      "src/store/api-keys.ts",
      "const state = stricter(row.state, sealedStateOf(content));",
      "const { state } = row;",
    ),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "a revocation that was deleted is none",
    changes: inFile(
      "src/store/revocations.ts",
      '  if (findSealed(store, "revocation", id) === null) return false;',
      '  if (id !== "") return false;',
    ),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "an agent comes out of retirement",
    changes: inFile(
      "src/store/agents.ts",
      'return sealed.state === "retired" || agent.state === "retired" ? { ...agent, state: "retired" } : null;',
      "return agent;",
    ),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "a trading address that was changed is traded for",
    changes: inFile(
      "src/store/account-faults.ts",
      "if (contentOfAccount(row) === content) return null;",
      'if (contentOfAccount(row) !== "") return null;',
    ),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "the exchange's address that was changed is asked",
    changes: inFile(
      "src/store/account-faults.ts",
      "if (row !== null && contentOfInstance(row) === findSealed",
      'if (row !== null && contentOfInstance(row) !== findSealed(store, "instance", "") + "" && INSTANCE_ID !== findSealed',
    ),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "a change is refused and nobody is told",
    changes: inFile("src/store/sealed-rows.ts", "  sealed.sealer.tell(fault);", "  sealed.told.add(fault.what);"),
    seenBy: REFUSED_AND_TOLD,
  },
  {
    row: "S51",
    name: "a grant's signature is not looked at again",
    changes: inFile(
      "src/ops/believe-rows.ts",
      "return signerOf(grantDigest(grant), signature) === ownerAddress;",
      "return signerOf(grantDigest(grant), signature) !== null;",
    ),
    seenBy: ANOTHERS_SIGNATURE,
  },
  {
    row: "S51",
    name: "a grant for another network opens",
    changes: inFile("src/ops/believe-rows.ts", "  if (!AUDIENCE_STARTS[network].test(audience)) return false;\n", ""),
    seenBy: ANOTHERS_SIGNATURE,
  },
  {
    row: "S51",
    name: "what the exchange says of an agent's end is taken for an attack",
    changes: inFile(
      "src/store/agents.ts",
      '  vouchForAgent(store, address, { state: "approved", ...approval });\n',
      "",
    ),
    seenBy: NO_ATTACK,
  },
  {
    row: "S52",
    name: "rows of before are taken in without a word of the log",
    changes: inFile(
      "src/ops/seal-rows-from-before.ts",
      "keyDifference(told, { ...row, state }) !== null) continue;",
      'keyDifference(told, { ...row, state }) === "") continue;',
    ),
    seenBy: PLANTED_BEFORE,
  },
  {
    row: "S52",
    name: "what the log says since the old seal counts as well",
    changes: inFile(
      "src/ops/seal-rows-from-before.ts",
      "const told = readHistory(store, seal.rowId);",
      "const told = readHistory(store, Number.MAX_SAFE_INTEGER + seal.rowId - seal.rowId);",
    ),
    seenBy: PLANTED_BEFORE,
  },
  {
    row: "S52",
    name: "rows of before are taken in at every start",
    changes: inFile(
      "src/ops/seal-rows-from-before.ts",
      "if (sealed.length > 0 || readSealedRows(store).length > 0) {",
      "if (sealed.length < 0) {",
    ),
    seenBy: NOT_AFTER,
  },
  {
    row: "S52",
    name: "keys of before are left out",
    changes: inFile("src/ops/seal-rows-from-before.ts", "    sealKeys(store, told, now);\n", ""),
    seenBy: ONCE,
  },
];
