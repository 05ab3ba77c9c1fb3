/** S21 to S23: what is signed, and where signatures and keys may lie. */
import { type Break, inFile } from "./break.ts";

const OWN_KEY = {
  test: "test/ops/import-agent.test.ts",
  title: "when it is an account's own, whatever the exchange says of it",
};
const NO_AGENT = {
  test: "test/ops/import-agent.test.ts",
  title: "when the exchange knows it as anything but an agent of this owner, or cannot be asked",
};
/** What was not checked has no text either, which refuses it as well. */
const WITHOUT_A_TEXT = inFile(
  "src/wire/action/index.ts",
  'if (text === undefined) throw new Error("bug: an action that was checked and has no text");\n  return text;',
  "return text ?? writeJson(action);",
);
const OFF_THE_LIST = { test: "test/vault/signers.test.ts", title: "that is off the list" };
const CANARIES = {
  test: "test/security/canaries.test.ts",
  title: "come back from no answer, reach no log line, no metric and no row",
};
const NOT_IN_THE_LOG = { test: "test/log.test.ts", title: "does not reach the log" };
const FOR_ITS_OWNER = {
  test: "test/ops/backup.test.ts",
  title: "a backup is for its owner alone, whole, never over another file, and leaves nothing else behind",
};
const SEALED_ONLY = { test: "test/ops/backup.test.ts", title: "agent keys in a backup are not in the clear" };
const DAMAGED = {
  test: "test/ops/backup.test.ts",
  title: "a snapshot whose rows break the schema's own rules is no backup",
};

