/** What bots do beside their orders, each of it drawn by a stream of its own: runs without it are as they were. */
import type { Database } from "bun:sqlite";
import type { RailsText } from "../../src/core/rails/rails.ts";
import { type Bot, botKindsOf, type WithBots } from "./bots.ts";
import { type Operation, operationsBy } from "./bots-operations.ts";
import type { Clients } from "./clients.ts";
import { type BeatWish, drawHeartbeats, type Heard, hasHeartbeats, openBeating } from "./heartbeats.ts";
import { auditLosses, drawLosses, hasLosses, type MarkMove, moveMarks, tripsOf } from "./losses.ts";
import { drawNarrowings, hasNarrowings, type NarrowWish, openNarrowings } from "./narrowings.ts";
import type { Sent } from "./network.ts";
import { openSentWhen } from "./sent-when.ts";
import { isUnsettled } from "./stops.ts";
import type { Timeline } from "./timeline.ts";
import { auditUnasked, type Unasked } from "./unasked-cancels.ts";
import type { Execution, Venue } from "./venue.ts";
import type { Wish } from "./wishes.ts";
import { auditGone, auditWithdrawn } from "./withdrawn.ts";

export const LIFE_KINDS = ["narrowings", "heartbeats", "losses"] as const;
export type LifeKind = (typeof LIFE_KINDS)[number];

/** Which of these are in the run of a seed. */
export function lifeKindsOf(seed: number): LifeKind[] {
  if (botKindsOf(seed).length === 0) return [];
  const has = { narrowings: hasNarrowings(seed), heartbeats: hasHeartbeats(seed), losses: hasLosses(seed) };
  return LIFE_KINDS.filter((kind) => has[kind]);
}

type DrawnLife = {
  bots: readonly Bot[];
  wishes: readonly Wish[];
  narrowings: readonly NarrowWish[];
  beats: readonly BeatWish[];
  marks: readonly MarkMove[];
  /** Others take what rests, and the mark moves, so that bots come to hold something. */
  isBusy: boolean;
};

export function drawLife(seed: number, drawn: WithBots, faultsEndMs: number): DrawnLife {
  const losing = drawLosses(seed, drawn, faultsEndMs);
  const { bots, marks } = losing;
  const first = [...drawn.wishes, ...losing.more];
  const narrowing = drawNarrowings(seed, { bots, wishes: first }, faultsEndMs);
  const second = [...first, ...narrowing.more];
  const beating = drawHeartbeats(seed, { bots, wishes: second }, faultsEndMs);
  const wishes = [...second, ...beating.more];
  const [{ narrowings }, { beats }] = [narrowing, beating];
  return { bots, wishes, narrowings, beats, marks, isBusy: beats.length > 0 || marks.length > 0 };
}

type Run = Omit<Unasked, "bots" | "wishes" | "sentWhen" | "operationOf" | "hasUnsettled"> &
  Pick<Heard, "deathsAtMs"> & { database: Database; isClockRight: boolean };

export type BotLife = {
  begin(clients: Pick<Clients, "put">, venue: Venue): void;
  /** What a bot was held to when this was sent. */
  railsOf(bot: Bot, execution: Execution): RailsText;
  /** What of them is no order. */
  operationOf(execution: Execution): Operation | null;
  /** A gateway is ready, and hears silence from now on. */
  noteReady(): void;
  /** The wall clock goes by so much; returns it. */
  setClock(byMs: number): number;
  findings(run: Run): string[];
};

type Parts = { timeline: Timeline; sent: readonly Sent[]; signerOf: ReadonlyMap<string, string> };

export function openBotLife(drawn: DrawnLife, { timeline, sent, signerOf }: Parts): BotLife {
  const narrowings = openNarrowings(drawn.narrowings, timeline);
  const beating = openBeating(drawn.beats, timeline);
  const sentWhen = openSentWhen(sent, signerOf);
  const operationOf = operationsBy(drawn.wishes);
  const readyAtMs: number[] = [];
  const clockMoves: { atMs: number; byMs: number }[] = [];
  return {
    begin(clients, venue) {
      moveMarks(drawn.marks, venue, timeline);
      narrowings.begin(clients);
      beating.begin(clients);
    },
    railsOf: (bot, execution) => narrowings.railsOf(bot, sentWhen(execution)),
    operationOf,
    noteReady: () => void readyAtMs.push(timeline.nowMs()),
    setClock(byMs) {
      clockMoves.push({ atMs: timeline.nowMs(), byMs });
      return byMs;
    },
    findings(run) {
      const { bots, wishes } = drawn;
      if (bots.length === 0) return [];
      const all = {
        ...run,
        bots,
        wishes,
        sentWhen,
        operationOf,
        clockMoves,
        readyAtMs,
        readySinceMs: readyAtMs.at(-1) ?? timeline.nowMs(),
        nowMs: timeline.nowMs(),
        hasUnsettled: () => isUnsettled(run.database),
      };
      return [
        ...auditWithdrawn(all),
        ...auditGone(all, [...narrowings.canceled(), ...tripsOf(all)]),
        ...auditLosses(all),
        ...beating.findings(all),
        ...auditUnasked(all),
      ];
    },
  };
}
