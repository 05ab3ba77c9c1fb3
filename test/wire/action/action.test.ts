import { describe, expect, test } from "bun:test";
import type { Decimal } from "../../../src/core/decimal.ts";
import { cancelAction, cancelByCloidAction } from "../../../src/wire/action/cancel.ts";
import { normaliseDecimal } from "../../../src/wire/action/fields.ts";
import {
  type Action,
  actionJson,
  canonicalAction,
  NOOP,
  parseAction,
  parseActionJson,
} from "../../../src/wire/action/index.ts";
import { leverageAction } from "../../../src/wire/action/leverage.ts";
import { marginAction } from "../../../src/wire/action/margin.ts";
import { modifyAction } from "../../../src/wire/action/modify.ts";
import { orderAction, wireOrder } from "../../../src/wire/action/order.ts";
import { twapCancelAction, twapOrderAction } from "../../../src/wire/action/twap.ts";

const CLOID = `0x${"0123456789abcdef".repeat(2)}`;
const INPUT: Parameters<typeof wireOrder>[0] = {
  assetId: 110001,
  side: "buy",
  price: "64250.50",
  size: "0.0150",
  reduceOnly: false,
  timeInForce: "gtc",
  trigger: null,
  cloid: CLOID,
};
const STOP = { price: "60000.0", kind: "stop_loss", market: true } as const;

// The texts are the exchange's documented actions, member by member in signing order.
const WRITTEN: [what: string, action: Action, json: string][] = [
  [
    "a limit order, its decimals without padding",
    orderAction(wireOrder(INPUT), null),
    `{"type":"order","orders":[{"a":110001,"b":true,"p":"64250.5","s":"0.015","r":false,"t":{"limit":{"tif":"Gtc"}},"c":"${CLOID}"}],"grouping":"na"}`,
  ],
  [
    "a sell that only reduces, without a client id, with a builder",
    orderAction(wireOrder({ ...INPUT, side: "sell", reduceOnly: true, timeInForce: "ioc", cloid: null }), {
      address: `0x${"AB".repeat(20)}`,
      feeTenthsBps: 50,
    }),
    `{"type":"order","orders":[{"a":110001,"b":false,"p":"64250.5","s":"0.015","r":true,"t":{"limit":{"tif":"Ioc"}}}],"grouping":"na","builder":{"b":"0x${"ab".repeat(20)}","f":50}}`,
  ],
  [
    "a market stop, with no time in force on the wire",
    orderAction(wireOrder({ ...INPUT, timeInForce: "ioc", trigger: STOP, cloid: null }), null),
    `{"type":"order","orders":[{"a":110001,"b":true,"p":"64250.5","s":"0.015","r":false,"t":{"trigger":{"isMarket":true,"triggerPx":"60000","tpsl":"sl"}}}],"grouping":"na"}`,
  ],
  ["a fast cancel", cancelAction(0, "91490942", true), '{"type":"cancel","cancels":[{"a":0,"o":91490942}],"f":true}'],
  [
    "a fast cancel by client id",
    cancelByCloidAction(3, CLOID, true),
    `{"type":"cancelByCloid","cancels":[{"asset":3,"cloid":"${CLOID}"}],"f":true}`,
  ],
  ["a cancel", cancelAction(0, "556657630865", false), '{"type":"cancel","cancels":[{"a":0,"o":556657630865}]}'],
  [
    "a cancel of an id above 2^53",
    cancelAction(0, "9007199254740993", false),
    '{"type":"cancel","cancels":[{"a":0,"o":9007199254740993}]}',
  ],
  [
    "a cancel by client id",
    cancelByCloidAction(3, CLOID, false),
    `{"type":"cancelByCloid","cancels":[{"asset":3,"cloid":"${CLOID}"}]}`,
  ],
  [
    "a modify",
    modifyAction("231456789012", wireOrder({ ...INPUT, timeInForce: "alo" }), false),
    `{"type":"batchModify","modifies":[{"oid":231456789012,"order":{"a":110001,"b":true,"p":"64250.5","s":"0.015","r":false,"t":{"limit":{"tif":"Alo"}},"c":"${CLOID}"}}]}`,
  ],
  [
    "a modify that always places, the flag last and at the top",
    modifyAction("1", wireOrder({ ...INPUT, cloid: null }), true),
    '{"type":"batchModify","modifies":[{"oid":1,"order":{"a":110001,"b":true,"p":"64250.5","s":"0.015","r":false,"t":{"limit":{"tif":"Gtc"}}}}],"a":true}',
  ],
  ["leverage", leverageAction(0, true, 20), '{"type":"updateLeverage","asset":0,"isCross":true,"leverage":20}'],
  [
    "margin added, in millionths",
    marginAction(1, "1.5" as Decimal),
    '{"type":"updateIsolatedMargin","asset":1,"isBuy":true,"ntli":1500000}',
  ],
  [
    "margin taken out",
    marginAction(1, "-136986.993412" as Decimal),
    '{"type":"updateIsolatedMargin","asset":1,"isBuy":true,"ntli":-136986993412}',
  ],
  [
    "a TWAP",
    twapOrderAction({
      assetId: 0,
      side: "buy",
      size: "0.50",
      reduceOnly: false,
      durationMinutes: 10080,
      randomize: true,
    }),
    '{"type":"twapOrder","twap":{"a":0,"b":true,"s":"0.5","r":false,"m":10080,"t":true}}',
  ],
  ["a TWAP cancel", twapCancelAction(0, 77738308), '{"type":"twapCancel","a":0,"t":77738308}'],
  ["a noop", NOOP, '{"type":"noop"}'],
];

