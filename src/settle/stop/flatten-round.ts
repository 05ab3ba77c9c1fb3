/** What a flattening is told of the exchange, what it keeps in mind, and what one of its rounds is. */
import type { Account } from "../../core/account.ts";
import type { Decimal } from "../../core/decimal.ts";
import type { Flatten } from "../../core/flatten.ts";
import type { Side } from "../../core/order.ts";
import type { Stop } from "../../core/stop.ts";
import type { NewWait, ToldWaits, Wait } from "../../core/wait.ts";
import type { Prices } from "../../core/worst-price.ts";
import type { Settling, StopProgress } from "../../deps.ts";
import type { StoredOrder } from "../../store/orders.ts";
import type { Contradiction } from "./still-held.ts";
import type { TracelessLooks } from "./traceless.ts";

/** What an account was shown to hold on perpetuals. */
export type ShownPositions = {
  /** By market, signed; none that is flat. */
  held: ReadonlyMap<string, Decimal>;
  /** The exchange's own time of the oldest part of it, unix milliseconds. */
  timeMs: number;
  /** It is of after everything that the account was told. */
  holdsTold: boolean;
  /** Or may be, as nothing says that it is of before: enough to reduce what is held by it, and not to say that nothing is. */
  mayHoldTold: boolean;
};

export type FlattenParts = {
  settling: Pick<Settling, "burn" | "pursue">;
  /** How far the stop itself has come. */
  progressOf(stop: Stop): StopProgress;
  /** Null where it could not be read. */
  positions(account: Account): Promise<ShownPositions | null>;
  /** False while a TWAP of the bot that could increase runs, or has a fill that is not known: then nobody knows what the bot holds. */
  areTwapsOver(account: Account, bot: string): Promise<boolean>;
  /** Whether the exchange's list of fills was read to its end from that moment on, exchange time in unix milliseconds; where it was not, that is asked for. */
  areFillsRead(account: Account, sinceMs: number): boolean;
  /** What an order of this side that only reduces is priced by now; null where neither a book nor a mark of now is known. */
  prices(account: Account, market: string, side: Side): Promise<Prices | null>;
};

/** What is kept in mind of one between two rounds. Losing it costs some readings. */
export type FlattenMemory = {
  askedAtMs: number;
  /** Exchange time when nothing could increase it any more, or later, unix milliseconds; null before. */
  sinceMs: number | null;
  /** The same of markets one by one, while something else may still increase. */
  apart: Map<string, number>;
  looks: TracelessLooks;
  /** Orders of earlier requests. */
  stepsBefore: number;
  flatReadings: number;
  idle: Map<string, number>;
  undecided: Map<string, number>;
  contradiction: Contradiction;
  /** While the fills of after `sinceMs` are not read. */
  unread: Contradiction;
  /** Null before the first round. */
  waits: readonly Wait[] | null;
  told: ToldWaits;
};

export function newFlattenMemory(): FlattenMemory {
  return {
    askedAtMs: 0,
    sinceMs: null,
    apart: new Map(),
    looks: new Map(),
    stepsBefore: 0,
    flatReadings: 0,
    idle: new Map(),
    undecided: new Map(),
    contradiction: { sinceMs: null },
    unread: { sinceMs: null },
    waits: null,
    told: { names: "", atMs: null },
  };
}

export type FlattenClosing = {
  stop: Stop;
  account: Account;
  flatten: Flatten;
  memory: FlattenMemory;
  /** As of when it was shown, exchange time, unix milliseconds. */
  shownMs: number;
  market: string;
  closable: Decimal;
  /** Orders that this request has placed in this market. */
  steps: readonly StoredOrder[];
  /** Filled by the tries of a round: what those wait for that leave nothing. */
  waits: NewWait[];
};

export type FlattenRound = Omit<FlattenClosing, "market" | "closable"> & {
  /** What is to be closed, by market. */
  held: ReadonlyMap<string, Decimal>;
};
