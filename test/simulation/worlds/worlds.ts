/** What is drawn of the world as it is: most runs have one or two of these, and a share has none. */
import type { HttpAnswer } from "../../../src/paper/answers.ts";
import type { Chance } from "../chance.ts";
import { type HeardOrders, listenForOrders } from "../heard-orders.ts";
import { nonceOf } from "../sent-when.ts";
import type { Timeline } from "../timeline.ts";
import type { Venue } from "../venue.ts";
import { type Clocks, drawClocks, wrongClocks } from "./clocks.ts";
import { drawEarlyRefusals, type EarlyRefusals, openEarlyRefusals } from "./early-refusals.ts";
import { drawFalseEnds, type FalseEnds, falseEnds } from "./false-ends.ts";
import { drawForgetting, type Forgetting, forgets } from "./forgetting.ts";
import type { Lens } from "./lens.ts";
import { beginMoves, drawMoves, inEngineIds, type Moves, movedLists } from "./markets.ts";
import { drawNewTimes, type NewTimes, newTimes } from "./new-times.ts";
import { drawOdd, type Odd, oddLens, oddText } from "./odd.ts";
import { drawOthers, mixedAnswers, mixedReply, type Namesakes, type Others, openNamesakes } from "./others.ts";
import { shortPages } from "./pages.ts";
import { drawRefusals, type Refusals, refusalBody } from "./refusals.ts";
import { drawRests, type Rests, wrongRests } from "./rests.ts";
import { drawWords, newWords, type Words } from "./words.ts";
import { drawWrong, NOTHING_WRONG, openWrong, type Wrong, type Wrongly } from "./wrong.ts";

export type Worlds = {
  rests: Rests | null;
  words: Words | null;
  forgetting: Forgetting | null;
  clocks: Clocks | null;
  others: Others | null;
  refusals: Refusals | null;
  moves: Moves | null;
  arePagesShort: boolean;
  odd: Odd | null;
  earlyRefusals: EarlyRefusals | null;
  wrong: Wrong | null;
  falseEnds: FalseEnds | null;
  newTimes: NewTimes | null;
};

export type WorldName = keyof Worlds;

export const WORLD_NAMES: readonly WorldName[] = [
  "rests",
  "words",
  "forgetting",
  "clocks",
  "others",
  "refusals",
  "moves",
  "arePagesShort",
  "odd",
  "earlyRefusals",
  "wrong",
  "falseEnds",
  "newTimes",
];

/** Share of the runs in which nothing of it is drawn. */
const PLAIN_RATE = 0.2;

export function drawWorlds(chance: Chance, faultsEndMs: number): Worlds {
  const isPlain = chance.isLucky(PLAIN_RATE);
  // Each has draws of its own, whatever the others drew.
  const draw = <T>(rate: number, make: (chance: Chance) => T): T | null => {
    const own = chance.split();
    return own.isLucky(rate) && !isPlain ? make(own) : null;
  };
  return {
    rests: draw(0.2, drawRests),
    words: draw(0.15, drawWords),
    forgetting: draw(0.15, drawForgetting),
    clocks: draw(0.2, (own) => drawClocks(own, faultsEndMs)),
    others: draw(0.15, drawOthers),
    refusals: draw(0.15, drawRefusals),
    moves: draw(0.15, (own) => drawMoves(own, faultsEndMs)),
    arePagesShort: draw(0.15, () => true) ?? false,
    odd: null,
    earlyRefusals: null,
    wrong: null,
    falseEnds: null,
    newTimes: null,
  };
}

/** Share of the runs that are odd, and in nothing else. */
const ODD_RATE = 0.1;

/** A stream of its own: it leaves the runs that are not odd as they were. */
export function orOdd(worlds: Worlds, chance: Chance): Worlds {
  if (!chance.isLucky(ODD_RATE)) return worlds;
  return { ...NONE_OF_THEM, odd: drawOdd(chance) };
}

const NONE_OF_THEM: Worlds = {
  rests: null,
  words: null,
  forgetting: null,
  clocks: null,
  others: null,
  refusals: null,
  moves: null,
  arePagesShort: false,
  odd: null,
  earlyRefusals: null,
  wrong: null,
  falseEnds: null,
  newTimes: null,
};

