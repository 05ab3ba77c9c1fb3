import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import fc from "fast-check";
import { ApiError } from "../../src/core/errors.ts";
import { compileCheck } from "../../src/http/check.ts";
import { DecimalString, MarketName, Uuid } from "../../src/http/schema/common.ts";
import { FillResource } from "../../src/http/schema/fill.ts";
import {
  AdjustMarginBody,
  CancelTwapBody,
  CreateTwapBody,
  OperationResource,
  SetLeverageBody,
} from "../../src/http/schema/operation.ts";
import { ModifyOrderBody } from "../../src/http/schema/order.ts";
import { PositionResource } from "../../src/http/schema/position.ts";
import { parseStrictJson } from "../../src/http/strict-json.ts";

/** Null when the value fits, else code and message of the refusal. */
function refusal(schema: TSchema, value: unknown): { code: string; message: string } | null {
  try {
    compileCheck(schema)(value);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.message };
  }
}

function fits(schema: TSchema, value: unknown): boolean {
  return refusal(schema, value) === null;
}

/** As it arrives: numbers are checked on their source text. */
function fitsText(schema: TSchema, text: string): boolean {
  const parsed = parseStrictJson(new TextEncoder().encode(text));
  return parsed.kind === "value" && fits(schema, parsed.value);
}

describe("uuid", () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15])("version %p", (version) => {
    const uuid = `5c0d8a52-6f0e-${version.toString(16)}f3b-9c55-0e7d1b2a4c90`;
    expect(fits(Uuid, uuid)).toBe(version >= 1 && version <= 8);
  });

  test.each("0123456789abcdefABCDEF".split(""))("variant %s", (variant) => {
    expect(fits(Uuid, `5c0d8a52-6f0e-4f3b-${variant}c55-0e7d1b2a4c90`)).toBe("89abAB".includes(variant));
  });

  test("nil and all-f", () => {
    for (const digit of ["0", "f", "F"]) {
      const uuid = [8, 4, 4, 4, 12].map((count) => digit.repeat(count)).join("-");
      expect(fits(Uuid, uuid)).toBe(true);
    }
    expect(fits(Uuid, "00000000-0000-0000-0000-000000000001")).toBe(false);
    expect(fits(Uuid, "eeeeeeee-eeee-eeee-eeee-eeeeeeeeeeee")).toBe(false);
  });
});

