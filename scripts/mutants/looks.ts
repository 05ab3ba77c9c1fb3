import { type Mutant, one } from "./mutant.ts";

const LOOK = "src/settle/look/look.ts";
const POSITION_CHECK = "src/settle/evidence/position-check.ts";
const SWEEP = "src/settle/look/sweep.ts";
const SWEEPS = "src/settle/look/sweeps.ts";
const CANCEL = "src/settle/cancel/cancel.ts";
const REDUCE = "src/settle/modify/reduce.ts";

/** Bugs of one line in what one look, one cancel or one reading of everything says. */
export const LOOKS: readonly Mutant[] = [
  one(
    "a new word for a refusal is one, however long after its placing",
    LOOK,
    "const isOfOneMoment = seen.statusTimestampMs === order.timestampMs && order.size === order.originalSize;",
    "const isOfOneMoment = order.size === order.originalSize;",
  ),
  one(
    "a new word for a refusal is one of what was filled in part",
    LOOK,
    "seen.statusTimestampMs === order.timestampMs && order.size === order.originalSize;",
    "seen.statusTimestampMs === order.timestampMs;",
  ),
  one("a position says something of spot", POSITION_CHECK, '  if (isSpot(market)) return "unknown";\n', ""),
  one(
    "of fills that do not join the first tells where a position stands",
    POSITION_CHECK,
    "return last.length === 1 ? (last[0] ?? null) : null;",
    "return last[0] ?? null;",
  ),
  one(
    "a full history reaches back to the moment of its oldest row",
    SWEEP,
    "statusTimestampMs < sentAtMs);",
    "statusTimestampMs <= sentAtMs);",
  ),
  one(
    "a reading over another connection is one over this",
    SWEEPS,
    "options.onNewConnection ?? false}`;",
    'options.onNewConnection === null ? "" : ""}`;',
  ),
  one(
    "a cancel that was carried out was refused",
    CANCEL,
    'state !== "done" || hasLanded || answerText',
    'state !== "done" || answerText',
  ),
  one(
    "a trigger that waits is canceled by the fast lane",
    CANCEL,
    " || order.trigger !== null || leg.trigger !== null) return false;",
    ") return false;",
  ),
  one(
    "what is left of a trigger that has fired is canceled by the fast lane",
    CANCEL,
    " || order.trigger !== null || leg.trigger !== null) return false;",
    " || leg.trigger !== null) return false;",
  ),
  one(
    "what is left of an excess is placed anew under a stop",
    REDUCE,
    "const isReduced = mayReduce && !isStopped(world, id);",
    "const isReduced = mayReduce;",
  ),
  one(
    "an order is whoever's shows its client order id",
    "src/settle/feed/known-leg.ts",
    "leg !== null && findOrder(world.store, leg.orderId)?.accountId === account.id ? leg",
    "leg !== null ? leg",
  ),
  one(
    "a fill of another account names an order",
    "src/settle/fills/index-fills.ts",
    "if (leg === null || order?.accountId !== account.id) return null;",
    "if (leg === null || order === null) return null;",
  ),
  one(
    "fills are whole up to when they were asked for",
    "src/settle/fills/index-fills.ts",
    "page.fills.at(-1)?.timeMs ?? 0);",
    "world.exchange.nowMs());",
  ),
  one(
    "a page of the newest fills that is full lacks nothing of its oldest moment",
    "src/settle/fills/fill-pages.ts",
    "newest.filter(({ timeMs }) => timeMs > oldestMs)",
    "newest.filter(({ timeMs }) => timeMs >= oldestMs)",
  ),
];
