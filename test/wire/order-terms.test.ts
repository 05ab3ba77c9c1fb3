import { expect, test } from "bun:test";
import fc from "fast-check";
import { compare, decimal } from "../../src/core/decimal.ts";
import type { Side, TimeInForce } from "../../src/core/order.ts";
import { wireOrder } from "../../src/wire/action/order.ts";

/** Numbers as clients write them: up to 12 digits before the point and 8 behind it, padded or not. */
const number = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 2 }))
  .map(([units, places, padding]) => {
    const digits = units.toString().padStart(places + 1, "0");
    const fraction = `${digits.slice(digits.length - places, places === 0 ? 0 : digits.length)}${"0".repeat(padding)}`;
    return fraction === "" ? digits : `${digits.slice(0, digits.length - places)}.${fraction}`;
  });

const terms = fc.record({
  price: number,
  size: number,
  side: fc.constantFrom<Side>("buy", "sell"),
  reduceOnly: fc.boolean(),
  timeInForce: fc.constantFrom<TimeInForce>("gtc", "ioc", "alo"),
  trigger: fc.option(
    fc.record({ price: number, kind: fc.constantFrom("take_profit", "stop_loss"), market: fc.boolean() }),
  ),
});

const TIF = { gtc: "Gtc", ioc: "Ioc", alo: "Alo" } as const;

test("a price and a size go on the wire as the number that was asked for, whatever it is", () => {
  fc.assert(
    fc.property(terms, (asked) => {
      const { p, s, b, r, t } = wireOrder({ ...asked, assetId: 0, cloid: null });
      expect(compare(decimal(p), decimal(asked.price))).toBe(0);
      expect(compare(decimal(s), decimal(asked.size))).toBe(0);
      expect([b, r]).toEqual([asked.side === "buy", asked.reduceOnly]);
      if (asked.trigger === null) {
        expect(t).toEqual({ limit: { tif: TIF[asked.timeInForce] } });
      } else if ("trigger" in t) {
        const { price, kind, market } = asked.trigger;
        expect(compare(decimal(t.trigger.triggerPx), decimal(price))).toBe(0);
        expect([t.trigger.isMarket, t.trigger.tpsl]).toEqual([market, kind === "take_profit" ? "tp" : "sl"]);
      } else {
        throw new Error("a trigger went out as a limit order");
      }
    }),
    { numRuns: 500 },
  );
});
