/**
 * `serve --paper`: gateway, exchange and a funded demo account in one process, with nothing to set up. Every step
 * looks at what is there already, so a start that was cut off is finished by the next one.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Config } from "../config.ts";
import type { Account, Agent } from "../core/account.ts";
import { openLog } from "../log.ts";
import { type ApprovingOperator, approvalOf, approveOwnAgent } from "../ops/approve-agent.ts";
import { hasDatabase, isDemo, isVacant, makeDirectory, type Places } from "../ops/data-directory.ts";
import { makeDatabase } from "../ops/initialize.ts";
import type { Keyring } from "../ops/keyring.ts";
import { newAgent } from "../ops/new-agent.ts";
import { PAPER_DEFAULTS } from "../paper/paper-exchange.ts";
import { servePaper as listenPaper, type PaperServer } from "../paper/server.ts";
import { listAccounts } from "../store/accounts.ts";
import { listAgents } from "../store/agents.ts";
import { findApiKey } from "../store/api-keys.ts";
import { leaveCheckpoints } from "../store/open.ts";
import { parseExtraAgents } from "../wire/answer/account.ts";
import { approvalDigest } from "../wire/approval.ts";
import { keyHash } from "../wire/grant.ts";
import { Failure, Misuse } from "./command.ts";
import { type Demo, openDemo, signAsOwner, signatureText, signedGrant } from "./demo.ts";
import { demoLines, demoMid } from "./demo-lines.ts";
import { holding, type Opened, opening } from "./directory.ts";
import { bind } from "./door.ts";
import { paperExposureOf, urlOf } from "./exposure.ts";
import { contentOf } from "./gateway-client.ts";
import { takeAlerts } from "./hooks-door.ts";
import { type Listening, listen } from "./listen.ts";
import { openLogLines } from "./log-lines.ts";
import type { Outside } from "./outside.ts";
import { warnOfPaper } from "./paper.ts";
import { type FaultOptions, openExchange } from "./paper-faults.ts";
import { tellIn, type Unlocked, unlock } from "./unlock.ts";

export type PaperInput = { config: Config; at: Places; faults: FaultOptions; asJson: boolean };

/** What the demo is called where people read it. */
const LABEL = "demo";

export async function servePaper(input: PaperInput, outside: Outside): Promise<void> {
  const { at } = input;
  if (!isDemo(at) && !isVacant(at)) {
    throw new Misuse(`${at.directory} was not made by "serve --paper"; choose another with --data-dir`);
  }
  // It trades for its own account at each start, so there is nothing that could be taken back.
  if (existsSync(at.trial))
    throw new Failure(
      `${at.directory} is a paper demo, which is never on trial: it takes writes from its start. Remove ${at.trial}`,
    );
  const stop = outside.stopRequested();
  makeDirectory(at);
  await holding(at, outside, async () => {
    const demo = openDemo(at, outside);
    if (!hasDatabase(at)) await setUp(input, demo, outside);
    const exchange = startExchange(input, demo, outside);
    try {
      await opening(at, (opened) => serve({ ...input, demo, opened, exchangeUrl: exchange.url }, outside, stop));
    } finally {
      await exchange.stop();
    }
  });
}

async function setUp({ config, at }: PaperInput, demo: Demo, { clock, randomBytes }: Outside): Promise<void> {
  await makeDatabase({
    places: at,
    network: "paper",
    exchangeUrl: urlOf(config.paperListen),
    owner: demo.ownerAddress,
    label: LABEL,
    passphrase: demo.passphrase,
    vaultCost: "random",
    clock,
    randomBytes,
  });
}

/** The exchange on its own port; it signs for testnet, so nothing signed here is worth anything elsewhere. */
function startExchange({ config, at, faults }: PaperInput, demo: Demo, { clock, every }: Outside): PaperServer {
  const paper = openExchange({
    ...PAPER_DEFAULTS,
    ...faults,
    network: "testnet",
    fund: [demo.ownerAddress],
    dataDirectory: at.paper,
    nowMs: () => clock.nowMs(),
    sleep: (ms) => clock.sleep(ms),
  });
  const server = bind(() => listenPaper(paper, { ...config.paperListen, every }), {
    ...config.paperListen,
    option: "paper-listen",
  });
  return {
    ...server,
    async stop() {
      await server.stop();
      paper.stop();
    },
  };
}

type Serving = PaperInput & { demo: Demo; opened: Opened; exchangeUrl: string };

