/** What the stream tells of an order before its answer comes, or right after that was lost, is all that it will tell. */
import { describe, expect, test } from "bun:test";
import { findOrder } from "../../src/store/orders.ts";
import { parseFrame } from "../../src/wire/answer/stream.ts";
import { DELIVERY, delayed } from "../support/gateway-rig.ts";
import { type BookOrder, recordOf } from "../support/small-venue.ts";
import { openStage, USER } from "./feed-stage.ts";

/** A word of the order, and what is left of it where that is not all. */
type Word = { status: string; left?: string };

/** The connection ends: nobody is told what comes then. */
const AWAY = { kind: "disconnected", reason: "gone" } as const;
/** Any frame of it may be the one. */
const UNREADABLE = { kind: "gap", reason: "cut" } as const;
type Told = readonly Word[] | typeof AWAY | typeof UNREADABLE;

const LOST_AFTER_MS = 5_000;

/** How an order is shown whose answer is lost after five seconds, while everything that is read is behind; each frame tells its words of it. */
async function lostBeside(frames: readonly Told[], toldAtMs: number): Promise<string[]> {
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
  const { id } = rig.store.$client.query("SELECT id FROM orders").get() as { id: string };
  const shown = [findOrder(rig.store, id)?.status ?? "none"];
  for (const told of frames) {
    const event = "kind" in told ? told : ({ kind: "order_updates", updates: updatesOf(order, told) } as const);
    // As the gateway has it: what was told is known before anybody heeds it.
    rig.deps.picture.hear(USER, event);
    follower.onEvent(USER, event);
    await pass(500);
  }
  if (toldAtMs < LOST_AFTER_MS) {
    await pass(1_500);
    expect(shown).toEqual(["processing"]);
  }
  await pass(5_000);
  return shown.filter((status) => status !== "processing");

  async function pass(forMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < forMs; passedMs += STEP_MS) {
      await rig.clock.advance(STEP_MS);
      const status = findOrder(rig.store, id)?.status ?? "none";
      if (shown.at(-1) !== status) shown.push(status);
    }
  }
}

const STEP_MS = 20;

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
const PART = { ...OPEN, left: "0.001" };
const FIRED = { status: "triggered" };

describe.each([
  ["before its answer is lost", 0],
  ["after its answer was lost", LOST_AFTER_MS + 1_000],
])("told %s", (_when, toldAtMs) => {
  test.each<[string, readonly Told[], string[]]>([
    ["that it rests", [[OPEN]], ["unknown", "open"]],
    ["nothing", [], ["unknown"]],
    ["in one frame that it rests and that it was filled", [[OPEN, FILLED]], ["unknown"]],
    ["in one frame that it was canceled and that it rests", [[CANCELED, OPEN]], ["unknown", "canceled"]],
    ["in one frame that it rests and that it rests with a part filled", [[OPEN, PART]], ["unknown"]],
    ["that it was filled, and then that it rests", [[FILLED], [OPEN]], ["unknown"]],
    ["that it was canceled, and then that it rests", [[CANCELED], [OPEN]], ["unknown", "canceled"]],
    ["that it has fired, and then that it waits", [[FIRED], [OPEN]], ["unknown"]],
    ["that it rests with a part of it filled", [[PART]], ["unknown"]],
  ])("an order of which the stream tells %s", async (_name, frames, statuses) => {
    expect(await lostBeside(frames, toldAtMs)).toEqual(statuses);
  });
});

test.each<[string, readonly Told[], string[]]>([
  ["it rests, and then that it was canceled", [[OPEN], [CANCELED]], ["unknown", "canceled"]],
  ["it rests, before its connection ended", [[OPEN], AWAY], ["unknown"]],
  ["it rests, before something that nobody could read", [[OPEN], UNREADABLE], ["unknown"]],
])(
  "an order of which the stream has told that %s, and whose answer is lost then, is not told as open",
  async (_name, frames, statuses) => {
    expect(await lostBeside(frames, 0)).toEqual(statuses);
  },
);
