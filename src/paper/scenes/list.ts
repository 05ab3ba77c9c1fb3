/** The scenes: each is something that bots have met at the exchange. */
import type { FaultRule, RequestFault } from "../faults.ts";
import type { Pick, Scene } from "./scene.ts";
import type { Task } from "./task.ts";

/** Longer than clients of the exchange wait by default. Milliseconds. */
const SLOW_MS = 15_000;
/** Behind for longer than a careful client waits before its second look. Milliseconds. */
const BEHIND_MS = 5_000;
const STOOD_STILL_MS = 60_000;
const SILENT_MS = 120_000;
const FILLED_AFTER_MS = 3_000;
/** A position that was changed just now shows as it was for so long. Milliseconds. */
const STALE_MS = 20_000;

const ORDER_READS = ["orderStatus", "historicalOrders"];
const OPEN_READS = ["openOrders", "frontendOpenOrders", "webData2"];
const FILL_READS = ["userFills", "userFillsByTime"];
const POSITION_READS = ["clearinghouseState", "webData2", "spotClearinghouseState"];
const READS = [...new Set([...ORDER_READS, ...OPEN_READS, ...FILL_READS, ...POSITION_READS])];

export const SCENES: readonly Scene[] = [
  ...answers(),
  ...refusals(),
  ...stores(),
  ...changes(),
  ...streams(),
  ...positions(),
];

type Befalls = Partial<Omit<Scene, "name" | "story" | "task">>;

function scene(name: string, task: Task, story: string, rest: Befalls): Scene {
  return { name, task, story, rules: () => [], before: null, afterList: null, engine: {}, ...rest };
}

function once(fault: RequestFault, ...types: string[]): () => FaultRule[] {
  return () => types.map((type): FaultRule => ({ on: "exchange", type, times: 1, fault }));
}

/** The first order's answer is the web server's page. */
function gateway(pick: Pick, executed: boolean, type = "order"): FaultRule {
  const status = pick<502 | 503 | 504>([502, 503, 504]);
  return { on: "exchange", type, times: 1, fault: { kind: "bad_gateway", status, executed } };
}

function answers(): Scene[] {
  return [
    scene("answer-lost", "place", "The order is taken; no answer comes, however long the bot waits.", {
      rules: once({ kind: "lose_answer", executed: true }, "order"),
    }),
    scene("request-lost", "place", "The order never arrives, and no answer comes.", {
      rules: once({ kind: "lose_answer", executed: false }, "order"),
    }),
    scene("connection-cut", "place", "The order is taken; the connection breaks within the answer.", {
      rules: once({ kind: "reset", executed: true }, "order"),
    }),
    scene("slow-answer", "place", `The order is taken at once; the answer comes after ${SLOW_MS / 1_000} s.`, {
      rules: once({ kind: "delay", ms: SLOW_MS, executed: true }, "order"),
    }),
    scene("taken-late", "place", `The order is held on its way and taken ${SLOW_MS / 1_000} s after it was sent.`, {
      rules: once({ kind: "delay", ms: SLOW_MS, executed: false }, "order"),
    }),
    scene("gateway-error-taken", "place", "502, 503 or 504, and the order was taken.", {
      rules: (pick) => [gateway(pick, true)],
    }),
    scene("gateway-error-lost", "place", "502, 503 or 504, and the order was not taken.", {
      rules: (pick) => [gateway(pick, false)],
    }),
    scene("duplicate-nonce", "place", "The request arrives twice; the answer is the second one's: duplicate nonce.", {
      rules: once({ kind: "twice" }, "order"),
    }),
  ];
}

function refusals(): Scene[] {
  return [
    scene("rate-limited", "place", "429 to the first two orders, neither of which was taken.", {
      rules: () => [{ on: "exchange", type: "order", times: 2, fault: { kind: "status", status: 429 } }],
    }),
    scene("address-limited", "place", "The first order is refused: too many requests of this address.", {
      rules: once(
        {
          kind: "refuse",
          text: "Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0.",
          usesNonce: false,
        },
        "order",
      ),
    }),
  ];
}

/** The order is taken, its answer is a gateway's page, and a store with which one would look is behind. */
function lagging(name: string, what: string, types: readonly string[]): Scene {
  return scene(name, "place", `502, 503 or 504, the order was taken, and ${what} ${BEHIND_MS / 1_000} s behind.`, {
    rules: (pick) => [gateway(pick, true), ...everyRead(types, { kind: "behind", ms: BEHIND_MS })],
  });
}

function everyRead(types: readonly string[], fault: RequestFault): FaultRule[] {
  return types.map((type): FaultRule => ({ on: "info", type, fault }));
}

