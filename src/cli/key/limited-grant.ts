import { type LimitedGrantText, parseLimitedGrant } from "../../core/rails/limited-grant.ts";
import { lossBoundWords } from "../../core/rails/loss-bound.ts";
import type { RailsText } from "../../core/rails/rails.ts";
import {
  grantAsSent,
  grantTextOf,
  inOneForm,
  MAX_DAYS,
  PROPOSED_DAYS,
  PROPOSED_RAILS,
  walletLines,
} from "../../core/rails/wished-grant.ts";
import type { Places } from "../../ops/data-directory.ts";
import { limitedGrantTypedData } from "../../wire/limited-grant-data.ts";
import { chosenAccount } from "../account-choice.ts";
import { type Command, type Input, Misuse, type Option, required } from "../command.ts";
import { askGateway } from "../control.ts";
import { networkWords, places, reading } from "../directory.ts";
import { audience } from "../gateway-client.ts";
import { present, signable, signableLines } from "../output.ts";
import type { Outside } from "../outside.ts";
import { keyHashOf, optionOf, scopesOf } from "./key-options.ts";

/** Rails that no version holds yet are not offered. */
type Offered = Exclude<keyof RailsText, "bot" | "markets">;

const RAILS: Readonly<Record<Offered, [value: string, help: string]>> = {
  may: ["VERBS", "what it may do"],
  maxOrder: ["USD", 'the most that one order may be worth, "500 USD"'],
  maxPosition: ["USD", "the most that it may come to hold in each market"],
  maxExposure: ["USD", "the same over all markets"],
  maxTurnoverPerDay: ["USD", "the most that it may trade on one UTC day"],
  maxLossPerDay: ["USD", "what it may lose on one UTC day before nothing of it increases any more, best effort"],
  maxActionsPerDay: ["COUNT", "orders and modifies on one UTC day"],
  maxOpenOrders: ["COUNT", "orders that may be open"],
  maxDistance: ["PERCENT", "how far a price may be from the market"],
  maxStopDistance: ["PERCENT", "how far a stop's worst price may be from its trigger"],
  maxLeverage: ["COUNT", "the leverage under which it may increase"],
  touches: ["WHOSE", "own or all: whose orders it may change"],
  sources: ["NETWORKS", "203.0.113.7/32,2001:db8::/48: whence it may ask"],
};

/** Of `key grant`: with the first of them the key is held to the others. */
export const RAILS_OPTIONS: Readonly<Record<string, Option>> = {
  bot: { value: "NAME", help: "of a key with rails: whose orders, net and limits they are" },
  markets: { value: "NAMES", help: "with --bot: BTC,ETH,xyz:*, or any; spot by its names" },
  ...Object.fromEntries(
    Object.entries(RAILS).map(([name, [value, help]]) => [
      optionOf(name),
      // Every name of the table is one of the proposal's.
      { value, help: `${help}, or any; ${PROPOSED_RAILS[name as Offered]} by default` },
    ]),
  ),
  days: { value: "DAYS", help: `how long it lasts, 1 to ${MAX_DAYS}; ${PROPOSED_DAYS} by default` },
};

type GrantCommand = { command: Command; input: Input; outside: Outside };

/** What the wallet shows line by line, and what a thief of the key could lose by it. */
export async function showLimitedGrant({ command, input, outside }: GrantCommand): Promise<void> {
  const rails = wishedRails(input);
  const days = daysOf(input.value("days"));
  const keyHash = keyHashOf(required(input, "key-hash"));
  const at = places(input, outside);
  const { account, instance } = reading(at, ({ store, instance: found }) => ({
    account: chosenAccount(store, input),
    instance: found,
  }));
  const { id, ownerAddress: owner, tradingAddress } = account;
  const grant = {
    audience: await audience({ command, input, outside }, at),
    account: { id, owner, tradingAddress, network: instance.network },
    keyHash,
    scopes: scopesOf(input).join(","),
    issuedAtMs: outside.clock.nowMs(),
    days,
  };
  const text = grantTextOf(grant, rails);
  const bound = boundOf(text);
  await requireOwnNames(at, text);
  const typedData = limitedGrantTypedData(text);
  const sent = grantAsSent(text);
  present({ input, outside }, { grant: sent, bound, ...signable(typedData) }, [
    `Sign this with the wallet of ${owner} (${networkWords(instance)}), within an hour:`,
    "",
    ...signableLines(typedData),
    "",
    "The wallet shows, line by line:",
    ...walletLines(text).map(([name, value]) => `  ${name}: ${value}`),
    "",
    bound,
    "",
    "Then hand the signature to the running gateway; it is asked for, or read from standard input:",
    `  postern key register --grant '${JSON.stringify(sent)}'`,
  ]);
}

/** What was said, and what is proposed for the rest. */
function wishedRails(input: Input): RailsText {
  const said = Object.keys(RAILS).flatMap((name) => {
    const value = input.value(optionOf(name));
    return value === null ? [] : [[name, value] as const];
  });
  const named = { bot: required(input, "bot"), markets: required(input, "markets") };
  return inOneForm({ ...PROPOSED_RAILS, ...named, ...Object.fromEntries(said) });
}

function daysOf(text: string | null): number {
  if (text === null) return PROPOSED_DAYS;
  if (!/^[1-9][0-9]{0,2}$/.test(text) || Number(text) > MAX_DAYS) throw new Misuse(`--days is 1 to ${MAX_DAYS}`);
  return Number(text);
}

/** The gateway refuses other letters once it is signed; one that runs and has read the exchange's list says so before. */
async function requireOwnNames(at: Places, { markets }: LimitedGrantText): Promise<void> {
  const answer = await askGateway(at, "tell_misnamed", { names: markets.split(",") });
  const misnamed = answer.isRunning ? answer.result.misnamed : null;
  if (misnamed !== null) throw new Misuse(`--markets ${misnamed}`);
}

/** Throws what is wrong with a rail before anything is signed. */
function boundOf(text: LimitedGrantText): string {
  const parsed = parseLimitedGrant(text);
  if (parsed.kind === "fault") throw new Misuse(`--${optionOf(parsed.member)} must be ${parsed.rule}`);
  return lossBoundWords(parsed.grant.rails);
}
