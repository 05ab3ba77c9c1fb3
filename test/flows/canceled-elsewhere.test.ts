/** The story of an order that somebody else has canceled says so, and by what: never by whom where nobody tells. */
import { expect, test } from "bun:test";
import { DELIVERY, FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

const SECOND = 1_000;

type Order = { id: string; exchange_order_id: string };
type Step = { at: string; what: string; detail: string };
type Ending = (rig: PaperRig, order: Order) => Promise<unknown>;

function byHand(rig: PaperRig, { exchange_order_id: oid }: Order): Promise<unknown> {
  return rig.elsewhere(FIRST, { type: "cancel", cancels: [{ a: 0, o: BigInt(oid) }] });
}

async function byRule(rig: PaperRig): Promise<void> {
  const signer = FIRST.account.tradingAddress;
  rig.paper.happen({ kind: "systemCancel", signer, status: "marginCanceled", atMs: rig.clock.nowMs() });
}

function byKey(rig: PaperRig, { id }: Order): Promise<unknown> {
  return rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
}

/** Ours does not find it any more. */
async function byHandAndThenByKey(rig: PaperRig, order: Order): Promise<void> {
  await byHand(rig, order);
  await byKey(rig, order);
}

/** Ours never arrives, and neither does its copy. */
async function byKeyInVain(rig: PaperRig, order: Order): Promise<void> {
  rig.deliveries.push(...Array.from({ length: 3 }, () => DELIVERY.neverArrived));
  void rig.ask(FIRST, { route: `POST /v1/orders/${order.id}/cancel`, body: {} });
  await rig.clock.advance(100);
  await byHand(rig, order);
}

const ANYBODYS = "the exchange tells no more than that, and by that word it may be anybody's cancel";
const NOT_OURS = "no cancel and no modify of it was sent by this gateway";
const OURS_TOO = "a cancel of it was sent by this gateway, and no answer says that a cancel was carried out";
const MARGIN = "canceled by the exchange: not enough margin when it was about to fill (marginCanceled)";

/** An order of the first account to buy 0.01 BTC, as it was answered. */
async function placed(rig: PaperRig, price: string): Promise<Order> {
  const body = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.01", price };
  return (await rig.answer(FIRST, { route: "POST /v1/orders", body })).body as Order;
}

test.each<[string, Ending, string | null]>([
  ["by hand", byHand, `${ANYBODYS}; ${NOT_OURS}`],
  ["by a rule of the exchange", byRule, `${MARGIN}; ${NOT_OURS}`],
  ["by its key", byKey, null],
  ["by hand, before its key asked for it", byHandAndThenByKey, `${ANYBODYS}; ${OURS_TOO}`],
  ["by hand, while its key's cancel was lost", byKeyInVain, `${ANYBODYS}; ${OURS_TOO}`],
])("an order that was canceled %s", async (_how, end, told) => {
  for (const hasFeed of [true, false]) {
    const rig = await openPaperRig({ hasFeed });
    await rig.clock.advance(20 * SECOND);
    const order = await placed(rig, "50000");
    await rig.clock.advance(2 * SECOND);
    const endedMs = rig.clock.nowMs();
    await end(rig, order);
    for (let nth = 0; nth < 60; nth += 1) await rig.clock.advance(SECOND);
    const { body: story } = await rig.answer(FIRST, { route: `GET /v1/orders/${order.id}/story` });
    expect(story).toMatchObject({ order: { status: "canceled" } });
    const steps = (story["steps"] as Step[]).filter(({ what }) => what === "canceled");
    expect(steps.map(({ detail }) => detail)).toEqual(told === null ? [] : [told]);
    for (const { at } of steps) expect(Date.parse(at)).toBeGreaterThanOrEqual(endedMs);
  }
});

test("a story of an order that is open, or was filled, tells of no cancel", async () => {
  const rig = await openPaperRig();
  await rig.trade("sell", "1", "60000");
  for (const price of ["50000", "60000"]) {
    const order = await placed(rig, price);
    const { text } = await rig.answer(FIRST, { route: `GET /v1/orders/${order.id}/story` });
    expect(text).not.toContain('"what":"canceled"');
  }
});

/** Milliseconds after its end at which somebody looks at it first. */
const FIRST_LOOKS = [0, 400, 700, 800, 900];

test.each(FIRST_LOOKS)(
  "an order that is over is told open for a second at the most, first looked at after %p ms",
  async (firstMs) => {
    const rig = await openPaperRig();
    await rig.clock.advance(20 * SECOND);
    const order = await placed(rig, "50000");
    await rig.clock.advance(5 * SECOND);
    const endedMs = rig.clock.nowMs();
    await byHand(rig, order);
    await rig.clock.advance(firstMs);
    const open: number[] = [];
    while (rig.clock.nowMs() - endedMs < 4 * SECOND) {
      const askedMs = rig.clock.nowMs();
      const { body: told } = await rig.answer(FIRST, { route: `GET /v1/orders/${order.id}` });
      if (told["status"] === "open") open.push(askedMs - endedMs);
    }
    expect(open.filter((afterMs) => afterMs > SECOND)).toEqual([]);
  },
);
