/** What the exchange takes although it is sloppy, and what it answers with 422 before anything happens. */
import { describe, expect, test } from "bun:test";
import { MISMATCH } from "../../../src/paper/exchange/decode.ts";
import { readEnvelope } from "../../../src/paper/exchange/envelope.ts";
import { parseJsonText } from "../../../src/paper/exchange/json-text.ts";

const SIGNATURE = { r: "0x1", s: "0x2", v: 27 };
const ORDER = { a: 0, b: true, p: "100", s: "1", r: false, t: { limit: { tif: "Gtc" } } };
const ACTION = { type: "order", orders: [ORDER], grouping: "na" };
const ENVELOPE = { action: ACTION, nonce: 1, signature: SIGNATURE };

function read(text: string): ReturnType<typeof readEnvelope> {
  const json = parseJsonText(text);
  if (json === undefined) throw new Error("no JSON");
  return readEnvelope(json);
}

function withOrder(order: object): object {
  return { ...ENVELOPE, action: { ...ACTION, orders: [{ ...ORDER, ...order }] } };
}

function canonicalOf(text: string): unknown {
  const envelope = read(text);
  if (envelope === MISMATCH || envelope.signed.kind !== "l1") throw new Error("not read");
  return envelope.signed.reading.canonical;
}

describe("an envelope", () => {
  // biome-ignore format: one tolerance a row
  const TAKEN: readonly [string, object][] = [
    ["explicit nulls", { ...ENVELOPE, vaultAddress: null, expiresAfter: null }],
    ["a vault address without 0x and in capitals", { ...ENVELOPE, vaultAddress: "AB".repeat(20) }],
    ["unknown keys inside an order", withOrder({ note: "mine" })],
    ["unknown keys inside a signature", { ...ENVELOPE, signature: { ...SIGNATURE, w: 1 } }],
    ["a null cloid", withOrder({ c: null })],
    ["a cloid without 0x", withOrder({ c: "AB".repeat(16) })],
    ["nine decimals of which the last is zero", withOrder({ p: "100.000000000" })],
    ["leading zeros", withOrder({ p: "00100.5" })],
    ["the fast flag", { ...ENVELOPE, action: { type: "cancel", cancels: [{ a: 0, o: 1 }], f: true } }],
    ["an oid beyond 2^53", { ...ENVELOPE, action: { type: "cancel", cancels: [{ a: 0, o: 1 }] } }],
    ["a null builder", { ...ENVELOPE, action: { ...ACTION, builder: null } }],
    ["a priority fee", { ...ENVELOPE, action: { ...ACTION, grouping: { p: 5 } } }],
    ["the mark of the exchange's own page", { ...ENVELOPE, isFrontend: true }],
    ["no cancels at all", { ...ENVELOPE, action: { type: "cancel", cancels: [] } }],
  ];
  test.each(TAKEN)("is taken with %s", (_what, envelope) => {
    expect(read(JSON.stringify(envelope))).not.toBe(MISMATCH);
  });

  // biome-ignore format: one schema error a row
  const REFUSED: readonly [string, object][] = [
    ["an unknown key beside the action", { ...ENVELOPE, isBackend: true }],
    ["a mark of the exchange's own page that is no boolean", { ...ENVELOPE, isFrontend: 1 }],
    ["an unknown key inside the action", { ...ENVELOPE, action: { ...ACTION, note: "mine" } }],
    ["no nonce", { action: ACTION, signature: SIGNATURE }],
    ["no signature", { action: ACTION, nonce: 1 }],
    ["half a signature", { ...ENVELOPE, signature: { r: "0x1", v: 27 } }],
    ["a signature that is no hex", { ...ENVELOPE, signature: { ...SIGNATURE, r: "0xzz" } }],
    ["an unknown action", { ...ENVELOPE, action: { type: "orders", orders: [] } }],
    ["an action without a type", { ...ENVELOPE, action: { orders: [ORDER], grouping: "na" } }],
    ["no grouping", { ...ENVELOPE, action: { type: "order", orders: [ORDER] } }],
    ["an unknown grouping", { ...ENVELOPE, action: { ...ACTION, grouping: "all" } }],
    ["a price that is a number", withOrder({ p: 100 })],
    ["a nonce that is a string", { ...ENVELOPE, nonce: "1" }],
    ["a negative nonce", { ...ENVELOPE, nonce: -1 }],
    ["a fractional nonce", { ...ENVELOPE, nonce: 1.5 }],
    ["a ninth decimal", withOrder({ p: "100.000000001" })],
    ["scientific notation", withOrder({ p: "1e2" })],
    ["a negative price", withOrder({ p: "-100" })],
    ["an empty price", withOrder({ p: "" })],
    ["a price of a single point", withOrder({ p: "." })],
    ["a price that is no number", withOrder({ p: "NaN" })],
    ["a plus sign", withOrder({ p: "+100" })],
    ["an unknown time in force", withOrder({ t: { limit: { tif: "gtc" } } })],
    ["a limit that is a trigger as well", withOrder({ t: { limit: { tif: "Gtc" }, trigger: { isMarket: true, triggerPx: "1", tpsl: "tp" } } })],
    ["terms of neither kind", withOrder({ t: {} })],
    ["a short cloid", withOrder({ c: "0x12" })],
    ["an asset that is no integer", withOrder({ a: "0" })],
    ["an asset beyond 32 bits", withOrder({ a: 2 ** 32 })],
    ["a flag that is no boolean", { ...ENVELOPE, action: { type: "cancel", cancels: [], f: 1 } }],
    ["a short vault address", { ...ENVELOPE, vaultAddress: "0x12" }],
    ["a leverage that is a string", { ...ENVELOPE, action: { type: "updateLeverage", asset: 0, isCross: true, leverage: "5" } }],
  ];
  test.each(REFUSED)("is refused with %s", (_what, envelope) => {
    expect(read(JSON.stringify(envelope))).toBe(MISMATCH);
  });

  test("is refused when a known key comes twice, and not when an unknown one does", () => {
    const twice = JSON.stringify(ENVELOPE).replace('"nonce":1', '"nonce":1,"nonce":1');
    expect(read(twice)).toBe(MISMATCH);
    const inOrder = JSON.stringify(withOrder({ x: 1 })).replace('"x":1', '"x":1,"x":2');
    expect(read(inOrder)).not.toBe(MISMATCH);
  });

  test("comes out in signing order and without padding, whatever the order of its text", () => {
    const text = `{"signature":{"v":27,"s":"0x2","r":"0x1"},"nonce":1,"action":{"grouping":"na","orders":[{
      "c":"0xABCDEF00000000000000000000000000","t":{"limit":{"tif":"Gtc"}},"s":"01.500","r":false,"p":"100.0","b":true,"a":0}],
      "builder":{"f":10,"b":"0x${"AB".repeat(20)}"},"type":"order"}}`;
    expect(JSON.stringify(canonicalOf(text))).toBe(
      JSON.stringify({
        type: "order",
        orders: [
          {
            a: 0,
            b: true,
            p: "100",
            s: "1.5",
            r: false,
            t: { limit: { tif: "Gtc" } },
            c: "0xabcdef00000000000000000000000000",
          },
        ],
        grouping: "na",
        builder: { b: `0x${"ab".repeat(20)}`, f: 10 },
      }),
    );
  });

  test("drops flags that are false, as if nobody had written them", () => {
    const text = JSON.stringify({ ...ENVELOPE, action: { type: "cancel", cancels: [], f: false } });
    expect(canonicalOf(text)).toEqual({ type: "cancel", cancels: [] });
  });
});
