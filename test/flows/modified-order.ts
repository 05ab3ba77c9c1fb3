import { expect } from "bun:test";
import { type Answer, type Delivery, FIRST, openPaperRig, type PaperRig } from "../support/paper-rig.ts";

/** An order of the first account, and what a test does with it. */
export const PLACED = { account: FIRST.account.id, market: "BTC", side: "buy", size: "0.1", price: "90000" };

export async function place(rig: PaperRig, some: object = {}): Promise<Answer> {
  const answer = await rig.answer(FIRST, { route: "POST /v1/orders", body: { ...PLACED, ...some } });
  expect(answer.status).toBe(201);
  rig.sent.length = 0;
  return answer;
}

export function modify(rig: PaperRig, id: unknown, body: object, key?: string): Promise<Answer> {
  return rig.answer(FIRST, { route: `POST /v1/orders/${id}/modify`, body, ...(key === undefined ? {} : { key }) });
}

export async function read(rig: PaperRig, id: unknown): Promise<Answer> {
  // Reads within a second share a look.
  await rig.clock.advance(1_100);
  return rig.answer(FIRST, { route: `GET /v1/orders/${id}` });
}

/** What the exchange has open for the account. */
export async function open(rig: PaperRig): Promise<{ oid: number; sz: string; limitPx: string; tif: string }[]> {
  // As the exchange answers.
  const request = { type: "frontendOpenOrders", user: FIRST.account.tradingAddress };
  return (await rig.info(request)) as { oid: number; sz: string; limitPx: string; tif: string }[];
}

export async function opened(): Promise<{ rig: PaperRig; id: unknown; oid: string; answer: Answer }> {
  const rig = await openPaperRig();
  const answer = await place(rig);
  return { rig, id: answer.body["id"], oid: String(answer.body["exchange_order_id"]), answer };
}

/** Something happens to the order after the modify has been signed and before it arrives. */
export function after(work: () => Promise<unknown>): Delivery {
  return async (arrive, clock) => {
    await clock.sleep(1_000);
    await work();
    // Longer than the two halves of a modify may be apart.
    await clock.sleep(3_000);
    return arrive();
  };
}
