import { ApiError } from "../core/errors.ts";

/** Bodies that are awaited at one time, of all clients, 64 KiB each. */
export const MAX_ARRIVING = 512;

export type Arrivals = {
  /**
   * What `read` makes of a body. Where too many are awaited, `client` is let in all the same, and the client of whom most are
   * awaited loses its oldest (503): a body of somebody honest arrives with its head, and one that trickles in holds
   * up nobody but who sends it. `onGivenUp` is called before it loses: the rest of the body is left unread.
   */
  take<T>(client: string, read: () => Promise<T>, onGivenUp: () => void): Promise<T>;
};

type GiveUp = (reason: ApiError) => void;

export function openArrivals(): Arrivals {
  const byClient = new Map<string, Set<GiveUp>>();
  let count = 0;

  function leave(client: string, giveUp: GiveUp): void {
    const own = byClient.get(client);
    if (own?.delete(giveUp) !== true) return;
    count -= 1;
    if (own.size === 0) byClient.delete(client);
  }

  function makeRoom(): void {
    let [most, oldest]: [number, [string, GiveUp] | null] = [0, null];
    for (const [client, own] of byClient) {
      const [first] = own;
      if (own.size > most && first !== undefined) [most, oldest] = [own.size, [client, first]];
    }
    if (oldest === null) return;
    leave(...oldest);
    oldest[1](new ApiError("too_many_connections", "Too many bodies are awaited at this moment.", 1));
  }

  async function take<T>(client: string, read: () => Promise<T>, onGivenUp: () => void): Promise<T> {
    if (count >= MAX_ARRIVING) makeRoom();
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const giveUp = (reason: ApiError) => {
      onGivenUp();
      reject(reason);
    };
    const own = byClient.get(client) ?? new Set<GiveUp>();
    byClient.set(client, own.add(giveUp));
    count += 1;
    try {
      return await Promise.race([read(), givenUp]);
    } finally {
      leave(client, giveUp);
    }
  }

  return { take };
}
