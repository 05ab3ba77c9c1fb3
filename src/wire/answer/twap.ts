import type { Decimal } from "../../core/decimal.ts";
import {
  flag,
  integer,
  money,
  nativeIdOf,
  nativeIdOrNull,
  oneOf,
  orNull,
  rowsOf,
  type Source,
  source,
  sourceOf,
  text,
  textOrNull,
  timeMs,
  timeS,
} from "./read.ts";

export type TwapState = {
  coin: string;
  user: string;
  side: "B" | "A";
  size: Decimal;
  executedSize: Decimal;
  executedNotional: Decimal;
  minutes: number;
  reduceOnly: boolean;
  randomize: boolean;
  /** When it was created, unix milliseconds. */
  timestampMs: number;
};

export type TwapRecord = {
  /** Unix seconds, unlike every other time of the exchange. */
  timeS: number;
  state: TwapState;
  /** `activated`, `finished`, `terminated` (canceled), `waitingForTrigger`, `stopped`, `error`. */
  status: string;
  /** Why, when the status is `error`. */
  description: string | null;
  /** Null in old rows. */
  twapId: string | null;
};

/** Answer of `twapHistory`: one row for each change of status; null when unreadable. */
export function parseTwapHistory(json: unknown): TwapRecord[] | null {
  return orNull(() => twapRecords(json));
}

/** Of the same answer the rows of one TWAP; the history is long, and the others are only passed by. Null when unreadable. */
export function parseTwapHistoryOf(json: unknown, twapId: string): TwapRecord[] | null {
  return orNull(() =>
    rowsOf(json, sourceOf)
      .filter((row) => nativeIdOrNull(row, "twapId") === twapId)
      .map(twapRecord),
  );
}

/** Throws where a member has another shape: only to be called by parsers of this folder. */
export function twapRecords(value: unknown): TwapRecord[] {
  return rowsOf(value, (row) => twapRecord(sourceOf(row)));
}

function twapRecord(from: Source): TwapRecord {
  const status = source(from, "status");
  return {
    timeS: timeS(from, "time"),
    state: twapState(source(from, "state")),
    status: text(status, "status"),
    description: textOrNull(status, "description"),
    twapId: nativeIdOrNull(from, "twapId"),
  };
}

export type TwapStanding = { twapId: string; state: TwapState };

/** States of `twapStates`: the running ones; null when unreadable. */
export function parseTwapStates(states: unknown): TwapStanding[] | null {
  return orNull(() => runningTwaps(states));
}

/** Throws where a member has another shape: only to be called by parsers of this folder. */
export function runningTwaps(value: unknown): TwapStanding[] {
  return rowsOf(value, (row) => {
    const [twapId, state] = rowsOf(row, (item) => item);
    return { twapId: nativeIdOf(twapId), state: twapState(sourceOf(state)) };
  });
}

function twapState(from: Source): TwapState {
  return {
    coin: text(from, "coin"),
    user: text(from, "user").toLowerCase(),
    side: oneOf(from, "side", ["B", "A"]),
    size: money(from, "sz"),
    executedSize: money(from, "executedSz"),
    executedNotional: money(from, "executedNtl"),
    minutes: integer(from, "minutes"),
    reduceOnly: flag(from, "reduceOnly"),
    randomize: flag(from, "randomize"),
    timestampMs: timeMs(from, "timestamp"),
  };
}
