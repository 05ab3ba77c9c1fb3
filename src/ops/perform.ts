import type { Readiness } from "../core/readiness.ts";
import type { GatewayState } from "../deps.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { AuditSeal } from "../store/audit-seal.ts";
import { fromHex } from "../wire/hex.ts";
import { addAccount } from "./add-account.ts";
import { approveOwnAgent } from "./approve-agent.ts";
import { checkSeal } from "./believe-rows.ts";
import { blockKey } from "./block-key.ts";
import type { PassphraseFacts } from "./examine-passphrase.ts";
import { importAgent } from "./import-agent.ts";
import { keepKey } from "./keep-key.ts";
import type { Keyring } from "./keyring.ts";
import { newAgent } from "./new-agent.ts";
import { type Operator, OperatorError } from "./operator.ts";
import { releaseUnknown } from "./release-unknown.ts";
import { retireOwnAgent } from "./retire-agent.ts";
import { newSetupLink, setupUrl } from "./set-up/tokens.ts";
import { type Listener, tellState } from "./tell-state.ts";
import type { Trial } from "./trial.ts";
import { upgradeStatus } from "./upgrade-status.ts";

/** What changes a data directory: a running gateway has all of it, a command only what its verb needs. */
export type Changer = Operator & {
  keyring: Keyring | null;
  /** Of a running gateway; the paper demo, which keeps its own, has none. */
  passphrase?: PassphraseFacts | null;
  exchange: Pick<Exchange, "send" | "info"> | null;
  /** Of a running gateway; null for a command that opened the directory itself. */
  trial: Trial | null;
  state: GatewayState | null;
  /** Left out for a command that opened the directory itself. */
  running?: Running;
};

/** What a running gateway was started as, which only it knows for sure. */
export type Running = {
  version: string;
  /** Where its page is. */
  pageUrl: string;
  /** What grants and revocations are signed for. */
  audience: string;
  /** That of a demo moves with its port. */
  exchangeUrl: string;
  /** Where it and what belongs to it can be reached. */
  listeners: readonly Listener[];
  /** Whether orders are taken, for each account. */
  readiness(): Readiness;
  /** Asks it as a client does. */
  post(path: string, body: Readonly<Record<string, unknown>>): Promise<object>;
};

/** The facts of a verb, as they came over the control socket or from a command line. */
export type Facts = Readonly<Record<string, unknown>>;

const VERBS: Readonly<Record<string, (changer: Changer, facts: Facts) => object | Promise<object>>> = {
  add_account: (changer, facts) => {
    requireSealing(changer);
    return addAccount(changer, {
      label: text(facts, "label"),
      kind: oneOf(facts, "kind", ["main", "subaccount", "vault", "copy"]),
      address: text(facts, "address"),
      parentId: facts["parentId"] === null ? null : text(facts, "parentId"),
    });
  },
  new_agent: (changer, facts) => {
    const { keyring } = changer;
    if (keyring === null) throw new OperatorError("the agent keys are locked");
    const replaces = facts["replaces"] === undefined ? null : text(facts, "replaces").toLowerCase();
    return newAgent({ ...changer, keyring }, text(facts, "ownerAddress"), replaces);
  },
  import_agent: (changer, facts) => {
    const { keyring, exchange } = changer;
    if (keyring === null || exchange === null) throw new OperatorError("the agent keys are locked");
    const privateKey = fromHex(text(facts, "privateKey"));
    if (privateKey === null) throw new OperatorError("this is no private key");
    return importAgent({ ...changer, keyring, exchange }, { ownerAddress: text(facts, "ownerAddress"), privateKey });
  },
  retire_agent: (changer, facts) => retireOwnAgent(changer, text(facts, "address")),
  approve_agent: (changer, facts) => {
    const { exchange } = changer;
    requireSealing(changer);
    if (exchange === null) throw new OperatorError("the exchange is not connected");
    const nonce = wholeNumber(facts, "nonce");
    const validUntilMs = facts["validUntilMs"] === undefined ? null : wholeNumber(facts, "validUntilMs");
    const signed = { agentAddress: text(facts, "agentAddress"), nonce, signature: text(facts, "signature") };
    const approval = { ...signed, validUntilMs };
    return approveOwnAgent({ ...changer, exchange }, approval);
  },
  tell_state: (changer) => {
    const { store, state, keyring } = changer;
    if (state === null || keyring === null) throw new OperatorError("no gateway runs");
    const { readiness, listeners } = requireRunning(changer);
    return tellState({ store, state, keyring, readiness: readiness(), listeners });
  },
  check_audit_seal: ({ keyring, store }, facts) => {
    if (keyring === null) throw new OperatorError("the agent keys are locked");
    return checkSeal(store, { keyring, seal: sealOf(facts["seal"]) });
  },
  tell_passphrase: ({ passphrase }) => ({ facts: passphrase ?? null }),
  new_setup_link: (changer) => {
    const { pageUrl } = requireRunning(changer);
    const { token, expiresAtMs } = newSetupLink(changer);
    return { setup_url: setupUrl(pageUrl, token), expires_at_ms: expiresAtMs };
  },
  block_key: (changer, facts) => blockKey(changer, text(facts, "keyHash")),
  keep_key: (changer, facts) => {
    requireSealing(changer);
    return keepKey(changer, text(facts, "keyHash"));
  },
  release_unknown: (changer, facts) => releaseUnknown(changer, text(facts, "id")),
  tell_where: (changer) => {
    const { audience, exchangeUrl } = requireRunning(changer);
    return { audience, exchangeUrl };
  },
  post: (changer, facts) => {
    const { body } = facts;
    if (typeof body !== "object" || body === null) throw new OperatorError("body is missing");
    return requireRunning(changer).post(oneOf(facts, "path", SIGNED_BY_THE_OWNER), { ...body });
  },
  upgrade_status: (changer) => upgradeStatus(examined(changer)),
  open_writes: (changer) => openWrites(changer),
};

