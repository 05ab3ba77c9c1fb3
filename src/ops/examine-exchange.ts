import type { Account, Agent, Network } from "../core/account.ts";
import type { Clock } from "../core/clock.ts";
import { exchangePlaceOf } from "../core/exchange-place.ts";
import type { Builder } from "../deps.ts";
import type { ConnectedExchange } from "../exchange/http.ts";
import { listAccounts } from "../store/accounts.ts";
import { findSigningAgent, listAgents } from "../store/agents.ts";
import type { Instance } from "../store/instance.ts";
import type { Store } from "../store/open.ts";
import { parseAccountMode, parseMaxBuilderFee, parseRateLimit } from "../wire/answer/account.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { rotateFor } from "./next-commands.ts";
import { readListed, seenOf, warningLevel } from "./watch-agents.ts";

/** Where the directory trades, whether or not anybody answers there. */
export function examinePlace(instance: Pick<Instance, "network" | "exchangeUrl">): Finding {
  const { network, exchangeUrl } = instance;
  switch (exchangePlaceOf(instance)) {
    case "official":
      return ok("exchange_place", `the exchange's own ${network}, ${exchangeUrl}`);
    case "simulated":
      return ok("exchange_place", `a simulator, ${exchangeUrl}`);
    case "unofficial": {
      const words = `${exchangeUrl} is not the exchange's own ${network}: whoever runs it decides what this gateway believes`;
      return warning("exchange_place", words, "unless that is meant, set up another directory, without --exchange-url");
    }
  }
}

export type ExchangeQuestions = {
  store: Store;
  exchange: ConnectedExchange;
  exchangeUrl: string;
  clock: Clock;
  builder: Builder | null;
  network: Network;
  /** A directory of `serve --paper`, which has its own exchange and approves its agents itself. */
  isDemo: boolean;
};

/** Beyond the first, signed actions come close to being refused for their times, milliseconds. */
const WRONG_CLOCK_MS = 5_000;
const DRIFTING_CLOCK_MS = 1_000;
/** Actions left before the exchange slows an account down. */
const FEW_ACTIONS = 1_000;
const DAY_MS = 24 * 60 * 60_000;

/** What the exchange says of our clock, agents, modes, quotas and fees. One finding when it cannot be reached. */
export async function examineExchange(questions: ExchangeQuestions): Promise<Finding[]> {
  const { exchange, exchangeUrl, clock, store } = questions;
  const askedMs = clock.elapsedMs();
  if (!(await exchange.measureClock())) {
    return [fault("exchange", `${exchangeUrl} does not answer`, reach(questions)), ...agentsAsStored(questions)];
  }
  const tookMs = Math.round(clock.elapsedMs() - askedMs);
  const accounts = listAccounts(store);
  const findings = [
    ok("exchange", `${exchangeUrl} answers in ${tookMs} ms`),
    examineClock(exchange.clockOffsetMs() ?? 0),
  ];
  for (const owner of new Set(accounts.map(({ ownerAddress }) => ownerAddress))) {
    findings.push(await examineAgent(questions, owner), ...(await examineBuilder(questions, owner)));
  }
  for (const account of accounts) {
    findings.push(await examineMode(questions, account), await examineQuota(questions, account));
  }
  return findings;
}

function reach({ store, exchangeUrl, network, isDemo }: ExchangeQuestions): string {
  if (isDemo) return "it is part of the demo and runs while that does: postern serve --paper";
  if (network !== "paper")
    return "check this machine's network and the exchange's status page; nothing is lost meanwhile";
  const owners = [...new Set(listAccounts(store).map(({ tradingAddress }) => tradingAddress))];
  const fund = owners.length === 0 ? "" : ` --fund ${owners.join(",")}`;
  return `start the simulated exchange: postern paper --listen ${new URL(exchangeUrl).host}${fund}`;
}

/** What the database alone says of the agents. */
function agentsAsStored(questions: ExchangeQuestions): Finding[] {
  const { store, exchange } = questions;
  const nowMs = exchange.nowMs();
  const owners = new Set(listAccounts(store).map(({ ownerAddress }) => ownerAddress));
  return [...owners].map((owner) => {
    const agent = findSigningAgent(store, owner, nowMs);
    return agent === null ? noAgent(questions, owner) : agentEnd(questions, agent, agent.validUntilMs);
  });
}

function examineClock(offsetMs: number): Finding {
  const words = `${Math.abs(offsetMs)} ms ${offsetMs < 0 ? "ahead of" : "behind"} the exchange's clock`;
  const todo = "set the clock: timedatectl set-ntp true";
  if (Math.abs(offsetMs) > WRONG_CLOCK_MS) return fault("clock", words, todo);
  return Math.abs(offsetMs) > DRIFTING_CLOCK_MS ? warning("clock", words, todo) : ok("clock", words);
}

