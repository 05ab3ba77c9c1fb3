import { type Decimal, subtract } from "../decimal.ts";
import { isoTime } from "../resource.ts";
import type { RailName, Rails } from "./rails.ts";

/** A day on which a bot may not increase any more. Only the operator ends it sooner. */
export type Trip = {
  id: string;
  accountId: string;
  bot: string;
  /** `loss`: it has lost its limit; `restored`: what it had used is not known. */
  cause: "loss" | "restored";
  /** The UTC day that it lasts for, in days since 1970-01-01. */
  day: number;
  /** USD that were lost; zero where nobody knows. */
  loss: Decimal;
  /** USD; null where there is none. */
  limit: Decimal | null;
  createdAtMs: number;
  /** When the operator has ended it; null before. */
  clearedAtMs: number | null;
};

const DAY_MS = 86_400_000;

/** The UTC day of a moment, in days since 1970-01-01. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** Unix milliseconds at which a day begins. */
export function startOf(day: number): number {
  return day * DAY_MS;
}

/** Why nothing may increase, whatever it is. */
export type Halt = { rail: RailName; limit: string; use: string };

/** What a trip refuses by these rails; null where none of them is touched by it. */
export function haltBy(trip: Pick<Trip, "cause" | "day" | "loss" | "limit">, rails: Rails): Halt | null {
  const until = `until ${isoTime(startOf(trip.day + 1))}`;
  if (trip.cause === "loss") {
    const limit = `${trip.limit ?? rails.maxLossPerDay ?? "any"} USD`;
    return { rail: "maxLossPerDay", limit, use: `${trip.loss} USD when it tripped, ${until}` };
  }
  const use = `all of it since a restore, ${until}`;
  if (rails.maxTurnoverPerDay !== null)
    return { rail: "maxTurnoverPerDay", limit: `${rails.maxTurnoverPerDay} USD`, use };
  if (rails.maxLossPerDay !== null) return { rail: "maxLossPerDay", limit: `${rails.maxLossPerDay} USD`, use };
  if (rails.maxActionsPerDay !== null) return { rail: "maxActionsPerDay", limit: String(rails.maxActionsPerDay), use };
  return null;
}

/** What was lost before the operator last ended a trip of the day is his to answer for: only what came after counts. */
export function lossThatCounts(loss: Decimal, trips: readonly Trip[]): Decimal {
  const cleared = trips.filter(({ cause, clearedAtMs }) => cause === "loss" && clearedAtMs !== null);
  const last = cleared.toSorted((a, b) => b.createdAtMs - a.createdAtMs)[0];
  return last === undefined ? loss : subtract(loss, last.loss);
}