export const SECRET_BREAKS: readonly Break[] = [
  {
    row: "S21",
    name: "an owner's key is taken where the exchange does not know it",
    changes: inFile(
      "src/ops/import-agent.ts",
      "if (accounts.includes(address)) {",
      'if (accounts.includes(address) && address === "") {',
    ),
    seenBy: OWN_KEY,
  },
  {
    row: "S21",
    name: "a trading address's key is taken",
    changes: inFile("src/ops/import-agent.ts", "[ownerAddress, tradingAddress]);", "[ownerAddress]);"),
    seenBy: OWN_KEY,
  },
  {
    row: "S21",
    name: "a vault's key is taken",
    changes: inFile(
      "src/ops/import-agent.ts",
      'if (role.role !== "agent") {',
      'if (role.role === "vault") return null;\n  if (role.role !== "agent") {',
    ),
    seenBy: NO_AGENT,
  },
  {
    row: "S21",
    name: "another owner's agent is taken",
    changes: inFile("src/ops/import-agent.ts", "if (role.user !== ownerAddress)", 'if (role.user === "")'),
    seenBy: NO_AGENT,
  },
  {
    row: "S21",
    name: "an exchange that cannot be asked is taken for a yes",
    changes: inFile(
      "src/ops/import-agent.ts",
      'if (role === null) throw new OperatorError("the exchange cannot be asked what this key is; nothing was taken");',
      "if (role === null) return null;",
    ),
    seenBy: NO_AGENT,
  },
  {
    row: "S21",
    name: "an action off the list is signed as it is",
    changes: [
      ...inFile(
        "src/wire/action/index.ts",
        'if (canonical === null) throw new Error("bug: not an action that we sign");',
        "if (canonical === null) return action;",
      ),
      ...WITHOUT_A_TEXT,
    ],
    seenBy: OFF_THE_LIST,
  },
  {
    row: "S21",
    name: "a listed action may carry members of its own",
    changes: inFile("src/wire/action/fields.ts", "{ additionalProperties: false }", "{ additionalProperties: true }"),
    seenBy: OFF_THE_LIST,
  },
  {
    row: "S21",
    name: "an action is listed by what objects inherit",
    changes: inFile("src/wire/action/index.ts", "return Object.hasOwn(SCHEMAS, type);", "return type in SCHEMAS;"),
    seenBy: OFF_THE_LIST,
  },
  {
    row: "S21",
    name: "transfers are on the list",
    changes: [
      ...inFile(
        "src/wire/action/index.ts",
        'if (canonical === null) throw new Error("bug: not an action that we sign");',
        'if (canonical === null && String(action.type) === "usdSend") return action;\n  if (canonical === null) throw new Error("bug: not an action that we sign");',
      ),
      ...WITHOUT_A_TEXT,
    ],
    seenBy: OFF_THE_LIST,
  },
  {
    row: "S22",
    name: "any field reaches the log",
    changes: inFile("src/log.ts", "if (FIELDS.has(name)) kept", 'if (name !== "") kept'),
    seenBy: NOT_IN_THE_LOG,
  },
  {
    row: "S22",
    name: "a key inside a text reaches the log",
    changes: inFile("src/log.ts", "api_trade_[0-9a-fA-F]{8,}|", ""),
    seenBy: NOT_IN_THE_LOG,
  },
  {
    row: "S22",
    name: "a private key inside a text reaches the log",
    changes: inFile("src/log.ts", "[0-9a-fA-F]{64,}/g", "[0-9a-fA-F]{66,}/g"),
    seenBy: NOT_IN_THE_LOG,
  },
  {
    row: "S22",
    name: "a text is cut before it is cleaned",
    changes: inFile(
      "src/log.ts",
      'text.slice(0, MAX_READ_CHARACTERS).replace(SECRETS, "[removed]").slice(0, MAX_FIELD_CHARACTERS)',
      'text.slice(0, MAX_FIELD_CHARACTERS).replace(SECRETS, "[removed]")',
    ),
    seenBy: NOT_IN_THE_LOG,
  },
  {
    row: "S22",
    name: "the signed body is kept with what became of it",
    changes: inFile(
      "src/settle/send/send.ts",
      "  return post(world, attempt, { ...signed, action, purpose, count: attempts.length }, mayLeave);\n}\n\n/** Posts a `noop`",
      '  world.store.$client.run("UPDATE accounts SET label = ? WHERE id = ?", [signed.body, attempt.accountId]);\n  return post(world, attempt, { ...signed, action, purpose, count: attempts.length }, mayLeave);\n}\n\n/** Posts a `noop`',
    ),
    seenBy: CANARIES,
  },
  {
    row: "S22",
    name: "the signature is in the order's story",
    changes: [
      {
        file: "src/settle/send/send.ts",
        find: "  return post(world, attempt, { ...signed, action, purpose, count: attempts.length }, mayLeave);\n}\n\n/** Posts a `noop`",
        put: '  note(world, attempt, "signed", JSON.stringify(JSON.parse(signed.body).signature));\n  return post(world, attempt, { ...signed, action, purpose, count: attempts.length }, mayLeave);\n}\n\n/** Posts a `noop`',
      },
      {
        file: "src/settle/send/send.ts",
        find: 'import { actionOf, latestNowMs } from "./intent.ts";',
        put: 'import { actionOf, latestNowMs } from "./intent.ts";\nimport { note } from "../record/note.ts";',
      },
    ],
    seenBy: CANARIES,
  },
  {
    row: "S22",
    name: "a grant's signature is in the audit log",
    changes: inFile(
      "src/actions/register-key.ts",
      "const key = { accountId, keyHash, scopes: [...grant.scopes].sort(), issuedAtMs, registeredAtMs: nowMs };",
      'const key = { accountId, keyHash, scopes: [...grant.scopes].sort(), issuedAtMs, registeredAtMs: nowMs };\n  appendAudit(deps.store, { atMs: nowMs, actor: "owner", event: "grant", reference: keyHash, detail: { signature: grant.signature } });',
    ),
    seenBy: CANARIES,
  },
  {
    row: "S23",
    name: "a backup is made with what the umask leaves",
    changes: inFile("src/ops/back-up.ts", 'openSync(path, "wx", 0o600)', 'openSync(path, "wx", 0o644)'),
    seenBy: FOR_ITS_OWNER,
  },
  {
    row: "S23",
    name: "a backup replaces the file that is there",
    changes: [
      { file: "src/ops/back-up.ts", find: "if (existsSync(file)) throw", put: "if (existsSync(`${file}/`)) throw" },
      {
        file: "src/ops/back-up.ts",
        find: "    linkSync(draft, file);",
        put: "    rmSync(file, { force: true });\n    linkSync(draft, file);",
      },
    ],
    seenBy: FOR_ITS_OWNER,
  },
  {
    row: "S23",
    name: "a half backup stays beside it",
    changes: inFile(
      "src/ops/back-up.ts",
      '    for (const suffix of ["", "-journal"]) rmSync(draft + suffix, { force: true });\n',
      "    statSync(draft);\n",
    ),
    seenBy: FOR_ITS_OWNER,
  },
  {
    row: "S23",
    name: "a backup is not looked at before it gets its name",
    changes: inFile(
      "src/ops/back-up.ts",
      "snapshotInto(database, draft) ?? faultIn(draft)",
      "snapshotInto(database, draft)",
    ),
    seenBy: DAMAGED,
  },
  {
    row: "S23",
    name: "the key stands beside its sealed form",
    changes: inFile(
      "src/ops/keyring.ts",
      "JSON.stringify(sealed))",
      'JSON.stringify({ ...sealed, hint: Buffer.from(privateKey).toString("hex") }))',
    ),
    seenBy: SEALED_ONLY,
  },
  {
    row: "S23",
    name: "the key stands beside its sealed form, in another coding",
    changes: inFile(
      "src/ops/keyring.ts",
      "JSON.stringify(sealed))",
      'JSON.stringify({ ...sealed, hint: Buffer.from(privateKey).toString("base64") }))',
    ),
    seenBy: SEALED_ONLY,
  },
];
