import { type TSchema, Type } from "@sinclair/typebox";
import type { EventType } from "../../core/event.ts";
import { AccountResource } from "./account.ts";
import { ListedApiKeyResource, RailNarrowing, RailTrip } from "./api-key.ts";
import { AnswerNetwork, closed, described, KeyHash, MarketName, nullable, Timestamp, Uuid, words } from "./common.ts";
import { FillResource } from "./fill.ts";
import { HeartbeatResource } from "./heartbeat.ts";
import { OperationResource } from "./operation.ts";
import { OrderResource } from "./order.ts";
import { PositionResource } from "./position.ts";
import { ProposalResource } from "./proposal.ts";
import { StopSummary, WaitingStop } from "./stop.ts";
import { TradeResource } from "./trade.ts";

const RemovedOrder = closed(
  { object: Type.Literal("order", { description: "Always `order`." }), id: Uuid },
  { title: "RemovedOrder", description: "An order of which it is proven that nothing was sent: there never was one." },
);

const RemovedOperation = closed(
  { object: Type.Literal("operation", { description: "Always `operation`." }), id: Uuid },
  { title: "RemovedOperation", description: "An operation of which it is proven that nothing was sent." },
);

const RevokedHash = closed(
  {
    object: Type.Literal("api_key", { description: "Always `api_key`." }),
    account: Uuid,
    key_hash: KeyHash,
    state: Type.Literal("revoked", { description: "Always `revoked`." }),
  },
  { title: "RevokedHash", description: "A hash that was revoked before a key was registered with it." },
);

const AGENT = {
  object: Type.Literal("agent", { description: "Always `agent`." }),
  address: Type.String({ pattern: "^0x[0-9a-f]{40}$", description: "Address of the agent." }),
  name: Type.String({ description: "Its name at the exchange." }),
  valid_until: nullable(
    Timestamp,
    "When the owner's approval ends, by the exchange's clock; null while that is not known.",
  ),
};

const ApprovedAgent = closed(AGENT, { title: "ApprovedAgent", description: "The agent may sign for the account." });

const ExpiringAgent = closed(
  { ...AGENT, days_left: Type.Integer({ description: "Whole days until the approval ends." }) },
  { title: "ExpiringAgent", description: "The owner's approval of the agent that signs ends soon." },
);

const ClosedPosition = closed(
  {
    object: Type.Literal("position", { description: "Always `position`." }),
    account: Uuid,
    network: AnswerNetwork,
    dex: Type.String({ description: "Perpetuals dex; empty for the native one." }),
    market: MarketName,
    size: Type.Literal("0", { description: "Always `0`." }),
  },
  { title: "ClosedPosition", description: "Nothing of the position is left." },
);

const RailRefusal = closed(
  {
    object: Type.Literal("rail_refusal", { description: "Always `rail_refusal`." }),
    key_hash: KeyHash,
    account: Uuid,
    bot: Type.String({ description: "The bot whose rail it is." }),
    rail: Type.String({ description: "The rail, as the grant names it, or `opposite_position`." }),
    limit: Type.String({ description: "What the rail allows." }),
    use: Type.String({ description: "What it would have come to." }),
    untold_before: Type.Integer({
      minimum: 0,
      description: "Refusals of this key by this rail since the one that was told before this one.",
    }),
  },
  {
    title: "RailRefusal",
    description:
      "A rail has refused something: the first of each key, rail and minute is told, the others are counted.",
  },
);

const SelfTrade = closed(
  {
    object: Type.Literal("self_trade", { description: "Always `self_trade`." }),
    account: Uuid,
    market: MarketName,
    order: described(Uuid, "The order that comes, of a key with rails."),
    resting_order: described(Uuid, "The order of another key that it would trade with."),
    bot: Type.String({ description: "The bot that has placed the one that comes." }),
  },
  {
    title: "SelfTrade",
    description:
      "An order of a bot is about to meet one that another key has placed for the same account: the exchange lets no account trade with itself, and cancels the one that rests.",
  },
);

const ExpiringKey = closed(
  {
    ...ListedApiKeyResource.properties,
    days_left: Type.Integer({ description: "7, 3 or 1: it opens nothing any more within so many days." }),
  },
  { title: "ExpiringKey", description: "A key with rails ends soon. Its orders stay as they are then." },
);

