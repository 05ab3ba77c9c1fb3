/** The clients of a run: they ask, lose answers, repeat with the same key, and keep a record of what they were told. */
import type { Chance } from "./chance.ts";
import type { Answered, Ask, Front } from "./front.ts";
import type { History } from "./history.ts";
import type { GatewayProcess } from "./process.ts";
import type { Party } from "./template.ts";
import type { Timeline } from "./timeline.ts";
import type { Known, Wish } from "./wishes.ts";

/** One request and what came of it. */
export type Turn = {
  ask: Ask;
  askedAtMs: number;
  endedAtMs: number | null;
  /** `lost`: the client heard nothing, or did not listen. */
  outcome: ({ kind: "answer" } & Answered) | { kind: "lost" } | null;
  /** Deaths of the gateway before it was asked. */
  deaths: number;
};

export type Dialogue = { wish: Wish; ask: Ask | null; turns: Turn[] };

export type Clients = {
  /** Everything that was asked under a key. */
  readonly dialogues: readonly Dialogue[];
  /** Reads, with whose key they were made. */
  readonly reads: readonly { party: Party; turn: Turn }[];
  begin(): void;
  /** Asks something outside of all wishes. */
  put(party: Party, key: string | null, ask: Ask, whenDone: (turn: Turn) => void): Turn;
  /** Repeats a wish, whatever came of it before. */
  repeat(dialogue: Dialogue): Turn | null;
  read(party: Party, ask: Ask): Turn | null;
};

export type ClientParts = {
  timeline: Timeline;
  history: History;
  chance: Chance;
  front: Front;
  wishes: readonly Wish[];
  /** Of what is read after a write: a stream of its own. */
  readChance: Chance;
  process: () => GatewayProcess | null;
  deaths: () => number;
  /** Nobody begins anything new from then on. */
  untilMs: number;
  onFault(text: string): void;
};

/** Times that a client tries one wish. */
const MAX_TRIES = 12;
/** A client hangs up after this long, milliseconds. */
const PATIENCE_MS = 20_000;

export function openClients(parts: ClientParts): Clients {
  const { timeline, history, chance, front } = parts;
  const dialogues: Dialogue[] = parts.wishes.map((wish) => ({ wish, ask: null, turns: [] }));
  const reads: { party: Party; turn: Turn }[] = [];
  const known: Known = {
    orderId: (number) => toldOf(dialogues[number], "id") ?? idOfPart(dialogues, number),
    twapId: (number) => {
      const told = toldOf(dialogues[number], "exchange_id");
      return told === null ? null : Number(told);
    },
  };

  function put(party: Party, key: string | null, ask: Ask, whenDone: (turn: Turn) => void): Turn {
    const asked = { ask, askedAtMs: timeline.nowMs(), deaths: parts.deaths() };
    const turn: Turn = { ...asked, endedAtMs: null, outcome: null };
    history.note(() => `client    ${key ?? "read"} asks ${JSON.stringify(ask)}`);
    const end = (outcome: NonNullable<Turn["outcome"]>) => {
      if (turn.outcome !== null) return;
      turn.outcome = outcome;
      turn.endedAtMs = timeline.nowMs();
      const shown = outcome.kind === "lost" ? "nothing" : `${outcome.status} ${outcome.body}`;
      history.note(() => `client    ${key ?? "read"} hears ${shown}`);
      whenDone(turn);
    };
    const process = parts.process();
    if (process === null) {
      timeline.after(1, () => end({ kind: "lost" }));
      return turn;
    }
    process.onDeath(() => timeline.after(1, () => end({ kind: "lost" })));
    timeline.after(PATIENCE_MS, () => end({ kind: "lost" }));
    const isDeaf = timeline.nowMs() < parts.untilMs && chance.isLucky(0.05);
    front(process, party, key, ask).then(
      (answered) => {
        if (process.isAlive()) end(isDeaf ? { kind: "lost" } : { kind: "answer", ...answered });
      },
      (error: unknown) => {
        if (!process.isAlive()) return;
        parts.onFault(`a request failed inside the gateway: ${error instanceof Error ? error.stack : String(error)}`);
        end({ kind: "lost" });
      },
    );
    return turn;
  }

  function tryWish(dialogue: Dialogue): void {
    if (timeline.nowMs() >= parts.untilMs || dialogue.turns.length >= MAX_TRIES) return;
    dialogue.ask ??= dialogue.wish.ask(known);
    const { ask, wish } = dialogue;
    if (ask === null) {
      timeline.after(chance.between(200, 3_000), () => tryWish(dialogue));
      return;
    }
    const copies = chance.isLucky(0.2) ? chance.between(2, 3) : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      timeline.after(copy === 0 ? 0 : chance.between(0, 50), () => {
        dialogue.turns.push(put(wish.by, wish.key, ask, (turn) => onEnd(dialogue, turn)));
      });
    }
  }

  function onEnd(dialogue: Dialogue, { outcome }: Turn): void {
    const isFinal = outcome?.kind === "answer" && (outcome.status === 200 || outcome.status === 201);
    const isRefused = outcome?.kind === "answer" && outcome.status >= 300;
    const again = isFinal ? 0.15 : isRefused ? 0.7 : 0.9;
    if (chance.isLucky(again)) timeline.after(chance.between(10, 6_000), () => tryWish(dialogue));
    if (isFinal) for (let nth = parts.readChance.between(0, 3); nth > 0; nth -= 1) readAfter(dialogue);
    if (!isFinal && chance.isLucky(0.3)) timeline.after(chance.between(10, 2_000), () => look(dialogue));
  }

  /** Whoever has an answer wants to see what came of it, at once. */
  function readAfter({ wish: { party } }: Dialogue): void {
    if (timeline.nowMs() >= parts.untilMs) return;
    const ask: Ask = { kind: parts.readChance.pick(["positions", "list_open", "fills"]) };
    timeline.after(parts.readChance.pick([1, 1, 20, 400]), () =>
      reads.push({ party, turn: put(party, null, ask, () => undefined) }),
    );
  }

  function look({ wish }: Dialogue): void {
    if (timeline.nowMs() >= parts.untilMs) return;
    const id = OF_ORDERS.has(wish.kind) ? known.orderId(wish.target ?? wish.number) : null;
    const kind = wish.kind.startsWith("trade") ? "get_trade" : "get";
    const ask: Ask = id === null ? { kind: chance.pick(["list", "list_open", "fills"]) } : { kind, id };
    reads.push({ party: wish.party, turn: put(wish.party, null, ask, () => undefined) });
  }

  return {
    dialogues,
    reads,
    put,
    begin() {
      for (const dialogue of dialogues) timeline.after(dialogue.wish.atMs, () => tryWish(dialogue));
    },
    repeat(dialogue) {
      const { ask, wish } = dialogue;
      if (ask === null) return null;
      const turn = put(wish.by, wish.key, ask, () => undefined);
      dialogue.turns.push(turn);
      return turn;
    },
    read(party, ask) {
      const turn = put(party, null, ask, () => undefined);
      reads.push({ party, turn });
      return turn;
    },
  };
}

