import type { Attempt } from "../core/attempt.ts";
import type { KeyAnswer, KeyRecord } from "../core/idempotency.ts";
import type { Slot } from "../deps.ts";
import type { ActionUse } from "../settle/pre-trade/obstacles.ts";
import type { Conclusion } from "../settle/record/record.ts";
import type { WireOrder } from "../wire/action/order.ts";
import type { Reply } from "../wire/answer/reply.ts";
import type { ChargedBucket } from "./caller.ts";
import type { PrintedBody } from "./fingerprint.ts";

/** A write: what the record of its key is to say, and how it is told from another under that key. */
export type Write = Pick<KeyRecord, "accountId" | "idempotencyKey" | "route" | "fingerprint"> & {
  /** What the body asks for, to name what differs when the key has been used for something else. */
  asked: PrintedBody;
  /** Of what it would place, what the body tells of its terms; null for a write that places nothing, or several orders. */
  placedTerms: PrintedBody | "as_asked" | null;
  /** It creates the order, or the orders, that its key answers with: 201 when they are settled, as 200 is of anything else. */
  isCreating: boolean;
  /** Elapsed time at which the request was in; from there its deadline counts. */
  startedElapsedMs: number;
};

/**
 * One thing that a client may ask for which changes something at the exchange. A verb plans: what would be stored, what
 * would be sent, and how what comes back is written down. The steps around that are `runWrite`'s, for all of them.
 */
export type Verb = Pick<Write, "route" | "asked" | "placedTerms" | "isCreating"> & {
  /** What a request draws on whose key is new. */
  bucket: Exclude<ChargedBucket, "reads">;
  /** So often; once where it is left out. */
  charges?: number;
  /** A cancel of a known order: it takes risk away, and goes where other writes are refused. */
  isCancel: boolean;
  /** Throws `ApiError` for what cannot be done; reads what it needs. Asked again when its plan was overtaken. */
  plan(write: Write): Promise<Plan>;
};

/** What is to be stored and sent. */
export type Plan = {
  /** What the key will answer with. */
  resource: KeyRecord["resource"];
  /** What it is paid as. */
  use: ActionUse;
  /** False where nothing is going to be sent, as far as is known: then no weight is asked for. */
  isSent: boolean;
  /** An order of its own is refused where none would be taken. */
  isOrder: boolean;
  /**
   * Whose orders it may make a position larger by: the caller's, and whoever placed what it changes. Empty where it can only
   * make one smaller, or risk less: that passes every stop.
   */
  increasesFor: readonly (string | null)[];
  /** In which something is placed or changed: whoever is held to rails is judged by its price. Null where none is needed. */
  market: string | null;
  /** The same of what is placed beside it, in the same action. */
  alsoMarkets?: readonly string[];
  /** So many orders are in the action; one where it is left out. */
  count?: number;
  /** The row of what is placed holds its key as well; else the key gets a row of its own. */
  keyRow: "own" | "in_the_order";
  /**
   * Inside the intent's transaction. Throws `idempotency_in_progress` when something that was stored meanwhile has to be
   * planned for, and any other `ApiError` for what has come in the way.
   */
  store(keyRecord: KeyRecord, slot: Slot): Stored;
};

/** What an intent comes to inside its transaction. */
export type Stored = Outgoing | Said | Begun;

/** An action whose intent is stored. */
export type Outgoing = {
  kind: "outgoing";
  attempt: Attempt;
  /** Of what leaves as one action: all of it, `attempt` first. */
  batch?: readonly Attempt[];
  /** What leaves at the same moment: the empty actions that burn what a cancel must not meet. */
  beside?: readonly (() => Promise<void>)[];
  /** Writes down what the exchange answered. */
  conclude(reply: Reply): Conclusion | Promise<Conclusion>;
};

/** A row from which work follows that is none of this write's: `goOn` begins it, and waits for it a while. */
export type Begun = { kind: "begun"; goOn(): Promise<void> };

/** Nothing is to be sent: the final answer, as JSON text. */
export type Said = KeyAnswer & { kind: "said"; reserves?: Reserved };

/** What is going to be sent later on, of which nothing goes out before: a limited key is held to all of it at once. */
export type Reserved = {
  /** Of the resource that will send it. */
  id: string;
  /** What increases; null where nothing does. */
  entry: WireOrder | null;
  /** What only reduces what the entry fills, once it waits for the mark. */
  guards: readonly WireOrder[];
};
