/** What bots do beside their orders, each of it drawn by a stream of its own: runs without it are as they were. */
import type { Database } from "bun:sqlite";
import type { RailsText } from "../../src/core/rails/rails.ts";
import { type Bot, botKindsOf, type WithBots } from "./bots.ts";
import { type Operation, operationsBy } from "./bots-operations.ts";
import type { Clients } from "./clients.ts";
import { drawFlattens, type FlattenWish, hasFlattens, openFlattening } from "./flattens.ts";
import { auditFlattening, type Flat, withSteps } from "./flattens-audit.ts";
import { type BeatWish, drawHeartbeats, type Heard, hasHeartbeats, openBeating } from "./heartbeats.ts";
import { auditLosses, drawLosses, hasLosses, type MarkMove, moveMarks, tripsOf } from "./losses.ts";
import { drawNarrowings, hasNarrowings, type NarrowWish, openNarrowings } from "./narrowings.ts";
import type { Sent } from "./network.ts";
import type { GatewayProcess } from "./process.ts";
import { auditBotsRefusals, type Refusing } from "./refusals-audit.ts";
import { openSentWhen } from "./sent-when.ts";
import { drawSpot, grantSpot, hasSpot } from "./spot.ts";
import { openSpotWatch } from "./spot-audit.ts";
import { isUnsettled } from "./stops.ts";
import type { Timeline } from "./timeline.ts";
import type { WishOf } from "./truth.ts";
import { auditUnasked, type Unasked } from "./unasked-cancels.ts";
import type { Execution, Venue } from "./venue.ts";
import type { Wish } from "./wishes.ts";
import { auditGone, auditWithdrawn } from "./withdrawn.ts";

export const LIFE_KINDS = ["narrowings", "heartbeats", "losses", "flattens", "spot"] as const;
export type LifeKind = (typeof LIFE_KINDS)[number];

/** Which of these are in the run of a seed. */
export function lifeKindsOf(seed: number): LifeKind[] {
  if (botKindsOf(seed).length === 0) return [];
  const has = {
    narrowings: hasNarrowings(seed),
    heartbeats: hasHeartbeats(seed),
    losses: hasLosses(seed),
    flattens: hasFlattens(seed),
    spot: hasSpot(seed),
  };
  return LIFE_KINDS.filter((kind) => has[kind]);
}

type DrawnLife = {
  bots: readonly Bot[];
  wishes: readonly Wish[];
  narrowings: readonly NarrowWish[];
  beats: readonly BeatWish[];
  marks: readonly MarkMove[];
  flatten: FlattenWish | null;
  /** Some may trade a market of spot, of which the gateway has to know the price of ten minutes. */
  hasSpot: boolean;
  /** Others take what rests, and the mark moves, so that bots come to hold something. */
  isBusy: boolean;
};

export function drawLife(seed: number, drawn: WithBots, faultsEndMs: number): DrawnLife {
  const losing = drawLosses(seed, drawn, faultsEndMs);
  const { marks } = losing;
  const bots = grantSpot(seed, losing.bots);
  const first = [...drawn.wishes, ...losing.more];
  const narrowing = drawNarrowings(seed, { bots, wishes: first }, faultsEndMs);
  const second = [...first, ...narrowing.more];
  const beating = drawHeartbeats(seed, { bots, wishes: second }, faultsEndMs);
  const third = [...second, ...beating.more];
  const { flatten, more } = drawFlattens(seed, { bots, wishes: third }, faultsEndMs);
  const [{ narrowings }, { beats }] = [narrowing, beating];
  const isBusy = beats.length > 0 || marks.length > 0 || flatten !== null;
  const fourth = [...third, ...more];
  const wishes = [...fourth, ...drawSpot(seed, { bots, wishes: fourth }, faultsEndMs)];
  return { bots, wishes, narrowings, beats, marks, flatten, isBusy, hasSpot: wishes.length > fourth.length };
}

type Run = Omit<Unasked & Flat, "bots" | "wishes" | "sentWhen" | "operationOf" | "hasUnsettled"> &
  Refusing &
  Pick<Heard, "deathsAtMs"> & { database: Database; isClockRight: boolean };

export type BotLife = {
  begin(clients: Pick<Clients, "put">, venue: Venue, process: () => GatewayProcess | null): void;
  /** The same, with what closes under a stop. */
  withSteps(wishOf: WishOf): WishOf;
  /** To be called when the exchange has executed an action, or a price has moved. */
  look(venue: Venue, wishOf: WishOf): void;
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
  const flattening = openFlattening(drawn.flatten, timeline);
  const sentWhen = openSentWhen({ sent, signerOf });
  const operationOf = operationsBy(drawn.wishes);
  const railsOf = (bot: Bot, execution: Execution) => narrowings.railsOf(bot, sentWhen(execution));
  const spot = drawn.hasSpot ? openSpotWatch({ bots: drawn.bots, railsOf, sentWhen }) : null;
  const readyAtMs: number[] = [];
  const clockMoves: { atMs: number; byMs: number }[] = [];
  return {
    withSteps: (wishOf) => withSteps(flattening, wishOf),
    begin(clients, venue, process) {
      moveMarks(drawn.marks, venue, timeline);
      narrowings.begin(clients);
      beating.begin(clients);
      flattening.begin({ clients, venue, process });
    },
    look: (venue, wishOf) => spot?.look(venue, wishOf),
    railsOf,
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
        ...auditBotsRefusals(all),
        ...auditFlattening(all, flattening),
        ...(spot?.findings(run) ?? []),
      ];
    },
  };
}
