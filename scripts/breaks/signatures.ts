/** S11 to S13: the form of a signature, whose it is, and for which network. */
import { type Break, inFile } from "./break.ts";

const REFUSES = { test: "test/http/registration.test.ts", title: "refuses %s and stores nothing" };
const NO_SIGNATURE = { test: "test/wire/signature.test.ts", title: "%s is no signature" };
const ANY_SPELLING = { test: "test/wire/signature.test.ts", title: "%s is the same signature as any other spelling" };
const LAST_LOW_S = { test: "test/wire/signature.test.ts", title: "half the group order is the last low s" };
const ONE_AT_THE_EDGE = { test: "test/http/registration.test.ts", title: "has a low s, and is kept in one spelling" };
const MAIN_OWNER = {
  test: "test/http/registration.test.ts",
  title: "a subaccount gets a key by the main owner's signature",
};
const CONTRACT_WALLET = { test: "test/http/registration.test.ts", title: "of a contract wallet is refused" };
const OTHER_NETWORK = {
  test: "test/security/networks.test.ts",
  title: "what is signed for one network is worth nothing on another",
};
const REAL_EXCHANGE = {
  test: "test/vault/signers.test.ts",
  title: "is signed for the real exchange by a mainnet directory alone",
};
const PAPER_APPROVAL = { test: "test/wire/approval.test.ts", title: "a paper directory asks for a testnet signature" };

export const SIGNATURE_BREAKS: readonly Break[] = [
  {
    row: "S11",
    name: "a high s is taken",
    changes: inFile(
      "src/wire/signature.ts",
      "0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n",
      "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140n",
    ),
    seenBy: ONE_AT_THE_EDGE,
  },
  {
    row: "S11",
    name: "the first high s is taken",
    changes: inFile("src/wire/signature.ts", "5d576e7357a4501ddfe92f46681b20a0n", "5d576e7357a4501ddfe92f46681b20a1n"),
    seenBy: LAST_LOW_S,
  },
  {
    row: "S11",
    name: "v may be anything",
    changes: inFile("src/wire/signature.ts", "if ((v !== 27 && v !== 28) || s > HALF_ORDER)", "if (s > HALF_ORDER)"),
    seenBy: NO_SIGNATURE,
  },
  {
    row: "S11",
    name: "the parity of a compact signature is lost",
    changes: inFile("src/wire/signature.ts", "Number(packed >> 255n)", "0"),
    seenBy: ANY_SPELLING,
  },
  {
    row: "S11",
    name: "a signature is kept as it came",
    changes: inFile(
      "src/actions/register-key.ts",
      "signature: normalisedSignature(given.signature) ?? given.signature };",
      "signature: given.signature };\n  normalisedSignature(given.signature);",
    ),
    seenBy: ONE_AT_THE_EDGE,
  },
  {
    row: "S11",
    name: "a signature may have more than 65 bytes",
    changes: inFile("src/wire/signature.ts", "([0-9a-fA-F]{2})?$/;", "([0-9a-fA-F]{2})?/;"),
    seenBy: NO_SIGNATURE,
  },
  {
    row: "S12",
    name: "a subaccount signs for itself",
    changes: inFile(
      "src/actions/register-key.ts",
      "if (signerOf(digest, grant.signature) !== account.ownerAddress) {",
      "if (signerOf(digest, grant.signature) !== account.tradingAddress) {",
    ),
    seenBy: MAIN_OWNER,
  },
  {
    row: "S12",
    name: "a copy wallet gets a key",
    changes: inFile("src/actions/register-key.ts", 'if (account.kind === "copy") {', 'if (account.kind === "vault") {'),
    seenBy: REFUSES,
  },
  {
    row: "S12",
    name: "a contract wallet's signature is taken on trust",
    changes: [
      {
        file: "src/actions/register-key.ts",
        find: "if (signerOf(digest, grant.signature) !== account.ownerAddress) {",
        put: "if (grant.signature.length <= 132 && signerOf(digest, grant.signature) !== account.ownerAddress) {",
      },
      {
        file: "src/http/schema/common.ts",
        find: 'pattern: "^(0x)?[0-9a-fA-F]{128}([0-9a-fA-F]{2})?$",',
        put: 'pattern: "^(0x)?[0-9a-fA-F]{128,}$",',
      },
    ],
    seenBy: CONTRACT_WALLET,
  },
  {
    row: "S13",
    name: "the audience does not tell networks apart",
    changes: inFile(
      "src/cli/exposure.ts",
      'return network === "mainnet" ? base : `${network}+${base}`;',
      "return base;",
    ),
    seenBy: OTHER_NETWORK,
  },
  {
    row: "S13",
    name: "paper and testnet share an audience",
    changes: inFile(
      "src/cli/exposure.ts",
      'return network === "mainnet" ? base : `${network}+${base}`;',
      'return network === "mainnet" ? base : `testnet+${base}`;',
    ),
    seenBy: OTHER_NETWORK,
  },
  {
    row: "S13",
    name: "every directory signs for the real exchange",
    changes: inFile(
      "src/vault/signers.ts",
      'const source = input.network === "mainnet" ? "a" : "b";',
      'const source = input.network === "mainnet" ? "a" : "a";',
    ),
    seenBy: REAL_EXCHANGE,
  },
  {
    row: "S13",
    name: "a paper directory asks its owner for a mainnet approval",
    changes: inFile(
      "src/wire/approval.ts",
      'return network === "mainnet" ? "Mainnet" : "Testnet";',
      'return network === "testnet" ? "Testnet" : "Mainnet";',
    ),
    seenBy: PAPER_APPROVAL,
  },
];
