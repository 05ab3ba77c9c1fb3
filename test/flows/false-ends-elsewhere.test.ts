/** A record that tells an end of an order which was placed elsewhere is no end of it either. */
import { expect, test } from "bun:test";
import { FIRST, limitOrder, openPaperRig, type PaperRig, type PaperRigOptions } from "../support/paper-rig.ts";
import { open } from "./modified-order.ts";
import { onFrames } from "./shown-account.ts";

const FEEDS: [string, PaperRigOptions][] = [
  ["a live feed", { hasFeed: true }],
  ["no feed", {}],
];
const WORDS = ["canceled", "marginCanceled", "perpMarginRejected", "filled"];

async function placedElsewhere(options: PaperRigOptions, size = "0.1"): Promise<{ rig: PaperRig; oid: number }> {
  const rig = await openPaperRig(options);
  await rig.elsewhere(FIRST, limitOrder({ assetId: 0, side: "buy", size, price: "59000" }));
  const [order] = await open(rig);
  await rig.clock.advance(5_000);
  return { rig, oid: order?.oid ?? 0 };
}

/** Its record says so, whatever it is; every other answer is as it is. */
function endsByRecord(rig: PaperRig, word: string): void {
  const statusTimestamp = rig.deps.exchange.nowMs();
  rig.interfere = async (request) => {
    if (request["type"] !== "orderStatus") return undefined;
    const answer = (await rig.info(request)) as { order?: object };
    return answer.order === undefined
      ? answer
      : { ...answer, order: { ...answer.order, status: word, statusTimestamp } };
  };
}

async function told(rig: PaperRig, oid: number): Promise<Record<string, unknown>> {
  return (await rig.answer(FIRST, { route: `GET /v1/orders/${oid}` })).body;
}

test.each(FEEDS.flatMap(([feed, options]) => WORDS.map((word) => [feed, word, options] as const)))(
  "with %s, one of which a record says %s is told open or unknown while it rests",
  async (_feed, word, options) => {
    const { rig, oid } = await placedElsewhere(options);
    endsByRecord(rig, word);
    const seen: unknown[] = [];
    for (let nth = 0; nth < 20; nth += 1) {
      seen.push((await told(rig, oid))["status"]);
      await rig.clock.advance(1_000);
    }
    expect(seen.filter((status) => status !== "open" && status !== "unknown")).toEqual([]);
    rig.interfere = () => undefined;
    expect((await told(rig, oid))["status"]).toBe("open");
  },
);

test.each(FEEDS)("with %s, a record that is wrong for long is contradicted by a newer list", async (_feed, options) => {
  const { rig, oid } = await placedElsewhere(options);
  endsByRecord(rig, "canceled");
  await rig.clock.advance(200_000);
  expect(await told(rig, oid)).toMatchObject({ status: "open", filled_size: "0", error: null });
});

test.each(FEEDS)("with %s, such an order is canceled all the same", async (_feed, options) => {
  const { rig, oid } = await placedElsewhere(options);
  endsByRecord(rig, "canceled");
  const answered = rig.answerOf(rig.ask(FIRST, { route: `POST /v1/orders/${oid}/cancel`, body: {} }));
  await rig.clock.advance(2_000);
  rig.interfere = () => undefined;
  expect((await answered).status).toBeLessThan(300);
  expect([await open(rig), rig.sent.filter((each) => each === "cancel").length]).toEqual([[], 1]);
});

/** Each: without which channel, how long after, and how many lists of open orders that costs. */
const KNOWN: [how: string, options: PaperRigOptions, some: { without: string; afterMs: number; lists: number }][] = [
  ["its feed has told", { hasFeed: true }, { without: "", afterMs: 3_000, lists: 0 }],
  ["its feed lists no more", { hasFeed: true }, { without: "orderUpdates", afterMs: 200_000, lists: 0 }],
  ["a list that is read lacks", {}, { without: "", afterMs: 3_000, lists: 1 }],
];

test.each(KNOWN)("one that is over, as %s, is told so at once", async (_how, options, some) => {
  const { without, afterMs, lists } = some;
  const { rig, oid } = await placedElsewhere(options);
  onFrames(rig, ({ channel, arrive }) => (channel === without ? undefined : arrive()));
  await rig.trade("sell", "0.04", "59000");
  await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] });
  await rig.clock.advance(afterMs);
  rig.asked.length = 0;
  expect(await told(rig, oid)).toMatchObject({ status: "canceled", filled_size: "0.04" });
  expect(rig.asked.filter((type) => type === "frontendOpenOrders")).toHaveLength(lists);
});

test("of one whose list cannot be read the end is not told, and its error says what is waited for", async () => {
  const { rig, oid } = await placedElsewhere({});
  await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] });
  rig.failing.add("frontendOpenOrders");
  const { status, error, filled_size } = await told(rig, oid);
  expect([status, filled_size]).toEqual(["unknown", null]);
  expect(error).toContain("record of it says canceled");
});
