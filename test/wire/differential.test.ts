import { describe, expect, test } from "bun:test";
import { OrderRequest } from "@nktkas/hyperliquid/api/exchange";
import { canonicalize, createL1ActionHash, signL1Action } from "@nktkas/hyperliquid/signing";
import fc from "fast-check";
import { privateKeyToAccount } from "viem/accounts";
import { openSigners } from "../../src/vault/signers.ts";
import { type Action, actionJson, canonicalAction, parseActionJson } from "../../src/wire/action/index.ts";
import type { WireOrder } from "../../src/wire/action/order.ts";
import { actionHash } from "../../src/wire/digest.ts";
import { toHex } from "../../src/wire/hex.ts";

/** Another implementation (nktkas 0.33.3) hashes and signs the same actions; the two never share code. */

function digits(min: number, max: number): fc.Arbitrary<string> {
  return fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((list) => list.join(""));
}

const decimalText = fc
  .tuple(digits(1, 9), digits(0, 8))
  .map(([whole, fraction]) => {
    const cut = fraction.replace(/0+$/, "");
    return `${whole.replace(/^0+(?=.)/, "")}${cut === "" ? "" : `.${cut}`}`;
  })
  // The other implementation refuses zero prices; the exchange does as well.
  .filter((text) => text !== "0");
function hexText(length: number): fc.Arbitrary<`0x${string}`> {
  return fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: length, maxLength: length })
    .map((list) => `0x${list.map((digit) => digit.toString(16)).join("")}` as const);
}

const assetId = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 10000, max: 10999 }),
  fc.integer({ min: 110000, max: 120000 }),
);
const oid = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 32n }), fc.bigInt({ min: 2n ** 32n, max: 2n ** 64n - 1n }));
const tif = fc.constantFrom("Gtc", "Ioc", "Alo", "FrontendMarket");
const kind = fc.oneof(
  tif.map((value) => ({ limit: { tif: value } })),
  fc.record({
    trigger: fc.record({ isMarket: fc.boolean(), triggerPx: decimalText, tpsl: fc.constantFrom("tp", "sl") }),
  }),
);
const order: fc.Arbitrary<WireOrder> = fc
  .tuple(
    fc.record({ a: assetId, b: fc.boolean(), p: decimalText, s: decimalText, r: fc.boolean(), t: kind }),
    fc.option(hexText(32)),
  )
  .map(([fields, cloid]) => (cloid === null ? fields : { ...fields, c: cloid }));

const orderAction = fc
  .tuple(
    fc.array(order, { minLength: 1, maxLength: 18 }),
    fc.constantFrom("na", "normalTpsl", "positionTpsl"),
    fc.option(fc.record({ b: hexText(40), f: fc.integer({ min: 0, max: 1000 }) })),
  )
  .map(([orders, grouping, builder]): Action => {
    return { type: "order", orders, grouping, ...(builder === null ? {} : { builder }) };
  });
const modifyAction = fc.tuple(oid, order, fc.boolean()).map(([target, replacement, always]): Action => {
  return {
    type: "batchModify",
    modifies: [{ oid: target, order: replacement }],
    ...(always ? { a: true as const } : {}),
  };
});
const fast = fc.constantFrom({}, { f: true as const });
const cancelAction = fc
  .tuple(fc.array(fc.record({ a: assetId, o: oid }), { minLength: 1, maxLength: 40 }), fast)
  .map(([cancels, flag]): Action => ({ type: "cancel", cancels, ...flag }));
