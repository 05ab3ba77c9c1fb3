import type { Decimal } from "../decimal.ts";

/** What a limited key may do at all, in the order in which a grant names it. */
export const VERBS = [
  "increase",
  "reduce",
  "modify",
  "cancel",
  "leverage",
  "margin",
  "twap",
  "stop",
  "propose",
  "approve",
] as const;
export type RailVerb = (typeof VERBS)[number];

/** What the owner of an account has signed that a bot is held to. Null: not held to anything there, which is signed as `any`. */
export type Rails = {
  /** The identity: orders, net, turnover and Idempotency-Keys are the bot's, whichever of its keys asks. */
  bot: string;
  may: readonly RailVerb[];
  /** Canonical names, and `dex:*` for all markets of a dex. */
  markets: readonly string[] | null;
  /** USD. */
  maxOrder: Decimal | null;
  /** USD, in each market. */
  maxPosition: Decimal | null;
  /** USD, over all markets. */
  maxExposure: Decimal | null;
  /** USD of a UTC day. */
  maxTurnoverPerDay: Decimal | null;
  /** USD of a UTC day. */
  maxLossPerDay: Decimal | null;
  /** Of a UTC day. */
  maxActionsPerDay: number | null;
  /** Percent of the reference price. */
  maxDistance: Decimal | null;
  /** Percent of the trigger price. */
  maxStopDistance: Decimal | null;
  maxLeverage: number | null;
  maxOpenOrders: number | null;
  /** Whose orders it may change, and how far it may reduce. */
  touches: "own" | "all";
  /** Networks in CIDR notation from which it may ask. */
  sources: readonly string[] | null;
};

export type RailName = Exclude<keyof Rails, "bot">;

/** Rails as texts: what a wallet shows, line by line. */
export type RailsText = Readonly<Record<keyof Rails, string>>;

/** The texts in signing order. */
export const RAILS_MEMBERS = [
  "bot",
  "may",
  "markets",
  "maxOrder",
  "maxPosition",
  "maxExposure",
  "maxTurnoverPerDay",
  "maxLossPerDay",
  "maxActionsPerDay",
  "maxDistance",
  "maxStopDistance",
  "maxLeverage",
  "maxOpenOrders",
  "touches",
  "sources",
] as const satisfies readonly (keyof Rails)[];
