/** What the stream tells of an order before its answer comes, or right after that was lost, is all that it will tell. */
import { describe, expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { DELIVERY, delayed } from "../support/gateway-rig.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";
import { openStage, USER } from "./feed-stage.ts";

/** A word of the order, and what is left of it where that is not all. */
type Word = { status: string; left?: string };

const LOST_AFTER_MS = 5_000;

/** An order whose answer is lost after five seconds, while everything that is read is behind; each frame tells its words of it. */
async function lostBeside(frames: readonly Word[][], toldAtMs: number): Promise<string | undefined> {
  const { rig, follower } = await openStage();
  rig.deliveries.push(
    delayed(5, LOST_AFTER_MS, DELIVERY.answerLost),
    ...Array.from({ length: 50 }, () => DELIVERY.neverArrived),
  );
  rig.venue.isBlind = true;
  for (const type of ["frontendOpenOrders", "historicalOrders", "userFillsByTime"]) rig.exchange.answer(type, () => []);
  rig.place("key-0001").catch(() => undefined);
  await rig.clock.advance(100);
  const [order] = rig.venue.orders;
  if (order === undefined) throw new Error("nothing placed");
  await rig.clock.advance(toldAtMs);
  for (const words of frames) {
    follower.onEvent(USER, { kind: "order_updates", updates: updatesOf(order, words) });
    await rig.clock.advance(500);
  }
  const { id } = rig.store.$client.query("SELECT id FROM orders").get() as { id: string };
  if (toldAtMs < LOST_AFTER_MS) {
    await rig.clock.advance(1_500);
    expect(findOrder(rig.store, id)?.status).toBe("processing");
  }
  await rig.clock.advance(5_000);
  return findOrder(rig.store, id)?.status;
}

/** Records as the small venue writes them. */
function updatesOf(order: BookOrder, words: readonly Word[]) {
  const record = recordOf(order) as { order: object };
  const data = words.map(({ status, left }) => ({
    ...record,
    status,
    order: left === undefined ? record.order : { ...record.order, sz: left },
  }));
  const frame = parseFrame(JSON.stringify({ channel: "orderUpdates", data }));
  if (frame?.kind !== "order_updates") throw new Error("the test's own update cannot be read");
  return frame.updates;
}

const OPEN = { status: "open" };
const FILLED = { status: "filled", left: "0.0" };
const CANCELED = { status: "canceled" };

describe.each([
  ["before its answer is lost", 0],
  ["after its answer was lost", LOST_AFTER_MS + 1_000],
])("told %s", (_when, toldAtMs) => {
  test.each<[string, readonly Word[][], string]>([
    ["that it rests", [[OPEN]], "open"],
    ["nothing", [], "unknown"],
    ["in one frame that it rests and that it was filled", [[OPEN, FILLED]], "unknown"],
    ["in one frame that it was canceled and that it rests", [[CANCELED, OPEN]], "unknown"],
    ["that it rests with a part of it filled", [[{ ...OPEN, left: "0.001" }]], "unknown"],
  ])("an order of which the stream tells %s", async (_name, frames, status) => {
    expect(await lostBeside(frames, toldAtMs)).toBe(status);
  });
});

test.each<[string, readonly Word[][]]>([
  ["that it rests, and then that it was canceled", [[OPEN], [CANCELED]]],
  ["that it was filled, and then that it rests", [[FILLED], [OPEN]]],
])(
  "nothing is concluded of an order of which the stream has told %s before its answer was lost",
  async (_name, frames) => {
    expect(await lostBeside(frames, 0)).toBe("unknown");
  },
);
