/** Everything that the SDK can sign and we can read, recovered from the text that it would send. */
import { describe, expect, test } from "bun:test";
import { ExchangeClient } from "@nktkas/hyperliquid";
import { signL1Action } from "@nktkas/hyperliquid/signing";
import { privateKeyToAccount } from "viem/accounts";
import { actionTypes } from "../../../src/paper/exchange/actions.ts";
import { MISMATCH } from "../../../src/paper/exchange/decode.ts";
import { type Envelope, readEnvelope } from "../../../src/paper/exchange/envelope.ts";
import { parseJsonText } from "../../../src/paper/exchange/json-text.ts";
import { type PaperNetwork, recoverSigner } from "../../../src/paper/exchange/signer.ts";

const wallet = privateKeyToAccount(`0x${"42".repeat(32)}`);
const WALLET = wallet.address.toLowerCase();
const OTHER = "0xAbCdEf0123456789aBcDeF0123456789aBcDeF01";
const CLOID = "0xABCDEF00000000000000000000000001";
const BIG_OID = 9_007_199_254_740_001;

function envelopeOf(text: string): Envelope {
  const json = parseJsonText(text);
  const envelope = json === undefined ? MISMATCH : readEnvelope(json);
  if (envelope === MISMATCH) throw new Error(`not read: ${text}`);
  return envelope;
}

/** A client whose requests go nowhere but into `sent`. */
function captive(isTestnet: boolean): { client: ExchangeClient; sent: string[] } {
  const sent: string[] = [];
  const transport = {
    isTestnet,
    request: <T>(_endpoint: string, payload: unknown): Promise<T> => {
      sent.push(JSON.stringify(payload));
      const reply = { status: "ok", response: { type: "default" } };
      // The client looks at nothing but the status; what it hands on is not used here.
      return Promise.resolve(reply as T);
    },
  };
  return { client: new ExchangeClient({ transport, wallet, signatureChainId: "0xa4b1" }), sent };
}

const ORDER = { a: 110_001, b: true, p: "400.50", s: "1.0", r: false, t: { limit: { tif: "Gtc" } }, c: CLOID } as const;
const STOP = {
  a: 0,
  b: false,
  p: "90000",
  s: "0.1",
  r: true,
  t: { trigger: { isMarket: true, triggerPx: "91000.0", tpsl: "sl" } },
} as const;

// biome-ignore format: one action a row
const CALLS: Readonly<Record<string, (client: ExchangeClient) => Promise<unknown>>> = {
  order: (client) => client.order({ orders: [ORDER, STOP], grouping: "normalTpsl", builder: { b: OTHER, f: 10 } }),
  cancel: (client) => client.cancel({ cancels: [{ a: 0, o: BIG_OID }], f: true }),
  cancelByCloid: (client) => client.cancelByCloid({ cancels: [{ asset: 0, cloid: CLOID }] }),
  modify: (client) => client.modify({ oid: CLOID, order: STOP, a: true }),
  batchModify: (client) => client.batchModify({ modifies: [{ oid: BIG_OID, order: ORDER }] }),
  updateLeverage: (client) => client.updateLeverage({ asset: 0, isCross: false, leverage: 7 }),
  updateIsolatedMargin: (client) => client.updateIsolatedMargin({ asset: 0, isBuy: true, ntli: -5_000_000_000 }),
  topUpIsolatedOnlyMargin: (client) => client.topUpIsolatedOnlyMargin({ asset: 110_001, leverage: "0.50" }),
  twapOrder: (client) => client.twapOrder({ twap: { a: 0, b: true, s: "1", r: false, m: 30, t: true }, details: { t: { p: "90000", a: false }, s: null } }),
  twapCancel: (client) => client.twapCancel({ a: 0, t: 77_738_308 }),
  noop: (client) => client.noop({ nonce: 1_795_000_000_000 }),
  scheduleCancel: (client) => client.scheduleCancel({ time: 1_795_000_010_000 }),
  reserveRequestWeight: (client) => client.reserveRequestWeight({ weight: 100 }),
  setReferrer: (client) => client.setReferrer({ code: "FRIEND" }),
  agentSetAbstraction: (client) => client.agentSetAbstraction({ abstraction: "u" }),
  createSubAccount: (client) => client.createSubAccount({ name: "second" }),
  subAccountTransfer: (client) => client.subAccountTransfer({ subAccountUser: OTHER, isDeposit: true, usd: 5_000_000_000 }),
  subAccountSpotTransfer: (client) => client.subAccountSpotTransfer({ subAccountUser: OTHER, isDeposit: true, token: "USDC:0x6d1e7cde53ba9467b783cb7c530ce054", amount: "1.5" }),
  approveAgent: (client) => client.approveAgent({ agentAddress: OTHER, agentName: "bot valid_until 1800000000000" }),
  approveBuilderFee: (client) => client.approveBuilderFee({ builder: OTHER, maxFeeRate: "0.05%" }),
  userSetAbstraction: (client) => client.userSetAbstraction({ user: OTHER, abstraction: "unifiedAccount" }),
  usdSend: (client) => client.usdSend({ destination: OTHER, amount: "1.5" }),
  withdraw3: (client) => client.withdraw3({ destination: OTHER, amount: "1.5" }),
  spotSend: (client) => client.spotSend({ destination: OTHER, token: "USDC:0x6d1e7cde53ba9467b783cb7c530ce054", amount: "1" }),
  usdClassTransfer: (client) => client.usdClassTransfer({ amount: `12.5 subaccount:${OTHER}`, toPerp: true }),
  sendAsset: (client) => client.sendAsset({ destination: OTHER, sourceDex: "", destinationDex: "xyz", token: "USDC:0x6d1e7cde53ba9467b783cb7c530ce054", amount: "1" }),
  vaultTransfer: (client) => client.vaultTransfer({ vaultAddress: OTHER, isDeposit: true, usd: 10 }),
  createVault: (client) =>
    client.createVault({ name: "a vault", description: "what it is for", initialUsd: 100_000_000 }),
  vaultModify: (client) => client.vaultModify({ vaultAddress: OTHER, allowDeposits: true }),
  vaultDistribute: (client) => client.vaultDistribute({ vaultAddress: OTHER, usd: 1 }),
  setDisplayName: (client) => client.setDisplayName({ displayName: "Ada" }),
  registerReferrer: (client) => client.registerReferrer({ code: "ADA" }),
  evmUserModify: (client) => client.evmUserModify({ usingBigBlocks: true }),
  claimRewards: (client) => client.claimRewards(),
  agentEnableDexAbstraction: (client) => client.agentEnableDexAbstraction(),
  subAccountModify: (client) => client.subAccountModify({ subAccountUser: OTHER, name: "third" }),
  agentSendAsset: (client) => client.agentSendAsset({ destination: OTHER, sourceDex: "", destinationDex: "spot", token: "USDC:0x6d1e7cde53ba9467b783cb7c530ce054", amount: "1" }),
  userDexAbstraction: (client) => client.userDexAbstraction({ user: OTHER, enabled: true }),
  cDeposit: (client) => client.cDeposit({ wei: 10 }),
};

