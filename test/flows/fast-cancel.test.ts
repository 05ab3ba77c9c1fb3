/** Cancels ask for the exchange's fast lane where it takes them, and go without it where that was of no avail. */
import { expect, test } from "bun:test";
import type { RequestFault } from "../../src/paper/faults.ts";
import { listAttemptsOf } from "../../src/store/attempts.ts";
import { FIRST, openPaperRig, type PaperRig, type PaperRigOptions } from "../support/paper-rig.ts";

const ORDER = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.1", price: "90000" };
const STOP = { ...ORDER, side: "sell", price: "80000", trigger: { price: "85000", kind: "stop_loss", market: false } };

async function placed(options: PaperRigOptions = {}, order: object = ORDER): Promise<{ rig: PaperRig; id: string }> {
  const rig = await openPaperRig(options);
  const { body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: order });
  return { rig, id: String(body["id"]) };
}

function cancel(rig: PaperRig, id: string) {
  return rig.answer(FIRST, { route: `POST /v1/orders/${id}/cancel`, body: {} });
}

/** Whether each cancel that was signed asked for the fast lane, and under which number. */
function cancelsOf({ store }: PaperRig, id: string): { isFast: boolean; nonce: number }[] {
  const cancels = listAttemptsOf(store, id).filter(({ kind }) => kind === "cancel");
  return cancels.map(({ action, nonce }) => ({ isFast: action.includes('"f":true'), nonce }));
}

function lanesOf(rig: PaperRig, id: string): boolean[] {
  return cancelsOf(rig, id).map(({ isFast }) => isFast);
}

test.each([
  ["an order in the book", {}, ORDER, true],
  ["a trigger", {}, STOP, false],
  ["a trigger that has fired", {}, { ...STOP, price: "96000", trigger: { ...STOP.trigger, price: "95500" } }, false],
  ["an order in the book, where the setting says so,", { settings: { areCancelsFast: false } }, ORDER, false],
] as const)("a cancel of %s asks for the fast lane as it should: %j", async (_what, options, order, isFast) => {
  const { rig, id } = await placed(options, order);
  expect(await cancel(rig, id)).toMatchObject({ status: 200, body: { status: "canceled" } });
  expect(lanesOf(rig, id)).toEqual([isFast]);
});

const REFUSALS: [string, RequestFault][] = [
  ["in the status of the order", { kind: "single_error", form: "statuses", text: "Fast cancels are off." }],
  ["as a whole", { kind: "refuse", text: "Fast cancels are off." }],
  [
    "as a trigger would be",
    { kind: "single_error", form: "statuses", text: "Order was never placed, already canceled, or filled. asset=0" },
  ],
  ["as malformed", { kind: "status", status: 422 }],
];

test.each(REFUSALS)(
  "a fast cancel that is refused %s is sent once more without the lane, under a number of its own",
  async (_how, fault) => {
    const { rig, id } = await placed({ faults: { rules: [{ on: "exchange", type: "cancel", times: 1, fault }] } });
    expect(await cancel(rig, id)).toMatchObject({ status: 200, body: { status: "canceled", filled_size: "0" } });
    const [first, second, ...more] = cancelsOf(rig, id);
    expect([first?.isFast, second?.isFast, more]).toEqual([true, false, []]);
    expect(second?.nonce).toBeGreaterThan(first?.nonce ?? Number.POSITIVE_INFINITY);
  },
);

test("the next cancel of another order asks for the lane again", async () => {
  const refused: RequestFault = { kind: "refuse", text: "Fast cancels are off." };
  const { rig, id } = await placed({
    faults: { rules: [{ on: "exchange", type: "cancel", times: 1, fault: refused }] },
  });
  await cancel(rig, id);
  const { body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: ORDER });
  await cancel(rig, String(body["id"]));
  expect(lanesOf(rig, String(body["id"]))).toEqual([true]);
});