async function examineAgent(questions: ExchangeQuestions, owner: string): Promise<Finding> {
  const { store, exchange } = questions;
  const agent = findSigningAgent(store, owner, exchange.nowMs());
  if (agent === null) return noAgent(questions, owner);
  const listed = await readListed(exchange, owner, { purpose: "read" });
  const seen = listed === null ? null : await seenOf(exchange, agent, listed);
  if (seen === null)
    return warning("agent", `${named(agent)}: the exchange could not be asked`, "run postern doctor again");
  if (seen.standing === "missing") {
    const heir = listed?.find(({ name }) => name === agent.name);
    const why =
      heir === undefined ? "" : `: ${heir.address} has its name now, of another gateway of this owner perhaps`;
    const found = `${named(agent)} is not known to the exchange any more${why}`;
    return fault("agent", found, replace(questions, owner));
  }
  return agentEnd(questions, agent, seen.validUntilMs ?? agent.validUntilMs);
}

/** The demo looks after its agent at each start. */
const DEMO_AGENT = "start the demo again, which approves one by itself: postern serve --paper";

function replace({ store, isDemo }: ExchangeQuestions, owner: string): string {
  return isDemo ? DEMO_AGENT : `replace it: ${rotateFor(store, owner)}`;
}

function noAgent({ store, isDemo }: ExchangeQuestions, owner: string): Finding {
  if (isDemo) return fault("agent", `no agent signs for ${owner}`, DEMO_AGENT);
  const waiting = listAgents(store).findLast((agent) => agent.ownerAddress === owner && agent.state === "new");
  if (waiting === undefined)
    return fault("agent", `no agent signs for ${owner}`, `make one: ${rotateFor(store, owner)}`);
  const todo = `let the owner sign it: postern agent approval --agent ${waiting.address}`;
  return fault("agent", `no agent signs for ${owner}; ${named(waiting)} waits for its approval`, todo);
}

function agentEnd(questions: ExchangeQuestions, agent: Agent, validUntilMs: number | null): Finding {
  const nowMs = questions.exchange.nowMs();
  if (validUntilMs === null) return ok("agent", `${named(agent)} signs; the exchange does not say until when`);
  const words = `${named(agent)} signs until ${new Date(validUntilMs).toISOString()}, ${Math.floor((validUntilMs - nowMs) / DAY_MS)} days`;
  const level = warningLevel(validUntilMs, nowMs);
  if (level === null) return ok("agent", words);
  const todo = replace(questions, agent.ownerAddress);
  return level <= 1 ? fault("agent", words, todo) : warning("agent", words, todo);
}

async function examineBuilder({ exchange, builder }: ExchangeQuestions, owner: string): Promise<Finding[]> {
  if (builder === null) return [];
  const answer = await exchange.info(
    { type: "maxBuilderFee", user: owner, builder: builder.address },
    { purpose: "read" },
  );
  const approved = answer.kind === "ok" ? parseMaxBuilderFee(answer.json) : null;
  if (approved === null) return [warning("builder", "the approval could not be asked", "run postern doctor again")];
  const words = `${owner} has approved ${approved / 10} bps of the ${builder.feeTenthsBps / 10} bps fee`;
  if (approved >= builder.feeTenthsBps) return [ok("builder", words)];
  const todo = "let the owner approve the builder fee in the exchange's page, or leave it out";
  return [
    builder.isRequired ? fault("builder", `${words}, and it is required`, todo) : warning("builder", words, todo),
  ];
}

async function examineMode({ exchange }: ExchangeQuestions, account: Account): Promise<Finding> {
  const answer = await exchange.info({ type: "userAbstraction", user: account.tradingAddress }, { purpose: "read" });
  const mode = answer.kind === "ok" ? parseAccountMode(answer.json) : null;
  if (mode !== null) return ok("account_mode", `${account.label}: ${mode}`);
  return warning("account_mode", `${account.label}: the mode could not be read`, "run postern doctor again");
}

async function examineQuota({ exchange }: ExchangeQuestions, account: Account): Promise<Finding> {
  const answer = await exchange.info({ type: "userRateLimit", user: account.tradingAddress }, { purpose: "read" });
  const limit = answer.kind === "ok" ? parseRateLimit(answer.json) : null;
  if (limit === null) return warning("quota", `${account.label}: could not be read`, "run postern doctor again");
  const left = Math.max(0, limit.requestsCap - limit.requestsUsed);
  const words = `${account.label}: ${left} of ${limit.requestsCap} actions are left`;
  const todo = "trade more volume, or buy actions at the exchange; beyond it one action in 10 s is taken";
  if (left === 0) return fault("quota", words, todo);
  return left < FEW_ACTIONS ? warning("quota", words, todo) : ok("quota", words);
}

function named({ name, address }: Agent): string {
  return `${name} (${address})`;
}
