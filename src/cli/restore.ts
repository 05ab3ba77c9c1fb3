import { resolve } from "node:path";
import type { Network } from "../core/account.ts";
import { counted } from "../core/counted.ts";
import { hookReleases, releases, rotations, stops } from "../ops/next-commands.ts";
import { restore } from "../ops/restore.ts";
import { notKeptTo, TAKEN_AWAY } from "../ops/since-backup.ts";
import { listAccounts } from "../store/accounts.ts";
import { listReceivers } from "../store/notice-receivers.ts";
import type { Store } from "../store/open.ts";
import { listStandingStops } from "../store/stops.ts";
import { attempt, factsOf, linesOf } from "./backup.ts";
import { type Command, DATA_DIRECTORY, type Input, JSON_OUTPUT, Misuse, UNOFFICIAL_EXCHANGE } from "./command.ts";
import { places, reading } from "./directory.ts";
import { isoTime, present } from "./output.ts";

/** Commands that are printed for API keys on hold, and for hooks; the list has the rest. */
const MAX_RELEASES = 10;

export const restoreCommand: Command = {
  name: "restore",
  summary: "put a backup into an empty data directory, in place of a machine that is lost",
  options: {
    network: {
      value: "NETWORK",
      help: "refuse a backup of any other: mainnet, testnet or paper",
      variable: "POSTERN_NETWORK",
    },
    "unofficial-exchange": UNOFFICIAL_EXCHANGE,
    "accept-changed": {
      value: null,
      help: "take a backup of which something has changed since it was written, where there is no other",
    },
    "data-dir": DATA_DIRECTORY,
    json: JSON_OUTPUT,
  },
  positionals: ["FILE"],
  async run(input, outside) {
    const at = places(input, outside);
    const file = resolve(input.positionals[0] ?? "");
    const { clock, processId } = outside;
    const isUnofficialAllowed = input.isSet("unofficial-exchange");
    const isChangedAllowed = input.isSet("accept-changed");
    const allowed = { isUnofficialAllowed, isChangedAllowed };
    const wanted = { places: at, file, network: networkOf(input), ...allowed, processId, clock };
    const restored = attempt(() => restore(wanted));
    const { snapshotAtMs, keysHeld, hooksHeld, agentsRetired, changedTables } = restored;
    const held = { keys_held: keysHeld, hooks_held: hooksHeld, agents_retired: agentsRetired };
    const facts = { snapshot_at: isoTime(snapshotAtMs), changed_tables: changedTables, ...held };
    const { rotate, keys, hooks, brought } = reading(at, ({ store }) => ({
      rotate: rotations(store),
      keys: releases(store),
      hooks: hookReleases(store),
      brought: broughtBack(store),
    }));
    present({ input, outside }, { data_directory: at.directory, ...factsOf(restored), ...facts, ...brought.facts }, [
      `Restored ${at.directory} from ${file}`,
      ...linesOf(restored),
      asWritten(changedTables),
      `Knows     what was until ${facts.snapshot_at}; what came after it is read from the exchange before any order`,
      "",
      "Make sure that the lost machine cannot come back, then, for each owner:",
      ...rotate.map((command) => `  ${command}`),
      "It makes a new agent key, because the lost machine may still have the old ones, which are retired, and prints what the",
      "owner signs, and the command that sends the signature: the new one takes the old one's name, which ends that one at",
      "the exchange. Start the gateway as well; it opens writes once it has read what happened since:",
      "  postern serve",
      ...notKnown(facts.snapshot_at, brought),
      ...onHold(keys, { each: "API key", otherwise: "register its grant again, revoke it", list: "postern key list" }),
      ...onHold(hooks, { each: "hook", otherwise: "revoke it (postern hook revoke)", list: "postern hook list" }),
    ]);
  },
};

function asWritten(changedTables: readonly string[] | null): string {
  if (changedTables === null) return "As written  not known: it carries no digests (a version before them wrote it)";
  const changed = changedTables.join(", ");
  return changed === ""
    ? "As written  yes"
    : `As written  NO: what is in ${changed} has changed since, and is taken as it is`;
}

/** What stands as it stood in the backup, and goes on without anybody's word. */
function broughtBack(store: Store) {
  const standing = listAccounts(store).flatMap(({ id }) => listStandingStops(store, id));
  const receivers = listReceivers(store).map(({ name }) => name);
  return { facts: { stops_standing: standing.length, notice_receivers: receivers }, stop: stops(store) };
}

/** What was taken away after the backup may be back, and only the operator knows of it. */
function notKnown(snapshotAt: string, { facts, stop }: ReturnType<typeof broughtBack>): string[] {
  const { stops_standing: standing, notice_receivers: receivers } = facts;
  return [
    `The gateway is restored; ${notKeptTo(`after ${snapshotAt}`)}`,
    `  ${TAKEN_AWAY}`,
    `Of before it ${counted(standing, "stop")} ${standing === 1 ? "stands" : "stand"}. If trading was stopped after it, or you are not sure, stop it before you release anything:`,
    ...stop.slice(0, MAX_RELEASES).map((command) => `  ${command}`),
    ...receivers
      .slice(0, MAX_RELEASES)
      .map((name) => `${name} is told what happens, also if it was removed since: postern notice remove ${name}`),
  ];
}

function onHold(
  releasing: readonly string[],
  { each, otherwise, list }: { each: string; otherwise: string; list: string },
): string[] {
  if (releasing.length === 0) return [];
  const whom = releasing.length === 1 ? `For the ${each}` : `For each of the ${releasing.length} ${each}s`;
  return [
    `${whom} on hold: ${otherwise}, or release it:`,
    ...releasing.slice(0, MAX_RELEASES).map((command) => `  ${command}`),
    ...(releasing.length > MAX_RELEASES ? [`and so on for those that ${list} shows as held.`] : []),
  ];
}

const NETWORKS: readonly Network[] = ["mainnet", "testnet", "paper"];

function networkOf(input: Input): Network | null {
  const given = input.value("network");
  if (given === null) return null;
  const found = NETWORKS.find((network) => network === given);
  if (found === undefined) throw new Misuse("--network is mainnet, testnet or paper");
  return found;
}
