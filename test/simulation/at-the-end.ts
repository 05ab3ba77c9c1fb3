/** What a run does when its faults have ended: everything is asked once more, and looked at. */
import { Database } from "bun:sqlite";
import { type Clients, fieldOf, type Turn } from "./clients.ts";
import type { Venue } from "./venue.ts";

/** Operations that are still looked for at this moment, whose end may only be that nobody can know. */
export function hasOpenOperations(path: string): boolean {
  const database = new Database(path, { readonly: true });
  try {
    const open = `select count(*) n from attempts where state <> 'done' and resource_kind = 'operation'`;
    return (database.prepare<{ n: number }, []>(open).get()?.n ?? 0) > 0;
  } finally {
    database.close();
  }
}

/** Every wish is asked once more, unless all its answers said that nothing was sent. */
export function askAgain(clients: Clients): void {
  for (const dialogue of clients.dialogues) {
    const wasHeard = dialogue.turns.some(({ outcome }) => outcome?.kind !== "answer" || outcome.status < 300);
    if (wasHeard) clients.repeat(dialogue);
  }
}

/** From here on nothing trades any more. */
export function endTwaps(venue: Venue): Set<number> {
  const { twaps } = venue.runtime.world.venue;
  const running = new Set(twaps.keys());
  for (const { user, asset, twapId } of [...twaps.values()])
    venue.act(user, { type: "twapCancel", a: asset, t: twapId });
  return running;
}

export function lookAtAll(clients: Clients): Map<string, { party: string; turn: Turn }> {
  const looks = new Map<string, { party: string; turn: Turn }>();
  for (const { wish, turns } of clients.dialogues) {
    for (const { outcome } of turns) {
      if (outcome?.kind !== "answer" || outcome.status >= 300) continue;
      const id = fieldOf(outcome.body, "object") === "order" ? fieldOf(outcome.body, "id") : null;
      if (id === null || looks.has(id)) continue;
      const turn = clients.read(wish.party, { kind: "get", id });
      if (turn !== null) looks.set(id, { party: wish.party.account.id, turn });
    }
  }
  return looks;
}
