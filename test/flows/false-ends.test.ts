/** A record that tells an end of an order is no end: what a client is told of it, and when, where it is so and where it is not. */
import { expect, test } from "bun:test";
import { FIRST, openPaperRig, type PaperRig, type PaperRigOptions, pass } from "../support/paper-rig.ts";
import { placed, polled } from "./polled-order.ts";

async function told(rig: PaperRig, id: string): Promise<[unknown, unknown]> {
  const { body } = await rig.answer(FIRST, { route: `GET /v1/orders/${id}` });
  return [body["status"], body["filled_size"]];
}

/** The record of an order says that it is over, whatever it is; every other answer is as it is. */
function endsByRecord(rig: PaperRig, oid: number, word: string): void {
  const statusTimestamp = nowMs(rig);
  rig.interfere = async (request) => {
    if (request["type"] !== "orderStatus") return undefined;
    const answer = (await rig.info(request)) as { order?: { order: { oid: number } } };
    if (answer.order?.order.oid !== oid) return answer;
    return { ...answer, order: { ...answer.order, status: word, statusTimestamp } };
  };
}

function nowMs(rig: PaperRig): number {
  return rig.deps.exchange.nowMs();
}

function listReads(rig: PaperRig): number {
  return rig.asked.filter((type) => type === "frontendOpenOrders").length;
}

const FEEDS: [string, PaperRigOptions][] = [
  ["a live feed", { hasFeed: true }],
  ["no feed", {}],
];
const WORDS = ["canceled", "marginCanceled", "perpMarginRejected", "filled"];

/** Every status that was told, but that it is open, or that nobody knows. */
function ends(seen: readonly [unknown, number][]): unknown[] {
  return seen.flatMap(([status]) => (status === "open" || status === "unknown" ? [] : [status]));
}

test.each(FEEDS.flatMap(([feed, options]) => WORDS.map((word) => [feed, word, options] as const)))(
  "with %s, an order of which one record says %s has no end, and is told open again within seconds",
  async (_feed, word, options) => {
    const rig = await openPaperRig(options);
    const { id, oid } = await placed(rig);
    await pass(rig, 5_000);
    endsByRecord(rig, oid, word);
    const looked = rig.deps.settling.look(id, "settle");
    await rig.clock.advance(1_000);
    await looked;
    rig.interfere = () => undefined;
    const seen = await polled(rig, id, 40_000);
    expect([ends(seen), seen.at(-1)?.[0]]).toEqual([[], "open"]);
    expect(rig.deps.feeds.distrusts(FIRST.account.tradingAddress)).toBe(0);
  },
);

test.each(FEEDS)(
  "with %s, a record that says so for a minute is contradicted, not believed",
  async (_feed, options) => {
    const rig = await openPaperRig(options);
    const { id, oid } = await placed(rig);
    await pass(rig, 5_000);
    endsByRecord(rig, oid, "canceled");
    const looked = rig.deps.settling.look(id, "settle");
    await rig.clock.advance(1_000);
    await looked;
    const during = await polled(rig, id, 60_000);
    rig.interfere = () => undefined;
    const after = await polled(rig, id, 40_000);
    expect([ends(during), ends(after), after.at(-1)?.[0]]).toEqual([[], [], "open"]);
    const { body } = await rig.answer(FIRST, { route: `GET /v1/orders/${id}/story` });
    expect(JSON.stringify(body["steps"])).toContain(`${oid} is canceled by its record, and listed as open`);
  },
);

test.each(FEEDS)(
  "with %s, what another cancels on a quiet account is told within three seconds",
  async (_feed, options) => {
    const rig = await openPaperRig(options);
    const { id, oid } = await placed(rig);
    await pass(rig, 5_000);
    rig.asked.length = 0;
    await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] });
    const seen = await polled(rig, id, 10_000);
    expect(seen.at(-1)?.[0]).toBe("canceled");
    expect(seen.at(-1)?.[1]).toBeLessThanOrEqual(3_000);
    // One for the end, and one that is read every half minute.
    expect(listReads(rig)).toBeLessThanOrEqual(2);
  },
);

const MANY = 300;
/** Placed at once. */
const AT_ONCE = 50;

test("three hundred orders that others have ended at once cost a few lists, not one each", async () => {
  const rig = await openPaperRig({});
  const many: Awaited<ReturnType<typeof placed>>[] = [];
  for (let nth = 0; nth < MANY; nth += AT_ONCE)
    many.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => placed(rig)))));
  await pass(rig, 5_000);
  for (const { oid } of many) await rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] });
  rig.asked.length = 0;
  const startedMs = rig.clock.elapsedMs();
  const looks = Promise.all(many.map(({ id }) => rig.deps.settling.look(id, "settle")));
  await rig.answerOf(looks.then(() => rig.answer(FIRST, { route: "GET /v1/status" })));
  await pass(rig, 3_000);
  for (const { id } of many) void rig.deps.settling.look(id, "settle");
  await pass(rig, 3_000);
  const left = (await rig.answer(FIRST, { route: "GET /v1/orders?status=open&limit=500" })).body["data"] as unknown[];
  const states = await Promise.all(many.map(({ id }) => told(rig, id)));
  expect([left.length, states.filter(([status]) => status !== "canceled").length]).toEqual([0, 0]);
  expect(rig.clock.elapsedMs() - startedMs).toBeLessThan(20_000);
  expect(listReads(rig)).toBeLessThanOrEqual(6);
});
