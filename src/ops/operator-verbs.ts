/**
 * What an operator can have done, by the names that the control socket knows. Both ends are this program: a command gives
 * the facts that its verb reads and gets what it returns, by the same types.
 */
import { ApiError } from "../core/errors.ts";
import { HOOK_MODES, type WantedHook } from "../core/hook/hook.ts";
import { RECEIVER_KINDS } from "../core/notice/notice.ts";
import { DECISIONS } from "../core/proposal.ts";
import { isOfDisk } from "../store/heard-writes.ts";
import { fromHex } from "../wire/hex.ts";
import { addAccount } from "./add-account.ts";
import { approveOwnAgent } from "./approve-agent.ts";
import { checkSeal } from "./believe-rows.ts";
import { blockKey } from "./block-key.ts";
import { type Changer, type Running, requireExchange, requireKeyring, requireRunning } from "./changer.ts";
import { clearTrip } from "./clear-trip.ts";
import { oneOf, recordIn, sealIn, text, textsIn, type VerbFacts, wholeNumber } from "./facts.ts";
import { createHook, endHook, keepHook } from "./hooks.ts";
import { importAgent } from "./import-agent.ts";
import { keepKey } from "./keep-key.ts";
import { narrowKey } from "./narrow-key.ts";
import { newAgent } from "./new-agent.ts";
import { addReceiver, removeReceiver, testReceiver, type WantedReceiver } from "./notices/receivers.ts";
import { OperatorError } from "./operator.ts";
import { releaseUnknown } from "./release-unknown.ts";
import { retireOwnAgent } from "./retire-agent.ts";
import { newSetupLink, setupUrl } from "./set-up/tokens.ts";
import { flattenByOperator, resumeTrading, stopByOperator } from "./stop-trading.ts";
import { tellState } from "./tell-state.ts";
import { upgradeStatus } from "./upgrade-status.ts";

type VerbEntry<Given, Done extends object> = {
  /** Checks the facts; throws an `OperatorError` that names the one that is missing. */
  read(facts: VerbFacts): Given;
  run(changer: Changer, given: Given): Done | Promise<Done>;
  /** It only looks: what would be changed during a trial would be lost when the old version is put back. */
  isForTrials: boolean;
  perform(changer: Changer, facts: VerbFacts): Promise<Done>;
};

function changing<Given, Done extends object>(
  read: (facts: VerbFacts) => Given,
  run: (changer: Changer, given: Given) => Done | Promise<Done>,
): VerbEntry<Given, Done> {
  return { read, run, isForTrials: false, perform: async (changer, facts) => run(changer, read(facts)) };
}

function looking<Given, Done extends object>(
  read: (facts: VerbFacts) => Given,
  run: (changer: Changer, given: Given) => Done | Promise<Done>,
): VerbEntry<Given, Done> {
  return { ...changing(read, run), isForTrials: true };
}

function nothing(): Record<never, never> {
  return {};
}

function keyHashIn(facts: VerbFacts): { keyHash: string } {
  return { keyHash: text(facts, "keyHash") };
}

function optionalText(facts: VerbFacts, name: string): string | null {
  return facts[name] == null ? null : text(facts, name);
}

/** Of a list of markets, as a command takes it. */
function namesIn(markets: unknown): string[] {
  return typeof markets === "string" ? markets.split(",").map((name) => name.trim()) : [];
}

function receiverIn(facts: VerbFacts): WantedReceiver {
  return {
    name: text(facts, "name"),
    kind: oneOf(facts, "kind", RECEIVER_KINDS),
    url: optionalText(facts, "url"),
    token: optionalText(facts, "token"),
    chat: optionalText(facts, "chat"),
    isPrivateAllowed: facts["isPrivateAllowed"] === true,
    takesCommands: facts["takesCommands"] === true,
  };
}

