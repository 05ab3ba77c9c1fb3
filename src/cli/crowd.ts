/**
 * Keeps the number of open connections below the number of descriptors that the process has: the runtime itself accepts every
 * connection. A frequent look is cheap (which descriptor is next?); the list of connections is read only where many have come.
 */
import { type CrowdCounts, type CrowdRoom, type Guest, type Standing, whoLeaves } from "../core/crowd.ts";
import type { Log } from "../deps.ts";
import type { Descriptors, OpenConnection } from "./descriptors.ts";

export type Crowd = {
  /** At this time, by a clock that only goes forward. */
  look(nowMs: number): void;
  /** Many have come: it is worth looking more often. */
  isCrowded(): boolean;
  counts(): CrowdCounts;
  /** Whether no descriptor was left within the second before the last look. */
  isShort(): boolean;
};

export type CrowdRules = {
  room: CrowdRoom;
  ports: ReadonlySet<number>;
  /** Whom a connection counts for, and whether that is a proxy. */
  clientOf(address: string): { client: string; isProxy: boolean };
  standing(connection: OpenConnection): Standing;
  /** Told which connections there are, after each close look. */
  present(connections: readonly OpenConnection[]): void;
};

/** Between two looks, milliseconds: a flood needs longer to fill what is between the room and the limit. */
export const LOOK_MS = { calm: 100, crowded: 20 } as const;
/** The list of connections is read at least this often, and a shortage is reported for so long, milliseconds. */
const CLOSE_LOOK_MS = 1_000;
/** Descriptors for the database, its doors, the runtime and commands. */
const OWN_DESCRIPTORS = 128;
/** The clients' share of the other descriptors. The rest is for the exchange: each request of a client may need a connection to it. */
const CLIENTS_SHARE = 2 / 3;
/** With room for fewer connections than this the gateway does not start. */
const LEAST_ROOM = 32;
/** A line in the log at most this often, milliseconds. */
const TELL_MS = 60_000;
/** The list is read again after so many new connections at the latest: reading it takes longer the more there are. */
const MOST_NEW = 1_024;

/** The room for clients that the operator asks for, cut to what the limit of open files allows. Throws where that is too little. */
export function roomWithin(descriptorLimit: number, wanted: CrowdRoom): CrowdRoom {
  const most = Math.floor((descriptorLimit - OWN_DESCRIPTORS) * CLIENTS_SHARE);
  if (most < LEAST_ROOM) {
    const least = Math.ceil(LEAST_ROOM / CLIENTS_SHARE) + OWN_DESCRIPTORS;
    throw new RangeError(`the limit of open files is ${descriptorLimit}, and at least ${least} are needed`);
  }
  const connections = Math.min(wanted.connections, most);
  return { connections, perClient: Math.min(wanted.perClient, Math.ceil(connections / 2)) };
}

/** The lowest descriptor that is kept back from clients: the upper half of those beyond their room. */
function keptFrom(descriptorLimit: number, { connections }: CrowdRoom): number {
  return descriptorLimit - Math.floor((descriptorLimit - connections) / 2);
}

export function openCrowd(descriptors: Descriptors, rules: CrowdRules, log: Log): Crowd {
  const { room } = rules;
  const counts: CrowdCounts = {
    connections: 0,
    room: room.connections,
    openDescriptors: 0,
    descriptorLimit: descriptors.limit,
    ended: 0,
    shortages: 0,
  };
  descriptors.keepBack(keptFrom(descriptors.limit, room));
  const last = { lookMs: 0, shortageMs: -Infinity, closeLookMs: -Infinity, next: 0 };
  /** The list of connections is read once the next free descriptor is this one or a higher one. */
  let crowdedFrom = room.connections;
  const tellEnded = atMostEvery(TELL_MS);
  const tellShort = atMostEvery(TELL_MS);

  function lookClosely(nowMs: number): void {
    const { open, connections } = descriptors.look(rules.ports);
    rules.present(connections);
    const leaving = whoLeaves(connections.map(guestOf), room);
    for (const descriptor of leaving) descriptors.end(descriptor);
    counts.connections = connections.length - leaving.length;
    counts.openDescriptors = open;
    counts.ended += leaving.length;
    const left = open - leaving.length;
    crowdedFrom = Math.max(room.connections, left + Math.min(MOST_NEW, Math.floor((descriptors.limit - left) / 4)));
    last.closeLookMs = nowMs;
    if (leaving.length > 0 && tellEnded(nowMs)) {
      log.warn({ count: leaving.length, open: connections.length }, "too many connections; idle ones were closed");
    }
  }

  function guestOf(connection: OpenConnection): Guest {
    const { descriptor, address, silentMs, hasSpoken } = connection;
    const standing = hasSpoken ? rules.standing(connection) : "silent";
    return { id: descriptor, silentMs, ...rules.clientOf(address), standing };
  }

  function noteShortage(nowMs: number): void {
    last.shortageMs = nowMs;
    counts.shortages += 1;
    if (!tellShort(nowMs)) return;
    const error = `EMFILE: all ${descriptors.limit} descriptors are in use`;
    log.error({ error, count: counts.shortages }, "no file descriptor is left");
  }

  return {
    look(nowMs) {
      const next = descriptors.nextFree();
      last.lookMs = nowMs;
      last.next = next ?? descriptors.limit;
      if (next === null && descriptors.areExhausted()) noteShortage(nowMs);
      if (last.next >= crowdedFrom || nowMs - last.closeLookMs >= CLOSE_LOOK_MS) lookClosely(nowMs);
    },
    isCrowded: () => last.next >= room.connections / 2,
    counts: () => counts,
    isShort: () => last.lookMs - last.shortageMs < CLOSE_LOOK_MS,
  };
}

/** Due once, and then not again for so long. */
function atMostEvery(everyMs: number): (nowMs: number) => boolean {
  let lastMs = -Infinity;
  return (nowMs) => {
    if (nowMs - lastMs < everyMs) return false;
    lastMs = nowMs;
    return true;
  };
}
