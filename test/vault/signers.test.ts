import { describe, expect, test } from "bun:test";
import { addressOfKey, openSigners } from "../../src/vault/signers.ts";
import type { Action } from "../../src/wire/action/index.ts";
import { actionHash, agentDigest } from "../../src/wire/digest.ts";
import { recoverAddress } from "../../src/wire/recover.ts";

function keyOf(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte);
}

const ADDRESS = addressOfKey(keyOf(1));
const OTHER = addressOfKey(keyOf(2));
const INPUT = {
  agentAddress: ADDRESS,
  action: { type: "cancel", cancels: [{ a: 0, o: 9007199254740993n }] } satisfies Action,
  nonce: 1_760_000_000_000,
  vaultAddress: null,
  expiresAfter: 1_760_000_012_000,
};
const NETWORKS = ["mainnet", "testnet", "paper"] as const;

function open(network: (typeof NETWORKS)[number]) {
  return openSigners({
    network,
    keys: [
      { address: ADDRESS, privateKey: keyOf(1) },
      { address: OTHER, privateKey: keyOf(2) },
    ],
  });
}

describe("a signed body", () => {
  test("is signed for the real exchange by a mainnet directory alone", () => {
    for (const network of NETWORKS) {
      const { signature } = JSON.parse(open(network).sign(INPUT));
      const connectionId = actionHash(INPUT);
      const isReal = recoverAddress(agentDigest(connectionId, "a"), signature) === ADDRESS;
      const isTest = recoverAddress(agentDigest(connectionId, "b"), signature) === ADDRESS;
      expect([network, isReal, isTest]).toEqual([network, network === "mainnet", network !== "mainnet"]);
    }
  });

  test("is the same bytes every time, with native ids as integers", () => {
    const body = open("paper").sign(INPUT);
    expect(open("paper").sign(INPUT)).toBe(body);
    expect(body).toStartWith(
      '{"action":{"type":"cancel","cancels":[{"a":0,"o":9007199254740993}]},"nonce":1760000000000,',
    );
    expect(body).toEndWith(',"vaultAddress":null,"expiresAfter":1760000012000}');
  });

  test("is another one for another nonce, expiry, vault, agent and action", () => {
    const signers = open("paper");
    const signatureOf = (change: object) => JSON.stringify(JSON.parse(signers.sign({ ...INPUT, ...change })).signature);
    const changes = [
      {},
      { nonce: INPUT.nonce + 1 },
      { expiresAfter: INPUT.expiresAfter + 1 },
      { vaultAddress: OTHER },
      { agentAddress: OTHER },
      { action: { type: "noop" } },
    ];
    expect(new Set(changes.map(signatureOf)).size).toBe(changes.length);
  });

  test("has its vault in lower case, inside and outside of what is signed", () => {
    const signers = open("paper");
    const upper = `0x${OTHER.slice(2).toUpperCase()}`;
    expect(signers.sign({ ...INPUT, vaultAddress: upper })).toBe(signers.sign({ ...INPUT, vaultAddress: OTHER }));
  });
});

/** Names of the exchange's other actions, as its documents and its SDKs have them: transfers, approvals, staking, and more. */
const FOREIGN_ACTIONS = [
  "spotSend",
  "sendAsset",
  "sendToEvmWithData",
  "usdClassTransfer",
  "spotUser",
  "subAccountTransfer",
  "subAccountSpotTransfer",
  "createSubAccount",
  "subAccountModify",
  "createVault",
  "vaultModify",
  "vaultDistribute",
  "approveBuilderFee",
  "setReferrer",
  "registerReferrer",
  "claimRewards",
  "setDisplayName",
  "convertToMultiSigUser",
  "multiSig",
  "tokenDelegate",
  "cDeposit",
  "cWithdraw",
  "linkStakingUser",
  "spotDeploy",
  "perpDeploy",
  "evmUserModify",
  "scheduleCancel",
  "reserveRequestWeight",
  "agentEnableDexAbstraction",
  "userDexAbstraction",
  "userSetAbstraction",
  "agentSetAbstraction",
  "userPortfolioMargin",
  "borrowLend",
  "CSignerAction",
  "CValidatorAction",
  "validatorL1Stream",
  "finalizeEvmContract",
  "netChildVaultPositions",
  "topUpIsolatedOnlyMargin",
  "gossipPriorityBid",
  "priorityBid",
  "VoteEthDepositAction",
  "ValidatorSignWithdrawalAction",
  "startFeeTrial",
  "quarantineUser",
  "setGlobalAction",
  "batchOrder",
  "bulkOrders",
  "orders",
  "Order",
  "ORDER",
  "order ",
  "noop2",
  "__proto__",
  "constructor",
  "toString",
  "modifyOrder",
  "cancelAll",
  "liquidate",
  "systemUsdSend",
  "systemSpotSend",
  "systemSendAsset",
];

