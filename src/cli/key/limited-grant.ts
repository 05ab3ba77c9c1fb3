import { LIMITED_GRANT_MEMBERS, type LimitedGrantText, parseLimitedGrant } from "../../core/rails/limited-grant.ts";
import { lossBoundWords } from "../../core/rails/loss-bound.ts";
import { memberName } from "../../core/rails/member-name.ts";
import { unheldFault } from "../../core/rails/unheld.ts";
import { limitedGrantTypedData } from "../../wire/limited-grant-data.ts";
import { chosenAccount } from "../account-choice.ts";
import { type Command, type Input, Misuse, type Option, required } from "../command.ts";
import { networkWords, places, reading } from "../directory.ts";
import { audience } from "../gateway-client.ts";
import { isoTime, present, signable, signableLines } from "../output.ts";
import type { Outside } from "../outside.ts";
import { keyHashOf, scopesOf } from "./key-options.ts";

/** What is proposed to whoever says nothing. */
const PROPOSED = {
  ...{ may: "increase,reduce,modify,cancel", markets: "any", "max-order": "any", "max-position": "any" },
  ...{ "max-exposure": "any", "max-turnover-per-day": "any", "max-actions-per-day": "any", "max-open-orders": "any" },
  ...{ "max-distance": "2 %", "max-stop-distance": "10 %", touches: "own", sources: "any", days: "90" },
} as const;

const VALUES: Readonly<Record<keyof typeof PROPOSED, [value: string, help: string]>> = {
  may: ["VERBS", "what it may do"],
  markets: ["NAMES", "BTC,ETH,xyz:*, sorted"],
  "max-order": ["USD", 'the most that one order may be worth, "500 USD"'],
  "max-position": ["USD", "the most that it may come to hold in each market"],
  "max-exposure": ["USD", "the same over all markets"],
  "max-turnover-per-day": ["USD", "the most that it may trade on one UTC day"],
  "max-actions-per-day": ["COUNT", "orders and modifies on one UTC day"],
  "max-open-orders": ["COUNT", "orders that may be open"],
  "max-distance": ["PERCENT", "how far a price may be from the market"],
  "max-stop-distance": ["PERCENT", "how far a stop's worst price may be from its trigger"],
  touches: ["WHOSE", "own or all: whose orders it may change"],
  sources: ["NETWORKS", "203.0.113.7/32,2001:db8::/48, sorted: whence it may ask"],
  days: ["DAYS", "how long it lasts, 1 to 365"],
};

/** Of `key grant`: with the first of them the key is held to the others. */
export const RAILS_OPTIONS: Readonly<Record<string, Option>> = {
  bot: { value: "NAME", help: "of a key with rails: whose orders, net and limits they are" },
  ...Object.fromEntries(
    Object.entries(VALUES).map(([name, [value, help]]) => [
      name,
      { value, help: `${help}; ${proposed(name)} by default` },
    ]),
  ),
};

function proposed(name: string): string {
  return Object.entries(PROPOSED).find(([each]) => each === name)?.[1] ?? "";
}

const DAY_MS = 86_400_000;

type Asked = { command: Command; input: Input; outside: Outside };

/** What the wallet shows line by line, and what a thief of the key could lose by it. */
export async function showLimitedGrant({ command, input, outside }: Asked): Promise<void> {
  const at = places(input, outside);
  const { account, instance } = reading(at, ({ store, instance: found }) => ({
    account: chosenAccount(store, input),
    instance: found,
  }));
  const value = (name: string): string => input.value(name) ?? proposed(name);
  const nowMs = outside.clock.nowMs();
  const text: LimitedGrantText = {
    ...{ audience: await audience({ command, input, outside }, at), account: account.id, network: instance.network },
    ...{ owner: account.ownerAddress, tradingAddress: account.tradingAddress },
    ...{
      keyHash: keyHashOf(required(input, "key-hash")),
      scopes: scopesOf(input).join(","),
      bot: required(input, "bot"),
    },
    ...{ may: value("may"), markets: value("markets"), maxOrder: value("max-order") },
    ...{ maxPosition: value("max-position"), maxExposure: value("max-exposure") },
    ...{ maxTurnoverPerDay: value("max-turnover-per-day"), maxLossPerDay: "any" },
    ...{ maxActionsPerDay: value("max-actions-per-day"), maxDistance: value("max-distance") },
    ...{ maxStopDistance: value("max-stop-distance"), maxLeverage: "any", maxOpenOrders: value("max-open-orders") },
    ...{ touches: value("touches"), sources: value("sources"), issuedAt: isoTime(nowMs) },
    expiresAt: isoTime(nowMs + daysOf(value("days")) * DAY_MS),
  };
  const bound = boundOf(text);
  const typedData = limitedGrantTypedData(text);
  const grant = bodyOf(text);
  present({ input, outside }, { grant, bound, ...signable(typedData) }, [
    `Sign this with the wallet of ${account.ownerAddress} (${networkWords(instance)}), within an hour:`,
    "",
    ...signableLines(typedData),
    "",
    bound,
    "",
    "Then hand the signature to the running gateway; it is asked for, or read from standard input:",
    `  postern key register --grant '${JSON.stringify(grant)}'`,
  ]);
}

function daysOf(text: string): number {
  if (!/^[1-9][0-9]{0,2}$/.test(text) || Number(text) > 365) throw new Misuse("--days is 1 to 365");
  return Number(text);
}

/** Throws what is wrong with a rail before anything is signed. */
function boundOf(text: LimitedGrantText): string {
  const parsed = parseLimitedGrant(text);
  if (parsed.kind === "fault") throw new Misuse(`${optionOf(parsed.member)} must be ${parsed.rule}`);
  const unheld = unheldFault(parsed.grant.rails);
  if (unheld !== null) throw new Misuse(`${optionOf(unheld.member)} ${unheld.rule}`);
  return lossBoundWords(parsed.grant.rails);
}

function optionOf(member: string): string {
  return `--${memberName(member).replaceAll("_", "-")}`;
}

/** As it is sent: the audience is the gateway's to say. */
function bodyOf(text: LimitedGrantText): Record<string, string> {
  const members = LIMITED_GRANT_MEMBERS.filter((name) => name !== "audience");
  return Object.fromEntries(members.map((name) => [memberName(name), text[name]]));
}
