/** An order that rests, and what is told of it while a client asks again and again. */
import { expect } from "bun:test";
import { FIRST, type PaperRig, pass } from "../support/paper-rig.ts";

const RESTING = {
  account: FIRST.account.id,
  market: "BTC",
  side: "buy",
  size: "0.01",
  price: "50000",
  time_in_force: "gtc",
};

export async function placed(rig: PaperRig): Promise<{ id: string; oid: number }> {
  const { status, body } = await rig.answer(FIRST, { route: "POST /v1/orders", body: RESTING });
  expect([status, body["status"]]).toEqual([201, "open"]);
  return { id: String(body["id"]), oid: Number(body["exchange_order_id"]) };
}

/** Polled as clients do; each status with when it was told first, milliseconds. */
export async function polled(rig: PaperRig, id: string, forMs: number): Promise<[unknown, number][]> {
  const startedMs = rig.clock.elapsedMs();
  const seen: [unknown, number][] = [];
  while (rig.clock.elapsedMs() - startedMs < forMs) {
    const { body } = await rig.answer(FIRST, { route: `GET /v1/orders/${id}` });
    if (seen.at(-1)?.[0] !== body["status"]) seen.push([body["status"], rig.clock.elapsedMs() - startedMs]);
    await pass(rig, 500);
  }
  return seen;
}