describe("nothing is signed", () => {
  // The type forbids these; the point is what happens when something gets around it.
  const off = [
    { type: "usdSend", destination: OTHER, amount: "1", time: 1 },
    { type: "withdraw3", destination: OTHER, amount: "1", time: 1 },
    { type: "agentSendAsset", destination: OTHER, amount: "1" },
    { type: "approveAgent", agentAddress: OTHER, agentName: "x", nonce: 1 },
    { type: "vaultTransfer", vaultAddress: OTHER, isDeposit: true, usd: 1 },
    { type: "cancel", cancels: [{ a: 0, o: 1n }], f: false },
    { type: "noop", extra: 1 },
    ...FOREIGN_ACTIONS.map((type) => ({ type })),
  ] as unknown as Action[];
  for (const action of off) {
    test(`that is off the list: ${JSON.stringify(action, (_key, value) => (typeof value === "bigint" ? 1 : value))}`, () => {
      expect(() => open("paper").sign({ ...INPUT, action })).toThrow("bug:");
    });
  }

  test("for an agent whose key is not open", () => {
    expect(() => open("paper").sign({ ...INPUT, agentAddress: addressOfKey(keyOf(3)) })).toThrow("bug:");
  });

  test("with a nonce or an expiry that is no unsigned integer", () => {
    for (const wrong of [-1, 0.5, Number.NaN, 2 ** 60]) {
      expect(() => open("paper").sign({ ...INPUT, nonce: wrong })).toThrow("bug:");
      expect(() => open("paper").sign({ ...INPUT, expiresAfter: wrong })).toThrow("bug:");
    }
  });

  test("with a key that belongs to another address", () => {
    const keys = [{ address: OTHER, privateKey: keyOf(1) }];
    expect(() => openSigners({ network: "paper", keys })).toThrow("bug:");
  });
});

test("addresses are told apart without regard to letter case", () => {
  const signers = open("paper");
  expect(signers.has(`0x${ADDRESS.slice(2).toUpperCase()}`)).toBe(true);
  expect(signers.has(addressOfKey(keyOf(3)))).toBe(false);
  expect(signers.addresses()).toEqual([ADDRESS, OTHER]);
});

test("locking wipes the very bytes that were handed over, and signing stops", () => {
  const privateKey = keyOf(1);
  const signers = openSigners({ network: "paper", keys: [{ address: ADDRESS, privateKey }] });
  signers.sign(INPUT);
  expect(privateKey).toEqual(keyOf(1));
  signers.lock();
  expect(privateKey).toEqual(new Uint8Array(32));
  expect(signers.has(ADDRESS)).toBe(false);
  expect(() => signers.sign(INPUT)).toThrow("bug:");
});

test("an error never holds key bytes", () => {
  const secret = Buffer.from(keyOf(1)).toString("hex");
  const attempts = [
    () => openSigners({ network: "paper", keys: [{ address: OTHER, privateKey: keyOf(1) }] }),
    () => open("paper").sign({ ...INPUT, agentAddress: "0x" }),
    () => addressOfKey(keyOf(1).subarray(1)),
  ];
  for (const attempt of attempts) {
    const said = messageOf(attempt);
    expect(said).not.toBe("");
    expect(said).not.toContain(secret.slice(0, 16));
  }
});

function messageOf(attempt: () => unknown): string {
  try {
    attempt();
    return "";
  } catch (error) {
    return String(error);
  }
}
