import { expect, test } from "bun:test";
import fc from "fast-check";
import { type PrintedBody, printRequest } from "../../src/actions/fingerprint.ts";

const BODY = {
  market: "BTC",
  size: "1.5",
  price: "60000",
  reduce_only: false,
  trigger: { price: "59000", kind: "stop_loss" },
};

test("decimals count by value at any depth, everything else as sent", () => {
  const print = printRequest("place_order", null, BODY);
  const same: PrintedBody[] = [
    { ...BODY, size: "1.500", price: "60000.0" },
    { ...BODY, trigger: { kind: "stop_loss", price: "59000.00" } },
    Object.fromEntries(Object.entries(BODY).reverse()),
  ];
  for (const body of same) expect(printRequest("place_order", null, body)).toBe(print);
  const other: PrintedBody[] = [
    { ...BODY, size: "1.5000001" },
    { ...BODY, market: "btc" },
    { ...BODY, market: "1.50" },
    { ...BODY, reduce_only: true },
    { ...BODY, trigger: null },
    { ...BODY, trigger: { price: "59000.1", kind: "stop_loss" } },
  ];
  for (const body of other) expect(printRequest("place_order", null, body)).not.toBe(print);
  expect(printRequest("modify_order", null, BODY)).not.toBe(print);
  expect(printRequest("place_order", "1", BODY)).not.toBe(print);
});

test("two sizes have one print exactly when they are one number", () => {
  const decimal = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3 })).map(([units, zeros]) => {
    const text = (units / 10).toString();
    return text.includes(".") ? `${text}${"0".repeat(zeros)}` : zeros === 0 ? text : `${text}.${"0".repeat(zeros)}`;
  });
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      const isSame = printRequest("x", null, { size: a }) === printRequest("x", null, { size: b });
      expect(isSame).toBe(Number(a) === Number(b));
    }),
  );
});

test("the id in the path counts without regard to case", () => {
  expect(printRequest("cancel_order", "0xAB", {})).toBe(printRequest("cancel_order", "0xab", {}));
});
