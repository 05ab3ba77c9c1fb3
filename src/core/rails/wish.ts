/** What is asked of the judge, and what it is told. */
import type { Decimal } from "../decimal.ts";
import type { OpenLeg, Reference, Sums } from "./exposure.ts";
import type { Rails } from "./rails.ts";
import type { Halt } from "./trip.ts";

/** What is asked, by what would be signed. */
export type Wish =
  | {
      kind: "order";
      isModify: boolean;
      leg: OpenLeg;
      trigger: WishedTrigger | null;
      sizeDecimals: number;
      /** `BASE/QUOTE` of a spot market; null for perpetuals, and where it is not known. */
      pairName: string | null;
    }
  | { kind: "cancel" }
  | { kind: "leverage"; market: string; setting: LeverageSetting }
  | { kind: "margin"; market: string; isRemoval: boolean };

/** Leverage and margin type of a market. */
export type LeverageSetting = { leverage: number; isCross: boolean };

/** `hasFired`: its condition holds already; null where no price says so. */
export type WishedTrigger = { price: Decimal; kind: "take_profit" | "stop_loss"; hasFired: boolean | null };

export type Facts = {
  /** Whose order is changed: null where it is nobody's bot's, undefined where none is. */
  targetBot: string | null | undefined;
  /** Everything of the account that may still execute, what is asked among it. */
  legs: readonly OpenLeg[];
  /** Net of the bot's own fills in a market, negative is short. */
  ownOf(market: string): Decimal;
  /** What may be the bot's besides, and may be another's; null where nothing is in question. It makes no room for reductions. */
  unprovenOf(market: string): Sums | null;
  /** Markets in which the bot has a net. */
  held: readonly string[];
  /** The account's position; null where it is not known. */
  accountOf(market: string): Decimal | null;
  /** What others were filled that may open a position, and all that the bot was filled: the account's may not show it yet. */
  justFilledOf(market: string): Sums;
  /** All that anybody was told to be filled since the account's position was as it is told, which may show it or not. */
  movedOf(market: string): Sums;
  /** Null where nothing is known that is new enough. */
  referenceOf(market: string): Reference | null;
  /** What may be in force there, the newest change of ours among it but for what is asked; null where it is not known. */
  settingsOf(market: string): readonly LeverageSetting[] | null;
  /** USD of the fills of this UTC day. */
  turnover: Decimal;
  /** Of this UTC day, what is asked among them. */
  actions: number;
  /** Why nothing may increase, whatever it is; null where nothing is in the way. */
  halt: Halt | null;
  /** USD that the bot has lost on this UTC day, negative for a gain; null where that is not known. */
  lossToday(): Decimal | null;
};

export type Ordered = Extract<Wish, { kind: "order" }>;

export function legsOf({ bot }: Rails, { legs }: Facts): OpenLeg[] {
  return legs.filter((leg) => leg.bot === bot);
}

export function ownIn(rails: Rails, facts: Facts, market: string): OpenLeg[] {
  return legsOf(rails, facts).filter((leg) => leg.market === market);
}
