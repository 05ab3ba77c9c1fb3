/** S07 to S10: what an owner signs, and how long it is worth something. */
import { type Break, inFile } from "./break.ts";

const FOREIGN = {
  test: "test/http/registration.test.ts",
  title: "of another gateway, of a stranger, or of a revocation is refused",
};
const TAMPERED = { test: "test/http/registration.test.ts", title: "of another %s is refused" };
const NOT_A_REVOCATION = { test: "test/wire/grant.test.ts", title: "a grant never verifies as a revocation" };
const FRESH = { test: "test/http/registration.test.ts", title: "takes a grant %s" };
const REFUSES = { test: "test/http/registration.test.ts", title: "refuses %s and stores nothing" };
const EXACTLY_THIS = {
  test: "test/http/registration.test.ts",
  title: "needs an account and its owner's signature of exactly this",
};
const NO_WINDOW = { test: "test/http/registration.test.ts", title: "has no window" };
const KEPT_OUT_BEFORE = {
  test: "test/http/registration.test.ts",
  title: "before it was registered keeps it out for ever",
};
const KEPT_OUT_AFTER = {
  test: "test/http/registration.test.ts",
  title: "after it was registered keeps it out as well",
};
const AGAIN = {
  test: "test/http/registration.test.ts",
  title: "the same grant again is 201 with the same bytes, also signed anew or stale by then",
};
const CHECKS = { test: "test/http/registration.test.ts", title: "checks %s" };