describe("actions are written as the exchange documents them, and read back", () => {
  for (const [what, action, json] of WRITTEN) {
    test(what, () => {
      expect(actionJson(action)).toBe(json);
      expect(parseActionJson(json)).toEqual(canonicalAction(action));
    });
  }
});

const ORDER = { a: 0, b: true, p: "1", s: "1", r: false, t: { limit: { tif: "Gtc" } } };
function withOrder(change: object) {
  return { type: "order", orders: [{ ...ORDER, ...change }], grouping: "na" };
}

describe("nothing else is an action", () => {
  const wrong: [what: string, value: unknown][] = [
    ["money moved by an agent", { type: "agentSendAsset", destination: `0x${"0".repeat(40)}`, amount: "1" }],
    ["a withdrawal", { type: "withdraw3", destination: `0x${"0".repeat(40)}`, amount: "1", time: 1 }],
    ["a transfer", { type: "usdSend", destination: `0x${"0".repeat(40)}`, amount: "1", time: 1 }],
    ["an agent approved", { type: "approveAgent", agentAddress: `0x${"0".repeat(40)}` }],
    ["a vault transfer", { type: "vaultTransfer", vaultAddress: `0x${"0".repeat(40)}`, isDeposit: true, usd: 1 }],
    ["a plain modify, which does not answer with the new id", { type: "modify", oid: 1, order: ORDER }],
    ["a scheduled cancel", { type: "scheduleCancel" }],
    ["a name of every object", { type: "constructor" }],
    ["nothing", null],
    ["a text", "noop"],
    ["a list", []],
    ["no type", {}],
    ["a member more", { type: "noop", x: 1 }],
    ["a member by the name of the prototype", JSON.parse('{"type":"noop","__proto__":{"x":1}}')],
    ["an order with a member more", withOrder({ x: 1 })],
    ["a padded price", withOrder({ p: "1.0" })],
    ["a ninth decimal", withOrder({ p: "0.123456789" })],
    ["a price in scientific notation", withOrder({ p: "1e3" })],
    ["a negative size", withOrder({ s: "-1" })],
    ["a price that is a number", withOrder({ p: 1 })],
    ["a leading zero", withOrder({ p: "01" })],
    ["a client id of null", withOrder({ c: null })],
    ["an upper-case client id", withOrder({ c: `0x${"A".repeat(32)}` })],
    ["a client id without its prefix", withOrder({ c: "a".repeat(32) })],
    ["an unknown time in force", withOrder({ t: { limit: { tif: "Fok" } } })],
    ["a limit that is a trigger too", withOrder({ t: { limit: { tif: "Gtc" }, trigger: {} } })],
    ["no order", { type: "order", orders: [], grouping: "na" }],
    ["a priority fee", { ...withOrder({}), grouping: { p: 1 } }],
    ["a builder fee above one percent", { ...withOrder({}), builder: { b: `0x${"a".repeat(40)}`, f: 1001 } }],
    ["a builder of null", { ...withOrder({}), builder: null }],
    ["a native id that JSON.parse has rounded", { type: "cancel", cancels: [{ a: 0, o: 2 ** 53 + 2 }] }],
    ["a native id in a text", { type: "cancel", cancels: [{ a: 0, o: "1" }] }],
    ["a negative native id", { type: "cancel", cancels: [{ a: 0, o: -1 }] }],
    ["a fraction of leverage", { type: "updateLeverage", asset: 0, isCross: true, leverage: 1.5 }],
    ["half a millionth", { type: "updateIsolatedMargin", asset: 0, isBuy: true, ntli: 0.5 }],
  ];
  for (const [what, value] of wrong) {
    test(what, () => {
      expect(parseAction(value)).toBeNull();
      expect(() => canonicalAction(value as Action)).toThrow("bug:");
    });
  }
});

test("decimals that cannot go on the wire are a bug, not another order", () => {
  expect(() => wireOrder({ ...INPUT, price: "0.123456789" })).toThrow("bug:");
  expect(() => wireOrder({ ...INPUT, size: "-1" })).toThrow("bug:");
  expect(() => wireOrder({ ...INPUT, trigger: { ...STOP, price: "1e5" } })).toThrow("bug:");
  expect(() => marginAction(0, "0.1234567" as Decimal)).toThrow("bug:");
  const twap = { assetId: 0, side: "buy", reduceOnly: false, durationMinutes: 5, randomize: false } as const;
  expect(() => twapOrderAction({ ...twap, size: "" })).toThrow("bug:");
});

test("decimals take the form that is hashed, or none", () => {
  const table: [text: string, want: string | null][] = [
    ["1", "1"],
    ["1.0", "1"],
    ["0.50", "0.5"],
    ["007.10", "7.1"],
    ["0", "0"],
    ["0.00", "0"],
    ["1.123456780", "1.12345678"],
    ["1.123456789", null],
    ["-1", null],
    ["-0", "0"],
    ["1e3", null],
    ["", null],
    ["+1", null],
    [".5", null],
    ["NaN", null],
  ];
  for (const [text, want] of table) expect(normaliseDecimal(text)).toBe(want as Decimal | null);
});
