import { ApiError } from "../core/errors.ts";
import { parseEventId } from "../core/event.ts";
import { eventSource } from "./event-streams.ts";
import { EXAMPLE_ACCOUNT_ID, EXAMPLE_KEY_HASH, EXAMPLE_ORDER } from "./examples.ts";
import type { Query } from "./query.ts";
import type { Route } from "./route.ts";
import { AfterParameter, EventStream, FollowParameter } from "./schema/event.ts";
import { openingOf } from "./stream-route.ts";

const EXAMPLE_ID = "1795253400000123";

const EXAMPLE_EVENT = {
  object: "event",
  id: EXAMPLE_ID,
  type: "order.updated",
  account: EXAMPLE_ACCOUNT_ID,
  created_at: "2026-11-21T09:30:00.000Z",
  key_hash: EXAMPLE_KEY_HASH,
  idempotency_key: "2026-11-21-btc-entry-0001",
  data: EXAMPLE_ORDER,
};

const CONTRACT = {
  name: "stream_events",
  method: "GET",
  path: "/v1/events",
  tag: "Events",
  summary: "Follow what happens",
  description: [
    "Server-sent events of the key's account: orders, fills, operations, keys, and an agent whose approval ends. What `data` holds is told by `type`; those of orders say besides which API key placed the order (`key_hash`), and under which `idempotency_key`.",
    "How to come back to where you were, and what is limited, stands with the tag `Events`. Orders that were placed elsewhere are told when they are modified or cancelled here. Positions are told when their size, entry price, leverage or margin type changed, balances when a total changed, whoever changed them; prices alone are no change. What changed of them shortly before the gateway ended, or while it was not running, is told after its start, once the exchange has shown something newer; balances then once in any case.",
  ].join(" "),
  access: "trading:read",
  query: { after: AfterParameter, follow: FollowParameter },
  answers: [
    {
      status: 200,
      description: "The stream.",
      schema: EventStream,
      example: `id: ${EXAMPLE_ID}\nevent: order.updated\ndata: ${JSON.stringify(EXAMPLE_EVENT)}\n\n`,
      contentType: "text/event-stream",
    },
  ],
  errors: ["draining"],
} as const;

const stream: Route = {
  contract: CONTRACT,
  async answer(deps, visit) {
    const { query, follows, listener, charge, answer } = openingOf(deps, visit, CONTRACT);
    const after = placeOf(visit.request.headers.get("last-event-id"), query);
    charge();
    return answer(() => eventSource(deps, listener, { after, follows }));
  },
};

/** Null = from now on. */
function placeOf(header: string | null, query: Query): number | null {
  const after = parsed("after", query.get("after"));
  return header === null || header === "" ? after : parsed("Last-Event-ID", header);
}

function parsed(name: string, text: string | null): number | null {
  if (text === null) return null;
  const id = parseEventId(text);
  if (id === null) throw new ApiError("invalid_parameter", `${name} is the id of an event: a whole number.`);
  return id;
}

export function eventRoutes(): Route[] {
  return [stream];
}
