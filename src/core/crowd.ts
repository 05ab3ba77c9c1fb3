/** Which open connections are ended when there are more than there is room for. */

/** A connection to one of our ports, as the system and the door see it. */
export type Guest = {
  id: number;
  /** Who it is: an address, or the /64 of an IPv6 one. */
  client: string;
  /** Comes from a proxy that the operator named, and so carries many people. */
  isProxy: boolean;
  /**
   * `served`: a request of it is being answered, or it carries a stream of events. `sending`: the body of a request is
   * awaited. Otherwise it is idle: `known` where a valid key has spoken on it before, `silent` where nothing was ever sent,
   * else `stranger`, which may just have sent what nobody has looked at yet.
   */
  standing: Standing;
  /** Since its last byte, or its beginning, milliseconds. */
  silentMs: number;
};

export type Standing = "silent" | "stranger" | "known" | "sending" | "served";

export type CrowdRoom = {
  connections: number;
  /** Of one client; a proxy is not counted as one. */
  perClient: number;
};

export type CrowdCounts = {
  /** Connections of clients when they were last looked at, at most a second ago. */
  connections: number;
  /** The most that there may be. */
  room: number;
  openDescriptors: number;
  descriptorLimit: number;
  /** Ended for want of room, since the start. */
  ended: number;
  /** Looks at which no descriptor was left, since the start. */
  shortages: number;
};

/** In this order; those that are served stay. */
const LEAVES: Record<Standing, number> = { silent: 0, stranger: 1, known: 2, sending: 3, served: 4 };

/**
 * Ids of those that go, so that there is room again: idle ones first, and of these the one that was silent longest. Who has
 * the most loses first, so no client pushes another out by opening more; proxies lose after everybody else.
 */
export function whoLeaves(guests: readonly Guest[], room: CrowdRoom): number[] {
  const ranked = [...byClient(guests).values()].flatMap((own) => rank(own, room));
  const beyond = ranked.filter(({ isBeyond }) => isBeyond);
  const others = ranked
    .filter(({ isBeyond }) => !isBeyond)
    .sort((a, b) => b.place - a.place || b.silentMs - a.silentMs);
  const excess = Math.max(0, guests.length - beyond.length - room.connections);
  return [...beyond, ...others.slice(0, excess)].map(({ id }) => id);
}

type Ranked = Pick<Guest, "id" | "silentMs"> & {
  /** How many connections its client keeps before this one; a proxy's have no such place. */
  place: number;
  /** More than one client may have. */
  isBeyond: boolean;
};

/** Those of one client that may be ended. */
function rank(own: readonly Guest[], { perClient }: CrowdRoom): Ranked[] {
  const leaving = own
    .filter(({ standing }) => standing !== "served")
    .sort((a, b) => LEAVES[a.standing] - LEAVES[b.standing] || b.silentMs - a.silentMs);
  const tooMany = own.length - perClient;
  return leaving.map(({ id, silentMs, isProxy }, index) => ({
    id,
    silentMs,
    place: isProxy ? -1 : own.length - index,
    isBeyond: !isProxy && index < tooMany,
  }));
}

function byClient(guests: readonly Guest[]): Map<string, Guest[]> {
  const found = new Map<string, Guest[]>();
  for (const guest of guests) {
    const own = found.get(guest.client);
    if (own === undefined) found.set(guest.client, [guest]);
    else own.push(guest);
  }
  return found;
}