const otherAction = fc.oneof(
  fc
    .record({ asset: assetId, isCross: fc.boolean(), leverage: fc.integer({ min: 1, max: 100 }) })
    .map((fields): Action => ({ type: "updateLeverage", ...fields })),
  fc
    .record({ asset: assetId, isBuy: fc.boolean(), ntli: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }) })
    .map((fields): Action => ({ type: "updateIsolatedMargin", ...fields })),
  fc
    .record({
      a: assetId,
      b: fc.boolean(),
      s: decimalText,
      r: fc.boolean(),
      m: fc.integer({ min: 5, max: 10080 }),
      t: fc.boolean(),
    })
    .map((twap): Action => ({ type: "twapOrder", twap })),
  fc.record({ a: assetId, t: oid }).map((fields): Action => ({ type: "twapCancel", ...fields })),
  fc
    .tuple(fc.array(fc.record({ asset: assetId, cloid: hexText(32) }), { minLength: 1, maxLength: 3 }), fast)
    .map(([cancels, flag]): Action => ({ type: "cancelByCloid", cancels, ...flag })),
  fc.constant<Action>({ type: "noop" }),
);
const anyAction = fc.oneof(orderAction, modifyAction, cancelAction, otherAction);
const envelope = fc.record({
  nonce: fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 }),
  vaultAddress: fc.option(hexText(40)),
  expiresAfter: fc.option(fc.integer({ min: 1_600_000_000_000, max: 2_000_000_000_000 })),
});

type Envelope = { nonce: number; vaultAddress: `0x${string}` | null; expiresAfter: number | null };

function theirHash(action: Action, { nonce, vaultAddress, expiresAfter }: Envelope): string {
  const vault = vaultAddress === null ? {} : { vaultAddress };
  const expiry = expiresAfter === null ? {} : { expiresAfter };
  // They write every bigint as 8 bytes, so they get numbers where a number is exact.
  return createL1ActionHash({ action: withNumbers(action) as Record<string, unknown>, nonce, ...vault, ...expiry });
}

function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withNumbers(member)]));
}

describe("against another implementation", () => {
  test("every kind of action hashes to the same connectionId", () => {
    fc.assert(
      fc.property(anyAction, envelope, (action, around) => {
        expect(toHex(actionHash({ action: canonicalAction(action), ...around }))).toBe(theirHash(action, around));
      }),
      { numRuns: 2000 },
    );
  });

  test("orders come into the same signing order from any order of keys", () => {
    fc.assert(
      fc.property(orderAction, fc.integer(), (action, seed) => {
        const shuffled = shuffle(action, seed);
        // Both sides take the shuffled object; only its type is lost on the way.
        const theirs = canonicalize(OrderRequest.entries.action, shuffled as never);
        expect(actionJson(shuffled as Action)).toBe(JSON.stringify(theirs));
      }),
      { numRuns: 500 },
    );
  });

  test("the same key signs the same bytes on both networks", async () => {
    const privateKey = `0x${"0123456789".repeat(6)}0123` as const;
    const wallet = privateKeyToAccount(privateKey);
    await fc.assert(
      fc.asyncProperty(orderAction, fc.boolean(), async (action, isTestnet) => {
        const keys = [
          { address: wallet.address, privateKey: Uint8Array.from(Buffer.from(privateKey.slice(2), "hex")) },
        ];
        const signers = openSigners({ network: isTestnet ? "testnet" : "mainnet", keys });
        const input = { action, nonce: 1_760_000_000_000, expiresAfter: 1_760_000_012_000 };
        const body = JSON.parse(signers.sign({ ...input, agentAddress: wallet.address, vaultAddress: null }));
        expect(body.signature).toEqual(await signL1Action({ ...input, wallet, isTestnet }));
      }),
      { numRuns: 50 },
    );
  });
});

test("a stored action reads back as it was, ids above 2^53 and all", () => {
  fc.assert(
    fc.property(anyAction, (action) => {
      const text = actionJson(action);
      expect(parseActionJson(text)).toEqual(canonicalAction(action));
      expect(actionJson(parseActionJson(text) ?? { type: "noop" })).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

/** The value with the members of every object in an order that the seed decides. */
function shuffle(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((item, index) => shuffle(item, seed + index));
  if (typeof value !== "object" || value === null) return value;
  const rank = (key: string) => (Bun.hash(`${seed}${key}`) as bigint) % 1000n;
  const entries = Object.entries(value).sort(([a], [b]) => Number(rank(a) - rank(b)));
  return Object.fromEntries(entries.map(([key, member]) => [key, shuffle(member, seed)]));
}
