import { expect, test } from "bun:test";
import fc from "fast-check";
import { type PrintedBody, printRequest } from "../../src/write/fingerprint.ts";

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

/** Made before hashing was native: prints are stored, and none may ever change. */
const PLACED = { account: "5c0d8a52-6f0e-4f3b-9c55-0e7d1b2a4c90", market: "BTC", side: "buy" };
const GOLDEN: readonly [route: string, pathId: string | null, body: PrintedBody, digest: string][] = [
  [
    "place_order",
    null,
    { ...PLACED, size: "0.00100", price: "30000.0", time_in_force: "ioc", reduce_only: false, trigger: null },
    "de87fd7bfc35099048d5328c665426aad05411dfcdf8333460e9240f4a51dd79",
  ],
  [
    "place_order",
    null,
    {
      ...PLACED,
      market: "xyz:TSLA",
      side: "sell",
      size: "1.5",
      price: "400",
      time_in_force: "gtc",
      reduce_only: true,
      trigger: { price: "390.50", kind: "stop_loss", market: true },
    },
    "ca3796f1ae993944ff1cc136f986a47373b3f5406329a96f122d3bd7657aaf2e",
  ],
  [
    "modify_order",
    "0193E5A0-0000-7007-8000-0000000000AB",
    {
      market: 'ÄÖ/\u2028"\\\u0007',
      side: "sell",
      size: "001.0",
      price: "0.10",
      time_in_force: "alo",
      reduce_only: false,
      trigger: null,
    },
    "f3926dbf599e2788f617a2961c8728c073af7b942b022b2296c77af8fce13b55",
  ],
  ["cancel_order", "0xAB", {}, "835bc3c7578013936a3408661a4ca608245a1a95ecaeccf926706b4958b6ef4d"],
  [
    "set_leverage",
    null,
    { account: "a", market: "ETH", leverage: 25, margin_mode: "cross" },
    "a063071adf6ccadf87b8a9e15a77b807d839c6b20f9c510ba8f3744072bdb56e",
  ],
  [
    "adjust_margin",
    null,
    { account: "a", market: "ETH", amount: "-10.50" },
    "633edb98ff43a2496961fbfdf29735e76a3a1171830c484ab0d8714091bf51d8",
  ],
];

test.each(GOLDEN)("the print of a known %s never changes", (route, pathId, body, digest) => {
  expect(printRequest(route, pathId, body)).toBe(`v1:${digest}`);
});
