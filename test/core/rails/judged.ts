/** What the judge says of one order, by facts of which only those are named that matter. */
import { type Decimal, decimal, ZERO } from "../../../src/core/decimal.ts";
import type { OpenLeg } from "../../../src/core/rails/exposure.ts";
import { judge } from "../../../src/core/rails/judge.ts";
import { NOTHING_GRANTED } from "../../../src/core/rails/limited-grant.ts";
import type { Rails } from "../../../src/core/rails/rails.ts";
import type { Facts, LeverageSetting, Wish } from "../../../src/core/rails/wish.ts";

export const ANY: Rails = {
  ...NOTHING_GRANTED.rails,
  bot: "grid-1",
  may: ["increase", "reduce", "modify", "cancel"],
  markets: null,
  sources: null,
};

let made = 0;
export function leg(some: Partial<OpenLeg>): OpenLeg {
  made += 1;
  return {
    orderId: `order-${made}`,
    cloid: `cloid-${made}`,
    market: "BTC",
    side: "buy",
    bot: "grid-1",
    remaining: decimal("1"),
    price: decimal("100"),
    triggerPrice: null,
    triggerKind: some.triggerPrice == null ? null : "stop_loss",
    isUnheard: false,
    isInFlight: false,
    mayRest: true,
    canOnlyReduce: false,
    ...some,
  };
}

type KnownFact =
  | "accountOf"
  | "legs"
  | "turnover"
  | "actions"
  | "targetBot"
  | "halt"
  | "held"
  | "lossToday"
  | "justFilledOf"
  | "movedOf"
  | "referenceOf"
  | "ownOf"
  | "unprovenOf";
export type Known = Partial<Pick<Facts, KnownFact>> & {
  net?: string;
  account?: string | null;
  price?: string | null;
  settings?: readonly LeverageSetting[] | null;
  pairName?: string | null;
  trigger?: Extract<Wish, { kind: "order" }>["trigger"];
};

export function judged(rails: Partial<Rails>, wished: OpenLeg | Wish, known: Known) {
  const verdict = verdictOf(rails, wished, known);
  return verdict.kind === "refused" ? `${verdict.rail} ${verdict.largest ?? ""}`.trim() : verdict.kind;
}

/** What a refusal says of what would be too much. */
export function limitTold(rails: Partial<Rails>, wished: OpenLeg | Wish, known: Known): string | null {
  const verdict = verdictOf(rails, wished, known);
  return verdict.kind === "refused" ? verdict.limit : null;
}

function verdictOf(rails: Partial<Rails>, wished: OpenLeg | Wish, known: Known) {
  const { trigger = null, pairName = null, legs = [] } = known;
  const facts = factsOf({ ...known, legs: "kind" in wished ? legs : [...legs, wished] });
  const order = { kind: "order", isModify: false, trigger, sizeDecimals: 2, pairName } as const;
  return judge({ ...ANY, ...rails }, facts, "kind" in wished ? wished : { ...order, leg: wished });
}

export function factsOf(known: Known): Facts {
  const {
    net = "0",
    account = net,
    price = "100",
    settings = null,
    legs = [],
    trigger: _trigger,
    pairName: _pairName,
    ...rest
  } = known;
  const at = price === null ? null : { low: decimal(price), high: decimal(price) };
  return {
    targetBot: undefined,
    turnover: ZERO,
    actions: 1,
    held: net === "0" ? [] : ["BTC"],
    halt: null,
    lossToday: () => ZERO,
    ownOf: () => decimal(net),
    unprovenOf: () => null,
    accountOf: () => (account === null ? null : decimal(account)),
    justFilledOf: () => ({ buys: ZERO, sells: ZERO }),
    movedOf: () => ({ buys: ZERO, sells: ZERO }),
    referenceOf: () => at,
    settingsOf: () => settings,
    ...rest,
    legs,
  };
}

export function four(): LeverageSetting[] {
  return [{ leverage: 4, isCross: true }];
}

export function two(): LeverageSetting[] {
  return [{ leverage: 2, isCross: true }];
}

export const HALT = {
  rail: "may",
  limit: "reduce,cancel",
  use: "increase",
  cause: "narrowing_lost",
  untilMs: null,
} as const;

export function usd(amount: number): Decimal {
  return decimal(String(amount));
}
