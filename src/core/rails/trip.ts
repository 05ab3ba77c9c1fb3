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
export type Halt = {
  rail: RailName;
  limit: string;
  use: string;
  /** `narrowing_lost`: nobody knows any more how tight a narrowing was. */
  cause: Trip["cause"] | "narrowing_lost";
  /** When it is over by itself; null where only the owner ends it. */
  untilMs: number | null;
};

/** What a trip refuses by these rails; null where none of them is touched by it. */
export function haltBy(trip: Pick<Trip, "cause" | "day" | "loss" | "limit">, rails: Rails): Halt | null {
  const untilMs = startOf(trip.day + 1);
  const until = `until ${isoTime(untilMs)}`;
  const { cause } = trip;
  if (cause === "loss") {
    const limit = `${trip.limit ?? rails.maxLossPerDay ?? "any"} USD`;
    return { rail: "maxLossPerDay", limit, use: `${trip.loss} USD when it tripped, ${until}`, cause, untilMs };
  }
  const of = { use: `all of it since a restore, ${until}`, cause, untilMs };
  const { maxTurnoverPerDay: turnover, maxLossPerDay: loss, maxActionsPerDay: actions } = rails;
  if (turnover !== null) return { rail: "maxTurnoverPerDay", limit: `${turnover} USD`, ...of };
  if (loss !== null) return { rail: "maxLossPerDay", limit: `${loss} USD`, ...of };
  if (actions !== null) return { rail: "maxActionsPerDay", limit: String(actions), ...of };
  return null;
}

/** What was lost before the operator last ended a trip of the day is his to answer for: only what came after counts. */
export function lossThatCounts(loss: Decimal, trips: readonly Trip[]): Decimal {
  const cleared = trips.filter(({ cause, clearedAtMs }) => cause === "loss" && clearedAtMs !== null);
  const last = cleared.toSorted((a, b) => b.createdAtMs - a.createdAtMs)[0];
  return last === undefined ? loss : subtract(loss, last.loss);
}