function hookIn(facts: VerbFacts): WantedHook {
  return {
    ...keyHashIn(facts),
    name: text(facts, "name"),
    mode: oneOf(facts, "mode", HOOK_MODES),
    market: optionalText(facts, "market"),
    maxAgeMs: wholeNumber(facts, "maxAgeMs"),
    sameWithinMs: wholeNumber(facts, "sameWithinMs"),
    maxSlippageBps: wholeNumber(facts, "maxSlippageBps"),
    sources: optionalText(facts, "sources"),
    isRehearsal: facts["isRehearsal"] === true,
  };
}

export const OPERATOR_VERBS = {
  add_account: changing(
    (facts) => ({
      label: text(facts, "label"),
      kind: oneOf(facts, "kind", ["main", "subaccount", "vault", "copy"]),
      address: text(facts, "address"),
      parentId: facts["parentId"] === null ? null : text(facts, "parentId"),
    }),
    (changer, wanted) => {
      // What gives something away is believed later only if it is sealed now, which takes the passphrase.
      requireKeyring(changer);
      return addAccount(changer, wanted);
    },
  ),
  new_agent: changing(
    (facts) => ({
      ownerAddress: text(facts, "ownerAddress"),
      replaces: facts["replaces"] == null ? null : text(facts, "replaces").toLowerCase(),
    }),
    (changer, { ownerAddress, replaces }) =>
      newAgent({ ...changer, keyring: requireKeyring(changer) }, ownerAddress, replaces),
  ),
  import_agent: changing(
    (facts) => ({ ownerAddress: text(facts, "ownerAddress"), privateKey: text(facts, "privateKey") }),
    (changer, { ownerAddress, privateKey: hex }) => {
      const { exchange } = changer;
      const keyring = requireKeyring(changer);
      if (exchange === null) throw new OperatorError("the agent keys are locked");
      const privateKey = fromHex(hex);
      if (privateKey === null) throw new OperatorError("this is no private key");
      return importAgent({ ...changer, keyring, exchange }, { ownerAddress, privateKey });
    },
  ),
  retire_agent: changing(
    (facts) => ({ address: text(facts, "address") }),
    (changer, { address }) => retireOwnAgent(changer, address),
  ),
  approve_agent: changing(
    (facts) => ({
      agentAddress: text(facts, "agentAddress"),
      nonce: wholeNumber(facts, "nonce"),
      signature: text(facts, "signature"),
      validUntilMs: facts["validUntilMs"] == null ? null : wholeNumber(facts, "validUntilMs"),
    }),
    (changer, approval) => {
      requireKeyring(changer);
      return approveOwnAgent({ ...changer, exchange: requireExchange(changer) }, approval);
    },
  ),
  tell_state: looking(nothing, (changer) => {
    const { store, state, keyring } = changer;
    if (state === null || keyring === null) throw new OperatorError("no gateway runs");
    const { readiness, listeners } = requireRunning(changer);
    return tellState({ store, state, keyring, readiness: readiness(), listeners });
  }),
  check_audit_seal: looking(
    (facts) => ({ seal: sealIn(facts) }),
    (changer, { seal }) => checkSeal(changer.store, { keyring: requireKeyring(changer), seal }),
  ),
  tell_passphrase: looking(nothing, ({ passphrase }) => ({ facts: passphrase ?? null })),
  new_setup_link: changing(nothing, (changer) => {
    const { pageUrl } = requireRunning(changer);
    const { token, expiresAtMs } = newSetupLink(changer);
    return { setup_url: setupUrl(pageUrl, token), expires_at_ms: expiresAtMs };
  }),
  block_key: changing(
    (facts) => ({ ...keyHashIn(facts), cancelOrders: facts["cancelOrders"] === true }),
    (changer, { keyHash, cancelOrders }) => {
      const blocked = blockKey(changer, keyHash, cancelOrders);
      changer.running?.heedStops();
      return blocked;
    },
  ),
  keep_key: changing(
    (facts) => ({ ...keyHashIn(facts), takesOlderRails: facts["takesOlderRails"] === true }),
    (changer, { keyHash, takesOlderRails }) => {
      requireKeyring(changer);
      return keepKey(changer, keyHash, takesOlderRails);
    },
  ),
  narrow_key: changing(
    (facts) => ({
      ...keyHashIn(facts),
      rails: recordIn(facts, "rails"),
      cancelOrders: facts["cancelOrders"] === true,
    }),
    (changer, given) => {
      // One-way: a slip of the pen would take every market away until the owner signs again.
      const wrongName = changer.running?.misnamed(namesIn(given.rails["markets"])) ?? null;
      if (wrongName !== null) throw new OperatorError(`--markets ${wrongName}. Nothing was narrowed`);
      const done = narrowKey(changer, given);
      changer.running?.heedStops();
      return done;
    },
  ),
  stop_trading: changing(
    (facts) => ({
      accountId: text(facts, "accountId"),
      keyHash: facts["keyHash"] == null ? null : text(facts, "keyHash"),
      keepsProtection: facts["keepsProtection"] !== false,
    }),
    (changer, wanted) => {
      const stop = stopByOperator(changer, wanted);
      changer.running?.heedStops();
      return stop;
    },
  ),
  flatten_stop: changing(
    (facts) => ({
      accountId: text(facts, "accountId"),
      stopId: text(facts, "stopId"),
      maxSlippageBps: wholeNumber(facts, "maxSlippageBps"),
    }),
    (changer, wanted) => {
      const flattened = flattenByOperator(changer, wanted);
      changer.running?.heedStops();
      return flattened;
    },
  ),
  resume_trading: changing(
    (facts) => ({
      accountId: text(facts, "accountId"),
      stopId: facts["stopId"] == null ? null : text(facts, "stopId"),
    }),
    (changer, given) => {
      // It gives something away: without the passphrase the sealed stop would be back at the next start.
      requireKeyring(changer);
      return resumeTrading(changer, given);
    },
  ),
  clear_trip: changing(
    (facts) => ({ accountId: text(facts, "accountId"), bot: text(facts, "bot") }),
    (changer, given) => {
      // It gives something away: without the passphrase the sealed trip would be back at the next start.
      requireKeyring(changer);
      return clearTrip(changer, given);
    },
  ),
  decide_proposal: changing(
    (facts) => ({ proposalId: text(facts, "proposalId"), decision: oneOf(facts, "decision", DECISIONS) }),
    (changer, wanted) => {
      // Who places it has the keys too: without the passphrase the approval would not be believed.
      const running = requireRunning(changer);
      requireKeyring(changer);
      return decided(running, wanted);
    },
  ),
  create_hook: changing(hookIn, (changer, wanted) => {
    // It gives something away: without the passphrase it would open nothing at the next start.
    requireKeyring(changer);
    return createHook(changer, wanted);
  }),
  revoke_hook: changing(
    (facts) => ({ id: text(facts, "id") }),
    (changer, given) => {
      // Else its sealed row would be at odds with this one.
      requireKeyring(changer);
      return endHook(changer, given);
    },
  ),
  keep_hook: changing(
    (facts) => ({ id: text(facts, "id") }),
    (changer, given) => {
      // It gives something away.
      requireKeyring(changer);
      return keepHook(changer, given);
    },
  ),
  add_receiver: changing(receiverIn, (changer, wanted) => {
    const keyring = requireKeyring(changer);
    return addReceiver({ ...changer, keyring }, wanted);
  }),
  remove_receiver: changing((facts) => ({ name: text(facts, "name") }), removeReceiver),
  test_receiver: changing(
    (facts) => ({ name: text(facts, "name") }),
    (changer, given) => testReceiver({ ...changer, keyring: requireKeyring(changer) }, given),
  ),
  release_unknown: changing(
    (facts) => ({ id: text(facts, "id") }),
    (changer, { id }) => releaseUnknown(changer, id),
  ),
  tell_where: looking(nothing, (changer) => {
    const { audience, exchangeUrl, clientUrl } = requireRunning(changer);
    return { audience, exchangeUrl, clientUrl };
  }),
  tell_markets: looking(
    (facts) => ({ names: textsIn(facts, "names") }),
    (changer, { names }) => ({ markets: requireRunning(changer).marketsNamed(names) }),
  ),
  tell_misnamed: looking(
    (facts) => ({ names: textsIn(facts, "names") }),
    (changer, { names }) => ({ misnamed: requireRunning(changer).misnamed(names) }),
  ),
  // The two requests whose right is the owner's signature in them, and no key: who brings them makes no difference.
  post: changing(
    (facts) => ({
      path: oneOf(facts, "path", [
        "/v1/api-keys",
        "/v1/api-keys/limited",
        "/v1/api-keys/revoke",
        "/v1/api-keys/revocations",
      ]),
      body: recordIn(facts, "body"),
    }),
    (changer, { path, body }) => requireRunning(changer).post(path, body),
  ),
  upgrade_status: looking(nothing, (changer) => upgradeStatus(examined(changer))),
  open_writes: looking(nothing, (changer) => openWrites(changer)),
} as const;