const StreamReady = closed(
  {
    resumed: Type.Boolean({ description: "Whether it goes on from an id that was asked for." }),
  },
  { title: "StreamReady" },
);

const StreamReset = closed(
  { reason: Type.String({ description: "Why nothing can be gone on from." }) },
  { title: "StreamReset" },
);

/** What `data` holds, by the type of the event. */
const DATA = {
  "order.created": OrderResource,
  "order.updated": OrderResource,
  "order.removed": RemovedOrder,
  "order.self_trade": SelfTrade,
  "fill.created": FillResource,
  "operation.created": OperationResource,
  "operation.updated": OperationResource,
  "operation.removed": RemovedOperation,
  "position.updated": Type.Union([PositionResource, ClosedPosition], {
    description:
      "The position when its size, entry price, leverage or margin type changed; prices alone are no change.",
  }),
  "balance.updated": AccountResource,
  "key.registered": ListedApiKeyResource,
  "key.revoked": Type.Union([ListedApiKeyResource, RevokedHash], { description: "The key, or the hash alone." }),
  "key.blocked": ListedApiKeyResource,
  "key.narrowed": RailNarrowing,
  "key.held": ListedApiKeyResource,
  "key.released": ListedApiKeyResource,
  "agent.approved": ApprovedAgent,
  "agent.expiring": ExpiringAgent,
  "stop.created": StopSummary,
  "stop.updated": StopSummary,
  "stop.waiting": WaitingStop,
  "trade.created": TradeResource,
  "trade.updated": TradeResource,
  "rail.refused": RailRefusal,
  "rail.tripped": RailTrip,
  "key.expiring": ExpiringKey,
  "heartbeat.missed": HeartbeatResource,
  "proposal.created": ProposalResource,
  "proposal.updated": ProposalResource,
  ready: StreamReady,
  reset: StreamReset,
} as const satisfies Record<EventType | "ready" | "reset", TSchema>;

/** Who placed an order, beside the order itself: an order has the members of its own and no others. */
const PLACED_BY = {
  key_hash: nullable(
    KeyHash,
    "Hash of the API key that placed the order; null where it was not placed here, or came of a modify.",
  ),
  idempotency_key: nullable(
    Type.String({ minLength: 8, maxLength: 128 }),
    "The Idempotency-Key that placed it, the client's own name for it; null where `key_hash` is.",
  ),
  batch_index: nullable(
    Type.Integer({ minimum: 0, maximum: 38 }),
    "Of an order that was placed in a batch: which of the orders under that key it is; null for every other.",
  ),
};

function eventOf(type: string, data: TSchema) {
  return closed(
    {
      object: Type.Literal("event", { description: "Always `event`." }),
      id: Type.String({
        pattern: "^(0|[1-9][0-9]{0,15})$",
        description: "Place in the log: grows, and is below 2^53. The numbers between are other accounts'.",
      }),
      type: Type.Literal(type, { description: `Always \`${type}\`.` }),
      account: Uuid,
      created_at: Timestamp,
      ...(type.startsWith("order.") ? PLACED_BY : {}),
      data,
    },
    { title: `${titleOf(type)}Event` },
  );
}

/** `OrderCreated` of `order.created`. */
function titleOf(type: string): string {
  const parts = type.split(".").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return parts.join("");
}

/** What `data` of the stream holds, one a line. */
export const EventResource = Type.Union(
  Object.entries(DATA).map(([type, data]) => eventOf(type, data)),
  {
    title: "Event",
    discriminator: { propertyName: "type" },
    description:
      "What happened, by `type`, with the whole resource as of then in `data`. A later version may add types: pass over those that you do not know.",
  },
);

export const EventStream = Type.String({
  title: "EventStream",
  description:
    "Server-sent events: `id`, `event` (the type) and `data` (an Event as one line of JSON). Comments keep the connection alive.",
  contentMediaType: "text/event-stream",
  contentSchema: EventResource,
});

export const AfterParameter = Type.String({
  pattern: "^(0|[1-9][0-9]{0,15})$",
  description:
    "Id of the last event that you have: what came after it is told first. 0 for all that is kept. The header `Last-Event-ID` says the same, and wins.",
});

export const FollowParameter = words(["true", "false"], {
  description: "`false`: end once everything that there is has been told.",
  default: "true",
});
