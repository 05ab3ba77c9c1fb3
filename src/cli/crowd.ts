/**
 * Keeps the number of open connections below what the process has descriptors for: the runtime takes every connection that
 * comes. Looks often and cheaply (which descriptor is next?), and closely only where many have come.
 */
import { type CrowdCounts, type Guest, type Room, type Standing, whoLeaves } from "../core/crowd.ts";
import type { Log } from "../deps.ts";
import type { Connection, Descriptors } from "./descriptors.ts";

export type Crowd = {
  look(): void;
  counts(): CrowdCounts;
  /** Whether no descriptor was left within the last second. */
  isShort(): boolean;
};

export type CrowdRules = {
  room: Room;
  ports: ReadonlySet<number>;
  /** Whom a connection counts for, and whether that is a proxy. */
  clientOf(address: string): { client: string; isProxy: boolean };
  standing(connection: Connection): Standing;
  /** Told which connections there are, after each close look. */
  present(connections: readonly Connection[]): void;
};

/** Between two looks, milliseconds: many times less than a flood needs to fill what is kept back. */
export const LOOK_MS = 20;
/** A close look at least this often, in looks: one second. */
const CLOSE_LOOK_EVERY = 50;
/** Descriptors for the database, its doors, the runtime and commands. */
const OWN_DESCRIPTORS = 128;
/** Of the others, this share stays for the exchange: each request that is answered may need a connection to it. */
const CLIENTS_SHARE = 2 / 3;
/** Less room than that is no gateway. */
const LEAST_ROOM = 32;
/** A line in the log at most this often, in looks: one minute. */
const TELL_EVERY = 3_000;
/** New connections after which a close look is worth its time, at most; it takes longer the more there are. */
const MOST_NEW = 1_024;

/** What the operator wants, within what the system gives: the rest is kept back by never being given to clients. */
export function roomWithin(descriptorLimit: number, wanted: Room): Room {
  const most = Math.floor((descriptorLimit - OWN_DESCRIPTORS) * CLIENTS_SHARE);
  if (most < LEAST_ROOM) {
    const least = Math.ceil(LEAST_ROOM / CLIENTS_SHARE) + OWN_DESCRIPTORS;
    throw new RangeError(`the limit of open files is ${descriptorLimit}, and at least ${least} are needed`);
  }
  const connections = Math.min(wanted.connections, most);
  return { connections, perClient: Math.min(wanted.perClient, Math.ceil(connections / 2)) };
}

/** The first one that no client is given: half of what is beyond their room and their answers' is out of reach. */
function keptFrom(descriptorLimit: number, { connections }: Room): number {
  return descriptorLimit - Math.floor((descriptorLimit - connections) / 2);
}

export function openCrowd(descriptors: Descriptors, rules: CrowdRules, log: Log): Crowd {
  const { room } = rules;
  const counts: CrowdCounts = {
    ...{ connections: 0, room: room.connections, openDescriptors: 0, descriptorLimit: descriptors.limit },
    ...{ ended: 0, shortages: 0 },
  };
  descriptors.keepBack(keptFrom(descriptors.limit, room));
  let sinceShortage = CLOSE_LOOK_EVERY;
  let sinceCloseLook = CLOSE_LOOK_EVERY;
  /** From this next descriptor on, a close look. */
  let crowdedFrom = room.connections;
  const tellEnded = atMostEvery(TELL_EVERY);
  const tellShort = atMostEvery(TELL_EVERY);

  function lookClosely(): void {
    const { open, connections } = descriptors.look(rules.ports);
    rules.present(connections);
    const leaving = whoLeaves(connections.map(guestOf), room);
    for (const descriptor of leaving) descriptors.end(descriptor);
    counts.connections = connections.length - leaving.length;
    counts.openDescriptors = open;
    counts.ended += leaving.length;
    const left = open - leaving.length;
    crowdedFrom = Math.max(room.connections, left + Math.min(MOST_NEW, Math.floor((descriptors.limit - left) / 4)));
    sinceCloseLook = 0;
    if (leaving.length > 0 && tellEnded.isDue()) {
      log.warn({ count: leaving.length, open: connections.length }, "too many connections; idle ones were closed");
    }
  }

  function guestOf(connection: Connection): Guest {
    const { descriptor, address, silentMs, hasSpoken } = connection;
    const standing = hasSpoken ? rules.standing(connection) : "silent";
    return { id: descriptor, silentMs, ...rules.clientOf(address), standing };
  }

  function noteShortage(): void {
    sinceShortage = 0;
    counts.shortages += 1;
    if (!tellShort.isDue()) return;
    const error = `EMFILE: all ${descriptors.limit} descriptors are in use`;
    log.error({ error, count: counts.shortages }, "no file descriptor is left");
  }

  return {
    look() {
      const next = descriptors.nextFree();
      sinceShortage += 1;
      if (next === null && descriptors.areExhausted()) noteShortage();
      tellEnded.pass();
      tellShort.pass();
      sinceCloseLook += 1;
      if (next === null || next >= crowdedFrom || sinceCloseLook >= CLOSE_LOOK_EVERY) lookClosely();
    },
    counts: () => counts,
    isShort: () => sinceShortage < CLOSE_LOOK_EVERY,
  };
}

/** Due once, and then after so many looks again. */
function atMostEvery(looks: number) {
  let since = looks;
  return {
    pass: () => {
      since += 1;
    },
    isDue() {
      if (since < looks) return false;
      since = 0;
      return true;
    },
  };
}