test("a decimal string is what the specification says", () => {
  const digit = fc.constantFrom(..."0123456789".split(""));
  const digits = () => fc.array(digit, { maxLength: 22, size: "max" }).map((all) => all.join(""));
  fc.assert(
    fc.property(digits(), fc.option(digits()), (whole, fraction) => {
      const text = fraction === null ? whole : `${whole}.${fraction}`;
      const isWhole = whole === "0" || (whole.length >= 1 && whole.length <= 18 && !whole.startsWith("0"));
      const isFraction = fraction === null || (fraction.length >= 1 && fraction.length <= 18);
      expect(fits(DecimalString, text)).toBe(isWhole && isFraction && text.length <= 40);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["BTC", true],
  ["xyz:TSLA", true],
  ["@107", true],
  ["PURR/USDC", true],
  ["kPEPE", true],
  ["1INCH", true],
  ["a.b_c-d", true],
  ["B".repeat(100), true],
  ["B".repeat(101), false],
  ["", false],
  [":x", false],
  ["BTC ", false],
  ["BTC\n", false],
  ["БТЦ", false],
])("market %p: %p", (name, expected) => {
  expect(fits(MarketName, name)).toBe(expected);
});

const LEVERAGE = { market: "BTC", margin_type: "cross" };

test.each([
  ["1", true],
  ["5.0", true],
  ["5e0", true],
  ["9007199254740991", true],
  ["0", false],
  ["-1", false],
  ["1.5", false],
  ["9007199254740992", false],
  ["9007199254740993", false],
  ["9007199254740991.4", false],
  ['"5"', false],
  ["null", false],
])("leverage %s: %p", (source, expected) => {
  const text = JSON.stringify({ ...LEVERAGE, leverage: 0 }).replace(":0", `:${source}`);
  expect(fitsText(SetLeverageBody, text)).toBe(expected);
});

test.each([
  ["0", true],
  ["-0", true],
  ["9007199254740991", true],
  ["9007199254740992", false],
  ["9007199254740993", false],
  ["-1", false],
])("twap_id %s: %p", (source, expected) => {
  expect(fitsText(CancelTwapBody, `{"market":"BTC","twap_id":${source}}`)).toBe(expected);
});

test.each([
  ["4", false],
  ["5", true],
  ["10080", true],
  ["10081", false],
  ["5.5", false],
])("duration_minutes %s: %p", (source, expected) => {
  expect(fitsText(CreateTwapBody, `{"market":"BTC","side":"buy","size":"1","duration_minutes":${source}}`)).toBe(
    expected,
  );
});

test.each([
  ["25.5", true],
  ["-10", true],
  ["0.000001", true],
  ["0.0000001", false],
  ["1234567890123", false],
  ["123456789012", true],
  ["01", false],
  ["+1", false],
  ["1e3", false],
])("margin amount %p: %p", (amount, expected) => {
  expect(fits(AdjustMarginBody, { market: "BTC", amount })).toBe(expected);
});

test("a modify takes any of its fields and no other", () => {
  expect(fits(ModifyOrderBody, {})).toBe(true);
  expect(
    fits(ModifyOrderBody, {
      price: "1",
      size: "1",
      always_place: true,
      trigger: { price: "1", kind: "take_profit", market: false },
    }),
  ).toBe(true);
  for (const field of ["account", "market", "side", "reduce_only", "time_in_force"]) {
    expect(refusal(ModifyOrderBody, { price: "1", [field]: "x" })?.code).toBe("unknown_parameter");
  }
});

test("a refusal names the field and the rule, and a stray name goes before a missing one", () => {
  expect(refusal(SetLeverageBody, { ...LEVERAGE, leverage: 0 })?.message).toContain(
    "leverage is not valid: Whole number, at least 1",
  );
  expect(refusal(SetLeverageBody, { leverage: 5, margin_typ: "cross" })).toMatchObject({
    code: "unknown_parameter",
    message: expect.stringContaining("margin_typ"),
  });
  expect(refusal(SetLeverageBody, { leverage: 5, margin_type: "cross" })).toMatchObject({
    code: "missing_parameter",
    message: expect.stringContaining("market"),
  });
});

const ACCOUNT = "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90";

const OPERATION = {
  id: ACCOUNT,
  object: "operation",
  account: ACCOUNT,
  action: "twap",
  status: "succeeded",
  exchange_id: "77",
  error: null,
};

const POSITION = {
  object: "position",
  account: ACCOUNT,
  network: "exchange_mainnet",
  dex: "",
  market: "BTC",
  side: "short",
  size: "0.5",
  entry_price: "64000",
  mark_price: "64100.5",
  position_value: "32050.25",
  unrealized_pnl: "-50.25",
  return_on_equity: "-0.0157",
  leverage: 10,
  margin_type: "cross",
  margin_used: "3205.025",
  max_leverage: 40,
  liquidation_price: null,
  funding_since_open: "-1.25",
};

const FILL = {
  object: "fill",
  id: "1795253400000-BTC-118906512037719",
  account: ACCOUNT,
  network: "exchange_mainnet",
  dex: "",
  market: "BTC",
  order_id: null,
  key_hash: null,
  exchange_order_id: "1001",
  side: "buy",
  price: "64000",
  size: "0.01",
  liquidity: "taker",
  fee: "-0.02",
  fee_token: "USDC",
  builder_fee: null,
  realized_pnl: "0",
  start_position: "-0.5",
  direction: "Close Short",
  twap_id: null,
  liquidation: false,
  transaction_hash: `0x${"0".repeat(64)}`,
  created_at: "2026-11-21T09:30:00.000Z",
};

test("a fill of a TWAP names it as the operation does", () => {
  expect(refusal(FillResource, { ...FILL, twap_id: "77738" })).toBeNull();
});

test.each([
  ["operation", OperationResource, OPERATION],
  ["position", PositionResource, POSITION],
  ["fill", FillResource, FILL],
] as [string, TSchema, Record<string, unknown>][])(
  "an %s has exactly the fields that are described",
  (_name, schema, resource) => {
    expect(refusal(schema, resource)).toBeNull();
    expect(refusal(schema, { ...resource, extra: 1 })?.code).toBe("unknown_parameter");
    for (const field of Object.keys(resource)) {
      const { [field]: _left, ...rest } = resource;
      expect([field, refusal(schema, rest)?.code]).toEqual([field, "missing_parameter"]);
    }
  },
);
