import { type Attempt, endsAtMs } from "../attempt.ts";
import { compare, type Decimal } from "../decimal.ts";
import { areFillsAll, BEHIND_MS, type PositionWord } from "../evidence.ts";

/** One of a bot's TWAPs, by our rows. */
export type RunningTwap = {
  /** Null while the exchange has not named it. */
  twapId: string | null;
  size: Decimal;
  /** Of its fills that are known. */
  filledSize: Decimal;
  durationMinutes: number;
  createdAtMs: number;
};

/** A row of the exchange's history. */
export type TwapRow = { twapId: string | null; timeS: number; status: string; state: { executedSize: Decimal } };

const ENDED: ReadonlySet<string> = new Set(["finished", "terminated", "stopped", "error"]);
const RUNNING: ReadonlySet<string> = new Set(["activated", "waitingForTrigger"]);
const MINUTE_MS = 60_000;
/** A number that the exchange has taken was this near to its time at most, milliseconds. */
const NUMBER_OFF_MS = 2 * 24 * 60 * MINUTE_MS;

/** What the exchange's word for a TWAP says of it; one that is new says nothing. */
export function twapWord(status: string): "ended" | "running" | "new" {
  if (ENDED.has(status)) return "ended";
  return RUNNING.has(status) ? "running" : "new";
}

/**
 * Whether nothing of a TWAP is still to come: it has ended, and all that it executed is among the fills that are known. One that
 * the history lacks is over when that holds something newer than it can have become, and no fill before then is missing.
 *
 * @param fillsKnownToMs all fills up to here are known, exchange time; null for none
 */
export function isTwapOver(twap: RunningTwap, rows: readonly TwapRow[], fillsKnownToMs: number | null): boolean {
  if (compare(twap.filledSize, twap.size) >= 0) return true;
  const own = rows.filter(({ twapId }) => twapId !== null && twapId === twap.twapId);
  const ended = own.find(({ status }) => twapWord(status) === "ended");
  if (ended !== undefined) return compare(twap.filledSize, ended.state.executedSize) >= 0;
  if (own.length > 0 || fillsKnownToMs === null) return false;
  const lastMs = twap.createdAtMs + twap.durationMinutes * MINUTE_MS + NUMBER_OFF_MS;
  return fillsKnownToMs > lastMs && rows.some(({ timeS }) => timeS * 1_000 > lastMs);
}

/**
 * Exchange time after which a TWAP that no answer has named executes nothing any more, unix milliseconds: it began before its action expired or
 * never, and the exchange ends it after the minutes that it was asked for. By as much later as a server may be behind, none shows it running.
 */
export function unnamedTwapEndsAtMs(placing: Pick<Attempt, "expiresAtMs">, durationMinutes: number): number {
  return endsAtMs(placing) + durationMinutes * MINUTE_MS + BEHIND_MS;
}

/** What is known of a TWAP that no answer has named. */
export type UnnamedTwap = {
  /** See `unnamedTwapEndsAtMs`. */
  endsAtMs: number;
  /** All fills up to here are known, exchange time; null for none. */
  fillsKnownToMs: number | null;
  /** A slice of its market, side and time is of a TWAP that nobody has: it may be this one's. */
  mayHaveSlices: boolean;
  /** What is held in its market, by a reading of after its end; null where it was not asked for. */
  holding: PositionWord | null;
};

/**
 * Whether such a one has left nothing that is not known, in an account whose history never goes on past it: its fills are known up to its end,
 * none of them may be its, and what is held stands where they have left it. Whether it was carried out that does not say.
 */
export function hasLeftNothing({ endsAtMs: endMs, fillsKnownToMs, mayHaveSlices, holding }: UnnamedTwap): boolean {
  return areFillsAll(fillsKnownToMs, endMs) && !mayHaveSlices && holding === "unmoved";
}