export type OperatorVerb = keyof typeof OPERATOR_VERBS;

/** What a verb is given. */
export type GivenTo<Name extends OperatorVerb> = ReturnType<(typeof OPERATOR_VERBS)[Name]["read"]>;

/** What it comes to; over the socket as JSON, which holds it whole. */
export type DoneBy<Name extends OperatorVerb> = Awaited<ReturnType<(typeof OPERATOR_VERBS)[Name]["run"]>>;

/** The demo of `serve --paper` is never on trial. */
function examined(changer: Changer) {
  const { version } = requireRunning(changer);
  return { ...changer, keyring: requireKeyring(changer), version, isOnTrial: changer.trial?.isOn() === true };
}

/** What the gateway says of it, as it is: a refusal in the words of an operator. */
async function decided(running: Running, wanted: Parameters<Running["decideProposal"]>[0]): Promise<object> {
  try {
    const told: unknown = JSON.parse(await running.decideProposal(wanted));
    if (typeof told !== "object" || told === null) throw new Error("bug: a proposal that is no object");
    return told;
  } catch (error) {
    if (error instanceof ApiError) throw new OperatorError(error.message);
    throw error;
  }
}

/** Ends a trial, unless something is wrong; says how it stands either way. */
function openWrites(changer: Changer) {
  const status = upgradeStatus(examined(changer));
  if (status.problems.length > 0) throw new OperatorError(status.problems.join("; "));
  changer.trial?.end();
  return { ...status, on_trial: false };
}

/** Does what the operator asked for; throws an `OperatorError` when it cannot be done, and where the disk takes nothing. */
export async function perform(changer: Changer, name: string, facts: VerbFacts): Promise<object> {
  if (!isVerb(name)) throw new OperatorError(`this gateway does not know the verb "${name}"`);
  const verb = OPERATOR_VERBS[name];
  if (changer.trial?.isOn() === true && !verb.isForTrials) {
    throw new OperatorError("an upgrade is being checked, and nothing is changed before that has ended");
  }
  try {
    return await verb.perform(changer, facts);
  } catch (error) {
    throw isOfDisk(error) ? notWritten(error) : error;
  }
}

/** A stop, say, that was not written down stops nothing: that is to be known at once. */
function notWritten({ message }: Error): OperatorError {
  return new OperatorError(
    `${message}: what was asked for was not written down, and does not hold. No order is taken either until the disk of the data directory takes writes: make room there, and give the same command again`,
  );
}

function isVerb(name: string): name is OperatorVerb {
  return Object.hasOwn(OPERATOR_VERBS, name);
}