/** Share of the runs with wrong answers, and nothing else of all this. */
const WRONG_RATE = 0.1;

/** A stream of its own, as above. */
export function orWrong(worlds: Worlds, chance: Chance): Worlds {
  return chance.isLucky(WRONG_RATE) ? { ...NONE_OF_THEM, wrong: drawWrong(chance) } : worlds;
}

/** Share of the runs in which records tell ends that are not so. */
const FALSE_ENDS_RATE = 0.15;

/** Beside whatever else is drawn, but what no client could tell from it: lists and histories that are not of this order. A stream of its own. */
export function andFalseEnds(worlds: Worlds, chance: Chance): Worlds {
  const isAlone = worlds.odd === null && worlds.wrong === null && worlds.others === null;
  return isAlone && chance.isLucky(FALSE_ENDS_RATE) ? { ...worlds, falseEnds: drawFalseEnds(chance) } : worlds;
}

/** Share of the runs in which positions of a while ago bear a time of now. */
const NEW_TIMES_RATE = 0.15;

/** Beside whatever else is drawn, as above. */
export function andNewTimes(worlds: Worlds, chance: Chance): Worlds {
  const isAlone = worlds.odd === null && worlds.wrong === null && worlds.others === null;
  return isAlone && chance.isLucky(NEW_TIMES_RATE) ? { ...worlds, newTimes: drawNewTimes(chance) } : worlds;
}

/** Beside whatever else is drawn. */
export function andEarlyRefusals(worlds: Worlds, chance: Chance): Worlds {
  return { ...worlds, earlyRefusals: drawEarlyRefusals(chance) };
}

/** The worlds of a run at work. */
export type OpenWorlds = {
  /** Through which its reads are answered. */
  lenses: readonly Lens[];
  /** Told of every action that a gateway sends. */
  onSent(owner: string, body: string): void;
  /** A read's answer as its text arrives. */
  asText(answer: HttpAnswer, body: string): HttpAnswer;
  /** What an action that has arrived is answered, and whether it is executed at all. */
  answer(body: string, execute: (body: string) => HttpAnswer): HttpAnswer;
  /** Told of every whole answer that a living gateway gets. */
  onHeard(body: string, answer: string): void;
  /** And of every frame of its feed. */
  onTold(frame: string): void;
  /** Client order ids of ours under which a look has shown a gateway the order of another. */
  heardOfOthers(): ReadonlySet<string>;
  /** And those under which the exchange has taken one of another. */
  takenByOthers(): ReadonlySet<string>;
  heardOrders: HeardOrders;
  /** Numbers of the actions that were refused in words that are new. */
  readonly refusedNonces: ReadonlySet<number>;
  /** When a copy of an action that had been refused early was executed all the same, by its number; milliseconds of virtual time. */
  readonly takenLaterMs: ReadonlyMap<number, number>;
  /** What was told wrongly so that nobody could know it. */
  readonly wrongly: Wrongly;
};

type Parts = { venue: Venue; timeline: Timeline; chance: Chance; faultsEndMs: number };

