/** S11 to S13: the form of a signature, whose it is, and for which network. */
import { type Break, inFile } from "./break.ts";

const REFUSES = { test: "test/http/registration.test.ts", title: "refuses %s and stores nothing" };
const ONE_SPELLING = { test: "test/wire/grant.test.ts", title: "a signature has one spelling" };
const LAST_LOW_S = { test: "test/wire/grant.test.ts", title: "half the group order is the last low s" };
const ONE_AT_THE_EDGE = { test: "test/http/registration.test.ts", title: "has one spelling: low s, v 27 or 28" };
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
      "src/wire/grant.ts",
      "0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n",
      "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140n",
    ),
    seenBy: ONE_AT_THE_EDGE,
  },
  {
    row: "S11",
    name: "the first high s is taken",
    changes: inFile("src/wire/grant.ts", "5d576e7357a4501ddfe92f46681b20a0n", "5d576e7357a4501ddfe92f46681b20a1n"),
    seenBy: LAST_LOW_S,
  },
  {
    row: "S11",
    name: "v may be 0 or 1",
    changes: inFile(
      "src/wire/grant.ts",
      "const v = Number.parseInt(text.slice(130), 16);",
      "const given = Number.parseInt(text.slice(130), 16);\n  const v = given < 2 ? given + 27 : given;",
    ),
    seenBy: ONE_SPELLING,
  },
  {
    row: "S11",
    name: "a signature may have more than 65 bytes",
    changes: [
      {
        file: "src/wire/grant.ts",
        find: "const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;",
        put: "const SIGNATURE = /^0x[0-9a-fA-F]{130,}$/;",
      },
      {
        file: "src/wire/grant.ts",
        find: "const v = Number.parseInt(text.slice(130), 16);",
        put: "const v = Number.parseInt(text.slice(130, 132), 16);",
      },
    ],
    seenBy: ONE_SPELLING,
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
        find: 'pattern: "^0x[0-9a-fA-F]{130}$",',
        put: 'pattern: "^0x[0-9a-fA-F]{130,}$",',
      },
    ],
    seenBy: CONTRACT_WALLET,
  },
  {
    row: "S13",
    name: "the audience does not tell networks apart",
    changes: inFile("src/config.ts", 'return network === "mainnet" ? base : `${network}+${base}`;', "return base;"),
    seenBy: OTHER_NETWORK,
  },
  {
    row: "S13",
    name: "paper and testnet share an audience",
    changes: inFile(
      "src/config.ts",
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