/** The two requests whose right is the owner's signature in them, and no key: who brings them makes no difference. */
const SIGNED_BY_THE_OWNER = ["/v1/api-keys", "/v1/api-keys/revoke"];

/** Does what the operator asked for; throws an `OperatorError` when it cannot be done. */
export async function perform(changer: Changer, verb: string, facts: Facts): Promise<object> {
  const deed = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (deed === undefined) throw new OperatorError(`this gateway does not know the verb "${verb}"`);
  if (changer.trial?.isOn() === true && !TRIAL_VERBS.has(verb)) {
    throw new OperatorError("an upgrade is being checked, and nothing is changed before that has ended");
  }
  return deed(changer, facts);
}

/** What gives something away is believed later only if it is sealed now, which takes the passphrase. */
function requireSealing({ keyring }: Changer): void {
  if (keyring === null) throw new OperatorError("the agent keys are locked");
}

function sealOf(given: unknown): AuditSeal {
  const isRecord = typeof given === "object" && given !== null;
  const facts: Facts = isRecord ? { ...given } : {};
  return {
    rowId: wholeNumber(facts, "rowId"),
    chain: text(facts, "chain"),
    sealedAtMs: wholeNumber(facts, "sealedAtMs"),
    rowsDigest: facts["rowsDigest"] === null ? null : text(facts, "rowsDigest"),
    mac: text(facts, "mac"),
  };
}

function wholeNumber(facts: Facts, name: string): number {
  const value = facts[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new OperatorError(`${name} is missing`);
  return value;
}

/** Those that only look: what would be changed during a trial would be lost when the old version is put back. */
const TRIAL_VERBS: ReadonlySet<string> = new Set([
  ...["upgrade_status", "open_writes", "tell_state", "tell_where", "tell_passphrase", "check_audit_seal"],
]);

function requireRunning({ running }: Changer): Running {
  if (running === undefined) throw new OperatorError("the gateway is not running");
  return running;
}

/** The demo of `serve --paper` is never on trial. */
function examined(changer: Changer) {
  const { keyring, trial } = changer;
  const { version } = requireRunning(changer);
  if (keyring === null) throw new OperatorError("the agent keys are locked");
  return { ...changer, keyring, version, isOnTrial: trial?.isOn() === true };
}

/** Ends a trial, unless something is wrong; says how it stands either way. */
function openWrites(changer: Changer) {
  const status = upgradeStatus(examined(changer));
  if (status.problems.length > 0) throw new OperatorError(status.problems.join("; "));
  changer.trial?.end();
  return { ...status, on_trial: false };
}

function text(facts: Facts, name: string): string {
  const value = facts[name];
  if (typeof value !== "string" || value === "") throw new OperatorError(`${name} is missing`);
  return value;
}

function oneOf<const T extends string>(facts: Facts, name: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === facts[name]);
  if (found === undefined) throw new OperatorError(`${name} is one of ${allowed.join(", ")}`);
  return found;
}
