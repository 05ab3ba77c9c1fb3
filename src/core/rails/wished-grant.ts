/** What somebody wishes a bot's key to be held to, on its way to the text that the owner signs. */
import type { Network } from "../account.ts";
import { parseDecimal } from "../decimal.ts";
import { isoTime } from "../resource.ts";
import { LIMITED_GRANT_MEMBERS, type LimitedGrantMember, type LimitedGrantText } from "./limited-grant.ts";
import { memberName } from "./member-name.ts";
import { RAILS_MEMBERS, type RailsText, VERBS } from "./rails.ts";

/**
 * No amount is unlimited that nobody has called `any`; which bot and which markets they are is for its owner to say. Leverage
 * makes no amount larger, and a limit on it would refuse every market in which nobody can say what is set.
 */
export const PROPOSED_RAILS: Omit<RailsText, "bot" | "markets"> = {
  may: "increase,reduce,modify,cancel",
  maxOrder: "500 USD",
  maxPosition: "1000 USD",
  maxExposure: "1500 USD",
  maxTurnoverPerDay: "5000 USD",
  maxLossPerDay: "50 USD",
  maxActionsPerDay: "2000",
  maxDistance: "2 %",
  maxStopDistance: "10 %",
  maxLeverage: "any",
  maxOpenOrders: "40",
  touches: "own",
  sources: "any",
};

export const PROPOSED_DAYS = 90;
export const MAX_DAYS = 365;

const DAY_MS = 86_400_000;

/** As people write what they name, in the one form that is signed: amounts with their unit, lists sorted and each name once. */
export function inOneForm<Named extends Partial<RailsText>>(wished: Named): Named {
  const said = RAILS_MEMBERS.flatMap((name) => {
    const text = wished[name];
    return text === undefined ? [] : [[name, formed(name, text.trim())] as const];
  });
  // Made with every member that was named.
  return Object.fromEntries(said) as Named;
}

const UNITS: Partial<Record<keyof RailsText, "USD" | "%">> = {
  maxOrder: "USD",
  maxPosition: "USD",
  maxExposure: "USD",
  maxTurnoverPerDay: "USD",
  maxLossPerDay: "USD",
  maxDistance: "%",
  maxStopDistance: "%",
};

function formed(name: keyof RailsText, text: string): string {
  const unit = UNITS[name];
  if (unit !== undefined) return amount(text, unit);
  if (name === "may") return verbs(text);
  return name === "markets" || name === "sources" ? [...new Set(listed(text))].toSorted(inPlainOrder).join(",") : text;
}

/** A word that is none of them is not passed over in silence: the grammar refuses it. */
function verbs(text: string): string {
  const words = listed(text);
  const named = VERBS.filter((verb) => words.includes(verb));
  return named.length === new Set(words).size ? named.join(",") : text;
}

/** What is no amount stays as it is, for the grammar to refuse. */
function amount(text: string, unit: string): string {
  const figure = text.toUpperCase().endsWith(unit) ? text.slice(0, -unit.length).trim() : text;
  const value = parseDecimal(figure);
  return value === null ? text : `${value} ${unit}`;
}

function listed(text: string): string[] {
  return text.split(/[\s,]/).filter((each) => each !== "");
}

/** As the grammar sorts: by code units, whatever the language of the machine. */
function inPlainOrder(one: string, other: string): number {
  return one < other ? -1 : 1;
}

export type GrantFor = {
  audience: string;
  account: { id: string; owner: string; tradingAddress: string; network: Network };
  keyHash: string;
  /** Sorted and joined by a comma. */
  scopes: string;
  issuedAtMs: number;
  days: number;
};

/** The whole of what is signed; its rails still have to be parsed. */
export function grantTextOf(grant: GrantFor, rails: RailsText): LimitedGrantText {
  const { audience, account, keyHash, scopes, issuedAtMs, days } = grant;
  const { id, owner, tradingAddress, network } = account;
  const times = { issuedAt: isoTime(issuedAtMs), expiresAt: isoTime(issuedAtMs + days * DAY_MS) };
  return { audience, account: id, network, owner, tradingAddress, keyHash, scopes, ...rails, ...times };
}

/** As it is sent: the audience is the gateway's to say. */
export function grantAsSent(text: LimitedGrantText): Record<string, string> {
  const members = LIMITED_GRANT_MEMBERS.filter((name) => name !== "audience");
  return Object.fromEntries(members.map((name) => [memberName(name), text[name]]));
}

/** What a wallet shows, in its order, under the names that it shows. */
export function walletLines(text: LimitedGrantText): readonly (readonly [name: LimitedGrantMember, value: string])[] {
  return LIMITED_GRANT_MEMBERS.map((name) => [name, text[name]]);
}
