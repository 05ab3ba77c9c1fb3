/**
 * The texts of a grant with rails. What the owner reads is what is parsed, so each value has one form: what differs from it
 * in a space, a leading zero or the order of a list is refused.
 */
import { compare, type Decimal, decimal } from "../decimal.ts";
import type { Narrowing } from "./narrow.ts";
import { isNetwork } from "./networks.ts";
import { RAILS_MEMBERS, type Rails, type RailsText, type RailVerb, VERBS } from "./rails.ts";

/** Not held to anything: a word, never an empty text or a zero. */
const ANY = "any";
/** Shown where two lists have nothing in common: no grant says it. */
const NOTHING = "nothing";

/** The rails, or the first member that has not its one form, with what that form is. */
export type ParsedRails = { kind: "rails"; rails: Rails } | { kind: "fault"; member: keyof Rails; rule: string };

export function parseRails(text: RailsText): ParsedRails {
  const parsed = Object.fromEntries(RAILS_MEMBERS.map((member) => [member, FORMS[member].parse(text[member])]));
  const wrong = RAILS_MEMBERS.find((member) => parsed[member] === undefined);
  if (wrong !== undefined) return { kind: "fault", member: wrong, rule: FORMS[wrong].rule };
  // Each member was made by the form of its own name, and none is missing.
  return { kind: "rails", rails: parsed as Rails };
}

export type ParsedNarrowing =
  | { kind: "narrowing"; narrowing: Narrowing }
  | { kind: "fault"; member: keyof Rails; rule: string };

/** Rails of which some are named, each in its one form; the name of the bot is none of them. */
export function parseNarrowing(text: Readonly<Partial<Record<string, string>>>): ParsedNarrowing {
  const named = NARROWED.filter((member) => text[member] !== undefined);
  const parsed = Object.fromEntries(named.map((member) => [member, FORMS[member].parse(text[member] ?? "")]));
  const wrong = named.find((member) => parsed[member] === undefined);
  if (wrong !== undefined) return { kind: "fault", member: wrong, rule: FORMS[wrong].rule };
  // Each member was made by the form of its own name.
  return { kind: "narrowing", narrowing: parsed as Narrowing };
}

/** Whether a text is one that a grant can give to this member. */
export function isOfGrant(member: keyof Rails, text: string): boolean {
  return FORMS[member].parse(text) !== undefined;
}

/** What a narrowing may name. */
const NARROWED = RAILS_MEMBERS.filter((member) => member !== "bot");

/** As it was written. */
export function printNarrowing(rails: Rails, narrowing: Narrowing): Partial<RailsText> {
  const text = printRails({ ...rails, ...narrowing });
  return Object.fromEntries(NARROWED.filter((member) => narrowing[member] !== undefined).map((m) => [m, text[m]]));
}

export function printRails(rails: Rails): RailsText {
  const { may, markets, sources } = rails;
  return {
    bot: rails.bot,
    may: may.join(",") || NOTHING,
    markets: list(markets),
    touches: rails.touches,
    sources: list(sources),
    maxOrder: usd(rails.maxOrder),
    maxPosition: usd(rails.maxPosition),
    maxExposure: usd(rails.maxExposure),
    maxTurnoverPerDay: usd(rails.maxTurnoverPerDay),
    maxLossPerDay: usd(rails.maxLossPerDay),
    maxActionsPerDay: count(rails.maxActionsPerDay),
    maxOpenOrders: count(rails.maxOpenOrders),
    maxDistance: percent(rails.maxDistance),
    maxStopDistance: percent(rails.maxStopDistance),
    maxLeverage: count(rails.maxLeverage),
  };
}

function usd(value: Decimal | null): string {
  return value === null ? ANY : `${value} USD`;
}

function percent(value: Decimal | null): string {
  return value === null ? ANY : `${value} %`;
}

function count(value: number | null): string {
  return value === null ? ANY : String(value);
}

function list(values: readonly string[] | null): string {
  return values === null ? ANY : values.join(",") || NOTHING;
}

/** `parse` gives undefined for what has not the form. */
type Form = { rule: string; parse(text: string): Rails[keyof Rails] | undefined };

