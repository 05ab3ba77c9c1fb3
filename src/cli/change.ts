import { existsSync } from "node:fs";
import { createBudget } from "../exchange/budget.ts";
import { type ConnectedExchange, openExchange } from "../exchange/http.ts";
import { openTransport } from "../exchange/transport.ts";
import type { Places } from "../ops/data-directory.ts";
import { type Keyring, openKeyring, vaultKeyOf } from "../ops/keyring.ts";
import { OperatorError } from "../ops/operator.ts";
import type { DoneBy, GivenTo, OperatorVerb } from "../ops/operator-verbs.ts";
import { perform } from "../ops/operator-verbs.ts";
import { isGenuineSeal } from "../ops/seal-audit.ts";
import { findAuditSeal } from "../store/audit-seal.ts";
import { DirectoryInUse } from "../store/lock.ts";
import { Failure, type Input } from "./command.ts";
import { askGateway, MAY_BE_DONE } from "./control.ts";
import { changing, type Opened, reading, requireDatabase } from "./directory.ts";
import type { Outside } from "./outside.ts";
import { passphrase } from "./passphrase-input.ts";
import { type Unlocked, unlock } from "./unlock.ts";

export type ChangeNeeds = { keys: boolean; exchange: boolean };

/** Of what gives something away: only what is sealed is believed, and that takes the passphrase. */
export const SEALING: ChangeNeeds = { keys: true, exchange: false };

/** Weight that one command may spend at the exchange; it ends with the command. */
const WEIGHT_PER_MINUTE = 200;
const EXCHANGE_DEADLINE_MS = 10_000;
/** A gateway that starts or ends holds the directory and answers nobody; milliseconds until a command has waited enough for it. */
const STARTING_MS = 20_000;
const ASK_AGAIN_MS = 250;

/** Has the running gateway do what the verb says, or does it here when none runs. Returns what the verb came to. */
export async function change<Name extends OperatorVerb>(
  { input, outside, at }: Here,
  verb: Name,
  given: GivenTo<Name>,
  needs: ChangeNeeds = { keys: false, exchange: false },
): Promise<DoneBy<Name>> {
  requireDatabase(at);
  if (needs.keys) await requireNamedPassphrase({ input, outside, at });
  const startedMs = outside.clock.elapsedMs();
  for (let hasBroken = false; ; ) {
    const answer = await askGateway(at, verb, given);
    if (answer.isRunning) return answer.result;
    if (answer.hasBroken && !hasBroken) outside.warn(`postern: ${MAY_BE_DONE}\n`);
    hasBroken ||= answer.hasBroken;
    try {
      return await changeHere({ input, outside, at }, verb, given, needs);
    } catch (error) {
      if (error instanceof OperatorError) throw new Failure(error.message);
      const isStarting = error instanceof DirectoryInUse && outside.clock.elapsedMs() - startedMs < STARTING_MS;
      if (!isStarting) throw error;
      await outside.clock.sleep(ASK_AGAIN_MS);
    }
  }
}

/**
 * A running gateway has its passphrase and needs none; a file that is named is looked at all the same. One that is wrong, or that
 * others may read, is nothing to pass over: it is of another directory, or no secret any more.
 */
async function requireNamedPassphrase({ input, outside, at }: Here): Promise<void> {
  if (input.value("passphrase-file") === null || !existsSync(at.control)) return;
  try {
    const keyring = await unlockBeside(at, { input, outside });
    const seal = reading(at, ({ store }) => findAuditSeal(store));
    const isOfIt = seal === null || isGenuineSeal(keyring, seal);
    keyring.signers.lock();
    if (!isOfIt) throw new Failure("the passphrase is wrong: it is not that of this directory. Nothing was done");
  } catch (error) {
    if (error instanceof OperatorError) throw new Failure(`${error.message}. Nothing was done`);
    throw error;
  }
}

type Here = { input: Input; outside: Outside; at: Places };

/** Throws `DirectoryInUse`, having done nothing, where a gateway holds the directory. */
function changeHere<Name extends OperatorVerb>(
  { input, outside, at }: Here,
  verb: Name,
  given: GivenTo<Name>,
  needs: ChangeNeeds,
): Promise<DoneBy<Name>> {
  return changing(at, outside, async (opened) => {
    const unlocked = needs.keys ? await unlockHere(opened, input, outside) : null;
    const { network, exchangeUrl } = (unlocked ?? opened).instance;
    const keyring = unlocked?.keyring ?? null;
    const exchange = needs.exchange ? connect(exchangeUrl, outside) : null;
    try {
      const { clock, randomBytes } = outside;
      const changer = { store: opened.store, clock, randomBytes, network, keyring, exchange, trial: null, state: null };
      // What the verb of this name returns.
      return (await perform(changer, verb, given)) as DoneBy<Name>;
    } finally {
      keyring?.signers.lock();
    }
  });
}

async function unlockHere(opened: Opened, input: Input, outside: Outside): Promise<Unlocked> {
  const tell = ({ what }: { what: string }) => outside.warn(`postern: ${what}\n`);
  return unlock(opened, { passphrase: await passphrase(input, outside), tell }, outside);
}

/** The keys of a directory that no gateway holds, without changing it. Lock them after use. */
export async function unlockBeside(
  at: Places,
  { input, outside }: { input: Input; outside: Outside },
): Promise<Keyring> {
  const words = await passphrase(input, outside);
  const vaultKey = await vaultKeyOf(
    reading(at, ({ instance }) => instance),
    words,
  );
  return reading(at, ({ store, instance }) =>
    openKeyring({ store, network: instance.network, vaultKey, randomBytes: outside.randomBytes }),
  );
}

export function connect(
  baseUrl: string,
  { clock, schedule }: Outside,
  weightPerMinute = WEIGHT_PER_MINUTE,
): ConnectedExchange {
  const timings = { deadlineMs: EXCHANGE_DEADLINE_MS };
  return openExchange({
    baseUrl,
    transport: openTransport(schedule),
    clock,
    budget: createBudget({ weightPerMinute }),
    timings,
  });
}