export function openWorlds(worlds: Worlds, { venue, timeline, chance, faultsEndMs }: Parts): OpenWorlds {
  const isOver = () => timeline.nowMs() >= faultsEndMs;
  const { others, refusals, moves, odd, earlyRefusals, wrong } = worlds;
  if (moves !== null) timeline.after(moves.atMs, beginMoves(moves, venue));
  const replies = chance.split();
  const refusedNonces = new Set<number>();
  const heard = listenForOrders();
  const namesakes = others === null ? null : openNamesakes(others, { venue, timeline, chance: chance.split() });
  const early = earlyRefusals === null ? null : openEarlyRefusals(earlyRefusals, timeline, chance);
  const wrongly =
    wrong === null ? null : openWrong(wrong, { venue, chance: chance.split(), isOver, nowMs: timeline.nowMs });
  const inTheirIds = (body: string) => (moves === null ? body : inEngineIds(moves, body, timeline.nowMs()));
  return {
    lenses: lensesOf(worlds, { venue, timeline, chance: chance.split(), faultsEndMs }),
    onSent: (owner, body) => (isOver() ? undefined : namesakes?.onSent(owner, body)),
    answer(sent, execute) {
      const refusedEarly = isOver() ? null : (early?.refuse(sent, () => execute(inTheirIds(sent))) ?? null);
      if (refusedEarly !== null) return refusedEarly;
      const body = inTheirIds(sent);
      if (refusals !== null && !isOver() && replies.isLucky(refusals.rate)) {
        const refusal = refused(refusals, body, execute);
        if (refusal !== null) refusedNonces.add(nonceOf(body));
        return refusal ?? execute(body);
      }
      const executed = execute(body);
      early?.note(sent, executed);
      if (wrongly !== null) return wrongly.tell(sent, executed);
      const answer = odd === null || isOver() ? executed : oddText(odd, replies, executed);
      if (others === null || isOver() || !replies.isLucky(others.mixedRate)) return answer;
      return { ...answer, body: mixedReply(answer.body, replies) };
    },
    asText(answer, body) {
      if (wrongly !== null) return wrongly.tell(body, answer);
      return odd === null || isOver() ? answer : oddText(odd, replies, answer);
    },
    onHeard(body, answer) {
      namesakes?.onHeard(body, answer);
      heard.noteAnswer(body, answer);
    },
    onTold: heard.noteFrame,
    heardOrders: heard,
    refusedNonces,
    takenLaterMs: early?.takenLaterMs ?? wrongly?.namelessMs ?? NONE,
    wrongly: wrongly ?? NOTHING_WRONG,
    heardOfOthers: () => namesakes?.heard ?? NOBODY,
    takenByOthers: () => namesakes?.taken ?? NOBODY,
  };
}

const NONE: OpenWorlds["takenLaterMs"] = new Map();
const NOBODY: Namesakes["heard"] = new Set();

/** Null for what is never refused so: it would tell the gateway nothing that it does not know. */
function refused(refusals: Refusals, body: string, execute: (body: string) => HttpAnswer): HttpAnswer | null {
  // Our own JSON.
  const sent = JSON.parse(body) as { action: { type: string } };
  if (sent.action.type === "noop") return null;
  const said = refusalBody(refusals, sent.action.type);
  const refusal: HttpAnswer = { status: 200, contentType: "application/json", body: said };
  if (!refusals.usesNonce) return refusal;
  const taken = execute(JSON.stringify({ ...sent, action: { type: "noop" } }));
  // What cannot even take its number is refused for that.
  return taken.body.startsWith('{"status":"ok"') ? refusal : taken;
}

function lensesOf(worlds: Worlds, { venue, timeline, chance, faultsEndMs }: Parts): Lens[] {
  const { forgetting, rests, words, clocks, others, moves, arePagesShort, odd } = worlds;
  const lenses: Lens[] = [];
  const isOver = () => timeline.nowMs() >= faultsEndMs;
  if (others !== null && others.mixedRate > 0) lenses.push(mixedAnswers(others, venue, chance.split(), isOver));
  if (worlds.falseEnds !== null) lenses.push(falseEnds(worlds.falseEnds, chance.split(), venue.nowMs, isOver));
  if (worlds.newTimes !== null) {
    lenses.push(newTimes(worlds.newTimes, { venue, chance: chance.split(), isPast: isOver }));
  }
  if (forgetting !== null) lenses.push(forgets(forgetting, chance.split(), venue.nowMs));
  if (rests !== null) lenses.push(wrongRests(rests, chance.split()));
  if (words !== null) lenses.push(newWords(words));
  if (arePagesShort) lenses.push(shortPages);
  if (moves !== null) lenses.push(movedLists(moves, chance.split(), timeline.nowMs));
  if (clocks !== null)
    lenses.push(wrongClocks(clocks, chance.split(), { nowMs: timeline.nowMs, untilMs: faultsEndMs }));
  if (odd !== null) lenses.push(oddLens(odd, { venue, chance: chance.split(), isOver }));
  return lenses;
}