function stores(): Scene[] {
  return [
    lagging("order-records-behind", "the records of orders are", ORDER_READS),
    lagging("open-orders-behind", "the lists of open orders are", OPEN_READS),
    lagging("fills-behind", "the lists of fills are", FILL_READS),
    lagging("positions-behind", "the positions are", POSITION_READS),
    lagging("all-stores-behind", "whatever one reads is", READS),
    scene("stuck-node", "place", "502, 503 or 504, the order was taken, and every other read is of a minute ago.", {
      rules: (pick) => [gateway(pick, true), ...everyRead(READS, { kind: "balancer", lagsMs: [STOOD_STILL_MS, 0] })],
    }),
    scene("record-forgotten", "place", "502, 503 or 504, the order was filled, and no record of it is kept.", {
      rules: (pick) => [gateway(pick, true), ...everyRead(ORDER_READS, { kind: "forgets", afterMs: 0 })],
    }),
  ];
}

function changes(): Scene[] {
  return [
    scene("modify-kills", "move", "The modify cancels the order, and what should replace it is refused.", {
      rules: once(
        { kind: "modify_kills", text: "Post only order would have immediately matched, bbo was 94995@95005. asset=0" },
        "modify",
        "batchModify",
      ),
    }),
    scene("modify-meets-fill", "move", "The order is filled the moment before the modify.", {
      rules: once({ kind: "fills_first" }, "modify", "batchModify"),
    }),
    scene("modify-answer-lost", "move", "502, 503 or 504, and the modify was carried out.", {
      rules: (pick) => ["modify", "batchModify"].map((type) => gateway(pick, true, type)),
    }),
    scene("cancel-meets-fill", "cancel", "The order is filled the moment before the cancel.", {
      rules: once({ kind: "fills_first" }, "cancel", "cancelByCloid"),
    }),
    scene("cancel-misses", "cancel", "The first cancel says that there was never such an order, which lives on.", {
      rules: once({ kind: "cancel_misses", withinMs: SLOW_MS }, "cancel", "cancelByCloid"),
    }),
    scene("cancel-answer-lost", "cancel", "502, 503 or 504, and the cancel was not carried out.", {
      rules: (pick) => ["cancel", "cancelByCloid"].map((type) => gateway(pick, false, type)),
    }),
    scene("ended-by-exchange", "follow", "The order rests; then the exchange cancels it for lack of margin.", {
      rules: once({ kind: "system_cancel", status: "marginCanceled" }, "order"),
    }),
    scene("market-list-moves", "place", "After the bot has read the list, two markets change places in it.", {
      afterList: { afterMs: 0, swap: ["BTC", "ETH"] },
    }),
  ];
}

/** Channels that tell of orders and fills, with the frames that they have told before the fill. */
const CHANNELS = [
  { type: "orderUpdates", skip: 1 },
  { type: "userFills", skip: 1 },
  { type: "user", skip: 0 },
] as const;

type FrameRule = Extract<FaultRule, { on: "ws" }>;

/** The order rests and is filled a little later, while the stream does that. */
function streaming(name: string, story: string, rule: Frames): Scene {
  return scene(name, "follow", story, {
    rules: () => [
      {
        on: "exchange",
        type: "order",
        times: 1,
        fault: { kind: "part_fills", percent: 100, afterMs: FILLED_AFTER_MS },
      },
      ...CHANNELS.map((channel): FaultRule => ({ on: "ws", ...channel, ...rule })),
    ],
  });
}

type Frames = Omit<FrameRule, "on" | "type">;

function streams(): Scene[] {
  return [
    streaming("stream-silent", "The order rests and is filled later; the stream is open and says nothing.", {
      fault: { kind: "silent", ms: SILENT_MS },
    }),
    streaming("stream-drops", "The order rests and is filled later; the stream breaks before it can say so.", {
      times: 1,
      fault: { kind: "close", code: 1_006, reason: "" },
    }),
    streaming("stream-repeats", "The order rests and is filled later; the stream says so twice.", {
      fault: { kind: "duplicate" },
    }),
    streaming("stream-reordered", "The order rests and is filled later; the stream says the second thing first.", {
      skip: 0,
      times: 1,
      fault: { kind: "reorder" },
    }),
  ];
}

function positions(): Scene[] {
  return [
    scene(
      "bracket-part-fills",
      "bracket",
      "Half of the entry is filled: its stop and take profit wait for the whole.",
      {
        rules: once({ kind: "part_fills", percent: 50 }, "order"),
      },
    ),
    scene("stop-is-met", "stop", "The price is through the stop before it is placed: it fires at once.", {
      before: "through the stop",
    }),
    scene("stop-is-refused", "stop", "The price is through the stop before it is placed: it is refused.", {
      before: "through the stop",
      engine: { metTrigger: "reject" },
    }),
    scene("stale-position", "close", "Half of the position was closed just now; positions are 20 s behind.", {
      before: "half is closed",
      rules: () => everyRead(POSITION_READS, { kind: "behind", ms: STALE_MS }),
    }),
  ];
}
