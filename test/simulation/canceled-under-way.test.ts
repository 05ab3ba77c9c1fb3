/** What `always_place` placed just after a cancel of ours had taken its original off: two chain times tell it from a replacement. */
import { expect, test } from "bun:test";
import { directly, type Fate } from "./network.ts";
import { MAKER, TAKER } from "./plain-venue.ts";
import { executed, limit, liveOrders, type Scene, shown, trade } from "./scene.ts";
import { scenesOfThisFile } from "./scenes.ts";

const scene = scenesOfThisFile();

const LATE_UNTIL_MS = 30_000;

type Weather = {
  isOutside: boolean;
  /** The answer to the cancel is `success`; else it is lost on its way. */
  isCancelHeard: boolean;
  /** Which records stay away for half a minute: of what was placed, and every second one of the original's end. */
  areRecordsLate: boolean;
};

/** An order that rests and is partly filled: one of ours, or one placed outside the API. */
async function resting(s: Scene, isOutside: boolean): Promise<{ id: string; oid: string }> {
  if (isOutside) trade(s, s.party.account.ownerAddress, { isBuy: true, price: 94_000, size: "0.01" });
  else await s.tell("under-way", limit("buy", 94_000));
  const oid = String(liveOrders(s)[0]);
  trade(s, TAKER, { isBuy: false, price: 94_000, size: "0.004" });
  await s.pass(3_000);
  const { id } = shown(await s.tell(null, { kind: "get", id: oid }));
  return { id, oid };
}

/** Servers that are behind: none knows what was placed, and every second one shows the original as it was. */
function keepRecordsLate(s: Scene, oid: string): void {
  let asked = 0;
  s.seeThrough((request, answer) => {
    if (request.type !== "orderStatus" || s.timeline.nowMs() > LATE_UNTIL_MS) return answer;
    // As the exchange answers.
    const { order: record } = answer as { order?: { status: string; order: { oid: number } } };
    if (record === undefined) return answer;
    if (String(record.order.oid) !== oid) return { status: "unknownOid" };
    asked += 1;
    return record.status === "canceled" && asked % 2 === 0
      ? { status: "order", order: { ...record, status: "open", statusTimestamp: 1 } }
      : answer;
  });
}

/** The modify is on its way for long, the empty action on its number for longer; the cancel of another request overtakes both. */
function fateOf(body: string, isCancelHeard: boolean): Fate {
  if (body.includes('"batchModify"')) return directly(700);
  if (body.includes('"noop"')) return directly(1_500);
  const isCancel = body.includes('"type":"cancel"');
  return isCancel && !isCancelHeard ? { arrivesAfterMs: [5], answer: { kind: "silence" } } : directly(5);
}

test.each<Weather>([
  { isOutside: true, isCancelHeard: true, areRecordsLate: true },
  { isOutside: true, isCancelHeard: false, areRecordsLate: true },
  { isOutside: false, isCancelHeard: true, areRecordsLate: true },
  { isOutside: false, isCancelHeard: false, areRecordsLate: true },
  { isOutside: true, isCancelHeard: true, areRecordsLate: false },
  { isOutside: false, isCancelHeard: false, areRecordsLate: false },
])("what was placed after a cancel of ours had taken its original off is an order of its own: %j", async (weather) => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.5" });
  const { id, oid } = await resting(s, weather.isOutside);
  if (weather.areRecordsLate) keepRecordsLate(s, oid);
  s.setFate(({ path, body }) => (path === "/exchange" ? fateOf(body, weather.isCancelHeard) : directly(5)));
  const modify = { kind: "modify" as const, id, price: "95200", size: "0.005", alwaysPlace: true };
  s.ask("under-way-modify", modify);
  await s.pass(200);
  s.ask("under-way-cancel", { kind: "cancel", id });
  await s.pass(60_000);
  expect(executed(s, "batchModify")).toHaveLength(1);
  const placed = shown(await s.tell("under-way-modify", modify));
  expect(placed).toMatchObject({ http: 200, status: "filled", filled: "0.005" });
  expect(placed.id).not.toBe(id);
  const original = shown(await s.tell(null, { kind: "get", id }));
  expect(original).toMatchObject({ status: "canceled", filled: "0.004", oid });
  const canceled = shown(await s.tell("under-way-cancel", { kind: "cancel", id }));
  expect(canceled).toMatchObject({ http: 200, id, status: "canceled", filled: "0.004" });
  const filledAs = s.rows(`select payload from events where resource_id = '${id}' and payload like '%${placed.oid}%'`);
  expect(filledAs).toEqual([]);
});