/** Members of a list, at most. */
const MAX_LISTED = 50;

const USD: Form = {
  rule: "`any`, or an amount above 0 with at most 2 decimals and no zero at its end, as in `500 USD`",
  parse: orAny((text) => amountBefore(text, / USD$/)),
};
const PERCENT: Form = {
  rule: "`any`, or 0 to 100 with at most 2 decimals and no zero at its end, as in `2 %`",
  parse: orAny((text) => (text === "0 %" ? decimal("0") : atMostHundred(amountBefore(text, / %$/)))),
};
const COUNT: Form = {
  rule: "`any`, or a whole number from 1 to 9999999",
  parse: orAny((text) => (/^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : undefined)),
};
const LEVERAGE: Form = {
  rule: "`any`, or a whole number from 1 to 999",
  parse: orAny((text) => (/^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : undefined)),
};

const FORMS: Readonly<Record<keyof Rails, Form>> = {
  bot: {
    rule: "1 to 40 characters of a-z, 0-9 and -",
    parse: (text) => (/^[a-z0-9-]{1,40}$/.test(text) ? text : undefined),
  },
  may: {
    rule: `words of ${VERBS.join(",")} in this order, joined by commas; approve stands alone`,
    parse: verbs,
  },
  markets: {
    rule: `\`any\`, or at most ${MAX_LISTED} different names, sorted and joined by commas; \`xyz:*\` is all of a dex`,
    parse: orAny((text) => (text.split(",").every(isMarketName) ? sortedList(text) : undefined)),
  },
  maxOrder: USD,
  maxPosition: USD,
  maxExposure: USD,
  maxTurnoverPerDay: USD,
  maxLossPerDay: USD,
  maxActionsPerDay: COUNT,
  maxOpenOrders: COUNT,
  maxLeverage: LEVERAGE,
  maxDistance: PERCENT,
  maxStopDistance: PERCENT,
  touches: { rule: "`own` or `all`", parse: (text) => (text === "own" || text === "all" ? text : undefined) },
  sources: {
    rule: `\`any\`, or at most ${MAX_LISTED} different networks like 203.0.113.7/32, sorted and joined by commas`,
    parse: orAny((text) => (text.split(",").every(isNetwork) ? sortedList(text) : undefined)),
  },
};

function orAny(parse: Form["parse"]): Form["parse"] {
  return (text) => (text === ANY ? null : parse(text));
}

/** Above zero, at most 2 decimals, in the one form of a decimal. */
function amountBefore(text: string, unit: RegExp): Decimal | undefined {
  if (!unit.test(text)) return undefined;
  const amount = text.replace(unit, "");
  const isOne = /^(0|[1-9][0-9]{0,11})(\.[0-9]?[1-9])?$/.test(amount) && amount !== "0";
  return isOne ? decimal(amount) : undefined;
}

function atMostHundred(amount: Decimal | undefined): Decimal | undefined {
  return amount !== undefined && compare(amount, decimal("100")) <= 0 ? amount : undefined;
}

/** A market, or all of a dex. */
const MARKET = /^([A-Za-z0-9@][A-Za-z0-9@/._-]*(:[A-Za-z0-9@/._-]+)?|[a-z0-9]+:\*)$/;

/** The words that stand for a whole list are no member of one: whoever reads `BTC,any` may take it for any. */
function isMarketName(text: string): boolean {
  return MARKET.test(text) && text !== ANY && text !== NOTHING;
}

/** Characters of one market or network. */
const MAX_LISTED_CHARACTERS = 60;

function sortedList(text: string): readonly string[] | undefined {
  const values = text.split(",");
  const isSorted = values.every((value, nth) => nth === 0 || (values[nth - 1] ?? "") < value);
  const isShort = values.length <= MAX_LISTED && values.every(({ length }) => length <= MAX_LISTED_CHARACTERS);
  return isSorted && isShort ? values : undefined;
}

function verbs(text: string): readonly RailVerb[] | undefined {
  const named = VERBS.filter((verb) => text.split(",").includes(verb));
  const isAlone = !named.includes("approve") || named.length === 1;
  return named.length > 0 && named.join(",") === text && isAlone ? named : undefined;
}
