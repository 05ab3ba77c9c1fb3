import type { Statement } from "bun:sqlite";
import type { Decimal } from "../core/decimal.ts";
import type { BrokenWatch } from "./broken.ts";
import type { DataVersion } from "./data-version.ts";
import type { Audience } from "./events.ts";
import type { HeldChangesBook } from "./held-changes.ts";
import type { JustFilledBook } from "./just-filled.ts";
import type { LegMomentsBook, SentMark } from "./leg-moments.ts";
import type { Store } from "./open.ts";
import type { RememberedRows } from "./remembered.ts";
import type { KnownRestores } from "./restores.ts";
import type { SealedMemory } from "./sealed-rows.ts";
import type { ShownBalancesBook } from "./shown-balances.ts";
import type { ShownPositionsBook } from "./shown-positions.ts";
import type { ToldHoldsBook } from "./told-holds.ts";
import type { UnchangedRows } from "./while-unchanged.ts";
import type { LastWrites } from "./written-last.ts";

/** What a connection keeps in mind beside its rows; made with it, and gone with it. Each part is its module's own. */
export type Memory = {
  /** True while a transaction runs its work: one of delayed outcomes stays open beyond it. */
  isWriting: boolean;
  /** What the transaction holds that is left open, as it came; `commit` runs it again after a rollback. */
  delayed: ((store: Store) => unknown)[];
  /** Set where what was told of them is not shown: to be called before anything is read. Throws while it cannot be. */
  showAgain: (() => void) | null;
  /** Null while nobody listens. */
  audience: Audience | null;
  broken: BrokenWatch;
  /** Called after each commit; null where nobody carries the log over beside this connection. */
  onCommit: (() => void) | null;
  /** SQLite's code of the last write, where it did not get through. */
  refusedWith: string | null;
  /** Writes that the disk has refused. */
  refusals: number;
  /** What the transaction that is open has still to write. */
  lastWrites: LastWrites;
  justFilled: JustFilledBook;
  legMoments: LegMomentsBook;
  /** The oldest first. */
  sentMarks: SentMark[];
  shownPositions: ShownPositionsBook;
  shownBalances: ShownBalancesBook;
  heldChanges: HeldChangesBook;
  toldHolds: ToldHoldsBook;
  /** By client order id, how much was filled of what of which that much is kept. */
  keptWhole: Map<string, Decimal>;
  /** Monotonic milliseconds; null where nobody has told how they are counted. */
  elapsedMs: (() => number) | null;
  /** By delivery, milliseconds of a clock that nobody sets; the oldest first. */
  heardAlerts: Map<number, number>;
  /** By when a row whose date lies ahead had been read, exchange time, unix milliseconds; losing it costs time. */
  readBy: Map<string, number>;
  remembered: RememberedRows | null;
  restores: KnownRestores | null;
  /** Null without the passphrase. */
  sealed: SealedMemory | null;
  /** Statements compiled for it, by what builds them. */
  statements: Map<object, unknown>;
  /** What tells how much this connection has written; compiled when it is first asked. */
  changeCount: Statement | null;
  dataVersion: DataVersion | null;
  /** Runs its argument when this turn of the event loop is over; where nobody has told how, when this run of code is. */
  afterTurn: (run: () => void) => void;
  /** By what reads them. */
  unchanged: Map<object, UnchangedRows>;
};

export function newMemory(): Memory {
  return {
    isWriting: false,
    delayed: [],
    showAgain: null,
    audience: null,
    broken: { because: null, listener: () => undefined },
    onCommit: null,
    refusedWith: null,
    refusals: 0,
    lastWrites: new Map(),
    justFilled: new Map(),
    legMoments: new Map(),
    sentMarks: [],
    shownPositions: new Map(),
    shownBalances: new Map(),
    heldChanges: new Map(),
    toldHolds: new Map(),
    keptWhole: new Map(),
    elapsedMs: null,
    heardAlerts: new Map(),
    readBy: new Map(),
    remembered: null,
    restores: null,
    sealed: null,
    statements: new Map(),
    changeCount: null,
    dataVersion: null,
    afterTurn: (run) => void Promise.resolve().then(run),
    unchanged: new Map(),
  };
}
