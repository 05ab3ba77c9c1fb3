import { GET, listed, ORDER, PAUSES, type Reply, refused, type Scene, UNKNOWN } from "./scene.ts";

/** What becomes of a read. */
export const READS: readonly Scene[] = [
  {
    name: "a read is repeated where nobody answers or the gateway says that it may be, and carries no key",
    calls: [{ do: "getOrder", id: "o1" }],
    replies: [{ cut: true }, refused(503, "exchange_unreachable", 5), { status: 200, body: ORDER }],
    told: [{ result: ORDER }],
    asked: [GET, GET, GET],
    slept: [500, 5_000],
  },
  {
    name: "a read that fails for good says that nothing was sent",
    calls: [{ do: "getOrder", id: "o1" }],
    replies: Array<Reply>(19).fill({ cut: true }),
    told: [{ code: "no_answer", outcome: "nothing_sent", status: null }],
    asked: Array<string>(19).fill(GET),
    slept: PAUSES,
  },
  {
    name: "a list is followed to its last page",
    calls: [{ all: "/v1/fills" }],
    replies: [
      { status: 200, body: { object: "list", data: [{ id: "1" }], has_more: true, next_cursor: "a/b" } },
      listed({ id: "2" }),
    ],
    told: [{ result: [{ id: "1" }, { id: "2" }] }],
    asked: ["GET /v1/fills?limit=500", "GET /v1/fills?limit=500&cursor=a%2Fb"],
    slept: [],
  },
  {
    name: "what a name in a path holds is escaped",
    calls: [{ do: "getMarket", id: "PURR/USDC" }],
    replies: [{ status: 200, body: { object: "market" } }],
    told: [{ result: { object: "market" } }],
    asked: ["GET /v1/markets/PURR%2FUSDC"],
    slept: [],
  },
];

function event(id: string, type: string, data: object = { object: "x" }): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ object: "event", id, type, data })}\n\n`;
}

const STATE_REPLIES = [
  listed(ORDER),
  listed(),
  listed(UNKNOWN),
  listed(),
  { status: 200, body: { object: "account" } },
];
const STATE_ASKED = ["open", "processing", "unknown"].map((status) => `GET /v1/orders?limit=500&status=${status}`);
const STATE_READ = [...STATE_ASKED, "GET /v1/positions?limit=500", "GET /v1/account"];

/** What becomes of who follows the events. */
export const STREAMS: readonly Scene[] = [
  {
    name: "who begins is told first how everything stands, and then what happens",
    calls: [{ follow: null, take: 2 }],
    replies: [
      { stream: [": Postern\n\n", event("5", "ready"), event("6", "order.updated")], ends: "never" },
      ...STATE_REPLIES,
    ],
    told: [{ result: ["state 5 o1,o1", "order.updated 6"] }],
    asked: ["GET /v1/events", ...STATE_READ],
    slept: [],
  },
  {
    name: "a stream that is cut in the middle of an event goes on behind the last whole one, and nothing is told twice",
    calls: [{ follow: "6", take: 3 }],
    replies: [
      {
        stream: [event("6", "ready"), event("7", "order.created"), event("8", "order.updated").slice(0, -9)],
        ends: "cut",
      },
      { stream: [event("7", "ready"), event("8", "order.updated"), event("9", "fill.created")], ends: "never" },
    ],
    told: [{ result: ["order.created 7", "order.updated 8", "fill.created 9"] }],
    asked: ["GET /v1/events 6", "GET /v1/events 7"],
    slept: [1_000],
  },
  {
    name: "an event whose last line was cut off is none",
    calls: [{ follow: "6", take: 1 }],
    replies: [
      { stream: [event("6", "ready"), event("7", "order.created").slice(0, -1)], ends: "whole" },
      { stream: [event("6", "ready"), event("7", "order.created")], ends: "never" },
    ],
    told: [{ result: ["order.created 7"] }],
    asked: ["GET /v1/events 6", "GET /v1/events 6"],
    slept: [1_000],
  },
  {
    name: "where the place is not known any more the state is read anew, and it goes on from there",
    calls: [{ follow: "6", take: 3 }],
    replies: [
      { stream: [event("40", "reset"), event("41", "order.updated")], ends: "whole" },
      ...STATE_REPLIES,
      { stream: [event("41", "ready"), event("42", "order.updated")], ends: "never" },
    ],
    told: [{ result: ["state 40 o1,o1", "order.updated 41", "order.updated 42"] }],
    asked: ["GET /v1/events 6", ...STATE_READ, "GET /v1/events 41"],
    slept: [1_000],
  },
  {
    name: "a state that could not be read stays owed, also where the stream then goes on without a reset",
    calls: [{ follow: "6", take: 2 }],
    replies: [
      { stream: [event("40", "reset"), event("41", "order.updated")], ends: "never" },
      refused(503, "storage_unavailable"),
      { stream: [event("40", "ready"), event("41", "order.updated")], ends: "never" },
      ...STATE_REPLIES,
    ],
    told: [{ result: ["state 40 o1,o1", "order.updated 41"] }],
    asked: ["GET /v1/events 6", STATE_READ[0] ?? "", "GET /v1/events 40", ...STATE_READ],
    slept: [1_000],
  },
  {
    name: "a stream that falls silent is left, and gone on with",
    calls: [{ follow: "6", take: 2 }],
    replies: [
      { stream: [event("6", "ready"), event("7", "order.created")], ends: "never" },
      { stream: [event("7", "ready"), event("8", "order.updated")], ends: "never" },
    ],
    told: [{ result: ["order.created 7", "order.updated 8"] }],
    asked: ["GET /v1/events 6", "GET /v1/events 7"],
    slept: [1_000],
    silentAfterMs: 100,
  },
  {
    name: "a gateway that is away is tried less and less often, and when it says",
    calls: [{ follow: "6", take: 1 }],
    replies: [
      { cut: true },
      { html: 502 },
      { cut: true },
      refused(503, "draining", 5),
      { stream: [event("6", "ready"), event("7", "order.created")], ends: "never" },
    ],
    told: [{ result: ["order.created 7"] }],
    asked: Array<string>(5).fill("GET /v1/events 6"),
    slept: [1_000, 2_000, 4_000, 5_000],
  },
  {
    name: "a key that was revoked ends it",
    calls: [{ follow: "6", take: 2 }],
    replies: [
      { stream: [event("6", "ready"), event("7", "key.revoked")], ends: "whole" },
      refused(401, "revoked_api_key"),
    ],
    told: [{ code: "revoked_api_key", outcome: "nothing_sent", status: 401 }],
    asked: ["GET /v1/events 6", "GET /v1/events 7"],
    slept: [1_000],
  },
  {
    name: "it does not matter where the network cuts the text into pieces",
    calls: [{ follow: "6", take: 2 }],
    replies: [
      {
        stream: [event("6", "ready"), event("7", "order.created", { object: "ü€" }), event("8", "x")],
        ends: "never",
        isInBytes: true,
      },
    ],
    told: [{ result: ["order.created 7", "x 8"] }],
    asked: ["GET /v1/events 6"],
    slept: [],
  },
];
