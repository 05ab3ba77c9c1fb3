/** How far a bot may reduce: what is its own, beside what others hold. */
import { expect, test } from "bun:test";
import type { OpenLeg } from "../../../src/core/rails/exposure.ts";
import type { Rails } from "../../../src/core/rails/rails.ts";
import { judged, type Known, leg, usd } from "./judged.ts";

function othersSale(price: number): OpenLeg {
  return leg({ canOnlyReduce: true, side: "sell", bot: "b", price: usd(price) });
}

type TimeInForce = "gtc" | "ioc";

function close(timeInForce: TimeInForce): OpenLeg {
  return leg({ canOnlyReduce: true, side: "sell", mayRest: timeInForce !== "ioc" });
}

function othersClose(timeInForce: TimeInForce): OpenLeg {
  return { ...close(timeInForce), bot: "b", isInFlight: true };
}

const WITH_TWAPS: Partial<Rails> = { may: ["increase", "reduce", "twap"] };

type Row = [string, string, [Partial<Rails>, OpenLeg, Known]];

test.each<Row>([
  [
    "slices of a TWAP take what comes: another's reduction on the other side may be met, at whatever price",
    "touches",
    [WITH_TWAPS, leg({ price: null }), { account: "3", legs: [othersSale(200)] }],
  ],
  [
    "on the same side none is met",
    "allowed",
    [WITH_TWAPS, leg({ price: null, side: "sell" }), { account: "0", legs: [othersSale(200)] }],
  ],
  [
    "what rests to be bought is not held yet, where others hold",
    "touches 0",
    [{}, leg({ canOnlyReduce: true, side: "sell" }), { account: "3", legs: [leg({})] }],
  ],
  [
    "nor where nobody does: the exchange would take it of who comes first",
    "touches 0",
    [{}, leg({ canOnlyReduce: true, side: "sell" }), { legs: [leg({})] }],
  ],
  [
    "nor is what a TWAP is still to buy",
    "touches 1",
    [
      {},
      leg({ canOnlyReduce: true, side: "sell", remaining: usd(1.5) }),
      { net: "1", account: "3", legs: [leg({ price: null, remaining: usd(5) })] },
    ],
  ],
  [
    "what was lost may have been filled",
    "allowed",
    [{}, leg({ canOnlyReduce: true, side: "sell" }), { account: "3", legs: [leg({ isUnheard: true })] }],
  ],
  [
    "once",
    "touches 0",
    [{}, leg({ canOnlyReduce: true, side: "sell" }), { net: "-1", account: "3", legs: [leg({ isUnheard: true })] }],
  ],
  [
    "a stop goes before its entry where nobody holds anything",
    "allowed",
    [{}, leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90) }), { legs: [leg({})] }],
  ],
  [
    "and where nobody knows what is held",
    "allowed",
    [{}, leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90) }), { account: null, legs: [leg({})] }],
  ],
  [
    "not where others do: fired before it, it would close theirs",
    "touches 0",
    [{}, leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90) }), { account: "3", legs: [leg({})] }],
  ],
  [
    "stops of all that is held, beside one another, would both fire",
    "touches 0",
    [
      {},
      leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90) }),
      { net: "1", account: "3", legs: [leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(91) })] },
    ],
  ],
  [
    "a stop and a profit would not",
    "allowed",
    [
      {},
      leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90) }),
      {
        net: "1",
        account: "3",
        legs: [leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(120), triggerKind: "take_profit" })],
      },
    ],
  ],
  [
    "where nobody else holds anything the new stop goes before the old one",
    "allowed",
    [
      {},
      leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90) }),
      { net: "1", legs: [leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(91) })] },
    ],
  ],
  ...(["gtc", "ioc"] as const).flatMap((own): Row[] => [
    [
      `another's reduction that may rest, and more than is held with one that is ${own}`,
      "touches",
      [{}, close(own), { net: "1", account: "1", legs: [othersClose("gtc")] }],
    ],
    [
      `another's that can never rest, beside one that is ${own}`,
      "allowed",
      [{}, close(own), { net: "1", account: "1", legs: [othersClose("ioc")] }],
    ],
    [
      `another's that rests, with what another's takes away before it and one that is ${own}`,
      "touches",
      [{}, close(own), { net: "1", account: "2", legs: [othersClose("gtc"), othersClose("ioc")] }],
    ],
    [
      `another's that rests, where all three are held, beside one that is ${own}`,
      "allowed",
      [{}, close(own), { net: "1", account: "3", legs: [othersClose("gtc"), othersClose("ioc")] }],
    ],
  ]),
  [
    "an order that another's reduction would trade with, which can never rest",
    "allowed",
    [{}, leg({ price: usd(105) }), { legs: [{ ...othersSale(104), mayRest: false }] }],
  ],
  [
    "a trigger that buys up to another's reduction on the book",
    "touches",
    [{}, leg({ triggerPrice: usd(103), price: usd(105) }), { legs: [othersSale(105)] }],
  ],
  [
    "one that sells down to it",
    "touches",
    [
      {},
      leg({ side: "sell", triggerPrice: usd(97), price: usd(95) }),
      { legs: [leg({ canOnlyReduce: true, bot: null, price: usd(95) })] },
    ],
  ],
  [
    "one that goes less far",
    "allowed",
    [{}, leg({ triggerPrice: usd(103), price: usd(105) }), { legs: [othersSale(105.1)] }],
  ],
  [
    "one of a bot that may touch it",
    "allowed",
    [{ touches: "all" }, leg({ triggerPrice: usd(103), price: usd(105) }), { legs: [othersSale(104)] }],
  ],
  [
    "a trigger that meets another's plain order",
    "allowed",
    [
      {},
      leg({ triggerPrice: usd(103), price: usd(105) }),
      { legs: [leg({ side: "sell", bot: "b", price: usd(104) })] },
    ],
  ],
  [
    "one that meets the bot's own reduction",
    "allowed",
    [
      {},
      leg({ triggerPrice: usd(103), price: usd(105) }),
      { net: "1", legs: [leg({ canOnlyReduce: true, side: "sell", price: usd(104) })] },
    ],
  ],
  [
    "a stop that protects, whatever it would meet",
    "allowed",
    [
      {},
      leg({ canOnlyReduce: true, triggerPrice: usd(103), price: usd(105) }),
      { net: "-1", account: "3", legs: [othersSale(104)] },
    ],
  ],
  [
    "and whatever it would displace",
    "allowed",
    [
      {},
      leg({ canOnlyReduce: true, side: "sell", triggerPrice: usd(90), price: usd(88) }),
      { net: "1", legs: [othersSale(104)] },
    ],
  ],
  [
    "what is out and only reduces is no part of what an increase comes to, of a bot that touches its own",
    "allowed",
    [
      { maxPosition: usd(100), touches: "own" },
      leg({}),
      { net: "-1", account: "5", legs: [leg({ canOnlyReduce: true, remaining: usd(50) })] },
    ],
  ],
  [
    "of one that may close anything it is",
    "maxPosition",
    [
      { maxPosition: usd(1_000), touches: "all" },
      leg({}),
      { account: "0", legs: [leg({ canOnlyReduce: true, remaining: usd(50) })] },
    ],
  ],
])("%s comes to %s", (_what, outcome, [rails, wished, known]) => {
  expect(judged(rails, wished, known)).toBe(outcome);
});