test.each([true, false])(
  "what took its original's place is told as the order, however late the records are (placed outside: %p)",
  async (isOutside) => {
    const s = await scene();
    trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.5" });
    const { id, oid } = await resting(s, isOutside);
    keepRecordsLate(s, oid);
    s.setFate(({ path, body }) => (path === "/exchange" ? fateOf(body, true) : directly(5)));
    const modify = { kind: "modify" as const, id, price: "95200", size: "0.005", alwaysPlace: true };
    s.ask("in-place-modify", modify);
    await s.pass(60_000);
    const placed = shown(await s.tell("in-place-modify", modify));
    expect(placed).toMatchObject({ http: 200, id, status: "filled", filled: "0.009" });
  },
);

/** Records of one order that are gone: by id, and where `isInHistory` is false in the history as well. */
function forget(s: Scene, isIt: (oid: string) => boolean, { fromMs, isInHistory }: Forgotten): void {
  s.seeThrough((request, answer) => {
    if (s.timeline.nowMs() < fromMs) return answer;
    if (request.type === "historicalOrders" && !isInHistory) {
      // As the exchange answers.
      return (answer as { order: { oid: number } }[]).filter(({ order }) => !isIt(String(order.oid)));
    }
    const { order } = answer as { order?: { order: { oid: number } } };
    const isGone = request.type === "orderStatus" && order !== undefined && isIt(String(order.order.oid));
    return isGone ? { status: "unknownOid" } : answer;
  });
}

type Forgotten = { fromMs: number; isInHistory: boolean };

test.each([true, false])(
  "of what the look-up by id has forgotten the history tells when it was placed (canceled before it: %p)",
  async (isCanceled) => {
    const s = await scene();
    trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.5" });
    const { id, oid } = await resting(s, false);
    forget(s, (each) => each !== oid, { fromMs: 0, isInHistory: true });
    s.setFate(({ path, body }) => (path === "/exchange" ? fateOf(body, true) : directly(5)));
    const modify = { kind: "modify" as const, id, price: "95200", size: "0.005", alwaysPlace: true };
    s.ask("by-history-modify", modify);
    await s.pass(200);
    if (isCanceled) s.ask("by-history-cancel", { kind: "cancel", id });
    await s.pass(120_000);
    const placed = shown(await s.tell("by-history-modify", modify));
    expect(placed).toMatchObject({ http: 200, status: "filled", filled: isCanceled ? "0.005" : "0.009" });
    expect(placed.id === id).toBe(!isCanceled);
  },
);

test("where the record of its end is kept no longer, the exchange's success to a cancel of ours tells whose it was", async () => {
  const s = await scene();
  trade(s, MAKER, { isBuy: false, price: 95_100, size: "0.5" });
  const { id, oid } = await resting(s, false);
  const startMs = s.timeline.nowMs();
  forget(s, (each) => each !== oid && s.timeline.nowMs() < startMs + 8_000, { fromMs: 0, isInHistory: false });
  forget(s, (each) => each === oid, { fromMs: startMs + 8_000, isInHistory: false });
  s.setFate(({ path, body }) => (path === "/exchange" ? fateOf(body, true) : directly(5)));
  const modify = { kind: "modify" as const, id, price: "95200", size: "0.005", alwaysPlace: true };
  s.ask("forgotten-modify", modify);
  await s.pass(200);
  s.ask("forgotten-cancel", { kind: "cancel", id });
  await s.pass(120_000);
  const placed = shown(await s.tell("forgotten-modify", modify));
  expect(placed).toMatchObject({ http: 200, status: "filled", filled: "0.005" });
  expect(placed.id).not.toBe(id);
});
