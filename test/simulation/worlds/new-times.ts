/** Positions of a while ago under a time of now: a server whose own time vouches for itself, and for no store behind it. */
import type { Chance } from "../chance.ts";
import type { Venue } from "../venue.ts";
import type { Lens } from "./lens.ts";

export type NewTimes = {
  /** Share of the answers that are so. */
  rate: number;
  behindMs: number;
};

export function drawNewTimes(chance: Chance): NewTimes {
  return { rate: chance.pick([0.2, 0.6, 1]), behindMs: chance.pick([300, 1_000, 3_000, 12_000, 60_000]) };
}

/** @param isPast every answer is of now from then on */
export function newTimes(
  { rate, behindMs }: NewTimes,
  parts: { venue: Venue; chance: Chance; isPast: () => boolean },
): Lens {
  const { venue, chance, isPast } = parts;
  return (request, answer) => {
    if (request.type !== "clearinghouseState" || isPast() || !chance.isLucky(rate)) return answer;
    // The paper exchange's own answer.
    const then = JSON.parse(venue.read(JSON.stringify(request), venue.past(behindMs)).body) as object;
    const { time } = answer as { time: number };
    return { ...then, time };
  };
}