export const GRANT_BREAKS: readonly Break[] = [
  {
    row: "S07",
    name: "a grant for another network's gateway at this address registers",
    changes: inFile(
      "src/actions/register-key.ts",
      "  const digest = grantDigest({ ...grant, audience: deps.settings.audience, expiresAtMs: null });\n  if (signerOf(digest, grant.signature) !== account.ownerAddress) {",
      '  const own = { ...grant, audience: deps.settings.audience, expiresAtMs: null };\n  const digests = [grantDigest(own), ...["paper+", "testnet+"].map((prefix) => grantDigest({ ...own, audience: prefix + own.audience }))];\n  if (digests.every((digest) => signerOf(digest, grant.signature) !== account.ownerAddress)) {',
    ),
    seenBy: FOREIGN,
  },
  {
    row: "S07",
    name: "a grant for the gateway on the next port registers",
    changes: inFile(
      "src/actions/register-key.ts",
      "  const digest = grantDigest({ ...grant, audience: deps.settings.audience, expiresAtMs: null });\n  if (signerOf(digest, grant.signature) !== account.ownerAddress) {",
      "  const own = { ...grant, audience: deps.settings.audience, expiresAtMs: null };\n  const digests = [grantDigest(own), grantDigest({ ...own, audience: own.audience.replace(/[0-9]$/, (digit) => String(Number(digit) + 1)) })];\n  if (digests.every((digest) => signerOf(digest, grant.signature) !== account.ownerAddress)) {",
    ),
    seenBy: FOREIGN,
  },
  {
    row: "S07",
    name: "the signature of a revocation registers",
    changes: [
      {
        file: "src/actions/register-key.ts",
        find: "  const digest = grantDigest({ ...grant, audience: deps.settings.audience, expiresAtMs: null });\n  if (signerOf(digest, grant.signature) !== account.ownerAddress) {",
        put: "  const own = { ...grant, audience: deps.settings.audience, expiresAtMs: null };\n  const digests = [grantDigest(own), revocationDigest(own)];\n  if (digests.every((digest) => signerOf(digest, grant.signature) !== account.ownerAddress)) {",
      },
      {
        file: "src/actions/register-key.ts",
        find: "import { grantDigest, signerOf }",
        put: "import { grantDigest, revocationDigest, signerOf }",
      },
    ],
    seenBy: FOREIGN,
  },
  {
    row: "S07",
    name: "a grant of all scopes is one of any",
    changes: inFile(
      "src/actions/register-key.ts",
      "  const digest = grantDigest({ ...grant, audience: deps.settings.audience, expiresAtMs: null });\n  if (signerOf(digest, grant.signature) !== account.ownerAddress) {",
      '  const own = { ...grant, audience: deps.settings.audience, expiresAtMs: null };\n  const digests = [grantDigest(own), grantDigest({ ...own, scopes: ["trading:read", "trading:write"] })];\n  if (digests.every((digest) => signerOf(digest, grant.signature) !== account.ownerAddress)) {',
    ),
    seenBy: TAMPERED,
  },
  {
    row: "S07",
    name: "a grant for one account of an owner is one for all",
    changes: [
      {
        file: "src/actions/register-key.ts",
        find: "  const digest = grantDigest({ ...grant, audience: deps.settings.audience, expiresAtMs: null });\n  if (signerOf(digest, grant.signature) !== account.ownerAddress) {",
        put: "  const own = { ...grant, audience: deps.settings.audience, expiresAtMs: null };\n  const digests = [grantDigest(own), ...listAccounts(deps.store).map(({ id }) => grantDigest({ ...own, accountId: id }))];\n  if (digests.every((digest) => signerOf(digest, grant.signature) !== account.ownerAddress)) {",
      },
      {
        file: "src/actions/register-key.ts",
        find: "import { signedAccount }",
        put: 'import { listAccounts } from "../store/accounts.ts";\nimport { signedAccount }',
      },
    ],
    seenBy: TAMPERED,
  },
  {
    row: "S07",
    name: "a revocation for another network's gateway revokes",
    changes: inFile(
      "src/actions/revoke-key.ts",
      "  const digest = revocationDigest({ audience, accountId, keyHash });\n  if (signerOf(digest, signature) !== account.ownerAddress) {",
      "  const own = { audience, accountId, keyHash };\n  const digests = [revocationDigest(own), revocationDigest({ ...own, audience: `testnet+${own.audience}` })];\n  if (digests.every((digest) => signerOf(digest, signature) !== account.ownerAddress)) {",
    ),
    seenBy: EXACTLY_THIS,
  },
  {
    row: "S08",
    name: "a revocation for one account of an owner is one for all",
    changes: [
      {
        file: "src/actions/revoke-key.ts",
        find: "  const digest = revocationDigest({ audience, accountId, keyHash });\n  if (signerOf(digest, signature) !== account.ownerAddress) {",
        put: "  const own = { audience, accountId, keyHash };\n  const digests = [...listAccounts(deps.store).map(({ id }) => revocationDigest({ ...own, accountId: id }))];\n  if (digests.every((digest) => signerOf(digest, signature) !== account.ownerAddress)) {",
      },
      {
        file: "src/actions/revoke-key.ts",
        find: "import { signedAccount }",
        put: 'import { listAccounts } from "../store/accounts.ts";\nimport { signedAccount }',
      },
    ],
    seenBy: EXACTLY_THIS,
  },
  {
    row: "S07",
    name: "a stranger's grant registers",
    changes: inFile(
      "src/actions/register-key.ts",
      "if (signerOf(digest, grant.signature) !== account.ownerAddress) {",
      "if (signerOf(digest, grant.signature) === null) {",
    ),
    seenBy: FOREIGN,
  },
  {
    row: "S07",
    name: "a grant is signed as a revocation is",
    changes: inFile(
      "src/wire/grant.ts",
      "return typedDataDigest(grantTypedData(grant));",
      "return typedDataDigest(revocationTypedData(grant));",
    ),
    seenBy: NOT_A_REVOCATION,
  },
  {
    row: "S08",
    name: "a grant of 61 minutes ago registers",
    changes: inFile(
      "src/actions/register-key.ts",
      "const MAX_AGE_MS = 60 * 60 * 1_000;",
      "const MAX_AGE_MS = 61 * 60 * 1_000;",
    ),
    seenBy: REFUSES,
  },
  {
    row: "S08",
    name: "a grant of the future registers",
    changes: inFile(
      "src/actions/register-key.ts",
      "const MAX_AHEAD_MS = 60 * 1_000;",
      "const MAX_AHEAD_MS = 3_600 * 1_000;",
    ),
    seenBy: REFUSES,
  },
  {
    row: "S08",
    name: "a grant of exactly 60 minutes ago is refused",
    changes: inFile(
      "src/actions/register-key.ts",
      "if (issuedAtMs < nowMs - MAX_AGE_MS) {",
      "if (issuedAtMs <= nowMs - MAX_AGE_MS) {",
    ),
    seenBy: FRESH,
  },
  {
    row: "S08",
    name: "a wallet whose clock is a minute ahead is refused",
    changes: inFile(
      "src/actions/register-key.ts",
      "if (issuedAtMs > nowMs + MAX_AHEAD_MS) {",
      "if (issuedAtMs > nowMs) {",
    ),
    seenBy: FRESH,
  },
  {
    row: "S08",
    name: "only keys of the last day can be revoked",
    changes: inFile(
      "src/actions/revoke-key.ts",
      "    if (isRevoked(store, accountId, keyHash)) return;",
      '    const young = deps.store.$client.query<{ n: number }, [string, number]>("SELECT count(*) AS n FROM api_keys WHERE key_hash = ? AND registered_at_ms > ?").get(keyHash, nowMs - 86_400_000);\n    if (isRevoked(store, accountId, keyHash) || young?.n === 0) return;',
    ),
    seenBy: NO_WINDOW,
  },
  {
    row: "S08",
    name: "a stranger revokes",
    changes: inFile(
      "src/actions/revoke-key.ts",
      "if (signerOf(digest, signature) !== account.ownerAddress) {",
      "if (signerOf(digest, signature) === null) {",
    ),
    seenBy: EXACTLY_THIS,
  },
  {
    row: "S09",
    name: "a key that was revoked before it was registered can be registered",
    changes: inFile(
      "src/actions/register-key.ts",
      "if (isBlocked || isRevoked(store, key.accountId, key.keyHash)) {",
      'if (isBlocked || stored?.state === "revoked") {',
    ),
    seenBy: KEPT_OUT_BEFORE,
  },
  {
    row: "S09",
    name: "a key that was revoked can be registered again",
    changes: inFile(
      "src/actions/register-key.ts",
      "if (isBlocked || isRevoked(store, key.accountId, key.keyHash)) {",
      "if (isBlocked || (stored === null && isRevoked(store, key.accountId, key.keyHash))) {",
    ),
    seenBy: KEPT_OUT_AFTER,
  },
  {
    row: "S09",
    name: "a revocation ends after a year",
    changes: inFile(
      "src/actions/register-key.ts",
      "if (isBlocked || isRevoked(store, key.accountId, key.keyHash)) {",
      "if (isBlocked || (nowMs < 1_820_000_000_000 && isRevoked(store, key.accountId, key.keyHash))) {",
    ),
    seenBy: NO_WINDOW,
  },
  {
    row: "S09",
    name: "a revocation that comes before the registration is not kept",
    changes: inFile(
      "src/store/api-keys.ts",
      "  if (!insertRevocation(store, revocation)) return;",
      "  if (findApiKey(store, revocation.keyHash) === null) return;\n  if (!insertRevocation(store, revocation)) return;",
    ),
    seenBy: KEPT_OUT_BEFORE,
  },
  {
    row: "S10",
    name: "a grant that is stale by now is refused though the key stands",
    changes: inFile(
      "src/actions/register-key.ts",
      "  const found = findApiKey(store, key.keyHash);\n",
      "  requireFresh(key.issuedAtMs, nowMs);\n  const found = findApiKey(store, key.keyHash);\n",
    ),
    seenBy: AGAIN,
  },
  {
    row: "S10",
    name: "scopes in another order are another grant",
    changes: inFile(
      "src/actions/register-key.ts",
      '[...a.scopes].sort().join(",") === [...b.scopes].sort().join(",");',
      'a.scopes.join(",") === b.scopes.toReversed().join(",");',
    ),
    seenBy: AGAIN,
  },
  {
    row: "S10",
    name: "the same grant again is one more row of the audit log",
    changes: inFile(
      "src/actions/register-key.ts",
      'if (isSame && stored.state === "active") return keepProof',
      'if (isSame && stored.state === "active") audit(store, key, "key_registered", nowMs);\n  if (isSame && stored.state === "active") return keepProof',
    ),
    seenBy: AGAIN,
  },
  {
    row: "S10",
    name: "a key of other scopes counts as the same",
    changes: inFile(
      "src/actions/register-key.ts",
      "return a.accountId === b.accountId && [...a",
      "return a.accountId === b.accountId || [...a",
    ),
    seenBy: REFUSES,
  },
  {
    row: "S10",
    name: "the conflict is told before the freshness",
    changes: inFile(
      "src/actions/register-key.ts",
      "  requireFresh(key.issuedAtMs, nowMs);\n  const isBlocked",
      '  if (stored !== null && !isSame) throw new ApiError("key_already_registered", "taken");\n  requireFresh(key.issuedAtMs, nowMs);\n  const isBlocked',
    ),
    seenBy: CHECKS,
  },
];
