/** Pages of fills that leave one out while they show a newer one: no list is called whole over it, and it is asked for until it is there. */
import { expect, test } from "bun:test";
import { FIRST, type PaperRig } from "../support/paper-rig.ts";
import { EVERY_FIVE_SECONDS, ON_CHANGE, ONE_SECOND, onFrames, openWorld, write } from "./shown-account.ts";

type FillShown = { oid: number; time: number };

const TAKEN = { account: FIRST.account.id, market: "BTC", side: "buy", price: "60010", time_in_force: "ioc" };
/** One regular reading of an account that has something to read again. */
const READ_AGAIN_MS = 17 * ONE_SECOND;
/** More than what a server of the exchange may be behind, and not when fills are read anyway. */
const SHOWN_WITHIN_MS = 190 * ONE_SECOND;

async function fillsOf(rig: PaperRig) {
  const { body, headers } = await rig.answer(FIRST, { route: "GET /v1/fills" });
  const asOf = headers.get("x-data-as-of");
  return { count: (body["data"] as unknown[]).length, asOfMs: asOf === null ? null : Date.parse(asOf) };
}

async function completeTo(rig: PaperRig, path: string, name: string): Promise<number> {
  const { body } = await rig.answer(FIRST, { route: `GET ${path}` });
  return Date.parse(String(body[name]));
}

test.each([ON_CHANGE, EVERY_FIVE_SECONDS])("a fill that pages and feed leave out, states %p", async (world) => {
  const rig = await openWorld(world);
  const hidden = new Set<number>();
  const hide = (fills: FillShown[]) => fills.filter(({ oid }) => !hidden.has(oid));
  rig.interfere = async (request) =>
    request["type"] === "userFillsByTime" ? hide((await rig.info(request)) as FillShown[]) : undefined;
  onFrames(rig, ({ text, arrive }) => {
    if (![...hidden].some((oid) => text.includes(String(oid)) && text.includes('"userFills"'))) arrive();
  });
  // Its id is known before anything is told of it.
  const [before] = (await rig.info({ type: "userFills", user: FIRST.account.tradingAddress })) as FillShown[];
  const first = Number((await write(rig, "/v1/orders", { ...TAKEN, size: "0.01" })).body["exchange_order_id"]);
  hidden.add(first + 1);
  const lacking = await write(rig, "/v1/orders", { ...TAKEN, size: "0.02" });
  expect([Number(lacking.body["exchange_order_id"]), lacking.body["filled_size"]]).toEqual([first + 1, "0.02"]);
  const lackingAtMs = Date.parse(String(lacking.body["created_at"]));
  await write(rig, "/v1/orders", { ...TAKEN, size: "0.03" });
  await rig.clock.advance(SHOWN_WITHIN_MS);
  const told = await fillsOf(rig);
  expect(told.count).toBe((before === undefined ? 0 : 1) + 2);
  expect(told.asOfMs).not.toBeNull();
  expect(told.asOfMs).toBeLessThan(lackingAtMs);
  expect(await completeTo(rig, "/v1/performance", "complete_to")).toBeLessThan(lackingAtMs);
  expect(await completeTo(rig, "/v1/status", "fills_complete_to")).toBeLessThan(lackingAtMs);
  hidden.clear();
  await rig.clock.advance(READ_AGAIN_MS);
  const whole = await fillsOf(rig);
  expect(whole.count).toBe(told.count + 1);
  expect(whole.asOfMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(lackingAtMs);
});
