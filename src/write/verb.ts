import type { Attempt } from "../core/attempt.ts";
import type { KeyAnswer, KeyRecord } from "../core/idempotency.ts";
import type { Slot } from "../deps.ts";
import type { ActionUse } from "../settle/pre-trade/obstacles.ts";
import type { WireOrder } from "../wire/action/order.ts";
import type { Reply } from "../wire/answer/reply.ts";
import type { Caller, ChargedBucket } from "./caller.ts";
import type { PrintedBody } from "./fingerprint.ts";

/**
 * One request for something that changes something at the exchange, under its Idempotency-Key. A verb (`actions/`) makes it of what was
 * asked, and only plans: what would be stored and sent, and how the answer is written down. `runWrite` has every other step, for
 * all verbs.
 */
export type Write = Pick<KeyRecord, "accountId" | "fingerprint" | "idempotencyKey" | "route"> & {
  caller: Caller;
  /** Elapsed time (milliseconds) at which the request had arrived; its deadline counts from there. */
  startedElapsedMs: number;
  /** What the body asks for, to name what differs when the key has been used for something else. */
  asked: PrintedBody;
  /** What the body asks to be placed, held against orders found after a restore; null for a write that places nothing, or several orders. */
  placedTerms: PrintedBody | "as_asked" | null;
  /** It creates the order, or the orders, that its key answers with: 201 when they are settled, as 200 is of anything else. */
  isCreating: boolean;
  /** The bucket of the API key's limits that a request draws on when its Idempotency-Key is new. */
  bucket: Exclude<ChargedBucket, "reads">;
  /** How many requests are drawn from the bucket, one for each order of a batch; 1 where it is left out. */
  charges?: number;
  /** True for a cancel of an order known here: it takes risk away, and passes while other writes are refused. */
  isCancel: boolean;
  /** Reads what it needs; throws `ApiError` for what cannot be done. Called again when its plan was overtaken. */
  plan(write: Write): Promise<Plan>;
};

/** What is to be stored and sent. */
export type Plan = {
  /** The order, operation, batch, cancel-all or trade whose state answers for the key. */
  resource: KeyRecord["resource"];
  /** What the action's weight at the exchange is spent on: each use has a share of its own (`exchange/shares`). */
  use: ActionUse;
  /** False where, as far as is known, nothing will be sent: then no weight is asked for. */
  isSent: boolean;
  /** It ends in orders at the exchange, and is refused where the account can place none (`orderObstacle`). */
  isOrder: boolean;
  /**
   * Hashes of the API keys (null: placed elsewhere) by whose orders it may make a position larger: the caller's key,
   * and the one that placed what it changes. A stop of any of them refuses it. Empty where it can only make a position
   * smaller, or risk less: that passes every stop.
   */
  increasesFor: readonly (string | null)[];
  /** The market in which it acts: a key with rails is judged by prices there. Null where no price is needed. */
  market: string | null;
  /** Further markets in which the same action places orders: those of a batch. */
  alsoMarkets?: readonly string[];
  /** How many orders are in the action; 1 where it is left out. */
  count?: number;
  /** Where the key's record is stored: in the row of the order that is placed, or in a row of its own. */
  keyRow: "own" | "in_the_order";
  /**
   * Stores the plan's rows, inside the intent's transaction. Throws `idempotency_in_progress` where something was
   * stored meanwhile that has to be planned for, and any other `ApiError` for what has come in the way.
   */
  store(keyRecord: KeyRecord, slot: Slot): Stored;
};

/** A market, its number in the list of markets, and why the list is doubted there. */
export type ListedMarket = { name: string; assetId: number | null; doubt: string | null };

/** What an intent has come to. */
export type Stored =
  /** An action is stored, and is sent once it is on the disk. */
  | {
      kind: "outgoing";
      attempt: Attempt;
      /** All attempts that leave as one action under one number, `attempt` first; left out where it leaves alone. */
      batch?: readonly Attempt[];
      /** Empty actions that leave at the same moment: they burn the numbers of placings that a cancel must end too. */
      beside?: readonly (() => Promise<void>)[];
      /**
       * Writes down the exchange's answer. Gives what the key answers from now on; `settled` where that has to be read from the store;
       * `open` where whoever sent it has to pursue the attempt, and waits for that.
       */
      conclude(reply: Reply): Promise<KeyAnswer | "settled" | "open">;
    }
  /** Nothing is to be sent: the final answer, as JSON text. */
  | (KeyAnswer & { kind: "said"; reserves?: Reserved })
  /** Another request with the key was first, as a plan's `store` never says: `record` is what it stored. */
  | { kind: "earlier"; record: KeyRecord }
  /** A row with which a worker goes on, after this write too: `goOn` wakes the worker and waits a while for it. */
  | { kind: "begun"; goOn(): Promise<void> };

/** What a trade will send later, and not now: a key with rails is judged by all of it when the trade is stored. */
export type Reserved = {
  /** Id of the trade. */
  id: string;
  /** The order that increases; null where none does. */
  entry: WireOrder | null;
  /** Stop-loss and take-profit: they only reduce what the entry fills, and wait for the mark until then. */
  guards: readonly WireOrder[];
};
