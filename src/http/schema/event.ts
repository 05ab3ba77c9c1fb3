import { Type } from "@sinclair/typebox";
import { EVENT_TYPES } from "../../core/event.ts";
import { closed, Timestamp, Uuid, words } from "./common.ts";
import { FillResource } from "./fill.ts";
import { OperationResource } from "./operation.ts";
import { OrderResource } from "./order.ts";

/** What `data` of the stream holds, one a line. */
const EventResource = closed(
  {
    object: Type.Literal("event", { description: "Always `event`." }),
    id: Type.String({
      pattern: "^(0|[1-9][0-9]{0,15})$",
      description: "Place in the log: grows, and is below 2^53. The numbers between are other accounts'.",
    }),
    type: words([...EVENT_TYPES, "ready", "reset"], {
      description: "What happened. Ignore those that you do not know.",
    }),
    account: Uuid,
    created_at: Timestamp,
    data: Type.Union(
      [
        OrderResource,
        OperationResource,
        FillResource,
        Type.Object({}, { additionalProperties: true, description: "Of a key, an agent, or the stream itself." }),
      ],
      {
        description:
          "The whole resource as of then: an order, an operation, a fill or a key. Of what was removed its `object` and `id`; of an agent its `address`, `name`, `valid_until` and `days_left`.",
      },
    ),
  },
  { title: "Event" },
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
