/** What the door knows of its connections: whose requests are being answered, and on which a valid key has spoken. */
import type { Standing } from "../core/crowd.ts";
import type { PeerAddress } from "./descriptors.ts";

export type Guests = {
  /** A request has begun to arrive on this connection. */
  enter(peer: PeerAddress): Visitor;
  standing(peer: PeerAddress): Standing;
  /** Forgets all but these: the others are gone. */
  keepOnly(present: readonly PeerAddress[]): void;
};

/** One request of a connection. */
export type Visitor = {
  hasArrived(): void;
  hasKey(): void;
  /** The answer is ready; a stream goes on after that, until its connection is gone. */
  leave(isStream: boolean): void;
};

type KnownGuest = { arriving: number; answering: number; hasKey: boolean; isStream: boolean };

export function openGuests(): Guests {
  const all = new Map<string, KnownGuest>();
  return {
    enter(peer) {
      const name = nameOf(peer);
      const known = all.get(name) ?? { arriving: 0, answering: 0, hasKey: false, isStream: false };
      all.set(name, known);
      known.arriving += 1;
      let isArriving = true;
      return {
        hasArrived() {
          if (!isArriving) return;
          isArriving = false;
          known.arriving -= 1;
          known.answering += 1;
        },
        hasKey() {
          known.hasKey = true;
        },
        leave(isStream) {
          if (isArriving) known.arriving -= 1;
          else known.answering -= 1;
          if (isStream) known.isStream = true;
        },
      };
    },
    standing(peer) {
      const known = all.get(nameOf(peer));
      if (known === undefined) return "stranger";
      if (known.answering > 0 || known.isStream) return "served";
      if (known.arriving > 0) return "sending";
      return known.hasKey ? "known" : "stranger";
    },
    keepOnly(present) {
      const names = new Set(present.map(nameOf));
      for (const name of all.keys()) if (!names.has(name)) all.delete(name);
    },
  };
}

function nameOf({ address, port }: PeerAddress): string {
  return `${address} ${port}`;
}