async function serve(serving: Serving, outside: Outside, stop: Promise<string>): Promise<void> {
  const { config, at, demo, exchangeUrl, asJson } = serving;
  // The exchange may have moved to another port since the directory was made; it is still the same one.
  const lines = openLogLines(outside.clock, outside.warn);
  const log = openLog(config.logLevel, lines);
  const telling = { passphrase: demo.passphrase, tell: tellIn(log) };
  // Before the first that writes, which may be an alert.
  if (config.hasExternalCheckpoints) leaveCheckpoints(serving.opened.store);
  const alerts = takeAlerts({ config, store: serving.opened.store, log, trial: null }, outside);
  const { instance, ...keys } = await unlock(serving.opened, telling, outside).catch(async (error: unknown) => {
    await alerts.stop();
    throw error;
  });
  const unlocked = { ...keys, instance: { ...instance, exchangeUrl } };
  const paperExposure = paperExposureOf(config.paperListen);
  const besides = [{ what: "paper exchange", url: exchangeUrl, exposure: paperExposure }] as const;
  const demoOwner = { sign: (digest: Uint8Array) => signatureText(signAsOwner(demo, digest)) };
  const opening = { config, at, unlocked, log, trial: null, passphrase: null, door: null, alerts, besides, demoOwner };
  const listening = listen(opening, outside);
  warnOfPaper(config.paperListen, exchangeUrl, outside);
  try {
    await listening.gateway.start();
    const account = await prepareAccount({ demo, unlocked, listening }, outside);
    // A certificate is made for the public name.
    const baseUrl = config.tls === null ? listening.baseUrl : listening.pageUrl;
    const facts = { base_url: baseUrl, exchange_url: exchangeUrl, account: account.id, api_key: demo.apiKey };
    const orderName = `demo-${bytesToHex(outside.randomBytes(4))}`;
    const certificateFile = config.tls === null ? null : resolve(config.tls.certificateFile);
    const lines = asJson ? [] : demoLines(facts, { mid: await midOf(listening), orderName, certificateFile });
    outside.print(asJson ? `${JSON.stringify(facts)}\n` : lines.join("\n"));
    log.info({ signal: await stop }, "stopping");
  } finally {
    await listening.stop();
    lines.flush();
  }
}

type DemoPreparing = { demo: Demo; unlocked: Unlocked; listening: Listening };

/** The demo account with an agent that the exchange knows and an API key that works. */
async function prepareAccount({ demo, unlocked, listening }: DemoPreparing, outside: Outside): Promise<Account> {
  const { store, instance, keyring } = unlocked;
  const [account] = listAccounts(store);
  if (account === undefined) throw new Failure("the demo has no account; remove its directory to start a new one");
  const { clock, randomBytes } = outside;
  const { exchange } = listening.gateway.deps;
  const operator = { store, clock, randomBytes, network: instance.network, keyring, exchange };
  await ensureAgent(operator, demo);
  const key = findApiKey(store, keyHash(demo.apiKey));
  // One of before signatures were kept is granted again; whoever blocked or revoked it meant it.
  if (key === null || key.fault !== null || (key.grant === null && key.state === "active")) {
    const { audience } = listening.gateway.deps.settings;
    const grant = signedGrant(demo, { audience, accountId: account.id, issuedAtMs: clock.nowMs() });
    contentOf(await listening.post("/v1/api-keys", grant));
  }
  return account;
}

/** An agent that ends within this time is replaced at start, milliseconds. */
const MIN_AGENT_LIFE_MS = 7 * 24 * 60 * 60 * 1_000;

async function ensureAgent(operator: ApprovingOperator & { keyring: Keyring }, demo: Demo): Promise<void> {
  const nowMs = operator.clock.nowMs();
  const answer = await operator.exchange.info({ type: "extraAgents", user: demo.ownerAddress }, { purpose: "settle" });
  const known = (answer.kind === "ok" ? parseExtraAgents(answer.json) : null) ?? [];
  const lasting = known.filter(({ validUntilMs }) => (validUntilMs ?? nowMs) > nowMs + MIN_AGENT_LIFE_MS);
  const ours = listAgents(operator.store).filter((agent) => agent.state !== "retired");
  const isApproved = ours.some(
    (agent) => agent.state === "approved" && lasting.some(({ address }) => address === agent.address),
  );
  if (isApproved) return;
  const agent = ours.find(({ state }) => state === "new") ?? newAgent(operator, demo.ownerAddress);
  await approveAsOwner(operator, demo, { agent, nonce: nowMs });
}

async function approveAsOwner(
  operator: ApprovingOperator,
  demo: Demo,
  { agent, nonce }: { agent: Pick<Agent, "address" | "name">; nonce: number },
): Promise<void> {
  const digest = approvalDigest(approvalOf("paper", agent, nonce));
  const signature = signatureText(signAsOwner(demo, digest));
  await approveOwnAgent(operator, { agentAddress: agent.address, nonce, signature });
}

async function midOf(listening: Listening): Promise<string> {
  const answer = await listening.gateway.deps.exchange.info({ type: "allMids" }, { purpose: "read" });
  const mid = answer.kind === "ok" ? demoMid(answer.json) : null;
  if (mid === null) throw new Failure("the built-in exchange has no price for the demo's market");
  return mid;
}
