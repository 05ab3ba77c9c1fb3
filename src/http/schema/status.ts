import { Type } from "@sinclair/typebox";
import { OBSTACLES, type ObstacleReason } from "../../core/readiness.ts";
import { closed, described, Figure, KeyHash, nullable, Timestamp, Uuid, words } from "./common.ts";

// The keys of the table are the reasons.
const REASONS = Object.keys(OBSTACLES) as ObstacleReason[];

const Count = Type.Integer({ minimum: 0, description: "A count." });
const Seconds = Type.Integer({ minimum: 0, description: "Whole seconds." });

const Left = nullable(Count, "Weight of this minute that may still be spent on it; null where it is not limited.");

function weightFor(what: string) {
  return closed(
    { left: Left, wait_s: described(Seconds, "Until the next one fits; 0 when it does.") },
    { description: what },
  );
}

const ExchangeWeight = closed(
  {
    reads: weightFor("Reads of the exchange for this key; they are shared fairly among those who read."),
    orders: weightFor("Orders, modifies and other changes."),
    reductions: weightFor("Orders and TWAPs that are `reduce_only`."),
    settling: weightFor(
      "Finding out what became of what was sent: what it may have now, which may be less than those above while it has had its part of half a minute.",
    ),
    cancels: weightFor("Cancels, which may use all of it."),
  },
  {
    title: "ExchangeWeight",
    description:
      "What is left of the weight a minute that this gateway may spend at the exchange. Each has what those below it here may not use up.",
  },
);

const ExchangeBudget = closed(
  {
    order_wait_s: described(Seconds, "Until an order or modify fits the weight that we may spend at the exchange."),
    cancel_wait_s: described(Seconds, "The same for a cancel, for which some of it is kept."),
    weight: ExchangeWeight,
    actions_used: nullable(
      Count,
      "Actions of the account that the exchange has counted, and those sent from here since; null when it cannot be asked.",
    ),
    actions_cap: nullable(Count, "How many its volume has earned it so far; null when it cannot be asked."),
  },
  { title: "ExchangeBudget", description: "What may still be sent to the exchange." },
);

const SigningAgent = closed(
  {
    address: Type.String({ pattern: "^0x[0-9a-f]{40}$", description: "Address of the agent key that signs." }),
    name: Type.String({ description: "Its slot at the exchange." }),
    is_unlocked: Type.Boolean({ description: "Whether this process can sign with it." }),
    valid_until: nullable(Timestamp, "When its approval ends, by the exchange's clock; null when that is not known."),
  },
  { title: "SigningAgent" },
);

const BuilderFee = closed(
  {
    fee_bps: described(Figure, "Fee in basis points of what is traded."),
    is_required: Type.Boolean({ description: "Whether orders carry it even where it is not approved." }),
    is_approved: nullable(Type.Boolean(), "Whether the owner has approved it; null while that is not known."),
  },
  { title: "BuilderFee", description: "Without the approval orders go without the fee, unless it is required." },
);

const Unknowns = closed(
  {
    count: described(Count, "How many are `unknown`."),
    oldest_since: nullable(Timestamp, "When the oldest of them was taken; null when there is none."),
    oldest_age_s: nullable(Seconds, "Whole seconds since then; null when there is none."),
  },
  { title: "Unknowns" },
);

const Restore = closed(
  {
    restored_at: described(Timestamp, "When the snapshot took the place of a lost machine."),
    snapshot_at: described(Timestamp, "The newest thing that the snapshot knew of."),
    taken_up_at: nullable(
      Timestamp,
      "Since when orders are taken again; null while those placed since are being read.",
    ),
  },
  { title: "Restore" },
);

const Orders = closed(
  {
    are_taken: Type.Boolean({ description: "Whether an order that makes a position larger would be taken now." }),
    reason: Type.Union([words(REASONS, { description: "Why not." }), Type.Null()], {
      description: "Why not, or null.",
    }),
    detail: nullable(Type.String(), "The reason in plain words, or null."),
  },
  { title: "OrdersTaken", description: "The account's own part of `GET /readyz`." },
);

const Picture = closed(
  {
    balances_as_of: nullable(Timestamp, "The balances, by the exchange's clock; null where they were never shown."),
    positions_as_of: nullable(
      Timestamp,
      "Positions and margin, of the dex that is oldest, by the exchange's clock; null as above.",
    ),
    open_orders_as_of: nullable(
      Timestamp,
      "Open orders, of the dex that is oldest, by the exchange's clock; null as above.",
    ),
    twaps_as_of: nullable(Timestamp, "TWAPs, by the exchange's clock; null as above."),
  },
  {
    title: "Picture",
    description:
      "Of when what lists show of the account is. What is too old is read from the exchange when it is asked for.",
  },
);

export const StatusResource = closed(
  {
    object: Type.Literal("status", { description: "Always `status`." }),
    account: Uuid,
    network: words(["mainnet", "testnet", "paper"], { description: "The network that this gateway really trades on." }),
    phase: words(["trial", "opening", "starting", "ready", "draining"], {
      description: "How far the process is; `orders` says whether any are taken.",
    }),
    orders: Orders,
    writes_stopped_because: nullable(Type.String(), "Why writes other than cancels are refused, or null."),
    replica_fault: nullable(
      Type.String(),
      "What is wrong with Litestream's copy beside the database, in plain words, as of a look every five minutes; null where nothing is, and where the gateway was not told of one (`--external-checkpoints`).",
    ),
    restore: Type.Union([Restore, Type.Null()], { description: "The last restore from a backup; null without one." }),
    exchange_budget: ExchangeBudget,
    agent: Type.Union([SigningAgent, Type.Null()], { description: "Who signs; null while no agent is approved." }),
    builder_fee: Type.Union([BuilderFee, Type.Null()], {
      description: "The operator's builder fee on this account's orders; null when there is none.",
    }),
    unlimited_write_keys: Type.Array(KeyHash, {
      description:
        "Hashes of the keys of the account that may write and have no rails: a thief of one loses you everything.",
    }),
    unknown_orders: Unknowns,
    unknown_operations: Unknowns,
    unsettled_actions: described(Count, "Signed actions of the account whose outcome is being looked up."),
    feed_live: Type.Boolean({
      description:
        "Whether the exchange's live feed of the account is connected, has caught up and agrees with what reads show.",
    }),
    feed_not_live_because: nullable(Type.String(), "Why it is not live, in plain words; null while it is."),
    market_feed_live: nullable(
      Type.Boolean(),
      "Whether the exchange's live feed of the markets is connected and has told something new within ten seconds; null while nobody asks for markets.",
    ),
    picture: Picture,
    fills_complete_to: nullable(
      Timestamp,
      "Up to when the index of fills is certainly whole: the time, by the exchange's clock, of the newest fill that the exchange's own list has shown. Its list may be behind after that. It stays right before a millisecond in which more was filled than the exchange gives, and before the sending of an order of which more was filled than its fills come to. Null where it has shown none.",
    ),
    fills_read_at: nullable(
      Timestamp,
      "When the exchange's list of fills was last read to its end, by the exchange's clock; null before the first time.",
    ),
    markets_read_at: nullable(Timestamp, "When the markets were read; null before the first time."),
  },
  { title: "Status", description: "How the gateway is doing, for the key's own account." },
);
