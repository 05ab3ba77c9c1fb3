/** What a seed draws, known without running it. */
import { type LifeKind, lifeKindsOf } from "./bot-life.ts";
import { type BotKind, botKindsOf } from "./bots.ts";
import { isBusy } from "./busy.ts";
import { type Chance, openChance } from "./chance.ts";
import { isQuiet } from "./quiet.ts";
import { hasWhole } from "./whole-wishes.ts";
import type { OddKind } from "./worlds/odd.ts";
import {
  andEarlyRefusals,
  andFalseEnds,
  andNewTimes,
  drawWorlds,
  orOdd,
  orWrong,
  WORLD_NAMES,
  type WorldName,
  type Worlds,
} from "./worlds/worlds.ts";
import type { WrongKind } from "./worlds/wrong.ts";

/** Bits by which the seed of the worlds differs from the seed of everything else. */
export const WORLD_STREAM = 0x5eed_0000;
/** That of what is odd about them. */
const ODD_STREAM = 0x0dd0_0000;
/** That of answers that are not for us. */
const WRONG_STREAM = 0x3409_0000;
/** That of records that tell an end which is not so. */
const FALSE_ENDS_STREAM = 0xfa15_0000;
/** That of positions of a while ago that bear a time of now. */
const NEW_TIMES_STREAM = 0x71e5_0000;
/** That of what is refused before its number is looked at. */
const EARLY_STREAM = 0x0ea7_0000;

/** What clients ask for in a share of the runs, named beside their worlds. */
export const WHOLE_TRADES = "whole_trades" as const;
/** Several times as much of it. */
export const BUSY = "busy" as const;
/** An account in which nothing else happens, and a stop: a run of its own. */
export const QUIET = "quiet" as const;
export type Drawn =
  | WorldName
  | OddKind
  | WrongKind
  | BotKind
  | LifeKind
  | typeof WHOLE_TRADES
  | typeof BUSY
  | typeof QUIET;

/** Which worlds a seed draws, whether whole trades are asked for, and bots ask, whatever else it does. */
export function worldsOf(seed: number): ReadonlySet<Drawn> {
  if (isQuiet(seed)) return new Set<Drawn>([QUIET]);
  const worlds = drawnFor(seed, openChance(seed ^ WORLD_STREAM), 1);
  const names = WORLD_NAMES.filter((name) => worlds[name] !== null && worlds[name] !== false);
  const asked: Drawn[] = [...(hasWhole(seed) ? [WHOLE_TRADES] : []), ...(isBusy(seed) ? [BUSY] : [])];
  const more: Drawn[] = [...asked, ...botKindsOf(seed), ...lifeKindsOf(seed)];
  const kinds = [worlds.odd, worlds.wrong].flatMap((each) => each?.kind ?? []);
  return new Set<Drawn>([...names, ...more, ...kinds]);
}

export function drawnFor(seed: number, worldChance: Chance, faultsEndMs: number): Worlds {
  const drawn = orOdd(drawWorlds(worldChance, faultsEndMs), openChance(seed ^ ODD_STREAM));
  const worlds = orWrong(drawn, openChance(seed ^ WRONG_STREAM));
  const withEnds = andFalseEnds(worlds, openChance(seed ^ FALSE_ENDS_STREAM));
  return withEarly(seed, andNewTimes(withEnds, openChance(seed ^ NEW_TIMES_STREAM)));
}

export function isSpotIn(seed: number): boolean {
  return worldsOf(seed).has("spot");
}

/** Where others use our ids nobody can say whose a copy is. */
function withEarly(seed: number, worlds: Worlds): Worlds {
  return worlds.others === null && worlds.wrong === null
    ? andEarlyRefusals(worlds, openChance(seed ^ EARLY_STREAM))
    : worlds;
}

/** Some of these execute a body that nobody has signed; and others know our ids of one market alone. */
export function possible(seed: number, worlds: Worlds, isTruly: boolean): Worlds {
  const known = isSpotIn(seed) ? { ...worlds, others: null } : worlds;
  return isTruly ? { ...known, refusals: null, moves: null } : known;
}
