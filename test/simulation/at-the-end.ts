/** What a run does when its faults have ended: everything is asked once more, and looked at. */
import type { Database } from "bun:sqlite";
import { type Clients, fieldOf, ordersIn, type Turn } from "./clients.ts";
import type { ToldEvent } from "./tellings.ts";
import { PARTIES, type Party } from "./template.ts";
import type { Timeline } from "./timeline.ts";
import type { Venue } from "./venue.ts";

/** Operations that are still looked for at this moment, whose end may only be that nobody can know. */
export function hasOpenOperations(database: Database): boolean {
  const open = `select count(*) n from attempts where state <> 'done' and resource_kind = 'operation'`;
  return (database.prepare<{ n: number }, []>(open).get()?.n ?? 0) > 0;
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

type Looks = Map<string, { party: string; turn: Turn }>;

type Looking = { clients: Clients; told: readonly ToldEvent[]; timeline: Timeline };

/** How long what a look has set going may take, milliseconds. */
const LOOKED_WITHIN_MS = 8_000;

/** Every order and trade as they are shown when nothing happens any more. */
export async function lookAtTheEnd(
  { clients, told, timeline }: Looking,
  { hasOwn, isEachListed }: { hasOwn: boolean; isEachListed: boolean },
): Promise<{ looks: Looks; trades: Map<string, Turn> }> {
  // As long as it takes until fills are read again without a feed.
  await timeline.runUntil(timeline.nowMs() + 35_000);
  // A list that leaves rows out shows no end by lacking one: that is noticed when it is asked for, and read from then on.
  if (!isEachListed) {
    lookAtAll(clients, told, hasOwn);
    await timeline.runUntil(timeline.nowMs() + LOOKED_WITHIN_MS);
  }
  const looks = lookAtAll(clients, told, hasOwn);
  const trades = lookAtTrades(clients);
  await timeline.runUntil(timeline.nowMs() + LOOKED_WITHIN_MS);
  return { looks, trades };
}

/** Every order that anybody was told of: those of trades are told by events alone, and so is what else the gateway places by itself (`hasOwn`). */
function lookAtAll(clients: Clients, told: readonly ToldEvent[], hasOwn: boolean): Looks {
  const looks: Looks = new Map();
  const look = (party: Party, body: string) => {
    const id = fieldOf(body, "object") === "order" ? fieldOf(body, "id") : null;
    if (id === null || looks.has(id)) return;
    const turn = clients.read(party, { kind: "get", id });
    if (turn !== null) looks.set(id, { party: party.account.id, turn });
  };
  for (const { wish, turns } of clients.dialogues) {
    for (const { outcome } of turns) {
      if (outcome?.kind !== "answer" || outcome.status >= 300) continue;
      look(wish.party, outcome.body);
      for (const order of ordersIn(outcome.body)) look(wish.party, JSON.stringify(order));
    }
  }
  if (!hasOwn && !clients.dialogues.some(({ wish }) => wish.kind === "trade")) return looks;
  for (const { type, payload, isTakenBack } of told) {
    const party = PARTIES.find(({ account }) => account.id === fieldOf(payload, "account"));
    if (type === "order.created" && !isTakenBack && party !== undefined) look(party, payload);
  }
  return looks;
}

/** How each trade is shown after that, by the key of its wish. */
function lookAtTrades(clients: Clients): Map<string, Turn> {
  const looks = new Map<string, Turn>();
  for (const { wish, turns } of clients.dialogues) {
    const answered = turns.find(({ outcome }) => outcome?.kind === "answer" && outcome.status === 201)?.outcome;
    const id = wish.kind === "trade" && answered?.kind === "answer" ? fieldOf(answered.body, "id") : null;
    const turn = id === null ? null : clients.read(wish.party, { kind: "get_trade", id });
    if (turn !== null) looks.set(wish.key, turn);
  }
  return looks;
}