describe("the signer", () => {
  test("is looked for in every action that is read", () => {
    expect(Object.keys(CALLS).sort()).toEqual([...actionTypes()].sort());
  });

  test.each(Object.keys(CALLS))("of %s is the wallet that signed it, on either network", async (type) => {
    for (const isTestnet of [false, true]) {
      const { client, sent } = captive(isTestnet);
      await CALLS[type]?.(client);
      const envelope = envelopeOf(sent[0] ?? "");
      expect(envelope.type).toBe(type);
      const own: PaperNetwork = isTestnet ? "testnet" : "mainnet";
      expect(recoverSigner(envelope, own, () => true)).toBe(WALLET);
      expect(recoverSigner(envelope, "any", (address) => address === WALLET)).toBe(WALLET);
      expect(recoverSigner(envelope, isTestnet ? "mainnet" : "testnet", () => true)).not.toBe(WALLET);
    }
  });

  test("is found for an unnamed agent however its absent name is written", async () => {
    const { client, sent } = captive(false);
    await client.approveAgent({ agentAddress: OTHER });
    const body = JSON.parse(sent[0] ?? "");
    for (const name of ["", null, undefined]) {
      const text = JSON.stringify({ ...body, action: { ...body.action, agentName: name } });
      expect(recoverSigner(envelopeOf(text), "mainnet", () => true)).toBe(WALLET);
    }
  });

  test("is found through everything that the exchange normalises", async () => {
    const action = {
      type: "order",
      orders: [{ a: 0, b: true, p: "100", s: "1.5", r: false, t: { limit: { tif: "Gtc" } } }],
      grouping: "na",
    };
    const vaultAddress = "0xabcdef0123456789abcdef0123456789abcdef01";
    const signature = await signL1Action({ wallet, action, nonce: 5, vaultAddress, expiresAfter: 9 });
    const sloppy = {
      expiresAfter: 9,
      vaultAddress: vaultAddress.slice(2).toUpperCase(),
      signature: { v: signature.v, s: unpadded(signature.s), r: unpadded(signature.r) },
      nonce: 5,
      action: { grouping: "na", orders: [{ ...action.orders[0], p: "0100.000000000", s: "1.50" }], type: "order" },
    };
    expect(recoverSigner(envelopeOf(JSON.stringify(sloppy)), "mainnet", () => true)).toBe(WALLET);
  });

  test("is somebody else when anything that is signed has changed", async () => {
    const { client, sent } = captive(false);
    await client.order({ orders: [ORDER], grouping: "na" });
    const body = JSON.parse(sent[0] ?? "");
    const changes = [
      { ...body, nonce: body.nonce + 1 },
      { ...body, expiresAfter: 1 },
      { ...body, vaultAddress: OTHER },
      { ...body, action: { ...body.action, grouping: "positionTpsl" } },
    ];
    for (const changed of changes) {
      expect(recoverSigner(envelopeOf(JSON.stringify(changed)), "mainnet", () => true)).not.toBe(WALLET);
    }
  });

  test("is nobody for a signature of zeros", () => {
    const text = JSON.stringify({ action: { type: "noop" }, nonce: 1, signature: { r: "0x0", s: "0x0", v: 27 } });
    expect(recoverSigner(envelopeOf(text), "any", () => true)).toBeNull();
  });
});

function unpadded(word: string): string {
  return `0x${word.slice(2).replace(/^0+/, "")}`;
}