/** Lists of open orders and of positions that were answered. */
export function countReads({ reads }: Clients): number {
  const asked = reads.filter(({ turn: { ask, outcome } }) => {
    const isList = ask.kind === "positions" || ask.kind === "list_open";
    return isList && outcome?.kind === "answer" && outcome.status === 200;
  });
  return asked.length;
}

/** Wishes about something that is read by an id of its own. */
const OF_ORDERS: ReadonlySet<Wish["kind"]> = new Set([
  "place",
  "cancel",
  "modify",
  "market",
  "close",
  "trade",
  "trade_cancel",
  "trade_modify",
]);

/** Of an entry of a batch. */
function idOfPart(dialogues: readonly Dialogue[], number: number): string | null {
  for (const { wish, turns } of dialogues) {
    const part = wish.parts?.find((each) => each.number === number)?.part;
    if (part?.as !== "batched") continue;
    for (const { outcome } of turns) {
      if (outcome?.kind !== "answer" || outcome.status > 202) continue;
      const body = ordersIn(outcome.body)[part.index];
      if (body !== undefined) return fieldOf(JSON.stringify(body), "id");
    }
  }
  return null;
}

/** Orders of the answer to a batch. */
export function ordersIn(body: string): readonly unknown[] {
  // Our own JSON, read without its types.
  const { orders } = JSON.parse(body) as { orders?: unknown[] };
  return orders ?? [];
}

function toldOf(dialogue: Dialogue | undefined, name: "id" | "exchange_id"): string | null {
  for (const { outcome } of dialogue?.turns ?? []) {
    const told = outcome?.kind === "answer" && outcome.status <= 202 ? fieldOf(outcome.body, name) : null;
    if (told !== null) return told;
  }
  return null;
}

/** Text of a member of a JSON object; null when it is null or absent. */
export function fieldOf(body: string, name: string): string | null {
  const value: unknown = JSON.parse(body);
  if (typeof value !== "object" || value === null) return null;
  const member: unknown = Reflect.get(value, name);
  return typeof member === "string" ? member : null;
}
